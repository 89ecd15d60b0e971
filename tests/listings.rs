//! What the program tells: plans, parameters, presets, devices, timings, completions; and the instances that it makes.

use std::process::Command;

use crate::common;
use crate::common::compositions;
use crate::common::program::{complaint, file, instance, myrmex, stdout};
use myrmex::tsp::Kind;
use myrmex::{Effort, Plan, Problem};
use serde_json::Value;

#[test]
fn kernels_are_timed() {
    let folder = tempfile::tempdir().unwrap();
    let (csv_path, csv) = file(&folder, "bench.csv");
    let output = myrmex(&["bench", "--quick", "--backend", "cpu", "--csv", &csv]);
    let printed = stdout(&output);
    assert!(printed.starts_with("CPU") && printed.contains("| lists | uniform200.s1 | 32 | construct |"), "{printed}");
    let lines: Vec<String> = std::fs::read_to_string(csv_path).unwrap().lines().map(str::to_owned).collect();
    let columns = lines[0].split(',').count();
    assert!(lines.len() > 10 && lines.iter().all(|line| line.split(',').count() == columns), "{lines:?}");
    // Medians lie between quartiles, and something takes time.
    let numbers = |line: &str| line.split(',').skip(5).take(3).map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = lines[1..].iter().map(|line| numbers(line)).collect();
    assert!(rows.iter().all(|row| row[1] <= row[0] && row[0] <= row[2]) && rows.iter().any(|row| row[0] > 0.0));
}

#[test]
fn devices_are_listed() {
    let output = myrmex(&["devices", "--json"]);
    let list: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(!list.as_array().unwrap().is_empty(), "the tests need a driver");
    assert_eq!((&list[0]["index"], &list[0]["word"]), (&0.into(), &"wgpu:0".into()));
    assert!(stdout(&myrmex(&["devices"])).starts_with("wgpu:0: "));
}

#[test]
fn generated_files_are_those_in_the_repository() {
    for (kind, n) in [
        ("uniform", "200"),
        ("uniform", "1000"),
        ("clustered", "1000"),
        ("lattice", "400"),
        ("circle", "150"),
        ("layout", "40"),
    ] {
        let output = myrmex(&["generate", kind, n, "--seed", "1", "-o", "-"]);
        let extension = if kind == "layout" { "dat" } else { "tsp" };
        let committed = std::fs::read_to_string(instance(&format!("{kind}{n}.{extension}"))).unwrap();
        assert!(stdout(&output) == committed, "{kind} {n}");
    }
    // A table has the same places.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.csv");
    assert!(myrmex(&["generate", "clustered", "1000", "--seed", "1", "-o", path.to_str().unwrap()]).status.success());
    let read = |path: &std::path::Path| myrmex::tsp::Instance::read(path).unwrap().points().to_vec();
    assert_eq!(read(&path), read(instance("clustered1000.tsp").as_ref()));
}

#[test]
fn presets_are_listed_and_solve() {
    let text = stdout(&myrmex(&["presets"]));
    for preset in myrmex::PRESETS {
        assert!(text.contains(preset.name) && text.contains(preset.source), "{}", preset.name);
    }
    let listed: Value = serde_json::from_str(&stdout(&myrmex(&["presets", "--json"]))).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), myrmex::PRESETS.len());
    let input = instance("circle150.tsp");
    let preset = ["--preset", "as-fine-atomic", "--set", "ants=20", "--iterations", "5", "--json", "-"];
    let output = myrmex(&[&["solve", &input, "--backend", "cpu"] as &[&str], &preset].concat());
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&json["recipe"]["algorithm"], &json["preset"]), (&"as".into(), &"as-fine-atomic".into()));
    let phase = &json["phases"][0];
    assert_eq!((&phase["parameters"]["selection"], &phase["population"]), (&"rwm".into(), &20.into()));
    let wrong = myrmex(&["solve", &input, "--preset", "as-fines"]);
    assert!(!wrong.status.success());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("presets are as-coarse, "));
}

