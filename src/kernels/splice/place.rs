//! New positions where paths have moved: `shaders/tsp/splice/place.wgsl` with its twin.

use super::PathList;
use super::paths::Params;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernel's name.
pub const NAME: &str = "place";

/// The kernel for `plan` on `buffers`; a unit is a position.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/splice/place", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&Params::of(plan)).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::CutBits), Access::Read),
            (buffers.get(Buffer::Paths), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Positions), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([cut_bits, paths, bests], [positions]) = call.buffers();
    if paths[0] == 0 {
        return;
    }
    let all = params.all as usize;
    let list = PathList { paths, cut_bits, all };
    for position in range {
        let path = list.holding(position);
        let first = list.first(path);
        let offset = (if position < first { position + all } else { position }) - first;
        let (begin, backwards) = list.new_first(path);
        let along = if backwards { list.length(path) - 1 - offset } else { offset };
        positions[bests[position] as usize] = (begin + along) as u32;
    }
}
