//! What a problem, or a solution, may be meant otherwise: numbers that stand for something else, and what rounding decides.

use super::Problem;
use crate::error::Result;
use crate::instance::qap;
use crate::instance::tsp::{self, Metric, Odd};

/// Cities that rounding puts into the place of others, and negative distances, are told from this share of all on, or up to it: one in so many.
const SHARE_TOLD: usize = 10;
/// A way so many times as long as the next shorter one of the tour may stand for one that is not there.
const LEAST_TIMES: usize = 100;
/// That TSPLIB rounds ways to whole numbers is told where their mean is less.
const MEAN_ROUNDED_WELL: u64 = 10;
/// Rounding may decide where it changes more than such a share of what an assignment costs.
const COARSE_SHARE: f64 = 0.1;
/// Rounding may decide where half of a tour's ways are shorter than so many times what it changes.
const COARSE_STEPS: f64 = 10.0;

impl Problem {
    /// What in the problem may be meant otherwise, or is rounded so that it matters: a sentence each, for people. None ends a run or changes it. The
    /// program prints them and has them in its reports, the Python package warns of them.
    ///
    /// ```
    /// use myrmex::{Problem, tsp::Instance};
    ///
    /// let half = Instance::from_matrix_i64(3, vec![0, 5, 2, 0, 0, 4, 0, 0, 0])?;
    /// assert!(Problem::from(half).warnings()[0].starts_with("all weights on one side of the diagonal are 0"));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Tsp(instance) => of_tours(self, instance),
            Self::Qap(instance) => of_assignments(self, instance),
        }
    }

    /// The same of a solution: that a tour takes ways which may stand for such that are not there, or an assignment places that may stand for such where a
    /// facility must not be, or that rounding may have decided which tour costs the least, also TSPLIB's to whole numbers.
    ///
    /// # Errors
    /// As [`Problem::cost`].
    pub fn warnings_of(&self, permutation: &[u32]) -> Result<Vec<String>> {
        let instance = match self {
            Self::Tsp(instance) => instance,
            Self::Qap(instance) => {
                let told = [forbidden_places(self, instance, permutation), coarse_cost(self, instance, permutation)?];
                return Ok(told.into_iter().flatten().collect());
            }
        };
        instance.check_tour(permutation)?;
        if instance.metric() != Metric::Explicit && instance.edge_error() == 0.0 {
            return Ok(rounded_to_whole(instance, self.cost(permutation)?).into_iter().collect());
        }
        let closes = usize::from(!instance.is_open());
        let steps = (permutation.len() + closes).saturating_sub(1);
        let step = |at: usize| [permutation[at], permutation[(at + 1) % permutation.len()]];
        let ways: Vec<(f64, [u32; 2])> =
            (0..steps).map(step).map(|[from, to]| (instance.way(from as usize, to as usize), [from, to])).collect();
        Ok([missing_ways(self, instance, &ways), coarse_steps(self, instance, &ways)].into_iter().flatten().collect())
    }
}

fn of_tours(problem: &Problem, instance: &tsp::Instance) -> Vec<String> {
    let mut told = Vec::new();
    let merged = instance.merged_by_rounding();
    if merged * SHARE_TOLD > instance.len() {
        told.push(format!(
            "{merged} of {} cities are in the same place as another one for the solver, which counts distances in units of {}: is one of them far \
             from all others by mistake?",
            instance.len(),
            1.0 / instance.scale()
        ));
    } else if problem.is_coarse() {
        told.push(format!(
            "the solver counts distances to within {}, which may decide which solution it takes for the best: is there {}?",
            problem.display_length(instance.edge_error()),
            too_far(instance)
        ));
    }
    if let Some(city) = at_the_origin(instance) {
        let label = instance.city_label(city as u32);
        told.push(format!(
            "city {label} lies at longitude 0, latitude 0, as places do that were not found, and the others far from there"
        ));
    }
    let Some(Odd { is_half_empty, negative, without_length, directions, difference }) = instance.odd() else {
        return told;
    };
    if *is_half_empty {
        let text = "all weights on one side of the diagonal are 0, and none on the other: is each way meant to be as long as that back?";
        told.push(text.into());
    }
    if let Some((count, [a, b])) = *negative {
        let ways = if count == 1 { "a way has a negative weight" } else { "some ways have negative weights" };
        let (ends, way) = (ends(instance, [a, b]), instance.way(a, b));
        told.push(format!(
            "{ways} ({ends}: {way}), which tours seek: a way that is not there needs an infinite weight, or a great one, instead"
        ));
    }
    if let Some(pair) = without_length {
        let ends = ends(instance, *pair);
        told.push(format!(
            "there and back, a way has weight 0 ({ends}), and other ways from these cities differ: a way that is not there needs an infinite weight, or a \
             great one, instead"
        ));
    }
    if let Some((count, [a, b])) = *directions {
        let (ends, [there, back]) = (ends(instance, [a, b]), [instance.way(a, b), instance.way(b, a)]);
        let pairs = if count == 1 { "one pair of cities".into() } else { format!("{count} pairs of cities") };
        let all = instance.len() * (instance.len() - 1) / 2;
        told.push(format!(
            "{pairs} of {all} have ways that differ from those back ({ends}: {there}, back {back}): by that the distances are asymmetric, which \
             takes more time to solve"
        ));
    } else if let Some(most) = difference {
        told.push(format!(
            "ways differ from those back by no more than {}: where that is not meant, the mean of both makes the distances symmetric, which takes \
             less time to solve",
            problem.display_length(*most)
        ));
    }
    told
}

