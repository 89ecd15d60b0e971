//! What is known of the costs of all solutions while a run goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::instance::problem::Problem;

/// A cost that no solution is below, as far as is known: 0 at first, and greater when something more is proved, from any thread. Clones are one
/// proof. A run with [`super::Stop::proved_by`] ends when its solution costs no more, since no better one is to be found.
///
/// What is proved is of costs, in which decimals of what was given may be rounded: to be true of lengths it must not be raised where rounding
/// is coarse ([`Problem::is_coarse`]).
///
/// ```
/// use std::time::Duration;
/// use myrmex::{Ended, Problem, Proof, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// let problem = Problem::from(generate(Kind::Uniform, 9, 1)?);
/// let stop = Stop::time(Duration::from_secs(60)).or(Stop::proved_by(&Proof::of(&problem)));
/// let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu)?;
/// let solution = solver.run(&stop)?;
/// assert_eq!((solution.ended, Some(solution.cost)), (Ended::Optimal, problem.least_cost()));
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proof(Arc<AtomicU64>);

impl Proof {
    /// One that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that knows the least cost where there are few solutions ([`Problem::least_cost`]) and rounding does not decide between them: no other
    /// one is better by what was given.
    pub fn of(problem: &Problem) -> Self {
        let proof = Self::new();
        proof.raise(problem.least_cost_proved().unwrap_or(0));
        proof
    }

    /// No solution costs less than `cost`; whether that was not known.
    pub fn raise(&self, cost: u64) -> bool {
        self.0.fetch_max(cost, Ordering::Relaxed) < cost
    }

    /// The cost that no solution is known to be below.
    pub fn cost(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Ended, Solver, Stop, Target};
    use crate::settings::Settings;

    /// All orders of a few places were tried, but not of the cities that rounding puts there.
    #[test]
    fn what_rounding_puts_into_one_place_is_not_known_to_be_the_best() {
        let found = |points: &[[f64; 2]]| {
            let problem = Problem::from(crate::tsp::Instance::from_points(points).unwrap());
            let solution = crate::run::solve(&problem, std::time::Duration::from_secs(60)).unwrap();
            (solution.ended, solution.is_best(&problem, &Proof::of(&problem)))
        };
        // Two places beside each other in three spots, which count as one.
        let spots = [[0.0, 0.0], [1e6, 0.0], [0.0, 1e6]];
        let near = |at: usize| [spots[at % 3][0] + 0.01 * (at / 3 % 2) as f64, spots[at % 3][1]];
        assert_eq!(found(&(0..1200).map(near).collect::<Vec<_>>()), (Ended::Trivial, false));
        assert_eq!(found(&spots), (Ended::Trivial, true));
        assert_eq!(found(&[[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0], [1.0, 1.0]]), (Ended::Optimal, true));
    }

