//! What goes wrong is told as a typed error, in one line, with the numbers.

#[path = "errors/program.rs"]
mod failing;

use crate::common;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::settings;
use glam::DVec2;
use myrmex::tsp::{Instance, Kind, Metric};
use myrmex::wgpu;
use myrmex::{Algorithm, Cancel, Device, Ended, Error, OnDeviceLost, Settings, Solver, Stop, Target};

fn refused(settings: &Settings) -> String {
    let instance = common::made(Kind::Uniform, 30, 1);
    let error = Solver::new(&instance, settings, Target::Cpu).expect_err("the settings are refused");
    assert!(matches!(error, Error::Config(_)), "{error}");
    error.to_string()
}

#[test]
fn parameters_out_of_range_are_named() {
    for (line, word) in [
        ("mmas ants=0", "ants"),
        ("as evaporation=0.0000001", "evaporation must be 0.000001 at least"),
        ("mmas candidates=4", "candidates"),
        ("mmas quadrants=3", "quadrants must lie in 0 to 2, not 3"),
        ("mmas quadrants=2 candidates=7", "candidates must be at least 8 with quadrants 2, not 7"),
        ("mmas alpha=-1", "alpha"),
        ("mmas beta=99", "beta"),
        ("mmas evaporation=0", "evaporation"),
        ("mmas p_best=1", "p_best"),
        ("mmas average_options=1.5", "average_options must be at least 2, not 1.5"),
        ("mmas schedule=9:3,5:2,1", "rising phases"),
        ("faco focus=1", "focus must be at least 2"),
        ("faco visited=ct", "visited 'bt'"),
    ] {
        let message = refused(&settings(line));
        assert!(message.contains(word), "'{message}' does not say '{word}'");
    }
}

/// How ants construct is refused where none do, whichever choice it is and even where it is the default: not ignored, and no panic.
#[test]
fn choices_for_ants_are_refused_where_none_construct() {
    for algorithm in ["auto", "lk", "eax", "lk-eax"] {
        for choice in [
            "best_on=host",
            "best_on=device",
            "deposit=atomic",
            "lanes=8",
            "strategy=fine",
            "visited=bt",
            "trail_update=fused",
            "move_evaluation=products",
        ] {
            let message = refused(&settings(&format!("{algorithm} {choice}")));
            assert!(message.contains("means nothing") && message.contains("leave it out"), "{message}");
        }
    }
    for choices in ["lanes=2048", "lanes=3", "lanes=1 move_evaluation=mata"] {
        let problem = myrmex::qap::generate(12, 1).unwrap();
        let error = Solver::new(&problem, &settings(&format!("cas {choices}")), Target::Cpu).err().unwrap();
        assert!(error.to_string().contains("lanes must be a power of two"), "{error}");
    }
}

/// Whatever belongs to other algorithms alone is refused by each, with those that have it.
#[test]
fn parameters_of_other_algorithms_are_refused() {
    let algorithms = || Algorithm::NAMES.iter().filter_map(|name| Algorithm::named(name));
    let mut refused = 0;
    for asked in algorithms() {
        let own: Vec<&str> = asked.parameters().iter().map(|parameter| parameter.name).collect();
        for (owner, parameter) in
            algorithms().flat_map(|it| it.parameters().iter().map(move |parameter| (it, parameter)))
        {
            if own.contains(&parameter.name) {
                continue;
            }
            let message = Settings::of(asked).with(parameter.name, "1").unwrap_err().to_string();
            assert!(message.contains(&format!("means nothing to algorithm '{}'", asked.name())), "{message}");
            assert!(message.contains(&format!("'{}'", owner.name())), "{message}");
            refused += 1;
        }
    }
    assert!(refused > 300, "{refused}");
}

/// No parameter changes what runs: each is taken by the algorithm that was asked for, or refused.
#[test]
fn no_parameter_changes_the_algorithm() {
    let problem = myrmex::Problem::from(&common::made(Kind::Uniform, 30, 1));
    for name in Algorithm::NAMES {
        let asked = Settings::named(name).unwrap();
        let resolved = asked.for_problem(&problem).algorithm.name();
        for other in Algorithm::NAMES.iter().filter_map(|name| Algorithm::named(name)) {
            for parameter in other.parameters() {
                for value in ["1", "8", "0.5", "none", "fine", "wide", "matrix", "random"] {
                    let Ok(settings) = asked.with(parameter.name, value) else { continue };
                    assert_eq!(settings.algorithm.name(), *name);
                    if let Ok(recipe) = settings.recipe(&problem, myrmex::Effort::Standard) {
                        assert_eq!(recipe.algorithm, resolved);
                    }
                }
            }
        }
    }
}

