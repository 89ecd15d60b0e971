//! The plan of windowed Lin-Kernighan search: its sizes on a device, and what it needs of it.

use crate::algorithm::windows::WindowsParams;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::merge;
use crate::kernels::plan::{Sizes, WindowPlan, WindowsPlan};
use crate::kernels::windows::window_search;

impl WindowsPlan {
    pub(super) fn new(
        shape: &Shape,
        rounding: Option<Rounding>,
        reference_cost: u64,
        parameters: &WindowsParams,
        device: &Capabilities,
    ) -> Self {
        let units = (parameters.windows, parameters.seed);
        let sizes = Sizes::new(shape, units, reference_cost, rounding, device);
        Self {
            merge_lanes: merge::lanes(shape.size, sizes.single_lanes, device),
            sizes,
            quadrants: parameters.quadrants,
            window: WindowPlan::new(shape, parameters, rounding, device),
        }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let needs = (window_search::longest_look(&self.window), window_search::workgroup_bytes(&self.window));
        // Elsewhere loops only take longer; a software adapter ends them.
        if !self.wide {
            self.check_turns("merging gains".into(), merge::paths::turns(self.cities, self.merge_lanes), device)?;
        }
        self.check_search(("a look in a window", needs.0, needs.1), device)
    }
}
