//! The plan of ants that construct solutions.

use serde::Serialize;

use super::{Sizes, check_memory, has_sizes, lanes};
use crate::algorithm::choices::{
    BestOn, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Strategy, Visited,
};
use crate::algorithm::construct::{Construct, ConstructAlgorithm, MAX_CITIES};
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::qap::tabu_search::ExchangePlan;
use crate::kernels::two_opt::SearchMemory;
use crate::kernels::{construct, lin_kernighan};

/// The most lanes of a workgroup that may be asked for.
const MOST_LANES: u32 = 1024;
/// The most neighbours a local search looks at.
const MAX_NEIGHBOURS: usize = 32;
/// Of steps beyond the candidates on TSPLIB instances nine in ten find a city among these (`docs/results/2026-11-kernel-construct.md`).
const NEARBY: usize = 224;
/// Of tours of more cities a processor holds few at a time, where it tells nothing of its memory.
const FEW_TOURS: usize = 3_000;
/// Of tours of no more cities it holds three.
const THREE_TOURS: usize = 3_400;
/// Tours of no more cities take so little memory that twice the lanes fit beside all other ants, where memory is told.
const SHORT_TOUR: usize = 1_500;
/// Tours of more cities are long to reverse: it takes more lanes.
const LONG_TOUR: usize = 8000;
/// List compression and selective memories need one 16-bit number that is no city.
const MAX_LISTED_CITIES: usize = 65_535;

/// All sizes of ants that construct.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstructPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// The ant system.
    pub system: Construct,
    /// Neighbours of a city that local search looks at.
    pub neighbours: usize,
    /// Whether ants that place a stretch themselves take over the first best tour from the first iteration on.
    pub begun: bool,
    /// How ants are laid over invocations in construction.
    pub strategy: Strategy,
    /// How ants keep their visited sets.
    pub visited: Visited,
    /// Invocations a workgroup: construction, trail update, local search.
    pub construct_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub row_lanes: u32,
    #[expect(missing_docs, reason = "documented with construct_lanes")]
    pub search_lanes: u32,
    /// Lanes of a subgroup, where construction compares or adds up inside subgroups.
    pub subgroup: Option<u32>,
    /// Whether visited sets may be kept in registers that all lanes of a subgroup ask for.
    pub quick_exchange: bool,
    /// Lanes of a subgroup, where a local search of tours finds its least inside subgroups first.
    pub search_subgroup: Option<u32>,
    /// How assignments are searched; `None` for tours, and without a search.
    pub exchange: Option<ExchangePlan>,
    /// Positions between two cities, along the tour, up to which a Lin-Kernighan search takes the path between them for not long.
    pub long_path: u32,
    /// Where local search holds tour and queue.
    pub search_memory: SearchMemory,
}

has_sizes!(ConstructPlan);

impl ConstructPlan {
    pub(super) fn new(
        shape: &Shape,
        rounding: Option<Rounding>,
        reference_cost: u64,
        system: &Construct,
        device: &Capabilities,
    ) -> Result<Self> {
        let cities = shape.size;
        let (system, run) = (*system, system.run);
        let strategy = run.strategy.unwrap_or(Strategy::Fine);
        let listed = system.full && system.selection == Selection::Rwm && cities <= MAX_LISTED_CITIES;
        let visited = run.visited.unwrap_or(if listed && device.wide { Visited::Ct } else { Visited::Bt });
        let construct_lanes = match run.lanes {
            None => lanes(device, construct_lanes(cities, &system, strategy)),
            Some(wanted) => {
                let wheel = strategy == Strategy::Fine && system.selection == Selection::Rwm;
                let least = if wheel || run.move_evaluation == Some(MoveEvaluation::Mata) { 2 } else { 1 };
                if !(least..=MOST_LANES).contains(&wanted) || !wanted.is_power_of_two() {
                    let range = format!("{least} to {MOST_LANES}");
                    return Err(Error::Config(format!("lanes must be a power of two from {range}, not {wanted}")));
                }
                wanted
            }
        };
        let search_lanes = lanes(device, search_lanes(cities, system.local_search, device));
        let units = (system.ants, system.seed);
        Ok(Self {
            sizes: Sizes::new(shape, units, reference_cost, rounding.filter(|_| system.needs_no_matrix()), device),
            system,
            neighbours: match (system.assignment, system.local_search) {
                (Some(_), _) => 0,
                (_, LocalSearch::LinKernighan) => system.candidates.min(lin_kernighan::NEIGHBOURS),
                _ => system.candidates.min(MAX_NEIGHBOURS),
            },
            begun: false,
            strategy,
            visited,
            construct_lanes,
            subgroup: device.subgroup_of(construct_lanes),
            quick_exchange: device.quick_exchange,
            row_lanes: lanes(device, if system.memory == Memory::Matrix { 128 } else { 32 }),
            search_lanes,
            long_path: lin_kernighan::LONG,
            search_subgroup: device.subgroup_of(search_lanes),
            exchange: system
                .assignment
                .filter(|_| system.searches())
                .map(|search| ExchangePlan::new(cities, search.asymmetric, (run.move_evaluation, run.lanes), device)),
            search_memory: SearchMemory::choose(system.local_search, cities, system.ants, device),
        })
    }

