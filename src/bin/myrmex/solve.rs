//! `myrmex solve`: one run, or several with a table of what they found.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use myrmex::report::Report;
use myrmex::settings::Recipe;
use myrmex::{Cancel, Checkpoint, Ended, Error, Problem, Proof, Result, Settings, Solution, Solver, Stop, Target};

use crate::args::{ProgressArg, SolveArgs};
use crate::bound::Bound;
use crate::exit;
use crate::names;
use crate::optima::{self, Optima};
use crate::outputs;
use crate::pictures::Gains;
use crate::print::{self, errln};
use crate::progress::{self, Display};
use crate::ranks::ThisRank;
use crate::results::{self, Results};
use crate::summary;
use crate::system::{self, Words};
use crate::telling::{self, gap, report, seconds, shown};
use crate::warnings;
use crate::watch::{Known, Stage, Watch};

/// A run that is over.
pub struct Outcome {
    pub solution: Solution,
    pub recipe: Recipe,
    /// Backend and device at its end.
    place: (&'static str, String),
    /// What it took, without what came after.
    pub seconds: f64,
    /// A length that no tour is below, where that was asked for.
    pub bound: Option<f64>,
    failure: Option<Error>,
    /// Whether its report was written.
    reported: Result<()>,
    /// The run to go on from, where that is to be kept.
    checkpoint: Option<Result<Checkpoint>>,
}

impl Outcome {
    /// Writes the checkpoint, where there is one.
    fn keep(&mut self, args: &SolveArgs) -> Result<()> {
        match (self.checkpoint.take(), &args.checkpoint) {
            (Some(checkpoint), Some(path)) => checkpoint?.save(path),
            _ => Ok(()),
        }
    }
}

/// How a run begins.
#[derive(Clone, Copy)]
enum Beginning<'a> {
    /// With settings; beside the runs before it, where there is a table.
    Settings(&'a Settings, Option<&'a Results>),
    /// From a checkpoint.
    Resumed(&'a Checkpoint),
}

pub fn run(args: &SolveArgs, started: Instant, watch: &Watch<'_>) -> Result<ExitCode> {
    watch.this_rank.map_or(Ok(()), |this_rank| this_rank.check(args))?;
    let optima = args.optima.as_deref().map(Optima::read).transpose()?;
    check_goal(args)?;
    results::check_folders(&args.files)?;
    let files = results::files(&args.files)?;
    outputs::check_inputs(args, &files)?;
    if let Some(initial) = &args.initial {
        files.iter().try_for_each(|file| system::once([file.as_path(), initial]))?;
    }
    match files.as_slice() {
        [file] if args.runs == 1 => {
            alone((args, optima.as_ref()), file, watch, started).map_err(|error| names::located(&args.system, error))
        }
        _ => several((args, optima.as_ref()), &files, watch, started),
    }
}

/// One run, which is told of as it goes.
fn alone(
    (args, optima): (&SolveArgs, Option<&Optima>),
    file: &Path,
    watch: &Watch<'_>,
    started: Instant,
) -> Result<ExitCode> {
    let problem = system::problem(file, &args.read)?;
    let args = &*with_optimum(args, optima, (file, &problem))?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, &problem)?;
    warnings::of_numbers(args, &problem);
    let target = match watch.this_rank {
        None => system::target(&args.system)?,
        Some(this_rank) => system::target_of_rank(&args.system, this_rank.gpus())?,
    };
    let resumed = system::resumed(args, &problem)?;
    outputs::check_checkpoint(args, &problem)?;
    watch.reports().check()?;
    let settings = match &resumed {
        Some(checkpoint) => *checkpoint.settings(),
        None => system::settings_of_run(args, &problem)?,
    };
    let beginning = resumed.as_ref().map_or(Beginning::Settings(&settings, None), Beginning::Resumed);
    let mut outcome = one(args, (&problem, file), beginning, target, watch, started)?;
    let gains = [Gains::of(settings.seed, &outcome.solution)];
    let written = outputs::both(watch.reports().finish(), outputs::write(args, &problem, &outcome.solution, &gains));
    let reported = std::mem::replace(&mut outcome.reported, Ok(()));
    let written = outputs::both(reported, outputs::both(written, outcome.keep(args)));
    summary::told(args, &problem, &outcome);
    written?;
    Ok(match outcome.failure {
        Some(error) => {
            if watch.is_first() {
                errln!("myrmex: {error}; the best solution known before that was kept");
            }
            ExitCode::from(exit::of_run(&error))
        }
        // Of several ranks another one may have been.
        None if watch.cancel.is_cancelled() || outcome.solution.ended == Ended::Cancelled => {
            ExitCode::from(exit::INTERRUPTED)
        }
        None => ExitCode::SUCCESS,
    })
}

