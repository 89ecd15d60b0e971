//! Several colonies on one device: each is a run of its own until bests are exchanged, and then takes over what is better.

mod common;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::colonies::written;
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::state::{STATE_WORDS, State, join};
use myrmex::tsp::{Instance, Kind};
use myrmex::{
    AcsParams, Algorithm, AntSystemParams, AssemblyParams, BestOn, Candidates, Config, Ended, Error, FocusedParams,
    LocalSearch, MmasParams, Problem, Solver, Stop, Target, Weighting, qap,
};
use serde_json::Value;

/// Three colonies of few ants.
fn three(exchange: u32) -> Config {
    Config { ants: Some(4), colonies: Some(3), exchange: Some(exchange), ..Config::default() }
}

fn acs(exchange: u32) -> Config {
    Config { algorithm: Some(Algorithm::Acs), local_search: Some(LocalSearch::None), ..three(exchange) }
}

/// Systems that construct, on tours and on assignments.
fn systems() -> Vec<(Problem, Config)> {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let assignment = Problem::Qap(qap::generate(24, 2).unwrap());
    let base = three(4);
    let plain = Config { local_search: Some(LocalSearch::None), ..base };
    let elitist = AntSystemParams { weighting: Weighting::Elitist(4.0), ..AntSystemParams::default() };
    let searched = Config { tabu_iterations: Some(30), ..base };
    let restless = MmasParams { stagnation: 3, ..MmasParams::for_search(true) };
    let mut systems: Vec<(Problem, Config)> = [
        base,
        Config { mmas: Some(restless), ..base },
        Config { best_on: BestOn::Host, candidates: Some(Candidates::Nearest(8)), ..plain },
        Config { focus: Some(20), ..base },
        Config { local_search: Some(LocalSearch::LinKernighan), ..base },
        Config { algorithm: Some(Algorithm::As), ant_system: Some(elitist), ..plain },
        acs(4),
    ]
    .map(|config| (tour.clone(), config))
    .to_vec();
    systems.push((assignment.clone(), searched));
    systems.push((assignment, Config { algorithm: Some(Algorithm::Mmas), ..searched }));
    systems
}

fn words(colony: &mut Colony, buffer: Buffer, count: usize) -> Vec<u32> {
    let id = colony.buffers().get(buffer);
    colony.backend().read(id, 0..count).unwrap()
}

fn state(colony: &mut Colony) -> State {
    State::from_words(&words(colony, Buffer::State, STATE_WORDS))
}

/// Each colony's best solution with its cost.
fn bests(solver: &mut Solver) -> Vec<(u64, Vec<u32>)> {
    solver.colonies().map(|colony| (join(state(colony).best_cost), colony.best_solution().unwrap())).collect()
}

/// Everything that the kernels of all colonies have written.
fn everything(solver: &mut Solver) -> Vec<Vec<(&'static str, Vec<u32>)>> {
    solver.colonies().map(written).collect()
}

fn after(problem: &Problem, config: &Config, target: Target, iterations: u32) -> Solver {
    let mut solver = common::solver(problem, config, target);
    solver.step(iterations).unwrap();
    solver
}

fn refused(problem: &Problem, config: &Config) -> String {
    let error = Solver::new(problem, config, Target::Cpu).err().expect("the configuration is refused");
    assert!(matches!(error, Error::Config(_)), "{error}");
    error.to_string()
}

fn instance(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instances").join(name)
}

/// One colony asked for is what there is without being asked.
#[test]
fn one_colony_runs_as_ever() {
    let mmas = Config { ants: Some(8), seed: 1, ..Config::default() };
    let plain = Config {
        algorithm: Some(Algorithm::Acs),
        local_search: Some(LocalSearch::None),
        acs: Some(AcsParams::default()),
        ants: Some(20),
        ..mmas
    };
    let cas = Config { ants: Some(6), tabu_iterations: Some(60), ..mmas };
    for (name, config, iterations) in
        [("uniform200.tsp", mmas, 30), ("uniform200.tsp", plain, 30), ("layout40.dat", cas, 4)]
    {
        let problem = Problem::read(instance(name)).unwrap();
        let mut silent = after(&problem, &config, Target::Cpu, iterations);
        let mut said = after(&problem, &Config { colonies: Some(1), ..config }, Target::Cpu, iterations);
        assert_eq!(everything(&mut silent), everything(&mut said));
        let [silent, said] = [silent, said].map(|mut solver| solver.solution(Ended::Iterations).unwrap());
        assert_eq!(silent.permutation, said.permutation);
        assert_eq!(silent.trace.last().map(|point| point.cost), said.trace.last().map(|point| point.cost));
    }
}

