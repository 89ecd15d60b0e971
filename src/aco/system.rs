//! A configuration with every choice made that may change results, and checked for sense.

use serde::Serialize;

use super::acs::AcsParams;
use super::ant_system::AntSystemParams;
use super::assembly::AssemblyParams;
use super::cas::CasParams;
use super::config::{
    Algorithm, BestOn, Candidates, Chains, Config, Deposit, LocalSearch, LocalUpdate, Memory, Selection, Start,
    Strategy, Tabu, TrailUpdate,
};
use super::fixed::{HEURISTIC_TOP, WEIGHT_UNITS, mul_high};
use super::focused::FocusedParams;
use super::mmas::{MmasParams, limit_ratio_fixed};
use crate::error::{Error, Result};
use crate::problem::{Shape, ShapeKind};

/// The fewest candidates that may be asked for (fewer only when the instance has no more cities).
pub const MIN_CANDIDATES: usize = 5;
/// Candidates when none are asked for.
const DEFAULT_CANDIDATES: usize = 32;
/// Trails of a city in a selective memory, when not asked for (Skinderowicz 2016, section 3.2).
pub(super) const DEFAULT_TRAILS: u32 = 8;
/// Candidates of ants that search instead of constructing.
pub(crate) const SEARCHED_CANDIDATES: usize = 10;
/// The most cities of ants that construct: choice information packs a city into 16 bits.
pub(crate) const MAX_CITIES: usize = 65_536;
/// The most ants.
const MAX_ANTS: usize = 1 << 20;
/// The most cities that lists take from each quadrant first.
const MAX_QUADRANTS: u32 = 2;

/// The parameters of the ant system that runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "algorithm", rename_all = "lowercase")]
#[expect(missing_docs, reason = "named after their types")]
pub enum Parameters {
    As(AntSystemParams),
    Acs(AcsParams),
    Mmas(MmasParams),
    Cas(CasParams),
    Focused(FocusedParams),
    Assembly(AssemblyParams),
}

/// A configuration for an instance of a known size: what decides results, with nothing left open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "as in Config")]
pub struct System {
    pub parameters: Parameters,
    pub selection: Selection,
    /// Candidates of a city; all other cities when `full`.
    pub candidates: usize,
    /// So many nearest in each quadrant come first into lists of candidates and neighbours; 0: the nearest alone.
    pub quadrants: u32,
    /// Whether ants weigh whole rows of the matrix and have no candidate lists.
    pub full: bool,
    pub memory: Memory,
    /// Trails of a city in a selective memory.
    pub trails: u32,
    pub deposit: Deposit,
    pub local_update: LocalUpdate,
    pub update_period: u32,
    pub local_search: LocalSearch,
    pub chains: Chains,
    pub best_on: BestOn,
    pub trail_update: TrailUpdate,
    pub start: Start,
    /// Cities that an ant places anew after the first iteration; 0: all.
    pub focus: u32,
    pub ants: usize,
    pub seed: u64,
    /// Whether the way from a city to another may cost something else than the way back.
    pub directed: bool,
    /// How assignments are searched; `None` for tours.
    pub exchanges: Option<Exchanges>,
}

/// The search of assignments by exchanging two facilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exchanges {
    /// Iterations on each assignment: of tabu search exactly, of 2-opt at most.
    pub iterations: u32,
    /// A tabu lasts for tenure · r³ iterations, rounded down, with r uniform in [0, 1).
    pub tenure: u32,
    /// Whether neither matrix is symmetric.
    pub asymmetric: bool,
}

