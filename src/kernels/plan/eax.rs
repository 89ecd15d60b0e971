//! The plan of edge assembly crossover.

use serde::Serialize;

use super::{Sizes, has_sizes};

/// How children are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RecombinePlan {
    /// Children of a pair of parents, and how many of them that gain are enough.
    pub children: u32,
    #[expect(missing_docs, reason = "documented with children")]
    pub accept_after: u32,
    /// Walks of a pair, and those whose E-sets grow to blocks.
    pub pair_walks: u32,
    #[expect(missing_docs, reason = "documented with the pair's")]
    pub block_walks: u32,
    /// Invocations a workgroup.
    pub lanes: u32,
    /// Lanes of a subgroup, where the least is found in subgroups first.
    pub subgroup: Option<u32>,
    /// Words of a bitmask over the cities that the kernel has room for.
    pub words: u32,
}

/// All sizes of edge assembly crossover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EaxPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// Individuals of the population. The run's best tour, where it is crossed beside them, is one unit more, the last one.
    pub individuals: usize,
    /// Neighbours of a city: edges to them are counted, and sub-tours merged along them.
    pub neighbours: usize,
    /// Nearest cities of each quadrant that come first in neighbour lists.
    pub quadrants: u32,
    /// How children are made.
    pub recombine: RecombinePlan,
}

has_sizes!(EaxPlan);

impl EaxPlan {
    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }
}
