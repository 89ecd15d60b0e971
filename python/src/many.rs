//! Many problems at a time.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use myrmex::settings::AskedFor;
use myrmex::{Batch, Cancel, Ended, Found, Result, Settings, Stop};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::devices::Where;
use crate::drive::{Caller, Driven, Limits, Teller, drive, lock, refuse_forked};
use crate::errors::raised;
use crate::problem::Problem;
use crate::settings::{Asked, Pairs};
use crate::solve::{Answer, Rules, told};

/// When each problem ends, and how many are solved at a time.
#[derive(FromPyObject)]
pub struct RulesOfMany {
    rules: Rules,
    /// Whether the first error ends the others.
    first_error: bool,
    /// Problems at a time.
    workers: Option<NonZeroUsize>,
}

impl RulesOfMany {
    /// The same as rules of the library.
    fn stop(&self) -> Stop {
        let stop = self.rules.asked();
        if stop.is_empty() { Stop::converged() } else { stop }
    }
}

/// What became of each problem, once something did: an answer or an exception.
#[derive(Clone)]
struct Answers(Arc<Mutex<Vec<Option<Py<PyAny>>>>>);

impl Answers {
    /// Keeps one. The callback is called with it and its place.
    fn keep<'py>(&self, py: Python<'py>, place: usize, answer: PyResult<Answer<'py>>) -> PyResult<Bound<'py, PyTuple>> {
        let answer = match answer {
            Ok(answer) => answer.into_pyobject(py)?.into_any(),
            Err(error) => error.into_value(py).into_bound(py).into_any(),
        };
        lock(&self.0)[place] = Some(answer.clone().unbind());
        (place, answer).into_pyobject(py)
    }
}

/// What a problem is solved with.
struct Order {
    place: usize,
    asked_for: AskedFor,
    stop: Stop,
}

impl Order {
    /// What Python is told of what was found.
    fn answer<'py>(self, py: Python<'py>, found: Result<Found>, interrupted: bool) -> PyResult<Answer<'py>> {
        let Found { problem, solution, failure, .. } = found.map_err(raised)?;
        let interrupted = interrupted && solution.ended == Ended::Cancelled;
        told(py, &problem, (&self.asked_for, &self.stop), (solution, failure), interrupted)
    }
}

/// Solves problems; for each of them an answer, an exception, or None where an interrupt came before it, and whether one came. With
/// `first_error` the first exception ends the others. The callback is called with the place and the answer, or exception, of each that is over.
#[pyfunction]
pub fn solve_many<'py>(
    py: Python<'py>,
    problems: Vec<PyRef<'py, Problem>>,
    settings: Pairs<'py>,
    place: Where,
    rules: RulesOfMany,
    caller: Caller<'py>,
) -> PyResult<(Bound<'py, PyList>, bool)> {
    refuse_forked()?;
    let (target, threads) = place.found()?;
    let (cancel, first_error, stop) = (Cancel::new(), rules.first_error, rules.stop());
    let answers = Answers(Arc::new(Mutex::new(problems.iter().map(|_| None).collect())));
    let (mut wrong, mut right) = (Vec::new(), Vec::new());
    for (place, problem) in problems.iter().enumerate() {
        let problem = problem.0.clone();
        match Asked::of(py, &problem, &settings, rules.rules.iterations) {
            Ok(Asked { settings, asked_for }) => {
                right.push((Order { place, asked_for, stop: stop.clone() }, (problem, settings)));
            }
            Err(error) => wrong.push((place, error)),
        }
    }
    // How many suit a device is told by the algorithm.
    let settings: Settings = right.first().map(|(_, (_, settings))| *settings).unwrap_or_default();
    let batch = Batch { settings, stop: stop.or(Stop::cancelled_by(&cancel)), target, workers: rules.workers };
    let (kept, ends) = (answers.clone(), cancel.clone());
    let work = move |teller: &Teller<Result<()>>| {
        // Where the callback ends the others, those under way end with their best solutions.
        let go_on = |goes_on: bool| _ = !goes_on && ends.cancel();
        if first_error && !wrong.is_empty() {
            right.clear();
        }
        for (place, error) in wrong {
            let kept = kept.clone();
            go_on(teller.calls(Box::new(move |py, _| kept.keep(py, place, Err(error)))));
        }
        if right.is_empty() {
            return Ok(());
        }
        threads.run(|| {
            batch.solve(right, |solved| {
                let breaks_off = first_error && solved.result.as_ref().map_or(true, |found| found.failure.is_some());
                let (order, result, kept): (Order, _, _) = (solved.key, solved.result, kept.clone());
                go_on(teller.calls(Box::new(move |py, interrupted| {
                    let place = order.place;
                    kept.keep(py, place, order.answer(py, result, interrupted))
                })));
                if breaks_off { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })
    };
    let interrupted = match drive(py, &caller, &cancel, Limits::none(), work)? {
        Driven::Done { value, interrupted } => {
            value.map_err(raised)?;
            interrupted
        }
        Driven::Left { .. } => unreachable!("nobody leaves it"),
    };
    let answers = std::mem::take(&mut *lock(&answers.0));
    Ok((PyList::new(py, answers)?, interrupted))
}
