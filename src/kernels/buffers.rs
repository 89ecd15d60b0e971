//! The colony's buffers: which a plan needs, and how long they are.

use serde::Serialize;

use super::plan::{ConstructPlan, EaxPlan, Plan, WindowsPlan, weight_pitch};
use super::two_opt::{SearchMemory, queue_words};
use crate::algorithm::choices::Memory;
use crate::algorithm::eax::WALKS;
use crate::algorithm::fixed;
use crate::backend::BufferId;
use crate::kernels::construct::deviates::Ring;
use crate::kernels::eax::recombine::kept_words;
use crate::kernels::qap::matrices;
use crate::kernels::shared::state::{PROGRESS_WORDS, STATE_WORDS};

macro_rules! buffers {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// A buffer of a colony, in 32-bit words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Buffer { $($(#[$doc])* $variant,)+ }

        impl Buffer {
            /// Every buffer that some plan has.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name in shaders, labels and messages.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

buffers! {
    /// cities × cities, or cities × 2 whole coordinates; where trails are kept on candidate edges alone, then cities × pairs of the
    /// nearest cities that are no candidates, nearest first.
    Distances = "distances",
    /// cities × pairs of neighbours × two of (city, distance), nearest first.
    Neighbours = "neighbours",
    /// cities × candidates: city in the upper, heuristic weight in the lower 16 bits; of an Ant Colony System then cities × the nearest cities
    /// that are no candidates.
    Heuristic = "heuristic",
    /// cities: log2 of the distance to the nearest neighbour.
    Nearest = "nearest",
    /// Gumbel cells, logarithm, the ring of deviates.
    Tables = "tables",
    /// cities × candidates, or cities × cities; of an Ant Colony System both, the latter for edges that are no candidates; of a crossover cities × neighbours, then individuals + 1 entropies.
    Trails = "trails",
    /// cities × (records, how many were ever added): a selective memory.
    Records = "records",
    /// cities × candidates: city in the upper, selection weight in the lower 16 bits.
    Choice = "choice",
    /// cities × pairs of cities: two selection weights a word.
    Weights = "weights",
    /// One block.
    State = "state",
    /// One block an ant.
    Progress = "progress",
    /// ants × words of a tabu list.
    VisitedKept = "visited_kept",
    /// ants × what a local search along neighbour lists keeps between dispatches: a queue, two cities a word, or a bit for each city.
    Queues = "queues",
    /// ants × cities: the tours.
    Tours = "tours",
    /// ants × cities: positions of cities under local search, where workgroup memory cannot hold a tour, and in individuals' tours.
    Positions = "positions",
    /// ants × 64 bits.
    Costs = "costs",
    /// 3 × cities: the best tour, the best since the restart, the depositing tour.
    Bests = "bests",
    /// cities × (city before, city after) in the best tour since the restart.
    Links = "links",
    /// ants: what each deposits on an edge.
    Amounts = "amounts",
    /// Matrices of an assignment problem, facilities × facilities each.
    Matrices = "matrices",
    /// ants × what the search of an assignment keeps.
    Memory = "memory",
    /// units × facilities: the best assignment of each unit.
    Units = "units",
    /// units × 64 bits.
    UnitCosts = "unit_costs",
    /// facilities: random words that tell how many places an ant draws itself.
    Thresholds = "thresholds",
    /// The best ant, found by the host; of windows a bit for each whose gain is merged.
    IndependentSet = "independent_set",
    /// orders × cities: the city at each place of a space-filling order.
    Order = "order",
    /// orders × cities: the place of each city in an order.
    OrderIndex = "order_index",
    /// orders × cities × neighbours × 2: places of the nearest cities, and how far they are.
    NearIndex = "near_index",
    /// orders × cities × 2: whole coordinates.
    Coordinates = "coordinates",
    /// A bit for each city that has to be looked at.
    Unsettled = "unsettled",
    /// ants × what the search of a window keeps.
    Windows = "windows",
    /// ants × what that search has changed in the colony's tour.
    RemovedEdges = "removed_edges",
    /// individuals × walks × what each keeps while it makes a child.
    Offspring = "offspring",
    /// 64 bits: how often two ants' tours have an edge both.
    EdgeOverlap = "edge_overlap",
    /// ants × a bit for each ant whose gain does not go with it.
    Conflicts = "conflicts",
    /// A bit for each position of the tour where it is cut.
    RemovedBits = "removed_bits",
    /// positions × 2: cities to follow and to come before.
    Ties = "ties",
    /// The paths between cuts.
    Paths = "paths",
    /// Which path follows which, in rounds.
    Hops = "hops",
}

/// A buffer of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BufferPlan {
    /// Which.
    pub name: Buffer,
    /// Its length in 32-bit words.
    pub words: u64,
}

/// The buffers of a colony.
#[derive(Clone, Debug, Default)]
pub struct Buffers(Vec<(Buffer, BufferId)>);

impl Buffers {
    /// As a backend without buffers will number those of `plan`.
    pub(crate) fn numbered(plan: &Plan) -> Self {
        Self(plan.buffers().iter().enumerate().map(|(index, buffer)| (buffer.name, BufferId(index))).collect())
    }

    pub(crate) fn insert(&mut self, buffer: Buffer, id: BufferId) {
        self.0.push((buffer, id));
    }

    /// A buffer that the plan may have.
    pub fn find(&self, buffer: Buffer) -> Option<BufferId> {
        self.0.iter().find(|(known, _)| *known == buffer).map(|(_, id)| *id)
    }

    /// A buffer that the plan has.
    ///
    /// # Panics
    /// When it has not: a kernel binds what [`Plan::buffers`] does not list, which any test of that kernel finds.
    pub fn get(&self, buffer: Buffer) -> BufferId {
        self.find(buffer).unwrap_or_else(|| panic!("the plan has no buffer '{}'", buffer.name()))
    }
}

impl Plan {
    /// Each buffer that this plan needs, with its length.
    pub fn buffers(&self) -> Vec<BufferPlan> {
        match self {
            Self::Construct(plan) => plan.buffers(),
            Self::Windows(plan) => plan.buffers(),
            Self::Eax(plan) => plan.buffers(),
        }
    }

    /// Bytes of all buffers together.
    pub fn total_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.words * 4).sum()
    }
}

