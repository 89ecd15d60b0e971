//! `myrmex plan`.

use std::process::ExitCode;

use myrmex::{Result, Solver};

use crate::args::PlanArgs;
use crate::print::outln;
use crate::{system, tools};

pub fn run(args: &PlanArgs) -> Result<ExitCode> {
    let problem = system::problem(&args.file, args.problem)?;
    let config = system::config(&args.system, &problem)?;
    let (device, plan) = Solver::plan_for(&problem, &config, system::target(&args.system)?)?;
    if args.json {
        return tools::print_json(&plan);
    }
    outln!("{}: {} {} on {device}", problem.name(), problem.len(), problem.parts());
    for (what, choice, reason) in plan.choices(&config) {
        outln!("  {what:<14} {choice:<22} {reason}");
    }
    let each = if config.colonies > Some(1) { " of each colony" } else { "" };
    outln!("buffers{each}, {:.1} MiB in all:", plan.total_bytes() as f64 / f64::from(1 << 20));
    for buffer in plan.buffers() {
        outln!("  {:<14} {:>14} bytes", buffer.name.name(), buffer.words * 4);
    }
    Ok(ExitCode::SUCCESS)
}
