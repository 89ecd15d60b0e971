//! Each kernel on the CPU backend and on the first GPU, and the host's own work.
//!
//! `cargo bench --bench kernels [-- NAME]`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use myrmex::backend::Call;
use myrmex::colony::Colony;
use myrmex::tsp::{Instance, Kind, generate};
use myrmex::{Device, MoveEvaluation, PRESETS, Settings, Solver, Target, qap};

const UNITS: usize = 32;

/// An algorithm with parameters.
fn settings(algorithm: &str, parameters: &[(&str, usize)]) -> Settings {
    let named = Settings::named(algorithm).expect("the algorithm is known");
    let with = |settings: Settings, (name, value): &(&str, usize)| settings.with(name, &value.to_string());
    parameters.iter().fold(named, |settings, pair| with(settings, pair).expect("the parameter is known"))
}

fn kernels(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    match Device::open(None) {
        Ok(device) => targets.push(("gpu", Target::Existing(device))),
        Err(error) => eprintln!("the GPU rows are left out: {error}"),
    }
    for n in [200, 1000] {
        let instance = generate(Kind::Uniform, n, 1).expect("the instance is valid");
        for (backend, target) in &targets {
            let settings = settings("mmas", &[("ants", UNITS)]);
            let mut solver = Solver::new(&instance, &settings, target.clone()).expect("the solver is made");
            // Trails as they are in the middle of a run.
            solver.step(20).expect("the device works");
            let colony = colony(&mut solver);
            let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
            let mut group = criterion.benchmark_group(format!("{backend}/{n}"));
            group.sample_size(10);
            group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            let mut kernels: Vec<_> = calls.iter().map(|call| call.kernel).collect();
            kernels.dedup();
            for kernel in kernels {
                let calls: Vec<_> = calls.iter().filter(|call| call.kernel == kernel).cloned().collect();
                let name = colony.kernel_name(kernel);
                // Alone, a kernel with a progress tag has nothing to do on a GPU the second time: the whole iteration's
                // timings tell its cost there.
                if *backend == "gpu" && matches!(name, "construct" | "two_opt" | "best") {
                    continue;
                }
                group.bench_function(name, |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            }
            group.finish();
        }
    }
}

/// The colony of a solver.
fn colony(solver: &mut Solver) -> &mut Colony {
    // SAFETY: it gets its own calls over its own units, and only words that it has written itself.
    unsafe { solver.colony() }.expect("the instance is large enough")
}

/// An iteration of each ant system of the papers, and its kernels on the CPU.
fn family(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    let instance = generate(Kind::Uniform, 200, 1).expect("the instance is valid");
    for preset in PRESETS.iter().filter(|preset| !preset.is_for_assignments()) {
        for (backend, target) in &targets {
            let settings = preset.settings(instance.len()).with("ants", "32").expect("ants construct");
            let mut solver = Solver::new(&instance, &settings, target.clone()).expect("the solver is made");
            solver.step(3).expect("the device works");
            let colony = colony(&mut solver);
            let mut group = criterion.benchmark_group(format!("{backend}/{}", preset.name));
            group.sample_size(10);
            let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
            group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            // A kernel may be there twice, with other parameters. On a GPU one alone has nothing to do the second time; the
            // synchronous local update needs its steps, and `focus` leaves tours that the search cannot take.
            let name_of = |call: &Call| colony.kernel_name(call.kernel);
            let mut names: Vec<_> = calls.iter().map(name_of).collect();
            names.sort_unstable();
            names.dedup();
            names.retain(|name| *backend == "cpu" && !matches!(*name, "best" | "local_update" | "focus"));
            let kernels: Vec<(_, Vec<Call>)> = names
                .iter()
                .map(|name| (*name, calls.iter().filter(|call| name_of(call) == *name).cloned().collect()))
                .collect();
            for (name, calls) in kernels {
                group.bench_function(name, |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            }
            group.finish();
        }
    }
}

/// An iteration on an assignment, and its kernels on the CPU.
fn assignments(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    for (n, evaluation) in [
        (40, MoveEvaluation::Products),
        (40, MoveEvaluation::Mata),
        (40, MoveEvaluation::NonMata),
        (100, MoveEvaluation::Products),
    ] {
        let instance = qap::generate(n, 1).expect("the instance is valid");
        for (backend, target) in &targets {
            if *backend == "cpu" && evaluation != MoveEvaluation::Products {
                continue;
            }
            let iterations = if *backend == "cpu" { 400 } else { 40 };
            let settings = settings("cas", &[("units", 8), ("search_iterations", iterations)])
                .with("move_evaluation", evaluation.name())
                .expect("the parameter is known");
            let mut solver = Solver::new(&instance, &settings, target.clone()).expect("the solver is made");
            let colony = colony(&mut solver);
            let mut group = criterion.benchmark_group(format!("{backend}/qap/{n}/{evaluation}"));
            group.sample_size(10);
            let calls = [colony.ant_calls(0..8), colony.end_calls()].concat();
            group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            group.finish();
        }
    }
}

/// An iteration of a population of assignments: crossover, short searches, survivors.
fn memetic(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    let instance = qap::generate(40, 1).expect("the instance is valid");
    for (backend, target) in targets {
        let settings = settings("memetic", &[("population", UNITS), ("search_iterations", 40)]);
        let mut solver = Solver::new(&instance, &settings, target).expect("the solver is made");
        // The first has no parents.
        solver.step(1).expect("the device works");
        let colony = colony(&mut solver);
        let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
        let mut group = criterion.benchmark_group(format!("{backend}/memetic/40"));
        group.sample_size(10);
        group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
        group.finish();
    }
}

/// An iteration of windowed Lin-Kernighan search, and its kernels on the CPU.
fn windows(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    for n in [1000, 20_000] {
        let instance = generate(Kind::Uniform, n, 1).expect("the instance is valid");
        for (backend, target) in &targets {
            let settings = settings("lk", &[("windows", UNITS), ("window_size", 300), ("steps", 500)]);
            let mut solver = Solver::new(&instance, &settings, target.clone()).expect("the solver is made");
            solver.step(3).expect("the device works");
            let colony = colony(&mut solver);
            let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
            let mut group = criterion.benchmark_group(format!("{backend}/lk/{n}"));
            group.sample_size(10);
            group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
            // Those that may run again on what they have left themselves.
            let alone =
                |name: &str| *backend == "cpu" && matches!(name, "window_order" | "window_search" | "conflicts");
            let named: Vec<_> = calls.iter().map(|call| (colony.kernel_name(call.kernel), call)).collect();
            for (name, call) in named.into_iter().filter(|(name, _)| alone(name)) {
                let call = std::slice::from_ref(call);
                group.bench_function(name, |bench| bench.iter(|| colony.run(call).expect("the device works")));
            }
            group.finish();
        }
    }
}

/// An iteration of chained Lin-Kernighan search of whole tours.
fn chained(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    let instance = generate(Kind::Uniform, 200, 1).expect("the instance is valid");
    for (backend, target) in targets {
        let settings = settings("clk", &[("walks", UNITS), ("steps", 2000)]);
        let mut solver = Solver::new(&instance, &settings, target).expect("the solver is made");
        solver.step(3).expect("the device works");
        let colony = colony(&mut solver);
        let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
        let mut group = criterion.benchmark_group(format!("{backend}/clk/200"));
        group.sample_size(10);
        group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
        group.finish();
    }
}

/// An iteration of edge assembly crossover.
fn eax(criterion: &mut Criterion) {
    let mut targets = vec![("cpu", Target::Cpu)];
    targets.extend(Device::open(None).ok().map(|device| ("gpu", Target::Existing(device))));
    let instance = generate(Kind::Uniform, 1000, 1).expect("the instance is valid");
    for (backend, target) in targets {
        let settings = settings("eax", &[("population", UNITS)]);
        let mut solver = Solver::new(&instance, &settings, target).expect("the solver is made");
        // The first iteration makes the tours.
        solver.step(2).expect("the device works");
        let colony = colony(&mut solver);
        let calls = [colony.ant_calls(0..UNITS as u32), colony.end_calls()].concat();
        let mut group = criterion.benchmark_group(format!("{backend}/eax/1000"));
        group.sample_size(10);
        group.bench_function("iteration", |bench| bench.iter(|| colony.run(&calls).expect("the device works")));
        group.finish();
    }
}

fn host(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host");
    group.sample_size(10);
    for n in [1000, 10_000] {
        let instance = generate(Kind::Clustered, n, 1).expect("the instance is valid");
        let mut text = Vec::new();
        instance.write(&mut text).expect("memory takes it");
        let text = String::from_utf8(text).expect("the format is ASCII");
        group.bench_function(BenchmarkId::new("parse", n), |bench| {
            bench.iter(|| Instance::parse(black_box(&text), "bench").expect("it is valid"));
        });
        group.bench_function(BenchmarkId::new("neighbours", n), |bench| bench.iter(|| instance.neighbours(32)));
        group.bench_function(BenchmarkId::new("nearest_neighbour_tour", n), |bench| {
            bench.iter(|| instance.nearest_neighbour_tour(0));
        });
        group.bench_function(BenchmarkId::new("greedy_tour", n), |bench| bench.iter(|| instance.greedy_tour()));
        group.bench_function(BenchmarkId::new("space_filling_orders", n), |bench| {
            bench.iter(|| instance.space_filling_orders(4));
        });
    }
    group.finish();
}

criterion_group!(benches, kernels, family, assignments, memetic, windows, chained, eax, host);
criterion_main!(benches);
