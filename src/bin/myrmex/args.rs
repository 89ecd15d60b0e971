//! The words of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use myrmex::settings::Value;
use myrmex::{Algorithm, Effort, tsp};

/// Solves travelling salesman and quadratic assignment problems on any GPU.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Find a short tour through the cities of a TSPLIB file, or a good assignment for a QAPLIB file
    Solve(Box<SolveArgs>),
    /// Print what would run, phase by phase, and the memory it would take
    Plan(Box<PlanArgs>),
    /// List the parameters of the algorithms with defaults, ranges, units and sources
    Parameters(ParametersArgs),
    /// List the ant systems of the papers
    Presets(ListArgs),
    /// List the GPU adapters of this machine
    Devices(ListArgs),
    /// Time each kernel on a device and print a table
    Bench(BenchArgs),
    /// Check a tour or an assignment against its instance and print its cost
    Check(CheckArgs),
    /// Make an instance
    Generate(GenerateArgs),
    /// Print what a shell needs to complete this program's words
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProblemArg {
    /// As the file looks
    Auto,
    /// Travelling salesman problem
    Tsp,
    /// Quadratic assignment problem
    Qap,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// A GPU where there is one, else the CPU
    Auto,
    /// A GPU through Vulkan, Metal or DX12; software adapters too
    Wgpu,
    /// An NVIDIA GPU through CUDA, where the program was built with the feature 'cuda'
    Cuda,
    /// The CPU
    Cpu,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricArg {
    /// As the file says; points of a CSV file without degrees as 'plane'
    Auto,
    /// Euclidean, in the unit of the coordinates
    Plane,
    /// Great circles in metres: coordinates are longitude and latitude in decimal degrees
    Globe,
}

/// What is solved.
#[derive(clap::Args)]
pub struct ProblemArgs {
    /// A TSPLIB, CSV, GeoJSON or QAPLIB file, compressed by gzip or not; '-' for standard input
    pub file: PathBuf,
    /// What the file holds, when it does not tell
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|tsp|qap")]
    pub problem: ProblemArg,
    /// How distances come from coordinates: as the file says, Euclidean without rounding, or metres on the globe
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|plane|globe")]
    pub metric: MetricArg,
}

/// What runs and where; what is not given follows from the problem.
#[derive(clap::Args)]
pub struct SystemArgs {
    /// The algorithm [default: auto, which suits the problem]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Algorithm::NAMES))]
    pub algorithm: Option<String>,
    /// Instead of an algorithm, an ant system of a paper ('myrmex presets')
    #[arg(long, value_name = "NAME", conflicts_with = "algorithm")]
    pub preset: Option<String>,
    /// A parameter of the algorithm ('myrmex parameters'); may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub set: Vec<(String, Value)>,
    /// Read algorithm or preset, seed, effort and parameters from a TOML file; what is given here counts more
    #[arg(long, value_name = "FILE.toml")]
    pub settings: Option<PathBuf>,
    /// Same recipe, seed and iterations: same solution, on every device
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How much runs side by side [default: auto, what suits the device; standard with --iterations]
    #[arg(long, value_parser = effort, value_name = "auto|standard|large")]
    pub effort: Option<Effort>,
    /// Where to run
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|wgpu|cuda|cpu")]
    pub backend: BackendArg,
    /// The GPU to use: its index or a part of its name, as 'myrmex devices' lists them
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
}

#[derive(clap::Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    #[command(flatten)]
    pub system: SystemArgs,
    /// Begin with this tour (.tour, .csv) or assignment (.sln)
    #[arg(long, value_name = "FILE")]
    pub initial: Option<PathBuf>,
    /// Stop after this many seconds, set-up included [default: 5, when no other stop is given]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<f64>,
    /// Stop after this many iterations, of each colony
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Stop at a solution of this cost or less
    #[arg(long, value_name = "COST")]
    pub target: Option<u64>,
    /// Write the tour in TSPLIB's, the assignment in QAPLIB's format; as a table to .csv, as a line to .geojson; may be repeated
    #[arg(long, visible_alias = "tour", value_name = "OUT", help_heading = "Output")]
    pub solution: Vec<PathBuf>,
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
pub struct ParametersArgs {
    /// One algorithm; without it all, and those of colonies and execution
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(Algorithm::NAMES))]
    pub algorithm: Option<String>,
    /// The instance that defaults are for [default: 1,000 uniform cities, a layout of 40 facilities]
    #[arg(long, value_name = "FILE")]
    pub instance: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct BenchArgs {
    /// Where to run
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: BackendArg,
    /// The GPU to use: its index or a part of its name, as 'myrmex devices' lists them
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Small instances and few iterations, for software adapters and the CPU
    #[arg(long)]
    pub quick: bool,
    /// Write the table as CSV too ('-': standard output)
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    /// Write the table as Markdown too
    #[arg(long, value_name = "OUT.md")]
    pub markdown: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct PlanArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    #[command(flatten)]
    pub system: SystemArgs,
    /// As for a run of this many iterations, whose effort follows from the instance alone
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// A tour in TSPLIB's format or as a table (.tour, .csv), or an assignment in QAPLIB's (.sln); '-' for standard input
    pub solution: PathBuf,
}

#[derive(clap::Args)]
pub struct GenerateArgs {
    /// uniform, clustered, lattice or circle for cities, layout for facilities
    #[arg(value_parser = kind)]
    pub kind: MadeKind,
    /// Cities or facilities
    pub n: usize,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where to write the instance; '-' for standard output
    #[arg(short, value_name = "FILE")]
    pub output: PathBuf,
}

/// What can be generated.
#[derive(Clone, Copy)]
pub enum MadeKind {
    Tsp(tsp::Kind),
    Layout,
}

fn kind(name: &str) -> Result<MadeKind, String> {
    match name {
        "layout" => Ok(MadeKind::Layout),
        _ => name.parse().map(MadeKind::Tsp).map_err(|error| format!("{error}, or layout for facilities")),
    }
}

fn pair(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), Value::from_text(value))),
        _ => Err("expected NAME=VALUE, such as population=128".into()),
    }
}

fn effort(word: &str) -> Result<Effort, String> {
    let known = Effort::ALL.iter().find(|effort| effort.name() == word);
    known.copied().ok_or_else(|| "expected auto, standard or large".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds, from 0 to 1e9".into()),
    }
}
