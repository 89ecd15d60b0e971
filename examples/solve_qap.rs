//! The library in ten lines: a QAPLIB file in, an assignment out.
//!
//! `cargo run --release --example solve_qap [FILE.dat]`

use std::time::Duration;

use myrmex::{Result, Settings, Solver, Stop, Target, qap::Instance};

fn main() -> Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "instances/layout40.dat".into());
    let instance = Instance::read(&file)?;
    let mut solver = Solver::new(&instance, &Settings::default(), Target::Auto)?;
    let solution = solver.run(&Stop::time(Duration::from_secs(2)))?;
    println!("{}: cost {} on {}", instance.name(), solution.cost, solver.device());
    println!("locations of the facilities {:?}", solution.permutation);
    Ok(())
}
