//! Many problems at a time: each has the solution that it has alone.

#[path = "batch/continued.rs"]
mod continued;
#[path = "batch/program.rs"]
mod program;

use crate::common;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use myrmex::tsp::{Kind, generate};
use myrmex::{
    BackendKind, Batch, Cancel, Ended, Error, OnDeviceLost, Problem, Proof, Settings, Solver, Stop, Target, qap,
};

/// Small problems of every kind.
fn problems() -> Vec<Problem> {
    let directed = (0..20u32 * 20).map(|at| if at / 20 == at % 20 { 0 } else { at * 7919 % 101 }).collect();
    let open = generate(Kind::Uniform, 40, 5).unwrap().open_path(Some(3), None).unwrap();
    vec![
        generate(Kind::Uniform, 60, 1).unwrap().into(),
        qap::generate(12, 1).unwrap().into(),
        generate(Kind::Lattice, 50, 1).unwrap().into(),
        myrmex::tsp::Instance::from_matrix("directed", 20, directed).unwrap().into(),
        open.into(),
        generate(Kind::Uniform, 3, 1).unwrap().into(),
        generate(Kind::Clustered, 90, 2).unwrap().into(),
    ]
}

fn on_cpu(stop: Stop, workers: usize) -> Batch {
    Batch { stop, target: Target::Cpu, workers: NonZeroUsize::new(workers), ..Batch::default() }
}

fn alone(problem: &Problem, settings: &Settings, stop: &Stop) -> myrmex::Solution {
    let mut solver = Solver::new(problem, settings, Target::Cpu).unwrap();
    let stop = stop.clone().or(Stop::proved_by(&Proof::of(problem)));
    solver.run(&stop).unwrap()
}

/// Whatever the number of workers, each problem ends at the solution that it has alone.
#[test]
fn each_problem_has_the_solution_that_it_has_alone() {
    for stop in [Stop::iterations(12), Stop::rounds(1).or(Stop::stagnation(15))] {
        let expected: Vec<_> = problems().iter().map(|problem| alone(problem, &Settings::default(), &stop)).collect();
        for workers in [1, 3] {
            let mut found = BTreeMap::new();
            let keyed = problems().into_iter().enumerate().map(|(number, problem)| (10 * number, problem));
            let all = on_cpu(stop.clone(), workers).solve(keyed, |solved| {
                assert_eq!(solved.key, 10 * solved.index);
                let one = solved.result.unwrap();
                assert_eq!((one.solution.ran.backend, one.settings.seed), (BackendKind::Cpu, 1));
                found.insert(solved.index, one.solution);
                ControlFlow::Continue(())
            });
            all.unwrap();
            assert_eq!(found.len(), expected.len());
            for (one, other) in found.values().zip(&expected) {
                let key = |it: &myrmex::Solution| (it.cost, it.permutation.clone(), it.iterations, it.ended);
                assert_eq!(key(one), key(other), "{workers} workers");
            }
        }
    }
}

/// Solvers side by side on one GPU do not disturb each other.
#[test]
fn problems_side_by_side_on_a_gpu_have_the_solutions_that_they_have_on_the_cpu() {
    let make = |seed| generate(Kind::Uniform, 24, seed).unwrap();
    let settings = Settings::named("eax").unwrap().with("population", "4").unwrap().for_iterations(Some(0));
    let stop = Stop::iterations(3);
    let mut costs = [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()];
    let both = Target::Several(vec![common::target(), Target::Cpu]);
    let mut backends = BTreeSet::new();
    for (target, costs) in [both, common::target(), Target::Cpu].into_iter().zip(&mut costs) {
        let several = matches!(target, Target::Several(_));
        let batch = Batch { settings, target, workers: NonZeroUsize::new(2), stop: stop.clone() };
        let all = batch.solve((0..8).map(|seed| (seed, make(seed))), |solved| {
            let found = solved.result.unwrap();
            if several {
                backends.insert(found.solution.ran.backend);
            }
            costs.insert(solved.key, found.solution.permutation);
            ControlFlow::Continue(())
        });
        all.unwrap();
    }
    assert_eq!(costs[0].len(), 8);
    assert!(costs.iter().all(|found| *found == costs[0]));
    // Workers of both took from one queue.
    assert_eq!(backends.len(), 2, "{backends:?}");
}