/// The first colony's seed is the run's; what is not exchanged changes nothing.
#[test]
fn without_exchange_each_colony_is_a_run_of_its_own() {
    for (problem, config) in systems() {
        let mut ring = after(&problem, &Config { exchange: Some(0), ..config }, Target::Cpu, 9);
        let seeds: Vec<u64> = ring.colonies().map(|colony| colony.plan().system.seed).collect();
        assert_eq!(seeds[0], config.seed);
        for (seed, found) in seeds.into_iter().zip(everything(&mut ring)) {
            let alone = Config { seed, colonies: None, exchange: None, ..config };
            assert_eq!(vec![found], everything(&mut after(&problem, &alone, Target::Cpu, 9)));
        }
    }
}

#[test]
fn rings_are_the_same_on_the_gpu_and_on_the_cpu() {
    for (problem, config) in systems() {
        let [mut gpu, mut cpu] = common::targets().map(|target| after(&problem, &config, target, 14));
        for (gpu, cpu) in everything(&mut gpu).into_iter().zip(everything(&mut cpu)) {
            for (gpu, cpu) in gpu.into_iter().zip(cpu) {
                assert!(gpu == cpu, "{}: {} differs, {config:?}", problem.name(), gpu.0);
            }
        }
        let [gpu, cpu] = [gpu, cpu].map(|mut solver| solver.solution(Ended::Iterations).unwrap());
        assert_eq!((gpu.cost, gpu.permutation), (cpu.cost, cpu.permutation));
    }
}

/// However a run is cut, exchanges come after the same iterations.
#[test]
fn single_steps_and_one_run_are_the_same() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 90, 2));
    let mut whole = common::solver(&problem, &three(5), Target::Cpu);
    whole.run(&Stop::iterations(23), |_| ControlFlow::Continue(())).unwrap();
    let mut stepped = common::solver(&problem, &three(5), Target::Cpu);
    for _ in 0..23 {
        stepped.step(1).unwrap();
    }
    assert_eq!(everything(&mut whole), everything(&mut stepped));
}

#[test]
fn at_an_exchange_what_is_better_is_taken_over() {
    let every = 5;
    let mut taken = 0;
    for (problem, config) in systems() {
        let n = problem.len();
        let config = Config { exchange: Some(every), ..config };
        let mut apart = after(&problem, &Config { exchange: Some(0), ..config }, Target::Cpu, every - 1);
        let mut ring = after(&problem, &config, Target::Cpu, every - 1);
        // Nothing is exchanged before it is time.
        assert_eq!(everything(&mut apart), everything(&mut ring));
        apart.step(1).unwrap();
        ring.step(1).unwrap();
        let before = bests(&mut apart);
        for (index, (colony, own)) in ring.colonies().zip(apart.colonies()).enumerate() {
            let giver = (index + before.len() - 1) % before.len();
            let takes = before[giver].0 < before[index].0;
            let (cost, solution) = &before[if takes { giver } else { index }];
            let (now, then) = (state(colony), state(own));
            assert_eq!((join(now.best_cost), colony.best_solution().unwrap()), (*cost, solution.clone()));
            if !takes {
                assert_eq!(written(colony), written(own));
                continue;
            }
            taken += 1;
            assert_eq!((join(now.restart_cost), now.restart_improved), (*cost, every));
            assert!(now.best_iteration <= every && now.restart_start == then.restart_start);
            assert_eq!(problem.cost(solution).unwrap(), *cost);
            assert_eq!(words(colony, Buffer::Bests, 2 * n), solution.repeat(2));
            if let Problem::Tsp(_) = problem {
                let links = words(colony, Buffer::Links, 2 * n);
                for (place, &city) in solution.iter().enumerate() {
                    let around = [solution[(place + n - 1) % n], solution[(place + 1) % n]];
                    assert_eq!(links[2 * city as usize..][..2], around);
                }
            }
        }
    }
    assert!(taken >= 6, "only {taken} colonies have taken anything over");
}

/// In an Ant Colony System the best tour deposits: after an exchange the one that was taken over.
#[test]
fn what_was_taken_over_deposits() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 100, 6));
    let mut ring = after(&problem, &acs(6), Target::Cpu, 6);
    let mut apart = after(&problem, &acs(0), Target::Cpu, 6);
    let (given, own) = (bests(&mut ring), bests(&mut apart));
    let takers: Vec<usize> = (0..3).filter(|&index| given[index] != own[index]).collect();
    assert!(!takers.is_empty());
    ring.step(1).unwrap();
    let mut seen = 0;
    for (index, colony) in ring.colonies().enumerate().filter(|(index, _)| takers.contains(index)) {
        let found_now = state(colony).best_iteration == 7;
        let deposited = words(colony, Buffer::Bests, 300)[200..].to_vec();
        assert!(found_now || deposited == given[index].1);
        seen += usize::from(!found_now);
    }
    assert!(seen > 0);
}

