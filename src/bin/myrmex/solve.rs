//! `myrmex solve`: one run, or several with a table of what they found.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use myrmex::{Cancel, Ended, Error, Problem, Result, Settings, Stop, Target};

use crate::args::{ProgressArg, SolveArgs};
use crate::asked::Asked;
use crate::exit::Exit;
use crate::failed::{Failure, about};
use crate::inputs;
use crate::one::{Beginning, one};
use crate::optima::{self, Optima};
use crate::outputs;
use crate::pictures::Gains;
use crate::print::{self, errln};
use crate::results::{self, Results};
use crate::summary;
use crate::system;
use crate::target;
use crate::telling;
use crate::warnings;
use crate::watch::{Stage, Watch};

/// What a command line asks for.
#[derive(Clone, Copy)]
struct Asking<'a> {
    args: &'a SolveArgs,
    asked: &'a Asked,
    /// The best known costs of a table.
    optima: Option<&'a Optima>,
}

pub fn run(args: &SolveArgs, started: Instant, watch: &Watch<'_>) -> Result<Exit> {
    let optima = args.optima.as_deref().map(Optima::read).transpose()?;
    check_goal(args)?;
    inputs::check_folders(&args.files)?;
    let files = inputs::files(&args.files)?;
    outputs::check_inputs(args, &files)?;
    if let Some(initial) = &args.initial {
        files.iter().try_for_each(|file| system::once([file.as_path(), initial]))?;
    }
    let asked = Asked::of_run(args)?;
    let asking = Asking { args, asked: &asked, optima: optima.as_ref() };
    match files.as_slice() {
        [file] if args.runs == 1 => alone(asking, file, watch, started).map_err(|error| asked.located(error)),
        _ => several(asking, &files, watch, started),
    }
}

/// One run, which is told of as it goes.
fn alone(asking: Asking<'_>, file: &Path, watch: &Watch<'_>, started: Instant) -> Result<Exit> {
    let Asking { args, asked, optima } = asking;
    let problem = system::problem(file, &args.read)?;
    let args = &*with_optimum(args, optima, (file, &problem))?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, &problem)?;
    let sought = warnings::of_problem(args, &problem);
    let target = match watch.this_rank {
        None => target::of(&args.system)?,
        Some(this_rank) => target::of_rank(&args.system, this_rank.gpus())?,
    };
    let resumed = system::resumed(args, asked, &problem)?;
    outputs::check_checkpoint(args, &problem)?;
    watch.reports().check()?;
    let settings = match &resumed {
        Some(checkpoint) => *checkpoint.settings(),
        None => asked.settings(&problem, args.stop.iterations)?,
    };
    let fresh = Beginning::Settings { settings: &settings, asked, earlier: None };
    let beginning = resumed.as_ref().map_or(fresh, Beginning::Resumed);
    let mut outcome = one(args, (&problem, file), beginning, target, watch, started, sought)?;
    let gains = [Gains::of(settings.seed, &outcome.solution)];
    let written = outputs::both(watch.reports().finish(), outputs::write(args, &problem, &outcome.solution));
    let reported = std::mem::replace(&mut outcome.reported, Ok(()));
    let written = outputs::both(reported, outputs::both(written, outcome.keep(args)));
    summary::told(args, &problem, &outcome);
    let written = outputs::both(written, watch.draw(args, &problem, &outcome.solution, &gains));
    if let Some(error) = outcome.failure {
        if watch.is_first() {
            match &written {
                Ok(()) => errln!("myrmex: {error}; the best solution known before that was kept"),
                Err(other) => errln!("myrmex: {error}\nmyrmex: {other}"),
            }
        }
        return Ok(Exit::of_run(&error));
    }
    written?;
    // Of several ranks another one may have been.
    let interrupted = watch.cancel.is_cancelled() || outcome.solution.ended == Ended::Cancelled;
    if let Some(kept) = args.checkpoint.as_ref().filter(|_| interrupted) {
        let kept = kept.display();
        say(
            args,
            &format!(
                "{kept} has the run after iteration {}: --resume {kept} goes on with it",
                outcome.solution.iterations
            ),
        );
    }
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

