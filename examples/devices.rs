//! Every GPU adapter of this machine, and how fast each solves the same small instance.
//!
//! `cargo run --release --example devices`

use myrmex::tsp::{Kind, generate};
use myrmex::{Result, Settings, Solver, Stop, Target, devices};

const ITERATIONS: u32 = 50;

fn main() -> Result<()> {
    let instance = generate(Kind::Uniform, 200, 1)?;
    let gpus = devices()
        .into_iter()
        .map(|device| (format!("{} ({})", device.name, device.kind), Target::Wgpu(Some(device.index.to_string()))));
    for (name, target) in gpus.chain([("this processor".to_owned(), Target::Cpu)]) {
        let mut solver = Solver::new(&instance, &Settings::default().for_iterations(Some(ITERATIONS)), target)?;
        let solution = solver.run(&Stop::iterations(ITERATIONS))?;
        println!("{name}: {ITERATIONS} iterations in {:.2} s, cost {}", solution.seconds, solution.cost);
        for kernel in &solution.kernels {
            println!("    {:<14}{:>10.2} ms in {} calls", kernel.name, kernel.ms, kernel.calls);
        }
    }
    Ok(())
}