/// Ants that assemble tours, and focused ants whose patches they follow on.
fn handing_over(exchange: u32) -> [(Problem, Config); 2] {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 200, 4));
    let focused = FocusedParams { patch: 64, steps: 300, ..FocusedParams::default() };
    let population = AssemblyParams { population: 4, ..AssemblyParams::default() };
    let base = Config { assembly: Some(population), ..three(exchange) };
    [
        (problem.clone(), Config { algorithm: Some(Algorithm::Assembly), ..base }),
        (problem, Config { algorithm: Some(Algorithm::Focused), focused: Some(focused), ..base }),
    ]
}

#[test]
fn what_was_taken_over_waits_for_new_tours() {
    for (problem, config) in handing_over(30) {
        let apart = Config { exchange: Some(0), ..config };
        let mut ring = after(&problem, &config, Target::Cpu, 30);
        // Colonies are as without, and each is a run of its own.
        let there = everything(&mut ring);
        assert_eq!(there, everything(&mut after(&problem, &apart, Target::Cpu, 30)));
        let seeds: Vec<u64> = ring.colonies().map(|colony| colony.plan().system.seed).collect();
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[2] != seeds[0]);
        let given = bests(&mut ring);
        let takers: Vec<usize> = (0..3).filter(|&index| given[(index + 2) % 3].0 < given[index].0).collect();
        assert!(!takers.is_empty());
        let ants: Vec<usize> = ring.colonies().map(|colony| colony.plan().ants()).collect();
        let mut seen = [false; 3];
        while takers.iter().any(|&taker| !seen[taker]) {
            assert!(ring.step(1).unwrap().iteration < 400, "no colony begins anew");
            for (index, colony) in ring.colonies().enumerate() {
                if !seen[index] && colony.plan().assembly.is_some() && colony.plan().ants() > ants[index] {
                    seen[index] = true;
                    assert!(join(state(colony).best_cost) <= given[(index + 2) % 3].0.min(given[index].0));
                }
            }
        }
        let solution = ring.solution(Ended::Iterations).unwrap();
        assert!(solution.cost <= given.iter().map(|(cost, _)| *cost).min().unwrap());
        assert_eq!(problem.cost(&solution.permutation).unwrap(), solution.cost);
    }
}

#[test]
fn rings_that_hand_over_are_the_same_on_the_gpu_and_on_the_cpu() {
    for (problem, config) in handing_over(10) {
        let solved = common::targets().map(|target| {
            let mut solver = after(&problem, &config, target, 75);
            let costs: Vec<u64> = bests(&mut solver).into_iter().map(|(cost, _)| cost).collect();
            let solution = solver.solution(Ended::Iterations).unwrap();
            (solution.cost, solution.permutation, costs)
        });
        assert_eq!(solved[0], solved[1]);
        let mut stepped = common::solver(&problem, &config, Target::Cpu);
        for _ in 0..75 {
            stepped.step(1).unwrap();
        }
        assert_eq!(stepped.solution(Ended::Iterations).unwrap().permutation, solved[1].1);
    }
}

#[test]
fn exchanges_spread_the_best_and_colonies_apart_differ() {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 150, 8));
    let costs = |exchange: u32| -> Vec<u64> {
        let mut solver = after(&problem, &acs(exchange), Target::Cpu, 30);
        bests(&mut solver).into_iter().map(|(cost, _)| cost).collect()
    };
    let apart = costs(0);
    assert!(apart[0] != apart[1] && apart[1] != apart[2] && apart[2] != apart[0], "{apart:?}");
    // After each iteration: a best of thirty is one colony away at most by now, unless it is of the last iterations.
    let together = costs(1);
    let (least, most) = (together.iter().min().unwrap(), together.iter().max().unwrap());
    assert!(most - least < apart.iter().max().unwrap() - apart.iter().min().unwrap(), "{together:?} {apart:?}");
}

