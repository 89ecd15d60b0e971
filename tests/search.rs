//! What must hold for any instance: tours are permutations, local search never lengthens one, runs repeat.

use crate::common;
use crate::common::settings;
use glam::DVec2;
use myrmex::backend::{Backend, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::plan::Plan;
use myrmex::tsp::{Instance, Metric};
use myrmex::{Solver, Stop, Target};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn instances() -> impl Strategy<Value = Instance> {
    // Few different coordinates make many ties and coincident cities.
    let side = prop_oneof![Just(6u32), Just(1000)];
    let places = side.prop_flat_map(|side| prop::collection::vec((0..side, 0..side), 4..60));
    let metric = prop_oneof![Just(Metric::Euc2d), Just(Metric::Ceil2d), Just(Metric::Man2d), Just(Metric::Att)];
    (places, metric).prop_map(|(places, metric)| {
        let places: Vec<DVec2> = places.into_iter().map(|(x, y)| DVec2::new(f64::from(x), f64::from(y))).collect();
        Instance::from_coords("random", metric, &places).unwrap()
    })
}

/// A run may end in any iteration: what it has by then is what it says, and never worse than before, also where a phase begins
/// with a better tour than the one that it was given.
#[test]
fn runs_may_end_wherever_phases_follow() {
    let places: Vec<DVec2> = (0..220).map(|i| DVec2::new(f64::from(i * 37 % 211), f64::from(i * 101 % 199))).collect();
    let instance = Instance::from_coords("scattered", Metric::Euc2d, &places).unwrap();
    // As bad a tour as there is: windows of a few cities do not mend it.
    let start: Vec<u32> = (0..220).map(|i| i * 87 % 220).collect();
    let settings = settings("lk-eax windows=4 window_size=8 steps=1000");
    let mut before = u64::MAX;
    let mut followed = false;
    for iterations in 0..60 {
        let mut solver = Solver::with_start(&instance, &settings, Target::Cpu, &start).unwrap();
        let solution = solver.run(&Stop::iterations(iterations)).unwrap();
        assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
        assert_eq!(solution.cost, solver.progress().cost);
        assert_eq!(solution.trace.last().unwrap().cost, solution.cost);
        assert!(solution.cost <= before, "{iterations}: {} after {before}", solution.cost);
        before = solution.cost;
        followed |= solution.phases.iter().any(|phase| phase.algorithm == "eax");
    }
    assert!(followed);
}

/// Each run tries other cases. The seed of one that fails is printed and kept in a file beside this one, from which it is tried first.
fn config() -> ProptestConfig {
    let kept = FileFailurePersistence::Direct(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/search.regressions"));
    ProptestConfig { failure_persistence: Some(Box::new(kept)), ..ProptestConfig::with_cases(200) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn tours_are_permutations_and_two_opt_never_lengthens(instance in instances(), seed: u64, k in 5usize..20) {
        let settings = settings(&format!("mmas ants=4 candidates={k} seed={seed}"));
        let start = instance.nearest_neighbour_tour(0);
        let backend = CpuBackend::new();
        let cost = instance.tour_cost(&start).unwrap();
        let problem = myrmex::Problem::from(&instance);
        let system = common::recipe(&problem, &settings).phases[0].system;
        let plan = Plan::new(&problem.shape(), cost, &system, backend.capabilities()).unwrap();
        let mut colony = Colony::new(Box::new(backend), &instance, plan, &start).unwrap();
        let calls = colony.ant_calls(0..4);
        let mut costs = Vec::new();
        // Construction, then local search.
        for call in &calls[..2] {
            colony.run(std::slice::from_ref(call)).unwrap();
            let tours = colony.solutions().unwrap();
            let each: Result<Vec<u64>, _> = tours.chunks(instance.len()).map(|tour| instance.tour_cost(tour)).collect();
            costs.push(each.unwrap());
        }
        for (before, after) in costs[0].iter().zip(&costs[1]) {
            prop_assert!(after <= before);
        }
    }

    #[test]
    fn runs_repeat_and_improve(instance in instances(), seed: u64) {
        let settings = settings(&format!("mmas ants=3 local_search=none seed={seed}"));
        let run = || common::solver(&instance, &settings, Target::Cpu).run(&Stop::iterations(8)).unwrap();
        let (a, b) = (run(), run());
        prop_assert_eq!(&a.permutation, &b.permutation);
        prop_assert_eq!(a.cost, instance.tour_cost(&a.permutation).unwrap());
        prop_assert!(a.trace.windows(2).all(|pair| pair[1].cost < pair[0].cost));
    }
}

/// Cities in one place cost no more time than others: first tours and neighbours of 100,000 equal ones, and of 20,000 among others.
#[test]
fn many_cities_in_one_place_are_set_up_quickly() {
    let scattered = |i: u32| {
        DVec2::new(f64::from(i.wrapping_mul(2_654_435_761) >> 12), f64::from(i.wrapping_mul(40_503) % 999_983))
    };
    let equal = vec![DVec2::new(5.0, 5.0); 100_000];
    let some: Vec<DVec2> =
        (0..100_000).map(|i| if i % 5 == 0 { DVec2::splat(500_000.0) } else { scattered(i) }).collect();
    for places in [&equal, &some] {
        let instance = Instance::from_coords("piled", Metric::Euc2d, places).unwrap();
        let began = std::time::Instant::now();
        let (greedy, nearest) = (
            instance.greedy_tour(),
            if places[1] == places[0] { instance.nearest_neighbour_tour(0) } else { Vec::new() },
        );
        instance.quadrant_neighbours(12, 2);
        let seconds = began.elapsed().as_secs_f64();
        assert!(seconds < 5.0, "{seconds} s");
        for tour in [greedy, nearest].iter().filter(|tour| !tour.is_empty()) {
            assert!(instance.tour_cost(tour).is_ok());
        }
    }
}
