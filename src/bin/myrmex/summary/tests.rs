use myrmex::tsp::{Kind, generate};
use myrmex::{Checkpoint, Stop, Target, TracePoint};
use serde_json::{from_value, json};

use super::*;
use crate::testing::{solution, solve_args, square};

/// What a run of an algorithm on 30 cities began with.
fn of_30_cities(algorithm: &str) -> Solution {
    let problem = Problem::from(generate(Kind::Uniform, 30, 1).unwrap());
    solution(&problem, &Settings::named(algorithm).unwrap())
}

#[test]
fn the_end_is_told_with_the_gap_to_the_optimum() {
    let problem = square();
    let mut found = solution(&problem, &Settings::default());
    (found.iterations, found.ended, found.seconds) = (1, Ended::Time, 2.0);
    let told = |words: &[&str], found: &Solution| ended(&solve_args(words), &problem, found);
    assert_eq!(told(&[], &found), "cost 40 after 1 iteration, 2.00 s (time is up)");
    found.iterations = 12;
    let above = "cost 40, 25.000% above the optimum after 12 iterations, 2.00 s (time is up)";
    assert_eq!(told(&["--optimum", "32"], &found), above);
    let none = "cost 40 (an optimum of 0 has no percents) after 12 iterations, 2.00 s (time is up)";
    assert_eq!(told(&["--optimum", "0"], &found), none);
}

#[test]
fn a_lost_device_is_told_with_what_did_the_rest() {
    let mut found = of_30_cities("mmas");
    assert_eq!(lost(&found), None);
    let device = json!({"backend": "wgpu", "device": "a GPU", "message": "it is gone", "iteration": 3, "seconds": 0.5});
    found.device_lost = Some(from_value(device).unwrap());
    found.iterations = 3;
    let failed = "a GPU failed after iteration 3 (it is gone); ";
    assert_eq!(lost(&found).unwrap(), format!("{failed}the best solution known before that was kept"));
    found.iterations = 4;
    assert_eq!(lost(&found).unwrap(), format!("{failed}the CPU did the rest"));
    found.devices = vec![from_value(json!({"backend": "cpu", "device": "a CPU", "colonies": [0]})).unwrap()];
    assert_eq!(lost(&found).unwrap(), format!("{failed}the CPU did the rest of its part"));
}

/// What to do is told in the words of the algorithm that ran.
#[test]
fn a_run_without_an_iteration_is_told_what_to_do() {
    let began = "no iteration was finished, this is what the run began with: give it more time";
    for (algorithm, fewer) in [("mmas", ", or fewer ants"), ("eax", ""), ("lk-eax", "")] {
        let mut found = of_30_cities(algorithm);
        for (ended, expected) in [
            (Ended::Time, Some(format!("{began}{fewer}"))),
            (Ended::Cancelled, Some(format!("{began}{fewer}"))),
            (Ended::Target, None),
        ] {
            found.ended = ended;
            assert_eq!(unfinished(&found), expected, "{algorithm}");
        }
        (found.ended, found.iterations) = (Ended::Time, 1);
        assert_eq!(unfinished(&found), None);
    }
    let mut some = of_30_cities("mmas");
    some.ended = Ended::Time;
    let gained: TracePoint =
        from_value(json!({"seconds": 1.0, "iteration": 0, "cost": some.cost, "length": some.length})).unwrap();
    some.trace.push(gained);
    let best =
        "no iteration was finished, this is the best of the ants that were done: give it more time, or fewer ants";
    assert_eq!(unfinished(&some).unwrap(), best);
}

#[test]
fn a_bound_is_told_where_one_was_sought() {
    let problem = square();
    let found = solution(&problem, &Settings::default());
    let told = |words: &[&str], bound| bounded(&solve_args(words), &problem, &found, bound);
    assert_eq!(told(&[], None), None);
    assert_eq!(told(&["--bound"], None).unwrap(), "no lower bound was found in so short a time");
    assert_eq!(told(&["--bound"], Some(32.0)).unwrap(), "no tour is shorter than 32: at most 25.000% above it");
}

#[test]
fn a_checkpoint_that_has_all_iterations_leaves_nothing_to_do() {
    let problem = Problem::from(generate(Kind::Uniform, 30, 1).unwrap());
    let settings = Settings::named("mmas").unwrap().with("ants", "2").unwrap();
    let mut solver = Solver::new(&problem, &settings, Target::Cpu).unwrap();
    solver.run(&Stop::iterations(2)).unwrap();
    let kept: Checkpoint = solver.checkpoint().unwrap();
    let found = Solver::resume(&problem, kept, Target::Cpu).unwrap().run(&Stop::iterations(2)).unwrap();
    let told = |words: &[&str]| nothing_to_do(&solve_args(words), &found);
    assert_eq!([told(&[]), told(&["--iterations", "3"])], [None, None]);
    let nothing =
        "nothing was left to do: the checkpoint is of iteration 2, and --iterations 2 counts those before, too";
    assert_eq!(told(&["--iterations", "2"]).unwrap(), nothing);
    let fresh = of_30_cities("mmas");
    assert_eq!(nothing_to_do(&solve_args(&["--iterations", "2"]), &fresh), None);
}

/// The lines come in this order, and those that say nothing are left out.
#[test]
fn remarks_are_the_lines_that_say_something() {
    let problem = square();
    let mut found = solution(&problem, &Settings::default());
    let args = solve_args(&["--bound"]);
    let told = |found: &Solution, bound| remarks(&args, &problem, found, bound).len();
    assert_eq!(told(&found, Some(32.0)), 2);
    let device = json!({"backend": "wgpu", "device": "a GPU", "message": "gone", "iteration": 0, "seconds": 0.5});
    found.device_lost = Some(from_value(device).unwrap());
    let lines = remarks(&args, &problem, &found, None);
    let begin = ["cost 40 after ", "a GPU failed after ", "no lower bound "];
    assert!(lines.len() == 3 && lines.iter().zip(begin).all(|(line, begin)| line.starts_with(begin)), "{lines:?}");
}

#[test]
fn one_of_what_runs_side_by_side_is_told_as_one() {
    let problem = Problem::from(generate(Kind::Uniform, 60, 1).unwrap());
    let told = |windows: &str, colonies: &str| {
        let settings = Settings::named("lk-eax").unwrap().with("windows", windows).unwrap();
        let settings = settings.with("colonies", colonies).unwrap();
        algorithm(&settings.recipe(&problem, myrmex::Effort::Standard).unwrap())
    };
    assert_eq!(told("1", "1"), "lk-eax (1 window)");
    assert_eq!(told("3", "1"), "lk-eax (3 windows)");
    assert_eq!(told("1", "2"), "lk-eax (2 colonies of 1 window)");
}