    /// Beside a number that dwarfs all others, what is left of these when they are counted does not tell which solution is the best.
    #[test]
    fn coarse_costs_prove_nothing() {
        let square = [[0.0, 0.0], [1.0, 0.25], [0.0, 1.0], [1.0, 1.3], [0.5, 0.1]];
        let far = |away: f64| crate::tsp::Instance::from_points(&[&square[..], &[[away, away]]].concat()).unwrap();
        let ways = |unit: f64| {
            let weights =
                (0..25).map(|at| if at / 5 == 4 || at % 5 == 4 { 1.0 } else { unit * f64::from(at % 7) / 3.0 });
            crate::tsp::Instance::from_matrix_f64(5, weights.collect()).unwrap()
        };
        // What all ways have in common decides nothing.
        let beside = |more: f64| {
            let weights = (0..25).map(|at| more + f64::from((at / 5 + at % 5) * 7 % 11) / 7.0);
            crate::tsp::Instance::from_matrix_f64(5, weights.collect()).unwrap()
        };
        let placed = |most: f64| {
            let (flows, distances) = (vec![1.0, 7.3, 4.0, 7.3, 3.0, 0.0, 7.0, 1.0, 4.0], vec![1.5; 9]);
            let placing = vec![most, 6.1, 3.0, 6.0, 1.0, 3.7, 7.0, 7.0, 2.0];
            let matrices = crate::qap::Instance::from_matrices_f64("placed", [3, 3], flows, distances, Some(placing));
            Problem::from(matrices.unwrap())
        };
        let flowing = |most: f64| {
            let (flows, distances) =
                (vec![2.0, most, 0.0, 3.0, 2.0, 3.0, 1.0, 6.0, 7.0], vec![2.0, 0.0, 2.0, 1.0, 9.0, 4.0, 6.0, 1.0, 4.0]);
            Problem::from(crate::qap::Instance::from_matrices_f64("flows", [3, 3], flows, distances, None).unwrap())
        };
        for (problem, coarse) in [
            (Problem::from(far(3.0)), false),
            (Problem::from(far(1e6)), false),
            (Problem::from(far(1e8)), true),
            (Problem::from(ways(0.1)), false),
            (Problem::from(ways(1e-12)), true),
            (Problem::from(beside(1e7)), false),
            (Problem::from(beside(-20.0)), false),
            (placed(10.0), false),
            // What must not be takes no digits from the others.
            (placed(5e9), false),
            (flowing(1.0), false),
        ] {
            assert!(problem.least_cost().is_some());
            assert_eq!((problem.is_coarse(), Proof::of(&problem).cost() == 0), (coarse, coarse), "{problem:?}");
        }
        // Few assignments are compared by what was given.
        let dwarfed = flowing(1e9);
        assert!(dwarfed.length_error() > 0.0 && !dwarfed.is_coarse() && dwarfed.is_trivial());
    }

    /// Cities in one place have no way between them, and nothing of that is rounded.
    #[test]
    fn no_tour_of_one_place_is_better() {
        let same = [[0.1, 0.7]; 30];
        let plane = crate::tsp::Instance::from_points(&same).unwrap();
        let globe = crate::tsp::Instance::from_lon_lat(&same).unwrap();
        for instance in [plane.clone(), globe, plane.open_path(None, None).unwrap()] {
            let problem = Problem::from(instance);
            let stop = Stop::time(std::time::Duration::from_secs(60)).or(Stop::proved_by(&Proof::of(&problem)));
            let solution = Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap().run(&stop).unwrap();
            assert_eq!((solution.length, solution.ended), (0.0, Ended::Optimal));
        }
    }

    /// Where numbers are rounded few solutions are compared by what was given.
    #[test]
    fn few_rounded_solutions_are_compared_by_what_was_given() {
        let (distances, placing) = (vec![0.0, 1e9 + 0.123_456, 1e9 + 0.123_456, 0.0], Some(vec![0.3, 0.1]));
        let placed = crate::qap::Instance::from_matrices_f64("placed", [1, 2], vec![0.0], distances, placing).unwrap();
        assert!(placed.cost_error() > 0.0);
        let solved = |problem: Problem, rule: Stop| {
            let stop = rule.or(Stop::proved_by(&Proof::of(&problem)));
            Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap().run(&stop).unwrap()
        };
        let found = solved(placed.into(), Stop::iterations(3));
        assert_eq!((found.ended, found.permutation), (Ended::Trivial, vec![1]));
        // Seven cities whose distances lie thirteen magnitudes apart.
        let great = |at: usize| [0.5, 30.5, 2e3, 4e5, 6e8, 7e11, 9e12][(at * 5 + at / 3) % 7] + (at % 11) as f64;
        let ways = crate::tsp::Instance::from_matrix_f64(7, (0..49).map(great).collect()).unwrap();
        let coarse = Problem::from(ways.clone());
        let least = shortest(&ways);
        let found = solved(coarse, Stop::iterations(3));
        assert_eq!((found.ended, found.length), (Ended::Trivial, least));
    }

    /// The length of the shortest of all solutions of few cities.
    fn shortest(instance: &crate::tsp::Instance) -> f64 {
        let (n, mut least, mut orders) = (instance.len(), f64::INFINITY, vec![Vec::new()]);
        while let Some(order) = orders.pop() {
            match order.len() == n {
                // Others do not have the ends and edges that are asked for.
                true => least = least.min(instance.length(&order).unwrap_or(f64::INFINITY)),
                false => orders.extend(
                    (0..n as u32).filter(|city| !order.contains(city)).map(|city| [&order[..], &[city]].concat()),
                ),
            }
        }
        least
    }

