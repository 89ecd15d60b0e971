//! Work on a thread of its own, while the thread of the interpreter waits without holding it: it looks for signals, calls back with
//! better solutions, and goes on without the work where that does not end in time.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use myrmex::{Cancel, Ended, Error, HeldUp, Patience, Solver, UnderWay};
use numpy::IntoPyArray;
use pyo3::exceptions::{PyKeyboardInterrupt, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{Base, invalid, raised};

/// How often signals are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long an exception waits for a turn to end.
const ERROR_WAITS: Duration = Duration::from_millis(500);
/// What ends work from outside.
#[derive(Clone, Copy)]
pub struct Limits {
    /// When its time is up, and how long that was.
    pub time: Option<(Instant, Duration)>,
    /// Whether the caller can go on without it: after an interrupt, and when time is up.
    pub may_be_left: bool,
}

impl Limits {
    /// The caller waits for the work.
    pub fn none() -> Self {
        Self { time: None, may_be_left: false }
    }

    /// When the caller goes on without the work, and why; `asked`: when it was asked to end.
    fn ends(&self, is_set_up: bool, asked: Option<Instant>) -> Option<(Instant, Ended)> {
        let patience = Patience { asked, limit: self.time, ..Patience::default() };
        patience.ends(is_set_up).filter(|_| self.may_be_left)
    }
}

/// A better solution.
pub struct Gain {
    pub permutation: Vec<u32>,
    pub cost: u64,
    pub length: f64,
    pub seconds: f64,
    pub iteration: u32,
}

/// Makes what the callback is called with; it is told whether an interrupt came.
pub type Arguments = Box<dyn for<'py> FnOnce(Python<'py>, bool) -> PyResult<Bound<'py, PyTuple>> + Send>;

enum Told<T> {
    Begun(Box<UnderWay>),
    Calls(Arguments, SyncSender<bool>),
    Done(T),
}

/// What the work tells on its way.
pub struct Teller<T>(Sender<Told<T>>);

impl<T> Teller<T> {
    /// The solver is set up.
    pub fn begun(&self, under_way: UnderWay, solver: &Solver) {
        let _ = self.0.send(Told::Begun(Box::new(under_way.set_up(solver))));
    }

    /// A better solution was found; whether the work is to go on. It waits for the callback.
    pub fn gained(&self, gain: Gain) -> bool {
        let Gain { permutation, cost, length, seconds, iteration } = gain;
        self.calls(Box::new(move |py, _| {
            (indices(py, permutation), cost, length, seconds, iteration).into_pyobject(py)
        }))
    }

    /// Calls back, where somebody is called, with what is made in any case; whether the work is to go on. It waits for that.
    pub fn calls(&self, arguments: Arguments) -> bool {
        let (answer, answered) = mpsc::sync_channel(1);
        self.0.send(Told::Calls(arguments, answer)).is_ok() && answered.recv().unwrap_or(false)
    }
}

/// How work went.
pub enum Driven<T> {
    /// It came to its end.
    Done { value: T, interrupted: bool },
    /// The caller goes on without it.
    Left { begun: Option<Box<UnderWay>>, ended: Ended, interrupted: bool },
}

/// What of the caller's takes part in a run.
#[derive(Default, FromPyObject)]
pub struct Caller<'py> {
    /// It is called with each better solution; of many problems with each that is over.
    pub callback: Option<Bound<'py, PyAny>>,
    /// The run ends when its `is_set()` says so.
    pub event: Option<Bound<'py, PyAny>>,
}

