//! Time limits count from the start of the process and hold in the set-up too; interrupts end a run at once, and leave outputs whole.
#![cfg(all(unix, feature = "cli"))]

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jsonschema::Validator;
use myrmex::qap::read_solution;
use myrmex::tsp::read_tour;
use myrmex::{Checkpoint, Problem};
use tempfile::TempDir;

#[cfg(target_os = "linux")]
#[path = "limits/held.rs"]
mod held;
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
        let mut written = 0;
        for (moment, signal) in [(150, "-INT"), (230, "-TERM"), (400, "-INT"), (700, "-TERM"), (1500, "-INT")] {
            std::fs::write(&solution, "before").unwrap();
            let child = started(&["solve", &instance, "--backend", "cpu", "--time", "100", "--solution", &name]);
            std::thread::sleep(Duration::from_millis(moment));
            let (code, took) = killed(child, signal);
            // A program that has hardly begun ends by the signal itself.
            assert!(code == Some(130) || (code.is_none() && moment < 200), "{instance} after {moment} ms: {code:?}");
            assert!(took < LATE, "{instance} after {moment} ms: {took:?}");
            if std::fs::read_to_string(&solution).unwrap() != "before" {
                check_solution(&problem, &solution);
                written += 1;
            }
        }
        assert!(written > 0, "{instance}: no run left its solution");
    }
}

/// An interrupted run says how to go on with it.
#[test]
fn what_an_interrupt_has_kept_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let instance = cities(&folder, "EUC_2D", 2000, false);
    let (path, kept) = file(&folder, "run.ckpt");
    let words = ["solve", &instance, "--backend", "cpu", "--time", "100", "--checkpoint", &kept];
    let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
    let child = program.args(words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let iterations = Checkpoint::read(&path).unwrap().iterations();
    let last = format!("{kept} has the run after iteration {iterations}: --resume {kept} goes on with it\n");
    assert!(output.status.code() == Some(130) && told.ends_with(&last), "{told}");
}

/// `timeout` sends a signal to the program and one to its group.
#[test]
fn signals_that_come_together_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let instance = cities(&folder, "EUC_2D", 2000, false);
    let problem = Problem::read(&instance).unwrap();
    let (solution, name) = file(&folder, "best.tour");
    for signal in ["-TERM", "-INT"] {
        std::fs::remove_file(&solution).ok();
        let mut child = started(&["solve", &instance, "--backend", "cpu", "--time", "100", "--solution", &name]);
        std::thread::sleep(Duration::from_millis(1000));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        check_solution(&problem, &solution);
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
    let words = [&words, outputs.as_slice()].concat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let table = child.stdout.take().unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    let (code, took) = killed(child, "-INT");
    assert_eq!(code, Some(130));
    assert!(took < LATE, "{took:?}");
    let table = std::io::read_to_string(table).unwrap();
    assert!(table.contains("  interrupted in run ") && table.contains(" of 1000\n"), "{table}");
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

/// Milliseconds that a share of the tries stayed within.
fn within(took: &[Duration], percent: usize) -> u128 {
    took.get((took.len() * percent).div_ceil(100).max(1) - 1).map_or(0, Duration::as_millis)
}

/// The same of interrupts, at 200 moments of runs drawn by chance, half of them in the first quarter of a second. At the end it tells how long
/// the program took, of all first tries.
#[test]
#[ignore = "takes ten minutes"]
fn interrupts_end_everything_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = ["best.tour", "report.json", "run.checkpoint"].map(|name| file(&folder, name));
    let [(_, solution), (_, json), (kept, checkpoint)] = &outputs;
    let (all, backends) = (everything(&folder), backends());
    let mut word = 1u64;
    let mut draw = |range: usize| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 33) as usize % range
    };
    let (mut late, mut interrupted, mut first_tries) = (Vec::new(), 0, Vec::new());
    while interrupted < 200 {
        let (instance, words) = &all[draw(all.len())];
        let backend = &backends[draw(backends.len())];
        let early = draw(2) == 0;
        let moment = Duration::from_millis(draw(if early { 250 } else { 3000 }) as u64);
        let signal = ["-INT", "-TERM"][draw(2)];
        let options = ["--backend", backend, "--time", "100", "--solution", solution, "--json", json];
        let checkpoints = ["--checkpoint", checkpoint, "--every", "0.5"];
        let all = [&["solve", instance], options.as_slice(), &checkpoints, words].concat();
        let mut least = Duration::MAX;
        for attempt in 0..TRIES {
            for (path, _) in &outputs {
                // A file that is no checkpoint would not be replaced by one.
                match path == kept {
                    true => drop(std::fs::remove_file(path)),
                    false => std::fs::write(path, "before").unwrap(),
                }
            }
            let mut child = started(&all);
            std::thread::sleep(moment);
            if let Some(status) = child.try_wait().unwrap() {
                // Refused or all solutions tried.
                assert!(matches!(status.code(), Some(0 | 2)), "{all:?}");
                least = Duration::ZERO;
                break;
            }
            let (code, took) = killed(child, signal);
            // What was refused has ended by itself, and is refused without a signal, too.
            if code == Some(2) && program::myrmex(&all).status.code() == Some(2) {
                least = Duration::ZERO;
                break;
            }
            // Before the program listens the signal itself ends it.
            assert!(
                code == Some(130) || (code.is_none() && moment < Duration::from_millis(100)),
                "{all:?} at {moment:?}: {code:?}"
            );
            for (path, name) in &outputs {
                let whole = match path == kept {
                    true => !path.exists() || Checkpoint::read(path).is_ok(),
                    false => {
                        let bytes = std::fs::read(path).unwrap();
                        bytes == b"before" || is_whole(&String::from_utf8_lossy(&bytes))
                    }
                };
                assert!(whole, "{all:?} at {moment:?}: {name}");
            }
            least = least.min(took);
            if attempt == 0 {
                first_tries.push((backend, early, took));
            }
            if least <= MOST_AFTER_INTERRUPT {
                break;
            }
        }
        interrupted += 1;
        let name = Path::new(instance).file_name().unwrap().display().to_string();
        println!("{name} {} {backend} {signal} at {moment:?}: {least:?}", words.join(" "));
        if least > MOST_AFTER_INTERRUPT {
            late.push((name, words.clone(), backend, signal, moment, least));
        }
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("milliseconds of first tries, load {}", load.trim());
    for (backend, early) in backends.iter().flat_map(|backend| [(backend, true), (backend, false)]) {
        let took = first_tries.iter().filter(|(of, at, _)| (*of, *at) == (backend, early));
        let mut took: Vec<Duration> = took.map(|(.., took)| *took).collect();
        took.sort_unstable();
        let [half, most, all] = [50, 90, 100].map(|percent| within(&took, percent));
        let when = if early { "within 250 ms" } else { "within 3 s" };
        println!("{backend}, {when}: {} signals, half in {half}, nine tenths in {most}, all in {all}", took.len());
    }
    // Most of them were under way.
    assert!(first_tries.len() >= 150, "{} of 200 runs had begun and gone on", first_tries.len());
    assert!(late.is_empty(), "{late:#?}");
}
