//! What is told of a run: its report, and costs and lengths in words.

use std::path::Path;
use std::time::Instant;

use myrmex::report::Report;
use myrmex::settings::{AskedFor, Recipe};
use myrmex::{Cancel, Ended, Problem, Solution};

use crate::args::SolveArgs;
use crate::solve::stop;
use crate::summary;

/// Seconds of a run until now; of one that is resumed those before included. Those of its solution count from when the solver was made.
pub fn seconds(started: Instant, solution: &Solution) -> f64 {
    started.elapsed().as_secs_f64() + solution.resumed.map_or(0.0, |resumed| resumed.seconds)
}

/// By how many percent a length is above an optimum; an optimum of 0 has no percents, and neither has a tour with ways that are not there. What the order of
/// a sum leaves is no gap.
pub fn gap(length: f64, optimum: f64) -> Option<f64> {
    let gap = (length - optimum) / optimum.abs() * 100.0;
    (optimum != 0.0 && gap.is_finite()).then_some(if gap.abs() < 1e-10 { 0.0 } else { gap })
}

/// Whether a solution is shorter than what was called an optimum; as this program tells one it has nine digits. Another one may be rounded to the decimals that
/// it has, where no gap is shown.
pub fn refutes(length: f64, optimum: f64) -> bool {
    let is_rounded = |gap: f64| gap > -LEAST_SHOWN && optimum - length <= half_a_decimal(optimum);
    gap(length, optimum).map_or(length < optimum, |gap| gap < -LEAST_OF_DIGITS && !is_rounded(gap))
}

/// Half of a one in the last decimal of a number; 0 where it has no decimals.
fn half_a_decimal(number: f64) -> f64 {
    let decimals = number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    if decimals == 0 { 0.0 } else { 0.500_001 * 10f64.powi(-(decimals as i32)) }
}

/// How far above an optimum, or below what was none.
pub fn above(gap: f64) -> String {
    if gap <= -LEAST_SHOWN { format!("{} below", percent(-gap)) } else { format!("{} above", percent(gap)) }
}

/// The least part of a percent that is told.
const LEAST_SHOWN: f64 = 5e-4;
/// Percent within which two lengths of nine digits are the same.
const LEAST_OF_DIGITS: f64 = 1e-6;

/// A gap with three decimals, rounded up, that another one is at most.
pub fn at_most(gap: f64) -> String {
    format!("at most {:.3}%", (gap * 1e3 - 1e-6).ceil().max(0.0) / 1e3 + 0.0)
}

/// A gap with three decimals; one above 0 that they do not show is told as less than the least of them.
pub fn percent(gap: f64) -> String {
    match gap {
        gap if gap > LEAST_OF_DIGITS && gap < LEAST_SHOWN => "<0.001%".into(),
        gap => format!("{:.3}%", if gap.abs() < LEAST_SHOWN { 0.0 } else { gap }),
    }
}

/// What a solution costs: where the solver counts in another unit than what was given, or rounds, first its length in that unit.
pub fn shown(problem: &Problem, in_unit: f64, cost: u64) -> String {
    match (in_unit == cost as f64, problem) {
        (true, _) => format!("cost {cost}"),
        (false, Problem::Qap(_)) => format!("cost {} (counted as {cost})", problem.display_length(in_unit)),
        (false, _) => format!("length {} (cost {cost})", problem.display_length(in_unit)),
    }
}

/// The greatest length that is told as this one: its last digit is rounded where it has decimals.
pub fn up_to(length: f64) -> f64 {
    let half = if length.fract() == 0.0 { 0.0 } else { 0.5 * 10f64.powi(length.abs().log10().floor() as i32 - 8) };
    length + half
}

/// A number of things.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// How large a problem is, in words.
pub fn size(problem: &Problem) -> String {
    let Problem::Qap(instance) = problem else { return count(problem.len(), "city", problem.parts()) };
    let mut text = count(instance.len(), "facility", problem.parts());
    if instance.locations() > instance.len() {
        text += &format!(", {} locations", instance.locations());
    }
    match instance.fixed().len() {
        0 => text,
        fixed => text + &format!(", {fixed} fixed"),
    }
}

/// A problem in words: how large it is, what its distances come from, and what a tour of it has to keep to.
pub fn described(problem: &Problem) -> String {
    let Problem::Tsp(instance) = problem else { return size(problem) };
    let mut text = format!("{}, {}", size(problem), instance.distances_from());
    let called = |city: Option<u32>| city.map(|city| instance.city_label(city));
    let ends = [(" from ", called(instance.path_start())), (" to ", called(instance.path_end()))];
    if instance.is_open() {
        text += ", open path";
        ends.into_iter()
            .for_each(|(word, city)| text += &city.map_or_else(String::new, |city| word.to_owned() + &city));
    } else if let Some(city) = called(instance.first_city()) {
        text += &format!(", round trip from {city}");
    }
    match instance.fixed_edges().len() {
        0 => text,
        1 => text + ", 1 fixed edge",
        edges => text + &format!(", {edges} fixed edges"),
    }
}

