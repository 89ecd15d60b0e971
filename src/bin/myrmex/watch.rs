//! Watches over a run: it ends in time, and at once when it is interrupted, whatever holds it up. While a driver opens a device or
//! compiles nobody can stop it; then the best solution so far is written in its place, and the program ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::settings::AskedFor;
use myrmex::{Abandoned, Cancel, Ended, Error, HeldUp, Patience, Result, Solution, Solver, UnderWay, thread_named};

use crate::args::{ProgressArg, SolveArgs};
use crate::exit::Exit;
use crate::outputs::{self, Reports};
use crate::pictures::Gains;
use crate::print::errln;
use crate::ranks::ThisRank;
use crate::results::{self, Results};
use crate::signals::{leave, on_signals};
use crate::solve;
use crate::telling;
use crate::threads;
use crate::window::{View, Windows};

/// How much earlier than a run is waited for by others it is ended from outside, at its time limit and at an interrupt: reports are written. And for each city: a
/// solution has to be made and written.
const REPORTS: Duration = Duration::from_millis(100);
const REPORTS_AT_ONCE: Duration = Duration::from_millis(50);
const CITY: Duration = Duration::from_nanos(350);
/// How long after an interrupt writing may go on that keeps a bound, and that of outputs; and for each city.
const BOUND_GOES_ON: Duration = Duration::from_millis(200);
const WRITING_GOES_ON: Duration = Duration::from_millis(350);
const CITY_GOES_ON: Duration = Duration::from_micros(5);
/// How long the work waits for the watch to end it when there is no time for it. (Where no thread can be had there is no watch.)
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How often is looked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What the program does.
pub enum Stage {
    /// It reads an instance and checks what it was asked for.
    Reading,
    /// Settings make sense; the device is opened, first solutions are made, kernels are compiled.
    SettingUp(Box<Known>),
    /// The run has solutions.
    Running(Box<Known>),
    /// The run is over with this solution, since this moment, and waits for the lower bound that was sought beside it.
    Over(Box<Known>, Box<Solution>, Instant),
    /// Outputs are written, of so many cities or facilities.
    Writing(usize),
    /// All is done.
    Ended(Exit),
    /// The watch has taken its place.
    Taken,
}

impl Stage {
    /// Behind the set-up: the solver is there.
    pub fn set_up(self, solver: &Solver) -> Self {
        match self {
            Self::SettingUp(known) => {
                let has_several = !solver.devices().is_empty();
                Self::Running(Box::new(Known { run: known.run.set_up(solver), has_several, ..*known }))
            }
            other => other,
        }
    }

    /// The device has failed, and the run goes on on the CPU.
    pub fn device_lost(mut self) -> Self {
        if let Self::Running(known) = &mut self
            && !known.has_several
        {
            known.run.goes_on_on_the_cpu();
        }
        self
    }

    /// Behind the run.
    pub fn over(self, solution: &Solution) -> Self {
        match self {
            Self::Running(known) => Self::Over(known, Box::new(solution.clone()), Instant::now()),
            other => other,
        }
    }
}

/// What is known of a run before its end.
pub struct Known {
    pub run: UnderWay,
    /// Its file, where there are several.
    pub path: Option<String>,
    pub asked_for: AskedFor,
    /// Whether there are several devices: where one fails the others go on.
    pub has_several: bool,
    /// What runs before it found, where it is one of several. Others may follow then, so that it is not ended when it is late.
    pub earlier: Option<Results>,
}

impl Known {
    /// How long it takes, at most, to make a simple solution and to write it.
    fn to_write(&self) -> Duration {
        CITY * self.run.problem.len() as u32
    }

    /// When the program is ended from outside: for its time limit, and for an interrupt at a moment.
    fn ends(&self, limit: Option<Duration>, asked: Option<Instant>) -> Option<(Instant, Ended)> {
        // Of several runs none is ended so: others follow.
        let limit = limit.filter(|_| self.earlier.is_none());
        let limit = limit.and_then(|limit| Some((self.run.started.checked_add(limit)?, limit)));
        let is_set_up = self.run.is_set_up();
        let reports = match (is_set_up, asked) {
            (true, None) => REPORTS,
            (true, Some(_)) => REPORTS_AT_ONCE,
            (false, _) => Duration::ZERO,
        };
        let to_do = self.to_write() + reports;
        Patience { asked, limit, to_do }.ends(is_set_up)
    }
}

impl Stage {
    /// When the program is ended from outside: for its time limit, and for an interrupt at a moment.
    fn due(&self, limit: Option<Duration>, interrupted: Option<Instant>) -> Option<(Instant, Ended)> {
        let goes_on = |after: Duration| interrupted.map(|at| (at + after, Ended::Cancelled));
        match self {
            Self::Reading => goes_on(Duration::ZERO),
            Self::SettingUp(known) | Self::Running(known) => known.ends(limit, interrupted),
            Self::Over(.., since) => interrupted.map(|at| (at.max(*since) + BOUND_GOES_ON, Ended::Cancelled)),
            Self::Writing(cities) => goes_on(WRITING_GOES_ON + CITY_GOES_ON * *cities as u32),
            Self::Ended(_) | Self::Taken => None,
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
            Stage::SettingUp(known) | Stage::Running(known) => self.write_abandoned(*known, ended),
            Stage::Over(known, solution, _) => self.write(*known, *solution),
            // Nothing has been written but what earlier runs have found.
            Stage::Reading if !self.reports().is_empty() => self.reports().finish(),
            // What holds up the writing holds up another try.
            _ => Ok(()),
        };
        leave(match (written, ended) {
            (Err(error), _) => {
                errln!("myrmex: {error}");
                Exit::WrongInput
            }
            (Ok(()), Ended::Cancelled) => Exit::Interrupted,
            (Ok(()), _) => Exit::Done,
        });
    }

