//! Runs.
#![allow(unsafe_code, reason = "the caller is called back, and a linker sees the name")]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use myrmex::settings::AskedFor;
use myrmex::{Error, Finished, Job, Problem, Stop, thread_named};

use crate::asked::Asked;
use crate::border::{self, Made, guarded, needed, panicked};
use crate::options::MyrmexOptions;
use crate::outcome::MyrmexResult;
use crate::problem::MyrmexProblem;
use crate::progress::{MyrmexCallback, MyrmexProgress, Reached, Told};
use crate::status::{MyrmexError, MyrmexStatus};
use crate::threads;

/// How often the caller is told how far the run has come.
const TELL_EVERY: Duration = Duration::from_millis(80);

/// The solution, and what the device failed with.
type Worked = Made<(MyrmexResult, Option<Error>)>;

/// Begins a run: what it solves, how it was asked for, what ends it, and the run.
fn begun(given: &Problem, options: &MyrmexOptions, started: Instant) -> Made<(Problem, AskedFor, Stop, Job)> {
    let Asked { problem, settings, asked_for, stop, target } = options.asked(given, started)?;
    let job = match &options.initial {
        Some(initial) => Job::spawn_with_start(&problem, &settings, target, &stop, initial, ())?,
        None => Job::spawn(&problem, &settings, target, &stop)?,
    };
    Ok((problem, asked_for, stop, job))
}

/// Runs; `told` says how far it has come and hears whether the run goes on.
fn work(given: &Problem, options: &MyrmexOptions, started: Instant, told: &Told) -> Worked {
    let (problem, asked_for, stop, mut job) = match options.threads()? {
        // A run that is begun on threads has as many of its own.
        Some(count) => threads::own(count)?.install(|| begun(given, options, started))?,
        None => begun(given, options, started)?,
    };
    let mut ends = false;
    while !job.wait(TELL_EVERY) {
        if !ends && told.tell(|| Reached::of(&problem, &job, started.elapsed().as_secs_f64())).is_break() {
            job.cancel();
            ends = true;
        }
    }
    let Finished { solution, failure, .. } = job.join()?;
    Ok((MyrmexResult::of(problem, solution, asked_for, stop), failure))
}

/// Runs on a thread of its own while this one calls back.
fn run(given: &Problem, options: &MyrmexOptions, mut callback: Option<impl FnMut(&MyrmexProgress) -> bool>) -> Worked {
    let started = Instant::now();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let told = Told(callback.is_some().then_some(sender));
        let named = thread_named("myrmex-solve");
        let worker = named.spawn_scoped(scope, move || work(given, options, started, &told));
        let worker = worker.map_err(|error| Error::Threads(error.to_string()))?;
        if let Some(ends) = &mut callback {
            // Until the thread has ended.
            for (reached, answer) in receiver {
                let next = if ends(&reached.seen()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                let _ = answer.send(next);
            }
        }
        worker.join().unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
    })
}

/// Solves a problem. It returns when the run has ended: see myrmex_options_set; `options` may be NULL. Work is done on threads of the
/// library, which all runs share, or on those of the option `threads`. The library has one for each processor, or as many as
/// RAYON_NUM_THREADS says in the environment of the first call, up to four for each processor. `callback`, where it is not NULL, is called
/// on this one. Several threads may solve at once, also with the same problem and options. A process that was forked from one that has made
/// or solved a problem is refused, since it has none of that one's threads. Where the system lets no threads be made it returns
/// MYRMEX_STATUS_TOO_LARGE, and a later call tries again.
///
/// Where a run fails it returns why (MYRMEX_STATUS_DEVICE where the device does), and `result` has the best solution known before all the
/// same; NULL where there is none, as in the set-up.
///
/// A set-up that the run does not wait for (its time was up, or the callback ended it) comes to its end on a thread of the library, also
/// when the result was freed. Wait for it before the process ends or unloads the library; some drivers crash otherwise.
///
/// # Safety
/// `callback` is NULL or a function that may be called with `context` until this call returns; it does not look at `error`. `result` is
/// NULL or a place for a pointer.
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
        let given = &needed(problem, "problem")?.problem;
        border::begin()?;
        let open = MyrmexOptions::default();
        let ends = callback.map(|callback| {
            move |progress: &MyrmexProgress| {
                // SAFETY: the caller says that it may be called so.
                unsafe { callback(context, progress) != 0 }
            }
        });
        let (found, failure) = run(given, options.unwrap_or(&open), ends)?;
        // SAFETY: as above; what it holds is nothing that would have to be freed.
        unsafe { result.write(MaybeUninit::new(Some(Box::new(found)))) };
        failure.map_or(Ok(()), |error| Err(error.into()))
    })
}
