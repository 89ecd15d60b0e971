//! Costs of tours and what windows gain together, which may be more than a word holds.

use glam::DVec3;
use myrmex::settings::System;

use super::*;

/// Where many windows follow each other along the first tour, the gains of all are taken over.
#[test]
fn early_gains_all_go_together() {
    let instance = common::made(Kind::Uniform, 4200, 8);
    let settings = windows(105, 40, 300, 1);
    let mut side = Side::new(Box::new(CpuBackend::new()), &Problem::from(&instance), &settings, |_| {});
    assert!(of_windows(side.0.plan()).window.early >= 3);
    for iteration in 0..3 {
        let before = side.0.state().unwrap().best_cost[0];
        for (_, calls) in side.calls() {
            side.0.run(&calls).unwrap();
        }
        let window = of_windows(side.0.plan()).window;
        let gains: u32 = side.read(Buffer::RemovedEdges).chunks(window.removed_words()).map(|number| number[0]).sum();
        assert!(gains > 0 || iteration > 0);
        assert_eq!(before - side.0.state().unwrap().best_cost[0], gains);
    }
}

/// What windows gain together may be more than a word holds.
#[test]
fn gains_are_added_in_64_bits_and_broken_sums_are_caught() {
    let problem = Problem::from(&common::made(Kind::Uniform, 400, 4));
    // The state behind the choice, where each window that gains anything gains nearly 2³².
    let chosen = |backend: Box<dyn Backend>| {
        let mut side = Side::new(backend, &problem, &windows(9, 40, 300, 2), |_| {});
        for (kernel, calls) in side.calls() {
            if kernel == "independent_set" {
                let size = of_windows(side.0.plan()).window.removed_words();
                let mut removed = side.read(Buffer::RemovedEdges);
                removed.chunks_mut(size).filter(|window| window[1] > 0).for_each(|window| window[0] = u32::MAX - 8);
                side.write(Buffer::RemovedEdges, &removed);
                let [low, high] = side.0.state().unwrap().best_cost;
                let mut state = side.read(Buffer::State);
                for at in 0..state.len() - 1 {
                    if state[at..at + 2] == [low, high] {
                        state[at + 1] += 100;
                    }
                }
                side.write(Buffer::State, &state);
                side.0.run(&calls).unwrap();
                let chosen = side.read(Buffer::IndependentSet)[0].count_ones();
                return (u64::from(low) | u64::from(high + 100) << 32, chosen, side.0.state().unwrap());
            }
            side.0.run(&calls).unwrap();
        }
        unreachable!("no window is chosen");
    };
    let (before, count, state) = chosen(Box::new(CpuBackend::new()));
    let [low, high] = state.best_cost.map(u64::from);
    assert!(count > 2);
    assert_eq!(before - (low | high << 32), u64::from(count) * u64::from(u32::MAX - 8));
    assert_eq!((before, count, state), chosen(common::backend()));
    let replace = ("atomicAdd(&carried, 1u)", "atomicAdd(&carried, 0u)");
    let broken = chosen(Box::new(Saboteur::new("independent_set", replace)));
    assert_ne!((before, count, state), broken);
}

/// Tours may cost more than a window can gain, and more than a word holds.
#[test]
fn tours_may_cost_more_than_a_window() {
    let place = |word: u32| f64::from(word.wrapping_mul(2_654_435_761) >> 10);
    let points: Vec<[f64; 2]> = (0..2400).map(|city| [place(2 * city + 1), place(7_919 * city + 5)]).collect();
    let lines: String = points.iter().zip(1..).map(|([x, y], city)| format!("{city} {x} {y}\n")).collect();
    let head = "NAME: wide\nTYPE: TSP\nDIMENSION: 2400\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n";
    let instance = Instance::parse(&format!("{head}{lines}EOF\n"), "wide").unwrap();
    let start: Vec<u32> = (0..2400).map(|at| at * 7 % 2400).collect();
    let first = instance.tour_cost(&start).unwrap();
    assert!(first > 1 << 32, "{first}");
    let runs = common::targets().map(|target| {
        let mut solver = Solver::with_start(&instance, &windows(30, 240, 1000, 1), target, &start).unwrap();
        let costs: Vec<u64> = (0..6).map(|_| solver.step(2).unwrap().cost).collect();
        (costs, solver.solution().unwrap())
    });
    assert_eq!(runs[0].0, runs[1].0);
    let (costs, solution) = &runs[0];
    assert!(costs[0] < first && solution.cost < first / 4 * 3, "{first}, {costs:?}");
    assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost);
    // Windows that may gain more than 31 bits hold are refused, unless others follow: these begin with a tour of their own then.
    let windows = |count: usize, size: u32| settings(&format!("lk windows={count} window_size={size} steps=1000"));
    let refused = |windows: Settings| Solver::with_start(&instance, &windows, Target::Cpu, &start).err().unwrap();
    let error = refused(windows(30, 500));
    assert!(matches!(&error, Error::TooLarge { .. }) && error.to_string().contains("window_size"), "{error}");
    let remedy = error.to_string();
    let most = remedy.split("at most ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(Solver::with_start(&instance, &windows(30, most), Target::Cpu, &start).is_ok());
    refused(windows(30, most + 1));
    let followed = settings("lk-eax windows=30 window_size=500 steps=1000");
    let begun = Solver::with_start(&instance, &followed, Target::Cpu, &start).unwrap().progress().cost;
    assert!(begun < first / 4, "{begun}");
}

/// Where a tour may cost much and each city has another one beside it, which a larger unit would lose, windows are small by default.
#[test]
fn windows_are_no_larger_than_what_is_counted() {
    let place = |word: u32| f64::from(word.wrapping_mul(2_654_435_761) >> 10);
    let places: Vec<DVec3> = (0..5_000)
        .map(|city| DVec3::new(place(3 * city + 1), place(7_919 * city + 5), place(104_729 * city)))
        .flat_map(|place| [place, place + DVec3::X])
        .collect();
    let instance = Instance::from_coords_3d("wide", &places).unwrap();
    let settings = settings("lk windows=4 steps=300");
    let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
    let System::Windows(parameters) = solver.recipe().phases[0].system else { panic!("no windows") };
    let size = i64::from(parameters.window_size);
    assert!((size * 3 - (1 << 9)).abs() < 3, "3 sides of 2²² for each of {size} cities are to be nearly 2³¹");
    let before = solver.step(1).unwrap().cost;
    assert!(solver.step(20).unwrap().cost < before);
}
