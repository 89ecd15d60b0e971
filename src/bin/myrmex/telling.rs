//! What is told of a run: its report, and costs and lengths in words.

use std::time::Instant;

use myrmex::report::{Report, SCHEMA};
use myrmex::settings::{Recipe, Value};
use myrmex::tsp::Metric;
use myrmex::{Ended, PhaseRecord, Problem, Solution};

use crate::args::SolveArgs;

/// Seconds of a run; of one that is resumed those before included.
pub fn seconds(started: Instant, solution: &Solution) -> f64 {
    started.elapsed().as_secs_f64() + solution.resumed.map_or(0.0, |resumed| resumed.seconds)
}

/// By how many percent a length is above an optimum; an optimum of 0 has no percents.
pub fn gap(length: f64, optimum: f64) -> Option<f64> {
    (optimum != 0.0).then(|| (length - optimum) / optimum.abs() * 100.0)
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
        device_lost: solution.device_lost.as_ref(),
        seed: recipe.seed,
        iterations: solution.iterations,
        seconds: seconds(started, solution),
        resumed: solution.resumed,
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
