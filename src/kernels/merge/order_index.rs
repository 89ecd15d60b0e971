//! Gives each city its position in the new tour: `shaders/merge/order_index.wgsl` with its twin.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::merge::PathList;
use crate::kernels::merge::paths::Params;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernel's name.
pub const NAME: &str = "order_index";

/// The kernel for `plan` on `buffers`; a unit is a position.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/order_index", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&Params::of(plan)).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::RemovedBits), Access::Read),
            (buffers.get(Buffer::Paths), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Positions), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([removed_bits, paths, bests], [positions]) = call.buffers();
    if paths[0] == 0 {
        return;
    }
    let all = params.all as usize;
    let list = PathList { paths, removed_bits, all };
    for position in range {
        let path = list.holding(position);
        let first = list.first(path);
        let offset = (if position < first { position + all } else { position }) - first;
        let (begin, backwards) = list.new_first(path);
        let along = if backwards { list.length(path) - 1 - offset } else { offset };
        positions[bests[position] as usize] = (begin + along) as u32;
    }
}
