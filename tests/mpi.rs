//! The program under mpirun: several processes find what one finds, and end together, whatever happens to one of them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use myrmex::tsp::{Instance, read_tour};
use serde_json::Value;
use tempfile::TempDir;

#[path = "common/program.rs"]
#[expect(dead_code, reason = "not all of it is used here")]
mod program;
use program::{complaint, file, instance, myrmex, stdout};

/// What a machine that does much else may take longer for.
const LATE: Duration = Duration::from_secs(10);
/// How soon rank 0 saves what is known.
const SAVES_WITHIN: Duration = Duration::from_secs(10);
const PROGRAM: &str = env!("CARGO_BIN_EXE_myrmex");

/// `mpirun` with these words: more processes than processors, and as root in containers.
fn mpirun(words: &[&str]) -> Command {
    let mut mpirun = Command::new("mpirun");
    mpirun.args(["--oversubscribe"]).args(words).stdin(Stdio::null());
    mpirun.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    mpirun
}

/// `myrmex solve` with these words on so many ranks.
fn solve(ranks: usize, words: &[&str]) -> Command {
    let (count, program) = (ranks.to_string(), [PROGRAM, "solve"]);
    mpirun(&[&["-n", &count], &program[..], words].concat())
}

fn output(mut command: Command) -> Output {
    command.output().expect("these tests need mpirun: docs/guide/clusters.md says how to install it")
}

