//! The command line: words to settings, and what comes back to files and the terminal.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

mod args;
mod bench;
mod outputs;
mod parameters;
mod plan;
mod print;
mod progress;
mod solve;
mod system;
mod tools;

fn main() -> ExitCode {
    let started = Instant::now();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let args = args::Args::parse();
    let result = match &args.command {
        args::Command::Solve(args) => solve::run(args, started),
        args::Command::Plan(args) => plan::run(args),
        args::Command::Parameters(args) => parameters::run(args),
        args::Command::Presets(args) => tools::presets(args),
        args::Command::Devices(args) => tools::devices(args),
        args::Command::Bench(args) => bench::run(args),
        args::Command::Check(args) => tools::check(args),
        args::Command::Generate(args) => tools::generate(args),
        args::Command::Completions { shell } => tools::completions(*shell),
        args::Command::Man => tools::man(),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            print::errln!("myrmex: {error}");
            ExitCode::from(2)
        }
    }
}
