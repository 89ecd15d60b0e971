//! The kernels, a folder a family as in `shaders/`, a module a kernel: parameter block, bindings, CPU twin. A kernel, its WGSL file, its
//! module and its timing row share one name.

mod buffers;
pub mod compose;
pub mod construct;
pub mod eax;
pub mod lin_kernighan;
pub mod merge;
pub mod pheromone;
pub mod plan;
mod planner;
pub mod qap;
pub mod shared;
pub mod two_opt;
pub mod windows;

pub use buffers::{Buffer, BufferPlan, Buffers};
pub use planner::turns;

/// A shader module that cannot be composed; names module and line.
pub type KernelError = String;
