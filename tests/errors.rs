//! What goes wrong is told as a typed error, in one line, with the numbers.

mod common;

use glam::DVec2;
use myrmex::tsp::{Instance, Kind, Metric};
use myrmex::{
    Algorithm, Assignment, BestOn, Candidates, Config, Deposit, Device, Ended, Error, MmasParams, Solver, Start, Stop,
    Strategy, Tabu, Target,
};

fn refused(config: Config) -> String {
    let instance = common::made(Kind::Uniform, 30, 1);
    let error = Solver::new(&instance, &config, Target::Cpu).err().expect("the configuration is refused");
    assert!(matches!(error, Error::Config(_)), "{error}");
    error.to_string()
}

#[test]
fn parameters_out_of_range_are_named() {
    let base = MmasParams::for_search(true);
    assert!(refused(Config { ants: Some(0), ..Config::default() }).contains("ants"));
    assert!(refused(Config { candidates: Some(Candidates::Nearest(4)), ..Config::default() }).contains("candidates"));
    let quadrants = |quadrants, candidates| Config { quadrants, candidates: Some(candidates), ..Config::default() };
    let message = refused(quadrants(3, Candidates::Nearest(20)));
    assert!(message.contains("quadrants must lie in 0 to 2, not 3"), "{message}");
    let message = refused(quadrants(2, Candidates::Nearest(7)));
    assert!(message.contains("candidates must be at least 8 with quadrants 2, not 7"), "{message}");
    for (mmas, word) in [
        (MmasParams { alpha: -1.0, ..base }, "alpha"),
        (MmasParams { beta: 99.0, ..base }, "beta"),
        (MmasParams { evaporation: 0.0, ..base }, "evaporation"),
        (MmasParams { p_best: f64::NAN, ..base }, "p_best"),
        (MmasParams { average_options: Some(1.5), ..base }, "average_options must be at least 2, not 1.5"),
    ] {
        assert!(refused(Config { mmas: Some(mmas), ..Config::default() }).contains(word));
    }
}

/// What ants that construct alone have is refused where no ants construct, not ignored and no panic.
#[test]
fn choices_for_other_systems_are_refused() {
    for algorithm in [Algorithm::Focused, Algorithm::Assembly] {
        let base = Config { algorithm: Some(algorithm), ..Config::default() };
        for config in [
            Config { best_on: BestOn::Host, ..base },
            Config { start: Start::Distinct, ..base },
            Config { deposit: Deposit::Serial, ..base },
            Config { lanes: Some(8), ..base },
            Config { strategy: Some(Strategy::Fine), ..base },
            Config { tabu: Some(Tabu::Bt), ..base },
        ] {
            refused(config);
        }
    }
    for (lanes, assignment) in [(2048, None), (3, None), (1, Some(Assignment::Mata))] {
        let problem = myrmex::qap::generate(12, 1).unwrap();
        let config = Config { lanes: Some(lanes), assignment, ..Config::default() };
        let error = Solver::new(&problem, &config, Target::Cpu).err().unwrap().to_string();
        assert!(error.contains("lanes must be a power of two"), "{error}");
    }
}

/// What some ants of an iteration have found counts, though there is no time for the others.
#[test]
fn ants_that_are_done_count_where_time_is_short() {
    let problem = myrmex::qap::generate(30, 1).unwrap();
    let config = Config { ants: Some(1 << 16), tabu_iterations: Some(2000), ..Config::default() };
    let mut solver = Solver::new(&problem, &config, Target::Cpu).unwrap();
    let before = solver.progress().cost;
    let time = Stop::time(std::time::Duration::from_secs(2));
    let solution = solver.run(&time, |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert_eq!((solution.iterations, solution.ended), (0, Ended::Time));
    assert!(solution.cost < before, "{} from {before}", solution.cost);
    assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap());
    assert_eq!(solution.trace.last().unwrap().cost, solution.cost);
}

