//! Neighbours that are listed once, and their places looked up, where a device has no room for a table of these.

use myrmex::backend::{Backend, Capabilities, CpuBackend};
use myrmex::kernels::plan::{Plan, WindowsPlan};
use myrmex::tsp::Kind;
use myrmex::{Effort, Problem, Shape};

use super::{Side, compare, first_difference, paired, windows};
use crate::common;
use crate::common::parity::Saboteur;

#[test]
fn neighbours_that_are_looked_up_are_those_of_the_table() {
    let listed = |plan: &mut WindowsPlan| plan.window.listed = true;
    let instance = common::made(Kind::Clustered, 201, 6);
    let settings = windows(4, 70, 900, 3);
    compare(&instance, &settings, 3, listed);
    // Fewer neighbours than there is room for, a gap and edges that stay.
    compare(&common::made(Kind::Uniform, 9, 2), &windows(2, 8, 100, 2), 3, listed);
    compare(&paired(), &windows(6, 40, 400, 5), 3, listed);
    for instance in common::in_space() {
        compare(&instance, &windows(6, 40, 400, 5), 3, listed);
    }
    let problem = Problem::from(&instance);
    let mut with_lists = Side::new(Box::new(CpuBackend::new()), &problem, &settings, listed);
    let mut with_table = Side::new(Box::new(CpuBackend::new()), &problem, &settings, |_| {});
    assert_eq!(first_difference(&mut with_lists, &mut with_table, 4), None);
    // A device of the least size that WebGPU asks for.
    let small =
        Capabilities { buffer_bytes: 128 << 20, memory_bytes: None, ..CpuBackend::new().capabilities().clone() };
    let plan = |n: usize| {
        let shape = Shape { size: n, ..problem.shape() };
        Plan::new(&shape, 1 << 30, &settings.recipe(&problem, Effort::Small).unwrap().phases[0].system, &small)
    };
    let is_listed = |n: usize| match plan(n) {
        Ok(Plan::Windows(plan)) => plan.window.listed,
        other => panic!("{other:?}"),
    };
    assert_eq!([400_000, 500_000, 1_000_000, 2_390_000].map(is_listed), [false, true, true, true]);
    let refused = plan(2_400_000).unwrap_err().to_string();
    assert!(refused.contains("buffer 'near_index' for 2400000 cities") && refused.contains("134217728"), "{refused}");
    // One with little memory.
    let little = |bytes| Capabilities { buffer_bytes: 1 << 40, memory_bytes: Some(bytes), ..small.clone() };
    let is_listed = |bytes| {
        let shape = Shape { size: 1_000_000, ..problem.shape() };
        let recipe = settings.recipe(&problem, Effort::Small).unwrap();
        match Plan::new(&shape, 1 << 30, &recipe.phases[0].system, &little(bytes)) {
            Ok(Plan::Windows(plan)) => plan.window.listed,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([1 << 30, 300 << 20].map(is_listed), [false, true]);
}

#[test]
fn broken_lists_of_neighbours_are_caught() {
    let problem = Problem::from(&common::made(Kind::Clustered, 201, 6));
    let settings = windows(4, 70, 900, 3);
    let listed = |plan: &mut WindowsPlan| plan.window.listed = true;
    for replace in [
        ("params.listed + here.x * params.all + other", "params.listed + other"),
        ("near_index[city_of(city) * NEAR + rank]", "near_index[city * NEAR + rank]"),
        ("vec2<u32>(label, distance(city, label))", "vec2<u32>(label, distance(city, label) + 1u)"),
    ] {
        let saboteur = Saboteur::new("window_search", replace);
        let mut broken = Side::new(Box::new(saboteur), &problem, &settings, listed);
        let mut cpu = Side::new(Box::new(CpuBackend::new()), &problem, &settings, |_| {});
        assert!(first_difference(&mut broken, &mut cpu, 8).is_some(), "{replace:?} passed");
    }
}