/// Runs of one instance with seeds that follow one another, or of several instances, and a table with a line for each instance. What is
/// wrong with one instance is told, and the others run.
fn several(
    (args, optima): (&SolveArgs, Option<&Optima>),
    files: &[PathBuf],
    watch: &Watch<'_>,
    mut started: Instant,
) -> Result<ExitCode> {
    results::check(args, files)?;
    let target = system::target(&args.system)?.opened()?;
    watch.reports().check()?;
    let mut code = ExitCode::SUCCESS;
    say(args, &Results::header());
    for file in files {
        watch.enter(|_| Stage::Reading);
        let failure = match runs_of((args, optima), file, &target, watch, started) {
            Ok(failure) => failure,
            Err(error) => {
                code = ExitCode::from(exit::of(&error));
                errln!("myrmex: {}", names::located(&args.system, error));
                None
            }
        };
        if let Some(error) = failure {
            errln!("myrmex: {error}; the best solutions known before that were kept");
            code = ExitCode::from(exit::of_run(&error));
            break;
        }
        if watch.cancel.is_cancelled() {
            code = ExitCode::from(exit::INTERRUPTED);
            break;
        }
        started = Instant::now();
    }
    watch.enter(|_| Stage::Writing);
    watch.reports().finish()?;
    Ok(code)
}

/// The runs of one instance; what the device failed with, if it did.
fn runs_of(
    (args, optima): (&SolveArgs, Option<&Optima>),
    file: &Path,
    target: &Target,
    watch: &Watch<'_>,
    mut started: Instant,
) -> Result<Option<Error>> {
    let problem = system::problem(file, &args.read)?;
    let args = &*with_optimum(args, optima, (file, &problem))?;
    outputs::check(args, &problem)?;
    warnings::of_numbers(args, &problem);
    let settings = system::settings_of_run(args, &problem)?;
    let seeds = settings.seed.checked_add(args.runs.saturating_sub(1).into());
    let Some(last) = seeds else {
        let message =
            format!("--seed {} leaves no seeds for {} runs: each run takes the next one", settings.seed, args.runs);
        return Err(Error::Config(message));
    };
    let mut results = Results::new(&problem, goal(args));
    let (mut failure, mut ran, mut bound, mut written) = (None, None, None, Ok(()));
    if args.runs > 1 {
        // So that all runs count the same.
        started = Instant::now();
    }
    for seed in settings.seed..=last {
        let settings = Settings { seed, ..settings };
        let beginning = Beginning::Settings(&settings, Some(&results));
        let outcome = match one(args, (&problem, file), beginning, target.clone(), watch, started) {
            // What runs before have found stays.
            Err(error) if ran.is_some() => {
                failure = Some(error);
                break;
            }
            outcome => outcome?,
        };
        ran = Some(results::ran(&outcome.recipe, (outcome.place.0, &outcome.place.1)));
        bound = outcome.bound.into_iter().chain(bound).reduce(f64::max);
        results.add(settings.seed, outcome.solution);
        failure = outcome.failure;
        if let Err(error) = outcome.reported {
            written = outputs::both(written, Err(error));
        }
        if watch.cancel.is_cancelled() || failure.is_some() {
            break;
        }
        started = Instant::now();
    }
    let best = results.best().map_or(Ok(()), |best| outputs::write(args, &problem, best, results.gains()));
    let written = outputs::both(written, best);
    say(args, &results.row());
    if let Some(ran) = ran {
        say(args, &format!("  {ran}, {}", results.seeds()));
    }
    if watch.cancel.is_cancelled() {
        say(args, &format!("  interrupted in run {} of {}", results.count(), args.runs));
    }
    results.remarks(args.optimum, bound).iter().for_each(|remark| say(args, &format!("  {remark}")));
    if let Some(best) = results.best() {
        warnings::of_contradictions(args, &problem, best, bound);
        warnings::of_ways(args, &problem, &best.permutation);
    }
    written.map(|()| failure)
}