impl System {
    /// The system that `config` asks for on an instance of this shape.
    ///
    /// # Errors
    /// [`Error::Config`] for a parameter out of range and for a combination that makes no sense, with the reason.
    pub fn new(shape: &Shape, config: &Config) -> Result<Self> {
        super::colonies::check(config)?;
        let directed = match shape.kind {
            ShapeKind::Assignment { structured, asymmetric } => {
                return super::assignment::system(shape.size, structured, asymmetric, config);
            }
            ShapeKind::Tour { directed, .. } => directed,
        };
        if config.quadrants > MAX_QUADRANTS {
            let given = config.quadrants;
            return Err(Error::Config(format!("quadrants must lie in 0 to {MAX_QUADRANTS}, not {given}")));
        }
        if config.algorithm == Some(Algorithm::Focused) {
            return super::focused::system(shape.size, directed, config);
        }
        if config.algorithm == Some(Algorithm::Assembly) {
            return super::assembly::system(shape.size, directed, config);
        }
        let cities = shape.size;
        let algorithm = config.algorithm.unwrap_or(Algorithm::Mmas);
        let local_search = config.local_search.unwrap_or(match directed {
            true => LocalSearch::Insertion,
            false => LocalSearch::TwoOpt,
        });
        let others = cities.saturating_sub(1);
        let all = config.candidates == Some(Candidates::All);
        let candidates = match config.candidates.unwrap_or(Candidates::Nearest(DEFAULT_CANDIDATES)) {
            Candidates::All => others,
            Candidates::Nearest(k) if k < MIN_CANDIDATES => {
                return Err(Error::Config(format!("candidates must be 'all' or at least {MIN_CANDIDATES}, not {k}")));
            }
            Candidates::Nearest(k) => k.min(others),
        };
        // A list of all others holds every quadrant's.
        let least = 4 * config.quadrants as usize;
        if candidates < least.min(others) {
            return Err(Error::Config(format!(
                "candidates must be at least {least} with quadrants {}, not {candidates}",
                config.quadrants
            )));
        }
        let memory = config.memory.unwrap_or(match algorithm {
            Algorithm::Mmas if !all => Memory::Candidates,
            _ => Memory::Matrix,
        });
        let searches = local_search != LocalSearch::None;
        let ants = config.ants.unwrap_or_else(|| default_ants(cities, searches));
        check_ants(ants)?;
        let acs = algorithm == Algorithm::Acs;
        let parameters = match algorithm {
            Algorithm::Cas | Algorithm::Focused | Algorithm::Assembly => {
                return Err(Error::Config(
                    "cunning ants work on assignments; choose algorithm 'mmas', 'acs' or 'as' for tours".into(),
                ));
            }
            Algorithm::As => Parameters::As(config.ant_system.unwrap_or_default()),
            Algorithm::Acs => Parameters::Acs(config.acs.unwrap_or_default()),
            Algorithm::Mmas => Parameters::Mmas(config.mmas_on_tours()),
        };
        let system = Self {
            parameters,
            selection: config.selection,
            candidates,
            quadrants: config.quadrants,
            full: all && memory == Memory::Matrix && !acs,
            memory,
            trails: config.trails.unwrap_or(DEFAULT_TRAILS),
            deposit: config.deposit,
            local_update: config.local_update.unwrap_or(match (acs, memory) {
                (true, Memory::Selective) => LocalUpdate::Relaxed,
                (true, _) => LocalUpdate::Synchronous,
                (false, _) => LocalUpdate::None,
            }),
            update_period: config.update_period.unwrap_or(1),
            local_search,
            chains: config.chains.unwrap_or_default(),
            best_on: config.best_on,
            trail_update: config.trail_update,
            start: config.start,
            focus: config.focus.map_or(0, |focus| focus.min(others as u32)),
            ants,
            seed: config.seed,
            directed,
            exchanges: None,
        };
        system.check(config)?;
        Ok(system)
    }

    /// The system of ants that have tours and search by Lin-Kernighan chains, instead of constructing.
    pub(super) fn that_searches(parameters: Parameters, cities: usize, ants: usize, config: &Config) -> Self {
        Self {
            parameters,
            selection: config.selection,
            candidates: SEARCHED_CANDIDATES.min(cities.saturating_sub(1)),
            quadrants: config.quadrants,
            full: false,
            memory: Memory::Candidates,
            trails: DEFAULT_TRAILS,
            deposit: config.deposit,
            local_update: LocalUpdate::None,
            update_period: 1,
            local_search: LocalSearch::LinKernighan,
            chains: Chains::Wide,
            best_on: config.best_on,
            trail_update: config.trail_update,
            start: config.start,
            focus: 0,
            ants,
            seed: config.seed,
            directed: false,
            exchanges: None,
        }
    }

