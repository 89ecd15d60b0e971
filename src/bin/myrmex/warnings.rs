//! What a person is warned of on standard error: numbers that may be meant otherwise, and what contradicts the result.

use myrmex::tsp::{self, Metric};
use myrmex::{Ended, Problem, Solution};

use crate::args::{ProgressArg, SolveArgs};
use crate::print::errln;
use crate::telling::{self, length};

/// Cities that rounding puts into the place of others are told from this share of all on, one in so many.
const SHARE_TOLD: usize = 10;
/// A way so many times as long as the next shorter one of the tour may stand for one that is not there.
const LEAST_TIMES: usize = 100;

/// How many cities lie apart from each other as given, but in the place of another one once rounded.
fn merged_by_rounding(instance: &tsp::Instance) -> usize {
    if instance.edge_error() == 0.0 {
        return 0;
    }
    let places = |points: &[glam::DVec3]| {
        let mut places: Vec<[u64; 3]> = points.iter().map(|point| point.to_array().map(f64::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    places(&instance.points()).saturating_sub(places(instance.coords()))
}

/// The first way that is negative where few are, or all of these alike, and how many these are: they may stand for ways that are not there.
fn odd_negative(instance: &tsp::Instance) -> Option<(usize, [usize; 2])> {
    // A cost of 0 stands for something else where weights have signs.
    if instance.metric() != Metric::Explicit || instance.length_of(0) >= 0.0 {
        return None;
    }
    let n = instance.len();
    let ways = (0..n).flat_map(|a| (0..n).filter(move |b| *b != a).map(move |b| [a, b]));
    let mut negative = ways.filter(|&[a, b]| instance.way(a, b) < 0.0);
    let first = negative.next()?;
    let least = instance.way(first[0], first[1]);
    let (count, alike) =
        negative.fold((1, true), |(count, alike), [a, b]| (count + 1, alike && instance.way(a, b) == least));
    (alike || count * SHARE_TOLD <= n * (n - 1)).then_some((count, first))
}

/// The most cities whose ways without length are looked at.
const MOST_LOOKED_AT: usize = 2_000;
const MOST_PAIRS: usize = 2_000;

/// Two cities between which both ways have weight 0, though a third one is more than twice as far from one as from the other: there may be no way.
fn far_without_length(instance: &tsp::Instance) -> Option<[usize; 2]> {
    let n = instance.len();
    if instance.metric() != Metric::Explicit || !instance.is_symmetric() || n > MOST_LOOKED_AT {
        return None;
    }
    let pairs = (0..n).flat_map(|a| (0..a).map(move |b| [a, b]));
    let lie_apart = |&[a, b]: &[usize; 2]| {
        let others = (0..n).filter(|other| *other != a && *other != b);
        let differ = |one: f64, other: f64| (one - other).abs() > 0.5 * one.abs().max(other.abs());
        others.into_iter().any(|other| differ(instance.way(a, other), instance.way(b, other)))
    };
    let without = pairs.filter(|&[a, b]| instance.way(a, b) == 0.0).take(MOST_PAIRS);
    without.into_iter().find(lie_apart).map(|[a, b]| [b, a])
}

/// Tells a person, on standard error, that entries of an assignment problem are rounded, that rounding leaves few places of cities, or that
/// ways are negative or have no length.
pub fn of_numbers(args: &SolveArgs, problem: &Problem) {
    if let Problem::Tsp(instance) = problem
        && let merged = merged_by_rounding(instance)
        && merged * SHARE_TOLD > instance.len()
    {
        let text = "cities are in the same place as another one for the solver, which counts distances in units of";
        let (n, unit) = (instance.len(), 1.0 / instance.scale());
        warn(args, problem, &format!("{merged} of {n} {text} {unit}: is one of them far from all others by mistake?"));
    }
    if let Problem::Tsp(instance) = problem
        && let Some((count, [a, b])) = odd_negative(instance)
    {
        let [from, to] = [a, b].map(|city| instance.city_label(city as u32));
        let way = instance.way(a, b);
        let ways = if count == 1 { "a way has a negative weight" } else { "some ways have negative weights" };
        warn(
            args,
            problem,
            &format!(
                "{ways} (from {from} to {to}: {way}), which tours seek: a way that is not there needs a great number instead"
            ),
        );
    }
    if let Problem::Tsp(instance) = problem
        && let Some(pair) = far_without_length(instance)
    {
        let [from, to] = pair.map(|city| instance.city_label(city as u32));
        let text =
            "have weight 0, and other ways from them differ: a way that is not there needs a great number instead";
        warn(args, problem, &format!("the ways between {from} and {to} {text}"));
    }
    if let Problem::Qap(instance) = problem
        && instance.cost_error() > 0.0
    {
        let within = length(problem, instance.cost_error());
        warn(
            args,
            problem,
            &format!(
                "entries have more digits than the solver counts: it compares costs to within {within}; what it tells is of the entries as they \
                 are"
            ),
        );
    }
}

/// Tells a person, on standard error, what does not fit what was found, the length of the best solution and a lower bound: an optimum, a
/// target.
pub fn of_contradictions(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) {
    let best = solution.length;
    let is_least = matches!(solution.ended, Ended::Optimal | Ended::Trivial) && !problem.is_coarse();
    let bound = bound.or(is_least.then_some(best));
    let shown = |it: f64| length(problem, it);
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(best, *optimum)) {
        let instead = if args.plot.is_empty() { "" } else { ", and --plot draws costs instead of gaps to it" };
        let best = shown(best);
        warn(args, problem, &format!("{best} is less than --optimum {optimum}, which is no optimum then{instead}"));
    }
    let Some(bound) = bound else { return };
    if let Some(target) = args.target.filter(|target| telling::refutes(*target, bound)) {
        let bound = shown(bound);
        warn(args, problem, &format!("--target {target} is below the lower bound {bound}: no solution comes to it"));
    }
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(*optimum, bound)) {
        let bound = shown(bound);
        warn(args, problem, &format!("--optimum {optimum} is below the lower bound {bound}, and is no optimum then"));
    }
}

/// Tells a person, on standard error, that a tour takes a few ways so long that they may stand for ways that are not there.
pub fn of_ways(args: &SolveArgs, problem: &Problem, tour: &[u32]) {
    let Problem::Tsp(instance) = problem else { return };
    if instance.metric() != Metric::Explicit {
        return;
    }
    let closes = usize::from(!instance.is_open());
    let steps = (0..(tour.len() + closes).saturating_sub(1)).map(|at| [tour[at], tour[(at + 1) % tour.len()]]);
    let ways = steps.map(|[from, to]| (instance.way(from as usize, to as usize), [from, to])).collect();
    if let Some((count, longest, [from, to])) = far_ways(ways) {
        let [from, to] = [from, to].map(|city| instance.city_label(city));
        let ways = if count == 1 { "a way".into() } else { format!("{count} ways") };
        let longest = length(problem, longest);
        warn(
            args,
            problem,
            &format!(
                "the tour takes {ways} longer than all the others together could be (from {from} to {to}: {longest}): if that stands for a way \
                 that is not there, no tour without one was found"
            ),
        );
    }
}

/// How many of a tour's ways are longer than all the others could be together, and how long the longest is.
fn far_ways(mut ways: Vec<(f64, [u32; 2])>) -> Option<(usize, f64, [u32; 2])> {
    ways.sort_by(|a, b| b.0.total_cmp(&a.0));
    let limit = ways.len().max(LEAST_TIMES) as f64;
    let is_end = |at: usize| ways[at].0 > 0.0 && ways[at - 1].0 > limit * ways[at].0;
    let count = (1..ways.len()).find(|&at| is_end(at))?;
    Some((count, ways[0].0, ways[0].1))
}

fn warn(args: &SolveArgs, problem: &Problem, text: &str) {
    if !args.quiet && args.progress != ProgressArg::Json {
        errln!("myrmex: {}: {text}", problem.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_are_longer_than_tours_of_the_others_are_found() {
        let far = |lengths: &[f64]| far_ways(lengths.iter().map(|&length| (length, [1, 2])).collect());
        assert_eq!(far(&[5.0, 1e9, 7.0, 3.0, 1.0, 2e9]), Some((2, 2e9, [1, 2])));
        assert_eq!(far(&[1e6, 1e6, 7.0]), Some((2, 1e6, [1, 2])));
        assert_eq!(far(&[5.0, 420.0, 7.0, 3.0, 1.0, 6.0]), None);
        assert_eq!(far(&[0.0, 42.0, 0.0]), None);
        assert_eq!(far(&[1e9, 1e9]), None);
        assert_eq!(far(&[]), None);
    }
}