fn of_assignments(problem: &Problem, instance: &qap::Instance) -> Vec<String> {
    let mut told = Vec::new();
    if problem.is_coarse() {
        let within = problem.display_length(instance.cost_error());
        told.push(format!(
            "the solver counts costs to within {within}, which may decide which solution it takes for the best: is there an entry much greater than \
             the others?"
        ));
    }
    let n = instance.locations();
    let distance = |at: usize| instance.distance(at / n, at % n);
    let mut negative = (0..n * n).filter(|at| at / n != at % n && distance(*at) < 0.0);
    if let Some(first) = negative.next() {
        let (least, [from, to]) =
            (distance(first), [first / n, first % n].map(|at| instance.location_label(at as u32)));
        let (count, alike) = negative.fold((1, true), |(count, alike), at| (count + 1, alike && distance(at) == least));
        if alike || count * SHARE_TOLD <= n * (n - 1) {
            told.push(format!(
                "some distances are negative (from location {from} to {to}: {least}), which assignments seek: what must not be needs a great number instead"
            ));
        }
    }
    told
}

/// What is told of an assignment with a place that costs more than all the rest together could: a facility may not be meant to be there.
fn forbidden_places(problem: &Problem, instance: &qap::Instance, locations: &[u32]) -> Option<String> {
    let of = |(facility, location): (usize, &u32)| {
        Some((instance.placing_cost(facility, *location as usize)?, [facility as u32, *location]))
    };
    let mut placed: Vec<(f64, [u32; 2])> = locations.iter().enumerate().map(of).collect::<Option<_>>()?;
    let named = instance.facility_names().is_some() || instance.location_names().is_some();
    let counted = if named { "" } else { ", counted from 1," };
    let called = |[facility, location]: [u32; 2]| {
        format!(
            "facility {} is at location {}{counted}",
            instance.facility_label(facility),
            instance.location_label(location)
        )
    };
    let mut missing = placed.iter().filter(|(cost, _)| cost.is_infinite());
    if let Some((_, place)) = missing.next() {
        let more = match missing.count() {
            0 => String::new(),
            1 => ", and 1 more facility".into(),
            count => format!(", and {count} more facilities"),
        };
        return Some(format!("{} where it must not be{more}", called(*place)));
    }
    let all: f64 = placed.iter().map(|place| place.0).sum();
    // What flows cost counts as one more.
    placed.push(((problem.length(locations).ok()? - all).abs(), [u32::MAX; 2]));
    let (_, cost, place) = far_ways(placed).filter(|(_, _, place)| place[0] != u32::MAX)?;
    // Where all places cost much, none of them stands for something else.
    let all =
        (0..instance.len()).flat_map(|facility| (0..instance.locations()).map(move |location| [facility, location]));
    let least = all
        .filter_map(|[facility, location]| instance.placing_cost(facility, location))
        .fold(f64::INFINITY, |a, b| a.min(b.abs()));
    if cost <= LEAST_TIMES as f64 * least {
        return None;
    }
    let cost = problem.display_length(cost);
    Some(format!(
        "{} for {cost}, more than all the rest together could cost: does that stand for a place where it must not be?",
        called(place)
    ))
}

