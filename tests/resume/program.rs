//! The same on the command line.

use std::process::Output;

use serde_json::Value;

use super::*;
use crate::common::FAR_LESS;
use crate::common::program::{complaint, file, instance, myrmex, stdout};

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&stdout(output)).unwrap()
}

fn solve(words: &[&str]) -> Output {
    let uniform = instance("uniform200.tsp");
    myrmex(&[&["solve", &uniform, "--backend", "cpu", "--quiet", "--json", "-"], words].concat())
}

#[test]
fn a_run_is_kept_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = file(&folder, "run.ckpt");
    let system = ["--set", "population=8", "--seed", "5"];
    let whole = report(&solve(&[&system[..], &["--iterations", "90"]].concat()));
    report(&solve(&[&system[..], &["--iterations", "40", "--checkpoint", &kept]].concat()));
    let resumed = report(&solve(&["--resume", &kept, "--iterations", "90", "--checkpoint", &kept]));
    assert_eq!((&resumed["tour"], &resumed["cost"]), (&whole["tour"], &whole["cost"]));
    assert_eq!((&resumed["recipe"], &resumed["seed"]), (&whole["recipe"], &whole["seed"]));
    assert_eq!(resumed["resumed"]["iteration"], 40);
    assert!(resumed["seconds"].as_f64() > resumed["resumed"]["seconds"].as_f64());
    let told = |report: &Value| -> Vec<Value> {
        let phases = report["phases"].as_array().unwrap().iter();
        phases
            .flat_map(|it| ["algorithm", "parameters", "iterations", "cost_end", "ended"].map(|key| it[key].clone()))
            .collect()
    };
    assert_eq!(told(&resumed), told(&whole));
    assert_eq!(Checkpoint::read(&path).unwrap().iterations(), 90);
    // What says the same is no contradiction.
    report(&solve(&[
        "--resume",
        &kept,
        "--iterations",
        "91",
        "--set",
        "population=8",
        "--seed",
        "5",
        "--algorithm",
        "lk-eax",
    ]));
}

