//! The words of the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use myrmex::settings::Value;
use myrmex::{Algorithm, Effort, Error, OnDeviceLost, Target};

use crate::batch::BatchArgs;
use crate::target;

mod refusal;
mod tools;
mod values;

pub use refusal::refined;
pub use tools::{BenchArgs, CheckArgs, GenerateArgs, ListArgs, MadeKind, MergeArgs, ParametersArgs, PlanArgs};

use values::{devices, effort, number, on_device_lost, pair, percent, stagnation, threads, time, whole};

/// Solves travelling salesman and quadratic assignment problems on any GPU.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Find a short tour or a good assignment for the problem in a file
    Solve(Box<SolveArgs>),
    /// Solve many problems, several at a time, and print a line of JSON for each
    Batch(Box<BatchArgs>),
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
    /// Check several solutions of an instance and pick the best, such as those of a job array
    Merge(MergeArgs),
    /// Make an instance
    Generate(GenerateArgs),
    /// Print what a shell needs to complete this program's words
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a command
    Man {
        /// The command, such as solve
        command: Option<String>,
    },
}

impl Command {
    /// How many threads it is to run on, where that is said.
    pub fn threads(&self) -> Option<NonZeroUsize> {
        match self {
            Self::Solve(args) => args.system.threads.count,
            Self::Batch(args) => args.system.threads.count,
            Self::Plan(args) => args.system.threads.count,
            Self::Bench(args) => args.threads.count,
            _ => None,
        }
    }

    /// What a command other than `solve` failed with, told with the options that it is about.
    pub fn located(&self, error: Error) -> Error {
        match self {
            Self::Batch(args) => target::located(error, &args.system),
            Self::Plan(args) => target::located(error, &args.system),
            Self::Bench(args) => target::of_options(error, args.backend, args.device.as_deref(), None),
            _ => error,
        }
    }
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

/// How a file is read.
#[derive(Clone, clap::Args)]
pub struct ReadArgs {
    /// What the file holds, when it does not tell
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|tsp|qap")]
    pub problem: ProblemArg,
    /// How distances come from coordinates: as the file says, Euclidean without rounding, or metres on the globe (where no header says which is which
    /// the longitude comes first)
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|plane|globe")]
    pub metric: MetricArg,
    /// The column of a table of ways, or the member of a JSON object, that has the weights, where several may
    #[arg(long, value_name = "NAME")]
    pub weight: Option<String>,
    /// Seek an open path through all cities instead of a closed tour
    #[arg(long)]
    pub open: bool,
    /// First city of an open path: its name, id, or number in the file from 1. With the same city as --end: a round trip written from there
    #[arg(long, value_name = "CITY")]
    pub start: Option<String>,
    /// Last city of the path. The same city as --start makes a round trip
    #[arg(long, value_name = "CITY")]
    pub end: Option<String>,
    /// Of an assignment: distances between locations, or their places, a table; FILE is one of flows between facilities then. Names may stand before rows and columns
    #[arg(long, value_name = "FILE")]
    pub distances: Option<PathBuf>,
    /// Beside --distances: what each facility costs at each location by itself, a table with a line for each facility and a column for each location
    #[arg(long, value_name = "FILE")]
    pub placing: Option<PathBuf>,
    /// Keep two cities beside each other in the tour (between asymmetric distances the second behind the first), or place a facility at a location;
    /// both by their names, or their numbers in the file, from 1; may be repeated
    #[arg(long, value_name = "A=B")]
    pub fix: Vec<String>,
}

/// What runs and where; what is not given follows from the problem.
#[derive(Clone, clap::Args)]
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
    /// Read algorithm or preset, seed, effort and parameters from a TOML file, or from the report of a run; what is given here counts more
    #[arg(long, value_name = "FILE.toml")]
    pub settings: Option<PathBuf>,
    /// Same recipe, seed and iterations: same solution, on every device [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// How much runs side by side [default: auto, what suits the device; standard with --iterations]
    #[arg(long, value_parser = effort, value_name = "auto|small|standard|large")]
    pub effort: Option<Effort>,
    /// Where to run
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "auto|wgpu|cuda|cpu")]
    pub backend: BackendArg,
    /// The GPU to use: its index or a part of its name, a word of 'myrmex devices' (wgpu:0), or cpu
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Devices side by side: 'all' GPUs, or words of 'myrmex devices' and 'cpu' with commas between (wgpu:0,cpu); a single one is that device
    #[arg(long, value_name = "LIST|all", value_parser = devices, conflicts_with_all = ["backend", "device"])]
    pub devices: Option<Target>,
    #[command(flatten)]
    pub threads: ThreadsArgs,
}

/// How many threads run.
#[derive(Clone, Copy, clap::Args)]
pub struct ThreadsArgs {
    /// Threads, up to four for each processor [default: RAYON_NUM_THREADS, or one for each processor]
    #[arg(long = "threads", value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub count: Option<NonZeroUsize>,
}