/// What some ants of an iteration have found counts, though there is no time for the others.
#[test]
fn ants_that_are_done_count_where_time_is_short() {
    let problem = myrmex::qap::generate(30, 1).unwrap();
    let settings = settings("cas units=65536 search_iterations=2000");
    let mut solver = Solver::new(&problem, &settings, Target::Cpu).unwrap();
    let before = solver.progress().cost;
    let time = Stop::time(std::time::Duration::from_secs(2));
    let solution = solver.run(&time).unwrap();
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
            let mut solver = Solver::with_start(&instance, &Settings::default(), Target::Cpu, &start).unwrap();
            let solution = solver.run(&Stop::iterations(1)).unwrap();
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
        let error = Solver::new(&instance, &settings("mmas"), target).err().unwrap();
        let message = error.to_string();
        assert!(matches!(error, Error::TooLarge { .. }) && message.contains("70000"), "{message}");
    }
    let small = common::made(Kind::Uniform, 2000, 1);
    let error = Solver::new(&small, &settings("mmas ants=1048576"), Target::Existing(gpu)).err().unwrap();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

/// Whatever device it is: a first tour of so many cities would take long.
#[test]
fn too_many_cities_are_refused_before_a_tour_is_made() {
    let many = common::made(Kind::Uniform, 70_000, 1);
    for algorithm in ["as", "mmas", "acs", "faco", "eax", "clk"] {
        let error = Solver::new(&many, &settings(algorithm), Target::Cpu).expect_err("cities are too many");
        assert!(matches!(&error, Error::TooLarge { device, .. } if device == "any device"), "{error}");
        assert!(
            error.to_string().contains(&format!("'{algorithm}' needs 70000 cities, the limit is 65536 cities")),
            "{error}"
        );
    }
}

/// A host may have asked for less than its adapter offers: that is told, with what to ask for.
#[test]
fn lent_devices_are_judged_by_their_limits() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let options = wgpu::RequestAdapterOptions { force_fallback_adapter: false, ..Default::default() };
    let adapter = pollster::block_on(instance.request_adapter(&options)).expect("the tests need a driver");
    let lend = |limits: wgpu::Limits| {
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        Device::from_existing(device, queue)
    };
    let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 4, ..wgpu::Limits::default() };
    let error = lend(few).unwrap_err();
    assert!(matches!(error, Error::Device { .. }) && error.to_string().contains("adapter.limits()"), "{error}");
    let small = wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..adapter.limits() };
    let places: Vec<DVec2> = (0..2000).map(|i| DVec2::new(f64::from(i % 50), f64::from(i / 50))).collect();
    let matrix = Instance::from_coords("matrix", Metric::Att, &places).unwrap();
    let error = Solver::new(&matrix, &Settings::default(), Target::Existing(lend(small).unwrap())).err().unwrap();
    assert!(matches!(error, Error::TooLarge { .. }) && error.to_string().contains("adapter.limits()"), "{error}");
}

/// WebGPU promises no more than wgpu's default limits: they are enough, and change no solution.
#[test]
fn the_limits_that_every_browser_allows_are_enough() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let least = device.limits();
    assert_eq!(
        (least.max_compute_workgroup_storage_size, least.max_compute_invocations_per_workgroup),
        (16 << 10, 256)
    );
    let device = Device::from_existing(device, queue).unwrap();
    let cities = common::made(Kind::Uniform, 200, 1);
    let windows = "lk-eax windows=4 window_size=64 steps=1000 population=8";
    for words in [windows, "eax population=8", "mmas ants=8 local_search=2opt"] {
        let solve = |target| {
            let mut solver = common::solver(&cities, &settings(words), target);
            solver.run(&Stop::iterations(12)).unwrap()
        };
        let (found, expected) = (solve(Target::Existing(device.clone())), solve(Target::Cpu));
        assert_eq!((found.cost, found.permutation), (expected.cost, expected.permutation), "{words}");
        // Without timestamps launches are counted and take no time.
        assert!(found.kernels.iter().all(|kernel| kernel.calls > 0 && kernel.ms == 0.0), "{:?}", found.kernels);
    }
    let places = myrmex::Problem::from(&myrmex::qap::generate(20, 2).unwrap());
    for words in ["cas units=4 search_iterations=60", "memetic population=16"] {
        let solve = |target| {
            let mut solver = common::solver(&places, &settings(words), target);
            solver.run(&Stop::iterations(4)).unwrap().permutation
        };
        assert_eq!(solve(Target::Existing(device.clone())), solve(Target::Cpu), "{words}");
    }
}

