//! The cost of each ant's assignment: twin of `shaders/qap/assignment_cost.wgsl`.

use rayon::prelude::*;

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::qap::matrices::{self, DISTANCES, FLOWS, PLACING};
use crate::kernels::shared::state::split;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "assignment_cost";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub facilities: u32,
        pub ants: u32,
        pub matrix_words: u32,
        pub padding: u32,
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        facilities: plan.cities as u32,
        ants: plan.ants() as u32,
        matrix_words: matrices::length_of(plan) as u32,
        padding: 0,
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("qap/assignment_cost", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Matrices), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Costs), Access::Write),
        ],
        workgroup_bytes: 8,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([matrices, tours], [costs]) = call.buffers();
    let n = params.facilities as usize;
    let of = |unit: usize| {
        let own = &matrices[unit / params.ants as usize * params.matrix_words as usize..];
        [FLOWS, DISTANCES, PLACING].map(|which| &own[which * n * n..][..n * n])
    };
    let tours = tours[range.start * n..range.end * n].par_chunks(n);
    let costs = costs[2 * range.start..2 * range.end].par_chunks_mut(2);
    costs.zip(tours).enumerate().for_each(|(index, (cost, assignment))| {
        cost.copy_from_slice(&split(crate::instance::qap::cost(of(range.start + index), assignment)));
    });
}