/// What words on the way are for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressArg {
    /// For people: a bar on a terminal, a line a second elsewhere
    Auto,
    /// For programs: a line of JSON on standard error at each gain, and each second
    Json,
}

/// How long nothing may be gained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stagnation {
    Iterations(u32),
    Time(Duration),
}

/// What ends a run of each problem.
#[derive(Clone, clap::Args)]
pub struct StopArgs {
    /// Stop after this time, set-up included: seconds, or with a unit (500ms, 2m, 1.5h)
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    pub time: Option<Duration>,
    /// Stop after this many iterations, of each colony
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub iterations: Option<u32>,
    /// Stop when nothing was gained for so many iterations, or with a unit for so much time (30s)
    #[arg(long, value_name = "N|TIME", value_parser = stagnation, allow_hyphen_values = true)]
    pub stagnation: Option<Stagnation>,
    /// Stop when the phases have run this many times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub rounds: Option<u32>,
}

/// What ends a run of `solve` that nothing else does.
const USUAL_END: &str = "Without a rule that ends it, a run ends after 5 seconds, or earlier as with --rounds 4; with --optimum alone after 5 seconds.";

#[derive(Clone, clap::Args)]
#[command(after_help = USUAL_END)]
pub struct SolveArgs {
    /// TSPLIB, CSV, JSON, GeoJSON or QAPLIB files, compressed by gzip or not; folders, of which all .tsp, .atsp, .dat, .csv, .tsv and .geojson files are taken; '-' for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub system: SystemArgs,
    /// Begin with this tour (.tour, .csv) or assignment (.sln)
    #[arg(long, value_name = "FILE")]
    pub initial: Option<PathBuf>,
    /// Go on from a checkpoint of this instance, on any device; it says what runs
    #[arg(long, value_name = "FILE", conflicts_with = "initial")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub stop: StopArgs,
    /// Stop at a solution of this cost or less, in the unit of the file; without --time the run has no time limit then
    #[arg(long, value_name = "COST", value_parser = number, allow_negative_numbers = true)]
    pub target: Option<f64>,
    /// The known optimum: stop there, and tell the gap to it
    #[arg(long, value_name = "COST", group = "known", value_parser = number, allow_negative_numbers = true)]
    pub optimum: Option<f64>,
    /// The same of each of several files: a table with the name of an instance and its optimum in each line
    #[arg(long, value_name = "FILE", group = "known", conflicts_with = "optimum")]
    pub optima: Option<PathBuf>,
    /// Stop this near to the optimum, in percent of it
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "known", allow_negative_numbers = true)]
    pub gap: Option<f64>,
    /// When the device fails: stop with exit code 3, or go on on the CPU from the best solution so far [default: stop]
    #[arg(long, value_parser = on_device_lost, value_name = "stop|cpu")]
    pub on_device_lost: Option<OnDeviceLost>,
    /// Seek a lower bound beside the run (of closed tours, without fixed edges, symmetric), on a thread of its own, and tell how far the tour is above it at most
    #[arg(long)]
    pub bound: bool,
    /// Make this many runs with seeds that follow one another, and print a table; seconds count from the beginning of each
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Write the tour in TSPLIB's, the assignment in QAPLIB's format; as a table to .csv, as a line to .geojson; may be repeated
    #[arg(long, visible_alias = "tour", value_name = "OUT", help_heading = "Output")]
    pub solution: Vec<PathBuf>,
    /// Keep a checkpoint of the run in this file, at an interrupt too: --resume goes on from it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub checkpoint: Option<PathBuf>,
    /// How often the checkpoint is written, besides at the end
    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        default_value = "60s",
        requires = "checkpoint",
        help_heading = "Output"
    )]
    pub every: Duration,
    /// Write everything as JSON, a line for each run; '-' for standard output
    #[arg(long, value_name = "OUT|-", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write the gains over time as CSV
    #[arg(long, value_name = "OUT.csv", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Draw the tour, as the ending says as SVG or PNG; may be repeated
    #[arg(long, visible_alias = "svg", value_name = "OUT.svg|OUT.png", help_heading = "Output")]
    pub picture: Vec<PathBuf>,
    /// Plot the cost, or with --optimum the gap to it, over time, a curve for each run; may be repeated
    #[arg(long, value_name = "OUT.svg|OUT.png", help_heading = "Output")]
    pub plot: Vec<PathBuf>,
    /// Show the tour in a window while it improves; to close the window ends the run as Ctrl-C does
    #[arg(long, help_heading = "Output")]
    pub watch: bool,
    /// What to tell on the way: for people, or a line of JSON on standard error at each gain and each second
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        value_name = "auto|json",
        help_heading = "Output"
    )]
    pub progress: ProgressArg,
    /// Print nothing but errors and what was asked for
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}
