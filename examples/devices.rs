//! Every GPU adapter of this machine, and how fast each solves the same small instance.
//!
//! `cargo run --release --example devices`

use myrmex::tsp::{Kind, generate};
use myrmex::{Result, Settings, Solver, Stop, Target, devices};

const ITERATIONS: u32 = 50;

fn main() -> Result<()> {
    let instance = generate(Kind::Uniform, 200, 1)?;
    let mut places = vec![("this processor".to_owned(), Target::Cpu)];
    for device in devices() {
        places.push((format!("{} ({}, {})", device.name, device.kind, device.api), device.word().parse()?));
    }
    for (name, target) in places {
        let mut solver = Solver::new(&instance, &Settings::default().for_iterations(Some(ITERATIONS)), target)?;
        let solution = solver.run(&Stop::iterations(ITERATIONS))?;
        println!("{name}: {ITERATIONS} iterations in {:.2} s, cost {}", solution.seconds, solution.cost);
        for kernel in &solution.kernels {
            println!("    {:<14}{:>10.2} ms in {} calls", kernel.name, kernel.ms, kernel.calls);
        }
    }
    Ok(())
}
