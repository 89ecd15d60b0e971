//! The plan of edge assembly crossover: its sizes on a device, and what it needs of it.

use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::eax::EaxParams;
use crate::algorithm::windows::MOST_COST;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::eax::recombine;
use crate::kernels::plan::{EaxPlan, RecombinePlan, Sizes};

impl EaxPlan {
    pub(super) fn new(
        shape: &Shape,
        rounding: Option<Rounding>,
        reference_cost: u64,
        parameters: &EaxParams,
        device: &Capabilities,
    ) -> Self {
        let individuals = parameters.population;
        let units = (individuals + usize::from(parameters.incumbent), parameters.seed);
        Self {
            sizes: Sizes::new(shape, units, reference_cost, rounding, device),
            individuals,
            neighbours: SEARCHED_CANDIDATES.min(shape.most_neighbours()),
            quadrants: parameters.quadrants,
            recombine: RecombinePlan::new(parameters, shape.size, device),
        }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let needs = (recombine::longest_turn(self), recombine::workgroup_bytes(self));
        self.check_search(("making a child", needs.0, needs.1), device)?;
        self.check_first_cost(MOST_COST, device)
    }
}