/// Makes a run of the problem in a file and adds its report.
fn one(
    args: &SolveArgs,
    (problem, file): (&Problem, &Path),
    beginning: Beginning<'_>,
    target: Target,
    watch: &Watch<'_>,
    started: Instant,
) -> Result<Outcome> {
    let (settings, earlier, words) = match beginning {
        Beginning::Settings(settings, earlier) => (settings, earlier, Words::of(&args.system, settings)),
        Beginning::Resumed(checkpoint) => {
            let settings = checkpoint.settings();
            (settings, None, Words::resumed(settings))
        }
    };
    let initial = match beginning {
        Beginning::Resumed(checkpoint) => Some(checkpoint.solution(problem)?),
        Beginning::Settings(..) => args.initial.as_ref().map(|file| system::solution(file, problem)).transpose()?,
    };
    let proof = Proof::of(problem);
    let seeking = args.bound.then(|| Bound::begin(problem, &proof)).transpose()?;
    let effort = myrmex::Effort::Standard;
    let devices = match &target {
        Target::Several(devices) => devices.len(),
        _ => 1,
    };
    let recipe = match beginning {
        Beginning::Resumed(_) => settings.recipe(problem, effort)?,
        Beginning::Settings(..) => match watch.this_rank {
            None => settings.for_devices(problem, effort, devices)?,
            Some(this_rank) => settings.for_ranks(problem, this_rank.count())?,
        }
        .recipe(problem, effort)?,
    };
    // One file alone is known to whoever asked for it.
    let path = has_several(args).then(|| file.display().to_string());
    let known = Known {
        problem: problem.clone(),
        path: path.clone(),
        recipe,
        words: words.clone(),
        initial: initial.clone(),
        device: None,
        resumed: None,
        started,
        earlier: earlier.cloned(),
    };
    watch.enter(|_| Stage::SettingUp(Box::new(known)));
    let target = match &watch.view {
        Some(view) => view.begin(problem, target)?,
        None => target,
    };
    let mut solver = match (watch.this_rank.and_then(ThisRank::transport), beginning, &initial) {
        (Some(transport), ..) => Solver::among(problem, settings, target, initial.as_deref(), transport)?,
        (None, Beginning::Resumed(checkpoint), _) => Solver::resume(problem, checkpoint.clone(), target)?,
        (None, Beginning::Settings(..), Some(initial)) => Solver::with_start(problem, settings, target, initial)?,
        (None, Beginning::Settings(..), None) => Solver::new(problem, settings, target)?,
    };
    let stop = stop(args, &watch.cancel, started).or(Stop::proved_by(&proof));
    solver.can_end(&stop)?;
    if let Some(path) = &args.checkpoint {
        let told = AtomicBool::new(false);
        solver.keep_checkpoint(path, args.every, move |error| {
            if !told.swap(true, Ordering::Relaxed) {
                errln!("myrmex: {error}; the run goes on without a checkpoint, and tries again");
            }
        });
    }
    watch.enter(|stage| stage.set_up(&solver));
    #[cfg(debug_assertions)]
    assert!(std::env::var_os("MYRMEX_TEST_FAULT").is_none(), "a test asks for it");
    if !is_table(args) {
        say(args, &summary::begun(problem, settings, &solver));
    }
    let before = solver.resumed().map_or(0, |resumed| resumed.iteration);
    let seen = progress::Watch {
        problem,
        recipe: solver.recipe().clone(),
        stop: &stop,
        optimum: args.optimum,
        started,
        before,
    };
    let loses_device = || watch.enter(Stage::device_lost);
    let mut display = Display::new(args, seen, watch.view.as_ref(), &loses_device);
    let result = solver.run_observed(&stop, &mut display);
    display.finish();
    let (mut solution, mut failure) = match result {
        Ok(solution) => (solution, None),
        Err(error) => (solver.salvage(), Some(error)),
    };
    watch.enter(Stage::over);
    if let Some(view) = &watch.view {
        view.show(&solution.permutation);
        view.say(shown(problem, solution.length, solution.cost));
    }
    let seconds = seconds(started, &solution);
    let (backend, device) = (solver.backend(), solver.device().to_owned());
    // A device that failed has nothing to say; what was kept on the way stays.
    let checkpoint = args.checkpoint.as_ref().filter(|_| failure.is_none()).map(|_| solver.checkpoint());
    solution.device_lost = solver.device_lost().cloned();
    let bound = match seeking.map(Bound::finish).transpose() {
        Ok(bound) => bound,
        Err(error) => {
            failure.get_or_insert(error);
            None
        }
    };
    watch.enter(|_| Stage::Writing);
    let report =
        report(args, (problem, solver.recipe(), path.as_deref()), &words, (backend, &device), &solution, started);
    let bound_gap = bound.and_then(|bound| gap(solution.length, bound));
    let reported = watch.reports().add(&Report { seconds, bound, bound_gap, ..report });
    Ok(Outcome {
        solution,
        recipe: solver.recipe().clone(),
        place: (backend, device),
        seconds,
        bound,
        failure,
        reported,
        checkpoint,
    })
}

