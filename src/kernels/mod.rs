//! The kernels, a folder a family as in `shaders/`, a module a kernel: parameter block, bindings, CPU twin. A kernel, its WGSL file, its
//! module and its timing row share one name.

mod buffers;
mod choices;
pub mod compose;
pub mod construct;
pub mod eax;
pub mod lin_kernighan;
pub mod merge;
pub mod pheromone;
pub mod plan;
pub mod qap;
pub mod shared;
pub mod turns;
pub mod two_opt;
pub mod windows;

use plan::Sizes;

pub use buffers::{Buffer, BufferPlan, Buffers};

/// A shader module that cannot be composed; names module and line.
pub type KernelError = String;

/// Dispatches that `total` loop turns need when each may spend the plan's budget, `overhead` turns of it for nothing; one to spare where
/// one is not enough.
fn dispatches_for(plan: &Sizes, total: u64, overhead: u64) -> u32 {
    if plan.unbounded_calls {
        return 1;
    }
    let useful = u64::from(plan.loop_budget).saturating_sub(overhead).max(1);
    if total < useful {
        return 1;
    }
    u32::try_from(total.div_ceil(useful) + 1).unwrap_or(u32::MAX)
}
