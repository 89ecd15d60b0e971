//! How far a run has come, and what it has found by then.
#![allow(unsafe_code, reason = "the caller is called back, and a linker sees the name")]

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender, SyncSender};

use myrmex::{Incumbent, Job, Problem};

/// How far a run has come.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MyrmexProgress {
    /// The length of the best tour so far, or the cost of the best assignment, in the unit of what was given: but for the rounding of
    /// myrmex_problem_rounding. NaN while the run is set up. Where the best one takes a way or a place that was given as infinite it counts
    /// as a great one here, so that this is finite.
    pub length: f64,
    /// The same in the whole numbers that the solver counts in; -1 while the run is set up.
    pub cost: i64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Iterations that were made.
    pub iterations: u32,
    /// The run itself, for myrmex_run_permutation, until the callback returns.
    pub run: *const MyrmexRun,
}

/// A run that calls back.
pub struct MyrmexRun(Option<Incumbent>);

/// Called about every 80 milliseconds of a run, its set-up included, the first time after as many; `context` is what myrmex_solve was
/// given. When it returns something else than 0 the run ends, within the set-up with a simple solution, and it is not called again. So
/// another thread ends a run: it sets a flag in `context`, an atomic one, at which the callback looks. It must return: throwing and jumping
/// out of it are not allowed. It may call the library, but neither change nor free what the run was given.
pub type MyrmexCallback = Option<unsafe extern "C" fn(context: *mut c_void, progress: *const MyrmexProgress) -> i32>;

/// How far a run has come, as its thread tells it to the caller's.
pub struct Reached {
    length: f64,
    cost: i64,
    seconds: f64,
    iterations: u32,
    run: MyrmexRun,
}

impl Reached {
    /// How far a run on a problem has come in so many seconds.
    pub fn of(problem: &Problem, job: &Job, seconds: f64) -> Self {
        let (progress, run) = (job.progress(), MyrmexRun(job.incumbent()));
        match progress {
            None => Self { length: f64::NAN, cost: -1, seconds, iterations: 0, run },
            Some(progress) => Self {
                length: problem.length_of(progress.cost),
                cost: i64::try_from(progress.cost).unwrap_or(i64::MAX),
                seconds,
                iterations: progress.iteration,
                run,
            },
        }
    }

    /// The same as the caller sees it, for as long as this is there.
    pub fn seen(&self) -> MyrmexProgress {
        let Self { length, cost, seconds, iterations, ref run } = *self;
        MyrmexProgress { length, cost, seconds, iterations, run }
    }
}

/// Tells the caller's thread how far the run has come, where it wants to know.
pub struct Told(pub Option<Sender<(Reached, SyncSender<ControlFlow<()>>)>>);

impl Told {
    /// Whether the run is to go on.
    pub fn tell(&self, reached: impl FnOnce() -> Reached) -> ControlFlow<()> {
        let Some(told) = &self.0 else { return ControlFlow::Continue(()) };
        let (answer, answered) = mpsc::sync_channel(1);
        match told.send((reached(), answer)) {
            Ok(()) => answered.recv().unwrap_or(ControlFlow::Break(())),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Copies the best solution so far, where it has no more numbers than the `size` that `permutation` has room for, and returns how many it
/// has; 0 while the run is set up, for NULL as `run`, and where `permutation` is misaligned. The run goes on
/// meanwhile: its solution may be a little better or worse than the length that was told, myrmex_problem_length counts it. To be called
/// within the callback.
///
/// # Safety
/// `run` is NULL or that of a callback which has not returned; `permutation` is NULL or has room for `size` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_run_permutation(run: Option<&MyrmexRun>, permutation: *mut u32, size: usize) -> usize {
    if !permutation.is_aligned() {
        return 0;
    }
    let found = || run.and_then(|run| run.0.as_ref()).and_then(Incumbent::get);
    let Some((found, _)) = catch_unwind(AssertUnwindSafe(found)).ok().flatten() else { return 0 };
    if found.len() <= size && !permutation.is_null() {
        // SAFETY: the caller has room for as many, elsewhere than the copy that was just made.
        unsafe { permutation.copy_from_nonoverlapping(found.as_ptr(), found.len()) };
    }
    found.len()
}
