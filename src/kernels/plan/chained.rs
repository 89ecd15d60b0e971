//! The plan of chained Lin-Kernighan search.

use serde::Serialize;

use super::{Sizes, has_sizes};

/// All sizes of chained Lin-Kernighan search. `units` are the walks of all tours, `cities` those of the largest tour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainedPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// Tours that are searched at a time; several only where many problems share a device.
    pub tours: usize,
    /// Walks of a tour.
    pub walks: usize,
    /// Neighbours of a city.
    pub neighbours: usize,
    /// Nearest cities of each quadrant that come first in neighbour lists.
    pub quadrants: u32,
    /// Steps of a walk in an iteration, the most of all tours.
    pub steps: u32,
    /// The most cities of a segment that a kick moves.
    pub kick_length: u32,
    /// Cities that a kick ruins and rebuilds, the most of all tours; 0: none does.
    pub rebuild_length: u32,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Lanes of a subgroup, where the best step is found inside subgroups first.
    pub subgroup: Option<u32>,
    /// Whether workgroup memory has room for a tour in words, not in half words.
    pub roomy: bool,
    /// Cities that arrays in workgroup memory are declared for, as many as there are or more.
    #[serde(skip)]
    pub array_cities: usize,
}

has_sizes!(ChainedPlan);

impl ChainedPlan {
    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }
}
