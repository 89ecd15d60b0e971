//! What must hold for any instance: tours are permutations, local search never lengthens one, runs repeat.

mod common;

use glam::DVec2;
use myrmex::backend::{Backend, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::plan::Plan;
use myrmex::tsp::{Instance, Metric};
use myrmex::{Algorithm, Candidates, Config, FocusedParams, LocalSearch, Solver, Stop, Target};
use proptest::prelude::*;

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

/// A run may end in any iteration: what it has by then is what it says, and never worse than before, also where a colony of other ants
/// begins with a better tour than the one that it was given.
#[test]
fn runs_may_end_wherever_ants_follow_on_others() {
    let places: Vec<DVec2> = (0..220).map(|i| DVec2::new(f64::from(i * 37 % 211), f64::from(i * 101 % 199))).collect();
    let instance = Instance::from_coords("scattered", Metric::Euc2d, &places).unwrap();
    // As bad a tour as there is: patches of a few cities do not mend it.
    let start: Vec<u32> = (0..220).map(|i| i * 87 % 220).collect();
    let focused = FocusedParams { patch: 8, ..FocusedParams::default() };
    let config =
        Config { algorithm: Some(Algorithm::Focused), ants: Some(4), focused: Some(focused), ..Config::default() };
    let mut before = u64::MAX;
    let mut followed = false;
    for iterations in 0..60 {
        let mut solver = Solver::with_start(&instance, &config, Target::Cpu, &start).unwrap();
        let solution = solver.run(&Stop::iterations(iterations), |_| std::ops::ControlFlow::Continue(())).unwrap();
        assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
        assert_eq!(solution.cost, solver.progress().cost);
        assert_eq!(solution.trace.last().unwrap().cost, solution.cost);
        assert!(solution.cost <= before, "{iterations}: {} after {before}", solution.cost);
        before = solution.cost;
        followed |= solver.plan().unwrap().system.algorithm() == Algorithm::Assembly;
    }
    assert!(followed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn tours_are_permutations_and_two_opt_never_lengthens(instance in instances(), seed: u64, k in 5usize..20) {
        let config = Config { seed, ants: Some(4), candidates: Some(Candidates::Nearest(k)), ..Config::default() };
        let start = instance.nearest_neighbour_tour(0);
        let backend = CpuBackend::new();
        let cost = instance.tour_cost(&start).unwrap();
        let plan = Plan::new(&myrmex::Problem::from(&instance).shape(), cost, &config, backend.capabilities()).unwrap();
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
        let config = Config { seed, ants: Some(3), local_search: Some(LocalSearch::None), ..Config::default() };
        let run = || common::solver(&instance, &config, Target::Cpu).run(&Stop::iterations(8), |_| std::ops::ControlFlow::Continue(())).unwrap();
        let (a, b) = (run(), run());
        prop_assert_eq!(&a.permutation, &b.permutation);
        prop_assert_eq!(a.cost, instance.tour_cost(&a.permutation).unwrap());
        prop_assert!(a.trace.windows(2).all(|pair| pair[1].cost < pair[0].cost));
    }
}
