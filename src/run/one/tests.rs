use super::*;
use crate::instance::qap;
use crate::instance::tsp::{Kind, generate};
use crate::run::{Cancel, Solver, Target};
use crate::settings::Settings;

/// An iteration that is stopped behind each of its submissions goes on from there, finds what one that is not stopped finds, and ends with its last call.
#[test]
fn an_iteration_goes_on_where_it_was_stopped() {
    let tours = Problem::from(generate(Kind::Uniform, 80, 3).unwrap());
    let assignments = Problem::from(qap::generate(12, 1).unwrap());
    for (problem, algorithm, set) in [
        (&tours, "mmas", ("ants", "5")),
        (&tours, "lk", ("windows", "3")),
        (&assignments, "memetic", ("population", "6")),
    ] {
        let settings = Settings::named(algorithm).unwrap().with(set.0, set.1).unwrap();
        let solver = || Solver::new(problem, &settings, Target::Cpu).unwrap();
        let (mut whole, mut parts) = (solver(), solver());
        let colony = whole.runs[0].colony.as_mut().unwrap();
        let ants = colony.plan().units as u32;
        colony.run(&colony.ant_calls(0..ants)).unwrap();
        colony.choose_best().unwrap();
        colony.run(&colony.end_calls()).unwrap();
        let expected = (colony.state().unwrap(), colony.best_solution().unwrap());

        let stopped = Cancel::new();
        stopped.cancel();
        let run = &mut parts.runs[0];
        let mut colony = run.colony.take().unwrap();
        let (mut in_ants, mut in_end) = (0, 0);
        while let Some(ended) = run.sliced_iteration(&mut colony, &Stop::cancelled_by(&stopped)).unwrap() {
            assert_eq!(ended, Ended::Cancelled);
            match run.pace.batching.done == ants && run.pace.batching.calls_done > 0 {
                true => in_end += 1,
                false => in_ants += 1,
            }
            run.keep_under_way(&mut colony).unwrap();
        }
        assert!(run.is_between_iterations());
        assert!(in_ants > 0 && in_end > 0, "{algorithm}: {in_ants} and {in_end} stops");
        assert!((colony.state().unwrap(), colony.best_solution().unwrap()) == expected, "{algorithm}");
    }
}
