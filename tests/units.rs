//! Distances and tours that are longer than Lin-Kernighan search and crossover count to: they are searched in a larger unit, and told as they are.

use std::time::Duration;

use crate::common::program::{file, myrmex};
use crate::common::{self, settings};
use myrmex::glam::DVec2;
use myrmex::settings::{Recipe, System};
use myrmex::tsp::{Instance, Kind, Metric};
use myrmex::{BackendKind, Checkpoint, Ended, OnDeviceLost, Problem, Proof, Settings, Solver, Stop, Target};
use serde_json::Value;

/// Cities whose tours cost more than 31 bits hold.
fn wide(cities: usize, metric: Metric) -> Instance {
    wide_by(420.0, cities, metric)
}

fn wide_by(times: f64, cities: usize, metric: Metric) -> Instance {
    let places: Vec<DVec2> =
        common::made(Kind::Uniform, cities, 3).coords().iter().map(|p| (p.truncate() * times).round()).collect();
    Instance::from_coords("wide", metric, &places).unwrap()
}

/// Weights up to 2³⁰ between cities in the plane, there and back as `skew` has it.
fn matrix(cities: usize, skew: u32) -> Instance {
    let near = common::made(Kind::Uniform, cities, 3);
    let longest = near.distance_matrix().into_iter().max().unwrap();
    let weight = |at: usize| {
        let (from, to) = (at / cities, at % cities);
        near.distance(from, to) * ((1 << 30) / longest) + if from > to { skew } else { 0 }
    };
    Instance::from_matrix("matrix", cities, (0..cities * cities).map(weight).collect()).unwrap()
}

#[test]
fn wide_instances_get_what_others_do() {
    let plane = wide(120, Metric::Euc2d);
    let open = plane.clone().open_path(Some(4), None).unwrap().with_fixed_edges(&[[7, 95], [95, 31]]).unwrap();
    for (instance, algorithm) in [
        (plane.clone(), "lk-eax"),
        (open, "lk-eax"),
        (wide(120, Metric::Ceil2d), "lk-eax"),
        (wide(120, Metric::Man2d), "lk-eax"),
        (matrix(50, 0), "lk-eax"),
        (matrix(40, 1 << 29), "eax"),
    ] {
        let settings = Settings::default().seed(2);
        let run = |target: Target| {
            let mut solver = Solver::new(&instance, &settings.for_iterations(Some(12)), target).unwrap();
            assert_eq!((solver.recipe().algorithm, solver.recipe().cost_unit > 1), (algorithm, true));
            let found = solver.run(&Stop::iterations(12)).unwrap();
            assert_eq!(solver.incumbent().get().unwrap().1, found.cost);
            found
        };
        let found = run(Target::Cpu);
        assert_eq!(found.cost, instance.tour_cost(&found.permutation).unwrap());
        let trace: Vec<u64> = found.trace.iter().map(|point| point.cost).collect();
        assert!(trace.is_sorted_by(|a, b| a >= b) && *trace.last().unwrap() == found.cost, "{trace:?}");
        assert!(found.phases.iter().all(|phase| phase.cost_end >= found.cost));
        let elsewhere = run(common::target());
        assert_eq!(elsewhere.permutation, found.permutation);
        // Ants count these costs as they are.
        let ants = common::solver(&instance, &crate::common::settings("mmas ants=20"), Target::Cpu);
        assert_eq!(ants.recipe().cost_unit, 1);
    }
    let crossed = |line| common::solver(&plane, &settings(line), Target::Cpu).step(20).unwrap().cost;
    assert!(crossed("eax population=20") < crossed("mmas ants=20"));
}