/// Of each preset all that its parameters are is told, and how it asks a device to run.
#[test]
fn parameters_of_presets_are_listed() {
    for preset in myrmex::PRESETS {
        let listed: Value = serde_json::from_str(&stdout(&myrmex(&["parameters", preset.name, "--json"]))).unwrap();
        let rows: Vec<&Value> =
            listed.as_array().unwrap().iter().flat_map(|group| group["parameters"].as_array().unwrap()).collect();
        let size = if preset.is_for_assignments() { 40 } else { 1000 };
        let settings = preset.settings(size);
        for (name, value) in settings.given() {
            let row = rows.iter().find(|row| row["name"] == *name).unwrap_or_else(|| panic!("{} {name}", preset.name));
            assert_eq!(row["default"], serde_json::to_value(value).unwrap(), "{} {name}", preset.name);
        }
    }
    let text = stdout(&myrmex(&["parameters", "as-coarse"]));
    assert!(
        text.starts_with("--preset as-coarse: Ant System") && text.contains("  strategy           coarse"),
        "{text}"
    );
}

/// Whatever runs is told phase by phase, with its parameters, why sizes are what they are, and its memory.
#[test]
fn plans_tell_phases_parameters_reasons_and_memory() {
    let input = instance("clustered1000.tsp");
    let plan = |rest: &[&str]| stdout(&myrmex(&[&["plan", &input, "--backend", "cpu"], rest].concat()));
    let text = stdout(&myrmex(&["plan", &input, "--backend", "wgpu", "--preset", "mmas-wrs-ct"]));
    for word in ["weights", "MiB", "preset mmas-wrs-ct (mmas, 1000 ants), effort "] {
        assert!(text.contains(word), "'{word}' is not in\n{text}");
    }
    let row = |name: &str| text.lines().map(str::trim).find(|line| line.starts_with(name)).unwrap_or_default();
    let visited: Vec<&str> = row("visited ").split_whitespace().collect();
    assert_eq!(visited, ["visited", "ct", "asked", "for"], "{text}");
    // What is not as the paper has it is told.
    let text = plan(&["--preset", "mmas-rwm-lc", "--set", "ants=20"]);
    assert!(text.contains("preset mmas-rwm-lc (mmas, 20 ants), with ants=20, effort "), "{text}");
    let why = |name: &str| {
        let row = text.lines().map(str::trim).find(|line| line.starts_with(name)).unwrap_or_default();
        row.split_whitespace().skip(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(["ants ", "evaporation ", "alpha "].map(why), ["asked for", "of the preset", ""], "{text}");
    let text = plan(&["--set", "population=128"]);
    for word in [
        "algorithm lk-eax, effort small, seed 1",
        "phase 1: lk, windowed Lin-Kernighan search",
        "phase 2: population",
        "phase 3: eax, edge assembly crossover by single AB-cycles",
        "phase 4: eax, edge assembly crossover by blocks",
        "then again from phase 2",
    ] {
        assert!(text.contains(word), "'{word}' is not in\n{text}");
    }
    // What the CPU has no choice in has no heading.
    let assignments = stdout(&myrmex(&["plan", &instance("layout40.dat"), "--backend", "cpu"]));
    let heading = assignments.lines().position(|line| line.contains("chosen for this device"));
    assert!(
        heading.is_none_or(|at| assignments.lines().nth(at + 1).is_some_and(|line| line.starts_with("    "))),
        "{assignments}"
    );
    let population = text.lines().find(|line| line.trim().starts_with("population ")).unwrap();
    assert!(population.contains("128") && population.contains("asked for"), "{population}");
    // Each algorithm is told as what it is.
    for algorithm in myrmex::Algorithm::NAMES.iter().filter(|name| !matches!(**name, "auto" | "cas" | "memetic")) {
        let text = plan(&["--algorithm", algorithm]);
        assert!(text.contains(&format!("algorithm {algorithm},")), "{text}");
    }
    let plan: Value = serde_json::from_str(&plan(&["--json"])).unwrap();
    assert_eq!((&plan["n"], &plan["recipe"]["algorithm"]), (&1000.into(), &"lk-eax".into()));
    assert_eq!(plan["recipe"]["phases"].as_array().unwrap().len(), 4);
    assert_eq!(plan["plans"][0]["cities"], 1000);
}

/// Each choice that a device is made for has its reason, or was asked for.
#[test]
fn choices_are_told_with_their_reasons() {
    let shape = Problem::from(common::made(Kind::Uniform, 100, 1)).shape();
    let choices = |line: &str| {
        let recipe = common::settings(line).recipe_for_shape(&shape, Effort::Standard).unwrap();
        let plan = Plan::new(&shape, 1 << 20, &recipe.phases[0].system, &compositions::software(None, 64)).unwrap();
        let told = plan.choices().into_iter().map(|choice| (choice.name, choice.value, choice.reason));
        told.filter(|(name, ..)| ["strategy", "visited", "lanes"].contains(name)).collect::<Vec<_>>()
    };
    let of = |name, choice: &str, why| (name, choice.to_owned(), why);
    let asked = "asked for";
    assert_eq!(
        choices("mmas strategy=fine visited=ct lanes=16"),
        [of("strategy", "fine", asked), of("visited", "ct", asked), of("lanes", "16", asked)]
    );
    assert_eq!(
        choices("mmas"),
        [
            of("strategy", "fine", "ants are fewer than invocations, and a row is read by neighbouring lanes"),
            of("visited", "bt", "candidate lists ask for single cities: the smallest memory wins"),
            of("lanes", "8", "one candidate list at a time"),
        ]
    );
}

/// Parameters are listed with all that one has to know.
#[test]
fn parameters_are_listed() {
    let text = stdout(&myrmex(&["parameters"]));
    let listed: Value = serde_json::from_str(&stdout(&myrmex(&["parameters", "--json"]))).unwrap();
    for name in myrmex::Algorithm::NAMES {
        assert!(text.contains(&format!("\n{name}: ")), "{name}");
        let algorithm = myrmex::Algorithm::named(name).unwrap();
        let group = listed.as_array().unwrap().iter().find(|group| group["name"] == *name).unwrap();
        let rows = group["parameters"].as_array().unwrap();
        assert_eq!(rows.len(), algorithm.parameters().len());
        for (row, parameter) in rows.iter().zip(algorithm.parameters()) {
            assert_eq!(row["name"], parameter.name);
            assert!(row["range"].as_str().is_some_and(|range| !range.is_empty()));
            assert!(row["source"].as_str().is_some_and(|source| !source.is_empty()));
        }
    }
    // A parameter is explained for each algorithm that has it.
    for name in ["window_size", "window-size"] {
        let text = stdout(&myrmex(&["parameters", name]));
        assert!(text.contains("\nlk: ") && text.contains("\nlk-eax: ") && !text.contains("\neax: "), "{text}");
        assert_eq!(text.matches("  window_size ").count(), 2, "{text}");
    }
    assert!(stdout(&myrmex(&["parameters", "colonies"])).contains("  colonies "));
    assert!(complaint(&myrmex(&["parameters", "colonis"])).contains("--help"));
    let one = stdout(&myrmex(&["parameters", "eax"]));
    assert!(one.contains("population") && !one.contains("window_size"), "{one}");
}

/// Completions name the commands and options that there are; the manual page too.
#[test]
fn completions_and_the_manual_page_are_made() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = stdout(&myrmex(&["completions", shell]));
        assert!(text.contains("settings") && text.contains("parameters"), "{shell}");
    }
    assert!(stdout(&myrmex(&["man"])).contains(".TH myrmex 1"));
    let solve = stdout(&myrmex(&["man", "solve"]));
    assert!(solve.contains(".TH myrmex-solve 1") && solve.contains("stagnation"), "{solve}");
    assert!(complaint(&myrmex(&["man", "sole"])).contains("there is no command 'sole'"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["plan", &instance("circle150.tsp"), "--backend", "cpu"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    assert_eq!(output.status.code(), Some(0));
}

/// The wheel and the C library have the version of the crate.
#[test]
fn packages_have_one_version() {
    for package in ["python", "capi"] {
        let manifest =
            std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("Cargo.toml"))
                .unwrap();
        let version = manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap();
        assert_eq!(version.trim_matches('"'), env!("CARGO_PKG_VERSION"), "{package}");
    }
}