/// A device that is lost is so for all problems that follow.
#[test]
fn problems_behind_a_lost_device_are_solved_on_the_cpu() {
    let gpu = common::own_gpu();
    gpu.device().destroy();
    for on_device_lost in [OnDeviceLost::Stop, OnDeviceLost::Cpu] {
        let settings = Settings { on_device_lost, ..Settings::default() };
        let (target, stop) = (Target::Existing(gpu.clone()), Stop::iterations(3));
        let batch = Batch { settings, target, workers: NonZeroUsize::new(1), stop };
        let mut solved_on = Vec::new();
        let all = batch.solve((0..4).map(|seed| (seed, generate(Kind::Uniform, 30, seed).unwrap())), |solved| {
            let found = solved.result.ok().filter(|found| found.failure.is_none());
            solved_on.extend(found.map(|it| (it.solution.ran.backend, it.solution.device_lost.is_some())));
            ControlFlow::Continue(())
        });
        all.unwrap();
        let expected = if on_device_lost == OnDeviceLost::Cpu { vec![(BackendKind::Cpu, true); 4] } else { Vec::new() };
        assert_eq!(solved_on, expected);
    }
}

#[test]
fn what_is_wrong_with_one_does_not_stop_the_others() {
    let cities = |seed| generate(Kind::Uniform, 30, seed).map(Problem::from);
    let wrong = Settings::named("eax").unwrap().with("population", "1").unwrap();
    let source = |seed: u64| {
        move || match seed {
            3 => Err(Error::Instance("it is damaged".into())),
            5 => Ok((cities(5)?, wrong)),
            seed => Ok((cities(seed)?, Settings::default())),
        }
    };
    let (mut solved, mut failed) = (BTreeSet::new(), BTreeMap::new());
    let all = on_cpu(Stop::iterations(2), 2).solve((0..9).map(|seed| (seed, source(seed))), |one| {
        match one.result {
            Ok(_) => drop(solved.insert(one.key)),
            Err(error) => drop(failed.insert(one.key, error.kind())),
        }
        ControlFlow::Continue(())
    });
    all.unwrap();
    assert_eq!(solved, [0, 1, 2, 4, 6, 7, 8].into());
    assert_eq!(failed, [(3, "instance"), (5, "config")].into());
}

/// However many problems there are, only those under way and those not yet told are held.
#[test]
fn problems_are_taken_when_a_worker_is_free() {
    let (taken, workers) = (AtomicUsize::new(0), 2);
    let endless = (0..).map(|number: usize| {
        taken.fetch_add(1, Ordering::Relaxed);
        (number, generate(Kind::Uniform, 8, number as u64).unwrap())
    });
    let mut told = 0;
    let all = on_cpu(Stop::iterations(1), workers).solve(endless, |solved| {
        solved.result.unwrap();
        told += 1;
        let ahead = taken.load(Ordering::Relaxed) - told;
        assert!(ahead <= 2 * workers, "{ahead} problems are held");
        // Who listens slowly is waited for.
        std::thread::sleep(Duration::from_millis(2));
        if told == 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    all.unwrap();
    assert_eq!(told, 40);
    assert!(taken.load(Ordering::Relaxed) <= 40 + 2 * workers);
}

#[test]
fn a_cancelled_token_ends_those_under_way_with_their_best() {
    let cancel = Cancel::new();
    let stop = Stop::time(Duration::from_secs(100)).or(Stop::cancelled_by(&cancel));
    let of_timer = cancel.clone();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        of_timer.cancel();
    });
    let began = Instant::now();
    let endless = (0..).map(|seed| (seed, generate(Kind::Uniform, 100, seed).unwrap()));
    let mut ended = Vec::new();
    let all = on_cpu(stop, 2).solve(endless, |solved| {
        let found = solved.result.unwrap();
        assert_eq!(found.problem.cost(&found.solution.permutation).unwrap(), found.solution.cost);
        ended.push(found.solution.ended);
        ControlFlow::Continue(())
    });
    all.unwrap();
    timer.join().unwrap();
    assert_eq!(ended, [Ended::Cancelled; 2]);
    assert!(began.elapsed() < common::FAR_LESS);
    let none =
        on_cpu(Stop::default(), 1).solve([((), generate(Kind::Uniform, 9, 1).unwrap())], |_| ControlFlow::Continue(()));
    assert!(matches!(none, Err(Error::Config(message)) if message.contains("no rule")));
}

