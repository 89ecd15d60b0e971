//! Several colonies on one device: each is a run of its own until bests migrate, and then takes over what is better.

use crate::common;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::common::colonies::written;
use crate::common::program::instance;
use crate::common::{Also, settings};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::Plan;
use myrmex::kernels::shared::state::{STATE_WORDS, State, join};
use myrmex::tsp::{Instance, Kind};
use myrmex::{Colonies, Ended, Error, Problem, Settings, Solver, Stop, Target, qap};

mod words;

/// Three colonies of this algorithm.
fn three(algorithm: &str, migration: u32) -> Settings {
    settings(algorithm).also(&format!("colonies=3 migration={migration}"))
}

fn acs(migration: u32) -> Settings {
    three("acs", migration).also("ants=4 local_search=none")
}

/// Systems that construct, on tours and on assignments.
fn systems() -> Vec<(Problem, Settings)> {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let assignment = Problem::Qap(qap::generate(24, 2).unwrap());
    let mmas = three("mmas", 4).also("ants=4");
    let tours = [
        mmas,
        mmas.also("stagnation=3"),
        mmas.also("local_search=none best_on=host candidates=8"),
        mmas.also("local_search=lk"),
        three("faco", 4).also("ants=4 focus=20"),
        three("as", 4).also("ants=4 local_search=none elitist=4"),
        acs(4),
    ];
    let assignments = [three("cas", 4).also("units=4 search_iterations=30"), mmas.also("search_iterations=30")];
    let tours = tours.map(|settings| (tour.clone(), settings));
    tours.into_iter().chain(assignments.map(|settings| (assignment.clone(), settings))).collect()
}

/// A colony whose rounds are over rests while others go on: a run ends when all are, at the same solution wherever they run.
#[test]
fn rounds_end_a_run_when_all_colonies_have_made_theirs() {
    let instance = common::made(Kind::Uniform, 200, 7);
    let one = settings("eax population=20");
    let settings = one.also("colonies=3 migration=0");
    let ends = |target: Target, stop: &Stop| {
        let mut solver = Solver::new(&instance, &settings, target).unwrap();
        while solver.advance(stop).unwrap() != Ended::Converged {}
        let solution = solver.solution().unwrap();
        (solution.cost, solution.permutation, solution.iterations)
    };
    let rounds = Stop::rounds(1);
    let alone: Vec<_> = (0..3u64)
        .map(|colony| {
            let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
            let seed = common::colonies(&mut solver).nth(colony as usize).unwrap().plan().seed;
            let own = one.seed(seed);
            let mut solver = Solver::new(&instance, &own, Target::Cpu).unwrap();
            let solution = solver.run(&rounds).unwrap();
            (solution.cost, solution.permutation, solution.iterations)
        })
        .collect();
    assert!(alone.iter().any(|it| it.2 != alone[0].2), "all have as many iterations");
    let expected = (alone.iter().map(|it| it.0).min().unwrap(), alone.iter().map(|it| it.2).max().unwrap());
    let two = || Target::Several(vec![Target::Cpu, Target::Cpu]);
    let quick = rounds.clone().or(Stop::time(Duration::from_millis(2)));
    for found in [ends(Target::Cpu, &rounds), ends(two(), &rounds), ends(two(), &quick), ends(Target::Cpu, &quick)] {
        assert_eq!((found.0, found.2), expected);
        assert!(alone.iter().any(|it| it.1 == found.1));
    }
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
    common::colonies(solver).map(|colony| (join(state(colony).best_cost), colony.best_solution().unwrap())).collect()
}

/// Everything that the kernels of all colonies have written.
fn everything(solver: &mut Solver) -> Vec<Vec<(&'static str, Vec<u32>)>> {
    common::colonies(solver).map(written).collect()
}

fn after(problem: &Problem, settings: &Settings, target: Target, iterations: u32) -> Solver {
    let mut solver = common::solver(problem, settings, target);
    solver.step(iterations).unwrap();
    solver
}

/// One colony asked for is what there is without being asked.
#[test]
fn one_colony_runs_as_ever() {
    for (name, line, iterations) in [
        ("uniform200.tsp", "mmas ants=8", 30),
        ("uniform200.tsp", "acs ants=20 local_search=none", 30),
        ("uniform200.tsp", "lk-eax windows=4", 12),
        ("layout40.dat", "cas units=6 search_iterations=60", 4),
    ] {
        let problem = Problem::read(instance(name)).unwrap();
        let mut silent = after(&problem, &settings(line), Target::Cpu, iterations);
        let mut said = after(&problem, &settings(line).also("colonies=1"), Target::Cpu, iterations);
        assert_eq!(everything(&mut silent), everything(&mut said));
        let [silent, said] = [silent, said].map(|mut solver| solver.solution().unwrap());
        assert_eq!(silent.permutation, said.permutation);
        assert_eq!(silent.trace.last().map(|point| point.cost), said.trace.last().map(|point| point.cost));
    }
}

