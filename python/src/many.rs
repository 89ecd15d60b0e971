//! Many problems at a time.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use myrmex::{Batch, Cancel, Ended, Found, Result, Stop, Target};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::drive::{Caller, Driven, Limits, Teller, drive, refuse_forked};
use crate::errors::raised;
use crate::problem::Problem;
use crate::settings::{Asked, Pairs};
use crate::solve::told;

/// When each problem ends: seconds, iterations, iterations or seconds without a gain, rounds of the phases.
#[derive(FromPyObject)]
pub struct RulesOfMany {
    time: Option<f64>,
    iterations: Option<u32>,
    stagnation: Option<u32>,
    stagnation_time: Option<f64>,
    rounds: Option<u32>,
    /// Whether the first error ends the others.
    first_error: bool,
}

impl RulesOfMany {
    /// The same as rules of the library.
    fn stop(&self) -> Stop {
        let mut stop = Stop::default();
        stop.time = self.time.map(Duration::from_secs_f64);
        stop.iterations = self.iterations;
        stop.stagnation = self.stagnation;
        stop.stagnation_time = self.stagnation_time.map(Duration::from_secs_f64);
        stop.rounds = self.rounds;
        if stop.is_empty() { Stop::converged() } else { stop }
    }
}

/// Solves problems; for each of them an answer, an exception, or None where an interrupt came before it, and whether one came. With
/// `first_error` the first exception ends the others.
#[pyfunction]
pub fn solve_many<'py>(
    py: Python<'py>,
    problems: Vec<PyRef<'py, Problem>>,
    settings: Pairs<'py>,
    device: &str,
    workers: Option<NonZeroUsize>,
    rules: RulesOfMany,
    caller: Caller<'py>,
) -> PyResult<(Bound<'py, PyList>, bool)> {
    refuse_forked()?;
    let target = device.parse::<Target>().map_err(raised)?;
    let problems: Vec<myrmex::Problem> = problems.iter().map(|problem| problem.0.clone()).collect();
    let asked: Vec<PyResult<Asked>> =
        problems.iter().map(|problem| Asked::of(py, problem, &settings, rules.iterations)).collect();
    let (cancel, first_error) = (Cancel::new(), rules.first_error);
    let asked_stop = rules.stop();
    let stop = asked_stop.clone().or(Stop::cancelled_by(&cancel));
    // How many suit a device is told by the algorithm.
    let first = asked.iter().find_map(|asked| asked.as_ref().ok().map(|asked| asked.settings));
    let batch = Batch { settings: first.unwrap_or_default(), stop, target, workers };
    let right = asked.iter().map(|asked| asked.as_ref().ok().map(|asked| asked.settings));
    let sources: Vec<_> = problems.iter().cloned().zip(right).enumerate().collect();
    let stops_early = first_error && sources.iter().any(|(_, (_, settings))| settings.is_none());
    let work = move |_: &Teller<Result<Vec<Solved>>>| {
        let mut all: Vec<Solved> = sources.iter().map(|_| None).collect();
        if stops_early {
            return Ok(all);
        }
        // What is wrong with the settings of the others is known.
        let right = sources.into_iter().filter_map(|(place, (problem, settings))| Some((place, (problem, settings?))));
        batch.solve(right, |solved| {
            let ends = first_error && solved.result.as_ref().map_or(true, |found| found.failure.is_some());
            all[solved.key] = Some(solved.result);
            if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(all)
    };
    let (solved, interrupted) = match drive(py, &caller, &cancel, Limits::none(), work)? {
        Driven::Done { value, interrupted } => (value.map_err(raised)?, interrupted),
        Driven::Left { .. } => unreachable!("nobody leaves it"),
    };
    let answers = PyList::empty(py);
    for ((solved, asked), problem) in solved.into_iter().zip(asked).zip(&problems) {
        let answer = match (asked, solved) {
            (Err(error), _) => Err(error),
            (Ok(_), None) => {
                answers.append(py.None())?;
                continue;
            }
            (Ok(_), Some(Err(error))) => Err(raised(error)),
            (Ok(asked), Some(Ok(found))) => {
                let interrupted = interrupted && found.solution.ended == Ended::Cancelled;
                told(py, problem, (&asked.asked_for, &asked_stop), (found.solution, found.failure), interrupted)
            }
        };
        match answer {
            Ok(answer) => answers.append(answer)?,
            Err(error) => answers.append(error.into_value(py))?,
        }
    }
    Ok((answers, interrupted))
}

/// What became of a problem, once something did.
type Solved = Option<Result<Found>>;
