//! The kernels, one module each: parameter block, bindings, CPU twin. A kernel, its WGSL file and its timing row share
//! one name.

pub mod adopt;
mod array_tour;
pub mod assemble;
pub mod assignment_cost;
pub mod best;
mod buffers;
mod choices;
pub mod compose;
pub mod construct;
pub mod deposit;
pub mod deposit_amount;
pub mod deviates;
pub(crate) mod distances;
pub mod exchange_search;
pub mod exchange_table;
pub mod focus;
pub mod global_update;
pub mod lin_kernighan;
pub mod local_update;
pub mod matrices;
pub mod overlap;
pub mod patch;
pub mod patch_order;
pub mod pieces;
pub mod plan;
pub mod probe;
mod queue;
pub mod splice;
pub mod state;
pub mod tour_cost;
pub mod trail_update;
pub mod two_opt;
pub mod unit_best;

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
