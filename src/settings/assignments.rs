//! Ants that construct assignments: defaults, and what is refused.

use super::Effort;
use super::asked::{Cunning, Execution, MaxMin, Memetic};
use super::construct::{DEFAULT_MEMORY_SIZE, max_min_parameters, named, refuse_execution};
use super::recipe::{Begins, Ends, Phase, Restart};
use crate::algorithm::cas::CasParams;
use crate::algorithm::choices::{
    BestOn, Breadth, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, Selection, Start, Strategy,
};
use crate::algorithm::construct::{AssignmentSearch, Construct, Rule, Run, check_ants};
use crate::algorithm::memetic::MemeticParams;
use crate::algorithm::mmas::MmasParams;
use crate::algorithm::range::{self, exponent};
use crate::error::{Error, Result};
use crate::instance::qap::Structure;

/// Of a search of an assignment, times the number of facilities: empty ones count, but not for the iterations of tabu searches of children.
#[derive(Clone, Copy)]
struct Search {
    iterations: u32,
    first_iterations: u32,
    tenure: u32,
}

/// For entries as if drawn at random: measured (`docs/results/2026-11-tabu-search.md`).
const RANDOM: Search = Search { iterations: 1000, first_iterations: 25, tenure: 1 };
/// The same of the many units of a large GPU, which together find more in longer searches: measured (`docs/results/2026-11-tabu-search.md`).
const RANDOM_LARGE: Search = Search { iterations: 3000, ..RANDOM };
/// Of a child in a memetic algorithm where entries differ very much: measured, as those of the next three (`docs/results/2026-11-memetic.md`).
const DOMINANT_CHILD: Search = Search { iterations: 1, first_iterations: 1, tenure: 1 };
/// The most exchanges of a descent, which ends where none gains: of 1,000 facilities none from a random assignment needs so many.
const DESCENT: Search = Search { iterations: 4, first_iterations: 4, tenure: 1 };
/// For distances between places.
const PLACES_CHILD: Search = Search { iterations: 10, first_iterations: 10, tenure: 2 };
/// For entries as if drawn at random.
const RANDOM_CHILD: Search = Search { iterations: 100, first_iterations: 100, tenure: 2 };
/// The longest tenure of its search, as a part of the facilities, where some are alike, all of which a tabu holds for.
const ALIKE_TENURE: u32 = 12;
/// For distances between places: measured (`docs/results/2026-11-assignments.md`).
const PLACES: Search = Search { iterations: 100, first_iterations: 100, tenure: 4 };
/// For entries that differ very much: Tsutsui and Fujimoto 2011, table 4.
const DOMINANT: Search = Search { iterations: 4, first_iterations: 4, tenure: 1 };
/// The share that a cunning ant constructs where entries are as if drawn at random.
const RANDOM_GAMMA: f64 = 0.25;
/// But no more than their searches keep in so many words, with some 2.5 words for each facility and location (2 where the table lies
/// in registers, else 3): half of the least storage binding that every device has.
const UNIT_WORDS: usize = 1 << 24;
/// The same on a large device, whose storage bindings hold 2 GiB at least.
const LARGE_UNIT_WORDS: usize = 1 << 28;
/// Individuals of a memetic algorithm: 4 a facility where entries differ very much, but no more than these, else one a facility;
/// measured (`docs/results/2026-11-memetic.md`).
const MOST_INDIVIDUALS: usize = 400;
/// But no fewer than these.
const LEAST_INDIVIDUALS: usize = 16;
/// Restarts each of which doubles the population.
const DOUBLINGS: u32 = 2;
/// Ants of a MAX-MIN Ant System (Stützle and Hoos 2000, section 5.2).
const MMAS_ANTS: usize = 5;
/// Units that fill a large GPU, of instances whose entries do not differ very much: two for each processor of an H200.
const LARGE_UNITS: usize = 264;
/// Longest tenure that may be asked for.
const MAX_TENURE: u32 = 1 << 20;
/// Most iterations of a search.
const MAX_ITERATIONS: u32 = 1 << 24;

