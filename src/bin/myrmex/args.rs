//! The words of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use myrmex::{Candidates, Schedule, tsp};

/// Solves travelling salesman problems by ant colony optimisation on any GPU.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Find a short tour through the cities of a TSPLIB file
    Solve(Box<SolveArgs>),
    /// List the GPU adapters of this machine
    Devices(DevicesArgs),
    /// Check a tour against its instance and print its cost
    Check(CheckArgs),
    /// Make an instance
    Generate(GenerateArgs),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmArg {
    /// MAX-MIN Ant System
    Mmas,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LocalSearchArg {
    /// Tours stay as constructed
    None,
    /// 2-opt with neighbour lists and don't-look bits on every ant
    #[value(name = "2opt")]
    TwoOpt,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// A GPU where there is one, else the CPU
    Auto,
    /// A GPU through Vulkan, Metal or DX12; software adapters too
    Wgpu,
    /// The CPU
    Cpu,
}

#[derive(clap::Args)]
pub struct SolveArgs {
    /// A TSPLIB file (.tsp)
    pub file: PathBuf,
    /// The ant system
    #[arg(long, value_enum, default_value = "mmas")]
    pub algorithm: AlgorithmArg,
    /// The local search that each ant ends with
    #[arg(long, value_enum, default_value = "2opt")]
    pub local_search: LocalSearchArg,
    /// Ants in an iteration [default: 32, without local search one a city up to 1024]
    #[arg(long, value_name = "N")]
    pub ants: Option<usize>,
    /// Candidates an ant weighs at each step: a number from 5 up, or 'all' [default: 32]
    #[arg(long, value_name = "K|all", value_parser = candidates)]
    pub candidates: Option<Candidates>,
    /// Stop after this many iterations
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Stop after this many seconds, set-up included [default: 5, when no other stop is given]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<f64>,
    /// Stop at a tour of this cost or less
    #[arg(long, value_name = "COST")]
    pub target: Option<u64>,
    /// Same seed and iterations: same tour, on every device
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where to run
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: BackendArg,
    /// The GPU to use: its index or a part of its name, as 'myrmex devices' lists them
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Trail exponent [default: 1]
    #[arg(long, value_name = "X", help_heading = "Ant system")]
    pub alpha: Option<f64>,
    /// Heuristic exponent [default: 2]
    #[arg(long, value_name = "X", help_heading = "Ant system")]
    pub beta: Option<f64>,
    /// Share of a trail that vanishes in an iteration [default: 0.2, without local search 0.02]
    #[arg(long, value_name = "X", help_heading = "Ant system")]
    pub evaporation: Option<f64>,
    /// Probability of rebuilding the best tour on converged trails; sets the lower trail limit [default: 0.05]
    #[arg(long, value_name = "X", help_heading = "Ant system")]
    pub p_best: Option<f64>,
    /// Iterations without a gain after which the trails are re-initialised, 0 for never [default: 250]
    #[arg(long, value_name = "N", help_heading = "Ant system")]
    pub stagnation: Option<u32>,
    /// Which tour deposits: while fewer than UNTIL iterations have passed since the trails were initialised, the best
    /// since then in every PERIOD-th, such as 25:25,75:5,125:3,250:2,1
    #[arg(long, value_name = "UNTIL:PERIOD,...,PERIOD", help_heading = "Ant system")]
    pub schedule: Option<Schedule>,
    /// Write the tour in TSPLIB's format
    #[arg(long, value_name = "OUT.tour", help_heading = "Output")]
    pub tour: Option<PathBuf>,
    /// Write everything as JSON, '-' for standard output
    #[arg(long, value_name = "OUT|-", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the gains over time as CSV
    #[arg(long, value_name = "OUT.csv", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Draw the tour
    #[arg(long, value_name = "OUT.svg", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Print nothing but errors and what was asked for
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(clap::Args)]
pub struct DevicesArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct CheckArgs {
    /// A TSPLIB file (.tsp)
    pub file: PathBuf,
    /// A tour in TSPLIB's format (.tour)
    pub tour: PathBuf,
}

#[derive(clap::Args)]
pub struct GenerateArgs {
    /// uniform, clustered, lattice or circle
    pub kind: tsp::Kind,
    /// Cities
    pub n: usize,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where to write the instance; '-' for standard output
    #[arg(short, value_name = "FILE")]
    pub output: PathBuf,
}

fn candidates(text: &str) -> Result<Candidates, String> {
    match text {
        "all" => Ok(Candidates::All),
        _ => match text.parse() {
            Ok(k) if k >= 5 => Ok(Candidates::Nearest(k)),
            _ => Err("expected 'all' or a whole number from 5 up".into()),
        },
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds, from 0 to 1e9".into()),
    }
}
