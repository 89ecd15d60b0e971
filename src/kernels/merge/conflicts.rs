//! Finds which windows conflict, so that their gains cannot both be taken over: `shaders/merge/conflicts.wgsl` with its twin.

use rayon::prelude::*;

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::merge::RemovedList;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "conflicts";

block! {
    /// The parameter block of this kernel and of `independent_set`; fields as documented in the WGSL structs. `independent_set` alone
    /// reads `budget`.
    pub struct Params {
        pub windows: u32,
        pub words: u32,
        pub cities: u32,
        pub budget: u32,
    }
}

impl Params {
    pub(in crate::kernels) fn of(plan: &WindowsPlan) -> Self {
        let windows = plan.units as u32;
        Self { windows, words: windows.div_ceil(32), cities: plan.window.cities as u32, budget: 0 }
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params::of(plan);
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/conflicts", &[])?,
        constants: vec![("LANES", plan.single_lanes), ("WORDS", params.words)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::RemovedEdges), Access::Read),
            (buffers.get(Buffer::Conflicts), Access::Write),
        ],
        workgroup_bytes: 4 * params.words,
        units_per_workgroup: 1,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([removed], [conflicts]) = call.buffers();
    let words = params.words as usize;
    let of = |number: usize| RemovedList::of(removed, params.cities, number);
    let rows = conflicts[range.start * words..range.end * words].par_chunks_mut(words);
    rows.enumerate().for_each(|(index, row)| {
        let number = range.start + index;
        row.fill(0);
        if of(number).count() == 0 {
            return;
        }
        for other in (0..params.windows as usize).filter(|&other| other != number && of(other).count() > 0) {
            if !inside(of(number), of(other)) {
                row[other / 32] |= 1 << (other % 32);
            }
        }
    });
}

/// Whether all edges that `other` removes lie inside one path between those that `number` removes.
fn inside(number: RemovedList<'_>, other: RemovedList<'_>) -> bool {
    let (count, others) = (number.count(), other.count());
    let (first, last) = (other.position(0), other.position(others - 1));
    let at = number.below(first);
    if at < count && number.position(at) == first {
        return false;
    }
    if at > 0 && at < count {
        return last < number.position(at);
    }
    // Edges on the path that leads over the tour's end.
    let below = other.below(number.position(0));
    let above = others - other.below(number.position(count - 1) + 1);
    below + above == others
}
