//! Node selection draws with the probabilities it should: chi-square tests on the kernels' own tours.

use crate::common;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Candidates, LocalSearch, MaxMin, Selection, Settings, Target};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Probability of a chi-square statistic at least this large by chance.
fn p_value((statistic, freedom): (f64, usize)) -> f64 {
    ChiSquared::new(freedom as f64).unwrap().sf(statistic)
}

/// First and second city of each ant in the first iteration, when all trails are equal; of `runs` runs.
fn first_steps(
    instance: &Instance,
    (runs, ants): (u64, u32),
    beta: f64,
    (selection, candidates): (Selection, Candidates),
    target: Target,
) -> Vec<(usize, usize)> {
    let settings = Settings::of(MaxMin {
        ants: Some(ants),
        beta: Some(beta),
        candidates: Some(candidates),
        selection: Some(selection),
        local_search: Some(LocalSearch::None),
        ..MaxMin::default()
    });
    let steps = (0..runs).flat_map(|run| {
        let mut solver = common::solver(instance, &settings.seed(11 + run), target.clone());
        solver.step(1).unwrap();
        let tours = common::colony(&mut solver).solutions().unwrap();
        tours.chunks(instance.len()).map(|tour| (tour[0] as usize, tour[1] as usize)).collect::<Vec<_>>()
    });
    steps.collect()
}

/// Draws of an iteration are independent while they are few beside the places of the ring that they come from.
const MANY: (u64, u32) = (100, 2000);

/// Chi-square of the second city against weights 1/d^exponent over the `near` nearest, summed over first cities, and the
/// degrees of freedom. Cities expected less than five times count together.
fn chi_square(instance: &Instance, steps: &[(usize, usize)], near: usize, exponent: f64) -> (f64, usize) {
    let near = instance.neighbours(near);
    let (mut sum, mut freedom) = (0.0, 0);
    for first in 0..instance.len() {
        let drawn: Vec<usize> = steps.iter().filter(|(a, _)| *a == first).map(|(_, b)| *b).collect();
        let row = near.row(first);
        let weight = |city: u32| f64::from(instance.distance(first, city as usize)).powf(-exponent);
        let total: f64 = row.iter().map(|&city| weight(city)).sum();
        let (mut cells, mut rare) = (Vec::new(), (0.0, 0.0));
        for &city in row {
            let expected = drawn.len() as f64 * weight(city) / total;
            let observed = drawn.iter().filter(|&&b| b == city as usize).count() as f64;
            if expected < 5.0 {
                rare = (rare.0 + expected, rare.1 + observed);
            } else {
                cells.push((expected, observed));
            }
        }
        cells.extend((rare.0 >= 5.0).then_some(rare));
        sum += cells.iter().map(|(expected, observed)| (observed - expected).powi(2) / expected).sum::<f64>();
        freedom += cells.len() - 1;
    }
    (sum, freedom)
}

const LISTS: Candidates = Candidates::Nearest(10);

#[test]
fn roulette_and_reservoir_follow_the_exact_probabilities() {
    let instance = common::made(Kind::Uniform, 24, 5);
    for selection in [Selection::Rwm, Selection::Wrs] {
        for (candidates, near) in [(LISTS, 10), (Candidates::All, 23)] {
            for beta in [1.0, 2.0] {
                let steps = first_steps(&instance, MANY, beta, (selection, candidates), Target::Cpu);
                let p = p_value(chi_square(&instance, &steps, near, beta));
                println!("{selection} {candidates:?} beta {beta}: p = {p:.3}");
                assert!(p > 0.001, "{selection} {candidates:?} beta {beta}: p = {p}");
                // The test has teeth: slightly other weights fail it.
                let p = p_value(chi_square(&instance, &steps, near, beta * 1.08));
                assert!(p < 1e-6, "{selection} {candidates:?} beta {beta}: other weights pass with p = {p}");
            }
        }
    }
}

