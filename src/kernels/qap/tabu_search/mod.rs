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
        let products = evaluation == MoveEvaluation::Products;
        let wide = match n {
            0..=24 => 64,
            25..=48 => 128,
            49..=80 if products => 512,
            _ if products => 1024,
            _ => 256,
        };
        let most = device.workgroup_invocations;
        let lanes = match (asked.1, device.wide) {
            (Some(lanes), _) => lanes,
            (None, true) => wide.min(most),
            (None, false) => 8,
        };
        let step = if device.wide { 32 } else { 1 };
        let slow = (2 * n as u32).next_multiple_of(step).min(lanes / 2).max(1);
        let vectors = Self { in_workgroup: false, asymmetric, evaluation, lanes, quick_lanes: lanes - slow, layout };
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
            MoveEvaluation::NonMata => each(pairs) + 2 * n * (n + 1),
            MoveEvaluation::Mata => {
                // Once the invocations of one subgroup take two branches, one after the other.
                let slow = (2 * n).div_ceil(self.lanes - self.quick_lanes);
                pairs.div_ceil(self.quick_lanes) + 1 + slow * (n + 2) + 1 + (n + 1)
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
