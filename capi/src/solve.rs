//! Runs.
#![allow(unsafe_code, reason = "the caller is called back, and a linker sees the name")]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::{Error, Finished, Job, Problem, Progress, thread_named};

use crate::border::{Made, guarded, needed, panicked, refuse_forked};
use crate::options::{Asked, MyrmexOptions};
use crate::outcome::MyrmexResult;
use crate::problem::MyrmexProblem;
use crate::status::{MyrmexError, MyrmexStatus};

/// How far a run has come.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MyrmexProgress {
    /// The length of the best tour so far, or the cost of the best assignment, in the unit of what was given: but for the rounding of
    /// myrmex_problem_rounding. NaN while the run is set up.
    pub length: f64,
    /// The same in the whole numbers that the solver counts in; -1 while the run is set up.
    pub cost: i64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Iterations that were made.
    pub iterations: u32,
}

/// Called about every 80 milliseconds of a run, its set-up included, the first time after as many; `context` is what myrmex_solve was given. When it returns something else than 0
/// the run ends, within the set-up with a simple solution, and it is not called again. It must return: throwing and jumping out of it are not allowed. It may call the library, but
/// neither change nor free what the run was given.
pub type MyrmexCallback = Option<unsafe extern "C" fn(context: *mut c_void, progress: *const MyrmexProgress) -> i32>;

/// How often the caller is told how far the run has come.
const TELL_EVERY: Duration = Duration::from_millis(80);

/// The solution, and what the device failed with.
type Worked = Made<(MyrmexResult, Option<Error>)>;

/// Runs; `told` says how far it has come and hears whether the run goes on.
fn work(problem: &Problem, options: &MyrmexOptions, started: Instant, told: &Told) -> Worked {
    let Asked { problem, settings, asked_for, stop, target } = options.asked(problem, started)?;
    let mut job = match options.initial() {
        Some(initial) => Job::spawn_with_start(&problem, &settings, target, &stop, initial, ())?,
        None => Job::spawn(&problem, &settings, target, &stop)?,
    };
    let mut ends = false;
    while !job.wait(TELL_EVERY) {
        if !ends && told.tell(&now(&problem, job.progress(), started)).is_break() {
            job.cancel();
            ends = true;
        }
    }
    let Finished { solution, failure, .. } = job.join()?;
    Ok((MyrmexResult::of(&problem, solution, &asked_for)?, failure))
}

/// Tells the caller's thread how far the run has come, where it wants to know.
struct Told(Option<Sender<(MyrmexProgress, SyncSender<ControlFlow<()>>)>>);

impl Told {
    fn tell(&self, progress: &MyrmexProgress) -> ControlFlow<()> {
        let Some(told) = &self.0 else { return ControlFlow::Continue(()) };
        let (answer, answered) = mpsc::sync_channel(1);
        match told.send((*progress, answer)) {
            Ok(()) => answered.recv().unwrap_or(ControlFlow::Break(())),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// How far a run has come that began at `started`.
fn now(problem: &Problem, progress: Option<Progress>, started: Instant) -> MyrmexProgress {
    let seconds = started.elapsed().as_secs_f64();
    match progress {
        None => MyrmexProgress { length: f64::NAN, cost: -1, seconds, iterations: 0 },
        Some(Progress { cost, iteration, .. }) => MyrmexProgress {
            length: problem.length_of(cost),
            cost: i64::try_from(cost).unwrap_or(i64::MAX),
            seconds,
            iterations: iteration,
        },
    }
}

/// Runs on a thread of its own while this one calls back.
fn run(
    problem: &Problem,
    options: &MyrmexOptions,
    mut callback: Option<impl FnMut(&MyrmexProgress) -> bool>,
) -> Worked {
    let started = Instant::now();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let told = Told(callback.is_some().then_some(sender));
        let named = thread_named("myrmex-solve");
        let worker = named.spawn_scoped(scope, move || work(problem, options, started, &told));
        let worker = worker.map_err(|error| Error::Threads(error.to_string()))?;
        if let Some(ends) = &mut callback {
            // Until the thread has ended.
            for (progress, answer) in receiver {
                let next = if ends(&progress) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                let _ = answer.send(next);
            }
        }
        worker.join().unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
    })
}

/// Solves a problem. It returns when the run has ended: see myrmex_options_set; `options` may be NULL. Work is done on threads of the library,
/// one for each processor, which all runs share (the environment's RAYON_NUM_THREADS makes them fewer); `callback`, where it is not NULL, is
/// called on this one. Several threads may solve at once, also with the same problem and options. A process that was forked from one that
/// has made or solved a problem is refused, since it has none of that one's threads.
///
/// Where a run fails it returns why (MYRMEX_STATUS_DEVICE where the device does), and `result` has the best solution known before all the same.
///
/// # Safety
/// `callback` is NULL or a function that may be called with `context` until this call returns; it does not look at `error`. `result` is NULL or a place
/// for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_solve(
    problem: Option<&MyrmexProblem>,
    options: Option<&MyrmexOptions>,
    callback: MyrmexCallback,
    context: *mut c_void,
    result: *mut MaybeUninit<Option<Box<MyrmexResult>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    guarded(error, || {
        if result.is_null() {
            return Err(MyrmexError::invalid("the place for the result is NULL"));
        }
        // SAFETY: the caller's place lasts as long as this call. It is not borrowed while the callback runs, which may look there.
        unsafe { result.write(MaybeUninit::new(None)) };
        let problem = &needed(problem, "problem")?.0;
        refuse_forked()?;
        let open = MyrmexOptions::default();
        let ends = callback.map(|callback| {
            move |progress: &MyrmexProgress| {
                // SAFETY: the caller says that it may be called so.
                unsafe { callback(context, progress) != 0 }
            }
        });
        let (found, failure) = run(problem, options.unwrap_or(&open), ends)?;
        // SAFETY: as above; what it holds is nothing that would have to be freed.
        unsafe { result.write(MaybeUninit::new(Some(Box::new(found)))) };
        failure.map_or(Ok(()), |error| Err(error.into()))
    })
}