    /// The most cities that the kernels take.
    pub(super) fn most_cities(&self) -> usize {
        let listed = self.visited != Visited::Bt || self.system.memory == Memory::Selective;
        if listed { MAX_LISTED_CITIES } else { MAX_CITIES }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let step = format!("a step with strategy '{}'", self.strategy);
        self.check_turns(step, construct::longest_step(self), device)?;
        if let Some(exchange) = &self.exchange {
            let (iteration, besides) = exchange.turns(self.cities);
            let what = format!("an iteration of the search with move evaluation '{}'", exchange.evaluation);
            self.check_turns(what, iteration.saturating_add(besides), device)?;
            let memory = exchange.workgroup_bytes(self.cities);
            check_memory("workgroup memory for the search".into(), memory, device)?;
        }
        if self.system.local_search == LocalSearch::LinKernighan && !self.unbounded_calls {
            self.check_turns("a look of local search 'lk'".into(), lin_kernighan::longest_look(self), device)?;
        }
        check_memory("workgroup memory for the visited cities".into(), construct::workgroup_bytes(self), device)
    }

    /// How assignments are searched.
    ///
    /// # Panics
    /// For tours, and without a search: only kernels that search assignments ask.
    pub fn exchanges(&self) -> &ExchangePlan {
        self.exchange.as_ref().unwrap_or_else(|| panic!("the plan has no search of assignments"))
    }

    /// Whether solutions are assignments and not tours.
    pub fn is_assignment(&self) -> bool {
        self.system.assignment.is_some()
    }

    /// Whether ants belong to units with bests of their own.
    pub fn has_units(&self) -> bool {
        self.system.algorithm() == ConstructAlgorithm::Cas
    }

    /// Whether the ants are those of an Ant Colony System.
    pub fn is_acs(&self) -> bool {
        self.system.algorithm() == ConstructAlgorithm::Acs
    }

    /// Whether all ants make a step together, so that they cannot run one after the other.
    pub fn synchronous(&self) -> bool {
        self.system.local_update == LocalUpdate::Synchronous
    }

    /// Whether the host finds the best ant of an iteration.
    pub fn best_on_host(&self) -> bool {
        self.system.best_on == BestOn::Host
    }

    /// 32-bit words of a visited set.
    pub fn visited_words(&self) -> usize {
        match self.visited {
            Visited::Bt if construct::keeps_octets(self) => 2 * self.construct_lanes as usize,
            Visited::Ct => self.cities.div_ceil(2),
            Visited::Lc => self.cities.div_ceil(2) * 2,
            _ => self.words(),
        }
    }

    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }

    /// Cities, candidates aside, among which an ant without candidates looks for the nearest, in an Ant Colony System for that of
    /// greatest weight, before it looks at all. None before a Lin-Kernighan search, beside which construction takes no time, but to list
    /// these would.
    pub fn nearby(&self) -> usize {
        let searched_long = self.system.local_search == LocalSearch::LinKernighan;
        let listed = self.system.memory == Memory::Candidates || self.is_acs();
        match listed && !self.is_assignment() && !searched_long {
            true => NEARBY.min(self.most_neighbours.saturating_sub(self.system.candidates)),
            false => 0,
        }
    }

    /// Words of a city's selective memory.
    pub fn record_pitch(&self) -> u32 {
        self.system.memory_size + 1
    }

    /// Whether selection weights of all edges are kept.
    pub fn weighs_matrix(&self) -> bool {
        self.system.memory == Memory::Matrix && !self.is_acs()
    }

    /// Whether local search goes along neighbour lists.
    pub fn walks_neighbours(&self) -> bool {
        use LocalSearch::{Insertion, LinKernighan, OrOpt, TwoHalfOpt, TwoOpt};
        !self.is_assignment()
            && matches!(self.system.local_search, TwoOpt | TwoHalfOpt | OrOpt | Insertion | LinKernighan)
    }
}

/// 32-bit words in a row of selection weights of all edges, two in a word; a multiple of four, since eight are loaded at a time.
pub fn weight_pitch(cities: usize) -> usize {
    4 * cities.div_ceil(8)
}

/// Invocations of a workgroup in local search on a GPU.
fn search_lanes(cities: usize, local_search: LocalSearch, device: &Capabilities) -> u32 {
    match local_search {
        // Long reversals in storage.
        LocalSearch::LinKernighan if cities > LONG_TOUR => 128,
        LocalSearch::LinKernighan => 32,
        // Long reversals, and processors that hold few tours; three at a time have no registers for so many lanes of Or-opt.
        LocalSearch::OrOpt if cities <= THREE_TOURS => 256,
        _ if device.processors.is_none() && cities > FEW_TOURS => 512,
        // Who tells of its memory holds all ants' tours, and has lanes enough.
        LocalSearch::TwoOpt | LocalSearch::TwoHalfOpt if device.processors.is_some() && cities > SHORT_TOUR => 128,
        _ => 256,
    }
}

/// Invocations of a workgroup in construction on a GPU; `docs/results/2026-11-kernel-construct.md` has the measurements behind them.
fn construct_lanes(cities: usize, system: &Construct, strategy: Strategy) -> u32 {
    if strategy == Strategy::Coarse || !system.full {
        return 32;
    }
    match (system.selection, cities) {
        // One turn of a subgroup; else as few as have bits for all cities.
        (Selection::Wrs | Selection::IRoulette, ..=256) => 32,
        (Selection::Wrs | Selection::IRoulette, ..=4096) => 64,
        (Selection::Wrs | Selection::IRoulette, 8193..) => 256,
        _ => 128,
    }
}
