//! Watches over a run: it ends in time, and at once when it is interrupted, whatever holds it up. While a driver opens a device or
//! compiles nobody can stop it; then the best solution so far is written in its place, and the program ends.
#![allow(unsafe_code, reason = "the process is ended")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::settings::Recipe;
use myrmex::{Ended, Error, Incumbent, Problem, Result};

use crate::args::SolveArgs;
use crate::print::errln;
use crate::solve::{self, INTERRUPTED};

/// How long after its time a run may be late before it is ended from outside: these, and a share of the limit.
const SET_UP_LATE: Duration = Duration::from_millis(100);
const RUN_LATE: Duration = Duration::from_millis(150);
const LATE_SHARE: f64 = 0.03;
/// How long after an interrupt it may go on: in the set-up, in the run, and while outputs are written.
const SET_UP_GOES_ON: Duration = Duration::from_millis(50);
const RUN_GOES_ON: Duration = Duration::from_millis(200);
const WRITING_GOES_ON: Duration = Duration::from_millis(350);
/// How often is looked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What a run does.
pub enum Stage {
    /// It reads the instance and checks what it was asked for.
    Reading,
    /// Settings make sense; the device is opened, first solutions are made, kernels are compiled.
    SettingUp(Box<Known>),
    /// It has solutions.
    Running(Box<Known>, Incumbent),
    /// Outputs are written.
    Writing,
    /// It has come to its end.
    Ended(ExitCode),
    /// The watch has taken its place.
    Taken,
}

/// What is known of a run before its end.
pub struct Known {
    pub problem: Problem,
    pub recipe: Recipe,
    pub algorithm: String,
    /// The solution that the caller gave.
    pub initial: Option<Vec<u32>>,
    /// Backend and device, once they are known.
    pub device: Option<(&'static str, String)>,
}

/// What the run and its watch share.
pub struct Watch {
    stage: Mutex<Stage>,
    changed: Condvar,
    /// Set by the first interrupt.
    pub cancel: Arc<AtomicBool>,
}

impl Watch {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the run does now. When the watch has taken its place the run has no say any more.
    pub fn enter(&self, next: impl FnOnce(Stage) -> Stage) {
        let mut stage = self.stage();
        while matches!(*stage, Stage::Taken) {
            stage = self.changed.wait(stage).unwrap_or_else(PoisonError::into_inner);
        }
        let before = std::mem::replace(&mut *stage, Stage::Reading);
        *stage = next(before);
        self.changed.notify_all();
    }

    /// Ends the run from outside if it is time to.
    fn look(&self, args: &SolveArgs, started: Instant, interrupted: Option<Instant>) {
        let limit = solve::time_limit(args);
        let after = |late: Duration| {
            let limit = limit?;
            Some(started + limit + late + limit.mul_f64(LATE_SHARE))
        };
        let (goes_on, late) = match *self.stage() {
            Stage::Reading => (Duration::ZERO, None),
            Stage::SettingUp(_) => (SET_UP_GOES_ON, after(SET_UP_LATE)),
            Stage::Running(..) => (RUN_GOES_ON, after(RUN_LATE)),
            Stage::Writing => (WRITING_GOES_ON, None),
            Stage::Ended(_) | Stage::Taken => return,
        };
        let now = Instant::now();
        let ended = match (interrupted, late) {
            (Some(at), _) if now >= at + goes_on => Ended::Cancelled,
            (None, Some(late)) if now >= late => Ended::Time,
            _ => return,
        };
        let taken = std::mem::replace(&mut *self.stage(), Stage::Taken);
        let code = match taken {
            Stage::SettingUp(known) => self.write(args, &known, None, ended, started),
            Stage::Running(known, incumbent) => self.write(args, &known, incumbent.get(), ended, started),
            // Nothing has been written, or what holds up the writing holds up another try.
            _ => INTERRUPTED,
        };
        leave(code);
    }

    /// Writes the best solution so far, a simple one where there is none; the exit code.
    fn write(
        &self,
        args: &SolveArgs,
        known: &Known,
        best: Option<(Vec<u32>, u64)>,
        ended: Ended,
        started: Instant,
    ) -> u8 {
        let made = best.map_or_else(|| simple(known), Ok);
        let written = made.and_then(|best| solve::write_in_place(args, known, best, ended, started));
        match (written, ended) {
            (Err(error), _) => {
                errln!("myrmex: {error}");
                2
            }
            (Ok(()), Ended::Cancelled) => INTERRUPTED,
            (Ok(()), _) => 0,
        }
    }
}

/// A solution that is made at once: the one that was given, a tour along a space-filling curve, or all in their order.
fn simple(known: &Known) -> Result<(Vec<u32>, u64)> {
    let curve = || match &known.problem {
        // On this thread alone: the others are held up.
        Problem::Tsp(instance) => alone(|| instance.space_filling_orders(1))?.pop(),
        _ => None,
    };
    let given = known.initial.clone().or_else(curve);
    let solution = given.unwrap_or_else(|| (0..known.problem.len() as u32).collect());
    let cost = known.problem.cost(&solution)?;
    Ok((solution, cost))
}

fn alone<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()?.install(work)
}

/// Ends the program without a word to drivers at work: to wait for them is what cannot be done.
fn leave(code: u8) -> ! {
    #[cfg(unix)]
    // SAFETY: it ends the process and touches no memory.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}

/// Runs `myrmex solve` under a watch.
pub fn run(args: &SolveArgs, started: Instant) -> ExitCode {
    let watch = Watch { stage: Mutex::new(Stage::Reading), changed: Condvar::new(), cancel: Arc::default() };
    let interrupted: Arc<Mutex<Option<Instant>>> = Arc::default();
    let (cancel, at) = (Arc::clone(&watch.cancel), Arc::clone(&interrupted));
    // The first interrupt ends the run in order, a second one at once.
    let listens = ctrlc::set_handler(move || {
        if cancel.swap(true, Ordering::Relaxed) {
            leave(INTERRUPTED);
        }
        *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    });
    if let Err(error) = listens {
        return crate::told(Err(Error::Config(format!("cannot listen for Ctrl-C: {error}"))));
    }
    let work = || {
        let code = crate::pool().install(|| crate::told(solve::run(args, started, &watch)));
        watch.enter(|_| Stage::Ended(code));
    };
    thread::scope(|scope| {
        let stack = crate::STACK_BYTES;
        let spawned = thread::Builder::new().name("myrmex-solve".into()).stack_size(stack).spawn_scoped(scope, work);
        if let Err(error) = spawned {
            log::debug!("no thread to watch from: {error}");
            work();
        }
        loop {
            let stage = watch.stage();
            if let Stage::Ended(code) = *stage {
                return code;
            }
            drop(watch.changed.wait_timeout(stage, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner));
            let interrupted = *interrupted.lock().unwrap_or_else(PoisonError::into_inner);
            watch.look(args, started, interrupted);
        }
    })
}
