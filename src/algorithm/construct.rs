//! Ants that construct solutions, and a memetic algorithm that crosses assignments in their place: with every choice made that may change
//! results.

use serde::Serialize;

use super::acs::AcsParams;
use super::ant_system::AntSystemParams;
use super::cas::CasParams;
use super::choices::{
    BestOn, Breadth, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Start, Strategy,
    TrailUpdate, Visited,
};
use super::fixed::{HEURISTIC_TOP, MOST_WEIGHT, TRAIL_ONE, WEIGHT_UNITS, mul_high};
use super::memetic::MemeticParams;
use super::mmas::{MmasParams, limit_ratio_fixed};
use super::value::{Kind, Value, named_values};
use crate::error::{Error, Result};
use crate::wgsl::constant;

/// The fewest candidates that may be asked for (fewer only when the instance has no more cities).
pub const MIN_CANDIDATES: usize = 5;
/// Candidates of ants that search by Lin-Kernighan moves, and of all that does not construct.
pub(crate) const SEARCHED_CANDIDATES: usize = 10;
/// The most cities of ants that construct: choice information packs a city into 16 bits.
pub(crate) const MAX_CITIES: usize = 65_536;
/// The most invocations of a workgroup that may be asked for.
const MOST_LANES: u32 = 1024;
/// The most ants.
const MAX_ANTS: usize = 1 << 20;

/// How ants lay trails and choose by them, or where else solutions come from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "algorithm", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rule {
    /// Ant System.
    As(AntSystemParams),
    /// Ant Colony System.
    Acs(AcsParams),
    /// MAX-MIN Ant System.
    Mmas(MmasParams),
    /// Cunning Ant System.
    Cas(CasParams),
    /// No trails: a population and its crossover.
    Memetic(MemeticParams),
}

impl Rule {
    /// The name of the parameter that says how many ants, units or individuals there are.
    pub(crate) fn units_parameter(&self) -> &'static str {
        match self {
            Self::Cas(_) => "units",
            Self::Memetic(_) => "population",
            _ => "ants",
        }
    }
}

/// The first iteration of the ants, counted from 0, in which searches of assignments have all their iterations.
pub const FULL_FROM: u32 = constant!("qap/tabu_search", "FULL_FROM");

/// The search of assignments by exchanging two facilities: robust tabu search (Taillard 1991), or 2-opt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AssignmentSearch {
    /// Iterations on each assignment: of tabu search exactly, of 2-opt at most.
    pub iterations: u32,
    /// Iterations in the first iteration of the ants; in each next one twice as many, from the eighth on all.
    pub first_iterations: u32,
    /// A tabu lasts for tenure · r³ iterations, rounded down, with r uniform in [0, 1).
    pub tenure: u32,
    /// Whether neither matrix is symmetric.
    pub asymmetric: bool,
    /// So many of the last facilities stand for empty locations: two of them are never exchanged.
    #[serde(skip)]
    pub empty: usize,
    /// Whether some of the others may stand for each other, so that to exchange them changes nothing.
    #[serde(skip)]
    pub alike: bool,
}

/// Iterations of a search of `all` and at first `first` iterations in an iteration of the ants, counted from 0; `iterations_of` in
/// `shaders/qap/tabu_search.wgsl`.
pub(crate) fn search_iterations(all: u32, first: u32, iteration: u32) -> u32 {
    if iteration < FULL_FROM { all.min(first << iteration) } else { all }
}

impl AssignmentSearch {
    /// Iterations of tabu search on one assignment in so many iterations of the ants, from the first one on.
    pub(crate) fn tabu_iterations(&self, iterations: u32) -> u64 {
        let growing = (0..iterations.min(FULL_FROM))
            .map(|iteration| search_iterations(self.iterations, self.first_iterations, iteration));
        growing.map(u64::from).sum::<u64>()
            + u64::from(iterations.saturating_sub(FULL_FROM)) * u64::from(self.iterations)
    }
}

/// How a device is to run the ants; changes no result. `None` leaves it to the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// How ants are laid over invocations.
    pub strategy: Option<Strategy>,
    /// How ants keep their visited sets.
    pub visited: Option<Visited>,
    /// Invocations of a workgroup.
    pub lanes: Option<u32>,
    /// How moves of an assignment's search are evaluated.
    pub move_evaluation: Option<MoveEvaluation>,
}

