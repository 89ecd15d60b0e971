//! One run of a problem, from its settings, or a checkpoint, to its report.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use myrmex::settings::AskedFor;
use myrmex::{
    Checkpoint, Effort, Error, Finished, Problem, Proof, Result, Settings, Solution, Solver, Stop, Target, UnderWay,
};

use crate::args::SolveArgs;
use crate::asked::Asked;
use crate::bound::Bound;
use crate::outputs;
use crate::print::Once;
use crate::progress::{self, Display};
use crate::ranks::{Ends, Saving, ThisRank};
use crate::results::Results;
use crate::solve::{has_several, is_table, say, stop, time_limit};
use crate::summary;
use crate::system;
use crate::telling::{self, gap, report, shown};
use crate::warnings::{self, Sought};
use crate::watch::{Known, Stage, Watch};

/// A run that is over.
pub struct Outcome {
    pub solution: Solution,
    /// A length that no tour is below, where that was asked for.
    pub bound: Option<f64>,
    /// The target that such a bound may be above.
    pub sought: Option<Arc<Sought>>,
    /// What the device failed with, if it did.
    pub failure: Option<Error>,
    /// Whether its report was written.
    pub reported: Result<()>,
    /// The run to go on from, where that is to be kept.
    checkpoint: Option<Result<Checkpoint>>,
}

impl Outcome {
    /// Writes the checkpoint, where there is one.
    pub fn keep(&mut self, args: &SolveArgs) -> Result<()> {
        match (self.checkpoint.take(), &args.checkpoint) {
            (Some(checkpoint), Some(path)) => checkpoint?.save(path),
            _ => Ok(()),
        }
    }
}

/// How a run begins.
#[derive(Clone, Copy)]
pub enum Beginning<'a> {
    /// With settings that follow from what was asked for; beside the runs before it, where there is a table.
    Settings { settings: &'a Settings, asked: &'a Asked, earlier: Option<&'a Results> },
    /// From a checkpoint.
    Resumed(&'a Checkpoint),
}

impl<'a> Beginning<'a> {
    fn settings(self) -> &'a Settings {
        match self {
            Self::Settings { settings, .. } => settings,
            Self::Resumed(checkpoint) => checkpoint.settings(),
        }
    }

    /// What was asked for.
    fn asked_for(self) -> AskedFor {
        match self {
            Self::Settings { settings, asked, .. } => asked.request().asked_for(settings),
            Self::Resumed(checkpoint) => AskedFor::resumed(checkpoint.settings()),
        }
    }

    /// The runs before it, where there is a table.
    fn earlier(self) -> Option<&'a Results> {
        match self {
            Self::Settings { earlier, .. } => earlier,
            Self::Resumed(_) => None,
        }
    }

    /// The solution that it begins with, where one is given.
    fn initial(self, args: &SolveArgs, problem: &Problem) -> Result<Option<Vec<u32>>> {
        match self {
            Self::Settings { earlier, .. } => {
                let Some(file) = &args.initial else { return Ok(None) };
                let (solution, note) = system::initial(file, problem)?;
                // Once for all runs.
                if let Some(note) = note.filter(|_| earlier.is_none_or(|earlier| earlier.count() == 0)) {
                    warnings::of_initial(args, problem, &note);
                }
                Ok(Some(solution))
            }
            Self::Resumed(checkpoint) => checkpoint.solution(problem).map(Some),
        }
    }

    /// The run as it is known before its set-up.
    fn under_way(
        self,
        problem: &Problem,
        target: &Target,
        (initial, started): (Option<Vec<u32>>, Instant),
        this_rank: Option<&ThisRank>,
    ) -> Result<UnderWay> {
        let settings = match (self, this_rank) {
            (Self::Settings { settings, .. }, None) => {
                return UnderWay::begin(problem, settings, target, initial, started);
            }
            (Self::Settings { settings, .. }, Some(this_rank)) => settings.for_ranks(problem, this_rank.count())?,
            (Self::Resumed(checkpoint), _) => *checkpoint.settings(),
        };
        let recipe = settings.recipe(problem, Effort::Standard)?;
        Ok(UnderWay::new(problem.clone(), recipe, initial, started))
    }

    fn solver(
        self,
        problem: &Problem,
        target: Target,
        (initial, stop): (Option<&[u32]>, &Stop),
        this_rank: Option<&ThisRank>,
    ) -> Result<Solver> {
        match (this_rank.and_then(ThisRank::transport), self, initial) {
            (Some(transport), ..) => Solver::among(problem, self.settings(), target, initial, stop, transport),
            (None, Self::Resumed(checkpoint), _) => Solver::resume(problem, checkpoint.clone(), target),
            (None, Self::Settings { settings, .. }, Some(initial)) => {
                Solver::with_start(problem, settings, target, initial)
            }
            (None, Self::Settings { settings, .. }, None) => Solver::new(problem, settings, target),
        }
    }
}

/// What a test has go wrong behind the set-up, as the environment variable MYRMEX_TEST_FAULT says: `device` for a lost device, another word for a
/// fault of the program.
#[cfg(debug_assertions)]
enum TestFault {
    None,
    Device(myrmex::Device),
    Program,
}

#[cfg(debug_assertions)]
impl TestFault {
    /// The fault, and the target, whose device is opened where it is to be lost.
    fn asked(target: Target) -> Result<(Self, Target)> {
        match std::env::var("MYRMEX_TEST_FAULT").as_deref() {
            Err(_) => Ok((Self::None, target)),
            Ok("device") => match target.opened()? {
                Target::Existing(device) => Ok((Self::Device(device.clone()), Target::Existing(device))),
                other => Err(Error::Config(format!("a test cannot lose {other}"))),
            },
            Ok(_) => Ok((Self::Program, target)),
        }
    }

