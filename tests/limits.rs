//! Time limits count from the start of the process and hold in the set-up too. Interrupts have a file of their own.
#![cfg(all(unix, feature = "cli"))]

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jsonschema::Validator;
use myrmex::Problem;
use myrmex::qap::read_solution;
use myrmex::tsp::read_tour;
use tempfile::TempDir;

#[cfg(target_os = "linux")]
#[path = "limits/held.rs"]
mod held;
#[path = "limits/interrupts.rs"]
mod interrupts;
#[path = "common/program.rs"]
#[expect(dead_code, reason = "not all of it is used here")]
mod program;
use program::file;

/// What a loaded machine may be late by: a program that does not keep its time is late by far more here.
const LATE: Duration = Duration::from_secs(6);
/// What a run may be late by where nothing else runs, in seconds and as a share of its limit, and what an interrupt may take.
const MOST_LATE: f64 = 0.3;
const MOST_LATE_SHARE: f64 = 0.05;
/// Seconds that a byte of the instance takes to be read: before that there is nothing to write. Limits that are shorter end then.
const READ: f64 = 2e-8;
const MOST_AFTER_INTERRUPT: Duration = Duration::from_millis(500);
/// The least of so many tries is judged: other programs run on this machine.
const TRIES: usize = 4;

/// A file of `n` cities under a metric; `all_equal` in one place.
fn cities(folder: &TempDir, metric: &str, n: usize, all_equal: bool) -> String {
    let (path, name) = file(folder, &format!("{metric}{n}{all_equal}.tsp"));
    if path.exists() {
        return name;
    }
    let mut text = format!("NAME: cities\nTYPE: TSP\nDIMENSION: {n}\nEDGE_WEIGHT_TYPE: {metric}\nNODE_COORD_SECTION\n");
    let mut word = 1u64;
    let mut draw = |range: u64| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if all_equal { 5 } else { (word >> 33) % range }
    };
    for city in 1..=n {
        let (x, y) = if metric == "GEO" { (draw(89), draw(179)) } else { (draw(1 << 20), draw(1 << 20)) };
        let z = if metric == "EUC_3D" { draw(1 << 20).to_string() } else { String::new() };
        writeln!(text, "{city} {x} {y} {z}").unwrap();
    }
    std::fs::write(path, text + "EOF\n").unwrap();
    name
}

/// A table of cities that lie where they are placed.
fn crowded(folder: &TempDir, n: usize, place: impl Fn(usize) -> (usize, usize)) -> String {
    let (path, name) = file(folder, &format!("crowded{n}.csv"));
    let rows: String = (0..n).map(place).map(|(x, y)| format!("{x},{y}\n")).collect();
    std::fs::write(path, format!("x,y\n{rows}")).unwrap();
    name
}

fn layout(folder: &TempDir, n: usize) -> String {
    let (path, name) = file(folder, &format!("layout{n}.dat"));
    let made = program::myrmex(&["generate", "layout", &n.to_string(), "-o", &path.display().to_string()]);
    assert!(made.status.success());
    name
}

/// A file with a matrix of whole numbers, of both triangles where it is asymmetric.
fn matrix(folder: &TempDir, kind: &str, n: usize) -> String {
    let (path, name) = file(folder, &format!("matrix{kind}{n}.tsp"));
    let format = if kind == "ATSP" { "FULL_MATRIX" } else { "UPPER_ROW" };
    let mut text = format!(
        "NAME: matrix\nTYPE: {kind}\nDIMENSION: {n}\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {format}\nEDGE_WEIGHT_SECTION\n"
    );
    for row in 0..n {
        let first = if kind == "ATSP" { 0 } else { row + 1 };
        for column in first..n {
            write!(text, "{} ", (row * 7919 + column * 104_729) % 9973).unwrap();
        }
        text.push('\n');
    }
    std::fs::write(path, text + "EOF\n").unwrap();
    name
}

/// By how many seconds a run with a limit may be late.
fn may_be_late(instance: &str, limit: f64) -> f64 {
    let read = READ * std::fs::metadata(instance).unwrap().len() as f64;
    (read - limit).max(0.0) + MOST_LATE + MOST_LATE_SHARE * limit
}

/// Whether a text is that of a whole file: a tour, an assignment for as many facilities as its first line says, or a report.
fn is_whole(text: &str) -> bool {
    let assigned = |text: &str| {
        let mut words = text.split_whitespace();
        let facilities = words.next().and_then(|word| word.parse::<usize>().ok());
        facilities.is_some_and(|facilities| words.count() == facilities + 1)
    };
    text.ends_with("EOF\n") || serde_json::from_str::<serde_json::Value>(text).is_ok() || assigned(text)
}

fn check_solution(problem: &Problem, path: &Path) {
    match problem {
        Problem::Qap(instance) => {
            let stated = read_solution(path, instance).unwrap();
            assert_eq!(stated.cost, instance.length(&stated.permutation).unwrap());
        }
        _ => drop(problem.cost(&read_tour(path, problem.len()).unwrap()).unwrap()),
    }
}

