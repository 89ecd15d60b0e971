//! Several devices on one problem: what runs where, and that it finds what one device finds.

use crate::common;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::common::colonies::written;
use crate::common::program::{complaint, instance, myrmex, stdout};
use crate::common::{Also, settings};
use myrmex::backend::Backend;
use myrmex::backend::wgpu::WgpuBackend;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Checkpoint, Ended, Error, Observer, Problem, Progress, Settings, Solution, Solver, Stop, Target, qap};
use serde_json::Value;

/// The CPU twice, and a GPU beside the CPU.
fn pairs() -> [Target; 2] {
    [[Target::Cpu, Target::Cpu], [common::target(), Target::Cpu]].map(|pair| Target::Several(pair.to_vec()))
}

/// What the kernels of a colony have written.
type Written = Vec<(&'static str, Vec<u32>)>;

/// Everything that the kernels of all colonies have written, and the solution.
fn found(solver: &mut Solver) -> (Vec<Written>, u64, Vec<u32>) {
    let colonies = common::colonies(solver).map(written).collect();
    let solution = solver.solution().unwrap();
    (colonies, solution.cost, solution.permutation)
}

fn after(problem: &Problem, settings: &Settings, target: Target, iterations: u32) -> Solver {
    let mut solver = common::solver(problem, settings, target);
    let solution = solver.run(&Stop::iterations(iterations)).unwrap();
    assert_eq!((solution.ended, solution.iterations), (Ended::Iterations, iterations));
    solver
}

/// A few windows of crossover at a time, each soon over.
const WINDOWED: &str = "lk-eax windows=8 window_size=64 steps=2000 population=6 eax_up_to=300 eax_window=200";

#[test]
fn colonies_find_on_several_devices_what_they_find_in_turns() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let assignment = Problem::Qap(qap::generate(24, 2).unwrap());
    let few = "windows=4 window_size=64 steps=300 population=4";
    for (problem, line, iterations) in [
        (&tour, "mmas ants=4 colonies=2 migration=3".to_owned(), 14),
        (&tour, "mmas ants=4 colonies=5 migration=4".to_owned(), 14),
        (&tour, format!("lk-eax {few} colonies=3 migration=10"), 75),
        (&assignment, "cas units=4 search_iterations=30 colonies=2 migration=2".to_owned(), 7),
    ] {
        let settings = settings(&line);
        let expected = found(&mut after(problem, &settings, Target::Cpu, iterations));
        for target in pairs() {
            let mut solver = after(problem, &settings, target, iterations);
            assert!(found(&mut solver) == expected, "{line} on {}", solver.device());
        }
    }
    // Without a word there is a colony for each device, and migration.
    let settings = settings(&format!("lk-eax {few}"));
    let expected = found(&mut after(&tour, &settings.also("colonies=2"), Target::Cpu, 60));
    let mut several = after(&tour, &settings, pairs()[0].clone(), 60);
    let every = several.recipe().migration.map(|migration| migration.every);
    assert_eq!((several.recipe().colonies, every), (2, Some(myrmex::settings::Every::Iterations(50))));
    assert!(found(&mut several) == expected);
    // One seed less is another run.
    let mut other = after(&tour, &settings.also("colonies=2").seed(0), Target::Cpu, 60);
    assert!(found(&mut other) != expected);
}

#[test]
fn windows_of_crossover_find_the_same_on_whatever_device_they_are() {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 1300, 3));
    let iterations = 200;
    let solved = |settings: &Settings, target: Target| {
        let mut solver = common::solver(&problem, settings, target);
        let solution = solver.run(&Stop::iterations(iterations)).unwrap();
        assert!(solver.progress().round > 3, "{:?}", solver.progress());
        (solver, solution)
    };
    let three = settings(WINDOWED).also("eax_windows=3");
    let (_, expected) = solved(&three, Target::Cpu);
    for target in pairs() {
        let (solver, solution) = solved(&three, target);
        assert_eq!(
            (solution.cost, &solution.permutation),
            (expected.cost, &expected.permutation),
            "{}",
            solver.device()
        );
    }
    // Without a word each device has as many as one alone would have.
    let (solver, solution) = solved(&settings(WINDOWED), pairs()[0].clone());
    assert_eq!((solver.recipe().colonies, solver.recipe().windows.map(|windows| windows.at_a_time)), (1, Some(2)));
    let (_, two) = solved(&settings(WINDOWED).also("eax_windows=2"), Target::Cpu);
    assert_eq!(solution.permutation, two.permutation);
    assert_ne!(solution.permutation, expected.permutation);
    let shares: Vec<_> = solution.devices.iter().map(|share| share.colonies.clone()).collect();
    assert_eq!(shares, [vec![0], vec![]]);
    // In turns of any length.
    let mut solver = common::solver(&problem, &three, pairs()[0].clone());
    let moment = Stop::time(Duration::from_millis(3)).or(Stop::iterations(iterations));
    while solver.progress().iteration < iterations {
        solver.run(&moment).unwrap();
    }
    assert_eq!(solver.solution().unwrap().permutation, expected.permutation);
}