impl ConstructPlan {
    fn buffers(&self) -> Vec<BufferPlan> {
        let system = &self.system;
        let [n, m, k] = [self.cities, system.ants, system.candidates].map(|x| x as u64);
        let words = |buffer| match buffer {
            Buffer::Distances if system.memory == Memory::Candidates => {
                self.distance_words() + n * self.nearby().div_ceil(2) as u64
            }
            Buffer::Distances if !self.is_assignment() => self.distance_words(),
            Buffer::Neighbours if self.walks_neighbours() => n * self.neighbour_pairs() as u64 * 4,
            Buffer::Heuristic if self.is_acs() => n * (k + self.nearby() as u64),
            Buffer::Heuristic if system.memory == Memory::Candidates => n * k,
            Buffer::Nearest if self.weighs_matrix() && !self.is_assignment() => n,
            Buffer::Tables => match Ring::of(self) {
                Some(ring) => fixed::DEVIATES as u64 + u64::from(ring.words()),
                None => fixed::TABLE_WORDS as u64,
            },
            Buffer::Trails => match system.memory {
                Memory::Candidates => n * k,
                Memory::Matrix if self.is_acs() => n * (k + n),
                Memory::Matrix => n * n,
                Memory::Selective => 0,
            },
            Buffer::Records if system.memory == Memory::Selective => n * u64::from(self.record_pitch()),
            Buffer::Choice if system.memory == Memory::Candidates => n * k,
            Buffer::Choice if self.weighs_matrix() && !self.is_assignment() => {
                if system.full {
                    1
                } else {
                    n * k
                }
            }
            Buffer::Weights if self.weighs_matrix() => n * weight_pitch(self.cities) as u64,
            Buffer::State => STATE_WORDS as u64,
            Buffer::Progress => m * PROGRESS_WORDS as u64,
            Buffer::VisitedKept => m * self.visited_words() as u64,
            Buffer::Queues if self.walks_neighbours() => m * queue_words(system.local_search, self.cities) as u64,
            Buffer::Tours => m * n,
            Buffer::Positions if self.walks_neighbours() && self.search_memory == SearchMemory::Storage => m * n,
            Buffer::Costs => m * 2,
            Buffer::Bests => 3 * n,
            Buffer::Links if !self.is_assignment() => 2 * n,
            Buffer::Matrices => match system.assignment {
                Some(exchanges) => matrices::count(exchanges.asymmetric) as u64 * n * n,
                None => 0,
            },
            // The CPU twin keeps its tables to itself.
            Buffer::Memory if !self.unbounded_calls => self.exchange.map_or(0, |plan| m * plan.layout.words as u64),
            Buffer::Units if self.has_units() => m * n,
            Buffer::UnitCosts if self.has_units() => m * 2,
            Buffer::Thresholds if self.has_units() => n,
            Buffer::Amounts if matches!(system.memory, Memory::Matrix) && !self.is_acs() => m,
            Buffer::IndependentSet if self.best_on_host() => 1,
            _ => 0,
        };
        let all = Buffer::ALL.iter().map(|&name| BufferPlan { name, words: words(name) });
        all.filter(|plan| plan.words > 0).collect()
    }
}