/// The report of a run that ends well.
fn report(command: Command) -> Value {
    let output = output(command);
    assert!(output.status.success(), "{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
    // One rank alone tells.
    assert_eq!(stdout(&output).lines().count(), 1, "{}", stdout(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn ranks_find_what_one_process_finds() {
    let few = ["--set", "windows=5", "--set", "migration=20"];
    let memetic = ["--set", "population=4", "--set", "search_iterations=200", "--set", "migration=3"];
    for (name, words, iterations) in [("uniform200.tsp", few.as_slice(), "90"), ("layout40.dat", &memetic, "8")] {
        let input = instance(name);
        let words = [&[&input, "--backend", "cpu", "--iterations", iterations][..], words].concat();
        for (ranks, twice) in [(2, true), (4, false)] {
            let told = ["--json", "-", "--quiet"];
            let colonies = format!("colonies={ranks}");
            let alone = myrmex(&[&["solve"], &words[..], &["--set", &colonies], &told].concat());
            let expected: Value = serde_json::from_str(&stdout(&alone)).unwrap();
            for _ in 0..1 + usize::from(twice) {
                let found = report(solve(ranks, &[&words[..], &told].concat()));
                for key in ["cost", "tour", "permutation", "recipe", "iterations", "ended"] {
                    assert_eq!(found[key], expected[key], "{key} of {name} on {ranks} ranks");
                }
                let devices = found["devices"].as_array().unwrap();
                let rank = |device: &Value| device["rank"].as_u64().unwrap();
                assert_eq!(devices.iter().map(rank).collect::<Vec<_>>(), (0..ranks as u64).collect::<Vec<_>>());
                // No more threads than processors, or one a rank.
                let threads = |device: &Value| {
                    device["device"].as_str()?.strip_prefix("CPU, ")?.split(' ').next()?.parse::<usize>().ok()
                };
                let threads: usize = devices.iter().map(|device| threads(device).unwrap()).sum();
                let processors = std::thread::available_parallelism().unwrap().get();
                assert!(threads <= processors.max(ranks), "{threads} threads on {processors} processors");
            }
        }
    }
}

#[test]
fn time_limits_hold() {
    let began = Instant::now();
    let found = report(solve(
        2,
        &[&instance("uniform1000.tsp"), "--backend", "cpu", "--time", "1.5", "--json", "-", "--quiet"],
    ));
    let took = began.elapsed();
    assert_eq!(found["ended"], "time");
    assert!((1.4..5.0).contains(&found["seconds"].as_f64().unwrap()), "{}", found["seconds"]);
    assert!(took < Duration::from_millis(1500) + LATE, "{took:?}");
}

#[test]
fn what_ranks_do_not_do_together_is_refused_once() {
    let folder = TempDir::new().unwrap();
    let (_, tour) = file(&folder, "best.tour");
    let file = instance("uniform200.tsp");
    let one = |name: &str, rest: &[&str]| {
        [&["-n", "1", PROGRAM, "solve", &instance(name), "--backend", "cpu"], rest]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let rest = ["--iterations", "5", "--solution", &tour, "--quiet"];
    let more = ["--iterations", "6", "--solution", &tour, "--quiet"];
    let two = |first: Vec<String>, second: Vec<String>| {
        let words = [first, vec![":".into()], second].concat();
        mpirun(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let together =
        |rest: &[&str]| solve(2, &[&[file.as_str(), "--backend", "cpu", "--solution", &tour], rest].concat());
    for (command, words) in [
        (two(one("uniform200.tsp", &rest), one("circle150.tsp", &rest)), "every rank must read the same file"),
        (two(one("uniform200.tsp", &rest), one("missing.tsp", &rest)), "rank 1 on "),
        (two(one("missing.tsp", &rest), one("uniform200.tsp", &rest)), "missing.tsp: No such file"),
        (
            two(one("uniform200.tsp", &rest), one("uniform200.tsp", &[&rest[..], &["--seed", "2"]].concat())),
            "same words",
        ),
        (two(one("uniform200.tsp", &rest), one("uniform200.tsp", &more)), "other rules that end the run"),
        (mpirun(&["-n", "2", PROGRAM, "batch", &file]), "start one on each machine"),
        (together(&["--runs", "2"]), "start a job for each seed"),
        (together(&["--initial", "-"]), "standard input is for one process"),
        (together(&["--watch"]), "--watch is for one process"),
        (together(&["--checkpoint", "x.checkpoint"]), "is for one process, and 2 were started"),
        (together(&["--set", "colonies=1"]), "leaves 1 of 2 devices idle"),
    ] {
        let began = Instant::now();
        let refused = output(command);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{words}: {told}");
        let complaints: Vec<&str> = told.lines().filter(|line| line.starts_with("myrmex: ")).collect();
        assert!(matches!(&complaints[..], [one] if one.contains(words)), "'{words}' is not said once in\n{told}");
        assert!(!Path::new(&tour).exists() && began.elapsed() < LATE, "{:?}", began.elapsed());
    }
    let wrong = output(together(&["--tiem", "3"]));
    let told = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!((wrong.status.code(), told.matches("argument '--tiem'").count()), (Some(2), 1), "{told}");
    assert!(complaint(&myrmex(&["solve", "missing.tsp"])).contains("missing.tsp"));
}

/// Each process of a launcher would write the same into one file.
#[test]
fn what_one_process_writes_is_written_once() {
    let folder = TempDir::new().unwrap();
    let (_, tour) = file(&folder, "best.tour");
    let input = instance("uniform200.tsp");
    let two = |words: &[&str]| {
        let told = output(mpirun(&[&["-n", "2", PROGRAM], words].concat()));
        let notes = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success(), "{notes}");
        assert_eq!(notes.matches("note: left to the first of the processes").count(), 1, "{notes}");
        stdout(&told)
    };
    assert_eq!(two(&["generate", "uniform", "20", "-o", "-"]).matches("EOF").count(), 1);
    assert!(myrmex(&["solve", &input, "--iterations", "1", "--solution", &tour]).status.success());
    assert_eq!(two(&["merge", &input, &tour]).matches("best: ").count(), 1);
}

/// The report says which rank has failed, and with what.
#[test]
fn a_report_names_the_rank_that_failed() {
    let input = instance("uniform200.tsp");
    let run = ["--backend", "wgpu", "--algorithm", "lk", "--set", "windows=4", "--iterations", "3", "--json", "-"];
    let words = [&["solve", &input, "--quiet"][..], &run].concat();
    let (first, second) = (["-n", "1", PROGRAM], ["-n", "1", "env", "MYRMEX_TEST_FAULT=device", PROGRAM]);
    let failed = output(mpirun(&[&first[..], &words, &[":"], &second, &words].concat()));
    assert_eq!(failed.status.code(), Some(3), "{}", String::from_utf8_lossy(&failed.stderr));
    let report: Value = serde_json::from_str(&stdout(&failed)).unwrap();
    let why = report["warnings"][0].as_str().unwrap_or_default();
    assert!(report["ended"] == "failed" && why.starts_with("rank 1 on ") && why.contains("device was lost"), "{why}");
}

/// A run without an end of its own on three ranks that has come to a few meetings.
struct Running {
    child: Child,
    folder: TempDir,
    /// What its ranks have cost.
    cost: u64,
}

impl Running {
    fn begin() -> Self {
        let folder = TempDir::new().unwrap();
        let (_, tour) = file(&folder, "best.tour");
        // Each rank tells its process, which mpirun does not.
        let script = "echo $$ > $0/rank$OMPI_COMM_WORLD_RANK; exec \"$@\"";
        let place = folder.path().display().to_string();
        let words = ["--backend", "cpu", "--time", "120", "--set", "migration=5", "--set", "windows=5"];
        let run = ["-n", "3", "sh", "-c", script, &place, PROGRAM, "solve"];
        let (_, report) = file(&folder, "report.json");
        let told = ["--solution", &tour, "--json", &report, "--progress", "json"];
        let mut command = mpirun(&[&run[..], &[&instance("uniform200.tsp")], &words, &told].concat());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut line =
            lines.by_ref().map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let line = line.find(|line| line["iteration"].as_u64() >= Some(30)).expect("it tells how far it is");
        // Somebody reads what else is told.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, folder, cost: line["cost"].as_u64().unwrap() }
    }

    /// Sends a signal to mpirun, or to a rank.
    fn signal(&self, signal: &str, rank: Option<usize>) {
        let told = |rank| std::fs::read_to_string(self.folder.path().join(format!("rank{rank}"))).unwrap();
        let process = rank.map_or_else(|| self.child.id().to_string(), told);
        assert!(Command::new("kill").args([signal, process.trim()]).status().unwrap().success());
    }

    fn ends(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < LATE, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The solution that was written is one, and as good as what was told before.
    fn has_saved(&self) {
        let instance = Instance::read(instance("uniform200.tsp")).unwrap();
        let tour = read_tour(self.folder.path().join("best.tour"), 200).unwrap();
        let cost = instance.tour_cost(&tour).unwrap();
        assert!(cost <= self.cost, "{cost}, but {} was told", self.cost);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_rank_that_is_killed_ends_the_run_with_the_best_solution() {
    let mut running = Running::begin();
    running.signal("-KILL", Some(2));
    let status = running.ends();
    assert!(!status.success(), "{status}");
    running.has_saved();
    let report = std::fs::read_to_string(running.folder.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let names_it = report["warnings"][0].as_str().is_some_and(|why| why.starts_with("rank 2 on "));
    // The launcher ends rank 0 by SIGTERM, or leaves it to find out by itself.
    match report["ended"].as_str() {
        Some("cancelled") => assert!(report["abandoned"] == "ranks" && !names_it, "{report}"),
        ended => assert!(ended == Some("failed") && names_it, "{report}"),
    }
}

#[test]
fn nobody_waits_for_rank_0_that_is_killed() {
    // Nobody is there to write it, and nobody waits.
    let mut running = Running::begin();
    running.signal("-KILL", Some(0));
    assert!(!running.ends().success());
}

#[test]
fn rank_0_that_is_killed_leaves_what_it_has_saved() {
    let mut running = Running::begin();
    let (saved, began) = (running.folder.path().join("best.tour"), Instant::now());
    while !saved.exists() {
        assert!(began.elapsed() < SAVES_WITHIN + LATE, "it saves nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal("-KILL", Some(0));
    assert!(!running.ends().success());
    running.has_saved();
}

#[test]
fn an_interrupt_of_mpirun_ends_all_ranks_with_the_best_solution() {
    let mut running = Running::begin();
    running.signal("-INT", None);
    let status = running.ends();
    assert!(!status.success(), "{status}");
    running.has_saved();
}

#[test]
fn an_interrupt_of_one_rank_ends_all_with_the_best_solution() {
    for rank in [0, 2] {
        let mut running = Running::begin();
        running.signal("-TERM", Some(rank));
        // They end in order, as one process does.
        assert_eq!(running.ends().code(), Some(130), "rank {rank}");
        running.has_saved();
    }
}
