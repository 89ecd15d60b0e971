//! The search of assignments by exchanges, tabu search or 2-opt: `shaders/qap/tabu_search.wgsl`. The twin is in `twin`.

use bytemuck::{Pod, Zeroable};

use crate::algorithm::choices::{LocalSearch, MoveEvaluation};
use crate::algorithm::construct::Construct;
use crate::backend::{Access, Capabilities, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::plan::{ConstructPlan, ExchangePlan, MemoryLayout};
use crate::kernels::{Buffer, Buffers, KernelError};

mod twin;

/// The kernel's name.
pub const NAME: &str = "tabu_search";

/// Workgroup memory that is left to the driver.
const SPARE_BYTES: u32 = 512;

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub seed: [u32; 2],
    pub facilities: u32,
    pub pitch: u32,
    pub memory_words: u32,
    pub iterations: u32,
    pub steps: u32,
    pub tenure: u32,
}

/// How far a search has come; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct SearchProgress {
    pub begun: u32,
    pub done: u32,
    pub iterations: u32,
    pub moves: u32,
    pub present_low: u32,
    pub present_high: u32,
    pub least_low: u32,
    pub least_high: u32,
    pub padding: [u32; 5],
}

impl ExchangePlan {
    /// The plan for `n` facilities; `lanes` and the evaluation of moves as asked for.
    pub fn new(
        n: usize,
        asymmetric: bool,
        asked: (Option<MoveEvaluation>, Option<u32>),
        device: &Capabilities,
    ) -> Self {
        let evaluation = match asked.0 {
            Some(evaluation) if !device.unbounded_calls => evaluation,
            _ => MoveEvaluation::Products,
        };
        let layout = MemoryLayout::new(n, evaluation);
        let (lanes, quick_lanes, share) = match evaluation {
            MoveEvaluation::Products => (product_lanes(n, asked.1, device), 0, 0),
            _ => shared_lanes(n, evaluation, asked.1, device),
        };
        let vectors = Self { in_workgroup: false, asymmetric, evaluation, lanes, quick_lanes, share, layout };
        let needed = u64::from(vectors.workgroup_bytes(n) + SPARE_BYTES) + 4 * layout.table_words() as u64;
        Self { in_workgroup: needed <= u64::from(device.workgroup_bytes), ..vectors }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(&self, n: usize) -> u32 {
        let vectors = 3 + 2 * u32::from(self.asymmetric) + u32::from(self.evaluation == MoveEvaluation::Products);
        let table = if self.in_workgroup { self.layout.table_words() as u32 } else { 0 };
        4 * (vectors * n as u32 + 3 + table)
    }

    /// Loop turns that an invocation may need for one iteration, and for a dispatch besides.
    pub fn turns(&self, n: usize) -> (u32, u32) {
        let n = n as u32;
        let each = |items: u32| items.div_ceil(self.lanes) + 1;
        let pairs = n / 2 * n;
        let update = match self.evaluation {
            MoveEvaluation::Products => each(n * n),
            // By the worst luck one invocation has all the pairs of linear time.
            MoveEvaluation::NonMata => self.share + 1 + self.share.min(2 * n) * (n + 1),
            MoveEvaluation::Mata => {
                // Once the invocations of one subgroup take two branches, one after the other.
                let slow = (2 * n).div_ceil(self.lanes - self.quick_lanes);
                self.share + 1 + slow * (n + 2) + 1 + (n + 1)
            }
        };
        let iteration = 1 + each(pairs) + update + 4 * each(n);
        (iteration, 4 * each(n) + 2 * each(self.layout.table_words() as u32))
    }

    /// Iterations that fit in a dispatch.
    pub fn steps(&self, n: usize, loop_budget: u32) -> u32 {
        let (iteration, besides) = self.turns(n);
        (loop_budget.saturating_sub(besides) / iteration).max(1)
    }
}

/// Invocations of a workgroup where each move takes constant time.
fn product_lanes(n: usize, asked: Option<u32>, device: &Capabilities) -> u32 {
    let wide = match n {
        0..=24 => 64,
        25..=48 => 128,
        49..=80 => 512,
        _ => 1024,
    };
    match (asked, device.wide) {
        (Some(lanes), _) => lanes,
        (None, true) => wide.min(device.workgroup_invocations),
        (None, false) => 8,
    }
}

/// Invocations of a workgroup, those of them for moves of constant time, and moves of consecutive numbers of each: on a GPU n/4 moves, and 2n
/// invocations for moves of linear time which begin a subgroup of their own (Tsutsui and Fujimoto 2011, section 5.2.2 and table 4). Where a
/// workgroup has fewer invocations, moves of linear time get half of them at most, and those of constant time the others.
fn shared_lanes(n: usize, evaluation: MoveEvaluation, asked: Option<u32>, device: &Capabilities) -> (u32, u32, u32) {
    let mata = evaluation == MoveEvaluation::Mata;
    let (moves, linear) = ((n / 2 * n) as u32, 2 * n as u32);
    let warp = if device.wide { device.subgroup.unwrap_or(32).max(32) } else { 1 };
    if asked.is_none() && device.wide {
        let share = (n as u32 / 4).max(1);
        let quick = moves.div_ceil(share);
        let (quick, lanes) =
            if mata { (quick.next_multiple_of(warp), quick.next_multiple_of(warp) + linear) } else { (quick, quick) };
        if lanes <= device.workgroup_invocations {
            return (lanes, quick, share);
        }
    }
    let lanes = asked.unwrap_or(if device.wide { device.workgroup_invocations } else { 8 });
    let slow = if mata { linear.next_multiple_of(warp).min(lanes / 2).max(1) } else { 0 };
    (lanes, lanes - slow, moves.div_ceil(lanes - slow))
}

/// Dispatches that a search takes.
pub fn dispatches(plan: &ConstructPlan) -> u32 {
    let iterations = plan.system.assignment.map_or(0, |exchanges| exchanges.iterations);
    if plan.unbounded_calls {
        return 1;
    }
    iterations.div_ceil(plan.exchanges().steps(plan.cities, plan.loop_budget))
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let Construct { assignment: asked, local_search, seed, .. } = &plan.system;
    let exchanges = plan.exchanges();
    let tabu = *local_search == LocalSearch::Tabu;
    let n = plan.cities;
    let params = Params {
        seed: [*seed as u32, (*seed >> 32) as u32],
        facilities: n as u32,
        pitch: exchanges.layout.pitch as u32,
        memory_words: exchanges.layout.words as u32,
        iterations: asked.map_or(0, |asked| asked.iterations),
        steps: if plan.unbounded_calls { u32::MAX } else { exchanges.steps(n, plan.loop_budget) },
        tenure: asked.map_or(0, |asked| asked.tenure),
    };
    let mut flags = Vec::new();
    for (holds, flag) in [
        (tabu, "TABU"),
        (exchanges.asymmetric, "ASYMMETRIC"),
        (!exchanges.in_workgroup, "TABLE_IN_STORAGE"),
        (exchanges.evaluation == MoveEvaluation::Products, "PRODUCTS"),
        (exchanges.evaluation == MoveEvaluation::Mata, "MATA"),
    ] {
        flags.extend(holds.then_some(flag));
    }
    let mut constants = vec![("LANES", exchanges.lanes), ("PLACES", n as u32)];
    constants.extend(exchanges.in_workgroup.then_some(("TABLE_WORDS", exchanges.layout.table_words() as u32)));
    constants.extend((exchanges.evaluation == MoveEvaluation::Mata).then_some(("QUICK_LANES", exchanges.quick_lanes)));
    constants.extend((exchanges.evaluation != MoveEvaluation::Products).then_some(("SHARE", exchanges.share)));
    let mut bindings = vec![
        (buffers.get(Buffer::Matrices), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Progress), Access::Write),
        (buffers.get(Buffer::Tours), Access::Write),
    ];
    // The twin makes its tables itself.
    bindings.extend(buffers.find(Buffer::Memory).map(|memory| (memory, Access::Write)));
    Ok(KernelSpec {
        name: NAME,
        source: compose("qap/tabu_search", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: exchanges.workgroup_bytes(n),
        units_per_workgroup: 1,
        twin: match (tabu, exchanges.asymmetric) {
            (true, false) => twin::twin::<true, false>,
            (true, true) => twin::twin::<true, true>,
            (false, false) => twin::twin::<false, false>,
            (false, true) => twin::twin::<false, true>,
        },
    })
}
