//! The cuts of chosen ants in the tour: `shaders/tsp/splice/mark.wgsl` with its twin.

use bytemuck::{Pod, Zeroable};

use super::CutList;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::patch_order::{Where, patch_words};
use crate::kernels::plan::WindowsPlan;
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernel's name.
pub const NAME: &str = "mark";

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub cities: u32,
    pub all: u32,
    pub padding: [u32; 2],
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { cities: plan.patch.cities as u32, all: plan.cities as u32, padding: [0; 2] };
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/splice/mark", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Patches), Access::Read),
            (buffers.get(Buffer::Cuts), Access::Read),
            (buffers.get(Buffer::Chosen), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::Unsettled), Access::Write),
            (buffers.get(Buffer::CutBits), Access::Write),
            (buffers.get(Buffer::Ties), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([patches, cuts, chosen, order], [unsettled, cut_bits, ties]) = call.buffers();
    let words = patch_words(params.cities as usize);
    let all = params.all as usize;
    for ant in call.range() {
        let list = CutList::of(cuts, params.cities, ant);
        let is_chosen = chosen[ant / 32] >> (ant % 32) & 1 == 1;
        if is_chosen {
            for &[position, after, before] in list.cuts {
                let position = position as usize;
                cut_bits[position / 32] |= 1 << (position % 32);
                ties[2 * position] = after;
                ties[2 * ((position + 1) % all) + 1] = before;
            }
        }
        if is_chosen || list.count() == 0 {
            let (here, _) = Where::of(&patches[ant * words..], params.cities as usize, all);
            let settled = |label: &usize| list.unsettled[label / 32] >> (label % 32) & 1 == 0;
            for label in (0..params.cities as usize).filter(settled) {
                let city = order[here.place(label)];
                unsettled[city as usize / 32] &= !(1 << (city % 32));
            }
        }
    }
}
