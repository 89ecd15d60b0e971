//! A run from its settings to its solution.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use myrmex::report::{self, Report};
use myrmex::settings::AskedFor;
use myrmex::{Cancel, Error, Finished, Observer, Progress, Proof, Result, Solution, Stop, UnderWay};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::devices::Where;
use crate::drive::{Caller, Driven, Gain, Limits, Teller, drive, indices, refuse_forked};
use crate::errors::{DeviceError, raised};
use crate::problem::{Problem, permutation};
use crate::settings::{Asked, Pairs};

/// What Python is told of a run: the solution, the report as JSON without it, and whether it was interrupted.
pub type Answer<'py> = (Bound<'py, PyArray1<i64>>, String, bool);

/// When a run ends: seconds, iterations, a length, iterations or seconds without a gain, rounds.
#[derive(FromPyObject)]
pub struct Rules {
    time: Option<f64>,
    pub iterations: Option<u32>,
    target: Option<f64>,
    stagnation: Option<u32>,
    stagnation_time: Option<f64>,
    rounds: Option<u32>,
    /// How much of the time, in seconds, had passed when the run was asked for: what is found out about a problem counts.
    spent: f64,
}

impl Rules {
    /// When the time of a run began that is asked for now.
    pub fn began(&self) -> Instant {
        let now = Instant::now();
        now.checked_sub(Duration::try_from_secs_f64(self.spent).unwrap_or_default()).unwrap_or(now)
    }

    /// The same as rules of the library for a run of which so much is proved; time counts from `started`.
    pub fn stop(&self, proof: &Proof, cancel: &Cancel, started: Instant) -> Stop {
        self.asked().since(started).or(Stop::cancelled_by(cancel)).or(Stop::proved_by(proof))
    }

    /// What was asked for alone.
    pub fn asked(&self) -> Stop {
        let mut stop = Stop::default();
        stop.time = self.time.map(Duration::from_secs_f64);
        stop.iterations = self.iterations;
        stop.target = self.target;
        stop.stagnation = self.stagnation;
        stop.rounds = self.rounds;
        stop.stagnation_time = self.stagnation_time.map(Duration::from_secs_f64);
        stop
    }

    /// What ends the run from outside.
    pub fn limits(&self, started: Instant) -> Limits {
        let time = self.time.map(Duration::from_secs_f64);
        Limits { time: time.and_then(|time| Some((started.checked_add(time)?, time))), may_be_left: true }
    }
}

/// What Python is told of a solution, and of what the device failed with, if it did.
pub fn told<'py>(
    py: Python<'py>,
    problem: &myrmex::Problem,
    (asked_for, stop): (&AskedFor, &Stop),
    (solution, failure): (Solution, Option<Error>),
    interrupted: bool,
) -> PyResult<Answer<'py>> {
    let text = py.detach(|| {
        let mut own = Report::of(problem, &solution).with_asked_for(asked_for).with_stop(stop);
        let mut text = Vec::new();
        // Solutions go as arrays.
        (own.tour, own.tour_names, own.tour_ids, own.permutation) = (None, None, None, None);
        let written = report::write_json(&mut text, &own);
        written.map(|()| String::from_utf8_lossy(&text).into_owned())
    });
    let text = text.map_err(|error| raised(Error::io("report", error)))?;
    let answer = (indices(py, solution.permutation), text, interrupted);
    match failure {
        None => Ok(answer),
        Some(error) => {
            let error = DeviceError::new_err(format!("{error}; 'result' has the best solution known before"));
            error.value(py).setattr("result", answer)?;
            Err(error)
        }
    }
}

/// Tells of better solutions.
pub struct Calls<'a> {
    pub problem: &'a myrmex::Problem,
    pub calls_back: bool,
    pub teller: &'a Teller<Result<Finished>>,
}

impl Observer for Calls<'_> {
    fn is_ready(&mut self) -> bool {
        self.calls_back
    }

    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        let Ok(length) = self.problem.length(solution) else { return ControlFlow::Continue(()) };
        let &Progress { cost, seconds, best_iteration: iteration, .. } = progress;
        match self.teller.gained(Gain { permutation: solution.to_vec(), cost, length, seconds, iteration }) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

/// A run on a problem.
#[pyfunction]
pub fn solve<'py>(
    py: Python<'py>,
    problem: &Problem,
    settings: Pairs<'py>,
    place: Where,
    initial: Option<PyReadonlyArray1<'py, u32>>,
    rules: Rules,
    caller: Caller<'py>,
) -> PyResult<Answer<'py>> {
    refuse_forked()?;
    let started = rules.began();
    let problem = &problem.0;
    let Asked { settings, asked_for } = Asked::of(py, problem, &settings, rules.iterations)?;
    let (target, threads) = place.found()?;
    let initial = initial.map(|array| permutation(&array));
    let under_way = py.detach(|| {
        if let Some(initial) = &initial {
            problem.cost(initial)?;
        }
        threads.run(|| UnderWay::begin(problem, &settings, &target, initial, started))
    });
    let under_way = under_way.map_err(raised)?;
    let cancel = Cancel::new();
    let stop = rules.stop(&py.detach(|| Proof::of(problem)), &cancel, started);
    let (own, calls_back) = (under_way.clone(), caller.callback.is_some());
    let work = move |teller: &Teller<Result<Finished>>| {
        threads.run(|| {
            let problem = own.problem.clone();
            let mut solver = match &own.initial {
                Some(initial) => myrmex::Solver::with_start(&problem, &settings, target, initial)?,
                None => myrmex::Solver::new(&problem, &settings, target)?,
            };
            teller.begun(own, &solver);
            solver.run_to_end(&stop, &mut Calls { problem: &problem, calls_back, teller })
        })
    };
    let asked_stop = rules.asked();
    match drive(py, &caller, &cancel, rules.limits(started), work)? {
        Driven::Done { value, interrupted } => {
            let Finished { solution, failure, .. } = value.map_err(raised)?;
            told(py, problem, (&asked_for, &asked_stop), (solution, failure), interrupted)
        }
        Driven::Left { begun, ended, interrupted } => {
            let known = begun.map_or(under_way, |begun| *begun);
            let solution = py.detach(|| known.abandoned(ended)).map_err(raised)?;
            told(py, problem, (&asked_for, &asked_stop), (solution, None), interrupted)
        }
    }
}