    /// Writes what was found before a fault of the program.
    fn fail(&self) -> Exit {
        let stage = std::mem::replace(&mut *self.untaken(), Stage::Writing(0));
        let written = match stage {
            Stage::Running(known) => self.write_abandoned(*known, Ended::Failed),
            Stage::Over(known, solution, _) => self.write(*known, *solution),
            _ => Ok(()),
        };
        if let Err(error) = written {
            errln!("myrmex: {error}");
        }
        Exit::Fault
    }

    /// Writes the best solution so far, one that is made at once where there is none.
    fn write_abandoned(&self, known: Known, ended: Ended) -> Result<()> {
        let mut solution = known.run.abandoned(ended)?;
        if self.this_rank.is_some() && known.run.is_set_up() {
            solution.abandoned = Some(Abandoned::Ranks);
        }
        self.write(known, solution)
    }

    fn write(&self, known: Known, solution: Solution) -> Result<()> {
        let (args, problem, started) = (self.args, &known.run.problem, known.run.started);
        // What several threads would do is done on this one: the others are held up.
        let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        let why = solution.cut_short();
        let (seconds, ended) = (telling::seconds(started, &solution), solution.ended);
        let report = telling::report(args, (problem, known.path.as_deref()), &known.asked_for, &solution, started);
        let mut reports = self.reports();
        let added = reports.add(&report);
        let shown = telling::shown(problem, solution.length, solution.cost);
        let seed = solution.ran.recipe.seed;
        let line = (args.progress == ProgressArg::Json).then(|| {
            let (cost, length) = (solution.cost, solution.length);
            serde_json::json!({ "instance": problem.name(), "seed": seed, "seconds": seconds, "cost": cost, "length": length, "ended": ended.name() })
        });
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
        let written = outputs::both(reported, outputs::write(args, problem, &best));
        let written = outputs::both(written, outputs::draw(args, problem, &best, &gains));
        solve::say(args, &text);
        why.into_iter().for_each(|why| solve::say(args, why));
        if let Some(line) = line {
            let name = problem.name();
            why.into_iter().for_each(|why| errln!("{}", serde_json::json!({ "instance": name, "warning": why })));
            errln!("{line}");
        }
        written
    }
}

/// Windows, where the system has what they take.
fn opened() -> Result<(Windows, View)> {
    // Where a library of the system is missing it does not return.
    let why =
        "no window can be opened (a library of the system may be missing); leave it out, or install what windows take";
    crate::tried(Windows::new).unwrap_or_else(|| Err(Error::Config(format!("--watch: {why}"))))
}

/// Runs `myrmex solve` under a watch, of several ranks this one's part.
pub fn run(args: &SolveArgs, started: Instant, this_rank: Option<&ThisRank>) -> Exit {
    if let Some(this_rank) = this_rank
        && let Err(error) = this_rank.check(args)
    {
        return this_rank.refused(error);
    }
    let (windows, view) = match args.watch.then(opened).transpose() {
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
        let solve = || {
            let threads = threads::pool(args.system.threads.count, this_rank.map(ThisRank::threads))?;
            threads.install(|| solve::run(args, started, &watch))
        };
        let code = match (catch_unwind(AssertUnwindSafe(solve)), this_rank) {
            (Err(_), None) => watch.fail(),
            // Launchers end the others when one ends so.
            (Err(_), Some(_)) => {
                watch.fail();
                leave(Exit::Fault)
            }
            (Ok(Err(error)), Some(this_rank)) => this_rank.refused(error),
            (Ok(solved), _) => crate::told(solved),
        };
        watch.enter(|_| Stage::Ended(code));
        if let Some(view) = &watch.view {
            view.finish(code == Exit::Done);
        }
    };
    let look = || {
        let mut held_up = HeldUp::default();
        loop {
            let stage = watch.stage();
            if let Stage::Ended(code) = *stage {
                return code;
            }
            let waits = Instant::now();
            drop(watch.changed.wait_timeout(stage, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner));
            if held_up.looked(waits, Instant::now()) {
                continue;
            }
            let interrupted = *interrupted.lock().unwrap_or_else(PoisonError::into_inner);
            watch.look(interrupted);
        }
    };
    thread::scope(|scope| {
        let spawned = thread_named("myrmex-solve").spawn_scoped(scope, work);
        let (Some(windows), Some(view)) = (windows, &watch.view) else {
            if let Err(error) = spawned {
                log::debug!("no thread to watch from: {error}");
                work();
            }
            return look();
        };
        // Windows are of the main thread.
        match spawned.and_then(|_| thread_named("myrmex-watch").spawn_scoped(scope, look)) {
            Err(error) => {
                errln!("myrmex: --watch: {}", Error::Threads(error.to_string()));
                leave(Exit::WrongInput)
            }
            Ok(looks) => {
                if let Err(error) = windows.run(view, &watch.cancel, || {
                    interrupt();
                }) {
                    errln!("myrmex: {error}");
                    interrupt();
                }
                looks.join().unwrap_or(Exit::WrongInput)
            }
        }
    })
}

#[cfg(test)]
mod tests;