#[test]
fn what_contradicts_a_checkpoint_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = file(&folder, "run.ckpt");
    report(&solve(&["--iterations", "3", "--checkpoint", &kept]));
    let (damaged, damaged_name) = file(&folder, "damaged.ckpt");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[99] ^= 1;
    std::fs::write(damaged, bytes).unwrap();
    let (_, missing) = file(&folder, "missing.ckpt");
    let (first, foreign) = (instance("uniform200.tsp"), instance("uniform1000.tsp"));
    for (words, says) in [
        (
            &["--resume", &kept, "--algorithm", "mmas"][..],
            "goes on with what it began with, which was 'lk-eax', not 'mmas'",
        ),
        (
            &["--resume", &kept, "--set", "population=9"],
            "population: a run that is resumed goes on with what it began with, which was '",
        ),
        (&["--resume", &kept, "--seed", "2"], "which was '1', not '2'"),
        (&["--resume", &kept, "--effort", "large"], "which was 'standard', not 'large'"),
        (&["--resume", &kept, "--preset", "amp-a"], "preset"),
        (&["--resume", &kept, "--runs", "2"], "--resume is of one run"),
        (&["--runs", "2", "--checkpoint", &kept], "--checkpoint is of one run"),
        (&["--resume", &damaged_name], "damaged.ckpt: the checkpoint is damaged"),
        (&["--resume", &missing], "missing.ckpt"),
        (&["--resume", &first], "no checkpoint of myrmex"),
        (&["--checkpoint", "-"], "name one"),
        (&["--checkpoint", &first], "would overwrite the instance"),
    ] {
        let output = solve(&[words, &["--iterations", "4"]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
    }
    let output = myrmex(&["solve", &foreign, "--backend", "cpu", "--resume", &kept, "--iterations", "4"]);
    assert!(output.status.code() == Some(2) && complaint(&output).contains("it is of another instance"));
    assert!(!myrmex(&["solve", &first, "--every", "5s", "--iterations", "1"]).status.success());
}

/// The same words again would lose what a checkpoint holds.
#[test]
fn a_checkpoint_is_not_replaced_by_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = file(&folder, "run.ckpt");
    let system = ["--set", "population=8", "--iterations", "12", "--checkpoint", &kept];
    report(&solve(&system));
    let before = std::fs::read(&path).unwrap();
    let other = instance("circle150.tsp");
    let again = |words: &[&str]| {
        let output = solve(&[&system[..], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        complaint(&output)
    };
    assert!(again(&[]).ends_with(&format!(
        "run.ckpt: the file holds a run of this instance after iteration 12, which would be lost; add --resume {kept} to go on with it, or \
         remove the file to begin again"
    )));
    let (_, copy) = file(&folder, "copy.ckpt");
    std::fs::copy(&path, &copy).unwrap();
    assert!(again(&["--resume", &copy]).ends_with("name another file, or remove this one"));
    let foreign = myrmex(&["solve", &other, "--backend", "cpu", "--iterations", "1", "--checkpoint", &kept]);
    assert!(complaint(&foreign).contains("a run of another instance, 'uniform200.s1'"), "{}", complaint(&foreign));
    let (alike_path, alike) = file(&folder, "alike.tsp");
    let text = std::fs::read_to_string(&other).unwrap();
    std::fs::write(alike_path, text.replacen("circle150.s1", "uniform200.s1", 1)).unwrap();
    let foreign = myrmex(&["solve", &alike, "--backend", "cpu", "--iterations", "1", "--checkpoint", &kept]);
    assert!(complaint(&foreign).contains("that is called 'uniform200.s1', too"), "{}", complaint(&foreign));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Of another version it is one all the same; what is none is left alone, too, but for a file that is empty.
    std::fs::write(&path, [&before[..8], &[9; 40]].concat()).unwrap();
    assert!(again(&[]).contains("cannot read"));
    std::fs::write(&path, "notes").unwrap();
    assert!(again(&[]).contains("the file holds no checkpoint, which would be lost"));
    std::fs::write(&path, "").unwrap();
    report(&solve(&system));
    assert_eq!(Checkpoint::read(&path).unwrap().iterations(), 12);
}

/// A run that has made all its iterations already says so.
#[test]
fn a_resumed_run_without_anything_to_do_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (_, kept) = file(&folder, "run.ckpt");
    report(&solve(&["--iterations", "12", "--checkpoint", &kept]));
    let uniform = instance("uniform200.tsp");
    let told = |iterations| {
        let words = ["solve", &uniform, "--backend", "cpu", "--resume", &kept, "--iterations", iterations];
        stdout(&myrmex(&words))
    };
    let all = told("9");
    assert!(all.contains("the checkpoint is of iteration 12, and --iterations 9 counts those before, too"), "{all}");
    assert!(!told("13").contains("nothing was left to do"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = file(&folder, "run.ckpt");
    let system = ["--algorithm", "mmas", "--set", "ants=60", "--set", "local_search=lk"];
    let first = instance("uniform1000.tsp");
    let words = [
        &["solve", &first, "--backend", "cpu", "--time", "100", "--checkpoint", &kept, "--every", "50ms"][..],
        &system,
    ]
    .concat();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_myrmex"));
    let mut child =
        command.args(words).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !path.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let sent = Instant::now();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(sent.elapsed() < FAR_LESS, "{:?}", sent.elapsed());
    let before = Checkpoint::read(&path).unwrap().iterations();
    let count = (before + 2).to_string();
    let run = |words: &[&str]| {
        let words =
            [&["solve", &first, "--backend", "cpu", "--quiet", "--json", "-", "--iterations", &count][..], words]
                .concat();
        report(&myrmex(&words))
    };
    let (resumed, whole) = (run(&["--resume", &kept]), run(&system));
    assert_eq!((&resumed["tour"], &resumed["resumed"]["iteration"]), (&whole["tour"], &Value::from(before)));
}
