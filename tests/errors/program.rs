//! A device that is lost, a fault of the program itself, too little memory: what the program tells, writes and ends with.

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::program::{complaint, file, instance, myrmex, stdout};

/// A run with a fault behind its set-up: `device` loses the device, another word is a fault of the program.
fn run(fault: &str, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["solve", &instance("uniform200.tsp")])
        .args(words)
        .envs([("MYRMEX_TEST_FAULT", fault), ("RUST_BACKTRACE", "0")])
        .output()
        .unwrap()
}

/// Few kernels, which the run never gets to.
const ON_GPU: [&str; 8] = ["--backend", "wgpu", "--algorithm", "lk", "--set", "windows=4", "--iterations", "3"];

#[test]
fn a_run_that_loses_its_device_ends_with_code_3_and_the_best_solution() {
    let folder = tempfile::tempdir().unwrap();
    let (_, tour) = file(&folder, "best.tour");
    let output = run("device", &[&ON_GPU[..], &["--solution", &tour, "--json", "-"]].concat());
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    let kept = "the device was lost; start again, or run on the CPU; the best solution known before that was kept";
    assert!(told.starts_with("myrmex: ") && told.ends_with(kept), "{told}");
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&report["ended"], &report["backend"]), (&"failed".into(), &"wgpu".into()));
    let why = report["warnings"][0].as_str().unwrap_or_default();
    assert!(why.ends_with("the device was lost; start again, or run on the CPU"), "{why}");
    let checked = myrmex(&["check", &instance("uniform200.tsp"), &tour]);
    assert!(stdout(&checked).ends_with(&format!("cost {}\n", report["cost"])), "{}", complaint(&checked));
}

#[test]
fn a_run_that_loses_its_device_goes_on_on_the_cpu_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (report, json) = file(&folder, "report.json");
    let output = run("device", &[&ON_GPU[..], &["--on-device-lost", "cpu", "--json", &json]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(told.matches("myrmex: the device failed, the run goes on on the CPU\n").count(), 1, "{told}");
    let summary = stdout(&output);
    assert!(
        summary.contains(" failed after iteration 0 (") && summary.contains("); the CPU did the rest\n"),
        "{summary}"
    );
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    let found = (&report["ended"], &report["backend"], &report["iterations"], &report["device_lost"]["backend"]);
    assert_eq!(found, (&"iterations".into(), &"cpu".into(), &3.into(), &"wgpu".into()));
}

#[test]
fn a_fault_of_the_program_is_told_and_leaves_the_best_solution() {
    let folder = tempfile::tempdir().unwrap();
    let (_, tour) = file(&folder, "best.tour");
    let output = run("program", &["--backend", "cpu", "--iterations", "1000000", "--solution", &tour]);
    let told = complaint(&output);
    assert_eq!(output.status.code(), Some(101), "{told}");
    assert!(told.contains("a fault of the program itself: a test asks for it") && !told.contains("panicked"), "{told}");
    assert!(stdout(&output).contains("a fault ended the run"), "{}", stdout(&output));
    let checked = myrmex(&["check", &instance("uniform200.tsp"), &tour]);
    assert!(checked.status.success(), "{}", complaint(&checked));
}

/// Also what is found out late: a city that the instance does not have, a device that the machine does not have.
#[test]
fn what_is_wrong_with_an_option_is_told_with_the_option() {
    let input = instance("uniform200.tsp");
    for (words, told) in [
        (&["solve", &input, "--start", "0"][..], "--start: there is no city '0'"),
        (&["solve", &input, "--start", "1", "--end", "201"], "--end: there is no city '201'"),
        (&["solve", &input, "--device", "nowhere"], "no usable GPU: --device nowhere: "),
        (&["solve", &input, "--runs", "2", "--device", "nowhere"], "no usable GPU: --device nowhere: "),
        (&["solve", &input, "--backend", "wgpu", "--device", "nowhere"], ": --backend wgpu --device nowhere: "),
        (&["plan", &input, "--devices", "wgpu:nowhere,cpu"], "no usable GPU: --devices wgpu:nowhere,cpu: "),
        (&["batch", &input, "--device", "nowhere"], "no usable GPU: --device nowhere: "),
        (&["bench", "--device", "nowhere"], "no usable GPU: --device nowhere: "),
    ] {
        let refused = myrmex(words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(complaint(&refused).contains(told), "{words:?}: {}", complaint(&refused));
    }
}

#[test]
fn what_does_not_fit_into_memory_is_refused_with_numbers_before_it_is_allocated() {
    use std::fmt::Write;
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = file(&folder, "axes.tsp");
    let mut text =
        String::from("NAME: axes\nTYPE: TSP\nDIMENSION: 400000\nEDGE_WEIGHT_TYPE: MAN_2D\nNODE_COORD_SECTION\n");
    for city in 1..=400_000u64 {
        writeln!(text, "{city} {}.3 {}.25", city * 7919 % 100_003, city * 104_729 % 100_019).unwrap();
    }
    std::fs::write(path, text + "EOF\n").unwrap();
    // A matrix of 640 GB, which decimals take there.
    for command in [&["plan", &name, "--backend", "cpu"][..], &["solve", &name, "--backend", "cpu", "--time", "60"]] {
        let output = myrmex(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let told = complaint(&output);
        assert!(told.contains("too large") && told.contains("400000 cities") && told.contains("MiB"), "{told}");
    }
    // Of 256 colonies each would fit.
    let colonies =
        ["--set", "colonies=256", "--set", "ants=16384", "--algorithm", "mmas", "--set", "local_search=none"];
    let (path, name) = file(&folder, "plane.tsp");
    let made = myrmex(&["generate", "uniform", "20000", "-o", &path.display().to_string()]);
    assert!(made.status.success());
    let output = myrmex(&[&["plan", &name, "--backend", "cpu"][..], &colonies].concat());
    let told = complaint(&output);
    assert!(output.status.code() == Some(2) && told.contains("256 colonies"), "{told}");
}
