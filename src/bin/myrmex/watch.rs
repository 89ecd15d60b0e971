//! Watches over a run: it ends in time, and at once when it is interrupted, whatever holds it up. While a driver opens a device or
//! compiles nobody can stop it; then the best solution so far is written in its place, and the program ends.
#![allow(unsafe_code, reason = "the process is ended")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::settings::AskedFor;
use myrmex::{Cancel, Ended, Error, Incumbent, Problem, Ran, Result, Resumed, Solution, Solver};

use crate::args::{ProgressArg, SolveArgs};
use crate::exit::{INTERRUPTED, WRONG_INPUT};
use crate::outputs::{self, Reports};
use crate::pictures::Gains;
use crate::print::errln;
use crate::ranks::ThisRank;
use crate::results::{self, Results};
use crate::solve;
use crate::telling;
use crate::window::{View, Windows};

/// How long after its time a run may be late before it is ended from outside: these, and a share of the limit.
const SET_UP_LATE: Duration = Duration::from_millis(100);
const RUN_LATE: Duration = Duration::from_millis(150);
const LATE_SHARE: f64 = 0.03;
/// How much earlier it is ended for each city: a solution has to be made and written.
const CITY: Duration = Duration::from_nanos(350);
/// How long after an interrupt it may go on: in the set-up, in the run, and while outputs are written.
const SET_UP_GOES_ON: Duration = Duration::from_millis(50);
const RUN_GOES_ON: Duration = Duration::from_millis(200);
const WRITING_GOES_ON: Duration = Duration::from_millis(350);
/// The least of it in a run, however many cities there are: a turn of the run takes so long.
const RUN_LEAST: Duration = Duration::from_millis(110);
/// How long the work waits for the watch to end it when there is no time for it. (Where no thread can be had there is no watch.)
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How often is looked.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long it waits where something keeps it from looking.
const HELD_UP: Duration = Duration::from_secs(1);

/// What the program does.
pub enum Stage {
    /// It reads an instance and checks what it was asked for.
    Reading,
    /// Settings make sense; the device is opened, first solutions are made, kernels are compiled.
    SettingUp(Box<Known>),
    /// The run has solutions.
    Running(Box<Known>, Incumbent),
    /// The run is over, and waits for the lower bound that was sought beside it.
    Over(Box<Known>, Incumbent),
    /// Outputs are written.
    Writing,
    /// All is done.
    Ended(ExitCode),
    /// The watch has taken its place.
    Taken,
}

impl Stage {
    /// Behind the set-up: the solver is there.
    pub fn set_up(self, solver: &Solver) -> Self {
        match self {
            Self::SettingUp(known) => {
                let (ran, resumed) = (solver.ran(), solver.resumed());
                let has_several = !solver.devices().is_empty();
                let known = Known { ran, is_set_up: true, has_several, resumed, ..*known };
                Self::Running(Box::new(known), solver.incumbent())
            }
            other => other,
        }
    }

    /// The device has failed, and the run goes on on the CPU.
    pub fn device_lost(mut self) -> Self {
        if let Self::Running(known, _) = &mut self
            && !known.has_several
        {
            (known.ran.backend, known.ran.device) = ("cpu", "CPU".to_owned());
        }
        self
    }

    /// Behind the run.
    pub fn over(self) -> Self {
        match self {
            Self::Running(known, incumbent) => Self::Over(known, incumbent),
            other => other,
        }
    }
}

/// What is known of a run before its end.
pub struct Known {
    pub problem: Problem,
    /// Its file, where there are several.
    pub path: Option<String>,
    /// What runs, and where, once that is known.
    pub ran: Ran,
    pub is_set_up: bool,
    pub asked_for: AskedFor,
    /// The solution that the caller gave, or the best one of a checkpoint.
    pub initial: Option<Vec<u32>>,
    /// Whether there are several devices: where one fails the others go on.
    pub has_several: bool,
    /// Where the run went on from, if it was resumed.
    pub resumed: Option<Resumed>,
    /// When its time began.
    pub started: Instant,
    /// What runs before it found, where it is one of several. Others may follow then, so that it is not ended when it is late.
    pub earlier: Option<Results>,
}

