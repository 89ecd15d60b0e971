//! The colony's buffers: what each holds, and which of them a colony has.

use serde::{Deserialize, Serialize};

use crate::backend::BufferId;

macro_rules! buffers {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// A buffer of a colony, in 32-bit words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// cities × cities, or cities × 2 whole coordinates. Where only candidate edges have trails, cities × pairs of the nearest cities that
    /// are no candidates follow, nearest first.
    Distances = "distances",
    /// cities × pairs of neighbours × two of (city, distance), nearest first.
    Neighbours = "neighbours",
    /// cities × candidates: city in the upper, heuristic weight in the lower 16 bits. In an Ant Colony System cities × the nearest cities that
    /// are no candidates follow.
    Heuristic = "heuristic",
    /// cities: log2 of the distance to the nearest neighbour.
    Nearest = "nearest",
    /// Gumbel cells, logarithm, the ring of deviates.
    Tables = "tables",
    /// cities × candidates, or cities × cities; in an Ant Colony System both, the second for edges that are no candidates. Of a population:
    /// cities × neighbours, how many tours have the edge, then individuals + 1 entropies.
    Trails = "trails",
    /// cities × (records, how many were ever added): a selective memory.
    Records = "records",
    /// cities × candidates: city in the upper, selection weight in the lower 16 bits.
    Choice = "choice",
    /// cities × pairs of cities: two selection weights a word.
    Weights = "weights",
    /// One block: how far the colony is.
    State = "state",
    /// One block an ant, a window or a walk: how far it is.
    Progress = "progress",
    /// ants × words of a visited set.
    VisitedKept = "visited_kept",
    /// ants × what a local search along neighbour lists keeps between dispatches: a queue, two cities a word, or a bit for each city; walks × a
    /// queue, the tour before a kick, a journal.
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
    /// Matrices of an assignment problem, facilities × facilities each; where some are alike, for each its class and the next of that.
    Matrices = "matrices",
    /// ants × what the search of an assignment keeps.
    Memory = "memory",
    /// units × facilities: the best assignment of each unit, or the individuals of a population.
    Units = "units",
    /// units × 64 bits.
    UnitCosts = "unit_costs",
    /// Individuals and their children in the order of their costs.
    Ranks = "ranks",
    /// For each individual, and behind them for each child, whether it survives.
    Survivors = "survivors",
    /// facilities: random words that tell for how many facilities an ant draws locations.
    Thresholds = "thresholds",
    /// Of windows a bit for each whose gain is taken over; of ants the best one, where the host finds it.
    IndependentSet = "independent_set",
    /// orders × cities: the cities in space-filling orders.
    Order = "order",
    /// orders × cities: the index of each city in an order.
    OrderIndex = "order_index",
    /// orders × cities × neighbours × 2: indices of the nearest cities in the order, with their distances.
    NearIndex = "near_index",
    /// orders × cities × 2: whole coordinates.
    Coordinates = "coordinates",
    /// tours × what it is, and how its walks search it.
    Heads = "heads",
    /// A bit for each city that has to be looked at.
    Unsettled = "unsettled",
    /// windows × what the search of a window keeps.
    Windows = "windows",
    /// windows × the edges of the colony's tour that the search has removed.
    RemovedEdges = "removed_edges",
    /// individuals × walks × what each keeps while it makes a child.
    Offspring = "offspring",
    /// 64 bits: how many edges pairs of individuals have in common, over all pairs.
    EdgeOverlap = "edge_overlap",
    /// windows × a bit for each window that it conflicts with.
    Conflicts = "conflicts",
    /// A bit for each position of the tour: the edge from there to the next is removed.
    RemovedBits = "removed_bits",
    /// positions × 2: at removed edges the cities that follow and come before instead.
    Ties = "ties",
    /// The paths between removed edges.
    Paths = "paths",
    /// Pointers from path to path, which jump farther in every round.
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
    /// When it has not: a kernel binds what the plan does not list, which any test of that kernel finds.
    pub fn get(&self, buffer: Buffer) -> BufferId {
        self.find(buffer).unwrap_or_else(|| panic!("the plan has no buffer '{}'", buffer.name()))
    }
}
