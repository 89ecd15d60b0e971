//! `myrmex solve`: one run, or several with a table of what they found.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use myrmex::report::{Report, SCHEMA};
use myrmex::settings::{Recipe, Value};
use myrmex::tsp::{self, Metric};
use myrmex::{Cancel, Device, Ended, Error, PhaseRecord, Problem, Result, Settings, Solution, Solver, Stop, Target};

use crate::args::{ProgressArg, SolveArgs};
use crate::bound::Bound;
use crate::outputs;
use crate::pictures::Gains;
use crate::print::{self, errln};
use crate::progress::{self, Display};
use crate::results::{self, Results};
use crate::system;
use crate::watch::{Known, Stage, Watch};

/// Seconds a run takes when no stop rule is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Exit code after an interrupt, as shells expect it.
pub const INTERRUPTED: u8 = 130;
/// Exit code when the device failed during the run.
const DEVICE_FAILED: u8 = 3;
/// Exit code for wrong input.
pub const WRONG_INPUT: u8 = 2;

/// A run that is over.
struct Outcome {
    solution: Solution,
    /// What it took, without what came after.
    seconds: f64,
    /// A length that no tour is below, where that was asked for.
    bound: Option<f64>,
    failure: Option<Error>,
}

pub fn run(args: &SolveArgs, started: Instant, watch: &Watch<'_>) -> Result<ExitCode> {
    let files = results::files(&args.files)?;
    if let Some(initial) = &args.initial {
        files.iter().try_for_each(|file| system::once([file, initial]))?;
    }
    match files.as_slice() {
        [file] if args.runs == 1 => alone(args, file, watch, started),
        _ => several(args, &files, watch, started),
    }
}

/// One run, which is told of as it goes.
fn alone(args: &SolveArgs, file: &Path, watch: &Watch<'_>, started: Instant) -> Result<ExitCode> {
    let problem = system::problem(file, &args.read)?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, file, &problem)?;
    let settings = system::settings(&args.system, &problem, args.iterations)?;
    watch.reports().check()?;
    let outcome = one(args, &problem, &settings, system::target(&args.system)?, watch, (started, None))?;
    let gains = [Gains::of(settings.seed, &outcome.solution)];
    let written = outputs::both(watch.reports().finish(), outputs::write(args, &problem, &outcome.solution, &gains));
    told(args, &problem, &outcome);
    written?;
    Ok(match outcome.failure {
        Some(error) => {
            errln!("myrmex: {error}; the best solution known before that was kept");
            ExitCode::from(DEVICE_FAILED)
        }
        None if watch.cancel.is_cancelled() => ExitCode::from(INTERRUPTED),
        None => ExitCode::SUCCESS,
    })
}

