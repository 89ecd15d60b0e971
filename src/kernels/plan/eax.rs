//! The plan of edge assembly crossover.

use serde::Serialize;

use super::{Sizes, has_sizes};
use crate::algorithm::construct::{MAX_CITIES, SEARCHED_CANDIDATES};
use crate::algorithm::eax::EaxParams;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::eax::recombine::{self, RecombinePlan};

/// The most cities: a city takes 16 bits.
pub(super) const MOST_CITIES: usize = MAX_CITIES;

/// All sizes of edge assembly crossover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EaxPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// Neighbours of a city: edges to them are counted, and sub-tours merged along them.
    pub neighbours: usize,
    /// Nearest cities of each quadrant that come first in neighbour lists.
    pub quadrants: u32,
    /// How children are made.
    pub recombine: RecombinePlan,
}

has_sizes!(EaxPlan);

impl EaxPlan {
    pub(super) fn new(
        shape: &Shape,
        rounding: Option<Rounding>,
        reference_cost: u64,
        parameters: &EaxParams,
        device: &Capabilities,
    ) -> Self {
        let units = (parameters.population, parameters.seed);
        Self {
            sizes: Sizes::new(shape, units, reference_cost, rounding, device),
            neighbours: SEARCHED_CANDIDATES.min(shape.most_neighbours()),
            quadrants: parameters.quadrants,
            recombine: RecombinePlan::new(parameters, shape.size, device),
        }
    }

    /// Pairs that hold a city's neighbours.
    pub fn neighbour_pairs(&self) -> usize {
        self.neighbours.div_ceil(2)
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let needs = (recombine::longest_turn(self), recombine::workgroup_bytes(self));
        self.check_search(("making a child", needs.0, needs.1), device)
    }
}
