//! A run on a thread of its own, as an application has it whose main thread has other things to do: it looks how far the run has come, and ends it
//! when its user has seen enough. Nothing waits for the set-up either.
//!
//! `cargo run --release --example background -- 20000 3` (cities; seconds after which the user has seen enough)

use std::thread;
use std::time::{Duration, Instant};

use myrmex::tsp::{Kind, generate};
use myrmex::{Job, Settings, Stop, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, usual: &str| words.get(at).cloned().unwrap_or_else(|| usual.to_owned());
    let (cities, enough): (usize, f64) = (word(0, "2000").parse()?, word(1, "2").parse()?);
    let instance = generate(Kind::Uniform, cities, 1)?;
    let began = Instant::now();
    let job = Job::spawn(&instance, &Settings::default(), Target::Auto, &Stop::time(Duration::from_secs(60)))?;
    while !job.is_finished() && began.elapsed().as_secs_f64() < enough {
        thread::sleep(Duration::from_millis(250));
        let seconds = began.elapsed().as_secs_f64();
        match job.progress() {
            None => println!("{seconds:.2} s: it is set up"),
            Some(now) => println!("{seconds:.2} s: cost {} after {} iterations", now.cost, now.iteration),
        }
    }
    job.cancel();
    let solution = job.join()?.into_result()?;
    println!("{:.2} s: a tour of length {}, {}", began.elapsed().as_secs_f64(), solution.length, solution.ended.name());
    Ok(())
}