    fn check(&self, config: &Config) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Config(reason.to_owned()));
        match &self.parameters {
            Parameters::As(parameters) => parameters.validate(self.ants)?,
            Parameters::Acs(parameters) => parameters.validate()?,
            Parameters::Mmas(parameters) => parameters.validate()?,
            Parameters::Cas(parameters) => parameters.validate()?,
            Parameters::Focused(parameters) => parameters.validate()?,
            Parameters::Assembly(parameters) => parameters.validate()?,
        }
        let algorithm = self.algorithm();
        check_owner(algorithm, config)?;
        if self.local_search == LocalSearch::Tabu {
            return refuse("tabu search works on assignments; choose another local search for tours");
        }
        check_no_assignment(config)?;
        match (algorithm, self.memory) {
            (Algorithm::As, Memory::Candidates) => {
                return refuse("an Ant System's ants deposit on every edge they walk: it needs memory 'matrix'");
            }
            (Algorithm::Acs, Memory::Candidates) => {
                return refuse(
                    "an Ant Colony System updates every edge its ants walk: it needs memory 'matrix' or 'selective'",
                );
            }
            (Algorithm::As | Algorithm::Mmas, Memory::Selective) => {
                return refuse(
                    "a selective memory forgets trails by local updates, which only an Ant Colony System makes",
                );
            }
            _ => {}
        }
        if algorithm != Algorithm::Acs && self.local_update != LocalUpdate::None {
            return refuse("only an Ant Colony System has a local update");
        }
        if self.memory == Memory::Selective && self.local_update == LocalUpdate::Synchronous {
            return refuse(
                "a selective memory depends on the order of its updates: local update 'relaxed' or 'none' goes with it",
            );
        }
        if self.memory != Memory::Selective && config.trails.is_some() {
            return refuse("the number of trails of a city goes with memory 'selective' alone");
        }
        if !(1..=32).contains(&self.trails) {
            return Err(Error::Config(format!("trails of a city must lie in 1 to 32, not {}", self.trails)));
        }
        if self.update_period == 0 || (self.local_update == LocalUpdate::None && config.update_period.is_some()) {
            return refuse("the period of local updates must be at least 1, and needs a local update");
        }
        if algorithm != Algorithm::Mmas && self.trail_update != TrailUpdate::Fused {
            return refuse("only a MAX-MIN Ant System has its trail updates fused or separate");
        }
        if config.focus.is_some_and(|focus| focus < 2) {
            return refuse("a focused ant must place at least 2 cities anew");
        }
        if self.focus > 0 && (self.memory != Memory::Candidates || self.start != Start::Random) {
            return refuse(
                "focused ants follow a MAX-MIN Ant System's candidate lists and start at random: memory 'candidates'",
            );
        }
        if self.focus > 0
            && (config.strategy == Some(Strategy::Coarse) || config.tabu.is_some_and(|tabu| tabu != Tabu::Bt))
        {
            return refuse("focused ants take over visited cities as a bitmask: strategy 'fine' and tabu 'bt'");
        }
        if self.trail_update == TrailUpdate::Separate && self.memory != Memory::Matrix {
            return refuse("separate trail updates work on all edges: they need memory 'matrix'");
        }
        if config.chains.is_some() && self.local_search != LocalSearch::LinKernighan {
            return refuse("chains are those of local search 'lk'");
        }
        let pieces = matches!(self.local_search, LocalSearch::TwoOptPieces | LocalSearch::TwoHalfOptPieces);
        if self.quadrants > 0 && self.full && (pieces || !self.searches()) {
            return refuse(
                "quadrants go with lists of candidates or of a local search's neighbours, and here are none",
            );
        }
        if self.directed && !matches!(self.local_search, LocalSearch::None | LocalSearch::Insertion) {
            return Err(Error::Config(format!(
                "'{}' reverses parts of a tour, whose cost differs backwards in an asymmetric instance: \
                 choose local search 'insertion' or 'none'",
                self.local_search
            )));
        }
        Ok(())
    }

    /// The ant system.
    pub fn algorithm(&self) -> Algorithm {
        match self.parameters {
            Parameters::As(_) => Algorithm::As,
            Parameters::Acs(_) => Algorithm::Acs,
            Parameters::Mmas(_) => Algorithm::Mmas,
            Parameters::Cas(_) => Algorithm::Cas,
            Parameters::Focused(_) => Algorithm::Focused,
            Parameters::Assembly(_) => Algorithm::Assembly,
        }
    }

    /// Whether ants end with a local search.
    pub fn searches(&self) -> bool {
        self.local_search != LocalSearch::None
    }

    /// Whether all kernels of this system can do with coordinates.
    pub(crate) fn needs_no_matrix(&self) -> bool {
        matches!(self.parameters, Parameters::Mmas(_) | Parameters::Assembly(_))
            && self.memory == Memory::Candidates
            && self.local_search == LocalSearch::LinKernighan
    }

    /// The heuristic exponent.
    pub fn beta(&self) -> f64 {
        match &self.parameters {
            Parameters::As(parameters) => parameters.beta,
            Parameters::Acs(parameters) => parameters.beta,
            Parameters::Mmas(parameters) => parameters.beta,
            Parameters::Cas(_) | Parameters::Focused(_) | Parameters::Assembly(_) => 0.0,
        }
    }

    /// The trail exponent · 256.
    pub fn alpha_fixed(&self) -> u32 {
        let alpha = match &self.parameters {
            Parameters::As(parameters) => parameters.alpha,
            Parameters::Acs(_) | Parameters::Focused(_) | Parameters::Assembly(_) => 1.0,
            Parameters::Mmas(parameters) => parameters.alpha,
            Parameters::Cas(parameters) => parameters.alpha,
        };
        (alpha * 256.0 + 0.5) as u32
    }

    /// The heuristic exponent · 256.
    pub fn beta_fixed(&self) -> u32 {
        (self.beta() * 256.0 + 0.5) as u32
    }

    /// The trails that a run begins with, and the lowest that the first iteration knows, in units of
    /// [`super::fixed::TRAIL_ONE`] for the nearest-neighbour tour.
    pub fn first_trails(&self, cities: usize) -> (u32, u32) {
        match &self.parameters {
            Parameters::As(parameters) => (parameters.first_trail(), AntSystemParams::TRAIL_MIN),
            Parameters::Acs(_) => (AcsParams::first_trail(cities), AcsParams::first_trail(cities)),
            Parameters::Mmas(_) | Parameters::Cas(_) | Parameters::Focused(_) | Parameters::Assembly(_) => {
                let max = super::fixed::TRAIL_ONE;
                (max, mul_high(max, self.limit_ratio_fixed(cities)).max(1))
            }
        }
    }

    /// The lower over the upper trail limit, times 2³², at least 1; 1 for systems without limits.
    pub fn limit_ratio_fixed(&self, cities: usize) -> u32 {
        match &self.parameters {
            Parameters::Mmas(parameters) => limit_ratio_fixed(parameters.p_best, parameters.average_options, cities),
            Parameters::Cas(parameters) => limit_ratio_fixed(parameters.p_best, None, cities),
            _ => 1,
        }
    }

    /// The greatest selection weight that can be, in octaves: roulette gives it the greatest linear weight.
    pub fn top_octave(&self, cities: usize) -> u32 {
        let spread = match &self.parameters {
            Parameters::As(_) => (u32::MAX / AntSystemParams::TRAIL_MIN).ilog2() + 1,
            Parameters::Acs(_) => (u32::MAX / AcsParams::first_trail(cities)).ilog2() + 1,
            Parameters::Mmas(_) | Parameters::Cas(_) | Parameters::Focused(_) | Parameters::Assembly(_) => {
                33 - self.limit_ratio_fixed(cities).ilog2()
            }
        };
        let top = HEURISTIC_TOP + ((self.alpha_fixed() * spread * WEIGHT_UNITS) >> 8);
        top.min(u32::from(u16::MAX)) / WEIGHT_UNITS
    }
}