    /// All are gone through by what was given, in both directions.
    #[test]
    fn few_cities_whose_ways_back_differ_have_the_shortest_solution() {
        for seed in 0..12 {
            let way = |at: usize| {
                let [a, b] = [at / 5, at % 5].map(|city| ((city * city * 7 + seed) % 11) as f64);
                (a - b).abs().sqrt() * 7.0 + ((at * 13 + seed) % 17) as f64 / 5e6
            };
            // Of places in a grid many tours are nearly as long as each other.
            let places = [[2, 1], [1, 2], [1, 1], [0, 2], [2, seed % 2]];
            let in_grid = |at: usize| {
                let [[a, b], [c, d]] = [places[at / 5], places[at % 5]];
                (a.abs_diff(c) + b.abs_diff(d)) as f64 + ((at * 29 + seed * 7) % 23) as f64 / 1.1e8
            };
            let way = |at: usize| if seed < 3 { way(at) } else { in_grid(at) };
            let ways = crate::tsp::Instance::from_matrix_f64(5, (0..25).map(way).collect()).unwrap();
            let fixed = |edges: &[[u32; 2]]| ways.clone().with_fixed_edges(edges).unwrap();
            for instance in [
                ways.clone().open_path(None, None).unwrap(),
                ways.clone().open_path(Some(1), None).unwrap(),
                ways.clone().open_path(None, Some(1)).unwrap(),
                ways.clone().open_path(Some(3), Some(1)).unwrap(),
                fixed(&[[2, 3]]),
                fixed(&[[1, 2], [2, 3]]),
                fixed(&[[1, 2], [2, 3]]).open_path(Some(0), None).unwrap(),
                fixed(&[[0, 4]]).open_path(None, None).unwrap(),
            ] {
                let problem = Problem::from(&instance);
                let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap();
                let solution = solver.run(&Stop::iterations(1)).unwrap();
                assert_eq!(solution.ended, Ended::Trivial, "{problem:?}");
                assert!((solution.length - shortest(&instance)).abs() < 1e-9, "{seed} {problem:?} {solution:?}");
            }
        }
    }

    /// Of few cities nothing is proved by costs where one of the tours that cost the least is longer than another one, by what was given.
    #[test]
    fn costs_that_rounding_made_alike_prove_nothing() {
        let nearly_in_line =
            [[0.0, 0.0077], [1.0, 0.0215], [2.0, 0.0346], [3.0, 0.0247], [4.0, 0.0148], [5.0, 0.0202], [6.0, 0.0028]];
        let line = crate::tsp::Instance::from_points(&nearly_in_line).unwrap();
        let cost = |tour: &[u32]| line.tour_cost(tour).unwrap();
        assert_eq!(cost(&[0, 1, 2, 3, 5, 6, 4]), Problem::from(&line).least_cost().unwrap());
        // Ways back that differ a little from the ways there.
        let noise = |at: usize| f64::from((at % 6).abs_diff(at / 6) as u32).sqrt() + (at * 7 % 11) as f64 / 3e7;
        let directed = crate::tsp::Instance::from_matrix_f64(6, (0..36).map(noise).collect()).unwrap();
        assert!(directed.counts_means());
        let fixed = line.clone().with_fixed_edges(&[[2, 3]]).unwrap();
        let path = directed.clone().open_path(Some(1), None).unwrap();
        let halves = nearly_in_line.map(|[x, y]| [x, y * 100.0]);
        let apart = crate::tsp::Instance::from_points(&halves).unwrap();
        for (instance, proved) in [(line, false), (directed, false), (path, false), (fixed, false), (apart, true)] {
            let problem = Problem::from(instance);
            assert!(!problem.is_coarse());
            assert_eq!(Proof::of(&problem).cost() > 0, proved, "{problem:?}");
        }
    }