/// Whether there is a table instead of what each run says.
fn is_table(args: &SolveArgs) -> bool {
    args.runs > 1 || has_several(args)
}

/// Whether there may be several files.
fn has_several(args: &SolveArgs) -> bool {
    args.files.len() > 1 || args.files.iter().any(|file| file.is_dir())
}

/// A line for a person: on standard output, unless something else is asked for there.
pub fn say(args: &SolveArgs, text: &str) {
    match (args.quiet || args.progress == ProgressArg::Json, outputs::on_stdout(args)) {
        (true, _) => {}
        (false, true) => errln!("{text}"),
        (false, false) => print::remark(text),
    }
}

/// The options of one file, with its optimum of several.
fn with_optimum<'a>(
    args: &'a SolveArgs,
    optima: Option<&Optima>,
    instance: (&Path, &Problem),
) -> Result<Cow<'a, SolveArgs>> {
    let args = optima::for_file(args, optima, instance)?;
    check_goal(&args)?;
    Ok(args)
}

/// Refuses a target that no run could come to, since it ends at an optimum above it.
fn check_goal(args: &SolveArgs) -> Result<()> {
    match (args.target, args.optimum) {
        (Some(target), Some(optimum)) if telling::refutes(target, optimum) => Err(Error::Config(format!(
            "--target {target} is less than --optimum {optimum}, which no solution is below; leave one of them out"
        ))),
        _ => Ok(()),
    }
}

/// The length that ends a run, in the unit of what was given; one that this program has told is reached by what it was told of.
fn goal(args: &SolveArgs) -> Option<f64> {
    let within = |optimum: f64| optimum + optimum.abs() * args.gap.unwrap_or(0.0) / 100.0;
    let lengths = [args.target, args.optimum.map(within)];
    lengths.into_iter().flatten().map(telling::up_to).reduce(f64::max)
}

/// Whether nothing is said that ends a run for certain or is asked for by a target.
fn is_open_ended(args: &SolveArgs) -> bool {
    system::stop(&args.stop).is_empty() && args.target.is_none() && args.gap.is_none()
}

/// The time limit of a run.
pub fn time_limit(args: &SolveArgs) -> Option<Duration> {
    args.stop.time.or(is_open_ended(args).then_some(Stop::DEFAULT_TIME))
}

/// When the run ends.
fn stop(args: &SolveArgs, cancel: &Cancel, started: Instant) -> Stop {
    let mut stop = system::stop(&args.stop).or(Stop::cancelled_by(cancel)).since(started);
    stop.time = time_limit(args);
    // A known optimum is sought for all that time, and what a checkpoint has made was rounds, too.
    if is_open_ended(args) && args.optimum.is_none() && args.resume.is_none() {
        stop.rounds = Stop::usual().rounds;
    }
    stop.length = goal(args);
    stop
}
