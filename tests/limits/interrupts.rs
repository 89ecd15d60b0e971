//! Interrupts end the program at any moment, and leave outputs whole.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;

use myrmex::Checkpoint;

use super::program::under_way;
use super::*;

/// What a run tells first on its way.
const GOES_ON: &str = "iteration ";

fn started(words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_myrmex")).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Sends a signal; the exit code, and how long the program took from then on.
fn killed(mut child: Child, signal: &str) -> (Option<i32>, Duration) {
    let sent = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), sent.elapsed());
        }
        if sent.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("the program goes on after {signal}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
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
    let (child, _told) = under_way(&words, GOES_ON);
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
        let words = ["solve", &instance, "--backend", "cpu", "--time", "100", "--solution", &name];
        let (mut child, _told) = under_way(&words, GOES_ON);
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
    let (mut child, _told) = under_way(&words, "seed 3, ");
    let table = child.stdout.take().unwrap();
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
    let words = ["solve", &instance, "--backend", "cpu", "--iterations", "1", "--solution", &name];
    let (child, _told) = under_way(&words, GOES_ON);
    // Then it writes.
    std::thread::sleep(Duration::from_millis(300));
    let (code, took) = killed(child, "-TERM");
    assert_eq!(code, Some(130));
    assert!(took < LATE, "{took:?}");
}

/// What a program tells, prints and ends with that is interrupted so many milliseconds after it has told `word` on its way.
fn interrupted(words: &[&str], word: &str, moment: u64) -> (Option<i32>, Duration, [String; 2]) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
    program.env("RUST_LOG", "myrmex=debug").args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    // They are read to their ends, so that the program never waits for a reader.
    let printed = child.stdout.take().unwrap();
    let printed = std::thread::spawn(move || std::io::read_to_string(printed).unwrap());
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert_ne!(told.read_line(&mut line).unwrap(), 0, "{words:?} ends without '{word}'");
    }
    let told = std::thread::spawn(move || std::io::read_to_string(told).unwrap());
    std::thread::sleep(Duration::from_millis(moment));
    let (code, took) = killed(child, "-INT");
    (code, took, [told, printed].map(|read| read.join().unwrap()))
}

/// A picture whose file nobody reads is never done: it is left out, after a run and where the set-up was not done.
#[test]
fn pictures_that_an_interrupt_leaves_no_time_for_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, picture) = file(&folder, "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (solution, name) = file(&folder, "best.tour");
    let outputs = ["--backend", "cpu", "--picture", &picture, "--solution", &name];
    for (n, rule, word, simple) in
        [(50, "--iterations=1", "(all iterations made)", false), (200_000, "--time=100", " to read the file", true)]
    {
        let instance = cities(&folder, "EUC_2D", n, false);
        let problem = Problem::read(&instance).unwrap();
        let words = [&["solve", &instance, rule, "--json", "-"][..], &outputs].concat();
        let is_left_out = |moment: u64| {
            std::fs::remove_file(&solution).ok();
            let (code, took, [told, printed]) = interrupted(&words, word, moment);
            assert_eq!(code, Some(130), "{told}");
            assert!(took < LATE, "{took:?}");
            let left_out = told.lines().any(|line| line.starts_with("myrmex: interrupted while drawing"));
            if left_out {
                check_solution(&problem, &solution);
            }
            left_out && printed.contains("\"abandoned\":\"set-up\"") == simple
        };
        // Earlier than the set-up nothing is written, and later it is done.
        assert!([50, 100, 200, 400].into_iter().any(is_left_out), "{n} cities");
    }
}

/// A program that reads a problem from a pipe, which stays open and has nothing.
fn reading(command: &str, pipe: &Path) -> (Child, std::fs::File) {
    let child = started(&[command, pipe.to_str().unwrap(), "--backend", "cpu"]);
    (child, writer(pipe))
}

/// The end of a pipe that is written, once a program has opened the other one.
fn writer(pipe: &Path) -> std::fs::File {
    let began = Instant::now();
    loop {
        if let Ok(open) = std::fs::File::options().write(true).custom_flags(libc::O_NONBLOCK).open(pipe) {
            return open;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the program reads nothing");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Nothing but the watch ends a program that waits for its input.
#[test]
fn an_interrupt_ends_a_program_that_reads_within_half_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, _) = file(&folder, "pipe.tsp");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let tries = (0..TRIES).map(|_| {
        let (child, _open) = reading("solve", &pipe);
        let (code, took) = killed(child, "-INT");
        assert_eq!(code, Some(130));
        took
    });
    let mut tries = tries.inspect(|took| println!("{took:?}"));
    assert!(tries.any(|took| took < MOST_AFTER_INTERRUPT));
}

/// A batch that waits for a file waits on at the first interrupt, and at one that comes with it.
#[test]
fn a_second_interrupt_ends_the_program_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, _) = file(&folder, "pipe.tsp");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (mut child, _open) = reading("batch", &pipe);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id, &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(child.try_wait().unwrap(), None);
    let (code, took) = killed(child, "-INT");
    assert_eq!(code, Some(130));
    assert!(took < LATE, "{took:?}");
}

/// Milliseconds that a share of the tries stayed within.
fn within(took: &[Duration], percent: usize) -> u128 {
    took.get((took.len() * percent).div_ceil(100).max(1) - 1).map_or(0, Duration::as_millis)
}

/// Kinds of instances, algorithms and devices, and 200 moments of runs drawn by chance, half of them in the first quarter of a second. At the end it tells how long
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