/// A host that asks on threads of its own, again and again, what its device has finished takes nothing from a solver on that device.
#[test]
fn a_host_may_poll_the_device_that_it_lends() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let lent = Device::from_existing(device.clone(), queue.clone()).unwrap();
    let cities = common::made(Kind::Uniform, 200, 1);
    let settings = settings("mmas ants=4 local_search=2opt");
    let solve = |target| {
        let mut solver = common::solver(&cities, &settings, target);
        solver.run(&Stop::iterations(600))
    };
    let (ended, polls) = (AtomicBool::new(false), AtomicUsize::new(0));
    let found = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let poll = wgpu::PollType::Wait { submission_index: None, timeout: Some(Duration::ZERO) };
                    // What wgpu panics with here is the host's.
                    let _ = catch_unwind(AssertUnwindSafe(|| device.poll(poll)));
                    polls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let found = solve(Target::Existing(lent));
        ended.store(true, Ordering::Relaxed);
        found
    });
    assert!(polls.into_inner() > 100);
    assert_eq!(found.unwrap().permutation, solve(Target::Cpu).unwrap().permutation);
}

#[test]
fn unknown_devices_are_told_with_the_known_ones() {
    let error = Device::open(Some("no such adapter")).err().unwrap();
    assert!(matches!(error, Error::NoAdapter(_)) && error.to_string().contains("those known are wgpu:0: "), "{error}");
    assert!(Device::open(Some("99")).is_err());
}

#[test]
fn instances_of_one_to_three_cities_are_solved() {
    for n in 1..4 {
        let places: Vec<DVec2> = (0..n).map(|i| DVec2::new(i as f64, 1.0)).collect();
        let instance = Instance::from_coords("tiny", Metric::Euc2d, &places).unwrap();
        for target in common::targets() {
            let mut solver = common::solver(&instance, &Settings::default(), target);
            let solution = solver.run(&Stop::iterations(1)).unwrap();
            assert_eq!(solution.ended, Ended::Trivial);
            assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
            // A loop that makes steps comes to its end.
            assert_eq!((solver.step(3).unwrap().iteration, solver.step(4).unwrap().iteration), (3, 7));
        }
    }
}

#[test]
fn a_destroyed_device_gives_an_error_and_the_tour_is_kept() {
    let gpu = common::own_gpu();
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &Settings::default(), Target::Existing(gpu.clone()));
    solver.run(&Stop::iterations(60)).unwrap();
    gpu.device().destroy();
    let error = solver.step(5).expect_err("the device is gone");
    assert!(matches!(error, Error::Device { .. }) && !error.to_string().contains('\n'), "{error}");
    assert!(error.to_string().contains("the device was lost"), "{error}");
    let kept = solver.salvage();
    assert_eq!(kept.ended, Ended::Failed);
    assert_eq!(instance.tour_cost(&kept.permutation).unwrap(), kept.cost);
    assert!(kept.cost < instance.tour_cost(&instance.nearest_neighbour_tour(0)).unwrap());
}

