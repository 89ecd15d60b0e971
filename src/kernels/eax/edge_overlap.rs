//! How alike the tours of a population are: twin of `shaders/eax/edge_overlap.wgsl`.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::EaxPlan;
use crate::kernels::shared::state::{join, split};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "edge_overlap";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub trails: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &EaxPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { trails: (plan.cities * plan.neighbours) as u32, padding: [0; 3] };
    Ok(KernelSpec {
        name: NAME,
        source: compose("eax/edge_overlap", &[])?,
        constants: vec![("LANES", plan.single_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![(buffers.get(Buffer::Trails), Access::Read), (buffers.get(Buffer::EdgeOverlap), Access::Write)],
        workgroup_bytes: 8,
        units_per_workgroup: 1,
        twin,
    })
}

/// The share of a tour's edges that two different individuals have both, in the mean; what the kernel has written tells.
///
/// An edge counts at those of its two cities that have the other among their neighbours.
pub(crate) fn share(plan: &EaxPlan, words: &[u32]) -> f64 {
    let individuals = plan.individuals as f64;
    join([words[0], words[1]]) as f64 / (2.0 * plan.cities as f64 * individuals * (individuals - 1.0))
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([trails], [overlap]) = call.buffers();
    let pairs = |&individuals: &u32| u64::from(individuals) * u64::from(individuals.max(1) - 1);
    overlap[..2].copy_from_slice(&split(trails[..params.trails as usize].iter().map(pairs).sum()));
}