#[test]
fn time_limits_hold_from_the_start_of_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let schema = include_str!("../docs/guide/report.schema.json");
    let validator: Validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let mut runs: Vec<(String, &[&str])> = ["EUC_2D", "EUC_3D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT", "GEO"]
        .map(|metric| (cities(&folder, metric, 20_000, false), &[] as &[&str]))
        .to_vec();
    runs.push((cities(&folder, "EUC_2D", 10, false), &[]));
    runs.push((cities(&folder, "EUC_2D", 200_000, false), &[]));
    runs.push((cities(&folder, "EUC_2D", 50_000, true), &[]));
    runs.push((cities(&folder, "GEO", 20_000, true), &[]));
    let scattered = |city: usize| (city * 7919 % 99_991, city * 31_337 % 99_989);
    let on_a_line = |city| (5, scattered(city).1);
    let half = |city| if city % 2 == 0 { (7, 7) } else { scattered(city) };
    runs.push((crowded(&folder, 20_000, on_a_line), &["--set", "quadrants=2"]));
    runs.push((crowded(&folder, 20_003, half), &[]));
    runs.push((crowded(&folder, 100_000, |city| if city % 5 == 0 { (7, 7) } else { scattered(city) }), &[]));
    runs.push((cities(&folder, "EUC_2D", 6_000, false), &["--algorithm", "mmas"]));
    runs.push((cities(&folder, "EUC_2D", 2_000, false), &["--set", "colonies=256"]));
    runs.push((cities(&folder, "EUC_2D", 200_001, false), &["--start", "7", "--end", "9"]));
    runs.push((cities(&folder, "MAN_2D", 20_001, false), &["--open"]));
    runs.push((layout(&folder, 256), &[]));
    let (solution, solution_name) = file(&folder, "best.tour");
    let (json, json_name) = file(&folder, "report.json");
    for (instance, words) in runs {
        let problem = match Problem::read(&instance).unwrap() {
            Problem::Tsp(instance) if words.contains(&"--start") => {
                Problem::from(instance.open_path(Some(6), Some(8)).unwrap())
            }
            Problem::Tsp(instance) if words.contains(&"--open") => {
                Problem::from(instance.open_path(None, None).unwrap())
            }
            problem => problem,
        };
        for limit in ["0", "0.4"] {
            let started = Instant::now();
            let output = program::myrmex(
                &[&["solve", &instance, "--backend", "cpu", "--time", limit, "--solution", &solution_name], words]
                    .concat()
                    .iter()
                    .chain(&["--json", &json_name])
                    .copied()
                    .collect::<Vec<_>>(),
            );
            let took = started.elapsed();
            assert!(output.status.success(), "{instance}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(took < Duration::from_secs_f64(limit.parse().unwrap()) + LATE, "{instance} {words:?}: {took:?}");
            check_solution(&problem, &solution);
            let report = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
            let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{instance}: {errors:?}");
        }
    }
}

/// Every kind of instance from the smallest to the largest, with the words of runs that suit it.
fn everything(folder: &TempDir) -> Vec<(String, Vec<&'static str>)> {
    let mut all = Vec::new();
    for metric in ["EUC_2D", "CEIL_2D", "GEO", "MAN_2D", "EUC_3D"] {
        for n in [10, 1000, 20_000, 200_000, 1_000_000] {
            all.push((cities(folder, metric, n, false), vec![]));
        }
        all.push((cities(folder, metric, 1000, false), vec!["--algorithm", "mmas"]));
        all.push((cities(folder, metric, 20_000, false), vec!["--algorithm", "mmas"]));
    }
    for n in [10, 1000, 200_000, 1_000_000] {
        all.push((cities(folder, "EUC_2D", n, true), vec![]));
        all.push((cities(folder, "GEO", n, true), vec![]));
    }
    for n in [10, 300, 2000] {
        all.push((matrix(folder, "TSP", n), vec![]));
        all.push((matrix(folder, "ATSP", n), vec![]));
        all.push((matrix(folder, "TSP", n), vec!["--algorithm", "mmas"]));
    }
    for n in [12, 60, 256] {
        all.push((layout(folder, n), vec![]));
        all.push((layout(folder, n), vec!["--algorithm", "mmas"]));
    }
    all
}

/// The CPU and a device; one alone where `MYRMEX_TEST_BACKEND` names it.
fn backends() -> Vec<String> {
    std::env::var("MYRMEX_TEST_BACKEND").map_or_else(|_| vec!["cpu".into(), "wgpu".into()], |name| vec![name])
}

/// Kinds of instances, sizes, algorithms, devices and limits, about half an hour: run it where little else runs. The table on standard
/// output tells for each by how much it was late at least.
#[test]
#[ignore = "takes half an hour"]
fn time_limits_hold_for_everything() {
    let folder = tempfile::tempdir().unwrap();
    let (_, solution) = file(&folder, "best.tour");
    let (_, json) = file(&folder, "report.json");
    let backends = backends();
    let mut late = Vec::new();
    for (instance, words) in everything(&folder) {
        for backend in &backends {
            for limit in ["0", "0.1", "1", "5"] {
                let seconds: f64 = limit.parse().unwrap();
                let options = ["--backend", backend, "--time", limit, "--solution", &solution, "--json", &json];
                let all = [&["solve", &instance], options.as_slice(), &words].concat();
                let mut least = f64::MAX;
                for _ in 0..TRIES {
                    let started = Instant::now();
                    let output = program::myrmex(&all);
                    let over = started.elapsed().as_secs_f64() - seconds;
                    // What the machine has no memory for is refused.
                    let too_large =
                        output.status.code() == Some(2) && program::complaint(&output).contains("too large");
                    assert!(output.status.success() || too_large, "{all:?}: {}", program::complaint(&output));
                    least = least.min(over);
                    if least <= may_be_late(&instance, seconds) {
                        break;
                    }
                }
                let name = Path::new(&instance).file_name().unwrap().display().to_string();
                println!("{name} {} {backend} --time {limit}: {least:+.2} s", words.join(" "));
                if least > may_be_late(&instance, seconds) {
                    late.push((name, words.clone(), backend, limit, least));
                }
            }
        }
    }
    assert!(late.is_empty(), "{late:#?}");
}