    /// Lengths that no solution has are not reached, and those of ways that are counted as less are measured.
    #[test]
    fn targets_are_reached_by_lengths() {
        let near = |at: usize| if at / 30 / 15 == at % 30 / 15 { (at % 7) as f64 + 0.25 } else { 1e9 };
        let weights = (0..900).map(|at| near((at / 30).min(at % 30) * 30 + (at / 30).max(at % 30))).collect();
        let halves = Problem::from(crate::tsp::Instance::from_matrix_f64(30, weights).unwrap());
        assert!(!halves.costs_tell_lengths());
        let run = |problem: &Problem, length: f64| {
            let stop = Stop::target(length).or(Stop::iterations(20));
            Solver::new(problem, &Settings::default(), Target::Cpu).unwrap().run(&stop).unwrap()
        };
        // Two ways lead from one half to the other.
        let (above, below) = (run(&halves, 2e9 + 500.0), run(&halves, 1e9 + 500.0));
        assert_eq!((above.ended, below.ended), (Ended::Target, Ended::Iterations));
        assert!((2e9..=2e9 + 500.0).contains(&above.length));
        let zeros = Problem::from(crate::tsp::Instance::from_matrix("zeros", 20, vec![0; 400]).unwrap());
        assert_eq!(run(&zeros, -1.0).ended, Ended::Iterations);
        assert_eq!(run(&zeros, 0.0).ended, Ended::Target);
    }

    /// A search of so few often ends where all its tours are one: all orders are gone through instead.
    #[test]
    fn few_cities_with_asymmetric_distances_are_gone_through() {
        for (cities, ended) in
            [(7, Ended::Trivial), (10, Ended::Trivial), (18, Ended::Trivial), (19, Ended::Iterations)]
        {
            for seed in 1..=3 {
                let way = |at: u32| ((at + 1000 * seed).wrapping_mul(2_654_435_761) >> 16) % 100;
                let weights = (0..cities * cities).map(way).collect();
                let problem =
                    Problem::from(crate::tsp::Instance::from_matrix("ways", cities as usize, weights).unwrap());
                let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap();
                let solution = solver.run(&Stop::iterations(2)).unwrap();
                assert_eq!(solution.ended, ended, "{cities} cities");
                assert!(
                    problem.least_cost().is_none_or(|least| solution.cost == least),
                    "{cities} cities, seed {seed}"
                );
            }
        }
    }

    /// Where the cheapest ways out of all cities and into them are a tour, nothing is left of it in the form that kernels know.
    #[test]
    fn a_tour_of_the_cheapest_ways_is_proved() {
        let n = 40;
        let next = |city: usize| (city + 1) % n;
        let weights = (0..n * n).map(|at| if next(at / n) == at % n { 3 } else { 100 }).collect();
        let ring = Problem::from(crate::tsp::Instance::from_matrix("ring", n, weights).unwrap());
        for (stop, ended) in [
            (Stop::rounds(1), Ended::Converged),
            (Stop::rounds(1).or(Stop::proved_by(&Proof::of(&ring))), Ended::Optimal),
        ] {
            let mut solver = Solver::new(&ring, &Settings::default(), Target::Cpu).unwrap();
            let stop = stop.or(Stop::time(std::time::Duration::from_secs(60)));
            let solution = solver.run(&stop).unwrap();
            assert_eq!((solution.ended, solution.cost), (ended, 3 * n as u64));
        }
    }

    #[test]
    fn what_was_asked_for_counts_more_than_what_is_proved() {
        let problem = Problem::from(crate::tsp::generate(crate::tsp::Kind::Uniform, 10, 2).unwrap());
        let least = problem.least_cost().unwrap();
        for (proof, rule, ended) in [
            (Proof::of(&problem), Stop::iterations(1_000_000), Ended::Optimal),
            (Proof::of(&problem), Stop::cost(least), Ended::Target),
            (Proof::of(&problem), Stop::target(problem.length_of(least)), Ended::Target),
            (Proof::of(&problem), Stop::cost(least - 1), Ended::Optimal),
            (Proof::new(), Stop::iterations(3), Ended::Iterations),
        ] {
            let stop = rule.or(Stop::proved_by(&proof));
            let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap();
            let solution = solver.run(&stop).unwrap();
            assert_eq!(solution.ended, ended, "{stop:?}");
            assert!(ended == Ended::Iterations || solution.cost == least);
        }
    }
}