/// Wherever in a set-up or a run the device goes, what comes is an error or the CPU's solution, and no panic.
#[test]
fn a_device_that_is_destroyed_at_any_moment_panics_nowhere() {
    let instance = common::made(Kind::Uniform, 60, 1);
    for on_device_lost in [OnDeviceLost::Stop, OnDeviceLost::Cpu] {
        let settings = Settings { on_device_lost, ..Settings::default() };
        let run = |gpu: Device| {
            let mut solver = Solver::new(&instance, &settings, Target::Existing(gpu))?;
            solver.run(&Stop::time(Duration::from_millis(700)))
        };
        let gone = common::own_gpu();
        gone.device().destroy();
        // The second time that it is lost is known when it is opened.
        for _ in 0..2 {
            match (on_device_lost, run(gone.clone())) {
                (OnDeviceLost::Stop, Err(Error::Device { .. })) => {}
                (OnDeviceLost::Cpu, Ok(solution)) => assert!(solution.device_lost.is_some()),
                (_, other) => panic!("{on_device_lost:?}: {other:?}"),
            }
        }
        for milliseconds in [1, 5, 20, 60, 150, 400] {
            let gpu = common::own_gpu();
            let device = gpu.device().clone();
            let result = std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(milliseconds));
                    device.destroy();
                });
                run(gpu)
            });
            match result {
                Ok(solution) => assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost),
                Err(error) => assert!(matches!(error, Error::Device { .. }), "{milliseconds} ms: {error}"),
            }
        }
    }
}

/// Of a device that an application has opened nothing but its calls tells that it is lost.
#[test]
fn a_lent_device_that_is_lost_is_told_as_lost() {
    let own = common::own_gpu();
    let lent = Device::from_existing(own.device().clone(), own.queue().clone()).unwrap();
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &Settings::default(), Target::Existing(lent.clone()));
    solver.run(&Stop::iterations(20)).unwrap();
    lent.device().destroy();
    for error in [
        solver.step(5).expect_err("the device is gone"),
        Solver::new(&instance, &Settings::default(), Target::Existing(lent)).map(drop).expect_err("it is gone"),
    ] {
        assert!(matches!(error, Error::Device { .. }), "{error:?}");
        assert!(error.to_string().ends_with("the device was lost; start again, or run on the CPU"), "{error}");
    }
}

#[test]
fn observers_and_flags_end_a_run() {
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &Settings::default(), Target::Cpu);
    let solution = solver.run_with(&Stop::iterations(u32::MAX), |_| std::ops::ControlFlow::Break(())).unwrap();
    assert_eq!(solution.ended, Ended::Cancelled);
    let token = Cancel::new();
    token.cancel();
    let before = solver.progress().iteration;
    let stop = Stop::cancelled_by(&token);
    solver.run(&stop).unwrap();
    assert_eq!(solver.progress().iteration, before);
    let stop = Stop::cost(u64::MAX);
    assert_eq!(solver.run(&stop).unwrap().ended, Ended::Target);
}

#[test]
fn no_city_lies_nowhere() {
    let places = [[0.0, 0.0], [f64::NAN, 0.0]];
    assert!(matches!(Instance::from_points(&places), Err(Error::City { city: 1, .. })));
}

/// Whichever rule holds first ends a run, and a run without any is refused.
#[test]
fn rules_compose() {
    let instance = common::made(Kind::Uniform, 60, 1);
    let run = |stop: &Stop| {
        let mut solver = common::solver(&instance, &Settings::default(), Target::Cpu);
        solver.run(stop)
    };
    let error = run(&Stop::default()).unwrap_err();
    assert!(matches!(error, Error::Config(_)) && error.to_string().contains("no rule"), "{error}");
    let minute = Stop::time(std::time::Duration::from_secs(60));
    let best = run(&minute.clone().or(Stop::iterations(400))).unwrap();
    assert_eq!((best.ended, best.iterations), (Ended::Iterations, 400));
    // So many iterations after the last gain, to the iteration: the same on every device.
    let still = run(&minute.clone().or(Stop::stagnation(150))).unwrap();
    let last = still.trace.iter().rfind(|point| point.shared_edges.is_none()).unwrap().iteration;
    assert_eq!((still.ended, still.iterations), (Ended::Stagnation, last + 150));
    let began = std::time::Instant::now();
    let still = run(&minute.clone().or(Stop::stagnation_time(std::time::Duration::from_millis(300)))).unwrap();
    assert_eq!(still.ended, Ended::Stagnation);
    assert!(began.elapsed().as_secs() < 30);
    let within = run(&minute.clone().or(Stop::within(20.0, best.cost))).unwrap();
    assert_eq!(within.ended, Ended::Target);
    assert!(within.cost <= best.cost + best.cost / 5);
    assert_eq!(run(&minute.or(Stop::cost(best.cost))).unwrap().cost, best.cost);
}