/// Runs of one instance with seeds that follow one another, or of several instances, and a table with a line for each instance. What is
/// wrong with one instance is told, and the others run.
fn several(asking: Asking<'_>, files: &[PathBuf], watch: &Watch<'_>, mut started: Instant) -> Result<Exit> {
    let Asking { args, asked, .. } = asking;
    results::check(args, files)?;
    let target = target::of(&args.system)?.opened()?;
    watch.reports().check()?;
    let mut code = Exit::Done;
    say(args, &Results::header());
    for file in files {
        watch.enter(|_| Stage::Reading);
        let path = file.to_string_lossy();
        let over = match runs_of(asking, file, &target, watch, started) {
            Ok(over) => over,
            Err(error) => {
                code = code.max(Exit::of(&error));
                let error = asked.located(error);
                errln!("myrmex: {}", about(&path, &error));
                watch.reports().add_failure(&Failure::of(&path, None, &error))?;
                Over { failure: None, written: Ok(()) }
            }
        };
        if let Err(error) = over.written {
            code = code.max(Exit::of(&error));
            errln!("myrmex: {}", about(&path, &error));
        }
        if let Some(error) = over.failure {
            errln!("myrmex: {error}; the best solutions known before that were kept");
            code = code.max(Exit::of_run(&error));
            break;
        }
        if watch.cancel.is_cancelled() {
            code = Exit::Interrupted;
            break;
        }
        started = Instant::now();
    }
    watch.enter(|_| Stage::Writing(0));
    watch.reports().finish()?;
    Ok(code)
}

/// Runs of an instance that are over.
struct Over {
    /// What the device failed with, if it did.
    failure: Option<Error>,
    /// Whether all outputs were written.
    written: Result<()>,
}

/// The runs of one instance.
fn runs_of(asking: Asking<'_>, file: &Path, target: &Target, watch: &Watch<'_>, mut started: Instant) -> Result<Over> {
    let Asking { args, asked, optima } = asking;
    let problem = system::problem(file, &args.read)?;
    let args = &*with_optimum(args, optima, (file, &problem))?;
    outputs::check(args, &problem)?;
    let sought = warnings::of_problem(args, &problem);
    let settings = asked.settings(&problem, args.stop.iterations)?;
    let seeds = settings.seed.checked_add(args.runs.saturating_sub(1).into());
    let Some(last) = seeds else {
        let message =
            format!("--seed {} leaves no seeds for {} runs: each run takes the next one", settings.seed, args.runs);
        return Err(Error::Config(message));
    };
    let mut results = Results::new(&problem, goal(args));
    let (mut failure, mut bound, mut written) = (None, None, Ok(()));
    if args.runs > 1 {
        // So that all runs count the same.
        started = Instant::now();
    }
    for seed in settings.seed..=last {
        let settings = Settings { seed, ..settings };
        let beginning = Beginning::Settings { settings: &settings, asked, earlier: Some(&results) };
        let outcome = match one(args, (&problem, file), beginning, target.clone(), watch, started, sought.clone()) {
            // What runs before have found stays.
            Err(error) if results.count() > 0 => {
                failure = Some(error);
                break;
            }
            outcome => outcome?,
        };
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
    let best = results.best().map_or(Ok(()), |best| outputs::write(args, &problem, best));
    let written = outputs::both(written, best);
    say(args, &results.told());
    if watch.cancel.is_cancelled() {
        say(args, &format!("  interrupted in run {} of {}", results.count(), args.runs));
    }
    results.remarks(args.optimum, bound).iter().for_each(|remark| say(args, &format!("  {remark}")));
    if let Some(best) = results.best() {
        warnings::of_contradictions(args, &problem, best, bound, sought.as_deref());
        warnings::of_solution(args, &problem, &best.permutation);
    }
    let written = match watch.cancel.is_cancelled() {
        true => outputs::both(written, watch.reports().finish()),
        false => written,
    };
    let drawn = results.best().map_or(Ok(()), |best| watch.draw(args, &problem, best, results.gains()));
    Ok(Over { failure, written: outputs::both(written, drawn) })
}

/// Whether there is a table instead of what each run says.
pub fn is_table(args: &SolveArgs) -> bool {
    args.runs > 1 || has_several(args)
}

/// Whether there may be several files.
pub fn has_several(args: &SolveArgs) -> bool {
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
pub fn stop(args: &SolveArgs, cancel: &Cancel, started: Instant) -> Stop {
    let mut stop = system::stop(&args.stop).or(Stop::cancelled_by(cancel)).since(started);
    stop.time = time_limit(args);
    // A known optimum is sought for all that time, and what a checkpoint has made was rounds, too.
    if is_open_ended(args) && args.optimum.is_none() && args.resume.is_none() {
        stop.rounds = Stop::usual().rounds;
    }
    stop.target = goal(args);
    stop
}

#[cfg(test)]
mod tests;
