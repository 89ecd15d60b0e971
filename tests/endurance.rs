//! Long runs: resident memory stays what it is once everything is warm, and two solvers share a device. It takes as many minutes for each
//! backend as `MYRMEX_MINUTES` says, one after the other, so that memory is that of one:
//! `MYRMEX_MINUTES=5 cargo test --features cuda --test endurance -- --ignored --nocapture --test-threads 1`.
#![cfg(target_os = "linux")]

mod common;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::settings;
use myrmex::tsp::Kind;
use myrmex::{Cancel, Problem, Stop, Target, qap};

/// The share of a run after which all is warm: solvers of every kind have come and gone.
const WARM: f64 = 0.25;
/// How much memory may grow after that, in percent.
const MOST_GROWTH: f64 = 2.0;
/// Iterations of each solver that comes and goes.
const SHORT: u32 = 60;

/// Pages of this process that lie in memory, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says how much memory a process has");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it says so");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("it is a number");
    kib << 10
}

fn median(mut sizes: Vec<u64>) -> u64 {
    sizes.sort_unstable();
    sizes[sizes.len() / 2]
}

/// Small runs of every family.
fn short_runs() -> Vec<(Problem, &'static str)> {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 150, 4));
    vec![
        (tour.clone(), "lk-eax windows=4 window_size=48 steps=200 population=6"),
        (tour.clone(), "mmas ants=6"),
        (tour, "faco ants=12 focus=20"),
        (Problem::Qap(qap::generate(20, 2).unwrap()), "cas units=5 search_iterations=40"),
    ]
}

/// Makes solvers and drops them until `cancel`; each time all must find what they found the first time. How often.
fn come_and_go(target: &Target, cancel: &Cancel, rounds: &AtomicUsize) {
    let runs = short_runs();
    let mut first: Vec<Vec<u32>> = Vec::new();
    while !cancel.is_cancelled() {
        let found = runs.iter().map(|(problem, line)| {
            let mut solver = common::solver(problem, &settings(line), target.clone());
            solver.run(&Stop::iterations(SHORT)).unwrap().permutation
        });
        let found: Vec<_> = found.collect();
        if first.is_empty() {
            first = found;
        } else {
            assert_eq!(found, first, "a solver beside another finds what it found before");
        }
        rounds.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two threads, one with a solver that stays, one with solvers that come and go, for `length`.
fn endure(name: &str, target: &Target, length: Duration) {
    let (cancel, rounds) = (Cancel::new(), AtomicUsize::new(0));
    let long = common::made(Kind::Uniform, 400, 7);
    let started = Instant::now();
    let mut sizes = Vec::new();
    let iterations = std::thread::scope(|scope| {
        let stays = scope.spawn(|| {
            let mut solver = common::solver(&long, &settings("mmas ants=40 local_search=2opt"), target.clone());
            let solution = solver.run(&Stop::time(length));
            cancel.cancel();
            solution.unwrap().iterations
        });
        scope.spawn(|| come_and_go(target, &cancel, &rounds));
        let mut told = 0;
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(100));
            let (share, size) = (started.elapsed().as_secs_f64() / length.as_secs_f64(), resident());
            sizes.push((share, size));
            if (20.0 * share) as usize > told {
                told = (20.0 * share) as usize;
                println!(
                    "{name} {:.0} s: {:.1} MiB",
                    started.elapsed().as_secs_f64(),
                    size as f64 / f64::from(1 << 20)
                );
            }
        }
        stays.join().unwrap()
    });
    let of = |from: f64, to: f64| {
        median(sizes.iter().filter(|(share, _)| (from..to).contains(share)).map(|(_, size)| *size).collect())
    };
    let (warm, last) = (of(WARM, 0.5), of(0.75, f64::MAX));
    let growth = 100.0 * (last as f64 / warm as f64 - 1.0);
    let rounds = rounds.into_inner();
    println!("{name}: {iterations} iterations beside {rounds} times four solvers, memory {growth:+.2}%");
    assert!(iterations > SHORT && rounds > 1, "{name}: both threads get on: {iterations}, {rounds}");
    assert!(growth < MOST_GROWTH, "{name}: from {warm} to {last} bytes");
}

fn length() -> Duration {
    let minutes = std::env::var("MYRMEX_MINUTES").map_or(1.0, |text| text.parse().expect("MYRMEX_MINUTES is a number"));
    Duration::from_secs_f64(60.0 * minutes)
}

#[test]
#[ignore = "takes minutes; see above"]
fn memory_stays_and_solvers_share_the_cpu() {
    endure("cpu", &Target::Cpu, length());
}

#[test]
#[ignore = "takes minutes; see above"]
fn memory_stays_and_solvers_share_a_device() {
    endure("gpu", &common::target().opened().unwrap(), length());
}