/// What runs: the algorithm with how much of it runs side by side; of a preset its name before that, and behind it what was set beside it, with which it is not as
/// its paper has it.
pub fn what_runs(asked: &AskedFor, recipe: &Recipe) -> String {
    let Some(preset) = &asked.preset else { return summary::algorithm(recipe) };
    let set: Vec<String> = asked.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let with = if set.is_empty() { String::new() } else { format!(", with {}", set.join(" ")) };
    format!("preset {preset} ({}, {}){with}", recipe.algorithm, summary::side_by_side(recipe))
}

/// In which unit costs are counted, where that is not theirs.
pub fn unit(recipe: &Recipe) -> Option<String> {
    let unit = Some(recipe.cost_unit).filter(|unit| *unit > 1)?;
    Some(format!(
        "distances or tours are longer than {} counts to: while it runs costs are told in steps of {unit}, at the end exactly",
        recipe.algorithm
    ))
}

pub fn report<'a>(
    args: &'a SolveArgs,
    (problem, path): (&'a Problem, Option<&'a str>),
    asked_for: &'a AskedFor,
    solution: &'a Solution,
    started: Instant,
) -> Report<'a> {
    let report = Report::of(problem, solution).with_asked_for(asked_for);
    let mut report = report.with_stop(&stop(args, &Cancel::new(), started));
    report.initial = args.initial.as_deref().and_then(Path::to_str);
    (report.path, report.optimum) = (path, args.optimum);
    report.gap = args.optimum.and_then(|optimum| gap(solution.length, optimum));
    report
}

pub fn reason(ended: Ended) -> &'static str {
    match ended {
        Ended::Iterations => "all iterations made",
        Ended::Time => "time is up",
        Ended::Target => "target reached",
        Ended::Stagnation => "nothing gained for long",
        Ended::Converged => "converged: nothing more is to be expected soon",
        Ended::Cancelled => "interrupted",
        Ended::Optimal => "no solution is better",
        Ended::Trivial => "all solutions tried",
        Ended::Failed => "the run failed",
        _ => "ended",
    }
}

#[cfg(test)]
mod tests {
    use myrmex::settings::{Request, Value};
    use myrmex::{Effort, tsp};

    use super::*;

    #[test]
    fn small_gaps_are_not_told_as_none() {
        let told = [0.0, 1e-7, 2e-6, 4.9e-4, 5e-4, 1.2346, -1e-7, -0.3].map(above);
        let expected = [
            "0.000% above",
            "0.000% above",
            "<0.001% above",
            "<0.001% above",
            "0.001% above",
            "1.235% above",
            "0.000% above",
            "0.300% below",
        ];
        assert_eq!(told, expected);
        let most = [0.0, 1e-7, 0.0101, 2.5].map(at_most);
        assert_eq!(most, ["at most 0.000%", "at most 0.001%", "at most 0.011%", "at most 2.500%"]);
    }

    #[test]
    fn a_preset_is_told_with_what_was_set_beside_it() {
        let problem = Problem::from(tsp::generate(tsp::Kind::Uniform, 52, 1).unwrap());
        let told = |words: &[(&str, &str)]| {
            let asked = Request::of(words.iter().map(|(name, text)| (*name, Value::from_text(text)))).unwrap();
            let settings = asked.settings(&problem).unwrap();
            what_runs(&asked.asked_for(&settings), &settings.recipe(&problem, Effort::Standard).unwrap())
        };
        let preset = ("preset", "mmas-rwm-lc");
        assert_eq!(told(&[preset]), "preset mmas-rwm-lc (mmas, 52 ants)");
        let set = [preset, ("ants", "20"), ("beta", "3.5"), ("seed", "4")];
        assert_eq!(told(&set), "preset mmas-rwm-lc (mmas, 20 ants), with ants=20 beta=3.5");
        assert_eq!(told(&[("algorithm", "mmas"), ("ants", "20")]), "mmas (20 ants)");
    }

    #[test]
    fn a_length_that_was_told_is_reached_by_itself() {
        let problem = Problem::from(tsp::Instance::from_points(&[[0.5, 0.25], [0.0, 1.0]]).unwrap());
        for length in [1_614_381.781_2, 585_462.468_123_4, -7.141_592_653_589, 0.000_123_456_789_12, 17.5] {
            let told: f64 = problem.display_length(length).parse().unwrap();
            assert!(length <= up_to(told) && up_to(told) - length <= 1.1e-8 * length.abs(), "{length}: {told}");
        }
        assert_eq!([2_253_040_346.0, 7.0, 0.0].map(up_to), [2_253_040_346.0, 7.0, 0.0]);
    }
}
