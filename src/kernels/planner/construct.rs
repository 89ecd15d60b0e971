//! The plan of ants that construct solutions: its sizes on a device, and what it needs of it.

use super::{check_memory, lanes};
use crate::algorithm::choices::{LocalSearch, Memory, Selection, Strategy, Visited};
use crate::algorithm::construct::{Construct, MAX_CITIES};
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::plan::{ConstructPlan, ExchangePlan, Plan, SearchMemory, Sizes};
use crate::kernels::qap::crossover;
use crate::kernels::{construct, lin_kernighan};

/// The most neighbours a local search looks at.
const MAX_NEIGHBOURS: usize = 32;
/// A processor holds few tours of more cities at a time. Used where the device does not tell its processors' memory.
const FEW_TOURS: usize = 3_000;
/// It holds three tours of no more cities.
const THREE_TOURS: usize = 3_400;
/// Tours of no more cities take so little memory that all ants run at the same time with twice the lanes. Used where memory is told.
const SHORT_TOUR: usize = 1_500;
/// Tours of more cities take long to reverse, and need more lanes.
const LONG_TOUR: usize = 8000;
/// List compression and selective memories need one 16-bit number that is no city.
const MAX_LISTED_CITIES: usize = 65_535;

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
            None => lanes(device, construct_lanes(cities, &system, strategy, visited)),
            Some(wanted) => wanted,
        };
        let search_lanes = lanes(device, search_lanes(cities, system.local_search, device));
        let units = (system.ants, system.seed);
        let search_memory = SearchMemory::choose(system.local_search, cities, system.ants, device);
        Ok(Self {
            sizes: Sizes::new(shape, units, reference_cost, rounding.filter(|_| system.needs_no_matrix()), device),
            problems: 1,
            system,
            neighbours: match (system.assignment, system.local_search) {
                (Some(_), _) => 0,
                (_, LocalSearch::TwoHalfOptAll) => shape.most_neighbours(),
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
                .map(|search| ExchangePlan::new(cities, &search, (run.move_evaluation, run.lanes), device)),
            search_memory,
            array_cities: device
                .array_length(cities, |array| search_memory.workgroup_bytes(system.local_search, array)),
        })
    }

    /// The same for the populations of so many problems at a time.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] where the device cannot hold them.
    pub(crate) fn for_many(&self, problems: usize, device: &Capabilities) -> Result<Self> {
        let mut plan = Self { problems, ..self.clone() };
        plan.sizes.units = problems * self.ants();
        Plan::Construct(Box::new(plan.clone())).check(device)?;
        Ok(plan)
    }

    /// The most cities that the kernels take.
    pub(super) fn most_cities(&self) -> usize {
        let listed = self.visited != Visited::Bt || self.system.memory == Memory::Selective;
        if listed { MAX_LISTED_CITIES } else { MAX_CITIES }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        if self.memetic().is_none() {
            let step = format!("a step with strategy '{}'", self.strategy);
            self.check_turns(step, construct::longest_step(self), device)?;
        }
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
        match self.memetic() {
            Some(_) => {
                check_memory("workgroup memory for a crossover".into(), crossover::workgroup_bytes(self), device)
            }
            None => {
                check_memory("workgroup memory for the visited cities".into(), construct::workgroup_bytes(self), device)
            }
        }
    }
}

/// Invocations of a workgroup in local search on a GPU.
fn search_lanes(cities: usize, local_search: LocalSearch, device: &Capabilities) -> u32 {
    match local_search {
        // Long reversals in storage.
        LocalSearch::LinKernighan if cities > LONG_TOUR => 128,
        LocalSearch::LinKernighan => 32,
        // Long reversals, and processors that hold few tours. Three tours at a time leave too few registers for 512 lanes of Or-opt.
        LocalSearch::OrOpt if cities <= THREE_TOURS => 256,
        _ if device.processors.is_none() && cities > FEW_TOURS => 512,
        // A device that tells its memory holds all ants' tours, and is busy with fewer lanes.
        LocalSearch::TwoOpt | LocalSearch::TwoHalfOpt if device.processors.is_some() && cities > SHORT_TOUR => 128,
        _ => 256,
    }
}

/// Invocations of a workgroup in construction on a GPU; `docs/results/2026-11-kernel-construct.md` has the measurements behind them.
fn construct_lanes(cities: usize, system: &Construct, strategy: Strategy, visited: Visited) -> u32 {
    if strategy == Strategy::Coarse || !system.full {
        return 32;
    }
    match (system.selection, cities) {
        // A list has no bits to hold, and its cities are asked for one by one.
        (Selection::Wrs | Selection::IRoulette, ..=8192) if visited != Visited::Bt => 128,
        // One turn of a subgroup; else as few lanes as have bits for all cities.
        (Selection::Wrs | Selection::IRoulette, ..=256) => 32,
        (Selection::Wrs | Selection::IRoulette, ..=4096) => 64,
        (Selection::Wrs | Selection::IRoulette, 8193..) => 256,
        _ => 128,
    }
}