pub(super) fn check_ants(ants: usize) -> Result<()> {
    match ants {
        1..=MAX_ANTS => Ok(()),
        _ => Err(Error::Config(format!("ants must lie in 1 to {MAX_ANTS}, not {ants}"))),
    }
}

/// Refuses options that only the search of assignments has.
pub(super) fn check_no_assignment(config: &Config) -> Result<()> {
    if config.tabu_iterations.is_some() || config.tabu_tenure.is_some() || config.assignment.is_some() {
        let reason = "tabu iterations, tabu tenure and assignment belong to the search of assignments";
        return Err(Error::Config(reason.into()));
    }
    Ok(())
}

/// Parameters of another system than the one that runs contradict it.
pub(super) fn check_owner(algorithm: Algorithm, config: &Config) -> Result<()> {
    for (given, owner) in [
        (config.ant_system.is_some(), Algorithm::As),
        (config.acs.is_some(), Algorithm::Acs),
        (config.mmas.is_some(), Algorithm::Mmas),
        (config.cas.is_some(), Algorithm::Cas),
        (config.focused.is_some(), Algorithm::Focused),
        // Focused ants go on with it.
        (config.assembly.is_some() && algorithm != Algorithm::Focused, Algorithm::Assembly),
    ] {
        if given && owner != algorithm {
            return Err(Error::Config(format!("parameters of '{owner}' do not go with algorithm '{algorithm}'")));
        }
    }
    Ok(())
}

/// Ants by instance size: the same on every device, so that the same seed gives the same tours.
fn default_ants(cities: usize, searches: bool) -> usize {
    if searches { 32 } else { cities.clamp(1, 1024) }
}