/// Ants that construct, with nothing left open that decides results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "as in the settings of each algorithm")]
#[non_exhaustive]
pub struct Construct {
    pub rule: Rule,
    pub selection: Selection,
    /// Candidates of a city; all other cities when `full`.
    pub candidates: usize,
    /// How many nearest cities of each quadrant come first in lists of candidates and neighbours; 0: the nearest of all alone.
    pub quadrants: u32,
    /// Whether ants weigh whole rows of the matrix and have no candidate lists.
    pub full: bool,
    pub memory: Memory,
    /// Trails of a city in a selective memory.
    pub memory_size: u32,
    pub deposit: Deposit,
    pub local_update: LocalUpdate,
    pub update_period: u32,
    pub local_search: LocalSearch,
    pub breadth: Breadth,
    pub best_on: BestOn,
    pub trail_update: TrailUpdate,
    pub start: Start,
    /// Whether the first solutions are patched assignments instead of ants' own.
    pub patched_first: bool,
    /// Cities of the segment that an ant constructs from the second iteration on (Focused ACO); 0: all.
    pub focus: u32,
    pub ants: usize,
    pub seed: u64,
    /// Whether an edge may cost more in one direction than in the other.
    pub directed: bool,
    /// How assignments are searched; `None` for tours.
    pub assignment: Option<AssignmentSearch>,
    /// What the device is asked for.
    pub run: Run,
}

impl Construct {
    /// The same, if the invocations of a workgroup that are asked for make sense.
    ///
    /// # Errors
    /// [`Error::Config`] with the range.
    pub(crate) fn with_lanes_checked(self) -> Result<Self> {
        let Some(lanes) = self.run.lanes else { return Ok(self) };
        let wheel = self.run.strategy != Some(Strategy::Coarse) && self.selection == Selection::Rwm;
        let least = if wheel || self.run.move_evaluation == Some(MoveEvaluation::Mata) { 2 } else { 1 };
        match (least..=MOST_LANES).contains(&lanes) && lanes.is_power_of_two() {
            true => Ok(self),
            false => {
                Err(Error::Config(format!("lanes must be a power of two from {least} to {MOST_LANES}, not {lanes}")))
            }
        }
    }

