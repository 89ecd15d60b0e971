//! The plan of chained Lin-Kernighan search: its sizes on a device, and what it needs of it.

use crate::algorithm::chained::{ChainedParams, Kicks};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::windows::MOST_COST;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::lin_kernighan::chained_search;
use crate::kernels::plan::{ChainedPlan, Sizes};

impl ChainedPlan {
    pub(super) fn new(
        shape: &Shape,
        rounding: Option<Rounding>,
        reference_cost: u64,
        parameters: &ChainedParams,
        device: &Capabilities,
    ) -> Self {
        let Kicks { steps, kick_length, rebuild_length } = parameters.kicks(shape.size);
        let units = (parameters.walks, parameters.seed);
        let plan = Self {
            sizes: Sizes::new(shape, units, reference_cost, rounding, device),
            tours: 1,
            walks: parameters.walks,
            neighbours: SEARCHED_CANDIDATES.min(shape.most_neighbours()),
            quadrants: parameters.quadrants,
            steps,
            kick_length,
            rebuild_length,
            lanes: 1,
            subgroup: None,
            roomy: true,
            array_cities: shape.size,
        };
        plan.laid_out(device)
    }

    /// The same for so many tours at a time, of up to so many cities each.
    pub(crate) fn for_many(&self, tours: usize, room: usize, steps: u32, device: &Capabilities) -> Result<Self> {
        // A kick rebuilds no more cities than there are.
        let mut plan = Self { tours, steps, rebuild_length: self.rebuild_length.max(room as u32), ..self.clone() };
        (plan.sizes.cities, plan.sizes.units) = (room, tours * plan.walks);
        let plan = plan.laid_out(device);
        plan.check(device)?;
        Ok(plan)
    }

    fn laid_out(self, device: &Capabilities) -> Self {
        let lanes = if device.wide { 32.min(device.workgroup_invocations) } else { 8 };
        let (cities, subgroup) = (self.cities, device.subgroup_of(lanes));
        let plan = Self { lanes, subgroup, roomy: true, array_cities: cities, ..self };
        let bytes = chained_search::workgroup_bytes(&plan);
        let held = device.processors.is_some_and(|it| it.hold(plan.units, bytes));
        let plan = Self { roomy: held && bytes <= device.workgroup_bytes, ..plan };
        let bytes = |array_cities| chained_search::workgroup_bytes(&Self { array_cities, ..plan.clone() });
        Self { array_cities: device.array_length(cities, bytes), ..plan }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let needs = (chained_search::longest_look(self), chained_search::workgroup_bytes(self));
        self.check_search(("a look in a tour", needs.0, needs.1), device)?;
        self.check_first_cost(MOST_COST, device)
    }
}