/// What is being resolved: an instance for assignments, and what is asked for beside the algorithm.
pub(super) struct Assignments<'a> {
    pub facilities: usize,
    /// What the matrices look like.
    pub structure: Structure,
    /// Whether neither matrix is symmetric.
    pub asymmetric: bool,
    /// So many of the last facilities stand for empty locations.
    pub empty: usize,
    /// Whether some of the others may stand for each other.
    pub alike: bool,
    pub seed: u64,
    /// Resolved: never [`Effort::Auto`].
    pub effort: Effort,
    pub execution: &'a Execution,
}

/// What both algorithms have in common, as asked for.
struct Common {
    units: Option<u32>,
    selection: Option<Selection>,
    local_search: Option<LocalSearch>,
    search_iterations: Option<u32>,
    first_iterations: Option<u32>,
    tenure: Option<u32>,
}

fn refuse<T>(what: &str, remedy: &str) -> Result<T> {
    Err(Error::Config(format!("{what} means nothing for an assignment: {remedy}")))
}

impl Assignments<'_> {
    /// The only phase of ants or of a population, and what follows when it ends: it starts again where these stand still for long enough.
    pub fn phase(&self, construct: Construct) -> (Phase, Option<Restart>) {
        let phase = Phase::alone(construct, Begins::CentralLocations);
        let (stagnation, doublings) = match construct.rule {
            Rule::Cas(CasParams { stagnation, .. }) => (stagnation, 0),
            Rule::Memetic(MemeticParams { stagnation, .. }) => (stagnation, DOUBLINGS),
            _ => (0, 0),
        };
        if stagnation == 0 {
            return (phase, None);
        }
        let ends = Ends::NoGain { iterations: stagnation };
        let most = if doublings > 0 { construct.ants.max(self.most_units()) } else { construct.ants };
        (Phase { ends, ..phase }, Some(Restart { from_phase: 0, doublings, most }))
    }

    pub fn cunning(&self, asked: &Cunning) -> Result<Construct> {
        let dominant = self.structure == Structure::Dominant;
        let mut default = CasParams::for_instance(dominant);
        if self.structure == Structure::Random {
            default.gamma = RANDOM_GAMMA;
            default.stagnation = (self.facilities as u32).div_ceil(2);
        }
        let parameters = CasParams {
            alpha: exponent(asked.alpha.unwrap_or(default.alpha)),
            evaporation: asked.evaporation.unwrap_or(default.evaporation),
            gamma: asked.gamma.unwrap_or(default.gamma),
            p_best: asked.p_best.unwrap_or(default.p_best),
            stagnation: asked.stagnation.unwrap_or(default.stagnation),
        };
        parameters.validate()?;
        let standard = match self.structure {
            Structure::Random => self.facilities.div_ceil(4),
            Structure::Places => self.facilities.div_ceil(2),
            Structure::Dominant => 4 * self.facilities,
        };
        let units = self.units(standard);
        let common = Common {
            units: asked.units,
            selection: asked.selection,
            local_search: asked.local_search,
            search_iterations: asked.search_iterations,
            first_iterations: asked.first_iterations,
            tenure: asked.tenure,
        };
        self.construct(Rule::Cas(parameters), units, &common)
    }

    pub fn memetic(&self, asked: &Memetic) -> Result<Construct> {
        let dominant = self.structure == Structure::Dominant;
        let default = MemeticParams::default();
        let parameters = MemeticParams {
            mutation: asked.mutation.unwrap_or(default.mutation),
            stagnation: asked.stagnation.unwrap_or(default.stagnation),
        };
        parameters.validate()?;
        let construction = ["strategy", "visited", "best_on", "deposit", "trail_update"];
        refuse_execution(self.execution, &construction, &named("memetic"), "which does not construct")?;
        let common = Common {
            units: asked.population,
            selection: None,
            local_search: asked.local_search,
            search_iterations: asked.search_iterations,
            first_iterations: asked.first_iterations,
            tenure: asked.tenure,
        };
        let standard = if dominant { (4 * self.facilities).min(MOST_INDIVIDUALS) } else { self.facilities };
        self.construct(Rule::Memetic(parameters), self.units(standard.max(LEAST_INDIVIDUALS)), &common)
    }

    /// As many as `standard` says, more where a large device has processors for them, no more than have room.
    fn units(&self, standard: usize) -> usize {
        let wanted = match self.effort {
            Effort::Large if self.structure != Structure::Dominant => standard.max(LARGE_UNITS),
            _ => standard,
        };
        wanted.min(self.most_units()).max(MMAS_ANTS)
    }

    /// So many units have room for their searches; a large device has more.
    fn most_units(&self) -> usize {
        let words = if self.effort == Effort::Large { LARGE_UNIT_WORDS } else { UNIT_WORDS };
        (words * 2 / (5 * self.facilities * self.facilities)).max(MMAS_ANTS)
    }

    pub fn max_min(&self, asked: &MaxMin) -> Result<Construct> {
        if matches!(asked.candidates, Some(Candidates::Nearest(_))) {
            return refuse("a candidate list", "ants weigh all free locations");
        }
        if asked.breadth.is_some() {
            return refuse("the breadth of Lin-Kernighan moves", "leave out 'breadth'");
        }
        if asked.quadrants.is_some_and(|quadrants| quadrants > 0) {
            return refuse("the number of quadrant neighbours", "leave out 'quadrants'");
        }
        if asked.memory.is_some_and(|memory| memory != Memory::Matrix) {
            return refuse("a pheromone memory other than 'matrix'", "each facility has a trail to each location");
        }
        if asked.start_cities.is_some() {
            return refuse("a start city", "leave out 'start_cities'");
        }
        if asked.beta.is_some_and(|beta| beta != 0.0) {
            return refuse("a heuristic exponent", "set beta to 0");
        }
        let parameters = max_min_parameters(asked, MmasParams::for_assignments())?;
        let common = Common {
            units: asked.ants,
            selection: asked.selection,
            local_search: asked.local_search,
            search_iterations: asked.search_iterations,
            first_iterations: asked.first_iterations,
            tenure: asked.tenure,
        };
        self.construct(Rule::Mmas(parameters), MMAS_ANTS, &common)
    }

    /// How assignments are searched when not asked for. Of a population whose entries differ very much children that descend to the next
    /// local optimum are sooner at the best cost, but where facilities are alike, so that many exchanges gain nothing.
    fn local_search(&self, rule: Rule) -> LocalSearch {
        match (rule, self.structure) {
            (Rule::Memetic(_), Structure::Dominant) if !self.alike => LocalSearch::TwoOpt,
            _ => LocalSearch::Tabu,
        }
    }

    /// Refuses what means nothing to assignments, or to this local search.
    fn check(&self, local_search: LocalSearch, asked: &Common) -> Result<()> {
        if !matches!(local_search, LocalSearch::None | LocalSearch::TwoOpt | LocalSearch::Tabu) {
            return refuse(&format!("local search '{local_search}'"), "choose 'tabu', '2opt' or 'none'");
        }
        if asked.selection == Some(Selection::IRoulette) {
            return refuse("selection 'i-roulette'", "choose 'wrs' or 'rwm'");
        }
        let execution = self.execution;
        if execution.strategy == Some(Strategy::Coarse) {
            return refuse("strategy 'coarse'", "a workgroup searches each assignment");
        }
        if execution.deposit == Some(Deposit::Serial) || execution.best_on == Some(BestOn::Host) {
            return refuse("serial deposit and the best ant found by the host", "leave them out");
        }
        if local_search == LocalSearch::None {
            let search = [
                ("search_iterations", asked.search_iterations),
                ("first_iterations", asked.first_iterations),
                ("tenure", asked.tenure),
            ];
            if let Some((name, _)) = search.into_iter().find(|(_, value)| value.is_some()) {
                return Err(Error::Config(format!("'{name}' needs a local search: leave it out, or choose 'tabu'")));
            }
            refuse_execution(execution, &["move_evaluation"], "local search 'none'", "which evaluates no moves")?;
        }
        if local_search == LocalSearch::TwoOpt && asked.tenure.is_some() {
            return Err(Error::Config(
                "'tenure' means nothing to local search '2opt', which has no tabus: leave it out, or choose 'tabu'"
                    .into(),
            ));
        }
        Ok(())
    }

    /// How each assignment is searched.
    fn search(&self, rule: Rule, local_search: LocalSearch, asked: &Common) -> Result<AssignmentSearch> {
        let by_facility = match (rule, self.structure) {
            (Rule::Memetic(_), Structure::Random) => RANDOM_CHILD,
            (Rule::Memetic(_), Structure::Places) => PLACES_CHILD,
            (Rule::Memetic(_), Structure::Dominant) if local_search == LocalSearch::TwoOpt => DESCENT,
            (Rule::Memetic(_), Structure::Dominant) => DOMINANT_CHILD,
            (Rule::Cas(_), Structure::Random) if self.effort == Effort::Large => RANDOM_LARGE,
            (Rule::Cas(_), Structure::Random) => RANDOM,
            (_, Structure::Random | Structure::Places) => PLACES,
            (_, Structure::Dominant) => DOMINANT,
        };
        let facilities = self.facilities as u32;
        // Few facilities at many locations have few exchanges: measured (`docs/results/2026-11-memetic.md`).
        let counted = match (rule, local_search) {
            (Rule::Memetic(_), LocalSearch::Tabu) => (facilities - self.empty as u32).max(1),
            _ => facilities,
        };
        let iterations = asked.search_iterations.unwrap_or((by_facility.iterations * counted).min(MAX_ITERATIONS));
        range::whole("search_iterations", iterations, 1, MAX_ITERATIONS)?;
        // Who says how many iterations searches have means all of them.
        let first = asked.search_iterations.unwrap_or(by_facility.first_iterations * counted).min(iterations);
        let first_iterations = asked.first_iterations.unwrap_or(first);
        if !(1..=iterations).contains(&first_iterations) {
            return Err(Error::Config(format!(
                "first_iterations must lie in 1 to {iterations}, which is search_iterations, not {first_iterations}: raise that, too"
            )));
        }
        let part = if matches!(rule, Rule::Memetic(_)) && self.alike { ALIKE_TENURE } else { 1 };
        let tenure = asked.tenure.unwrap_or((by_facility.tenure * facilities).div_ceil(part));
        range::whole("tenure", tenure, 0, MAX_TENURE)?;
        let Self { asymmetric, empty, alike, .. } = *self;
        Ok(AssignmentSearch { iterations, first_iterations, tenure, asymmetric, empty, alike })
    }

    fn construct(&self, rule: Rule, ants: usize, asked: &Common) -> Result<Construct> {
        let local_search = asked.local_search.unwrap_or(self.local_search(rule));
        self.check(local_search, asked)?;
        let ants = asked.units.map_or(ants, |units| units as usize);
        // An individual has children with another one.
        let least = if matches!(rule, Rule::Memetic(_)) { 2 } else { 1 };
        check_ants(rule.units_parameter(), ants, least)?;
        let execution = self.execution;
        let construct = Construct {
            rule,
            selection: asked.selection.unwrap_or_default(),
            candidates: self.facilities,
            quadrants: 0,
            full: true,
            memory: Memory::Matrix,
            memory_size: DEFAULT_MEMORY_SIZE,
            deposit: execution.deposit.unwrap_or_default(),
            local_update: LocalUpdate::None,
            update_period: 1,
            local_search,
            breadth: Breadth::Wide,
            best_on: execution.best_on.unwrap_or_default(),
            trail_update: execution.trail_update.unwrap_or_default(),
            start: Start::Random,
            patched_first: false,
            focus: 0,
            ants,
            seed: self.seed,
            directed: false,
            assignment: Some(self.search(rule, local_search, asked)?),
            run: Run {
                strategy: execution.strategy,
                visited: execution.visited,
                lanes: execution.lanes,
                move_evaluation: execution.move_evaluation,
            },
        };
        construct.with_lanes_checked()
    }
}
