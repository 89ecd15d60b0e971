//! The plan of windowed Lin-Kernighan search.

use serde::Serialize;

use super::{Sizes, has_sizes};
use crate::algorithm::windows::WindowsParams;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::instance::tsp::Rounding;
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
}

has_sizes!(WindowsPlan);

impl WindowsPlan {
    pub(super) fn new(
        cities: usize,
        rounding: Option<Rounding>,
        reference_cost: u64,
        parameters: &WindowsParams,
        device: &Capabilities,
    ) -> Self {
        let units = (parameters.windows, parameters.seed);
        Self {
            sizes: Sizes::new(cities, units, reference_cost, rounding, device),
            quadrants: parameters.quadrants,
            window: WindowPlan::new(cities, parameters, rounding, device),
        }
    }

    pub(super) fn check(&self, device: &Capabilities) -> Result<()> {
        let needs = (window_search::longest_look(&self.window), window_search::workgroup_bytes(&self.window));
        self.check_search(("a look in a window", needs.0, needs.1), device)
    }
}
