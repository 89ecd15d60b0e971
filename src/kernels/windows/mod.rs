//! Windowed Lin-Kernighan search: [`window_order`] lays windows over the plane, [`window_search`] searches each of them.

pub mod window_order;
pub mod window_search;

/// How far the search of a window has come.
pub use crate::kernels::lin_kernighan::ChainedProgress;
