//! The search of assignments by exchanges, tabu search or 2-opt: `shaders/qap/tabu_search.wgsl`. The twin is in `twin`.

use crate::algorithm::choices::{LocalSearch, MoveEvaluation};
use crate::algorithm::construct::{Construct, search_iterations};
use crate::backend::{Access, KernelSpec};
use crate::kernels::compose::compose_repeating;
use crate::kernels::plan::{Columns, ConstructPlan, ExchangePlan, TablePlace};
use crate::kernels::qap::matrices;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

mod blocks;
mod plan;
mod tables;
mod twin;

/// The kernel's name.
pub const NAME: &str = "tabu_search";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub facilities: u32,
        pub memory_words: u32,
        pub iterations: u32,
        pub first_iterations: u32,
        pub steps: u32,
        pub tenure: u32,
        pub filled: u32,
        pub ants: u32,
        pub matrix_words: u32,
        pub padding: u32,
    }
}

impl Params {
    /// Iterations of a search in an iteration of the ants; `iterations_of` in the WGSL.
    fn iterations_of(&self, iteration: u32) -> u32 {
        search_iterations(self.iterations, self.first_iterations, iteration)
    }
}

block! {
    /// How far a search has come; fields as documented in the WGSL struct.
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
}

/// Dispatches that a search takes.
pub fn dispatches(plan: &ConstructPlan, exchanges: &ExchangePlan) -> u32 {
    let iterations = plan.system.assignment.map_or(0, |search| search.iterations);
    if plan.unbounded_calls {
        return 1;
    }
    iterations.div_ceil(exchanges.steps(plan.cities, plan.loop_budget))
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, exchanges: &ExchangePlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let Construct { assignment: asked, local_search, seed, .. } = &plan.system;
    let tabu = *local_search == LocalSearch::Tabu;
    let n = plan.cities;
    let params = Params {
        seed: [*seed as u32, (*seed >> 32) as u32],
        facilities: n as u32,
        memory_words: exchanges.layout.words as u32,
        iterations: asked.map_or(0, |asked| asked.iterations),
        first_iterations: asked.map_or(0, |asked| asked.first_iterations),
        steps: if plan.unbounded_calls { u32::MAX } else { exchanges.steps(n, plan.loop_budget) },
        tenure: asked.map_or(0, |asked| asked.tenure),
        filled: (n - exchanges.empty) as u32,
        ants: plan.ants() as u32,
        matrix_words: matrices::length_of(plan) as u32,
        padding: 0,
    };
    let products = exchanges.evaluation == MoveEvaluation::Products;
    let mut flags = Vec::new();
    for (holds, flag) in [
        (tabu, "TABU"),
        (exchanges.asymmetric, "ASYMMETRIC"),
        (exchanges.alike, "ALIKE"),
        (exchanges.table == TablePlace::Storage, "TABLE_IN_STORAGE"),
        (exchanges.table == TablePlace::Registers, "TABLE_IN_REGISTERS"),
        (products, "PRODUCTS"),
        (exchanges.subgroup.is_some(), "SUBGROUPS"),
        (exchanges.evaluation == MoveEvaluation::Mata, "MATA"),
    ] {
        flags.extend(holds.then_some(flag));
    }
    let mut constants = vec![("LANES", exchanges.lanes), ("PLACES", n as u32), ("VECTORS", exchanges.vectors(n))];
    constants.extend(exchanges.subgroup.map(|size| ("SUBGROUP", size)));
    let at_hand = exchanges.table != TablePlace::Storage;
    constants.extend((at_hand && !products).then_some(("TABLE_WORDS", exchanges.layout.table_words as u32)));
    constants.extend((exchanges.evaluation == MoveEvaluation::Mata).then_some(("QUICK_LANES", exchanges.quick_lanes)));
    constants.extend((exchanges.evaluation != MoveEvaluation::Products).then_some(("SHARE", exchanges.share)));
    let Columns { columns, groups, chunks, each, rows } = exchanges.columns;
    if products {
        // What comes to a processor where all units are searched side by side.
        let resident = |count: u32| (plan.units as u32).div_ceil(count).max(1);
        constants.extend(exchanges.processors.map(|count| ("RESIDENT", resident(count))));
        constants.extend([("COLUMNS", columns), ("GROUPS", groups), ("CHUNKS", chunks), ("EACH", each)]);
        constants.extend(at_hand.then_some(("ROWS", rows)));
    }
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
        source: compose_repeating("qap/tabu_search", &flags, &[("EACH", each), ("ROWS", rows)])?,
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

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use crate::algorithm::construct::AssignmentSearch;

    const SEARCH: AssignmentSearch =
        AssignmentSearch { iterations: 1, first_iterations: 1, tenure: 1, asymmetric: false, empty: 0, alike: false };

    /// What reports say of a run's iterations is what kernels make.
    #[test]
    fn searches_are_as_long_as_reports_say() {
        for (iterations, first_iterations) in [(1000, 25), (1000, 1000), (40, 1), (3, 2)] {
            let search = AssignmentSearch { iterations, first_iterations, ..SEARCH };
            let params = Params { iterations, first_iterations, ..Params::zeroed() };
            let mut made = 0;
            for iteration in 0..12 {
                assert_eq!(search.tabu_iterations(iteration), made);
                made += u64::from(params.iterations_of(iteration));
            }
        }
    }
}
