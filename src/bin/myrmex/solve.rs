//! `myrmex solve`.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use myrmex::report::{Report, SCHEMA};
use myrmex::settings::Value;
use myrmex::tsp::{self, Metric};
use myrmex::{Ended, Error, PhaseRecord, Problem, Result, Solution, Solver, Stop};

use crate::args::SolveArgs;
use crate::outputs;
use crate::print::{self, errln};
use crate::progress::Display;
use crate::system;

/// Seconds a run takes when no stop rule is given.
const DEFAULT_SECONDS: f64 = 5.0;
/// Exit code after an interrupt, as shells expect it.
const INTERRUPTED: u8 = 130;
/// Exit code when the device failed during the run.
const DEVICE_FAILED: u8 = 3;

pub fn run(args: &SolveArgs, started: Instant) -> Result<ExitCode> {
    let cancel = cancel_on_interrupt()?;
    if let Some(initial) = &args.initial {
        system::once([&args.problem.file, initial])?;
    }
    let problem = system::problem(&args.problem)?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, &problem)?;
    let settings = system::settings(&args.system, &problem, args.iterations)?;
    let target = system::target(&args.system)?;
    let mut solver = match &args.initial {
        Some(file) => Solver::with_start(&problem, &settings, target, &system::solution(file, &problem)?)?,
        None => Solver::new(&problem, &settings, target)?,
    };
    let to_stdout = outputs::on_stdout(args);
    let say = |text: String| match (args.quiet, to_stdout) {
        (true, _) => {}
        (false, true) => errln!("{text}"),
        (false, false) => print::remark(&text),
    };
    say(format!(
        "{}: {} {}, {}, effort {}, seed {}, on {} ({})",
        problem.name(),
        problem.len(),
        problem.parts(),
        algorithm(&solver),
        solver.recipe().effort.name(),
        settings.seed,
        solver.device(),
        solver.backend()
    ));

    let unlimited = args.iterations.is_none() && args.time.is_none() && args.target.is_none();
    let stop = Stop {
        iterations: args.iterations,
        time: args.time.or(unlimited.then_some(DEFAULT_SECONDS)).map(Duration::from_secs_f64),
        clock: Some(started),
        target: args.target,
        cancel: Some(Arc::clone(&cancel)),
    };
    let mut display = Display::new(args.quiet, &stop);
    let result = solver.run(&stop, |progress| {
        display.show(progress);
        ControlFlow::Continue(())
    });
    display.finish();
    let (solution, failure) = match result {
        Ok(solution) => (solution, None),
        Err(error) => (solver.salvage(), Some(error)),
    };

    let algorithm = system::asked_algorithm(&args.system, &settings);
    let report = report(args, &problem, &algorithm, &solver, &solution, started);
    outputs::write(args, &problem, &solution, &report)?;
    say(format!(
        "cost {} after {} iteration{}, {:.2} s ({})",
        shown(&problem, &solution),
        solution.iterations,
        if solution.iterations == 1 { "" } else { "s" },
        started.elapsed().as_secs_f64(),
        reason(solution.ended)
    ));
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        let found =
            if solution.trace.len() > 1 { "the best of the ants that were done" } else { "what the run began with" };
        say(format!("no iteration was finished, this is {found}: give it more time, or fewer ants"));
    }
    if let Problem::Tsp(instance) = &problem
        && is_coarse(instance, solution.cost)
    {
        say(format!(
            "distances are rounded to whole numbers, as TSPLIB says, and {:.1} on average: --metric plane takes the coordinates as they are",
            solution.cost as f64 / instance.len() as f64
        ));
    }
    match failure {
        Some(error) => {
            errln!("myrmex: {error}; the best solution known before that was kept");
            Ok(ExitCode::from(DEVICE_FAILED))
        }
        None if cancel.load(Ordering::Relaxed) => Ok(ExitCode::from(INTERRUPTED)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// The cost, and where that is in another unit than what was given the length in that one.
fn shown(problem: &Problem, solution: &Solution) -> String {
    match solution.length == solution.cost as f64 {
        true => solution.cost.to_string(),
        false if is_globe(problem) => format!("{} (length {:.0} m)", solution.cost, solution.length),
        false => format!("{} (length {})", solution.cost, significant(solution.length)),
    }
}

fn is_globe(problem: &Problem) -> bool {
    matches!(problem, Problem::Tsp(instance) if instance.metric() == Metric::Haversine)
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

/// A flag that an interrupt sets. The first one ends the run in order, a second one at once.
fn cancel_on_interrupt() -> Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Error::Config(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(cancel)
}

fn report<'a>(
    args: &'a SolveArgs,
    problem: &'a Problem,
    algorithm: &'a str,
    solver: &'a Solver,
    solution: &'a Solution,
    started: Instant,
) -> Report<'a> {
    let tour = matches!(problem, Problem::Tsp(_));
    Report {
        schema: SCHEMA,
        instance: problem.name(),
        problem: problem.kind(),
        n: problem.len(),
        algorithm,
        preset: args.system.preset.as_deref(),
        local_search: local_search(&solution.phases),
        recipe: solver.recipe(),
        phases: &solution.phases,
        backend: solver.backend(),
        device: solver.device(),
        seed: solver.recipe().seed,
        iterations: solution.iterations,
        seconds: started.elapsed().as_secs_f64(),
        ended: solution.ended,
        cost: solution.cost,
        length: solution.length,
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

fn reason(ended: Ended) -> &'static str {
    match ended {
        Ended::Iterations => "all iterations made",
        Ended::Time => "time is up",
        Ended::Target => "target reached",
        Ended::Cancelled => "interrupted",
        Ended::Trivial => "all solutions tried",
        Ended::Failed => "the device failed",
        _ => "ended",
    }
}
