//! Colonies of ants on a device and on the CPU, compared kernel by kernel.
#![allow(dead_code, reason = "each test file uses a part of it")]

use myrmex::backend::{Backend, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::{ConstructPlan, Plan};
use myrmex::kernels::shared::progress::PROGRESS_WORDS;
use myrmex::{LocalUpdate, Problem, Settings};

use super::backend;
use super::parity::{Comparison, Left, Saboteur, read};

/// The plan of the first phase, which begins with the simple solution.
pub fn plan(problem: impl Into<Problem>, settings: &Settings, backend: &dyn Backend) -> Plan {
    let problem = problem.into();
    let cost = problem.cost(&problem.simple_solution()).unwrap();
    let recipe = super::recipe(&problem, settings);
    Plan::new(&problem.shape(), cost, &recipe.phases[0].system, backend.capabilities()).unwrap()
}

/// What the kernels have written: name, words that matter.
pub fn written(colony: &mut Colony) -> Left {
    let compared = [
        Buffer::Tours,
        Buffer::Costs,
        Buffer::State,
        Buffer::Bests,
        Buffer::Links,
        Buffer::Trails,
        Buffer::Records,
        Buffer::Choice,
        Buffer::Weights,
        Buffer::Amounts,
        Buffer::Units,
        Buffer::UnitCosts,
        Buffer::Ranks,
        Buffer::Survivors,
        Buffer::Progress,
    ];
    let full = colony.plan().construct().is_some_and(|plan| plan.system.full);
    let planned: Vec<Buffer> = colony.plan().buffers().iter().map(|plan| plan.name).collect();
    let planned = planned.into_iter().filter(|name| compared.contains(name) && !(full && *name == Buffer::Choice));
    let left = planned.map(|name| {
        let mut words = read(colony, name);
        if name == Buffer::Progress {
            // Only what both sides define: done tags, steps of construction, what a search counts, costs of assignments under search.
            let costs = if colony.plan().is_assignment() { 7..11 } else { 0..0 };
            let told = |unit: &[u32]| [&unit[1..3], &unit[4..7], &unit[costs.clone()]].concat();
            words = words.chunks(PROGRESS_WORDS).flat_map(told).collect();
        }
        (name.name(), words)
    });
    left.collect()
}

/// Fails unless all kernels of ants that construct do as their twins.
pub fn compare(
    problem: impl Into<Problem>,
    settings: &Settings,
    iterations: usize,
    change: impl Fn(&mut ConstructPlan),
) {
    let problem = problem.into();
    let found = difference(backend(), &problem, settings, iterations, change);
    assert_eq!(found, None, "{} {settings:?}", problem.name());
}

/// Fails unless a kernel with `bad` for `good` does otherwise than its twin.
pub fn caught(
    problem: impl Into<Problem>,
    settings: &Settings,
    iterations: usize,
    (kernel, good, bad): (&'static str, &'static str, &'static str),
    change: impl Fn(&mut ConstructPlan),
) {
    let backend = Box::new(Saboteur::new(kernel, (good, bad)));
    let found = difference(backend, &problem.into(), settings, iterations, change);
    assert!(found.is_some(), "{kernel} with '{bad}' for '{good}' passed");
}

/// Checks that a kernel whose loops are bounded one by one, as in builds with debug assertions, finds what its twin does: it ends where its budget does.
pub fn ends_within_its_budget(problem: impl Into<Problem>, settings: &Settings, kernel: &'static str) {
    // Nothing is changed but that.
    let backend = Box::new(Saboteur::new(kernel, ("@compute", "@compute")));
    let found = difference(backend, &problem.into(), settings, 1, |_| {});
    assert_eq!(found, None, "{kernel}, {settings:?}");
}

fn difference(
    backend: Box<dyn Backend>,
    problem: &Problem,
    settings: &Settings,
    iterations: usize,
    change: impl Fn(&mut ConstructPlan),
) -> Option<String> {
    let (host, start) = (CpuBackend::new(), problem.simple_solution());
    let mut device_plan = plan(problem, settings, backend.as_ref());
    let mut twin_plan = plan(problem, settings, &host);
    change(device_plan.construct_mut().unwrap());
    let (ants, construct) = (device_plan.units as u32, device_plan.construct().unwrap());
    // What changes results is the same for both.
    twin_plan.construct_mut().unwrap().long_path = construct.long_path;
    let ranges = match construct.system.local_update {
        // All ants step together.
        LocalUpdate::Synchronous => std::iter::once(0..ants).collect(),
        // One ant after the other: together they race.
        LocalUpdate::Relaxed => (0..ants).map(|ant| ant..ant + 1).collect(),
        // Two ranges, so that first units other than 0 are used.
        _ => vec![0..ants / 3, ants / 3..ants],
    };
    let mut device = Colony::new(backend, problem, device_plan, &start).unwrap();
    let mut twin = Colony::new(Box::new(host), problem, twin_plan, &start).unwrap();
    Comparison::of(ranges, |colony, _| written(colony)).first_difference(&mut device, &mut twin, iterations)
}