/// In whole rows deviates lie two in a word. By the rank of the second city among the
/// neighbours of the first, summed over first cities.
#[test]
fn long_rows_follow_the_exact_probabilities() {
    let instance = common::made(Kind::Uniform, 600, 5);
    let near = instance.neighbours(599);
    let steps = first_steps(&instance, (6, 2000), 1.0, (Selection::Wrs, Candidates::All), Target::Cpu);
    let p_of = |exponent: f64| {
        let (mut expected, mut observed) = (vec![0.0; 599], vec![0.0; 599]);
        for &(first, second) in &steps {
            let row = near.row(first);
            let weights: Vec<f64> =
                row.iter().map(|&city| f64::from(instance.distance(first, city as usize)).powf(-exponent)).collect();
            let total: f64 = weights.iter().sum();
            expected.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += weight / total);
            observed[row.iter().position(|&city| city as usize == second).unwrap()] += 1.0;
        }
        let terms = expected.iter().zip(&observed).map(|(e, o): (&f64, &f64)| (o - e).powi(2) / e);
        p_value((terms.sum(), 598))
    };
    let p = p_of(1.0);
    println!("p = {p:.3}");
    assert!(p > 0.001, "p = {p}");
    assert!(p_of(1.2) < 1e-6, "other weights pass with p = {}", p_of(1.2));
}

/// Lloyd and Amos (2017): the independent roulette prefers great weights more than their share.
#[test]
fn the_independent_roulette_differs_as_the_literature_says() {
    let instance = common::made(Kind::Uniform, 24, 5);
    let steps = first_steps(&instance, MANY, 2.0, (Selection::IRoulette, LISTS), Target::Cpu);
    let p = p_value(chi_square(&instance, &steps, 10, 2.0));
    assert!(p < 1e-6, "it passes for a roulette wheel with p = {p}");
    let near = instance.neighbours(10);
    let share = |rank: usize| {
        let taken = steps.iter().filter(|(a, b)| near.row(*a)[rank] as usize == *b).count();
        taken as f64 / steps.len() as f64
    };
    let exact = |rank: usize| {
        let one = |city: usize| {
            let weight = |other: &u32| f64::from(instance.distance(city, *other as usize)).powi(-2);
            let row = near.row(city);
            weight(&row[rank]) / row.iter().map(weight).sum::<f64>()
        };
        (0..24).map(one).sum::<f64>() / 24.0
    };
    assert!(share(0) > exact(0) * 1.1, "nearest: {} of {}", share(0), exact(0));
    assert!(share(9) < exact(9) * 0.5, "tenth: {} of {}", share(9), exact(9));
}

#[test]
fn the_gpu_draws_what_the_cpu_draws() {
    let instance = common::made(Kind::Uniform, 24, 5);
    for selection in [Selection::Rwm, Selection::Wrs, Selection::IRoulette] {
        let draw = |target| first_steps(&instance, (1, 20_000), 2.0, (selection, LISTS), target);
        let [gpu, cpu] = common::targets().map(draw);
        assert_eq!(gpu, cpu, "{selection}");
    }
}

#[test]
fn first_cities_are_spread_evenly() {
    let instance = common::made(Kind::Uniform, 24, 5);
    let steps = first_steps(&instance, (50, 2000), 2.0, (Selection::Wrs, LISTS), Target::Cpu);
    let expected = steps.len() as f64 / 24.0;
    let count = |city| steps.iter().filter(|(first, _)| *first == city).count() as f64;
    let sum: f64 = (0..24).map(|city| (count(city) - expected).powi(2) / expected).sum();
    assert!(p_value((sum, 23)) > 0.001, "{sum}");
}

/// The weights of strong trails are told apart however great the exponent: ants follow them, and find much shorter tours than the nearest-neighbour
/// tour that a run begins with.
#[test]
fn great_exponents_tell_strong_trails_apart() {
    let instance = common::made(Kind::Uniform, 100, 5);
    let begins = instance.tour_cost(&instance.nearest_neighbour_tour(0)).unwrap();
    for selection in ["rwm", "wrs"] {
        for alpha in [3, 5] {
            for candidates in ["all", "10"] {
                let line = format!(
                    "as alpha={alpha} ants=100 selection={selection} candidates={candidates} local_search=none seed=2"
                );
                let found = common::solver(&instance, &common::settings(&line), Target::Cpu).step(60).unwrap();
                assert!(50 * found.cost < 49 * begins, "{line}: {} after {begins}", found.cost);
            }
        }
    }
}