/// Targets are measured, and no proof is claimed that rounding might have made.
#[test]
fn targets_of_wide_instances_are_exact() {
    let instance = wide(200, Metric::Euc2d);
    let settings = settings("lk-eax population=16").seed(2);
    let run = |stop: &Stop| Solver::new(&instance, &settings, Target::Cpu).unwrap().run(stop).unwrap();
    let best = run(&Stop::iterations(120)).cost;
    let cap = || Stop::iterations(400);
    let reached = run(&Stop::cost(best).or(cap()));
    assert_eq!((reached.ended, reached.cost), (Ended::Target, best));
    assert!(reached.iterations < 400);
    let length = run(&Stop::target(best as f64 + 0.5).or(cap()));
    assert_eq!((length.ended, length.cost), (Ended::Target, best));
    assert_eq!(run(&Stop::cost(best - 1).or(Stop::iterations(120))).ended, Ended::Iterations);
    let proof = Proof::new();
    proof.raise(best);
    assert_eq!(run(&Stop::proved_by(&proof).or(Stop::iterations(120))).ended, Ended::Iterations);
}

/// What is counted in a larger unit the CPU takes over as anything else.
#[test]
fn wide_instances_go_on_on_the_cpu() {
    let instance = wide(120, Metric::Euc2d);
    for algorithm in ["clk", "lk-eax"] {
        let gpu = common::own_gpu();
        let settings = Settings { on_device_lost: OnDeviceLost::Cpu, ..Settings::named(algorithm).unwrap() };
        let mut solver = Solver::new(&instance, &settings, Target::Existing(gpu.clone())).unwrap();
        assert!(solver.recipe().cost_unit > 1, "{algorithm}");
        let before = solver.run(&Stop::iterations(2)).unwrap();
        gpu.device().destroy();
        let solution = solver.run(&Stop::iterations(6)).unwrap();
        assert_eq!((solution.iterations, solution.ran.backend), (6, BackendKind::Cpu), "{algorithm}");
        assert!(solution.device_lost.is_some() && solution.cost <= before.cost, "{algorithm}");
        assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost);
    }
}

/// A solution that is given is never lost, and a run goes on where it stopped.
#[test]
fn wide_instances_go_on_from_what_is_known() {
    let instance = wide(200, Metric::Euc2d);
    let settings = settings("lk-eax population=16").seed(2);
    let stop = |iterations| Stop::iterations(iterations).or(Stop::time(Duration::from_secs(60)));
    let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
    let bytes = {
        solver.run(&stop(40)).unwrap();
        solver.checkpoint().unwrap().to_bytes().unwrap()
    };
    let whole = solver.run(&stop(80)).unwrap();
    let mut again = Solver::resume(&instance, Checkpoint::from_bytes(&bytes).unwrap(), Target::Cpu).unwrap();
    assert_eq!(again.run(&stop(80)).unwrap().permutation, whole.permutation);
    let mut begun = Solver::with_start(&instance, &settings, Target::Cpu, &whole.permutation).unwrap();
    assert!(begun.run(&stop(1)).unwrap().cost <= whole.cost);
}

/// Cities that only windows take are searched in a larger unit, too, where windows would be small, unless that would leave too little of near distances:
/// then windows are small. What a run takes is told beforehand.
#[test]
fn many_wide_cities_have_large_windows() {
    let many = wide_by(200.0, 70_000, Metric::Euc2d);
    let first = |recipe: &Recipe| match recipe.phases[0].system {
        System::Windows(windows) => windows.window_size,
        ref other => panic!("{other:?} comes first"),
    };
    let outlook = Solver::outlook(&many, &Settings::default(), Target::Cpu).unwrap();
    assert!(outlook.recipe.cost_unit > 1 && outlook.plans.len() == outlook.recipe.phases.len());
    assert_eq!(first(&outlook.recipe), 4000);
    let mut solver = Solver::new(&many, &Settings::default(), Target::Cpu).unwrap();
    let found = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!(found.cost, many.tour_cost(&found.permutation).unwrap());
    // Each with another one beside it.
    let twins: Vec<DVec2> = wide_by(60.0, 35_000, Metric::Euc2d)
        .coords()
        .iter()
        .flat_map(|place| [place.truncate(), place.truncate() + DVec2::X])
        .collect();
    let twins = Instance::from_coords("twins", Metric::Euc2d, &twins).unwrap();
    let outlook = Solver::outlook(&twins, &Settings::default(), Target::Cpu).unwrap();
    assert!(outlook.recipe.cost_unit == 1 && outlook.plans.len() == outlook.recipe.phases.len());
    assert!(first(&outlook.recipe) < 500);
}