/// Checkpoints of several devices go on on one, on as many, and the other way round.
#[test]
fn runs_go_on_on_another_number_of_devices() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let large = Problem::Tsp(common::made(Kind::Clustered, 1300, 3));
    for (problem, line, stops) in [
        (&tour, "lk-eax windows=4 window_size=64 steps=300 population=4 migration=10", [33, 70]),
        (&large, WINDOWED, [90, 150]),
    ] {
        let [two, _] = pairs();
        let expected = after(problem, &settings(line), two.clone(), stops[1]).solution().unwrap();
        let mut first = after(problem, &settings(line), two.clone(), stops[0]);
        let saved = first.checkpoint().unwrap().to_bytes().unwrap();
        for target in [Target::Cpu, two] {
            let mut solver = Solver::resume(problem, Checkpoint::from_bytes(&saved).unwrap(), target).unwrap();
            let solution = solver.run(&Stop::iterations(stops[1])).unwrap();
            assert_eq!((solution.cost, &solution.permutation), (expected.cost, &expected.permutation), "{line}");
        }
    }
    let mut one = after(&tour, &settings("mmas ants=4"), Target::Cpu, 2);
    let error = Solver::resume(&tour, one.checkpoint().unwrap(), pairs()[0].clone()).unwrap_err();
    assert!(matches!(&error, Error::Config(_)) && error.to_string().contains("name no more devices"), "{error}");
}

/// What an observer has seen.
#[derive(Default)]
struct Seen {
    progress: Vec<Progress>,
    gains: Vec<(u64, Vec<u32>)>,
}

impl Observer for Seen {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.progress.push(*progress);
        ControlFlow::Continue(())
    }
    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        self.gains.push((progress.cost, solution.to_vec()));
        ControlFlow::Continue(())
    }
}

#[test]
fn a_run_on_several_devices_tells_of_all_and_ends_in_time() {
    let instance = common::made(Kind::Uniform, 400, 3);
    for target in pairs() {
        let mut solver = common::solver(&instance, &settings("mmas ants=16 colonies=3 migration=20"), target);
        let incumbent = solver.incumbent();
        let (began, mut seen) = (Instant::now(), Seen::default());
        let solution: Solution = solver.run_observed(&Stop::time(Duration::from_millis(400)), &mut seen).unwrap();
        // A machine that does much else may be late, but does not wait for ever.
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        assert_eq!((solution.ended, solution.cost), (Ended::Time, instance.tour_cost(&solution.permutation).unwrap()));
        assert_eq!(incumbent.get().map(|(_, cost)| cost), Some(solution.cost));
        assert!(seen.progress.is_sorted_by(|a, b| a.iteration <= b.iteration && a.cost >= b.cost));
        assert!(seen.gains.iter().all(|(cost, tour)| *cost == instance.tour_cost(tour).unwrap()));
        assert_eq!(solver.progress().iteration, solution.iterations);
        let costs: Vec<u64> = solution.trace.iter().map(|point| point.cost).collect();
        assert!(costs.is_sorted_by(|a, b| a > b) && costs.last() == Some(&solution.cost), "{costs:?}");
        let shares: Vec<_> = solution.devices.iter().map(|share| share.colonies.clone()).collect();
        assert_eq!(shares, [vec![0, 2], vec![1]]);
        assert!(solution.devices.iter().all(|share| solver.device().contains(&share.device)));
    }
}

/// The CPU that is named twice shares its threads.
#[test]
fn parts_of_the_cpu_share_its_threads() {
    let instance = common::made(Kind::Uniform, 60, 3);
    let named = |threads: usize, target: Target| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| common::solver(&instance, &settings("mmas ants=4"), target).device().to_owned())
    };
    let cpus = |count: usize| Target::Several(vec![Target::Cpu; count]);
    assert_eq!(named(6, cpus(2)), "2 x CPU, 3 threads");
    assert_eq!(named(2, cpus(3)), "3 x CPU, 1 thread");
    assert_eq!(named(6, Target::Several(vec![Target::Cpu])), "CPU, 6 threads");
    let beside = named(4, Target::Several(vec![Target::Cpu, common::target(), Target::Cpu]));
    assert!(beside.starts_with("CPU, 2 threads; ") && beside.ends_with("; CPU, 2 threads"), "{beside}");
}