impl WindowsPlan {
    fn buffers(&self) -> Vec<BufferPlan> {
        let window = &self.window;
        let [n, m, orders] = [self.cities, self.units, window.orders].map(|x| x as u64);
        let distances = match window.rounding {
            Some(_) => (Buffer::Coordinates, orders * n * 2),
            None => (Buffer::Distances, n * n),
        };
        let bits = n.div_ceil(32);
        let all = [
            distances,
            (Buffer::Order, orders * n),
            (Buffer::OrderIndex, orders * n),
            (Buffer::NearIndex, 2 * orders * n * window.neighbours as u64),
            (Buffer::State, STATE_WORDS as u64),
            (Buffer::Progress, m * PROGRESS_WORDS as u64),
            (Buffer::Bests, n),
            (Buffer::Positions, n),
            (Buffer::Unsettled, bits),
            (Buffer::Windows, m * window.words() as u64),
            (Buffer::RemovedEdges, m * window.removed_words() as u64),
            (Buffer::Conflicts, m * m.div_ceil(32)),
            (Buffer::IndependentSet, m.div_ceil(32)),
            (Buffer::RemovedBits, bits),
            (Buffer::Ties, 2 * n),
            (Buffer::Paths, 1 + bits + 2 * n),
            (Buffer::Hops, 8 * n),
        ];
        all.map(|(name, words)| BufferPlan { name, words }).to_vec()
    }
}

impl EaxPlan {
    fn buffers(&self) -> Vec<BufferPlan> {
        let [n, m] = [self.cities, self.units].map(|x| x as u64);
        let all = [
            (Buffer::Distances, self.distance_words()),
            (Buffer::Neighbours, n * self.neighbour_pairs() as u64 * 4),
            (Buffer::Trails, n * self.neighbours as u64 + m + 1),
            (Buffer::State, STATE_WORDS as u64),
            (Buffer::Progress, m * u64::from(WALKS) * PROGRESS_WORDS as u64),
            (Buffer::Tours, m * n),
            (Buffer::Positions, m * n),
            (Buffer::Costs, m * 2),
            (Buffer::Bests, 3 * n),
            (Buffer::Links, 2 * n),
            (Buffer::Offspring, m * u64::from(WALKS) * kept_words(self.cities) as u64),
            (Buffer::EdgeOverlap, 2),
        ];
        all.map(|(name, words)| BufferPlan { name, words }).to_vec()
    }
}