/// Runs of one instance with seeds that follow one another, or of several instances, and a table with a line for each instance. What is
/// wrong with one instance is told, and the others run.
fn several(args: &SolveArgs, files: &[PathBuf], watch: &Watch<'_>, mut started: Instant) -> Result<ExitCode> {
    results::check(args, files)?;
    let target = kept_open(system::target(&args.system)?)?;
    watch.reports().check()?;
    let mut code = ExitCode::SUCCESS;
    say(args, &Results::header());
    for file in files {
        watch.enter(|_| Stage::Reading);
        let failure = match runs_of(args, file, &target, watch, started) {
            Ok(failure) => failure,
            Err(error) => {
                errln!("myrmex: {error}");
                code = ExitCode::from(WRONG_INPUT);
                None
            }
        };
        if let Some(error) = failure {
            errln!("myrmex: {error}; the best solutions known before that were kept");
            code = ExitCode::from(DEVICE_FAILED);
            break;
        }
        if watch.cancel.is_cancelled() {
            code = ExitCode::from(INTERRUPTED);
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
    args: &SolveArgs,
    file: &Path,
    target: &Target,
    watch: &Watch<'_>,
    mut started: Instant,
) -> Result<Option<Error>> {
    let problem = system::problem(file, &args.read)?;
    outputs::check(args, file, &problem)?;
    let settings = system::settings(&args.system, &problem, args.iterations)?;
    let mut results = Results::new(&problem, goal(args, &problem));
    let mut failure = None;
    for run in 0..args.runs {
        let settings = Settings { seed: settings.seed.wrapping_add(run.into()), ..settings };
        let outcome = one(args, &problem, &settings, target.clone(), watch, (started, Some(&results)))?;
        results.add(settings.seed, outcome.solution);
        failure = outcome.failure;
        if watch.cancel.is_cancelled() || failure.is_some() {
            break;
        }
        started = Instant::now();
    }
    let written = results.best().map_or(Ok(()), |best| outputs::write(args, &problem, best, results.gains()));
    say(args, &results.row());
    written.map(|()| failure)
}

/// Makes a run and adds its report; `earlier` has the runs before it, where there is a table.
fn one(
    args: &SolveArgs,
    problem: &Problem,
    settings: &Settings,
    target: Target,
    watch: &Watch<'_>,
    (started, earlier): (Instant, Option<&Results>),
) -> Result<Outcome> {
    let seeking = args.bound.then(|| Bound::begin(problem)).transpose()?;
    let known = Known {
        problem: problem.clone(),
        recipe: settings.recipe(problem, false)?,
        algorithm: system::asked_algorithm(&args.system, settings),
        initial: args.initial.as_ref().map(|file| system::solution(file, problem)).transpose()?,
        device: None,
        started,
        earlier: earlier.cloned(),
    };
    let (algorithm, initial) = (known.algorithm.clone(), known.initial.clone());
    watch.enter(|_| Stage::SettingUp(Box::new(known)));
    let target = match &watch.view {
        Some(view) => view.begin(problem, target)?,
        None => target,
    };
    let mut solver = match &initial {
        Some(initial) => Solver::with_start(problem, settings, target, initial)?,
        None => Solver::new(problem, settings, target)?,
    };
    watch.enter(|stage| stage.set_up(&solver));
    if !is_table(args) {
        say(args, &begun(problem, settings, &solver));
    }
    let stop = stop(args, problem, &watch.cancel, started);
    let seen =
        progress::Watch { problem, recipe: solver.recipe().clone(), stop: &stop, optimum: args.optimum, started };
    let mut display = Display::new(args, seen, watch.view.as_ref());
    let result = solver.run_observed(&stop, &mut display);
    display.finish();
    let (solution, failure) = match result {
        Ok(solution) => (solution, None),
        Err(error) => (solver.salvage(), Some(error)),
    };
    watch.enter(Stage::over);
    if let Some(view) = &watch.view {
        view.show(&solution.permutation);
        view.say(format!("cost {}", shown(problem, &solution)));
    }
    let seconds = started.elapsed().as_secs_f64();
    let bound = seeking.map(Bound::finish).transpose()?.map(|bound| length_bound(problem, bound.cost));
    watch.enter(|_| Stage::Writing);
    let device = (solver.backend(), solver.device());
    let report = report(args, (problem, solver.recipe()), &algorithm, device, &solution, started);
    watch.reports().add(&Report {
        seconds,
        bound,
        bound_gap: bound.and_then(|bound| gap(solution.length, bound)),
        ..report
    })?;
    Ok(Outcome { solution, seconds, bound, failure })
}

/// Whether there is a table instead of what each run says.
fn is_table(args: &SolveArgs) -> bool {
    args.runs > 1 || args.files.len() > 1 || args.files.iter().any(|file| file.is_dir())
}

/// A line for a person: on standard output, unless something else is asked for there.
pub fn say(args: &SolveArgs, text: &str) {
    match (args.quiet || args.progress == ProgressArg::Json, outputs::on_stdout(args)) {
        (true, _) => {}
        (false, true) => errln!("{text}"),
        (false, false) => print::remark(text),
    }
}

fn begun(problem: &Problem, settings: &Settings, solver: &Solver) -> String {
    format!(
        "{}: {} {}, {}, effort {}, seed {}, on {} ({})",
        problem.name(),
        problem.len(),
        problem.parts(),
        algorithm(solver),
        solver.recipe().effort.name(),
        settings.seed,
        solver.device(),
        solver.backend()
    )
}

/// What came out, for a person.
fn told(args: &SolveArgs, problem: &Problem, Outcome { solution, seconds, bound, .. }: &Outcome) {
    let gap = args.optimum.and_then(|optimum| gap(solution.length, optimum));
    say(
        args,
        &format!(
            "cost {}{} after {} iteration{}, {:.2} s ({})",
            shown(problem, solution),
            gap.map_or_else(String::new, |gap| format!(", {gap:.3}% above the optimum")),
            solution.iterations,
            if solution.iterations == 1 { "" } else { "s" },
            seconds,
            reason(solution.ended)
        ),
    );
    if let Some(bound) = bound {
        let most = crate::solve::gap(solution.length, *bound)
            .map_or_else(String::new, |gap| format!(": at most {gap:.3}% above it"));
        say(args, &format!("no tour is shorter than {}{most}", length(problem, *bound)));
    }
    if gap.is_some_and(|gap| gap < 0.0) {
        say(args, "that is less than --optimum, which is no optimum then");
    }
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        let found =
            if solution.trace.len() > 1 { "the best of the ants that were done" } else { "what the run began with" };
        say(args, &format!("no iteration was finished, this is {found}: give it more time, or fewer ants"));
    }
    if let Problem::Tsp(instance) = problem
        && is_coarse(instance, solution.cost)
    {
        let each = solution.cost as f64 / instance.len() as f64;
        say(
            args,
            &format!(
                "distances are rounded to whole numbers, as TSPLIB says, and {each:.1} on average: --metric plane takes the coordinates as they \
                 are"
            ),
        );
    }
}

/// The cost that ends a run, in the unit of the instance's distances.
fn goal(args: &SolveArgs, problem: &Problem) -> Option<u64> {
    let within = |optimum: f64| optimum + optimum.abs() * args.gap.unwrap_or(0.0) / 100.0;
    let lengths = [args.target, args.optimum.map(within)];
    lengths.into_iter().flatten().map(|length| problem.cost_of(length)).max()
}

/// The time limit of a run: five seconds where nothing else is said that ends it for certain or is asked for by a target.
pub fn time_limit(args: &SolveArgs) -> Option<Duration> {
    let says = [
        args.iterations.is_some(),
        args.time.is_some(),
        args.target.is_some(),
        args.gap.is_some(),
        args.stagnation.is_some(),
    ];
    args.time.or((!says.contains(&true)).then_some(DEFAULT_TIME))
}

/// When the run ends.
fn stop(args: &SolveArgs, problem: &Problem, cancel: &Cancel, started: Instant) -> Stop {
    let mut stop = Stop::cancelled_by(cancel).since(started);
    stop.iterations = args.iterations;
    stop.time = time_limit(args);
    stop.target = goal(args, problem);
    match args.stagnation {
        Some(crate::args::Stagnation::Iterations(count)) => stop.or(Stop::stagnation(count)),
        Some(crate::args::Stagnation::Time(limit)) => stop.or(Stop::stagnation_time(limit)),
        None => stop,
    }
}

/// By how many percent a length is above an optimum; an optimum of 0 has no percents.
pub fn gap(length: f64, optimum: f64) -> Option<f64> {
    (optimum != 0.0).then(|| (length - optimum) / optimum.abs() * 100.0)
}

/// A device that several runs use: what is compiled for it is kept.
pub fn kept_open(target: Target) -> Result<Target> {
    Ok(match target {
        Target::Auto => Device::open(None, false).map_or(Target::Cpu, Target::Existing),
        Target::Wgpu(choice) => Target::Existing(Device::open(choice.as_deref(), true)?),
        other => other,
    })
}

/// The cost, and where that is in another unit than what was given the length in that one.
pub fn shown(problem: &Problem, solution: &Solution) -> String {
    match solution.length == solution.cost as f64 {
        true => solution.cost.to_string(),
        false => format!("{} (length {})", solution.cost, length(problem, solution.length)),
    }
}

/// A length in the unit of what was given.
pub fn length(problem: &Problem, length: f64) -> String {
    match problem {
        Problem::Tsp(instance) if instance.metric() == Metric::Haversine => format!("{length:.0} m"),
        Problem::Tsp(instance) if instance.scale() != 1.0 => significant(length),
        _ => format!("{length:.0}"),
    }
}

/// A number with nine significant digits.
fn significant(number: f64) -> String {
    let digits = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    format!("{number:.*}", (8 - digits).clamp(0, 20) as usize)
}

/// Whether TSPLIB's rounding takes much of the distances between cities with decimals.
fn is_coarse(instance: &tsp::Instance, cost: u64) -> bool {
    let whole = || instance.coords().iter().all(|p| p.to_array().iter().all(|x| x.fract() == 0.0));
    !matches!(instance.metric(), Metric::Geo | Metric::Haversine) && cost < 10 * instance.len() as u64 && !whole()
}

/// What a bound on costs is for lengths, which whole distances may differ from.
fn length_bound(problem: &Problem, cost: u64) -> f64 {
    let error = if let Problem::Tsp(instance) = problem { instance.edge_error() } else { 0.0 };
    problem.length_of(cost) - error * problem.len() as f64
}

/// The algorithm with how much of it runs side by side in the first phase, and of how many colonies where there are several.
fn algorithm(solver: &Solver) -> String {
    let recipe = solver.recipe();
    let system = &recipe.phases[0].system;
    let units = format!("{} {}", system.units(), system.units_name());
    match recipe.colonies {
        1 => format!("{} ({units})", recipe.algorithm),
        count => format!("{} ({count} colonies of {units})", recipe.algorithm),
    }
}

/// What the ants or windows of the first phase search with.
fn local_search(phases: &[PhaseRecord]) -> String {
    let first = phases.first();
    let named = first.and_then(|phase| phase.parameters.iter().find(|(name, _)| *name == "local_search"));
    named.map_or_else(
        || if first.is_some() { "lk".into() } else { "none".into() },
        |(_, value): &(_, Value)| value.to_string(),
    )
}

pub fn report<'a>(
    args: &'a SolveArgs,
    (problem, recipe): (&'a Problem, &'a Recipe),
    algorithm: &'a str,
    (backend, device): (&'a str, &'a str),
    solution: &'a Solution,
    started: Instant,
) -> Report<'a> {
    let tour = matches!(problem, Problem::Tsp(_));
    Report {
        schema: SCHEMA,
        instance: problem.name(),
        problem: problem.kind(),
        n: problem.len(),
        open: matches!(problem, Problem::Tsp(instance) if instance.is_open()),
        algorithm,
        preset: args.system.preset.as_deref(),
        local_search: local_search(&solution.phases),
        recipe,
        phases: &solution.phases,
        backend,
        device,
        seed: recipe.seed,
        iterations: solution.iterations,
        seconds: started.elapsed().as_secs_f64(),
        ended: solution.ended,
        cost: solution.cost,
        length: solution.length,
        optimum: args.optimum,
        gap: args.optimum.and_then(|optimum| gap(solution.length, optimum)),
        bound: None,
        bound_gap: None,
        tour: tour.then_some(&solution.permutation),
        tour_names: tour_names(problem, &solution.permutation),
        permutation: (!tour).then_some(&solution.permutation),
        trace: &solution.trace,
        kernels: &solution.kernels,
        longest_submission: solution.longest_submission,
    }
}

/// The names of cities in the order of a tour, where they have names.
fn tour_names<'a>(problem: &'a Problem, tour: &[u32]) -> Option<Vec<&'a str>> {
    let Problem::Tsp(instance) = problem else { return None };
    let names = instance.city_names()?;
    Some(tour.iter().map(|&city| names[city as usize].as_str()).collect())
}

pub fn reason(ended: Ended) -> &'static str {
    match ended {
        Ended::Iterations => "all iterations made",
        Ended::Time => "time is up",
        Ended::Target => "target reached",
        Ended::Stagnation => "nothing gained for long",
        Ended::Cancelled => "interrupted",
        Ended::Trivial => "all solutions tried",
        Ended::Failed => "the device failed",
        _ => "ended",
    }
}
