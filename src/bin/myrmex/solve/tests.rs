use super::*;
use crate::testing::solve_args;

/// What ends a run of these words: seconds, rounds, iterations, and a length.
fn ends(words: &[&str]) -> (Option<f64>, Option<u32>, Option<u32>, Option<f64>) {
    let (cancel, started) = (Cancel::new(), Instant::now());
    let args = solve_args(words);
    let stop = stop(&args, &cancel, started);
    assert_eq!((stop.clock, stop.cancel.len(), stop.time), (Some(started), 1, time_limit(&args)));
    (stop.time.map(|time| time.as_secs_f64()), stop.rounds, stop.iterations, stop.target)
}

#[test]
fn without_a_rule_a_run_ends_after_five_seconds_or_four_rounds() {
    assert_eq!(ends(&[]), (Some(5.0), Some(4), None, None));
    // The optimum is sought for all that time.
    assert_eq!(ends(&["--optimum", "200"]), (Some(5.0), None, None, Some(200.0)));
    // So does a run go on whose checkpoint may have made its rounds.
    assert_eq!(ends(&["--resume", "run.ckpt"]), (Some(5.0), None, None, None));
}

#[test]
fn a_rule_that_is_given_stands_alone() {
    assert_eq!(ends(&["--time", "2"]), (Some(2.0), None, None, None));
    assert_eq!(ends(&["--rounds", "1"]), (None, Some(1), None, None));
    assert_eq!(ends(&["--iterations", "7"]), (None, None, Some(7), None));
    assert_eq!(ends(&["--target", "210"]), (None, None, None, Some(210.0)));
    assert_eq!(ends(&["--optimum", "200", "--gap", "10"]), (None, None, None, Some(220.0)));
    assert_eq!(ends(&["--stagnation", "30"]), (None, None, None, None));
}

/// The easier of two goals ends a run; the distance to an optimum below 0 counts upwards, too.
#[test]
fn the_goal_is_the_greater_length() {
    let goal = |words: &[&str]| goal(&solve_args(words));
    assert_eq!(goal(&["--optimum", "200", "--target", "210"]), Some(210.0));
    assert_eq!(goal(&["--optimum", "200", "--gap", "10", "--target", "210"]), Some(220.0));
    assert_eq!(goal(&["--optimum", "-200", "--gap", "10"]), Some(-180.0));
    assert_eq!(goal(&[]), None);
}
