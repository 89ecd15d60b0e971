//! The words of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use myrmex::{
    Algorithm, Assignment, BestOn, Candidates, Chains, Deposit, LocalSearch, LocalUpdate, Memory, Preset, Schedule,
    Selection, Start, Strategy, Tabu, TrailUpdate, tsp,
};

/// Solves travelling salesman and quadratic assignment problems by ant colony optimisation on any GPU.
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
    /// Print what a run would choose, why, and the memory it would take
    Plan(Box<PlanArgs>),
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
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProblemArg {
    /// A QAPLIB file begins with a number, a TSPLIB file with a word
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

/// The ant system and where it runs; what is not given is the preset's or chosen.
#[derive(clap::Args)]
pub struct SystemArgs {
    /// Where to begin: an ant system of the papers ('myrmex presets' lists them), which the other options change
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = preset)]
    pub preset: &'static Preset,
    /// The ant system [default: focused; mmas for asymmetric tours and where parts of it or colonies are asked for, for assignments cas]
    #[arg(long, value_enum)]
    pub algorithm: Option<Algorithm>,
    /// The local search that each ant ends with [default: lk, of other systems than focused 2opt, for assignments tabu]
    #[arg(long, value_enum)]
    pub local_search: Option<LocalSearch>,
    /// Chains of local search 'lk' [default: wide; narrow for the first tours of ants that assemble]
    #[arg(long, value_enum)]
    pub chains: Option<Chains>,
    /// Ants in an iteration [default: focused 64, from 12000 cities on one for 200, from 40000 for 250; others 32, without local search
    /// one a city up to 1024; for assignments one for two facilities, for structured instances four a facility]
    #[arg(long, value_name = "N")]
    pub ants: Option<usize>,
    /// Colonies of as many ants each, which take turns on the device [default: 1]
    #[arg(long, value_name = "N")]
    pub colonies: Option<usize>,
    /// Iterations after which each of several colonies takes over the best solution of the one before it in their ring if that is better
    /// than its own, 0 for never [default: 50]
    #[arg(long, value_name = "ITERATIONS")]
    pub exchange: Option<u32>,
    /// Candidates that an ant which constructs weighs at each step: a number from 5 up, or 'all' [default: 32]
    #[arg(long, value_name = "K|all", value_parser = candidates)]
    pub candidates: Option<Candidates>,
    /// Candidates and neighbours of a local search: so many nearest in each quadrant first, 0 to 2 [default: 0]
    #[arg(long, value_name = "N")]
    pub quadrants: Option<u32>,
    /// Same seed and iterations: same tour, on every device (but with relaxed local updates, see --local-update)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where to run
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: BackendArg,
    /// The GPU to use: its index or a part of its name, as 'myrmex devices' lists them
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// How an ant draws the next city [default: wrs]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub selection: Option<Selection>,
    /// Which edges have a trail of their own [default: candidates, for other systems than mmas matrix]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub memory: Option<Memory>,
    /// Trails of a city in a selective memory [default: 8]
    #[arg(long, value_name = "N", help_heading = "Ant system")]
    pub trails: Option<u32>,
    /// How ants of an Ant System deposit [default: atomic]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub deposit: Option<Deposit>,
    /// How ants of an Ant Colony System wear down trails: all after each step, or each as it comes (relaxed), where the order in which
    /// a device runs them changes tours [default: synchronous, with a selective memory relaxed]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub local_update: Option<LocalUpdate>,
    /// The local update is made at every so many-th step [default: 1]
    #[arg(long, value_name = "N", help_heading = "Ant system")]
    pub update_period: Option<u32>,
    /// Where the best ant of an iteration is found [default: device]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub best_on: Option<BestOn>,
    /// How the trails of a MAX-MIN Ant System are updated [default: fused]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub trail_update: Option<TrailUpdate>,
    /// Where ants start [default: random]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub start: Option<Start>,
    /// Cities that an ant places anew; the others it takes over from the best tour since the restart [default: all]
    #[arg(long, value_name = "N", help_heading = "Ant system")]
    pub focus: Option<u32>,
    /// How ants are laid over invocations [default: by device]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub strategy: Option<Strategy>,
    /// How an ant keeps the cities it has visited [default: by device and candidates]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub tabu: Option<Tabu>,
    /// How exchanges are shared among the invocations that search an assignment [default: products]
    #[arg(long, value_enum, help_heading = "Ant system")]
    pub assignment: Option<Assignment>,
    /// Invocations of a workgroup in construction, or in the search of an assignment, a power of two [default: by device and instance]
    #[arg(long, value_name = "N", help_heading = "Ant system")]
    pub lanes: Option<u32>,
    /// Trail exponent [default: 1]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub alpha: Option<f64>,
    /// Heuristic exponent [default: 2, for acs 3]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub beta: Option<f64>,
    /// Share of a trail that vanishes in an iteration, for acs in the global update [default: mmas 0.2, without local
    /// search 0.02; as 0.5; acs 0.2; cas 0.5]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub evaporation: Option<f64>,
    /// mmas, cas: probability of rebuilding the best solution on converged trails; sets the lower trail limit [default: 0.05]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub p_best: Option<f64>,
    /// mmas: options that an ant has on average where it chooses, which with --p-best sets the lower trail limit [default: 4,
    /// without local search, with --candidates all and for assignments half of the cities or facilities]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub average_options: Option<f64>,
    /// mmas: iterations without a gain after which the trails are re-initialised, 0 for never [default: 250]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub stagnation: Option<u32>,
    /// mmas: which tour deposits: while fewer than UNTIL iterations have passed since the trails were initialised, the best
    /// since then in every PERIOD-th, such as 25:25,75:5,125:3,250:2,1
    #[arg(long, value_name = "UNTIL:PERIOD,...,PERIOD", help_heading = "Parameters")]
    pub schedule: Option<Schedule>,
    /// as: how many times 1/cost the best tour so far deposits besides the ants (Elitist Ant System)
    #[arg(long, value_name = "WEIGHT", help_heading = "Parameters", conflicts_with = "ranks")]
    pub elitist: Option<f64>,
    /// as: ranks that deposit, the best tour so far included (Rank-based Ant System)
    #[arg(long, value_name = "W", help_heading = "Parameters")]
    pub ranks: Option<u32>,
    /// cas: mean share of an assignment that an ant constructs anew [default: 0.4, for structured instances 0.5]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub gamma: Option<f64>,
    /// Iterations of tabu search on each assignment, of 2opt at most [default: 100 a facility, for structured
    /// instances 4]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub tabu_iterations: Option<u32>,
    /// Longest tenure of a tabu in iterations [default: 4 a facility, for structured instances 1]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub tabu_tenure: Option<u32>,
    /// focused: cities of an ant's patch, 8 to 4096 [default: 500, from 12000 to 40000 cities 1000]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub patch: Option<u32>,
    /// focused: steps of an ant's search in an iteration [default: 1000, from 12000 cities on 4000]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub steps: Option<u32>,
    /// focused: the most cities of a stretch that a kick moves, 1 to 1000 [default: 30]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub reach: Option<u32>,
    /// focused: cities that one kick of 16 places anew, 0 to 4000; 0: none does [default: 400]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub stretch: Option<u32>,
    /// focused: go on with ants that assemble tours up to so many cities, once patches gain little; 0: never [default: 40000]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub whole: Option<u32>,
    /// assembly, and focused once it assembles: attempts of an ant in an iteration, 1 to 1000 [default: 30]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub attempts: Option<u32>,
    /// assembly, and focused once it assembles: attempts that gain which are enough, 1 to 1000 [default: 3]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub gains: Option<u32>,
    /// assembly, and focused once it assembles: walks of an ant's four whose exchanges grow once those of one cycle gain little, 0 to 4 [default: 4]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub blocks: Option<u32>,
    /// focused: ants once they assemble tours, 2 to 65536 [default: 64]
    #[arg(long, value_name = "N", help_heading = "Parameters")]
    pub population: Option<u32>,
    /// acs: probability of a greedy step [default: (cities - 20) / cities]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub q0: Option<f64>,
    /// acs: share of a trail that a local update replaces [default: 0.01]
    #[arg(long, value_name = "X", help_heading = "Parameters")]
    pub local_evaporation: Option<f64>,
}

