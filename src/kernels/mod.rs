//! The kernels, one module each: parameter block, bindings, CPU twin. A kernel, its WGSL file and its timing row share
//! one name.

pub mod best;
pub mod compose;
pub mod construct;
pub mod plan;
pub mod state;
pub mod tour_cost;
pub mod trail_update;
pub mod two_opt;

use crate::backend::BufferId;
use plan::Plan;

/// A shader module that cannot be composed; names module and line.
pub type KernelError = String;

/// The colony's buffers; shapes in [`Plan::buffers`].
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "documented once, in Plan::buffers")]
pub struct Buffers {
    pub distances: BufferId,
    pub neighbours: BufferId,
    pub heuristic: BufferId,
    pub tables: BufferId,
    pub trails: BufferId,
    pub choice: BufferId,
    pub state: BufferId,
    pub progress: BufferId,
    pub visited_kept: BufferId,
    pub queues: BufferId,
    pub tours: BufferId,
    pub costs: BufferId,
    pub bests: BufferId,
    pub links: BufferId,
    /// Positions of cities under local search, where workgroup memory cannot hold a tour.
    pub positions: Option<BufferId>,
}

/// Dispatches that `total` loop turns need when each may spend the plan's budget, `overhead` turns of it for nothing.
fn dispatches_for(plan: &Plan, total: u64, overhead: u64) -> u32 {
    if plan.unbounded_calls {
        return 1;
    }
    let useful = u64::from(plan.loop_budget).saturating_sub(overhead).max(1);
    u32::try_from(total.div_ceil(useful) + 1).unwrap_or(u32::MAX)
}
