//! Writes each city to its new position: `shaders/merge/scatter.wgsl` with its twin.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "scatter";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub words: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`; a unit is a city.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { words: plan.words() as u32, padding: [0; 3] };
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/scatter", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Paths), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Bests), Access::Write),
            (buffers.get(Buffer::RemovedBits), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([paths, positions], [bests, removed_bits]) = call.buffers();
    if paths[0] == 0 {
        return;
    }
    for city in range {
        bests[positions[city] as usize] = city as u32;
        if city < params.words as usize {
            removed_bits[city] = 0;
        }
    }
}
