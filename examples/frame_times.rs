//! A solver in an application's own loop: between two frames it gets 16 milliseconds, whatever it is at. Prints how long it kept the
//! loop waiting, which should be little more than that, and when it was longest.
//!
//! `cargo run --release --example frame_times -- 10000 60 cpu` (cities, seconds, `cpu` or `gpu`)
use std::time::{Duration, Instant};

use myrmex::tsp::{Kind, generate};
use myrmex::{Settings, Solver, Stop, Target};

const FRAME: Duration = Duration::from_millis(16);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |place: usize, default: &str| words.get(place).map_or(default, String::as_str).to_owned();
    let (cities, seconds): (usize, u64) = (word(0, "1000").parse()?, word(1, "5").parse()?);
    let target = match word(2, "cpu").as_str() {
        "cpu" => Target::Cpu,
        _ => Target::Wgpu(None),
    };
    let instance = generate(Kind::Uniform, cities, 1)?;
    let mut solver = Solver::new(&instance, &Settings::default(), target)?;
    println!("{cities} cities on {}", solver.device());
    let began = Instant::now();
    let mut frames = Vec::new();
    while began.elapsed() < Duration::from_secs(seconds) {
        let asked = Instant::now();
        solver.advance(&Stop::time(FRAME))?;
        let now = solver.progress();
        frames.push((asked.elapsed().as_secs_f64() * 1e3, now.iteration, now.phase));
        // Here the application draws the tour, and does what else it has to do.
    }
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, ..) = frames[frames.len() / 2];
    println!("{} frames, the solver took {median:.1} ms in the middle one of them; the longest:", frames.len());
    for (ms, iterations, phase) in frames.iter().rev().take(5) {
        println!("{ms:.1} ms, after iteration {iterations}, in phase {phase}");
    }
    let progress = solver.progress();
    println!("iteration {}, tour {}", progress.iteration, progress.cost);
    Ok(())
}
