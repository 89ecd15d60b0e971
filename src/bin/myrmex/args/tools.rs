//! The words of the commands beside `solve` and `batch`.

use std::path::PathBuf;

use myrmex::{Effort, tsp};

use super::values::{algorithm_or_parameter, fixed_effort, kind, size, whole};
use super::{BackendArg, ReadArgs, SystemArgs, ThreadsArgs};

#[derive(clap::Args)]
pub struct ParametersArgs {
    /// An algorithm, a preset, or a parameter; without it all, and those of colonies and execution
    #[arg(value_parser = algorithm_or_parameter(), hide_possible_values = true)]
    pub name: Option<String>,
    /// The instance that defaults are for [default: 1,000 uniform cities, a layout of 40 facilities]
    #[arg(long, value_name = "FILE")]
    pub instance: Option<PathBuf>,
    /// The effort that defaults are for: what a processor runs, what the instance alone suggests, or what a large GPU runs
    #[arg(long, value_parser = fixed_effort, value_name = "small|standard|large", default_value = "standard")]
    pub effort: Effort,
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
    /// The GPU to use: its index or a part of its name, a word of 'myrmex devices' (wgpu:0), or cpu
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    #[command(flatten)]
    pub threads: ThreadsArgs,
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
    /// A TSPLIB, CSV, JSON, GeoJSON or QAPLIB file, compressed by gzip or not; '-' for standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub system: SystemArgs,
    /// As for a run of this many iterations, whose effort follows from the instance alone
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub iterations: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct CheckArgs {
    /// A TSPLIB, CSV, JSON, GeoJSON or QAPLIB file, compressed by gzip or not; '-' for standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    /// A tour in TSPLIB's format or as a table (.tour, .csv), or an assignment in QAPLIB's (.sln); '-' for standard input
    pub solution: PathBuf,
}

#[derive(clap::Args)]
pub struct MergeArgs {
    /// A TSPLIB, CSV, JSON, GeoJSON or QAPLIB file, compressed by gzip or not
    pub file: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Tours in TSPLIB's format or as tables (.tour, .csv), assignments in QAPLIB's (.sln), or reports (.json); one that states another length than it has for
    /// this file is refused
    #[arg(required = true, value_name = "SOLUTION")]
    pub solutions: Vec<PathBuf>,
    /// Where to write the best one; '-' for standard output [default: it is only told]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct GenerateArgs {
    /// uniform, clustered, lattice, circle, dimacs-uniform or dimacs-clustered for cities, layout for facilities
    #[arg(value_parser = kind)]
    pub kind: MadeKind,
    /// Cities or facilities
    #[arg(value_parser = size, allow_negative_numbers = true)]
    pub n: usize,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to write the instance, in TSPLIB's or QAPLIB's format, or to .csv the cities as a table; '-' for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// What can be generated.
#[derive(Clone, Copy)]
pub enum MadeKind {
    Tsp(tsp::Kind),
    Layout,
}