impl Known {
    /// How long it takes, at most, to make a simple solution and to write it.
    fn to_write(&self) -> Duration {
        CITY * self.problem.len() as u32
    }

    /// When its time limit ends, and the share that it may be late by.
    fn limit(&self, limit: Option<Duration>) -> Option<Instant> {
        // Of several runs none is ended so: others follow.
        let limit = limit.filter(|_| self.earlier.is_none())?;
        self.started.checked_add(limit)?.checked_add(limit.mul_f64(LATE_SHARE))
    }
}

impl Stage {
    /// When the program is ended from outside: for its time limit, and for an interrupt at a moment.
    fn due(&self, limit: Option<Duration>, interrupted: Option<Instant>) -> Option<(Instant, Ended)> {
        let (late, goes_on) = match self {
            Self::Reading => (None, Duration::ZERO),
            Self::SettingUp(known) => {
                let to_write = known.to_write();
                let late = known.limit(limit).and_then(|limit| (limit + SET_UP_LATE).checked_sub(to_write));
                (late, SET_UP_GOES_ON.saturating_sub(to_write))
            }
            Self::Running(known, _) => {
                // What a run ends with by itself is better than what the host has a copy of.
                let less = |late: Duration| late.saturating_sub(known.to_write()).max(RUN_LEAST);
                (known.limit(limit).map(|limit| limit + less(RUN_LATE)), less(RUN_GOES_ON))
            }
            Self::Over(..) => (None, RUN_GOES_ON),
            Self::Writing => (None, WRITING_GOES_ON),
            Self::Ended(_) | Self::Taken => return None,
        };
        match interrupted {
            Some(at) => Some((at + goes_on, Ended::Cancelled)),
            None => late.map(|late| (late, Ended::Time)),
        }
    }
}

/// What the program and its watch share.
pub struct Watch<'a> {
    args: &'a SolveArgs,
    stage: Mutex<Stage>,
    changed: Condvar,
    reports: Mutex<Reports<'a>>,
    /// Cancelled by the first interrupt.
    pub cancel: Cancel,
    /// The window, where the run is shown in one.
    pub view: Option<View>,
    /// The other ranks, where there are some.
    pub this_rank: Option<&'a ThisRank>,
}