#[test]
fn instances_that_need_no_colony_need_no_devices() {
    let instance = Instance::from_matrix("tiny", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap();
    let mut solver = common::solver(&instance, &settings("mmas"), pairs()[0].clone());
    let solution = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!((solution.ended, solution.cost), (Ended::Trivial, 6));
}

#[test]
fn what_leaves_a_device_idle_is_refused() {
    let instance = common::made(Kind::Uniform, 60, 3);
    for (line, words) in [
        ("mmas colonies=1", "colonies=1 leaves 1 of 2 devices idle"),
        ("lk-eax eax_up_to=10 eax_window=200 eax_windows=1", "eax_windows=1 leaves 1 of 2 devices idle"),
    ] {
        let error = Solver::new(&instance, &settings(line), pairs()[0].clone()).unwrap_err();
        assert!(matches!(&error, Error::Config(_)) && error.to_string().contains(words), "{error}");
    }
    let error = Solver::new(&instance, &settings("mmas"), Target::Several(Vec::new())).unwrap_err();
    assert!(error.to_string().contains("name at least one"), "{error}");
    let missing = Target::Several(vec![Target::Cpu, Target::Wgpu(Some("no such adapter".into()))]);
    assert!(matches!(Solver::new(&instance, &settings("mmas"), missing), Err(Error::NoAdapter(_))));
}

#[test]
fn the_command_line_has_words_for_several_devices() {
    let input = instance("uniform200.tsp");
    let few = ["--set", "windows=5", "--iterations", "9", "--json", "-"];
    let solved = |device: &[&str]| {
        let output = myrmex(&[&["solve", &input][..], device, &few].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let one = solved(&["--backend", "cpu", "--set", "colonies=2"]);
    assert!(one.get("devices").is_none());
    for (words, backend) in [("cpu,cpu", "cpu"), ("wgpu:0, cpu", "mixed")] {
        let several = solved(&["--devices", words]);
        assert_eq!((&several["tour"], &several["recipe"]), (&one["tour"], &one["recipe"]), "{words}");
        assert_eq!((&several["backend"], several["devices"].as_array().unwrap().len()), (&backend.into(), 2));
        assert_eq!(
            (&several["devices"][0]["colonies"][0], &several["devices"][1]["colonies"][0]),
            (&0.into(), &1.into())
        );
    }
    let plan = |rest: &[&str]| stdout(&myrmex(&[&["plan", &input, "--devices", "cpu,cpu"], rest].concat()));
    let text = plan(&["--set", "colonies=3"]);
    for words in ["3 colonies in a ring, bests migrate every 50", "device 1: CPU", "colonies 1, 3", "(cpu), colony 2"] {
        assert!(text.contains(words), "'{words}' is not in\n{text}");
    }
    let text = plan(&["--set", "eax_up_to=100", "--set", "eax_window=200"]);
    for words in ["the first phase, and windows of crossover", "(cpu), windows of crossover, of 1 at a time"] {
        assert!(text.contains(words), "'{words}' is not in\n{text}");
    }
    // A list of one is that device.
    let one = myrmex(&["solve", &input, "--iterations", "1", "--devices", "cpu", "--quiet", "--json", "-"]);
    let one: Value = serde_json::from_str(&stdout(&one)).unwrap();
    assert_eq!((&one["backend"], &one["recipe"]["colonies"]), (&"cpu".into(), &1.into()));
    assert!(one["devices"].is_null());
    for (arguments, words) in [
        (&["--devices", "cpu", "--on-device-lost", "cpu"][..], "--on-device-lost is for GPUs"),
        (&["--devices", "cpu,gpu"], "not 'gpu'"),
        (&["--devices", "cpu,cpu", "--backend", "cpu"], "cannot be used with"),
        (&["--devices", "cpu,cpu", "--on-device-lost", "cpu"], "--on-device-lost is for GPUs"),
        (&["--devices", "cpu,cpu,cpu", "--set", "colonies=2"], "leaves 1 of 3 devices idle"),
    ] {
        let output = myrmex(&[&["solve", &input, "--iterations", "1"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(words) && !complaint(&output).is_empty(), "{told}");
    }
}

/// What is uploaded in parts arrives whole, when a buffer is made and when it is written.
#[test]
fn large_buffers_hold_what_they_were_given() {
    let mut backend = WgpuBackend::new(common::gpu()).unwrap();
    let words = (70 << 18) + 3;
    let contents = |factor: u32| (0..words as u32).map(|at| at.wrapping_mul(factor)).collect::<Vec<u32>>();
    let (first, second) = (contents(2_654_435_761), contents(40_503));
    let buffer = backend.buffer_with("large", first.clone()).unwrap();
    assert!(backend.read(buffer, 0..words).unwrap() == first);
    backend.write(buffer, &second[..words - 1]).unwrap();
    let read = backend.read(buffer, 0..words).unwrap();
    assert!(read[..words - 1] == second[..words - 1] && read[words - 1] == first[words - 1]);
}