/// What is told where rounding changes much of what an assignment costs. (What is seen before a run is told there.)
fn coarse_cost(problem: &Problem, instance: &qap::Instance, locations: &[u32]) -> Result<Option<String>> {
    let (length, error) = (problem.length(locations)?, instance.cost_error());
    if error <= COARSE_SHARE * length.abs() || problem.is_coarse() || instance.is_compared_as_given() {
        return Ok(None);
    }
    let [length, error] = [length, error].map(|it| problem.display_length(it));
    Ok(Some(format!(
        "this assignment costs {length}, and the solver counts costs to within {error}: there may be better ones; round the entries to fewer digits, or make \
         the greatest of them smaller, where that is possible"
    )))
}

/// What makes rounding coarse.
fn too_far(instance: &tsp::Instance) -> &'static str {
    match instance.metric() {
        Metric::Explicit if instance.counts_means() => "noise that makes ways differ from those back",
        Metric::Explicit => "a weight much greater than the others",
        _ => "a city very far from the others",
    }
}

/// From one city to another, as a person calls them.
fn ends(instance: &tsp::Instance, pair: [usize; 2]) -> String {
    let [from, to] = pair.map(|city| instance.city_label(city as u32));
    let counted =
        if instance.city_names().is_none() && instance.city_ids().is_none() { ", counted from 1" } else { "" };
    format!("from {from} to {to}{counted}")
}

/// A place at longitude 0 and latitude 0 that lies farther from the next one than that is from any other.
fn at_the_origin(instance: &tsp::Instance) -> Option<usize> {
    let places = instance.lon_lat()?;
    let n = places.len();
    let is_there = |city: &usize| places[*city].x == 0.0 && places[*city].y == 0.0;
    let city = (0..n).find(is_there).filter(|_| n > 2)?;
    let others = || (0..n).filter(|other| !is_there(other));
    let nearest = others().min_by(|&a, &b| instance.way(city, a).total_cmp(&instance.way(city, b)))?;
    let apart = others().map(|other| instance.way(nearest, other)).fold(0.0, f64::max);
    (instance.way(city, nearest) > apart).then_some(city)
}

/// What is told of a tour whose ways may stand for such that are not there.
fn missing_ways(problem: &Problem, instance: &tsp::Instance, ways: &[(f64, [u32; 2])]) -> Option<String> {
    if instance.metric() != Metric::Explicit {
        return None;
    }
    let mut missing = ways.iter().filter(|(way, _)| way.is_infinite());
    if let Some((_, pair)) = missing.next() {
        let (ends, more) = (ends(instance, pair.map(|city| city as usize)), missing.count());
        let others = if more > 0 { format!(", and {more} more") } else { String::new() };
        return Some(format!("the tour takes ways that are not there ({ends}{others})"));
    }
    let (count, longest, pair) = far_ways(ways.to_vec())?;
    let ends = ends(instance, pair.map(|city| city as usize));
    let which = if count == 1 { "a way".into() } else { format!("{count} ways") };
    let longest = problem.display_length(longest);
    Some(format!(
        "the tour takes {which} longer than all the others together could be ({ends}: {longest}): does that stand for a way that is not there?"
    ))
}

/// What is told where TSPLIB's rounding takes much of the ways between cities whose coordinates have decimals.
fn rounded_to_whole(instance: &tsp::Instance, cost: u64) -> Option<String> {
    let is_rounded = !matches!(instance.metric(), Metric::Geo | Metric::Haversine);
    if !is_rounded || cost >= MEAN_ROUNDED_WELL * instance.len() as u64 {
        return None;
    }
    let is_whole = |place: &glam::DVec3| place.to_array().iter().all(|x| x.fract() == 0.0);
    (!instance.coords().iter().all(is_whole)).then(|| {
        format!(
            "distances are rounded to whole numbers, as TSPLIB says, and {:.1} on average, so that a longer tour may count as the shortest: the metric \
             'plane' takes coordinates as they are",
            cost as f64 / instance.len() as f64
        )
    })
}

/// How many of a tour's ways are longer than all the others could be together, and how long the longest is.
fn far_ways(mut ways: Vec<(f64, [u32; 2])>) -> Option<(usize, f64, [u32; 2])> {
    ways.sort_by(|a, b| b.0.total_cmp(&a.0));
    let limit = ways.len().max(LEAST_TIMES) as f64;
    let is_end = |at: usize| ways[at].0 > 0.0 && ways[at - 1].0 > limit * ways[at].0;
    let count = (1..ways.len()).find(|&at| is_end(at))?;
    Some((count, ways[0].0, ways[0].1))
}

