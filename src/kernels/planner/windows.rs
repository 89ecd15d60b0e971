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
        let plan = Self {
            merge_lanes: merge::lanes(shape.size, parameters.windows, sizes.single_lanes, device),
            sizes,
            quadrants: parameters.quadrants,
            window: WindowPlan::new(shape, parameters, rounding, device),
        };
        // A matrix takes more room than a table of neighbours.
        let is_full = device.memory_bytes.is_some_and(|most| plan.bytes() > most);
        let listed = rounding.is_some() && (is_full || 4 * plan.window.near_words(shape.size) > device.buffer_bytes);
        Self { window: WindowPlan { listed, ..plan.window }, ..plan }
    }

    fn bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| 4 * buffer.words).sum()
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
