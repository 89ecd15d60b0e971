//! Open paths, fixed edges and asymmetric distances: every small problem against all its solutions, larger ones against closed tours, and
//! the same answer on every backend.

use crate::common;
use crate::common::colonies::{caught, compare};
use crate::common::target;
use myrmex::glam::DVec2;
use myrmex::tsp::{Instance, Kind, Metric, generate};
use myrmex::{Problem, Settings, Solver, Stop, Target};

/// A word that looks random.
fn word(i: u32) -> u32 {
    let word = i.wrapping_mul(0x9E37_79B1) ^ 0x5BD1_E995;
    (word ^ (word >> 15)).wrapping_mul(0x85EB_CA6B) ^ (word >> 7)
}

fn matrix(n: usize, seed: u32, symmetric: bool) -> Instance {
    let entry = |a: usize, b: usize| {
        let (a, b) = if symmetric { (a.min(b), a.max(b)) } else { (a, b) };
        word(seed.wrapping_mul(977).wrapping_add((a * n + b) as u32)) % 500
    };
    let weights = (0..n * n).map(|i| if i / n == i % n { 0 } else { entry(i / n, i % n) }).collect();
    Instance::from_matrix("matrix", n, weights).unwrap()
}

/// Cities in the plane, for each kind of distances that kernels know, and others.
fn planes(n: usize, seed: u32) -> Vec<Instance> {
    let places = |scale: f64| -> Vec<DVec2> {
        let place = |i: u32| f64::from(word(seed.wrapping_mul(7919).wrapping_add(i)) % 1000) * scale;
        (0..n as u32).map(|i| DVec2::new(place(2 * i), place(2 * i + 1))).collect()
    };
    let of = |metric, scale| Instance::from_coords("plane", metric, &places(scale)).unwrap();
    vec![of(Metric::Euc2d, 1.0), of(Metric::Ceil2d, 1.0), of(Metric::Euc2d, 0.125), of(Metric::Man2d, 1.0)]
}

/// The cost of the best solution, by trying all.
fn best_of_all(instance: &Instance) -> Option<u64> {
    fn permute(instance: &Instance, tour: &mut Vec<u32>, left: u32, best: &mut Option<u64>) {
        if left == 0 {
            if let Ok(cost) = instance.tour_cost(tour) {
                *best = Some(best.map_or(cost, |best| best.min(cost)));
            }
            return;
        }
        for city in (0..instance.len() as u32).filter(|city| left >> city & 1 == 1) {
            tour.push(city);
            permute(instance, tour, left & !(1 << city), best);
            tour.pop();
        }
    }
    let mut best = None;
    // A closed tour may begin anywhere.
    let firsts = if instance.is_open() { instance.len() as u32 } else { 1 };
    for first in 0..firsts {
        permute(instance, &mut vec![first], ((1 << instance.len()) - 1) & !(1 << first), &mut best);
    }
    best
}

fn solve(instance: &Instance, settings: &Settings, target: Target, iterations: u32) -> (u64, Vec<u32>) {
    let settings = settings.for_iterations(Some(iterations));
    let mut solver = Solver::new(instance, &settings, target).unwrap();
    let solution = solver.run(&Stop::iterations(iterations)).unwrap();
    assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost);
    (solution.cost, solution.permutation)
}

/// Every choice of ends, with and without fixed edges.
fn constrained(instance: &Instance) -> Vec<Instance> {
    let last = instance.len() as u32 - 1;
    let mut all = vec![instance.clone()];
    for (start, end) in [(None, None), (Some(1), None), (None, Some(last)), (Some(2), Some(0)), (Some(0), Some(last))] {
        all.extend(instance.clone().open_path(start, end));
    }
    for edges in [&[[1, 3]][..], &[[0, 2], [2, 4]], &[[3, 0], [1, 2]]] {
        let fixed: Vec<Instance> = all.iter().filter_map(|it| it.clone().with_fixed_edges(edges).ok()).collect();
        all.extend(fixed.into_iter().take(6));
    }
    all
}

