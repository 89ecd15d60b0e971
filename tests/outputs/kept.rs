//! What a file held stays until there is a whole one to take its place: on a full disk, when the program is killed, beside other processes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use myrmex::Problem;
use myrmex::tsp::read_tour;

use crate::common::program::{complaint, file, instance, myrmex};

/// Files whose places no run has taken.
fn left_over(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".myrmex-")).count()
}

fn begun(words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_myrmex")).args(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// An output that is another name of the instance's file does not change the instance.
#[test]
fn a_hard_link_to_the_instance_leaves_the_instance() {
    let folder = tempfile::tempdir().unwrap();
    let ((path, input), (link, output)) = (file(&folder, "in.tsp"), file(&folder, "link.tour"));
    std::fs::copy(instance("uniform200.tsp"), &path).unwrap();
    std::fs::hard_link(&path, &link).unwrap();
    let before = std::fs::read(&path).unwrap();
    let ran = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--solution", &output]);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Either the link is an output of its own now, or it was refused.
    match ran.status.code() {
        Some(0) => assert_eq!(read_tour(&link, 200).unwrap().len(), 200),
        code => {
            assert_eq!(code, Some(2));
            assert!(complaint(&ran).contains("would overwrite"), "{}", complaint(&ran));
        }
    }
}

/// Of processes that share a new output each writes it, whole; one that is refused takes it from nobody.
#[test]
fn processes_may_share_an_output() {
    let folder = tempfile::tempdir().unwrap();
    let (path, shared) = file(&folder, "shared.tour");
    let input = instance("uniform200.tsp");
    let problem = Problem::read(&input).unwrap();
    let seeds: Vec<String> = (1..=12).map(|seed| seed.to_string()).collect();
    let run = |more: &[&str]| {
        let words = ["solve", &input, "--backend", "cpu", "--iterations", "1", "--solution", &shared];
        begun(&[&words, more].concat())
    };
    let children: Vec<(Child, i32)> = seeds
        .iter()
        .flat_map(|seed| [(run(&["--seed", seed]), 0), (run(&["--seed", seed, "--set", "no_such=1"]), 2)])
        .collect();
    for (child, code) in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", complaint(&output));
    }
    problem.cost(&read_tour(&path, 200).unwrap()).unwrap();
    assert_eq!(left_over(folder.path()), 0);
}

/// Two outputs that fail are two complaints, and what can be written is.
#[cfg(target_os = "linux")]
#[test]
fn every_output_that_fails_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (tour, solution) = file(&folder, "best.tour");
    // The same device by two names.
    let (link, other) = file(&folder, "full");
    std::os::unix::fs::symlink("/dev/full", link).unwrap();
    let words = ["solve", &instance("uniform200.tsp"), "--backend", "cpu", "--iterations", "1"];
    let outputs = ["--trace", "/dev/full", "--json", &other, "--solution", &solution];
    let ran = myrmex(&[words, outputs].concat());
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{told}");
    for path in ["/dev/full: ", &format!("{other}: ")] {
        assert!(told.contains(path), "{path} is not told:\n{told}");
    }
    assert_eq!(read_tour(&tour, 200).unwrap().len(), 200);
}

/// Reports have a line for each run, and none for an output that fails: that is no problem that was not solved.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_fails_has_no_line_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let (report, json) = file(&folder, "runs.jsonl");
    let words = ["solve", &instance("uniform200.tsp"), "--backend", "cpu", "--iterations", "1", "--runs", "2"];
    let ran = myrmex(&[&words[..], &["--solution", "/dev/full", "--json", &json]].concat());
    let told = complaint(&ran);
    assert!(ran.status.code() == Some(2) && told.contains("uniform200.tsp: /dev/full: "), "{told}");
    let lines = std::fs::read_to_string(report).unwrap();
    assert!(lines.lines().count() == 2 && !lines.contains("\"error\""), "{lines}");
}

/// Standard output is told by its name, also where it does not take the help.
#[cfg(target_os = "linux")]
#[test]
fn what_standard_output_does_not_take_is_told() {
    let input = instance("uniform200.tsp");
    let solve = ["solve", &input, "--backend", "cpu", "--iterations", "1"];
    for words in [
        vec!["--help"],
        vec!["--version"],
        vec!["solve", "-h"],
        vec!["help", "plan"],
        vec!["presets"],
        vec!["generate", "uniform", "9", "-o", "-"],
        vec!["batch", &input, "--iterations", "1"],
        [&solve[..], &["--json", "-"]].concat(),
        [&solve[..], &["--solution", "-"]].concat(),
        [&solve[..], &["--picture", "-"]].concat(),
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = Command::new(env!("CARGO_BIN_EXE_myrmex")).args(&words).stdout(full).output().unwrap();
        let told = complaint(&ran);
        assert_eq!(ran.status.code(), Some(2), "{words:?}: {told}");
        assert!(told.starts_with("myrmex: standard output: "), "{words:?}: {told}");
    }
}

/// A full disk: no file may be longer than two blocks, and the system says so when one is, or ends the program.
#[test]
fn a_full_disk_leaves_the_tour_before() {
    let folder = tempfile::tempdir().unwrap();
    let ((path, tour), (report, json)) = (file(&folder, "best.tour"), file(&folder, "report.json"));
    let input = instance("uniform1000.tsp");
    let first = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--tour", &tour]);
    assert!(first.status.success());
    let before = std::fs::read(&path).unwrap();
    for says_so in [true, false] {
        let limited = format!(
            "{}ulimit -f 2; exec {} solve {input} --backend cpu --iterations 2 --tour {tour} --json {json}",
            if says_so { "trap '' XFSZ; " } else { "" },
            env!("CARGO_BIN_EXE_myrmex")
        );
        let second = Command::new("sh").args(["-c", &limited]).output().unwrap();
        let told = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(!second.status.success(), "{told}");
        if says_so {
            assert_eq!(second.status.code(), Some(2), "{told}");
            assert!(told.contains(&tour) && told.contains(&json), "{told}");
            assert_eq!(left_over(folder.path()), 0);
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(!report.exists());
    }
    // What may be read by others stays so.
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_ne!(mode & 0o044, 0, "{mode:o}");
}

/// A new output of a run that is refused is not there at all.
#[test]
fn a_refused_run_makes_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let (path, tour) = file(&folder, "other.tour");
    let refused = myrmex(&["solve", &instance("uniform1000.tsp"), "--set", "no_such=1", "--tour", &tour]);
    let told = complaint(&refused);
    assert!(refused.status.code() == Some(2) && told.contains("there is no parameter 'no_such'"), "{told}");
    assert!(!path.exists());
}

/// Killed at any moment, also while it writes, the program leaves the tour before or a whole one.
#[test]
fn a_killed_program_leaves_whole_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let (path, tour) = file(&folder, "best.tour");
    let input = instance("uniform1000.tsp");
    let problem = Problem::read(&input).unwrap();
    let words = ["solve", &input, "--backend", "cpu", "--iterations", "1", "--solution", &tour];
    let began = Instant::now();
    assert!(myrmex(&words).status.success());
    let whole = began.elapsed();
    for part in 0..20 {
        let mut child = begun(&words);
        std::thread::sleep(whole * part / 16);
        let _ = child.kill();
        child.wait().unwrap();
        problem.cost(&read_tour(&path, 1000).unwrap()).unwrap();
    }
}