/// A run that ends with its first round goes on as if it had not ended.
#[test]
fn a_run_that_has_converged_can_go_on() {
    let problem = Problem::from(generate(Kind::Uniform, 60, 4).unwrap());
    let settings = Settings::named("eax").unwrap().with("population", "10").unwrap();
    let mut solver = Solver::new(&problem, &settings, Target::Cpu).unwrap();
    let mut run = |stop: Stop| {
        let solution = solver.run(&stop).unwrap();
        let rounds: Vec<u32> = solution.phases.iter().map(|phase| phase.round).collect();
        (solution, rounds)
    };
    let (first, rounds) = run(Stop::rounds(1));
    assert_eq!((first.ended, rounds.iter().max()), (Ended::Converged, Some(&0)));
    assert_eq!(run(Stop::rounds(1)).0.iterations, first.iterations, "it ends at once");
    let (second, rounds) = run(Stop::rounds(2));
    assert_eq!((second.ended, rounds.iter().max()), (Ended::Converged, Some(&1)));
    assert!(second.iterations > first.iterations);
    let whole = alone(&problem, &settings, &Stop::rounds(2));
    assert_eq!((whole.iterations, &whole.permutation), (second.iterations, &second.permutation));
    let reached = alone(&problem, &settings, &Stop::rounds(1).or(Stop::cost(first.cost)));
    assert_eq!(reached.ended, Ended::Target);
}

/// Tours that share the dispatches of a GPU are the ones that a solver finds on the CPU, and others get solvers of their own.
#[test]
fn many_small_tours_on_a_gpu_are_those_that_they_are_alone() {
    let settings = Settings::named("clk").unwrap().with("steps", "300").unwrap().with("walks", "3").unwrap();
    let mut problems: Vec<Problem> = (0..12).map(|i| generate(Kind::Uniform, 20 + 7 * i, 3).unwrap().into()).collect();
    problems.push(generate(Kind::Uniform, 40, 5).unwrap().open_path(Some(3), None).unwrap().into());
    let stop = Stop::converged();
    for workers in [1, 2] {
        let batch =
            Batch { settings, target: common::target(), workers: NonZeroUsize::new(workers), stop: stop.clone() };
        let mut count = 0;
        let all = batch.solve(problems.iter().cloned().enumerate(), |solved| {
            let one = solved.result.unwrap();
            let expected = {
                let mut solver = Solver::new(&problems[solved.key], &settings, Target::Cpu).unwrap();
                solver.run(&stop).unwrap()
            };
            assert_eq!(one.solution.permutation, expected.permutation, "{} {workers}", one.problem.name());
            assert_eq!((one.solution.iterations, one.solution.ended), (expected.iterations, expected.ended));
            assert_ne!(one.solution.ran.backend, BackendKind::Cpu);
            count += 1;
            ControlFlow::Continue(())
        });
        all.unwrap();
        assert_eq!(count, problems.len());
    }
}