#[test]
fn a_run_of_several_colonies_tells_of_all() {
    let instance = common::made(Kind::Uniform, 100, 3);
    let mut solver = common::solver(&instance, &acs(10), Target::Cpu);
    let mut last = solver.progress();
    let solution = solver
        .run(&Stop::iterations(40), |progress| {
            assert!(progress.cost <= last.cost && progress.iteration >= last.iteration);
            last = *progress;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((solution.ended, solution.iterations), (Ended::Iterations, 40));
    assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
    assert_eq!(solution.cost, bests(&mut solver).into_iter().map(|(cost, _)| cost).min().unwrap());
    let costs: Vec<u64> = solution.trace.iter().map(|point| point.cost).collect();
    assert!(costs.is_sorted_by(|a, b| a > b) && costs.last() == Some(&solution.cost), "{costs:?}");
    assert!(solution.trace.is_sorted_by_key(|point| point.seconds));
    assert_eq!(solution.kernels.iter().find(|kernel| kernel.name == "best").unwrap().calls, 3 * 40);
    // The other rules.
    let stop = Stop { target: Some(solution.cost), ..Stop::default() };
    assert_eq!(solver.run(&stop, |_| ControlFlow::Continue(())).unwrap().ended, Ended::Target);
    assert_eq!(solver.run(&Stop::default(), |_| ControlFlow::Break(())).unwrap().ended, Ended::Cancelled);
    let stop = Stop::time(std::time::Duration::from_millis(300));
    assert_eq!(solver.run(&stop, |_| ControlFlow::Continue(())).unwrap().ended, Ended::Time);
    let made: Vec<u32> = solver.colonies().map(|colony| state(colony).iteration).collect();
    assert!(made.iter().all(|iterations| *iterations > 40), "{made:?}");
    assert_eq!(solver.progress().iteration, *made.iter().min().unwrap());
}

#[test]
fn a_lost_device_takes_no_colonys_best_along() {
    let gpu = common::gpu();
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &three(10), Target::Existing(gpu.clone()));
    let best = solver.step(30).unwrap().cost;
    gpu.device().destroy();
    let error = solver.step(5).expect_err("the device is gone");
    assert!(matches!(error, Error::Device { .. }), "{error}");
    let kept = solver.salvage();
    assert_eq!((kept.ended, kept.cost), (Ended::Failed, best));
    assert_eq!(instance.tour_cost(&kept.permutation).unwrap(), best);
}

#[test]
fn tiny_instances_need_no_colonies() {
    let instance = Instance::from_matrix("tiny", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap();
    let mut solver = common::solver(&instance, &three(5), Target::Cpu);
    let solution = solver.run(&Stop::default(), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((solution.ended, solution.cost, solver.colonies().count()), (Ended::Trivial, 6, 0));
}

#[test]
fn what_makes_no_sense_is_refused_with_the_remedy() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 30, 1));
    let assignment = Problem::Qap(qap::generate(10, 1).unwrap());
    let base = Config::default();
    for (config, word) in [
        (Config { colonies: Some(0), ..base }, "colonies must lie in 1 to 256, not 0"),
        (Config { colonies: Some(257), ..base }, "colonies must lie in 1 to 256, not 257"),
        (Config { exchange: Some(10), ..base }, "leave 'exchange' out"),
        (Config { colonies: Some(1), exchange: Some(0), ..base }, "leave 'exchange' out"),
    ] {
        for problem in [&tour, &assignment] {
            let message = refused(problem, &config);
            assert!(message.contains(word), "{message}");
        }
    }
}

fn myrmex(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_myrmex")).args(arguments).output().unwrap()
}

#[test]
fn the_command_line_has_words_for_it() {
    let input = instance("uniform200.tsp").display().to_string();
    let ring = ["--colonies", "3", "--exchange", "4"];
    let solved = ["wgpu", "cpu"].map(|backend| {
        let run = ["solve", &input, "--backend", backend, "--ants", "5", "--iterations", "9", "--json", "-"];
        let output = myrmex(&[&run[..], &ring].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && told.contains("3 colonies of 5 ants"), "{told}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    let [gpu, cpu] = &solved;
    assert_eq!((&gpu["tour"], &gpu["cost"]), (&cpu["tour"], &cpu["cost"]));
    // Where several colonies are asked for, ants construct.
    assert_eq!((&cpu["algorithm"], &cpu["colonies"], &cpu["exchange"]), (&"mmas".into(), &3.into(), &4.into()));
    assert_eq!(cpu["iterations"], 9);

    let plan = myrmex(&[&["plan", &input, "--backend", "cpu"][..], &ring].concat());
    let plan = String::from_utf8(plan.stdout).unwrap();
    for words in ["colonies       3", "every 4 iterations", "buffers of each colony"] {
        assert!(plan.contains(words), "'{words}' is not in\n{plan}");
    }
    let never = myrmex(&["plan", &input, "--backend", "cpu", "--colonies", "2", "--exchange", "0"]);
    assert!(String::from_utf8(never.stdout).unwrap().contains("never"));

    for (arguments, reason) in [(&["--exchange", "4"][..], "at least 2 colonies"), (&["--colonies", "0"], "1 to 256")] {
        let output = myrmex(&[&["solve", &input, "--backend", "cpu", "--iterations", "1"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(complaint.contains(reason), "{complaint}");
    }
}
