//! How many threads the program runs on.

use super::*;

/// More threads than a machine has are not made.
#[test]
fn as_many_threads_as_a_machine_has_are_enough() {
    let began = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["solve", &instance("circle150.tsp"), "--backend", "cpu", "--iterations", "1"])
        .env("RAYON_NUM_THREADS", "10000")
        .output()
        .unwrap();
    assert!(output.status.success() && began.elapsed() < FAR_LESS);
}

/// How many threads there are is said by the option, or else by the variable, which is refused where it says nothing.
#[test]
fn threads_are_as_many_as_are_asked_for() {
    let input = instance("circle150.tsp");
    let run = |variable: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_myrmex"));
        let words = [&["solve", &input, "--backend", "cpu", "--iterations", "1"], words].concat();
        command.args(words).env("RAYON_NUM_THREADS", variable).output().unwrap()
    };
    for (variable, words, told) in [
        ("1", &[][..], "on CPU, 1 thread ("),
        ("1", &["--threads", "3"], "on CPU, 3 threads ("),
        ("abc", &["--threads", "1"], "on CPU, 1 thread ("),
    ] {
        let output = run(variable, words);
        assert!(output.status.success() && stdout(&output).contains(told), "{variable} {words:?}: {output:?}");
    }
    for variable in ["abc", "-1"] {
        let output = run(variable, &[]);
        let told = format!("the variable RAYON_NUM_THREADS is '{variable}': set it to a number of threads from 1 up");
        assert!(output.status.code() == Some(2) && complaint(&output).contains(&told), "{output:?}");
    }
    let none = run("1", &["--threads", "0"]);
    assert!(
        none.status.code() == Some(2) && String::from_utf8_lossy(&none.stderr).contains("expected 1 thread or more")
    );
}

#[test]
fn few_threads_are_enough() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ((program, program_name), (input, input_name)) = (file(&folder, "myrmex"), file(&folder, "in.tsp"));
    std::fs::copy(env!("CARGO_BIN_EXE_myrmex"), &program).unwrap();
    std::fs::copy(instance("circle150.tsp"), &input).unwrap();
    [folder.path(), &program, &input].into_iter().for_each(open);
    let is_root = std::fs::metadata(&input).unwrap().uid() == 0;
    let solved = |threads: u32| {
        let limit = format!("--nproc={threads}");
        let mut command = Command::new("prlimit");
        command.args([&limit, &program_name, "solve", &input_name, "--backend", "cpu", "--iterations", "1"]);
        if is_root {
            // Root has no such limit. Of this user nobody else has threads.
            command.uid(54_321);
        }
        command.env("RAYON_NUM_THREADS", "4").output().unwrap()
    };
    for threads in 2..=8 {
        let output = solved(threads);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !told.contains("panicked"), "{threads} threads: {told}");
    }
    let refused = solved(1);
    assert_eq!(refused.status.code(), Some(2));
    assert!(complaint(&refused).contains("does the system allow more threads"), "{}", complaint(&refused));
}