    /// The name of the ant system, or of the memetic algorithm.
    pub fn name(&self) -> &'static str {
        match self.rule {
            Rule::As(_) => "as",
            Rule::Acs(_) => "acs",
            Rule::Mmas(_) if self.focus > 0 => "faco",
            Rule::Mmas(_) => "mmas",
            Rule::Cas(_) => "cas",
            Rule::Memetic(_) => "memetic",
        }
    }

    /// What its ants are called.
    pub fn units_name(&self) -> &'static str {
        if matches!(self.rule, Rule::Memetic(_)) { "individuals" } else { self.rule.units_parameter() }
    }

    /// The name of the parameter that says how many there are.
    pub fn units_parameter(&self) -> &'static str {
        self.rule.units_parameter()
    }

    /// Whether ants end with a local search.
    pub fn searches(&self) -> bool {
        self.local_search != LocalSearch::None
    }

    /// Whether all kernels of this system can do with coordinates.
    pub(crate) fn needs_no_matrix(&self) -> bool {
        matches!(self.rule, Rule::Mmas(_))
            && self.memory == Memory::Candidates
            && self.local_search == LocalSearch::LinKernighan
    }

    /// The heuristic exponent.
    pub fn beta(&self) -> f64 {
        match &self.rule {
            Rule::As(parameters) => parameters.beta,
            Rule::Acs(parameters) => parameters.beta,
            Rule::Mmas(parameters) => parameters.beta,
            Rule::Cas(_) | Rule::Memetic(_) => 0.0,
        }
    }

    /// The trail exponent · 256.
    pub fn alpha_fixed(&self) -> u32 {
        let alpha = match &self.rule {
            Rule::As(parameters) => parameters.alpha,
            Rule::Acs(_) => 1.0,
            Rule::Mmas(parameters) => parameters.alpha,
            Rule::Cas(parameters) => parameters.alpha,
            Rule::Memetic(_) => 0.0,
        };
        (alpha * 256.0 + 0.5) as u32
    }

    /// The heuristic exponent · 256.
    pub fn beta_fixed(&self) -> u32 {
        (self.beta() * 256.0 + 0.5) as u32
    }

    /// The trails that a run begins with, and the lowest that the first iteration knows, in units of [`TRAIL_ONE`] for the
    /// nearest-neighbour tour.
    pub fn first_trails(&self, cities: usize) -> (u32, u32) {
        match &self.rule {
            Rule::As(parameters) => (parameters.first_trail(), AntSystemParams::TRAIL_MIN),
            Rule::Acs(_) => (AcsParams::first_trail(cities), AcsParams::first_trail(cities)),
            Rule::Mmas(_) | Rule::Cas(_) => (TRAIL_ONE, mul_high(TRAIL_ONE, self.limit_ratio_fixed(cities)).max(1)),
            Rule::Memetic(_) => (0, 0),
        }
    }

    /// The lower over the upper trail limit, times 2³², at least 1; 1 for systems without limits.
    pub fn limit_ratio_fixed(&self, cities: usize) -> u32 {
        match &self.rule {
            Rule::Mmas(parameters) => limit_ratio_fixed(parameters.p_best, parameters.average_options, cities),
            Rule::Cas(parameters) => limit_ratio_fixed(parameters.p_best, None, cities),
            _ => 1,
        }
    }

    /// The greatest selection weight that can be, in octaves: roulette gives it the greatest linear weight.
    pub fn top_octave(&self, cities: usize) -> u32 {
        let spread = match &self.rule {
            Rule::As(_) => (u32::MAX / AntSystemParams::TRAIL_MIN).ilog2() + 1,
            Rule::Acs(_) => (u32::MAX / AcsParams::first_trail(cities)).ilog2() + 1,
            Rule::Mmas(_) | Rule::Cas(_) => 33 - self.limit_ratio_fixed(cities).ilog2(),
            Rule::Memetic(_) => 0,
        };
        let top = HEURISTIC_TOP + ((self.alpha_fixed() * spread * WEIGHT_UNITS) >> 8);
        top.min(MOST_WEIGHT) / WEIGHT_UNITS
    }

    /// By name, as the settings of its algorithm call them, for so many cities.
    pub fn parameters(&self, cities: usize) -> Vec<(&'static str, Value)> {
        let mut all = vec![(self.units_parameter(), self.ants.to_value())];
        let tours = self.assignment.is_none();
        if self.focus > 0 {
            all.push(("focus", self.focus.to_value()));
        }
        all.extend(match &self.rule {
            Rule::As(parameters) => parameters.parameters(),
            Rule::Acs(parameters) => parameters.parameters(cities),
            Rule::Mmas(parameters) => parameters.parameters(tours, cities),
            Rule::Cas(parameters) => parameters.parameters(),
            Rule::Memetic(parameters) => parameters.parameters(),
        });
        match self.rule {
            Rule::Acs(_) => {
                all.push(("memory", self.memory.to_value()));
                if self.memory == Memory::Selective {
                    all.push(("memory_size", self.memory_size.to_value()));
                }
                all.extend(named_values![local_update = self.local_update]);
                if self.local_update != LocalUpdate::None {
                    all.extend(named_values![update_period = self.update_period]);
                }
            }
            Rule::Mmas(_) if tours && self.focus == 0 => all.push(("memory", self.memory.to_value())),
            _ => {}
        }
        if !matches!(self.rule, Rule::Memetic(_)) {
            all.extend(named_values![selection = self.selection]);
        }
        if tours {
            let candidates = if self.full { Candidates::All } else { Candidates::Nearest(self.candidates) };
            all.extend(named_values![candidates = candidates, quadrants = self.quadrants]);
        }
        all.extend(named_values![local_search = self.local_search]);
        if self.local_search == LocalSearch::LinKernighan {
            all.extend(named_values![breadth = self.breadth]);
        }
        if tours && self.focus == 0 {
            all.extend(named_values![start_cities = self.start]);
        }
        if let Some(search) = self.assignment.filter(|_| self.searches()) {
            all.extend(named_values![
                search_iterations = search.iterations,
                first_iterations = search.first_iterations
            ]);
            if self.local_search == LocalSearch::Tabu {
                all.extend(named_values![tenure = search.tenure]);
            }
        }
        all
    }
}

/// Checks how many ants there are.
pub(crate) fn check_ants(name: &str, ants: usize, least: usize) -> Result<()> {
    match (least..=MAX_ANTS).contains(&ants) {
        true => Ok(()),
        false => Err(Error::Config(format!("{name} must lie in {least} to {MAX_ANTS}, not {ants}"))),
    }
}
