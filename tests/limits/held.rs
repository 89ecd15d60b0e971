//! A driver that never answers: the threads of Mesa's software driver are stopped while it works for the program, which has to come to its end
//! all the same, with the best solution that it knew.

use std::io::{BufRead, BufReader};

use super::*;

/// Threads of a process that are stopped for good, until the process ends.
struct Held(Vec<libc::pid_t>);

impl Held {
    /// Stops the threads whose names begin so. Only the thread that does this may see them end.
    fn stop(process: u32, name: &str) -> std::io::Result<Self> {
        let mut held = Self(Vec::new());
        for task in std::fs::read_dir(format!("/proc/{process}/task"))? {
            let task = task?;
            if !std::fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.starts_with(name)) {
                continue;
            }
            let thread: libc::pid_t = task.file_name().to_str().unwrap().parse().unwrap();
            let (none, mut status) = (std::ptr::null_mut::<libc::c_void>(), 0);
            // SAFETY: these stop a thread of a child, and write to `status` alone.
            let stopped = unsafe {
                libc::ptrace(libc::PTRACE_SEIZE, thread, none, none) == 0
                    && libc::ptrace(libc::PTRACE_INTERRUPT, thread, none, none) == 0
                    && libc::waitpid(thread, &raw mut status, libc::__WALL) == thread
            };
            if !stopped {
                return Err(std::io::Error::last_os_error());
            }
            held.0.push(thread);
        }
        Ok(held)
    }

    /// The exit code of the process, once it and what was stopped have ended, and how long that took.
    fn ended(self, mut child: Child) -> (Option<i32>, Duration) {
        let began = Instant::now();
        loop {
            for thread in &self.0 {
                // SAFETY: it takes note of the end of a thread that this one has stopped.
                unsafe { libc::waitpid(*thread, std::ptr::null_mut(), libc::__WALL | libc::WNOHANG) };
            }
            if let Some(status) = child.try_wait().unwrap() {
                return (status.code(), began.elapsed());
            }
            if began.elapsed() > Duration::from_secs(90) {
                child.kill().unwrap();
                panic!("the program goes on");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A run through the software driver, whose threads are stopped once it has gained; none where it has not within its limit.
fn held(words: &[&str], limit: u64) -> Option<(Child, std::io::Result<Held>)> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["solve", "--backend", "wgpu", "--progress", "json", "--time", &limit.to_string()])
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It stays open: that nobody listens is another fault.
    let lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    let gained = |line: std::io::Result<String>| {
        let told = serde_json::from_str::<serde_json::Value>(&line.unwrap());
        told.is_ok_and(|told| told["iteration"].as_u64() > Some(0))
    };
    if !lines.into_iter().any(gained) {
        child.wait().unwrap();
        return None;
    }
    let held = Held::stop(child.id(), "llvmpipe");
    Some((child, held))
}

#[test]
fn a_driver_that_never_answers_does_not_hold_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let instance = cities(&folder, "EUC_2D", 1000, false);
    let problem = Problem::read(&instance).unwrap();
    let (solution, solution_name) = file(&folder, "best.tour");
    let (report, report_name) = file(&folder, "report.json");
    let outputs = ["--solution", &solution_name, "--json", &report_name];
    // Few kernels, which are soon compiled.
    let run = [&[&*instance, "--algorithm", "lk", "--set", "windows=2", "--set", "steps=500"], &outputs[..]].concat();
    // A loaded machine takes seconds to compile them; the second run has them from the driver's cache.
    for (limits, signal, code) in [(&[60][..], Some("-INT"), 130), (&[4, 40], None, 0)] {
        let began = |limit: &u64| Some((*limit, held(&run, *limit)?));
        let (limit, (mut child, held)) = limits.iter().find_map(began).expect("the run gains");
        let held = match held {
            // As in a container whose system calls are filtered.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                child.kill().unwrap();
                return println!("ptrace: {error}: A DRIVER THAT NEVER ANSWERS WAS NOT TESTED");
            }
            held => held.unwrap(),
        };
        assert!(!held.0.is_empty(), "the driver has no threads of that name");
        if let Some(signal) = signal {
            std::thread::sleep(Duration::from_millis(500));
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        }
        let (ended, took) = held.ended(child);
        assert_eq!(ended, Some(code));
        let left = if signal.is_some() { Duration::ZERO } else { Duration::from_secs(limit) };
        assert!(took < left + LATE, "{took:?}");
        check_solution(&problem, &solution);
        let cost = problem.cost(&read_tour(&solution, 1000).unwrap()).unwrap();
        let told: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
        // The program's watch has written it, which knows of no iterations.
        assert_eq!((told["cost"].as_u64(), told["iterations"].as_u64()), (Some(cost), Some(0)));
        std::fs::remove_file(&solution).unwrap();
        std::fs::remove_file(&report).unwrap();
    }
}