/// The first colony's seed is the run's; what does not migrate changes nothing.
#[test]
fn without_migration_each_colony_is_a_run_of_its_own() {
    for (problem, settings) in systems() {
        let mut ring = after(&problem, &settings.also("migration=0"), Target::Cpu, 9);
        let seeds: Vec<u64> = common::colonies(&mut ring).map(|colony| colony.plan().seed).collect();
        assert_eq!(seeds[0], settings.seed);
        for (seed, found) in seeds.into_iter().zip(everything(&mut ring)) {
            let alone = Settings { seed, colonies: Default::default(), ..settings };
            assert_eq!(vec![found], everything(&mut after(&problem, &alone, Target::Cpu, 9)));
        }
    }
}

#[test]
fn rings_are_the_same_on_the_gpu_and_on_the_cpu() {
    for (problem, settings) in systems() {
        let [mut gpu, mut cpu] = common::targets().map(|target| after(&problem, &settings, target, 14));
        for (gpu, cpu) in everything(&mut gpu).into_iter().zip(everything(&mut cpu)) {
            for (gpu, cpu) in gpu.into_iter().zip(cpu) {
                assert!(gpu == cpu, "{}: {} differs, {settings:?}", problem.name(), gpu.0);
            }
        }
        let [gpu, cpu] = [gpu, cpu].map(|mut solver| solver.solution().unwrap());
        assert_eq!((gpu.cost, gpu.permutation), (cpu.cost, cpu.permutation));
    }
}

/// However a run is cut, migrations come after the same iterations.
#[test]
fn single_steps_and_one_run_are_the_same() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 90, 2));
    let mut whole = common::solver(&problem, &three("mmas", 5).also("ants=4"), Target::Cpu);
    whole.run(&Stop::iterations(23)).unwrap();
    let mut stepped = common::solver(&problem, &three("mmas", 5).also("ants=4"), Target::Cpu);
    for _ in 0..23 {
        stepped.step(1).unwrap();
    }
    assert_eq!(everything(&mut whole), everything(&mut stepped));
}

#[test]
fn at_a_migration_what_is_better_is_taken_over() {
    let every = 5;
    let mut taken = 0;
    let complete = systems().into_iter().map(|(problem, settings)| (problem, settings.also("topology=complete")));
    for (problem, settings) in systems().into_iter().chain(complete) {
        let n = problem.len();
        let settings = settings.also(&format!("migration={every}"));
        let is_ring = settings.colonies.topology.is_none();
        let alone =
            Settings { colonies: Colonies { topology: None, ..settings.colonies }, ..settings }.also("migration=0");
        let mut apart = after(&problem, &alone, Target::Cpu, every - 1);
        let mut ring = after(&problem, &settings, Target::Cpu, every - 1);
        // Nothing migrates before it is time.
        assert_eq!(everything(&mut apart), everything(&mut ring));
        apart.step(1).unwrap();
        ring.step(1).unwrap();
        let before = bests(&mut apart);
        let best = (0..before.len()).min_by_key(|&index| before[index].0).unwrap();
        for (index, (colony, own)) in common::colonies(&mut ring).zip(common::colonies(&mut apart)).enumerate() {
            let giver = if is_ring { (index + before.len() - 1) % before.len() } else { best };
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
    assert!(taken >= 15, "only {taken} colonies have taken anything over");
}

/// In an Ant Colony System the best tour deposits: after a migration the one that was taken over.
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
    for (index, colony) in common::colonies(&mut ring).enumerate().filter(|(index, _)| takers.contains(index)) {
        let found_now = state(colony).best_iteration == 7;
        let deposited = words(colony, Buffer::Bests, 300)[200..].to_vec();
        assert!(found_now || deposited == given[index].1);
        seen += usize::from(!found_now);
    }
    assert!(seen > 0);
}

/// Runs of several phases.
fn phases(migration: u32) -> [(Problem, Settings); 2] {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 200, 4));
    let windows = three("lk-eax", migration).also("windows=4 window_size=64 steps=300 population=4");
    [(problem.clone(), three("eax", migration).also("population=4")), (problem, windows)]
}

