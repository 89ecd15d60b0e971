//! The library in ten lines: a TSPLIB file in, a tour out.
//!
//! `cargo run --release --example solve_tsp [FILE.tsp]`

use std::time::Duration;

use myrmex::{Result, Settings, Solver, Stop, Target, tsp::Instance};

fn main() -> Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "instances/uniform200.tsp".into());
    let instance = Instance::read(&file)?;
    let mut solver = Solver::new(&instance, &Settings::default(), Target::Auto)?;
    let solution = solver.run(&Stop::time(Duration::from_secs(2)))?;
    println!("{}: cost {} on {}", instance.name(), solution.cost, solver.device());
    println!("tour {:?}", solution.permutation);
    Ok(())
}
