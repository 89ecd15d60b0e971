use std::collections::HashMap;
use std::time::Instant;

use myrmex::{Settings, Target, TracePoint, UnderWay};

use super::*;
use crate::testing::{solution, square};

/// What runs found that came to these lengths, each after so many seconds.
fn results(goal: Option<f64>, runs: &[(f64, f64)]) -> Results {
    let problem = square();
    let mut results = Results::new(&problem, goal);
    let one = solution(&problem, &Settings::default());
    for (seed, &(length, seconds)) in (5..).zip(runs) {
        let cost = length as u64;
        let point = |seconds, cost| -> TracePoint {
            let point = serde_json::json!({"seconds": seconds, "iteration": 1, "cost": cost, "length": cost as f64});
            serde_json::from_value(point).unwrap()
        };
        let mut found = one.clone();
        (found.length, found.cost) = (length, cost);
        found.trace = vec![point(0.0, 99), point(seconds, cost)];
        results.add(seed, found);
    }
    results
}

/// The cells of a table's row by their heads; those of several words are told by the first.
fn cells(results: &Results) -> HashMap<String, String> {
    let heads = Results::header().replace("at target", "reached").replace("seconds to it", "seconds");
    let row = results.row();
    let (heads, row): (Vec<_>, Vec<_>) = (heads.split_whitespace().collect(), row.split_whitespace().collect());
    assert_eq!(heads.len(), row.len());
    heads.into_iter().zip(row).map(|(head, cell)| (head.to_owned(), cell.to_owned())).collect()
}

#[test]
fn a_row_has_the_deviation_of_a_sample_and_the_mean_time_to_the_target() {
    let three = results(Some(50.0), &[(50.0, 1.0), (40.0, 2.0), (90.0, 9.0)]);
    let row = cells(&three);
    let told = ["instance", "n", "runs", "best", "mean", "deviation", "reached", "seconds"].map(|head| &*row[head]);
    // The squares are 100, 400 and 900: their sum by 2, not by 3.
    assert_eq!(told, ["square", "4", "3", "40", "60.0", "26.5", "2/3", "1.500"]);
    assert_eq!(three.seeds(), "seeds 5 to 7, the best found by seed 6");
}

#[test]
fn a_row_has_no_cell_for_what_is_not_known() {
    let row = cells(&results(None, &[(50.0, 1.0)]));
    assert_eq!(
        ["best", "mean", "deviation", "reached", "seconds"].map(|head| &*row[head]),
        ["50", "50.0", "-", "-", "-"]
    );
    let row = cells(&results(Some(30.0), &[(50.0, 1.0), (50.0, 1.0)]));
    assert_eq!(["deviation", "reached", "seconds"].map(|head| &*row[head]), ["0.0", "0/2", "-"]);
    let row = cells(&results(Some(30.0), &[]));
    assert_eq!(["runs", "best", "mean", "deviation"].map(|head| &*row[head]), ["0", "-", "-", "-"]);
}

/// The solution of a run that is interrupted before it has a device is a simple one.
#[test]
fn a_run_whose_set_up_was_not_done_does_not_count() {
    let known = UnderWay::begin(&square(), &Settings::default(), &Target::Cpu, None, Instant::now()).unwrap();
    let simple = known.abandoned(Ended::Cancelled).unwrap();
    assert!(!Results::counts(&simple) && Results::counts(&solution(&square(), &Settings::default())));
    let mut two = results(None, &[(50.0, 1.0), (40.0, 2.0)]);
    let row = two.row();
    let told = two.abandoned(7, &simple, 3);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], row);
    assert!(lines[1].ends_with("seeds 5 to 6, the best found by seed 6") && !told.contains("on none"), "{told}");
    assert_eq!(lines[2..], ["  interrupted in the set-up of run 3 of 3, which does not count"]);
    let mut none = results(None, &[]);
    let told = none.abandoned(5, &simple, 3);
    let expected = "run 1 of 3, which does not count\nthe set-up was not done, this is a simple solution";
    assert!(told.ends_with(expected) && none.best().is_none(), "{told}");
}

#[test]
fn remarks_tell_the_best_and_the_mean() {
    let three = results(None, &[(50.0, 1.0), (40.0, 2.0), (90.0, 9.0)]);
    let told = three.remarks(Some(40.0), Some(32.0));
    let expected = [
        "best 0.000% above, mean 50.000% above the optimum",
        "no tour is shorter than 32: the best is at most 25.000% above it",
    ];
    assert_eq!(told, expected);
    assert!(three.remarks(None, None).is_empty() && results(None, &[]).remarks(Some(40.0), Some(32.0)).is_empty());
}
