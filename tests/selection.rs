//! Node selection draws with the probabilities it should: chi-square tests on the kernel's own tours.

mod common;

use myrmex::tsp::{Instance, Kind};
use myrmex::{Candidates, Config, LocalSearch, MmasParams, Target};

/// Upper 99.9% points of the chi-square distribution for `freedom` degrees (Wilson and Hilferty).
fn critical(freedom: usize) -> f64 {
    let f = freedom as f64;
    let z = 3.09;
    f * (1.0 - 2.0 / (9.0 * f) + z * (2.0 / (9.0 * f)).sqrt()).powi(3)
}

/// First and second city of each ant in the first iteration, when all trails are equal.
fn first_steps(instance: &Instance, ants: usize, beta: f64, target: Target) -> Vec<(usize, usize)> {
    let mmas = MmasParams { beta, ..MmasParams::for_search(false) };
    let config = Config {
        ants: Some(ants),
        candidates: Some(Candidates::Nearest(10)),
        local_search: LocalSearch::None,
        mmas: Some(mmas),
        seed: 11,
        ..Config::default()
    };
    let mut solver = common::solver(instance, &config, target);
    solver.step(1).unwrap();
    let tours = solver.colony().unwrap().tours().unwrap();
    tours.chunks(instance.len()).map(|tour| (tour[0] as usize, tour[1] as usize)).collect()
}

/// Chi-square of the second city against weights 1/d^exponent over the ten nearest, summed over first cities, and the
/// degrees of freedom.
fn chi_square(instance: &Instance, steps: &[(usize, usize)], exponent: f64) -> (f64, usize) {
    let near = instance.neighbours(10);
    let (mut sum, mut freedom) = (0.0, 0);
    for first in 0..instance.len() {
        let drawn: Vec<usize> = steps.iter().filter(|(a, _)| *a == first).map(|(_, b)| *b).collect();
        let row = near.row(first);
        let weight = |city: u32| f64::from(instance.distance(first, city as usize)).powf(-exponent);
        let total: f64 = row.iter().map(|&city| weight(city)).sum();
        for &city in row {
            let expected = drawn.len() as f64 * weight(city) / total;
            let observed = drawn.iter().filter(|&&b| b == city as usize).count() as f64;
            sum += (observed - expected).powi(2) / expected;
        }
        freedom += row.len() - 1;
    }
    (sum, freedom)
}

#[test]
fn draws_follow_the_exact_probabilities() {
    let instance = common::made(Kind::Uniform, 24, 5);
    for beta in [1.0, 2.0] {
        let steps = first_steps(&instance, 400_000, beta, Target::Cpu);
        let (sum, freedom) = chi_square(&instance, &steps, beta);
        assert!(sum < critical(freedom), "beta {beta}: {sum} of {}", critical(freedom));
        // The test has teeth: slightly other weights fail it.
        let (sum, _) = chi_square(&instance, &steps, beta * 1.05);
        assert!(sum > critical(freedom), "beta {beta}: other weights pass with {sum}");
    }
}

#[test]
fn the_gpu_draws_what_the_cpu_draws() {
    let instance = common::made(Kind::Uniform, 24, 5);
    let ants = 20_000;
    let [gpu, cpu] = common::targets().map(|target| first_steps(&instance, ants, 2.0, target));
    assert_eq!(gpu, cpu);
}

#[test]
fn first_cities_are_spread_evenly() {
    let instance = common::made(Kind::Uniform, 24, 5);
    let steps = first_steps(&instance, 100_000, 2.0, Target::Cpu);
    let expected = steps.len() as f64 / 24.0;
    let count = |city| steps.iter().filter(|(first, _)| *first == city).count() as f64;
    let sum: f64 = (0..24).map(|city| (count(city) - expected).powi(2) / expected).sum();
    assert!(sum < critical(23), "{sum}");
}
