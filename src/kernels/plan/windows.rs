//! The plan of windowed Lin-Kernighan search.

use serde::Serialize;

use super::{Sizes, has_sizes};
use crate::algorithm::windows::WindowsParams;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::problem::Shape;
use crate::instance::tsp::Rounding;
use crate::kernels::merge;
use crate::kernels::windows::window_order::WindowPlan;
use crate::kernels::windows::window_search;

/// All sizes of windowed Lin-Kernighan search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowsPlan {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "documented with its type")]
    pub sizes: Sizes,
    /// Nearest cities of each quadrant that come first in neighbour lists.
    pub quadrants: u32,
    /// How windows are laid out.
    pub window: WindowPlan,
    /// Invocations of the workgroup that chooses whose gains are merged, and of that which orders the paths of the new tour.
    pub merge_lanes: u32,
}

has_sizes!(WindowsPlan);

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
