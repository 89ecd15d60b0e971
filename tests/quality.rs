//! Fixed seeds reach known costs: on the instances of this repository, and on TSPLIB's where they are at hand.

use crate::common;
use std::path::Path;

use crate::common::{Also, settings};
use myrmex::tsp::Instance;
use myrmex::{PRESETS, Preset, Settings, Stop, Target};

fn gap(instance: &Instance, optimum: u64, iterations: u32, settings: &Settings) -> f64 {
    let mut solver = common::solver(instance, settings, Target::Cpu);
    let solution = solver.run(&Stop::iterations(iterations)).unwrap();
    assert!(solution.cost >= optimum, "{} undercuts its optimum", instance.name());
    (solution.cost as f64 / optimum as f64 - 1.0) * 100.0
}

#[test]
fn committed_instances_reach_their_known_costs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances");
    let settings = settings("mmas");
    for (name, known, iterations, percent) in
        [("lattice400", 40_000, 600, 0.5), ("circle150", 6_282_724, 50, 0.0), ("uniform200", UNIFORM_200, 500, 0.3)]
    {
        let instance = Instance::read(folder.join(name).with_extension("tsp")).unwrap();
        let gap = gap(&instance, known, iterations, &settings);
        assert!(gap <= percent, "{name}: {gap:.3}%");
    }
}

/// What runs without a word about settings finds the best known solutions, whatever the seed.
#[test]
fn the_default_reaches_known_costs_with_two_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances");
    for (name, known, iterations, percent) in
        [("lattice400", 40_000, 60, 0.0), ("circle150", 6_282_724, 30, 0.0), ("uniform200", UNIFORM_200, 60, 0.05)]
    {
        let instance = Instance::read(folder.join(name).with_extension("tsp")).unwrap();
        for seed in [11, 12] {
            let default = Settings::default().for_iterations(Some(0)).seed(seed);
            let gap = gap(&instance, known, iterations, &default);
            println!("{name}, seed {seed}: {gap:.3}%");
            assert!(gap <= percent, "{name}, seed {seed}: {gap:.3}%");
        }
    }
}

/// The best cost found for uniform200 in long runs with several seeds.
const UNIFORM_200: u64 = 10_537_000;

#[test]
#[ignore = "needs TSPLIB, in the folder that MYRMEX_DATA names"]
fn tsplib_instances_come_close_to_their_optima() {
    let folder = common::tsplib();
    let optima = common::optima(&folder);
    let (two_opt, plain) = (settings("mmas"), settings("mmas local_search=none ants=52"));
    let runs = [
        ("berlin52", 100, 0.0, two_opt),
        ("eil101", 300, 0.7, two_opt),
        ("gr96", 300, 0.7, two_opt),
        ("bayg29", 100, 0.0, two_opt),
        ("lin318", 600, 0.5, two_opt),
        ("pcb442", 600, 1.0, two_opt),
        ("berlin52", 600, 3.0, plain),
    ];
    for (name, iterations, percent, settings) in runs {
        let instance = Instance::read(folder.join(name).with_extension("tsp")).unwrap();
        let (_, optimum) = optima.iter().find(|(known, _)| known == name).unwrap();
        let gap = gap(&instance, *optimum, iterations, &settings);
        println!("{name}: {gap:.3}% after {iterations} iterations");
        assert!(gap <= percent, "{name}: {gap:.3}%");
    }
}

/// The best asymmetric optima are known; ants without 2-opt come close to them.
#[test]
#[ignore = "needs TSPLIB, in the folder that MYRMEX_DATA names"]
fn asymmetric_instances_come_close_to_their_optima() {
    let folder = common::tsplib();
    let optima = common::optima(&folder);
    let settings = settings("mmas local_search=insertion");
    for (name, iterations, percent) in
        [("br17", 30, 0.0), ("ftv33", 300, 2.0), ("ry48p", 300, 1.0), ("kro124p", 400, 3.0)]
    {
        let instance = Instance::read(folder.join(name).with_extension("atsp")).unwrap();
        assert!(!instance.is_symmetric());
        let (_, optimum) = optima.iter().find(|(known, _)| known == name).unwrap();
        let gap = gap(&instance, *optimum, iterations, &settings);
        println!("{name}: {gap:.3}% after {iterations} iterations");
        assert!(gap <= percent, "{name}: {gap:.3}%");
    }
}

/// Each preset finds better solutions than its first ants, and ends far below the simple one that it starts from.
#[test]
fn presets_improve() {
    for preset in PRESETS {
        let problem = common::for_preset(preset, 120);
        let start = problem.cost(&problem.simple_solution()).unwrap();
        let mut solver = common::solver(&problem, &common::few(preset, problem.len(), 60), Target::Cpu);
        let first = solver.step(1).unwrap().ants_cost.unwrap();
        let last = solver.step(99).unwrap();
        println!("{}: {first} to {}, started from {start}", preset.name, last.cost);
        // The best search may find the best solution at once.
        let at_once = preset.name.starts_with("cas-tabu");
        let then = last.ants_cost.unwrap();
        assert!(then < first || at_once, "{}: {first} to {then}", preset.name);
        assert!(last.cost * 100 < start * 97, "{}: {} from {start}", preset.name, last.cost);
    }
}

/// Focused ants with Lin-Kernighan search find the shortest tour of a lattice, whose cost is known.
#[test]
fn focused_ants_solve_a_lattice() {
    let instance = common::made(myrmex::tsp::Kind::Lattice, 196, 2);
    let found = common::solver(&instance, &settings("faco"), Target::Cpu).step(100).unwrap();
    assert_eq!(found.cost, 196 * 100);
}

/// Table 8 of Skinderowicz 2020 on one instance: the six MAX-MIN Ant Systems do not differ in quality.
#[test]
fn the_variants_of_the_max_min_ant_system_agree_in_quality() {
    let instance = common::made(myrmex::tsp::Kind::Uniform, 80, 2);
    let names = ["mmas-rwm-lc", "mmas-rwm-bt", "mmas-rwm-ct", "mmas-wrs-lc", "mmas-wrs-bt", "mmas-wrs-ct"];
    let run = |name: &str, seed: u64| {
        let preset = Preset::find(name).unwrap().settings(instance.len());
        common::solver(&instance, &preset.also("candidates=all").seed(seed), Target::Cpu)
            .step(60)
            .unwrap()
            .ants_cost
            .unwrap() as f64
    };
    // Seeds of their own: the variants of one selection would give the same tours.
    let blocks = (0..20).map(|repeat| {
        let each = names.iter().enumerate();
        each.map(|(variant, name)| run(name, variant as u64 * 100 + repeat)).collect::<Vec<f64>>()
    });
    let (statistic, p) = common::statistics::friedman(&blocks.collect::<Vec<_>>()).unwrap();
    println!("Friedman: {statistic:.2}, p = {p:.3}");
    assert!(p > 0.01, "statistic {statistic}, p {p}");
}