#[test]
fn small_problems_are_solved_to_the_best_of_all_solutions() {
    let mut tried = 0;
    for n in [5, 6, 7, 8] {
        let mut instances = planes(n, n as u32);
        instances.extend([matrix(n, 3, true), matrix(n, 5, false)]);
        for instance in instances.iter().flat_map(constrained) {
            let best = best_of_all(&instance).expect("some solution keeps to the constraints");
            assert_eq!(Problem::from(&instance).least_cost(), Some(best));
            let (cost, _) = solve(&instance, &Settings::default(), Target::Cpu, 60);
            assert_eq!(
                cost,
                best,
                "{} cities, {:?}, ends {:?} {:?}, fixed {:?}",
                n,
                instance.metric(),
                instance.path_start(),
                instance.path_end(),
                instance.fixed_edges()
            );
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
}

/// With more cities than are tried one by one, kernels find the best solution; nine cities leave 40,320 tours.
#[test]
fn nine_cities_are_solved_by_kernels() {
    for instance in [planes(9, 1).remove(0), matrix(9, 2, true), matrix(9, 4, false)] {
        for instance in constrained(&instance) {
            let best = best_of_all(&instance).unwrap();
            assert_eq!(Problem::from(&instance).least_cost(), Some(best));
            for algorithm in ["auto", "eax", "mmas"] {
                let mut solver = common::solver(&instance, &Settings::named(algorithm).unwrap(), Target::Cpu);
                let found = solver.run(&Stop::cost(best).or(Stop::iterations(200))).unwrap();
                assert_eq!(found.cost, best, "{algorithm}, {:?}", instance.metric());
            }
        }
    }
}

/// An open path leaves out the longest edge of a good tour at least; with both ends at one edge of the best tour it is that tour.
#[test]
fn paths_are_as_good_as_tours() {
    let instance = generate(Kind::Uniform, 400, 7).unwrap();
    let (closed, tour) = solve(&instance, &Settings::default(), Target::Cpu, 120);
    let edge = |at: usize| u64::from(instance.distance(tour[at] as usize, tour[(at + 1) % tour.len()] as usize));
    let longest = (0..tour.len()).map(edge).max().unwrap();
    let open = instance.clone().open_path(None, None).unwrap();
    let (cost, _) = solve(&open, &Settings::default(), Target::Cpu, 120);
    assert!(cost <= closed - longest, "{cost} > {closed} - {longest}");
    let (start, end) = (tour[10], tour[9]);
    let between = instance.clone().open_path(Some(start), Some(end)).unwrap();
    let (cost, path) = solve(&between, &Settings::default(), Target::Cpu, 120);
    assert!(cost <= closed - edge(9), "{cost}");
    assert_eq!((path[0], path[399]), (start, end));
}

#[test]
fn fixed_edges_stay() {
    let instance = generate(Kind::Uniform, 300, 2).unwrap();
    let edges: Vec<[u32; 2]> = (0..60).map(|i| [5 * i, 5 * i + 1]).collect();
    let fixed = instance.clone().with_fixed_edges(&edges).unwrap();
    let free = solve(&instance, &Settings::default(), Target::Cpu, 60).0;
    // The cost is checked against the edges by the instance.
    assert!(solve(&fixed, &Settings::default(), Target::Cpu, 60).0 > free);
}

/// What an asymmetric instance costs does not depend on how it is solved: its reverse has the reversed solution.
#[test]
fn asymmetric_distances_are_made_symmetric_without_loss() {
    let instance = matrix(40, 9, false);
    let n = instance.len();
    let there = instance.distance_matrix();
    let back = (0..n * n).map(|i| there[i % n * n + i / n]).collect();
    let reverse = Instance::from_matrix("reverse", n, back).unwrap();
    let (cost, tour) = solve(&instance, &Settings::default(), Target::Cpu, 60);
    let (same, _) = solve(&reverse, &Settings::default(), Target::Cpu, 60);
    assert_eq!(cost, same);
    let reversed: Vec<u32> = tour.iter().rev().copied().collect();
    assert_eq!(reverse.tour_cost(&reversed).unwrap(), cost);
    // Node insertion finds no better one.
    assert!(cost <= solve(&instance, &Settings::named("mmas").unwrap(), Target::Cpu, 60).0);
}

/// A tour that is given is where the search begins, whatever form it takes.
#[test]
fn given_solutions_are_never_lost() {
    let plane = generate(Kind::Clustered, 120, 3).unwrap();
    let chain = [[4, 9], [9, 17], [30, 31]];
    let problems = [
        plane.clone().open_path(Some(7), None).unwrap(),
        plane.clone().open_path(None, None).unwrap().with_fixed_edges(&chain).unwrap(),
        plane.with_fixed_edges(&chain).unwrap(),
        matrix(50, 1, false),
        matrix(50, 1, false).open_path(None, Some(3)).unwrap().with_fixed_edges(&[[8, 2], [2, 11]]).unwrap(),
    ];
    for problem in problems {
        let (cost, good) = solve(&problem, &Settings::default(), Target::Cpu, 40);
        let mut solver = Solver::with_start(&problem, &Settings::default(), Target::Cpu, &good).unwrap();
        let again = solver.run(&Stop::iterations(1)).unwrap();
        assert!(again.cost <= cost);
        assert_eq!(again.trace[0].cost, cost);
    }
}

/// Edges may leave one solution, in whatever order they are given and wherever it begins.
#[test]
fn what_is_fixed_may_be_a_whole_solution() {
    for n in [2, 3, 5, 20] {
        for (seed, symmetric) in (1..=8).flat_map(|seed| [(seed, true), (seed, false)]) {
            let mut tour: Vec<u32> = (0..n as u32).collect();
            tour.sort_by_key(|&city| word(100 * seed + city));
            let mut edges: Vec<[u32; 2]> = tour.windows(2).map(|edge| [edge[0], edge[1]]).collect();
            edges.sort_by_key(|edge| word(edge[0] + 7 * seed));
            let instance = matrix(n, seed, symmetric);
            let (first, last) = (tour[0], tour[n - 1]);
            let path = instance.clone().open_path(Some(first), Some(last)).unwrap().with_fixed_edges(&edges).unwrap();
            assert_eq!(solve(&path, &Settings::default(), Target::Cpu, 2).1, tour);
            if n > 2 {
                let edges = [&edges[..], &[[last, first]]].concat();
                let closed = instance.clone().with_fixed_edges(&edges).unwrap();
                let (cost, found) = solve(&closed, &Settings::default(), Target::Cpu, 2);
                assert_eq!(cost, instance.tour_cost(&tour).unwrap(), "{tour:?} {found:?}");
            }
        }
    }
}

/// The simple solution and the one that is made at once have what every solution has.
#[test]
fn solutions_that_need_no_run_keep_to_what_is_fixed() {
    for symmetric in [true, false] {
        for instance in constrained(&matrix(9, 3, symmetric)).into_iter().chain(constrained(&planes(9, 4)[0])) {
            let problem = Problem::from(instance);
            for solution in [problem.simple_solution(), problem.solution_at_once().unwrap()] {
                problem.cost(&solution).unwrap();
            }
        }
    }
    let layout = myrmex::qap::generate(9, 1).unwrap().with_fixed(&[[3, 5], [0, 8]]).unwrap();
    let problem = Problem::from(layout);
    assert!(problem.cost(&problem.simple_solution()).is_ok());
}

#[test]
fn what_no_tour_can_have_is_refused() {
    let instance = planes(6, 1).remove(0);
    let message = |result: myrmex::Result<Instance>| result.unwrap_err().to_string();
    assert!(message(instance.clone().open_path(Some(6), None)).contains("does not exist"));
    assert!(message(instance.clone().open_path(Some(2), Some(2))).contains("begin and end at the same city"));
    assert!(message(instance.clone().closed_from(99)).contains("the start 99 does not exist"));
    assert!(message(instance.clone().open_path(None, None).unwrap().closed_from(2)).contains("does not lead back"));
    let fixed = |edges: &[[u32; 2]]| message(instance.clone().with_fixed_edges(edges));
    assert!(fixed(&[[0, 0]]).contains("to itself"));
    assert!(fixed(&[[0, 9]]).contains("cities go from 0 to 5"));
    assert!(fixed(&[[0, 1], [1, 0]]).contains("fixed twice"));
    assert!(fixed(&[[0, 1], [0, 2], [0, 3]]).contains("one fixed edge too many"));
    assert!(fixed(&[[0, 1], [1, 2], [2, 0]]).contains("close a circle"));
    let directed = matrix(6, 1, false);
    assert!(message(directed.with_fixed_edges(&[[0, 1], [2, 1]])).contains("one fixed edge too many"));
    let both = instance.clone().open_path(Some(2), None).unwrap().open_path(None, Some(4)).unwrap();
    assert_eq!((both.path_start(), both.path_end()), (Some(2), Some(4)));
    assert!(message(both.open_path(None, Some(2))).contains("begin and end at the same city"));
    let edges = instance.clone().with_fixed_edges(&[[0, 3]]).unwrap().with_fixed_edges(&[[1, 2]]).unwrap();
    assert_eq!(edges.fixed_edges(), [[0, 3], [1, 2]]);
    assert_eq!(edges.with_fixed_edges(&[[2, 1], [4, 5]]).unwrap().fixed_edges(), [[0, 3], [1, 2], [4, 5]]);
    let ends = instance.clone().open_path(Some(0), None).unwrap();
    assert!(message(ends.with_fixed_edges(&[[1, 0], [0, 2]])).contains("begins at city 0, where it has one edge"));
    let ends = instance.clone().open_path(Some(0), Some(5)).unwrap();
    assert!(message(ends.clone().with_fixed_edges(&[[0, 3], [3, 5]])).contains("from the path's start to its end"));
    assert!(message(ends.with_fixed_edges(&[[1, 5], [5, 2]])).contains("ends at city 5, where it has one edge"));
    let ends = matrix(6, 1, false).open_path(Some(0), Some(5)).unwrap();
    assert!(message(ends.clone().with_fixed_edges(&[[2, 0]])).contains("no fixed edge can lead to it"));
    assert!(message(ends.with_fixed_edges(&[[5, 2]])).contains("no fixed edge can lead from it"));
    let refused = |algorithm: &str, instance: &Instance| {
        Settings::named(algorithm).unwrap().recipe(&instance.into(), myrmex::Effort::Standard).unwrap_err().to_string()
    };
    assert!(refused("lk", &matrix(30, 1, false)).contains("choose 'auto', 'eax'"));
    let pinned = instance.open_path(Some(0), Some(1)).unwrap();
    let two_opt = Settings::named("mmas").unwrap().with("local_search", "2opt").unwrap();
    assert!(
        two_opt
            .recipe(&(&pinned).into(), myrmex::Effort::Standard)
            .unwrap_err()
            .to_string()
            .contains("does not keep fixed edges")
    );
}

/// Construction and Lin-Kernighan search in the form for kernels, with edges that stay, with a gap, and between directed nodes: word for
/// word as the twins, and noticed where they are not.
#[test]
fn kernels_keep_edges_as_their_twins_and_broken_ones_are_caught() {
    let edges: Vec<[u32; 2]> = (0..40).map(|i| [5 * i, 5 * i + 2]).collect();
    let plane = generate(Kind::Uniform, 260, 6).unwrap().with_fixed_edges(&edges).unwrap();
    let fixed = plane.open_path(Some(4), None).unwrap().in_kernel_form(true).unwrap();
    let directed = matrix(120, 8, false).in_kernel_form(true).unwrap();
    let settings = common::settings("mmas ants=9 local_search=lk seed=2");
    let narrow = common::settings("mmas ants=9 local_search=lk breadth=narrow seed=2");
    for (instance, settings) in [(&fixed, &settings), (&fixed, &narrow), (&directed, &settings), (&directed, &narrow)] {
        compare(instance, settings, 3, |_| {});
    }
    for (instance, kernel, good, bad) in [
        (
            &fixed,
            "construct",
            "let must = is_pair(city, partner) &&",
            "let must = is_pair(city, partner) && city > 1u &&",
        ),
        (&fixed, "construct", "(step == 1u || previous != partner)", "(step == 1u || previous == partner)"),
        (&fixed, "lin_kernighan", "free = free & !is_fixed(to, end);", "free = free & !is_fixed(to, city);"),
        (&fixed, "lin_kernighan", "select(measured(a, b), 0u,", "select(measured(a, b), 500000u,"),
        (&directed, "lin_kernighan", "first_flip + 1u >= flip", "first_flip + 5u >= flip"),
        (
            &directed,
            "lin_kernighan",
            "note_flip(flip - first_flip, 3u * depth + 2u)",
            "note_flip(flip, 3u * depth + 2u)",
        ),
        (&directed, "lin_kernighan", "enqueue(chain[at].y >> 16u);", ""),
        (&directed, "lin_kernighan", "keep_flips(3u * depth)", "keep_flips(depth)"),
    ] {
        caught(instance, &settings, 3, (kernel, good, bad), |_| {});
    }
}

/// The same seed gives the same solution on a GPU as on the CPU, with each kind of constraint and of distances.
#[test]
fn constrained_problems_have_the_same_solution_everywhere() {
    let mut problems = Vec::new();
    for plane in planes(60, 4) {
        problems.push(plane.clone().open_path(None, None).unwrap());
        problems.push(plane.clone().open_path(Some(3), None).unwrap().with_fixed_edges(&[[8, 9], [20, 40]]).unwrap());
    }
    problems.push(matrix(30, 1, false));
    problems.push(matrix(30, 6, false).open_path(Some(1), None).unwrap());
    for problem in &problems {
        let algorithms: &[&str] = if problem.is_symmetric() { &["lk-eax", "eax"] } else { &["eax"] };
        for algorithm in algorithms {
            let small = Settings::named(algorithm).unwrap().with("population", "16").unwrap();
            let cpu = solve(problem, &small, Target::Cpu, 12);
            let gpu = solve(problem, &small, target(), 12);
            assert_eq!(cpu, gpu, "{algorithm}, {:?}", problem.metric());
        }
    }
}
