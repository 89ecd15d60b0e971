//! Two colonies on different backends, run side by side and compared word for word; a backend that breaks kernels.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ops::Range;

use myrmex::backend::{Backend, BufferId, Call, Capabilities, CpuBackend, KernelId, KernelSpec, KernelTiming};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::{ConstructPlan, Plan};
use myrmex::kernels::qap::delta_table;
use myrmex::kernels::shared::progress::PROGRESS_WORDS;
use myrmex::{LocalUpdate, Problem, Result, Settings};

/// A backend that changes a kernel's source before it is made: the sabotage that a comparison must notice.
pub struct Saboteur {
    pub inner: Box<dyn Backend>,
    pub kernel: &'static str,
    pub replace: (&'static str, &'static str),
}

impl Backend for Saboteur {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }
    fn fresh(&self) -> Result<Box<dyn Backend>> {
        self.inner.fresh()
    }
    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.inner.buffer_with(label, contents)
    }
    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.inner.buffer(label, words)
    }
    fn kernel(&mut self, mut spec: KernelSpec) -> Result<KernelId> {
        if spec.name == self.kernel {
            let (good, bad) = self.replace;
            assert!(spec.source.contains(good), "{}: there is no '{good}' to break", spec.name);
            spec.source = spec.source.replace(good, bad);
        }
        self.inner.kernel(spec)
    }
    fn run(&mut self, calls: &[Call]) -> Result<()> {
        self.inner.run(calls)
    }
    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        self.inner.read(buffer, words)
    }
    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        self.inner.write(buffer, contents)
    }
    fn timings(&self) -> Vec<KernelTiming> {
        self.inner.timings()
    }
}

pub fn gpu() -> Box<dyn Backend> {
    super::backend()
}

/// The plan of the first phase, which begins with the simple solution.
pub fn plan(problem: impl Into<Problem>, settings: &Settings, backend: &dyn Backend) -> Plan {
    let problem = problem.into();
    let cost = problem.cost(&problem.simple_solution()).unwrap();
    let recipe = super::recipe(&problem, settings);
    Plan::new(&problem.shape(), cost, &recipe.phases[0].system, backend.capabilities()).unwrap()
}

/// What the kernels have written: name, words that matter.
pub fn written(colony: &mut Colony) -> Vec<(&'static str, Vec<u32>)> {
    let buffers = colony.buffers().clone();
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
    let sizes = colony.plan().buffers();
    let full = colony.plan().construct().is_some_and(|plan| plan.system.full);
    let planned = sizes.iter().filter(|plan| compared.contains(&plan.name) && !(full && plan.name == Buffer::Choice));
    let mut all = Vec::new();
    for plan in planned {
        let mut words = colony.backend().read(buffers.get(plan.name), 0..plan.words as usize).unwrap();
        if plan.name == Buffer::Progress {
            // Only what both sides define: done tags, steps of construction, what a search counts, costs of assignments under search.
            let costs = if colony.plan().is_assignment() { 7..11 } else { 0..0 };
            let told = |unit: &[u32]| [&unit[1..3], &unit[4..7], &unit[costs.clone()]].concat();
            words = words.chunks(PROGRESS_WORDS).flat_map(told).collect();
        }
        all.push((plan.name.name(), words));
    }
    all
}