    fn happens(self) {
        assert!(!matches!(self, Self::Program), "a test asks for it");
        if let Self::Device(device) = self {
            device.device().destroy();
        }
    }
}

/// Makes a run of the problem in a file and adds its report.
pub fn one(
    args: &SolveArgs,
    (problem, file): (&Problem, &Path),
    beginning: Beginning<'_>,
    target: Target,
    watch: &Watch<'_>,
    started: Instant,
    sought: Option<Arc<Sought>>,
) -> Result<Outcome> {
    let (asked_for, initial) = (beginning.asked_for(), beginning.initial(args, problem)?);
    let proof = Proof::of(problem);
    let end = time_limit(args).and_then(|limit| started.checked_add(limit));
    let seeking = args.bound.then(|| Bound::begin(problem, &proof, end, sought.clone())).transpose()?;
    // One file alone is known to whoever asked for it.
    let path = has_several(args).then(|| file.display().to_string());
    let known = Known {
        run: beginning.under_way(problem, &target, (initial.clone(), started), watch.this_rank)?,
        path: path.clone(),
        asked_for: asked_for.clone(),
        has_several: false,
        earlier: beginning.earlier().cloned(),
    };
    watch.enter(|_| Stage::SettingUp(Box::new(known)));
    let target = match &watch.view {
        Some(view) => view.begin(problem, target)?,
        None => target,
    };
    #[cfg(debug_assertions)]
    let (fault, target) = TestFault::asked(target)?;
    let stop = stop(args, &watch.cancel, started).or(Stop::proved_by(&proof));
    let mut solver = beginning.solver(problem, target, (initial.as_deref(), &stop), watch.this_rank)?;
    solver.can_end(&stop)?;
    keep_checkpoints(args, &mut solver);
    watch.enter(|stage| stage.set_up(&solver));
    #[cfg(debug_assertions)]
    fault.happens();
    if !is_table(args) {
        say(args, &summary::begun(problem, (beginning.settings(), &asked_for), &solver));
        telling::unit(solver.recipe()).into_iter().for_each(|unit| say(args, &unit));
    }
    let (mut solution, mut failure) = observed(args, problem, &mut solver, (&stop, watch, started))?;
    // All that is told of it counts from the same moment.
    solution.seconds = telling::seconds(started, &solution);
    // A device that failed has nothing to say; what was kept on the way stays.
    let checkpoint = args.checkpoint.as_ref().filter(|_| failure.is_none()).map(|_| solver.checkpoint());
    solution.device_lost = solver.device_lost().cloned();
    let bound = match seeking.map(Bound::finish).transpose() {
        Ok(bound) => bound.flatten(),
        Err(error) => {
            failure.get_or_insert(error);
            None
        }
    };
    watch.enter(|_| Stage::Writing(problem.len()));
    let mut report = report(args, (problem, path.as_deref()), &asked_for, &solution, started);
    report.bound = bound;
    report.bound_gap = bound.and_then(|bound| gap(solution.length, bound));
    report.warnings.extend(failure.as_ref().map(ToString::to_string));
    report.warnings.extend(warnings::contradictions(args, problem, &solution, bound));
    let reported = watch.reports().add(&report);
    Ok(Outcome { solution, bound, sought, failure, reported, checkpoint })
}

/// Has the solver keep a checkpoint where one is asked for; that it cannot be written is told once.
fn keep_checkpoints(args: &SolveArgs, solver: &mut Solver) {
    let Some(path) = &args.checkpoint else { return };
    let failed = Once::default();
    solver.keep_checkpoint(path, args.every, move |error| {
        failed.tell(format_args!("{error}; the run goes on without a checkpoint, and tries again"));
    });
}

/// Runs while the display is told; the solution, and what the device failed with, if it did.
fn observed(
    args: &SolveArgs,
    problem: &Problem,
    solver: &mut Solver,
    (stop, watch, started): (&Stop, &Watch<'_>, Instant),
) -> Result<(Solution, Option<Error>)> {
    let (before, seconds_before) = solver.resumed().map_or((0, 0.0), |resumed| (resumed.iteration, resumed.seconds));
    let recipe = solver.recipe().clone();
    let is_one_of_several = args.runs > 1;
    let seen = progress::Watch {
        problem,
        recipe,
        stop,
        optimum: args.optimum,
        started,
        before,
        seconds_before,
        is_one_of_several,
    };
    let loses_device = || watch.enter(Stage::device_lost);
    let mut display = Display::new(args, seen, watch.view.as_ref(), &loses_device);
    let run = match watch.this_rank.filter(|this_rank| this_rank.is_first() && !args.solution.is_empty()) {
        None => solver.run_to_end(stop, &mut display),
        Some(_) => {
            let write = |best: &[u32]| watch.write_unless_taken(|| outputs::save(args, problem, best));
            let at = time_limit(args).and_then(|limit| started.checked_add(limit));
            let ends = Ends { at, cancel: watch.cancel.clone() };
            let mut saving = Saving::new(&mut display, solver.incumbent(), ends, write);
            solver.run_to_end(stop, &mut saving)
        }
    };
    display.finish(run.as_ref().ok().map(|finished| &finished.solution), &solver.progress());
    let Finished { solution, failure, .. } = run?;
    watch.enter(|stage| stage.over(&solution));
    if let Some(view) = &watch.view {
        view.show(&solution.permutation);
        view.say(shown(problem, solution.length, solution.cost));
    }
    Ok((solution, failure))
}
