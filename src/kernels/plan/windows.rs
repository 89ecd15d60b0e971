//! The plan of windowed Lin-Kernighan search.

use serde::Serialize;

use super::{Sizes, has_sizes};
use crate::instance::tsp::Rounding;

/// How windows are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WindowPlan {
    /// Cities of a window.
    pub cities: usize,
    /// Places in an order from one window to the next one.
    pub stride: usize,
    /// Orders of the cities.
    pub orders: usize,
    /// First iterations, in which windows lie one behind the other in the first order, which may be the first tour as well.
    pub early: u32,
    /// Neighbours of a city.
    pub neighbours: usize,
    /// Whether neighbours are listed once, and their places in the orders looked up: where the device has no room for a table that has them in each order.
    pub listed: bool,
    /// How distances are rounded; `None` where they come from a matrix.
    pub rounding: Option<Rounding>,
    /// Steps of a search.
    pub steps: u32,
    /// The most cities of a segment that a kick moves.
    pub kick_length: u32,
    /// Cities that a kick ruins and rebuilds; 0: none does.
    pub rebuild_length: u32,
    /// Invocations of a workgroup that searches.
    pub lanes: u32,
    /// Lanes of a subgroup, where the best step is found inside subgroups first.
    pub subgroup: Option<u32>,
    /// Whether workgroup memory has room for a search's tour in words, not in half words, and for where its cities lie.
    pub roomy: bool,
    /// Cities that arrays in workgroup memory are declared for, as many as a window has or more.
    #[serde(skip)]
    pub array_cities: usize,
}

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