/// What is told where rounding changes much of a tour's ways. (What is seen before a run, of few cities, is told there.)
fn coarse_steps(problem: &Problem, instance: &tsp::Instance, ways: &[(f64, [u32; 2])]) -> Option<String> {
    let error = instance.edge_error();
    if error == 0.0 || ways.is_empty() || problem.is_coarse() {
        return None;
    }
    let in_common = instance.in_common();
    let mut lengths: Vec<f64> = ways.iter().map(|(way, _)| (way - in_common).abs()).collect();
    // Cities in one place are, exactly.
    lengths.retain(|length| *length > 0.0);
    if lengths.is_empty() {
        return None;
    }
    let middle = lengths.len() / 2;
    let (_, middle, _) = lengths.select_nth_unstable_by(middle, f64::total_cmp);
    (*middle < COARSE_STEPS * error).then(|| {
        format!(
            "half of the tour's ways that have a length are {} {}, and the solver counts them to within {}: there may be better tours; is there {}?",
            if in_common == 0.0 { "shorter than" } else { "longer than the shortest way by less than" },
            problem.display_length(*middle),
            problem.display_length(error),
            too_far(instance)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Instance, Kind, generate};

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

    #[test]
    fn odd_assignments_are_told() {
        let flows = vec![0.0, 3.0, 1.0, 3.0, 0.0, 2.0, 1.0, 2.0, 0.0];
        let made = |change: f64, placing: Option<Vec<f64>>| {
            let distances = vec![0.0, change, 5.0, change, 0.0, 7.0, 5.0, 7.0, 0.0];
            Problem::from(qap::Instance::from_matrices_f64("made", [3, 3], flows.clone(), distances, placing).unwrap())
        };
        assert!(made(4.0, None).warnings().is_empty());
        let negative = made(-1.0, None).warnings().join("\n");
        assert!(negative.starts_with("some distances are negative (from location 1 to 2: -1)"), "{negative}");
        let never = made(4.0, Some(vec![1e9, 1e9, 1e9, 0.0, 2.0, 1.0, 4.0, 0.0, 0.0]));
        let told = never.warnings_of(&[0, 1, 2]).unwrap().join("\n");
        assert!(told.starts_with("facility 1 is at location 1, counted from 1, for 1000000000, more than"), "{told}");
        let inf = f64::INFINITY;
        let never = made(4.0, Some(vec![inf, inf, inf, 0.0, 2.0, 1.0, 4.0, 0.0, 0.0]));
        let told = never.warnings_of(&[0, 1, 2]).unwrap().join("\n");
        assert_eq!(told, "facility 1 is at location 1, counted from 1, where it must not be");
        assert_eq!(never.length(&[0, 1, 2]).unwrap(), inf);
        // Where all places cost as much, none is forbidden.
        let dear = made(4.0, Some(vec![1e4, 2e4, 1e4, 3e4, 1e4, 2e4, 1e4, 3e4, 1e4]));
        assert!(dear.warnings_of(&[0, 1, 2]).unwrap().is_empty());
        let usual = made(4.0, Some(vec![9.0, 1.0, 3.0, 0.0, 2.0, 1.0, 4.0, 0.0, 0.0]));
        assert!(usual.warnings_of(&[0, 1, 2]).unwrap().is_empty());
    }

    /// Four cities at distances of 1 or 2 whose coordinates have decimals.
    #[test]
    fn whole_numbers_that_take_much_are_told() {
        let square = |side: f64, metric: &str| {
            let text = format!(
                "NAME: near\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: {metric}\nNODE_COORD_SECTION\n\
                 1 0 0\n2 {side} 0\n3 {side} {side}\n4 0 {side}\nEOF\n"
            );
            let problem = Problem::from(Instance::parse(&text, "near.tsp").unwrap());
            problem.warnings_of(&[0, 1, 2, 3]).unwrap().join("\n")
        };
        let told = square(1.4, "EUC_2D");
        assert!(
            told.starts_with("distances are rounded to whole numbers, as TSPLIB says, and 1.0 on average,"),
            "{told}"
        );
        assert!(square(1.4, "CEIL_2D").contains("and 2.0 on average,"));
        assert_eq!([square(2.0, "EUC_2D"), square(14.5, "EUC_2D"), square(1.4, "GEO")], ["", "", ""]);
        let plane = Problem::from(Instance::from_points(&[[0.0, 0.0], [1.4, 0.0], [1.4, 1.4], [0.0, 1.4]]).unwrap());
        assert!(plane.warnings_of(&[0, 1, 2, 3]).unwrap().is_empty());
    }

    fn told(instance: &Instance) -> String {
        Problem::from(instance).warnings().join("\n")
    }

    #[test]
    fn odd_matrices_are_told_and_others_are_not() {
        let places = generate(Kind::Uniform, 40, 1).unwrap();
        let of = |change: &dyn Fn(usize, usize, f64) -> f64| {
            let n = 40;
            let way = |at: usize| change(at / n, at % n, f64::from(places.distance(at / n, at % n)));
            Instance::from_matrix_f64(n, (0..n * n).map(way).collect()).unwrap()
        };
        assert_eq!(told(&of(&|_, _, way| way)), "");
        assert_eq!(told(&of(&|a, b, way| if a < b { way } else { 2.0 * way })), "");
        let noisy = told(&of(&|a, b, way| way + ((a * 7 + b * 3) % 5) as f64 * 100.0));
        assert!(noisy.starts_with("ways differ from those back by no more than 300: "), "{noisy}");
        let nowhere = Instance::from_lon_lat(&[[13.4, 52.5], [13.5, 52.4], [0.0, 0.0], [13.3, 52.6]]).unwrap();
        assert!(told(&nowhere).starts_with("city 3 lies at longitude 0, latitude 0"), "{}", told(&nowhere));
        assert_eq!(told(&Instance::from_lon_lat(&[[0.0, 0.0], [0.1, 0.1], [0.2, 0.0], [-0.1, 0.3]]).unwrap()), "");
        // All in one place.
        let one = Problem::from(Instance::from_points(&[[1.0, 1.0]; 4]).unwrap());
        assert!(one.warnings_of(&[0, 1, 2, 3]).unwrap().is_empty());
        let half = told(&of(&|a, b, way| if a < b { way } else { 0.0 }));
        assert!(half.starts_with("all weights on one side") && half.lines().count() == 1, "{half}");
        assert!(told(&of(&|a, b, way| if a > b { way } else { 0.0 })).starts_with("all weights on one side"));
        let one = told(&of(&|a, b, way| if (a, b) == (3, 7) { way + 5.0 } else { way }));
        assert!(
            one.starts_with(
                "one pair of cities of 780 have ways that differ from those back (from 4 to 8, counted from 1: "
            ),
            "{one}"
        );
        let absent = told(&of(&|a, b, way| if a + b == 11 { -1.0 } else { way }));
        assert!(absent.contains("some ways have negative weights (from 1 to 12, counted from 1: -1)"), "{absent}");
        assert!(
            told(&of(&|a, b, way| if a + b == 11 { 0.0 } else { way }))
                .contains("a way has weight 0 (from 6 to 7, counted from 1)")
        );
    }

    #[test]
    fn solutions_with_missing_ways_and_such_that_rounding_decides_are_told() {
        let ring = |n: usize| {
            let weight =
                |at: usize| if [1, n - 1].contains(&((at / n + n - at % n) % n)) { 2.5 } else { f64::INFINITY };
            Problem::from(Instance::from_matrix_f64(n, (0..n * n).map(weight).collect()).unwrap())
        };
        assert!(ring(6).warnings_of(&[0, 1, 2, 3, 4, 5]).unwrap().is_empty());
        let missing = ring(6).warnings_of(&[2, 1, 0, 3, 4, 5]).unwrap().join("\n");
        assert!(missing.contains("not there (from 1 to 4, counted from 1, and 1 more)"), "{missing}");
        assert!(ring(6).warnings_of(&[0, 0, 1, 2, 3, 4]).is_err());

        // Of more cities than are looked at before a run.
        let places = generate(Kind::Uniform, 1_500, 1).unwrap();
        let with_one_at = |far: f64| {
            let points = places.coords().iter().map(|p| [p.x / 1e6, p.y / 1e6]).chain([[far, 0.0]]);
            Problem::from(Instance::from_points(&points.collect::<Vec<_>>()).unwrap())
        };
        let of = |problem: &Problem| problem.warnings_of(&problem.simple_solution()).unwrap().join("\n");
        assert_eq!((of(&with_one_at(1.5)), told_of(&with_one_at(1.5))), (String::new(), String::new()));
        for far in [1e6, 4e6] {
            let told = [of(&with_one_at(far)), told_of(&with_one_at(far))].concat();
            assert!(told.contains("far from"), "{far}: {told}");
        }
    }

    fn told_of(problem: &Problem) -> String {
        problem.warnings().join("\n")
    }
}
