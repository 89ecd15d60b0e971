//! A solver that a program drives in steps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use myrmex::settings::AskedFor;
use myrmex::{Cancel, Checkpoint, Finished, Progress, Proof, Result, Stop, UnderWay};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::devices::{Threads, Where, json};
use crate::drive::{Caller, Driven, Limits, Teller, drive, lock, refuse_forked};
use crate::errors::{invalid, raised};
use crate::problem::{Problem, permutation};
use crate::settings::{Asked, Pairs};
use crate::solve::{Answer, Calls, Rules, told};

/// Where a solver lies while no thread works with it.
type Place = Arc<Mutex<Option<myrmex::Solver>>>;

/// A solver.
#[pyclass(frozen, module = "myrmex._myrmex")]
pub struct Solver {
    problem: myrmex::Problem,
    /// What is known of all costs, found once.
    proof: Proof,
    asked_for: AskedFor,
    place: Place,
    threads: Threads,
    broken: Broken,
}

/// Whether a panic has taken a solver along that a thread worked with. The thread has one, which is dropped by the panic.
#[derive(Clone, Default)]
struct Broken(Arc<AtomicBool>);

impl Drop for Broken {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// What a solver says of how far it has come: iterations, seconds, cost, phase, round, length.
type Reached = (u32, f64, u64, u32, u32, f64);

fn reached(problem: &myrmex::Problem, progress: &Progress) -> Reached {
    let length = problem.length_of(progress.cost);
    (progress.iteration, progress.seconds, progress.cost, progress.phase, progress.round, length)
}

impl Solver {
    /// A solver that `make` sets up on a thread of its own.
    fn made(
        py: Python<'_>,
        problem: &Problem,
        asked_for: AskedFor,
        threads: Threads,
        make: impl FnOnce() -> Result<myrmex::Solver> + Send + 'static,
    ) -> PyResult<Self> {
        refuse_forked()?;
        let left = Limits { time: None, may_be_left: true };
        let (owned, own) = (problem.0.clone(), threads.clone());
        let made = move || own.run(|| make().map(|solver| (solver, Proof::of(&owned))));
        match drive(py, &Caller::default(), &Cancel::new(), left, move |_| made())? {
            Driven::Done { value, interrupted: false } => {
                let (solver, proof) = value.map_err(raised)?;
                let place = Arc::new(Mutex::new(Some(solver)));
                let (problem, broken) = (problem.0.clone(), Broken::default());
                Ok(Self { problem, proof, asked_for, place, threads, broken })
            }
            _ => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// What `ask` says of the solver while nothing works with it.
    fn asked<T>(&self, ask: impl FnOnce(&mut myrmex::Solver) -> PyResult<T>) -> PyResult<T> {
        lock(&self.place).as_mut().map_or_else(|| Err(self.busy()), ask)
    }

    /// Takes the solver for a thread.
    fn taken(&self) -> PyResult<myrmex::Solver> {
        lock(&self.place).take().ok_or_else(|| self.busy())
    }

    fn busy(&self) -> PyErr {
        invalid(match self.broken.0.load(Ordering::Relaxed) {
            true => {
                "a fault of Myrmex itself has ended this solver: make another one, from the last checkpoint if there is one"
            }
            false => "the solver is at work: in another thread, in the callback's own run, or just after an interrupt",
        })
    }
}

#[pymethods]
impl Solver {
    #[new]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        settings: Pairs<'_>,
        place: Where,
        initial: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Self> {
        refuse_forked()?;
        let Asked { settings, asked_for } = Asked::of(py, &problem.0, &settings, None)?;
        let (target, threads) = place.found()?;
        let (owned, initial) = (problem.0.clone(), initial.map(|array| permutation(&array)));
        Self::made(py, problem, asked_for, threads, move || match &initial {
            Some(initial) => myrmex::Solver::with_start(&owned, &settings, target, initial),
            None => myrmex::Solver::new(&owned, &settings, target),
        })
    }

    /// A solver that goes on from a checkpoint.
    #[staticmethod]
    fn resume(py: Python<'_>, problem: &Problem, checkpoint: &[u8], place: Where) -> PyResult<Self> {
        let checkpoint = Checkpoint::from_bytes(checkpoint).map_err(raised)?;
        let (target, threads) = place.found()?;
        let asked_for = AskedFor::resumed(checkpoint.settings());
        let owned = problem.0.clone();
        Self::made(py, problem, asked_for, threads, move || myrmex::Solver::resume(&owned, checkpoint, target))
    }

    /// Runs until a rule holds.
    fn run<'py>(&self, py: Python<'py>, rules: Rules, caller: Caller<'py>) -> PyResult<Answer<'py>> {
        let (started, cancel) = (rules.began(), Cancel::new());
        let stop = rules.stop(&self.proof, &cancel, started);
        refuse_forked()?;
        let mut solver = self.taken()?;
        let under_way = UnderWay::of(&solver, None, started);
        let known = under_way.clone();
        let (problem, place, calls_back) = (self.problem.clone(), Arc::clone(&self.place), caller.callback.is_some());
        let (broken, threads) = (self.broken.clone(), self.threads.clone());
        let work = move |teller: &Teller<Result<Finished>>| {
            let _broken = broken;
            teller.begun(known, &solver);
            let mut calls = Calls { problem: &problem, calls_back, teller };
            let finished = threads.run(|| solver.run_to_end(&stop, &mut calls));
            *lock(&place) = Some(solver);
            finished
        };
        let asked_stop = rules.asked();
        match drive(py, &caller, &cancel, rules.limits(started), work)? {
            Driven::Done { value, interrupted } => {
                let Finished { solution, failure, .. } = value.map_err(raised)?;
                told(py, &self.problem, (&self.asked_for, &asked_stop), (solution, failure), interrupted)
            }
            Driven::Left { begun, ended, interrupted } => {
                let known = begun.map_or(under_way, |begun| *begun);
                let solution = py.detach(|| known.abandoned(ended)).map_err(raised)?;
                told(py, &self.problem, (&self.asked_for, &asked_stop), (solution, None), interrupted)
            }
        }
    }

    /// Makes iterations.
    fn step(&self, py: Python<'_>, iterations: u32) -> PyResult<Reached> {
        refuse_forked()?;
        let mut solver = self.taken()?;
        let (place, broken, cancel) = (Arc::clone(&self.place), self.broken.clone(), Cancel::new());
        let (token, threads) = (cancel.clone(), self.threads.clone());
        let work = move |_: &Teller<Result<Progress>>| {
            let _broken = broken;
            // Where all solutions were tried at once iterations are counted alone.
            let stepped = threads.run(|| match solver.is_trivial() {
                true => solver.step(iterations).map(drop),
                false => {
                    let all = solver.progress().iteration.saturating_add(iterations);
                    solver.advance(&Stop::iterations(all).or(Stop::cancelled_by(&token))).map(drop)
                }
            });
            let progress = solver.progress();
            *lock(&place) = Some(solver);
            stepped.map(|_| progress)
        };
        match drive(py, &Caller::default(), &cancel, Limits::none(), work)? {
            Driven::Done { value, interrupted: false } => {
                value.map(|progress| reached(&self.problem, &progress)).map_err(raised)
            }
            _ => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// How far the run has come.
    fn progress(&self) -> PyResult<Reached> {
        self.asked(|solver| Ok(reached(&self.problem, &solver.progress())))
    }

    /// The best solution so far.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Answer<'py>> {
        refuse_forked()?;
        let (mut solver, broken) = (self.taken()?, self.broken.clone());
        let (solution, solver) = py.detach(move || {
            let _broken = broken;
            (self.threads.run(|| solver.solution()), solver)
        });
        *lock(&self.place) = Some(solver);
        told(py, &self.problem, (&self.asked_for, &Stop::default()), (solution.map_err(raised)?, None), false)
    }

    /// What runs, as JSON.
    fn recipe(&self) -> PyResult<String> {
        self.asked(|solver| json(solver.recipe()))
    }

    /// Backend and device.
    fn device(&self) -> PyResult<(&'static str, String)> {
        self.asked(|solver| Ok((solver.backend().name(), solver.device().to_owned())))
    }

    /// The run as it is after its last whole iteration.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        refuse_forked()?;
        let (mut solver, broken) = (self.taken()?, self.broken.clone());
        let (bytes, solver) = py.detach(move || {
            let _broken = broken;
            let bytes = self.threads.run(|| solver.checkpoint().and_then(|checkpoint| checkpoint.to_bytes()));
            (bytes, solver)
        });
        *lock(&self.place) = Some(solver);
        Ok(PyBytes::new(py, &bytes.map_err(raised)?))
    }
}