/// Does `work` on a thread of its own; `cancel` is the token that it looks at.
///
/// # Errors
/// What the callback, the event or a signal handler raises, but a first KeyboardInterrupt, and a StopIteration of the callback, which ends the run.
pub fn drive<T: Send + 'static>(
    py: Python<'_>,
    caller: &Caller<'_>,
    cancel: &Cancel,
    limits: Limits,
    work: impl FnOnce(&Teller<T>) -> T + Send + 'static,
) -> PyResult<Driven<T>> {
    let (sender, told) = mpsc::channel();
    // What is lent while the interpreter is free has to be one that threads may share.
    let told = Mutex::new(told);
    let thread = myrmex::thread_named("myrmex-solve").spawn(move || {
        let value = work(&Teller(sender.clone()));
        let _ = sender.send(Told::Done(value));
    });
    thread.map_err(|error| raised(Error::Threads(error.to_string())))?;
    let driven = wait(py, caller, cancel, limits, &told);
    if !matches!(driven, Ok(Driven::Done { .. })) {
        // What goes on without being waited for is to end soon.
        cancel.cancel();
    }
    if driven.is_err() {
        // A turn comes to its end, so that a solver can be used again.
        py.detach(move || {
            let until = Instant::now() + ERROR_WAITS;
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                match lock(&told).recv_timeout(left) {
                    Ok(Told::Done(_)) | Err(_) => break,
                    Ok(_) => {}
                }
            }
        });
    }
    driven
}

fn wait<T: Send>(
    py: Python<'_>,
    caller: &Caller<'_>,
    cancel: &Cancel,
    limits: Limits,
    told: &Mutex<Receiver<Told<T>>>,
) -> PyResult<Driven<T>> {
    let (mut begun, mut held_up) = (None, HeldUp::default());
    // When a signal came, and when the event was set.
    let (mut interrupted, mut asked) = (None, None);
    loop {
        let (next, has_a_chance) = py.detach(|| {
            let began = Instant::now();
            let next = lock(told).recv_timeout(LOOK_EVERY);
            (next, held_up.looked(began, Instant::now()))
        });
        let looked = match next {
            Ok(Told::Done(value)) => {
                return Ok(Driven::Done { value, interrupted: interrupted.is_some() });
            }
            Ok(Told::Begun(solver)) => {
                begun = Some(solver);
                Ok(())
            }
            Ok(Told::Calls(arguments, answer)) => {
                let called = arguments(py, interrupted.is_some())
                    .and_then(|arguments| called(caller.callback.as_ref(), arguments));
                let _ = answer.send(matches!(called, Ok(true)));
                called.map(drop)
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Base::new_err("the solver's thread ended too early; this is a fault of the package"));
            }
        };
        let is_set = |event: &Bound<'_, PyAny>| event.call_method0("is_set")?.is_truthy();
        let looked = looked.and_then(|()| py.check_signals()).and_then(|()| match &caller.event {
            Some(event) if asked.is_none() && is_set(event)? => {
                asked = Some(Instant::now());
                cancel.cancel();
                Ok(())
            }
            _ => Ok(()),
        });
        match looked {
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) && interrupted.is_none() => {
                interrupted = Some(Instant::now());
                cancel.cancel();
            }
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        if let Some((at, ended)) = limits.ends(begun.is_some(), interrupted.or(asked))
            && Instant::now() >= at
            && !has_a_chance
        {
            return Ok(Driven::Left { begun, ended, interrupted: interrupted.is_some() });
        }
    }
}

/// What a thread holds, also where another one panicked with it.
pub fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls back; whether the run is to go on.
fn called<'py>(callback: Option<&Bound<'py, PyAny>>, arguments: Bound<'py, PyTuple>) -> PyResult<bool> {
    let Some(callback) = callback else { return Ok(true) };
    match callback.call1(arguments) {
        Ok(_) => Ok(true),
        Err(error) if error.is_instance_of::<PyStopIteration>(callback.py()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A permutation as numpy indexes by it.
pub fn indices(py: Python<'_>, permutation: Vec<u32>) -> Bound<'_, numpy::PyArray1<i64>> {
    permutation.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py)
}

/// A process that was forked has none of the threads that work is shared by, and would wait for them for ever. Asked wherever work begins.
pub fn refuse_forked() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let this = std::process::id();
    match *FIRST.get_or_init(|| this) {
        first if first == this => Ok(()),
        _ => Err(invalid(
            "this process was forked from one that had used Myrmex, so that threads are missing: start processes by \
             multiprocessing.get_context('spawn')",
        )),
    }
}
