//! Watches over a run: it ends in time, and at once when it is interrupted, whatever holds it up. While a driver opens a device or
//! compiles nobody can stop it; then the best solution so far is written in its place, and the program ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::{Abandoned, Cancel, Ended, Error, HeldUp, Problem, Result, Solution, thread_named};

use crate::args::{ProgressArg, SolveArgs};
use crate::exit::Exit;
use crate::outputs::{self, Reports};
use crate::pictures::Gains;
use crate::print::errln;
use crate::ranks::ThisRank;
use crate::results::Results;
use crate::signals::{leave, on_signals};
use crate::solve;
use crate::target;
use crate::telling;
use crate::threads;
use crate::window::{View, Windows};

mod stage;

pub use stage::{Known, Stage};

/// How long the work waits for the watch to end it when there is no time for it. (Where no thread can be had there is no watch.)
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How often is looked.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// What is told where an interrupt leaves no time to draw.
const NOT_DRAWN: &str = "interrupted while drawing: files of --picture or --plot may be missing";

/// What the program and its watch share.
pub struct Watch<'a> {
    args: &'a SolveArgs,
    stage: Mutex<Stage>,
    changed: Condvar,
    reports: Mutex<Reports<'a>>,
    /// Cancelled by the first interrupt.
    pub cancel: Cancel,
    /// When that came.
    interrupted: Arc<Mutex<Option<Instant>>>,
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
            interrupted: Arc::default(),
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupted(&self) -> Option<Instant> {
        *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reports of runs, which are held while outputs are written.
    pub fn reports(&self) -> MutexGuard<'_, Reports<'a>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is saved of a run on its way; nothing once the watch has taken the place of the work, whose files are better.
    pub fn write_unless_taken(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        let _held = self.reports();
        let is_taken = matches!(*self.stage(), Stage::Taken);
        if is_taken { Ok(()) } else { write() }
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

    /// Draws what is asked for, which takes longest.
    pub fn draw(&self, args: &SolveArgs, problem: &Problem, best: &Solution, gains: &[Gains]) -> Result<()> {
        if !outputs::has_drawings(args) {
            return Ok(());
        }
        self.enter(|_| Stage::Drawing(problem.len()));
        let drawn = outputs::draw(args, problem, best, gains);
        self.enter(|_| Stage::Writing(problem.len()));
        drawn
    }

    /// The same in the place of the work: on a thread of its own, for which nobody waits longer than an interrupt lets it go on.
    fn draw_in_time(&self, problem: &Problem, best: &Solution, gains: &[Gains]) -> Result<()> {
        if !outputs::has_drawings(self.args) {
            return Ok(());
        }
        let (sender, drawn) = mpsc::channel();
        let own = (self.args.clone(), problem.clone(), best.clone(), gains.to_vec());
        let draw = move || {
            let (args, problem, best, gains) = own;
            // Whoever waited may have given it up.
            let _ = sender.send(outputs::draw(&args, &problem, &best, &gains));
        };
        if let Err(error) = thread_named("myrmex-draw").spawn(draw) {
            log::debug!("no thread to draw on: {error}");
            return outputs::draw(self.args, problem, best, gains);
        }
        let stage = Stage::Drawing(problem.len());
        loop {
            match drawn.recv_timeout(LOOK_EVERY) {
                Ok(drawn) => return drawn,
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Fault("what draws ended too early".into())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.due(&stage, self.interrupted()).is_some_and(|(due, _)| Instant::now() >= due) {
                errln!("myrmex: {NOT_DRAWN}");
                return Ok(());
            }
        }
    }

    /// The stage, unless the watch has taken the place of the work: then it ends the program, and this does not return.
    fn untaken(&self) -> MutexGuard<'_, Stage> {
        let taken = |stage: &mut Stage| matches!(stage, Stage::Taken);
        self.changed.wait_while(self.stage(), taken).unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the program from outside if it is time to.
    fn look(&self) {
        let mut stage = self.stage();
        let Some((due, ended)) = self.due(&stage, self.interrupted()) else { return };
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
            Stage::Drawing(_) => {
                errln!("myrmex: {NOT_DRAWN}");
                Ok(())
            }
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

    fn write(&self, known: Known, mut solution: Solution) -> Result<()> {
        let (args, problem, started) = (self.args, &known.run.problem, known.run.started);
        // What several threads would do is done on this one: the others are held up.
        let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        solution.seconds = telling::seconds(started, &solution);
        let (seconds, ended) = (solution.seconds, solution.ended);
        let why = solution.cut_short();
        let report = telling::report(args, (problem, known.path.as_deref()), &known.asked_for, &solution, started);
        let mut reports = self.reports();
        // The table does not have it, and neither have the reports.
        let is_left_out = !Results::counts(&solution) && known.earlier.as_ref().is_some_and(|it| it.best().is_some());
        let added = if is_left_out { Ok(()) } else { reports.add(&report) };
        let shown = telling::shown(problem, solution.length, solution.cost);
        let seed = solution.ran.recipe.seed;
        let line = (args.progress == ProgressArg::Json).then(|| {
            let (cost, length) = (solution.cost, solution.length);
            serde_json::json!({ "instance": problem.name(), "seed": seed, "seconds": seconds, "cost": cost, "length": length, "ended": ended.name() })
        });
        let own = vec![Gains::of(seed, &solution)];
        let (best, gains, text) = match known.earlier {
            None => {
                let why = why.map_or_else(String::new, |why| format!("\n{why}"));
                (solution, own, format!("{shown}, {seconds:.2} s ({}){why}", telling::reason(ended)))
            }
            Some(mut results) => {
                let text = results.abandoned(seed, &solution, args.runs);
                match results.best() {
                    Some(best) => (best.clone(), results.gains().to_vec(), text),
                    None => (solution, own, text),
                }
            }
        };
        let reported = added.and(reports.finish());
        let written = outputs::both(reported, outputs::write(args, problem, &best));
        solve::say(args, &text);
        if let Some(line) = line {
            let name = problem.name();
            why.into_iter().for_each(|why| errln!("{}", serde_json::json!({ "instance": name, "warning": why })));
            errln!("{line}");
        }
        outputs::both(written, self.draw_in_time(problem, &best, &gains))
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
    let (cancel, at) = (watch.cancel.clone(), Arc::clone(&watch.interrupted));
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
            threads.install(|| solve::run(args, started, &watch)).map_err(|error| target::located(error, &args.system))
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
            watch.look();
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
