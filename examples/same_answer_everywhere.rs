//! One seed on every adapter of this machine and on the CPU: prints the costs and fails unless the tours are identical.
//!
//! `cargo run --release --example same_answer_everywhere [FILE.tsp] [ITERATIONS]`

use std::process::ExitCode;

use myrmex::tsp::{Instance, canonical};
use myrmex::{Result, Settings, Solver, Stop, Target, devices};

fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "instances/clustered1000.tsp".into());
    let iterations = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(20);
    let instance = Instance::read(&file)?;
    let gpus = devices().iter().map(|device| device.word().parse()).collect::<Result<Vec<Target>>>()?;
    // What runs must not follow the device.
    let settings = Settings::default().for_iterations(Some(iterations));
    let mut tours = Vec::new();
    for target in gpus.into_iter().chain([Target::Cpu]) {
        let mut solver = Solver::new(&instance, &settings, target)?;
        let solution = solver.run(&Stop::iterations(iterations))?;
        println!(
            "cost {} after {iterations} iterations, {:.2} s, on {}",
            solution.cost,
            solution.seconds,
            solver.device()
        );
        tours.push(canonical(&solution.permutation));
    }
    if tours.windows(2).all(|pair| pair[0] == pair[1]) {
        println!("{} devices, one tour", tours.len());
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("the tours differ: please report these devices");
    Ok(ExitCode::FAILURE)
}