/// Runs both colonies kernel by kernel; the first kernel and buffer that differ. `ranges` cuts the ants.
pub fn first_difference_in(
    gpu: &mut Colony,
    cpu: &mut Colony,
    iterations: usize,
    ranges: &[Range<u32>],
) -> Option<String> {
    for iteration in 0..iterations {
        for range in ranges.iter().map(Some).chain([None]) {
            if range.is_none() {
                gpu.choose_best().unwrap();
                cpu.choose_best().unwrap();
            }
            let pick = |colony: &Colony| match range {
                Some(range) => colony.ant_calls(range.clone()),
                None => colony.end_calls(),
            };
            let (mut gpu_calls, cpu_calls) = (group(pick(gpu)), group(pick(cpu)));
            // The CPU makes these tables where it searches.
            if let Some(at) = gpu_calls.iter().position(|calls| gpu.kernel_name(calls[0].kernel) == delta_table::NAME) {
                let tables = gpu_calls.remove(at);
                gpu_calls[at].splice(0..0, tables);
            }
            assert_eq!(gpu_calls.len(), cpu_calls.len());
            for (on_gpu, on_cpu) in gpu_calls.iter().zip(&cpu_calls) {
                let kernel = gpu.kernel_name(on_gpu[on_gpu.len() - 1].kernel);
                if let Err(error) = gpu.run(on_gpu) {
                    return Some(format!("iteration {iteration}, {kernel} ({range:?}): {error}"));
                }
                cpu.run(on_cpu).unwrap();
                for ((name, left), (_, right)) in written(gpu).into_iter().zip(written(cpu)) {
                    if let Some(at) = left.iter().zip(&right).position(|(l, r)| l != r) {
                        return Some(format!(
                            "iteration {iteration}, after {kernel} ({range:?}), {name}[{at}]: {} and {}",
                            left[at], right[at]
                        ));
                    }
                }
            }
        }
    }
    let state = gpu.state().unwrap();
    assert_eq!(state.iteration as usize, iterations);
    None
}

pub fn first_difference(gpu: &mut Colony, cpu: &mut Colony, iterations: usize) -> Option<String> {
    let ants = gpu.plan().units as u32;
    let ranges = match gpu.plan().construct().unwrap().system.local_update {
        // All ants step together.
        LocalUpdate::Synchronous => std::iter::once(0..ants).collect(),
        // One ant after the other: together they race.
        LocalUpdate::Relaxed => (0..ants).map(|ant| ant..ant + 1).collect(),
        // Two ranges, so that first units other than 0 are used.
        _ => vec![0..ants / 3, ants / 3..ants],
    };
    first_difference_in(gpu, cpu, iterations, &ranges)
}

/// Calls of one kernel together: on a GPU it may take several to end its work.
pub fn group(calls: Vec<Call>) -> Vec<Vec<Call>> {
    let mut groups: Vec<Vec<Call>> = Vec::new();
    for call in calls {
        match groups.last_mut() {
            Some(group) if group[0].kernel == call.kernel => group.push(call),
            _ => groups.push(vec![call]),
        }
    }
    groups
}

/// Fails unless all kernels of ants that construct do as their twins.
pub fn compare(
    problem: impl Into<Problem>,
    settings: &Settings,
    iterations: usize,
    change: impl Fn(&mut ConstructPlan),
) {
    let problem = problem.into();
    let found = difference(gpu(), &problem, settings, iterations, change);
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
    let backend = Box::new(Saboteur { inner: gpu(), kernel, replace: (good, bad) });
    let found = difference(backend, &problem.into(), settings, iterations, change);
    assert!(found.is_some(), "{kernel} with '{bad}' for '{good}' passed");
}

fn difference(
    backend: Box<dyn Backend>,
    problem: &Problem,
    settings: &Settings,
    iterations: usize,
    change: impl Fn(&mut ConstructPlan),
) -> Option<String> {
    let (host, start) = (CpuBackend::new(), problem.simple_solution());
    let mut gpu_plan = plan(problem, settings, backend.as_ref());
    let mut cpu_plan = plan(problem, settings, &host);
    change(gpu_plan.construct_mut().unwrap());
    // What changes results is the same for both.
    cpu_plan.construct_mut().unwrap().long_path = gpu_plan.construct().unwrap().long_path;
    let mut gpu = Colony::new(backend, problem, gpu_plan, &start).unwrap();
    let mut cpu = Colony::new(Box::new(host), problem, cpu_plan, &start).unwrap();
    first_difference(&mut gpu, &mut cpu, iterations)
}
