//! Chained Lin-Kernighan search of whole tours: the kernel against its twin, on whatever GPU there is, lavapipe included.

use crate::common;
use crate::common::colonies::plan;
use crate::common::parity::{Comparison, Saboteur, read};
use crate::common::{made, settings};
use myrmex::backend::{Backend, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Ended, Problem, Settings, Solver, Stop, Target};

/// A colony of walks from the simple tour on.
fn colony(backend: Box<dyn Backend>, problem: &Problem, settings: &Settings) -> Colony {
    let plan = plan(problem, settings, backend.as_ref());
    Colony::new(backend, problem, plan, &problem.simple_solution()).unwrap()
}

/// The first words in which a device and the twins differ, and after which kernel and iteration.
fn first_difference(
    device: Box<dyn Backend>,
    problem: &Problem,
    settings: &Settings,
    iterations: usize,
) -> Option<String> {
    let [mut device, mut twin] =
        [device, Box::new(CpuBackend::new())].map(|backend| colony(backend, problem, settings));
    let left_by = |colony: &mut Colony, _: &str| {
        [Buffer::Tours, Buffer::Costs, Buffer::State, Buffer::Bests, Buffer::Links]
            .map(|buffer| (buffer.name(), read(colony, buffer)))
            .to_vec()
    };
    Comparison::in_two(&device, left_by).first_difference(&mut device, &mut twin, iterations)
}

fn compare(instance: impl Into<Problem>, settings: &Settings, iterations: usize) {
    let problem = instance.into();
    let found = first_difference(common::backend(), &problem, settings, iterations);
    assert_eq!(found, None, "{} {settings:?}", problem.name());
}

fn clk(words: &str) -> Settings {
    settings(&format!("clk {words}"))
}

/// In the form that kernels know, with edges that stay and the gap of an open path.
fn constrained(instance: Instance) -> Instance {
    let edges: Vec<[u32; 2]> = (0..6).map(|i| [6 * i, 6 * i + 3]).collect();
    instance.with_fixed_edges(&edges).unwrap().open_path(Some(5), None).unwrap().in_kernel_form(true).unwrap()
}

#[test]
fn the_kernel_does_as_its_twin() {
    for (kind, cities, words) in [
        (Kind::Uniform, 150, "walks=5 steps=900"),
        (Kind::Clustered, 300, "walks=4 steps=1500 kick_length=9"),
        (Kind::Lattice, 100, "walks=3 steps=700 rebuild_length=20"),
        (Kind::Uniform, 61, "walks=3 steps=1000 rebuild_length=0"),
        (Kind::Uniform, 9, "walks=4 steps=200"),
        (Kind::Uniform, 1100, "walks=2 steps=1200 quadrants=2"),
    ] {
        compare(made(kind, cities, 3), &clk(words), 4);
    }
    for instance in common::degenerate() {
        compare(instance, &clk("walks=3 steps=300"), 3);
    }
}

#[test]
fn all_kinds_of_distances_edges_that_stay_and_gaps() {
    let settings = clk("walks=3 steps=500");
    for (_, instance) in common::all_kinds_of_distances() {
        compare(instance.clone(), &settings, 2);
        compare(constrained(instance), &settings, 2);
    }
    for instance in common::in_space() {
        compare(instance, &settings, 2);
    }
}

#[test]
fn broken_kernels_are_caught() {
    let problem = Problem::from(made(Kind::Uniform, 120, 5));
    let settings = clk("walks=4 steps=800 rebuild_length=30");
    for (good, bad) in [
        ("heads[walk / params.walks]", "heads[walk]"),
        ("state.iteration, walk % params.walks", "state.iteration, 0u"),
        ("select(0u, FIRST_STEPS * own.cities", "select(0u, own.cities"),
        ("select(0u, own.cities, state.iteration == 0u)", "own.cities"),
        ("vec2<u32>(search.gain, 0u)", "vec2<u32>(0u, 0u)"),
        ("return neighbours[(own.first + city) * NEAR + rank]", "return neighbours[city * NEAR + NEAR - 1u - rank]"),
        ("let fell = search.cost >= 0x80000000u;", "let fell = true;"),
        ("search.cost = kick_cost;", "search.cost = 0u;"),
    ] {
        let saboteur = Saboteur::new("chained_search", (good, bad));
        let found = first_difference(Box::new(saboteur), &problem, &settings, 4);
        assert!(found.is_some(), "'{bad}' for '{good}' passed");
    }
    let fixed = Problem::from(constrained(made(Kind::Uniform, 120, 5)));
    let (good, bad) = ("select(OUTSIDE, city ^ 1u, is_pair(city, city ^ 1u))", "OUTSIDE");
    let saboteur = Saboteur::new("chained_search", (good, bad));
    assert!(first_difference(Box::new(saboteur), &fixed, &settings, 6).is_some(), "'{bad}' for '{good}' passed");
    for (instance, replace) in common::broken_distances() {
        let saboteur = Saboteur::new("chained_search", replace);
        let found = first_difference(Box::new(saboteur), &instance.into(), &settings, 4);
        assert!(found.is_some(), "{replace:?} passed");
    }
}

/// Walks end when iterations gain nothing, and begin again with other random numbers; the best of all counts.
#[test]
fn walks_begin_again_where_they_gain_nothing() {
    let instance = made(Kind::Uniform, 100, 8);
    let run = |stop: Stop| {
        let mut solver = Solver::new(&instance, &clk("walks=2 steps=1000"), Target::Cpu).unwrap();
        solver.run(&stop).unwrap()
    };
    let (one, four) = (run(Stop::rounds(1)), run(Stop::rounds(4)));
    assert_eq!([one.ended, four.ended], [Ended::Converged; 2]);
    assert_eq!((one.phases.len(), four.phases.len()), (1, 4));
    assert_eq!(one.iterations % 5, 0);
    assert!(one.iterations >= 10 && four.iterations >= 40 && four.cost <= one.cost);
    let greedy = instance.tour_cost(&instance.greedy_tour()).unwrap();
    assert!(one.cost < greedy && four.phases.iter().all(|phase| phase.cost_end < greedy));
}
