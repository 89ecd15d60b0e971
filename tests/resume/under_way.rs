//! Checkpoints within iterations, and within the set-up of a phase.

use std::sync::{Arc, Mutex};

use super::*;

/// Checkpoints of a run that is interrupted within its iterations are of the state before these.
#[test]
fn interrupted_iterations_are_made_again() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 1500, 2));
    let layout = Problem::Qap(qap::generate(80, 2).unwrap());
    let cases = [
        case(&tour, "lk-eax population=8 windows=16", 40, &[]),
        case(&tour, "mmas ants=24 local_search=lk", 4, &[]),
        case(&layout, "cas units=8 search_iterations=4000 colonies=2 migration=1", 3, &[]),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, case) in cases.iter().enumerate() {
        let (expected, _) = run(case, Target::Cpu);
        let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
        let path = folder.path().join(format!("{number}.ckpt"));
        solver.keep_checkpoint(&path, Duration::from_millis(20), |error| panic!("{error}"));
        let (mut within, mut calls_of_iteration, mut interrupted) = (0, (0, 0), 0);
        loop {
            let stop = Stop::iterations(case.iterations).or(Stop::time(Duration::from_millis(3)));
            let ended = solver.run(&stop).unwrap().ended;
            let (before, began) = (solver.progress().iteration, Instant::now());
            // More than one call of the same iteration.
            calls_of_iteration =
                if calls_of_iteration.0 == before { (before, calls_of_iteration.1 + 1) } else { (before, 1) };
            interrupted += u32::from(calls_of_iteration.1 > 1);
            let checkpoint = checkpoint(&mut solver);
            // Nothing is finished for it.
            assert_eq!((solver.progress().iteration, checkpoint.iterations()), (before, before));
            assert!(began.elapsed() < common::FAR_LESS);
            within += 1;
            if ended == Ended::Iterations {
                break;
            }
            if within % 5 == 0 {
                let kept =
                    if within % 2 == 0 || !path.exists() { checkpoint } else { Checkpoint::read(&path).unwrap() };
                solver = Solver::resume(&case.problem, kept, Target::Cpu).unwrap();
                calls_of_iteration = (0, 0);
                solver.keep_checkpoint(&path, Duration::from_millis(20), |error| panic!("{error}"));
            }
            if within > 140 {
                to(&mut solver, case.iterations);
                break;
            }
        }
        assert!(interrupted > 0, "no iteration was interrupted: {:?}", case.settings);
        let found = outcome(&mut solver);
        let differ: Vec<Buffer> =
            found.0[0].iter().zip(&expected.0[0]).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect();
        assert!(differ.is_empty() && found.0 == expected.0, "{} {:?}: {differ:?}", case.problem.name(), case.settings);
        assert_eq!(found.2, expected.2, "{} {:?}", case.problem.name(), case.settings);
        // What was seen of iterations under way may be better than what they ended with.
        assert!(found.1.0 <= expected.1.0);
    }
}

/// Without a copy of the state an iteration under way is finished.
#[test]
fn a_checkpoint_finishes_the_iteration_under_way() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 2000, 2));
    let case = case(&tour, "mmas ants=40 local_search=lk", 3, &[]);
    let (expected, _) = run(&case, Target::Cpu);
    let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
    solver.run(&Stop::time(Duration::from_millis(1))).unwrap();
    let kept = checkpoint(&mut solver);
    assert_eq!(kept.iterations(), 1);
    assert!(resumed(&case, &kept, Target::Cpu, |_| {}) == expected);
}

/// A checkpoint that is made while crossover is set up has the population that it is to begin with.
#[test]
fn the_set_up_of_a_phase_is_made_again() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 1500, 2));
    let mut case = case(&tour, "lk-eax population=8 windows=16", 0, &[]);
    let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
    let crossover = 2;
    while solver.progress().phase < crossover {
        solver.step(1).unwrap();
    }
    let begins = solver.progress().iteration;
    case.iterations = begins + 2;
    to(&mut solver, case.iterations);
    let expected = outcome(&mut solver);
    let (folder, mut made_again) = (tempfile::tempdir().unwrap(), 0);
    for milliseconds in 1..=20 {
        let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
        solver.keep_checkpoint(folder.path().join("run.ckpt"), Duration::from_secs(1000), |error| panic!("{error}"));
        to(&mut solver, begins - 1);
        while solver.progress().iteration < begins {
            let stop = Stop::iterations(begins).or(Stop::time(Duration::from_millis(milliseconds)));
            solver.run(&stop).unwrap();
        }
        if solver.progress().phase < crossover {
            let kept = checkpoint(&mut solver);
            assert_eq!(kept.iterations(), begins);
            assert!(resumed(&case, &kept, Target::Cpu, |_| {}) == expected, "after {milliseconds} ms");
            made_again += 1;
            if made_again == 2 {
                break;
            }
        }
    }
    assert!(made_again > 0, "the set-up of crossover was never interrupted");
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_told_while_the_run_goes_on() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 100, 1));
    let mut solver = common::solver(&problem, &settings("mmas ants=4"), Target::Cpu);
    let folder = tempfile::tempdir().unwrap();
    let (told, path) = (Arc::new(Mutex::new(Vec::new())), folder.path().join("gone").join("run.ckpt"));
    let note = Arc::clone(&told);
    solver.keep_checkpoint(&path, Duration::ZERO, move |error| note.lock().unwrap().push(error.to_string()));
    to(&mut solver, 30);
    let seen = told.lock().unwrap().clone();
    assert!(!seen.is_empty() && seen.iter().all(|error| error.contains("run.ckpt")), "{seen:?}");
    // And again where it can be written.
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    to(&mut solver, 60);
    drop(solver);
    assert!(Checkpoint::read(&path).unwrap().check(&problem).is_ok());
}
