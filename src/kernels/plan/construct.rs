//! The plan of ants that construct solutions.

use serde::Serialize;

use super::assignments::ExchangePlan;
use super::{Sizes, has_sizes};
use crate::algorithm::choices::{BestOn, LocalSearch, LocalUpdate, Memory, Strategy, Visited};
use crate::algorithm::construct::{Construct, FULL_FROM, Rule};
use crate::algorithm::memetic::MemeticParams;

/// Nearest cities that are no candidates, at most. On TSPLIB instances nine in ten steps beyond the candidates find a city among these
/// (`docs/results/2026-11-kernel-construct.md`).
const NEARBY: usize = 224;

/// Where a local search holds the tour; a Lin-Kernighan search also its work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMemory {
    /// In workgroup memory, the tour in words: 8 bytes a city, and 2 of the queue.
    Words,
    /// In workgroup memory, the tour in half words: 4 bytes a city, and 2 of the queue.
    Workgroup,
    /// As before, but the queue in storage.
    QueueInStorage,
    /// In storage.
    Storage,
}

impl SearchMemory {
    /// Its name, as plans and reports tell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Workgroup => "workgroup",
            Self::QueueInStorage => "queue_in_storage",
            Self::Storage => "storage",
        }
    }
}

/// All sizes of ants that construct.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstructPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// Problems that are solved at a time, `units` being the ants of all of them; several only where populations of assignments share a device.
    #[serde(skip)]
    pub problems: usize,
    /// The ant system.
    pub system: Construct,
    /// Neighbours of a city that local search looks at.
    pub neighbours: usize,
    /// Whether ants of Focused ACO copy the first best tour from the first iteration on.
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
    /// Cities that arrays in workgroup memory are declared for, as many as there are or more.
    #[serde(skip)]
    pub array_cities: usize,
}

has_sizes!(ConstructPlan);

impl ConstructPlan {
    /// Ants of a problem.
    pub fn ants(&self) -> usize {
        self.units / self.problems
    }

    /// Whether solutions are assignments and not tours.
    pub fn is_assignment(&self) -> bool {
        self.system.assignment.is_some()
    }

    /// Whether ants belong to units with bests of their own.
    pub fn has_units(&self) -> bool {
        matches!(self.system.rule, Rule::Cas(_))
    }

    /// The memetic algorithm, where solutions come from its crossover and not by trails.
    pub fn memetic(&self) -> Option<&MemeticParams> {
        if let Rule::Memetic(memetic) = &self.system.rule { Some(memetic) } else { None }
    }

    /// Whether the ants are those of an Ant Colony System.
    pub fn is_acs(&self) -> bool {
        matches!(self.system.rule, Rule::Acs(_))
    }

    /// Whether all ants make a step together, so that they cannot run one after the other.
    pub fn synchronous(&self) -> bool {
        self.system.local_update == LocalUpdate::Synchronous
    }

    /// The first iteration, counted from 0, that takes no longer than others for being a later one: before it searches may be shorter.
    pub fn steady_from(&self) -> u32 {
        match self.system.assignment {
            Some(search) if search.first_iterations < search.iterations => FULL_FROM,
            _ => 0,
        }
    }

    /// Whether the host finds the best ant of an iteration.
    pub fn best_on_host(&self) -> bool {
        self.system.best_on == BestOn::Host
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
        self.system.memory == Memory::Matrix && !self.is_acs() && self.memetic().is_none()
    }

    /// Whether local search goes along neighbour lists.
    pub fn walks_neighbours(&self) -> bool {
        use LocalSearch::{Insertion, LinKernighan, OrOpt, TwoHalfOpt, TwoHalfOptAll, TwoOpt};
        !self.is_assignment()
            && matches!(
                self.system.local_search,
                TwoOpt | TwoHalfOpt | TwoHalfOptAll | OrOpt | Insertion | LinKernighan
            )
    }
}

/// 32-bit words in a row of selection weights of all edges, two in a word; a multiple of four, since eight are loaded at a time.
pub fn weight_pitch(cities: usize) -> usize {
    4 * cities.div_ceil(8)
}