/// Three cities have two tours where the way back costs something else.
#[test]
fn both_directions_of_three_cities_are_tried() {
    for weights in [[0, 1, 9, 9, 0, 1, 1, 9, 0], [0, 9, 1, 1, 0, 9, 9, 1, 0]] {
        let instance = Instance::from_matrix("three", 3, weights.to_vec()).unwrap();
        for start in [[0, 1, 2], [0, 2, 1]] {
            let mut solver = Solver::with_start(&instance, &Config::default(), Target::Cpu, &start).unwrap();
            let solution = solver.run(&Stop::default(), |_| std::ops::ControlFlow::Continue(())).unwrap();
            assert_eq!((solution.cost, solution.ended), (3, Ended::Trivial));
        }
    }
}

#[test]
fn instances_too_large_for_the_device_are_refused_with_the_numbers() {
    let gpu = common::gpu();
    let places: Vec<DVec2> = (0..70_000).map(|i| DVec2::new(f64::from(i % 300), f64::from(i / 300))).collect();
    let instance = Instance::from_coords("large", Metric::Euc2d, &places).unwrap();
    for target in [Target::Existing(gpu.clone()), Target::Cpu] {
        let error = Solver::new(&instance, &Config::default(), target).err().unwrap();
        let message = error.to_string();
        assert!(matches!(error, Error::TooLarge { .. }) && message.contains("70000"), "{message}");
    }
    let small = common::made(Kind::Uniform, 2000, 1);
    let config = Config { ants: Some(1 << 20), ..Config::default() };
    let error = Solver::new(&small, &config, Target::Existing(gpu)).err().unwrap();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn unknown_devices_are_told_with_the_known_ones() {
    let error = Device::open(Some("no such adapter"), true).err().unwrap();
    assert!(matches!(error, Error::NoAdapter(_)) && error.to_string().contains("0: "), "{error}");
    assert!(Device::open(Some("99"), true).is_err());
}

#[test]
fn instances_of_one_to_three_cities_are_solved() {
    for n in 1..4 {
        let places: Vec<DVec2> = (0..n).map(|i| DVec2::new(i as f64, 1.0)).collect();
        let instance = Instance::from_coords("tiny", Metric::Euc2d, &places).unwrap();
        for target in common::targets() {
            let mut solver = common::solver(&instance, &Config::default(), target);
            let solution = solver.run(&Stop::default(), |_| std::ops::ControlFlow::Continue(())).unwrap();
            assert_eq!(solution.ended, Ended::Trivial);
            assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
        }
    }
}

#[test]
fn a_destroyed_device_gives_an_error_and_the_tour_is_kept() {
    let gpu = common::gpu();
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &Config::default(), Target::Existing(gpu.clone()));
    solver.run(&Stop::iterations(60), |_| std::ops::ControlFlow::Continue(())).unwrap();
    gpu.device().destroy();
    let error = solver.step(5).expect_err("the device is gone");
    assert!(matches!(error, Error::Device { .. }) && !error.to_string().contains('\n'), "{error}");
    let kept = solver.salvage();
    assert_eq!(kept.ended, Ended::Failed);
    assert_eq!(instance.tour_cost(&kept.permutation).unwrap(), kept.cost);
    assert!(kept.cost < instance.tour_cost(&instance.nearest_neighbour_tour(0)).unwrap());
}

#[test]
fn observers_and_flags_end_a_run() {
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &Config::default(), Target::Cpu);
    let solution = solver.run(&Stop::default(), |_| std::ops::ControlFlow::Break(())).unwrap();
    assert_eq!(solution.ended, Ended::Cancelled);
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let before = solver.progress().iteration;
    let stop = Stop { cancel: Some(flag), ..Stop::default() };
    solver.run(&stop, |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert_eq!(solver.progress().iteration, before);
    let stop = Stop { target: Some(u64::MAX), ..Stop::default() };
    assert_eq!(solver.run(&stop, |_| std::ops::ControlFlow::Continue(())).unwrap().ended, Ended::Target);
}
