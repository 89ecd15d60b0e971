//! `myrmex solve`.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use myrmex::report::{Report, SCHEMA};
use myrmex::settings::{Recipe, Value};
use myrmex::{Ended, PhaseRecord, Problem, Result, Solution, Solver, Stop, TracePoint};

use crate::args::SolveArgs;
use crate::outputs;
use crate::print::{self, errln};
use crate::progress::Display;
use crate::system;
use crate::watch::{Known, Stage, Watch};

/// Seconds a run takes when no stop rule is given.
const DEFAULT_SECONDS: f64 = 5.0;
/// Exit code after an interrupt, as shells expect it.
pub const INTERRUPTED: u8 = 130;
/// Exit code when the device failed during the run.
const DEVICE_FAILED: u8 = 3;

/// The time limit of a run.
pub fn time_limit(args: &SolveArgs) -> Option<Duration> {
    let unlimited = args.iterations.is_none() && args.time.is_none() && args.target.is_none();
    args.time.or(unlimited.then_some(DEFAULT_SECONDS)).map(Duration::from_secs_f64)
}

pub fn run(args: &SolveArgs, started: Instant, watch: &Watch) -> Result<ExitCode> {
    let cancel = &watch.cancel;
    let problem = system::problem(&args.file, args.problem)?;
    log::debug!("{:.3} s to read the file", started.elapsed().as_secs_f64());
    outputs::check(args, &problem)?;
    let settings = system::settings(&args.system, &problem, args.iterations)?;
    let target = system::target(&args.system)?;
    let algorithm_asked = system::asked_algorithm(&args.system, &settings);
    let known = Known {
        problem: problem.clone(),
        recipe: settings.recipe(&problem, false)?,
        algorithm: algorithm_asked.clone(),
        initial: args.initial.as_ref().map(|file| system::solution(file, &problem)).transpose()?,
        device: None,
    };
    let initial = known.initial.clone();
    watch.enter(|_| Stage::SettingUp(Box::new(known)));
    let mut solver = match &initial {
        Some(initial) => Solver::with_start(&problem, &settings, target, initial)?,
        None => Solver::new(&problem, &settings, target)?,
    };
    watch.enter(|stage| match stage {
        Stage::SettingUp(known) => {
            let device = Some((solver.backend(), solver.device().to_owned()));
            Stage::Running(Box::new(Known { recipe: solver.recipe().clone(), device, ..*known }), solver.incumbent())
        }
        other => other,
    });
    let say = |text: String| say(args, text);
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

    let stop = Stop {
        iterations: args.iterations,
        time: time_limit(args),
        clock: Some(started),
        target: args.target,
        cancel: Some(Arc::clone(cancel)),
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

    let algorithm = algorithm_asked;
    let device = (solver.backend(), solver.device());
    let report = report(args, (&problem, solver.recipe()), &algorithm, device, &solution, started);
    watch.enter(|_| Stage::Writing);
    outputs::write(args, &problem, &solution, &report)?;
    say(ending(&solution, started));
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        let found =
            if solution.trace.len() > 1 { "the best of the ants that were done" } else { "what the run began with" };
        say(format!("no iteration was finished, this is {found}: give it more time, or fewer ants"));
    }
    if solution.cost == 0 && problem.len() > 3 && matches!(problem, Problem::Tsp(_)) {
        say("distances are rounded to whole numbers, as TSPLIB says: scale coordinates up if 0 is not what you expect"
            .into());
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

/// Says something about the run, unless nobody wants to know.
fn say(args: &SolveArgs, text: String) {
    match (args.quiet, outputs::on_stdout(args)) {
        (true, _) => {}
        (false, true) => errln!("{text}"),
        (false, false) => print::remark(&text),
    }
}

fn ending(solution: &Solution, started: Instant) -> String {
    format!(
        "cost {} after {} iteration{}, {:.2} s ({})",
        solution.cost,
        solution.iterations,
        if solution.iterations == 1 { "" } else { "s" },
        started.elapsed().as_secs_f64(),
        reason(solution.ended)
    )
}

/// Writes what is known of a run in its place: a solution with its cost.
pub fn write_in_place(
    args: &SolveArgs,
    known: &Known,
    (permutation, cost): (Vec<u32>, u64),
    ended: Ended,
    started: Instant,
) -> Result<()> {
    let seconds = started.elapsed().as_secs_f64();
    let solution = Solution {
        permutation,
        cost,
        iterations: 0,
        seconds,
        ended,
        trace: vec![TracePoint { seconds, iteration: 0, cost, shared_edges: None }],
        phases: Vec::new(),
        kernels: Vec::new(),
        longest_submission: 0.0,
    };
    let device =
        known.device.as_ref().map_or(("cpu", "none yet, the set-up was not done"), |(name, device)| (name, device));
    let report = report(args, (&known.problem, &known.recipe), &known.algorithm, device, &solution, started);
    outputs::write(args, &known.problem, &solution, &report)?;
    say(args, format!("cost {cost}, {seconds:.2} s ({})", reason(ended)));
    say(
        args,
        match known.device {
            None => "the set-up was not done, this is a simple solution: give it more time".into(),
            Some(_) => "the device did not answer in time, this is the best solution known before".into(),
        },
    );
    Ok(())
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

fn report<'a>(
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
        tour: tour.then_some(&solution.permutation),
        permutation: (!tour).then_some(&solution.permutation),
        trace: &solution.trace,
        kernels: &solution.kernels,
        longest_submission: solution.longest_submission,
    }
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
