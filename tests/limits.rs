//! Time limits count from the start of the process and hold in the set-up too; interrupts end a run at once, and leave outputs whole.
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

#[path = "common/program.rs"]
#[expect(dead_code, reason = "not all of it is used here")]
mod program;
use program::file;

/// What a loaded machine may be late by: a program that does not keep its time is late by far more here.
const LATE: Duration = Duration::from_secs(6);

/// A file of `n` cities under a metric; `all_equal` in one place.
fn cities(folder: &TempDir, metric: &str, n: usize, all_equal: bool) -> String {
    let (path, name) = file(folder, &format!("{metric}{n}{all_equal}.tsp"));
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

fn layout(folder: &TempDir, n: usize) -> String {
    let (path, name) = file(folder, &format!("layout{n}.dat"));
    let made = program::myrmex(&["generate", "layout", &n.to_string(), "-o", &path.display().to_string()]);
    assert!(made.status.success());
    name
}

fn check_solution(problem: &Problem, path: &Path) {
    match problem {
        Problem::Qap(instance) => {
            let stated = read_solution(path, instance).unwrap();
            assert_eq!(stated.cost, instance.cost(&stated.permutation).unwrap());
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

fn started(words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_myrmex")).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Sends a signal; the exit code, and how long the program took from then on.
fn killed(mut child: Child, signal: &str) -> (Option<i32>, Duration) {
    let sent = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let code = child.wait().unwrap().code();
    (code, sent.elapsed())
}

#[test]
fn interrupts_end_a_run_at_any_moment_and_leave_outputs_whole() {
    let folder = tempfile::tempdir().unwrap();
    let runs =
        [cities(&folder, "MAN_2D", 15_000, false), cities(&folder, "EUC_2D", 50_000, false), layout(&folder, 128)];
    let (solution, name) = file(&folder, "best.tour");
    for instance in runs {
        let problem = Problem::read(&instance).unwrap();
        for (moment, signal) in [(150, "-INT"), (230, "-TERM"), (400, "-INT"), (700, "-TERM"), (1500, "-INT")] {
            std::fs::write(&solution, "before").unwrap();
            let child = started(&["solve", &instance, "--backend", "cpu", "--time", "100", "--solution", &name]);
            std::thread::sleep(Duration::from_millis(moment));
            let (code, took) = killed(child, signal);
            assert_eq!(code, Some(130), "{instance} after {moment} ms");
            assert!(took < LATE, "{instance} after {moment} ms: {took:?}");
            if std::fs::read_to_string(&solution).unwrap() != "before" {
                check_solution(&problem, &solution);
            }
        }
    }
}

#[test]
fn an_interrupt_in_the_last_of_several_runs_leaves_what_all_have_found() {
    let folder = tempfile::tempdir().unwrap();
    let instance = cities(&folder, "EUC_2D", 2000, false);
    let problem = Problem::read(&instance).unwrap();
    let ((solution, name), (json, json_name)) = (file(&folder, "best.tour"), file(&folder, "reports.json"));
    let outputs = ["--solution", &name, "--json", &json_name];
    let words = ["solve", &instance, "--backend", "cpu", "--runs", "1000", "--time", "0.3"];
    let child = started(&[&words, outputs.as_slice()].concat());
    std::thread::sleep(Duration::from_millis(2500));
    let (code, took) = killed(child, "-INT");
    assert_eq!(code, Some(130));
    assert!(took < LATE, "{took:?}");
    check_solution(&problem, &solution);
    let found = problem.cost(&read_tour(&solution, problem.len()).unwrap()).unwrap();
    let text = std::fs::read_to_string(&json).unwrap();
    let reports: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(reports.len() > 1, "{} runs", reports.len());
    assert_eq!(reports.iter().map(|report| report["cost"].as_u64().unwrap()).min(), Some(found));
}

#[test]
fn an_output_that_nobody_reads_is_given_up_at_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, name) = file(&folder, "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let instance = cities(&folder, "EUC_2D", 50, false);
    let child = started(&["solve", &instance, "--backend", "cpu", "--iterations", "1", "--solution", &name]);
    std::thread::sleep(Duration::from_millis(1000));
    let (code, took) = killed(child, "-TERM");
    assert_eq!(code, Some(130));
    assert!(took < LATE, "{took:?}");
}