#[derive(clap::Args)]
pub struct SolveArgs {
    /// A TSPLIB file (.tsp, .atsp) or a QAPLIB file (.dat)
    pub file: PathBuf,
    /// What the file holds
    #[arg(long, value_enum, default_value = "auto")]
    pub problem: ProblemArg,
    #[command(flatten)]
    pub system: SystemArgs,
    /// Begin with this tour (.tour) or assignment (.sln) [default: a simple one]
    #[arg(long, value_name = "FILE")]
    pub initial: Option<PathBuf>,
    /// Stop after this many iterations, of each colony
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Stop after this many seconds, set-up included [default: 5, when no other stop is given]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<f64>,
    /// Stop at a tour of this cost or less
    #[arg(long, value_name = "COST")]
    pub target: Option<u64>,
    /// Write the tour in TSPLIB's, the assignment in QAPLIB's format
    #[arg(long, visible_alias = "tour", value_name = "OUT", help_heading = "Output")]
    pub solution: Option<PathBuf>,
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
    /// A TSPLIB file (.tsp, .atsp) or a QAPLIB file (.dat)
    pub file: PathBuf,
    /// What the file holds
    #[arg(long, value_enum, default_value = "auto")]
    pub problem: ProblemArg,
    #[command(flatten)]
    pub system: SystemArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct CheckArgs {
    /// A TSPLIB file (.tsp, .atsp) or a QAPLIB file (.dat)
    pub file: PathBuf,
    /// A tour in TSPLIB's format (.tour) or an assignment in QAPLIB's (.sln)
    pub solution: PathBuf,
    /// What the file holds
    #[arg(long, value_enum, default_value = "auto")]
    pub problem: ProblemArg,
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

fn preset(name: &str) -> Result<&'static Preset, String> {
    Preset::find(name).ok_or_else(|| "there is no such preset; 'myrmex presets' lists them".into())
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

impl SystemArgs {
    /// Whether something is asked for that ants which construct whole tours alone have, or that names the system.
    pub fn constructs(&self) -> bool {
        let choices = [
            self.preset.name != "auto",
            self.algorithm.is_some(),
            self.local_search.is_some_and(|search| search != LocalSearch::LinKernighan),
            self.candidates.is_some(),
            self.selection.is_some(),
            self.memory.is_some(),
            self.trails.is_some(),
            self.deposit.is_some(),
            self.local_update.is_some(),
            self.update_period.is_some(),
            self.best_on.is_some(),
            self.trail_update.is_some(),
            self.start.is_some(),
            self.focus.is_some(),
            self.strategy.is_some(),
            self.tabu.is_some(),
            self.lanes.is_some(),
            self.stagnation.is_some(),
            self.schedule.is_some(),
            self.elitist.is_some(),
            self.ranks.is_some(),
            self.tabu_iterations.is_some(),
            self.tabu_tenure.is_some(),
            self.assignment.is_some(),
            self.colonies.is_some_and(|colonies| colonies > 1),
        ];
        let numbers = [
            self.alpha,
            self.beta,
            self.evaporation,
            self.p_best,
            self.average_options,
            self.gamma,
            self.q0,
            self.local_evaporation,
        ];
        choices.contains(&true) || numbers.iter().any(Option::is_some)
    }
}
