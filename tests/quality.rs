//! Fixed seeds reach known costs: on the instances of this repository, and on TSPLIB's where they are at hand.

mod common;

use std::ops::ControlFlow;
use std::path::Path;

use myrmex::tsp::Instance;
use myrmex::{Config, LocalSearch, Stop, Target};

fn gap(instance: &Instance, optimum: u64, iterations: u32, config: &Config) -> f64 {
    let mut solver = common::solver(instance, config, Target::Cpu);
    let solution = solver.run(&Stop::iterations(iterations), |_| ControlFlow::Continue(())).unwrap();
    assert!(solution.cost >= optimum, "{} undercuts its optimum", instance.name());
    (solution.cost as f64 / optimum as f64 - 1.0) * 100.0
}

#[test]
fn committed_instances_reach_their_known_costs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances");
    let config = Config { seed: 1, ..Config::default() };
    for (name, known, iterations, percent) in
        [("lattice400", 40_000, 600, 0.5), ("circle150", 6_282_724, 50, 0.0), ("uniform200", UNIFORM_200, 500, 0.3)]
    {
        let instance = Instance::read(folder.join(name).with_extension("tsp")).unwrap();
        let gap = gap(&instance, known, iterations, &config);
        assert!(gap <= percent, "{name}: {gap:.3}%");
    }
}

/// The best cost found for uniform200 in long runs with several seeds.
const UNIFORM_200: u64 = 10_537_000;

#[test]
fn tsplib_instances_come_close_to_their_optima() {
    let Some(folder) = common::tsplib() else {
        println!("no TSPLIB folder; set MYRMEX_DATA to test with one");
        return;
    };
    let optima = common::optima(&folder);
    let two_opt = Config { seed: 1, ..Config::default() };
    let plain = Config { local_search: LocalSearch::None, ants: Some(52), ..two_opt };
    let runs = [
        ("berlin52", 100, 0.0, two_opt),
        ("eil101", 300, 0.7, two_opt),
        ("gr96", 300, 0.7, two_opt),
        ("bayg29", 100, 0.0, two_opt),
        ("lin318", 600, 0.5, two_opt),
        ("pcb442", 600, 1.0, two_opt),
        ("berlin52", 600, 3.0, plain),
    ];
    for (name, iterations, percent, config) in runs {
        let instance = Instance::read(folder.join(name).with_extension("tsp")).unwrap();
        let (_, optimum) = optima.iter().find(|(known, _)| known == name).unwrap();
        let gap = gap(&instance, *optimum, iterations, &config);
        println!("{name}: {gap:.3}% after {iterations} iterations");
        assert!(gap <= percent, "{name}: {gap:.3}%");
    }
}