impl<'a> Watch<'a> {
    fn new(args: &'a SolveArgs, view: Option<View>, this_rank: Option<&'a ThisRank>) -> Self {
        Self {
            view,
            this_rank,
            args,
            stage: Mutex::new(Stage::Reading),
            changed: Condvar::new(),
            reports: Mutex::new(Reports::new(args)),
            cancel: Cancel::new(),
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reports of runs, which are held while outputs are written.
    pub fn reports(&self) -> MutexGuard<'_, Reports<'a>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this process tells what is found.
    pub fn is_first(&self) -> bool {
        self.this_rank.is_none_or(ThisRank::is_first)
    }

    /// When the program is ended from outside in this stage, and why.
    fn due(&self, stage: &Stage, interrupted: Option<Instant>) -> Option<(Instant, Ended)> {
        let grace = match self.this_rank {
            None => Some(Duration::ZERO),
            Some(this_rank) => this_rank.grace(interrupted.is_some()),
        };
        let (due, ended) = stage.due(solve::time_limit(self.args), interrupted)?;
        Some((due + grace?, ended))
    }

    /// Takes note of what the program does now. When the watch has taken its place it has no say any more.
    pub fn enter(&self, next: impl FnOnce(Stage) -> Stage) {
        let mut stage = self.untaken();
        let before = std::mem::replace(&mut *stage, Stage::Reading);
        *stage = next(before);
        self.changed.notify_all();
        // A set-up that begins too late is none: it would only be in the way.
        let due = self.due(&stage, None).filter(|_| matches!(*stage, Stage::SettingUp(_)));
        if due.is_some_and(|(due, _)| Instant::now() >= due) {
            drop(self.changed.wait_timeout_while(stage, ENDS_WITHIN, |stage| !matches!(stage, Stage::Taken)));
            drop(self.untaken());
        }
    }

    /// The stage, unless the watch has taken the place of the work: then it ends the program, and this does not return.
    fn untaken(&self) -> MutexGuard<'_, Stage> {
        let taken = |stage: &mut Stage| matches!(stage, Stage::Taken);
        self.changed.wait_while(self.stage(), taken).unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the program from outside if it is time to.
    fn look(&self, interrupted: Option<Instant>) {
        let mut stage = self.stage();
        let Some((due, ended)) = self.due(&stage, interrupted) else { return };
        if Instant::now() < due {
            return;
        }
        let taken = std::mem::replace(&mut *stage, Stage::Taken);
        drop(stage);
        let written = match taken {
            Stage::SettingUp(known) => self.write(*known, None, ended),
            Stage::Running(known, incumbent) | Stage::Over(known, incumbent) => {
                self.write(*known, incumbent.get().map(|(best, _)| best), ended)
            }
            // Nothing has been written but what earlier runs have found.
            Stage::Reading if !self.reports().is_empty() => self.reports().finish(),
            // What holds up the writing holds up another try.
            _ => Ok(()),
        };
        leave(match (written, ended) {
            (Err(error), _) => {
                errln!("myrmex: {error}");
                WRONG_INPUT
            }
            (Ok(()), Ended::Cancelled) => INTERRUPTED,
            (Ok(()), _) => 0,
        });
    }

    /// Writes what was found before a fault of the program.
    fn fail(&self) -> ExitCode {
        let stage = std::mem::replace(&mut *self.untaken(), Stage::Writing);
        if let Stage::Running(known, incumbent) | Stage::Over(known, incumbent) = stage
            && let Some((best, _)) = incumbent.get()
            && let Err(error) = self.write(*known, Some(best), Ended::Failed)
        {
            errln!("myrmex: {error}");
        }
        ExitCode::from(crate::exit::FAULT)
    }

    /// Writes the best solution so far, one that is made at once where there is none.
    fn write(&self, known: Known, best: Option<Vec<u32>>, ended: Ended) -> Result<()> {
        let (args, seconds) = (self.args, known.started.elapsed().as_secs_f64());
        // What several threads would do is done on this one: the others are held up.
        let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        let permutation = best.or(known.initial).map_or_else(|| known.problem.solution_at_once(), Ok)?;
        let mut solution = Solution::of(known.ran, &known.problem, permutation, seconds, ended)?;
        solution.resumed = known.resumed;
        let context = (&known.problem, known.path.as_deref());
        let mut report = telling::report(args, context, &known.asked_for, &solution, known.started);
        let why = match (known.is_set_up, self.this_rank) {
            _ if ended == Ended::Failed => "a fault ended the run, this is the best solution known before",
            (false, _) => "the set-up was not done, this is a simple solution: give it more time",
            (true, None) => "the device did not answer in time, this is the best solution known before",
            (true, Some(_)) => {
                "the ranks did not come together in time, this is the best solution of their last meeting"
            }
        };
        report.warnings.push(why.into());
        let mut reports = self.reports();
        let added = reports.add(&report);
        let shown = telling::shown(&known.problem, solution.length, solution.cost);
        let seed = solution.ran.recipe.seed;
        let (best, gains, text) = match known.earlier {
            None => {
                let gains = vec![Gains::of(seed, &solution)];
                (solution, gains, format!("{shown}, {seconds:.2} s ({})", telling::reason(ended)))
            }
            Some(mut results) => {
                results.add(seed, solution.clone());
                let ran = results::ran(&solution.ran);
                let text = format!("{}\n  {ran}, {}", results.row(), results.seeds());
                (results.best().cloned().unwrap_or(solution), results.gains().to_vec(), text)
            }
        };
        let reported = added.and(reports.finish());
        let written = outputs::both(reported, outputs::write(args, &known.problem, &best, &gains));
        solve::say(args, &text);
        solve::say(args, why);
        if args.progress == ProgressArg::Json {
            let name = known.problem.name();
            errln!("{}", serde_json::json!({ "instance": name, "warning": why }));
            let (cost, length) = (best.cost, best.length);
            let seconds = telling::seconds(known.started, &best);
            let line = serde_json::json!({ "instance": name, "seed": seed, "seconds": seconds, "cost": cost, "length": length, "ended": ended.name() });
            errln!("{line}");
        }
        written
    }
}

/// Ends the program without a word to drivers at work: to wait for them is what cannot be done.
pub fn leave(code: u8) -> ! {
    #[cfg(unix)]
    // SAFETY: it ends the process and touches no memory.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}

/// Signals that come so soon behind the first were sent with it: `timeout` sends one to the program and one to its group.
const TOGETHER: Duration = Duration::from_millis(500);

/// Listens for Ctrl-C and SIGTERM. The first signal calls `interrupt`, which ends the run in order and tells whether something else did before;
/// a later one ends the program at once.
///
/// # Errors
/// [`Error::Config`] when the system does not let it.
pub fn on_signals(interrupt: impl Fn() -> bool + Send + 'static) -> Result<()> {
    let mut first: Option<Instant> = None;
    let listens = ctrlc::set_handler(move || {
        let again = match first {
            Some(at) => at.elapsed() >= TOGETHER,
            None => interrupt(),
        };
        first.get_or_insert_with(Instant::now);
        if again {
            leave(INTERRUPTED);
        }
    });
    let told = |error| format!("cannot wait for Ctrl-C: {error}; does the system allow more threads (ulimit -u)?");
    listens.map_err(|error| Error::Config(told(error)))
}

/// Runs `myrmex solve` under a watch, of several ranks this one's part.
pub fn run(args: &SolveArgs, started: Instant, this_rank: Option<&ThisRank>) -> ExitCode {
    let (windows, view) = match args.watch.then(Windows::new).transpose() {
        Ok(opened) => opened.unzip(),
        Err(error) => return crate::told(Err(error)),
    };
    let watch = Watch::new(args, view, this_rank);
    let interrupted: Arc<Mutex<Option<Instant>>> = Arc::default();
    let (cancel, at) = (watch.cancel.clone(), Arc::clone(&interrupted));
    // Whether it was interrupted before.
    let interrupt = move || {
        let again = cancel.cancel();
        at.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
        again
    };
    if let Err(error) = on_signals(interrupt.clone()) {
        return crate::told(Err(error));
    }
    let work = || {
        let solve = || crate::pool(this_rank.map(ThisRank::threads)).install(|| solve::run(args, started, &watch));
        let code = match (catch_unwind(AssertUnwindSafe(solve)), this_rank) {
            (Err(_), None) => watch.fail(),
            // Launchers end the others when one ends so.
            (Err(_), Some(_)) => {
                watch.fail();
                leave(crate::exit::FAULT)
            }
            (Ok(Err(error)), Some(this_rank)) => this_rank.refused(error),
            (Ok(solved), _) => crate::told(solved),
        };
        watch.enter(|_| Stage::Ended(code));
        if let Some(view) = &watch.view {
            view.finish(code == ExitCode::SUCCESS);
        }
    };
    let look = || {
        let mut held_up: Option<Instant> = None;
        loop {
            let stage = watch.stage();
            if let Stage::Ended(code) = *stage {
                return code;
            }
            let waits = Instant::now();
            drop(watch.changed.wait_timeout(stage, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner));
            if waits.elapsed() >= HELD_UP {
                held_up = Some(Instant::now());
            }
            // What was held up with this thread, as where a process was stopped, first has a chance to end by itself.
            if held_up.is_some_and(|at| at.elapsed() < RUN_LATE) {
                continue;
            }
            let interrupted = *interrupted.lock().unwrap_or_else(PoisonError::into_inner);
            watch.look(interrupted);
        }
    };
    let thread = |name: &str| thread::Builder::new().name(name.into()).stack_size(crate::STACK_BYTES);
    thread::scope(|scope| {
        let spawned = thread("myrmex-solve").spawn_scoped(scope, work);
        let (Some(windows), Some(view)) = (windows, &watch.view) else {
            if let Err(error) = spawned {
                log::debug!("no thread to watch from: {error}");
                work();
            }
            return look();
        };
        // Windows are of the main thread.
        match spawned.and_then(|_| thread("myrmex-watch").spawn_scoped(scope, look)) {
            Err(error) => {
                errln!("myrmex: --watch: no thread can be used: {error}");
                leave(WRONG_INPUT)
            }
            Ok(looks) => {
                if let Err(error) = windows.run(view, &watch.cancel, || {
                    interrupt();
                }) {
                    errln!("myrmex: {error}");
                    interrupt();
                }
                looks.join().unwrap_or(ExitCode::from(WRONG_INPUT))
            }
        }
    })
}