/// Windows alone find as much where tours cost nearly 2³¹, or more, as where they cost little.
#[test]
fn windows_of_wide_cities_find_what_others_do() {
    let found = |times: f64| {
        let instance = wide_by(times, 1000, Metric::Euc2d);
        let mut solver = Solver::new(&instance, &settings("lk").seed(2), Target::Cpu).unwrap();
        let System::Windows(windows) = solver.recipe().phases[0].system else { panic!("windows are all that runs") };
        (windows.window_size, solver.run(&Stop::iterations(12)).unwrap().cost as f64 / times)
    };
    let (size, near) = found(1.0);
    for times in [80.0, 130.0, 400.0] {
        let (wide_size, wide) = found(times);
        assert!(wide_size == size && (wide / near - 1.0).abs() < 0.01, "{times}: {wide_size}, {wide} and {near}");
    }
}

/// A given tour, or edges that all tours have, may cost more than search counts to where others do not.
#[test]
fn bad_tours_begin_runs() {
    let instance = wide_by(8.0, 3000, Metric::Euc2d);
    let scattered: Vec<u32> = (0..3000).map(|at| at * 1201 % 3000).collect();
    assert!(instance.tour_cost(&scattered).unwrap() > 1 << 31);
    for algorithm in ["lk-eax", "eax", "clk"] {
        let settings = Settings::named(algorithm).unwrap();
        let stop = Stop::iterations(1);
        let mut solver = Solver::with_start(&instance, &settings, Target::Cpu, &scattered).unwrap();
        let found = solver.run(&stop).unwrap();
        let by_itself = Solver::new(&instance, &settings, Target::Cpu).unwrap().run(&stop).unwrap();
        assert_eq!(found.permutation, by_itself.permutation, "{algorithm}");
    }
    let folder = tempfile::tempdir().unwrap();
    let ((path, cities), (bad, tour)) = (file(&folder, "wide.tsp"), file(&folder, "bad.tour"));
    instance.write(&mut std::fs::File::create(path).unwrap()).unwrap();
    let order: String = scattered.iter().map(|city| format!("{}\n", city + 1)).collect();
    std::fs::write(bad, format!("TYPE : TOUR\nDIMENSION : 3000\nTOUR_SECTION\n{order}-1\nEOF\n")).unwrap();
    let report = myrmex(&[
        "solve",
        &cities,
        "--initial",
        &tour,
        "--iterations",
        "1",
        "--backend",
        "cpu",
        "--quiet",
        "--json",
        "-",
    ]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let told = report["warnings"].as_array().unwrap();
    assert!(told.iter().any(|text| text.as_str().unwrap().contains("--initial was passed over")), "{told:?}");
    assert_ne!(report["phases"][0]["begins"], "given");
    let edges: Vec<[u32; 2]> = (0..700).map(|at| [at, 2999 - at]).collect();
    let fixed = instance.with_fixed_edges(&edges).unwrap();
    let mut solver = Solver::new(&fixed, &Settings::default(), Target::Cpu).unwrap();
    assert!(solver.recipe().cost_unit > 1);
    let found = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!(found.cost, fixed.tour_cost(&found.permutation).unwrap());
}

/// Few cities, and cities so near each other that a larger unit would leave little of their ways, are solved as they are.
#[test]
fn where_rounding_would_decide_distances_stay_exact() {
    let few: Problem = wide_by(600.0, 9, Metric::Euc2d).into();
    let places =
        [0.0, 4e8, 8e8].map(|x| (0..40).map(move |at| DVec2::new(x + f64::from(at % 7), f64::from(at / 7 * 3))));
    let piled: Vec<DVec2> = places.into_iter().flatten().collect();
    let piled = Problem::from(Instance::from_coords("piled", Metric::Euc2d, &piled).unwrap());
    for problem in [&few, &piled] {
        let solver = Solver::new(problem, &Settings::default(), Target::Cpu).unwrap();
        assert_eq!((solver.recipe().algorithm, solver.recipe().cost_unit), ("mmas", 1));
    }
    let proof = Proof::of(&few);
    let solved = Solver::new(&few, &Settings::default(), Target::Cpu);
    let solved = solved.unwrap().run(&Stop::proved_by(&proof).or(Stop::time(Duration::from_secs(60)))).unwrap();
    assert_eq!((solved.ended, Some(solved.cost)), (Ended::Optimal, few.least_cost()));
}

/// The longest weights that a matrix may have: what stands for ways that are not there, among ways that are rounded well, and among shorter ones, which
/// are counted as they are.
#[test]
fn the_longest_weights_are_searched() {
    let cities = 40;
    let of = |near: u32, longest: u32| {
        let weight = |at: usize| {
            let (from, to) = (at / cities, at % cities);
            let apart = from.abs_diff(to).min(cities - from.abs_diff(to)) as u32;
            if apart > 18 { longest } else { apart * near }
        };
        Instance::from_matrix("absent", cities, (0..cities * cities).map(weight).collect()).unwrap()
    };
    for longest in [i32::MAX as u32, (1 << 30) - 1, 1 << 29] {
        for (near, algorithm) in [(100_000, "lk-eax"), (90, "mmas")] {
            let instance = of(near, longest);
            let mut solver = common::solver(&instance, &Settings::default(), Target::Cpu);
            assert_eq!(solver.recipe().algorithm, algorithm, "{near} {longest}");
            assert_eq!(solver.run(&Stop::iterations(60)).unwrap().cost, u64::from(near) * cities as u64);
        }
    }
}

/// Asymmetric distances of which little is left are counted as they are, however long they are, and so are few parts.
#[test]
fn asymmetric_distances_are_rounded_where_they_must_be() {
    let cities = 30;
    let of = |base: u32, word: u32| {
        let weight = |at: usize| {
            if at / cities == at % cities { 0 } else { base + (at as u32).wrapping_mul(2_654_435_761) % word }
        };
        Instance::from_matrix("asymmetric", cities, (0..cities * cities).map(weight).collect()).unwrap()
    };
    for (instance, unit) in [(of(1_500_000_000, 1000), 1), (of(0, 400_000_000), 1), (of(0, 2_000_000_000), 8)] {
        let mut solver = common::solver(&instance, &Settings::default(), Target::Cpu);
        assert_eq!((solver.recipe().algorithm, solver.recipe().cost_unit), ("eax", unit));
        let found = solver.run(&Stop::iterations(20)).unwrap();
        assert_eq!(found.cost, instance.tour_cost(&found.permutation).unwrap());
    }
    let fixed: Vec<[u32; 2]> = (0..14).map(|at| [2 * at, 2 * at + 1]).collect();
    let few = of(0, 2_000_000_000).with_fixed_edges(&fixed).unwrap();
    let found = common::solver(&few, &Settings::default(), Target::Cpu).run(&Stop::iterations(1)).unwrap();
    assert_eq!(found.cost, few.tour_cost(&found.permutation).unwrap());
}

/// In a batch as alone, and with several colonies.
#[test]
fn wide_instances_are_solved_in_batches_and_by_colonies() {
    let instance = wide(60, Metric::Euc2d);
    let colonies = settings("lk-eax population=12 colonies=2 migration=10").seed(2);
    let alone = common::solver(&instance, &colonies, Target::Cpu).run(&Stop::iterations(60)).unwrap();
    assert_eq!(alone.cost, instance.tour_cost(&alone.permutation).unwrap());
    let stop = Stop::cost(alone.cost).or(Stop::iterations(400));
    let batch = myrmex::Batch { settings: settings("clk").seed(2), stop, ..myrmex::Batch::default() };
    let mut costs = Vec::new();
    let problems = (0..3).map(|key| {
        (key, {
            let problem = Problem::from(&instance);
            move || Ok(problem)
        })
    });
    let told = batch.solve(problems, |solved| {
        let found = solved.result.unwrap().solution;
        costs.push((found.ended, found.cost, instance.tour_cost(&found.permutation).unwrap()));
        std::ops::ControlFlow::Continue(())
    });
    told.unwrap();
    assert!(
        costs.len() == 3
            && costs
                .iter()
                .all(|(ended, told, cost)| told == cost && (*ended == Ended::Target) == (*told <= alone.cost)),
        "{costs:?}"
    );
}
