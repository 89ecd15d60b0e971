//! `myrmex merge`: what is of another instance, or is not as long as it says, is no solution.

use std::process::Output;

use myrmex::qap;
use myrmex::tsp::{Kind, generate};
use tempfile::TempDir;

use crate::common::program::{complaint, file, myrmex, stdout};

const RUN: [&str; 5] = ["--backend", "cpu", "--iterations", "2", "--quiet"];

/// What a merge says on standard output and on standard error.
fn told(merged: &Output) -> (String, String) {
    (stdout(merged), String::from_utf8_lossy(&merged.stderr).into_owned())
}

fn write_tour_problem(folder: &TempDir, name: &str, seed: u64) -> String {
    let (path, text) = file(folder, name);
    let mut bytes = Vec::new();
    generate(Kind::Uniform, 30, seed).unwrap().write(&mut bytes).unwrap();
    std::fs::write(path, bytes).unwrap();
    text
}

/// Each line of a batch is of another instance of as many cities.
#[test]
fn reports_of_other_instances_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, third] = [1, 2, 3].map(|seed| write_tour_problem(&folder, &format!("v{seed}.tsp"), seed));
    let (_, lines) = file(&folder, "lines.jsonl");
    let (_, best) = file(&folder, "best.tour");
    let batch = ["batch", &first, &second, &third, "--workers", "1", "--output", &lines];
    assert!(myrmex(&[&batch, &RUN[..]].concat()).status.success());
    let merged = myrmex(&["merge", &second, &lines, "-o", &best]);
    assert_eq!(merged.status.code(), Some(2));
    let (found, refused) = told(&merged);
    let places: Vec<&str> = found.lines().map(|line| line.rsplit_once(": ").unwrap().0).collect();
    assert_eq!(places.len(), 2, "{found}");
    assert!(places[0].ends_with("lines.jsonl:2"), "{found}");
    for (line, name) in [(1, "uniform30.s1"), (3, "uniform30.s3")] {
        let why = format!("lines.jsonl:{line}: this report is of '{name}', not of 'uniform30.s2': leave it out\n");
        assert!(refused.contains(&why), "{refused}");
    }
    assert!(myrmex(&["check", &second, &best]).status.success());
}

/// The same of assignments, whose files have no names inside: one that was renamed has its reports all the same.
#[test]
fn reports_of_other_assignments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other, renamed] = ["one.dat", "other.dat", "renamed.dat"].map(|name| file(&folder, name));
    for ((path, _), seed) in [(&one, 1), (&other, 2), (&renamed, 1)] {
        let mut bytes = Vec::new();
        qap::generate(12, seed).unwrap().write(&mut bytes).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let (_, report) = file(&folder, "report.json");
    assert!(myrmex(&[&["solve", &one.1, "--json", &report], &RUN[..]].concat()).status.success());
    assert!(myrmex(&["merge", &renamed.1, &report]).status.success());
    let merged = myrmex(&["merge", &other.1, &report]);
    assert_eq!(merged.status.code(), Some(2));
    let (found, refused) = told(&merged);
    assert!(found.is_empty() && refused.contains("this report is of 'one', not of 'other': leave it out"), "{refused}");
    let checked = myrmex(&["check", &other.1, &report]);
    assert!(complaint(&checked).contains("states a cost of "), "{}", complaint(&checked));
}

#[test]
fn a_solution_that_is_not_as_long_as_it_says_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let problem = write_tour_problem(&folder, "v1.tsp", 1);
    let [good, wrong] = ["good.tour", "wrong.tour"].map(|name| file(&folder, name));
    assert!(myrmex(&[&["solve", &problem, "--solution", &good.1], &RUN[..]].concat()).status.success());
    let text = std::fs::read_to_string(&good.0).unwrap();
    std::fs::write(&wrong.0, text.replacen("COMMENT : Length ", "COMMENT : Length 9", 1)).unwrap();
    let merged = myrmex(&["merge", &problem, &wrong.1, &good.1]);
    assert_eq!(merged.status.code(), Some(2));
    let (found, refused) = told(&merged);
    assert!(found.lines().count() == 2 && found.contains("best: ") && !found.contains("wrong.tour"), "{found}");
    assert!(refused.contains("wrong.tour:1: it states a length of 9"), "{refused}");
}