#[test]
fn what_was_taken_over_waits_for_new_tours() {
    for (problem, settings) in phases(30) {
        let apart = settings.also("migration=0");
        let mut ring = after(&problem, &settings, Target::Cpu, 30);
        // Colonies are as without, and each is a run of its own.
        let there = everything(&mut ring);
        assert_eq!(there, everything(&mut after(&problem, &apart, Target::Cpu, 30)));
        let seeds: Vec<u64> = common::colonies(&mut ring).map(|colony| colony.plan().seed).collect();
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[2] != seeds[0]);
        let given = bests(&mut ring);
        let takers: Vec<usize> = (0..3).filter(|&index| given[(index + 2) % 3].0 < given[index].0).collect();
        assert!(!takers.is_empty());
        let units: Vec<usize> = common::colonies(&mut ring).map(|colony| colony.plan().units).collect();
        let mut seen = [false; 3];
        while takers.iter().any(|&taker| !seen[taker]) {
            assert!(ring.step(1).unwrap().iteration < 400, "no colony begins again");
            for (index, colony) in common::colonies(&mut ring).enumerate() {
                if !seen[index] && matches!(colony.plan(), Plan::Eax(_)) && colony.plan().units > units[index] {
                    seen[index] = true;
                    assert!(join(state(colony).best_cost) <= given[(index + 2) % 3].0.min(given[index].0));
                }
            }
        }
        let solution = ring.solution().unwrap();
        assert!(solution.cost <= given.iter().map(|(cost, _)| *cost).min().unwrap());
        assert_eq!(problem.cost(&solution.permutation).unwrap(), solution.cost);
    }
}

#[test]
fn rings_of_several_phases_are_the_same_on_the_gpu_and_on_the_cpu() {
    for (problem, settings) in phases(10) {
        let solved = common::targets().map(|target| {
            let mut solver = after(&problem, &settings, target, 75);
            let costs: Vec<u64> = bests(&mut solver).into_iter().map(|(cost, _)| cost).collect();
            let solution = solver.solution().unwrap();
            (solution.cost, solution.permutation, costs)
        });
        assert_eq!(solved[0], solved[1]);
        let mut stepped = common::solver(&problem, &settings, Target::Cpu);
        for _ in 0..75 {
            stepped.step(1).unwrap();
        }
        assert_eq!(stepped.solution().unwrap().permutation, solved[1].1);
    }
}

#[test]
fn migrations_spread_the_best_and_colonies_apart_differ() {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 150, 8));
    let costs = |migration: u32| -> Vec<u64> {
        let mut solver = after(&problem, &acs(migration), Target::Cpu, 30);
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
        .run_with(&Stop::iterations(40), |progress| {
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
    let stop = Stop::cost(solution.cost);
    assert_eq!(solver.run(&stop).unwrap().ended, Ended::Target);
    assert_eq!(
        solver.run_with(&Stop::iterations(u32::MAX), |_| ControlFlow::Break(())).unwrap().ended,
        Ended::Cancelled
    );
    let stop = Stop::time(std::time::Duration::from_millis(300));
    assert_eq!(solver.run(&stop).unwrap().ended, Ended::Time);
    let made: Vec<u32> = common::colonies(&mut solver).map(|colony| state(colony).iteration).collect();
    assert!(made.iter().all(|iterations| *iterations > 40), "{made:?}");
    // Time may end an iteration before its last call: then the next run goes on there.
    let behind = *made.iter().min().unwrap() - solver.progress().iteration;
    assert!(behind <= 1, "{made:?}");
    solver.run(&Stop::iterations(1)).unwrap();
    let made: Vec<u32> = common::colonies(&mut solver).map(|colony| state(colony).iteration).collect();
    assert_eq!(solver.progress().iteration, *made.iter().min().unwrap());
}

#[test]
fn a_lost_device_takes_no_colonys_best_along() {
    let gpu = common::own_gpu();
    let instance = common::made(Kind::Uniform, 60, 1);
    let mut solver = common::solver(&instance, &three("mmas", 10).also("ants=4"), Target::Existing(gpu.clone()));
    let best = solver.step(30).unwrap().cost;
    gpu.device().destroy();
    let error = solver.step(5).expect_err("the device is gone");
    assert!(matches!(error, Error::Device { .. }), "{error}");
    let kept = solver.salvage();
    assert_eq!((kept.ended, kept.cost), (Ended::Failed, best));
    assert_eq!(instance.tour_cost(&kept.permutation).unwrap(), best);
}

/// Each of two threads waits for a device that answers the other, too.
#[test]
fn two_threads_share_a_device() {
    let gpu = common::gpu();
    let instance = common::made(Kind::Uniform, 60, 1);
    let solved = |target: Target, seed: u64| {
        let mut solver = common::solver(&instance, &settings("mmas ants=4").seed(seed), target);
        for _ in 0..150 {
            solver.step(1).unwrap();
        }
        solver.solution().unwrap().permutation
    };
    let side_by_side: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                let (gpu, solved) = (gpu.clone(), &solved);
                scope.spawn(move || solved(Target::Existing(gpu), seed))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let alone: Vec<Vec<u32>> = (0..4).map(|seed| solved(Target::Cpu, seed)).collect();
    assert_eq!(side_by_side, alone);
}

#[test]
fn tiny_instances_need_no_colonies() {
    let instance = Instance::from_matrix("tiny", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap();
    let mut solver = common::solver(&instance, &three("mmas", 5), Target::Cpu);
    let solution = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!((solution.ended, solution.cost, common::colonies(&mut solver).count()), (Ended::Trivial, 6, 0));
}
