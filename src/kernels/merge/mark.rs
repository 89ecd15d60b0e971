//! Marks the removed edges of chosen windows in the tour: `shaders/merge/mark.wgsl` with its twin.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::merge::RemovedList;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::windows::window_order::{Where, window_words};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "mark";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub all: u32,
        pub padding: [u32; 2],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { cities: plan.window.cities as u32, all: plan.cities as u32, padding: [0; 2] };
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/mark", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Windows), Access::Read),
            (buffers.get(Buffer::RemovedEdges), Access::Read),
            (buffers.get(Buffer::IndependentSet), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::Unsettled), Access::Write),
            (buffers.get(Buffer::RemovedBits), Access::Write),
            (buffers.get(Buffer::Ties), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([windows, removed, chosen, order], [unsettled, removed_bits, ties]) = call.buffers();
    let words = window_words(params.cities as usize);
    let all = params.all as usize;
    for number in call.range() {
        let list = RemovedList::of(removed, params.cities, number);
        let is_chosen = chosen[number / 32] >> (number % 32) & 1 == 1;
        if is_chosen {
            for &[position, after, before] in list.removed {
                let position = position as usize;
                removed_bits[position / 32] |= 1 << (position % 32);
                ties[2 * position] = after;
                ties[2 * ((position + 1) % all) + 1] = before;
            }
        }
        if is_chosen || list.count() == 0 {
            let (here, _) = Where::of(&windows[number * words..], params.cities as usize, all);
            let settled = |label: &usize| list.unsettled[label / 32] >> (label % 32) & 1 == 0;
            for label in (0..params.cities as usize).filter(settled) {
                let city = order[here.place(label)];
                unsettled[city as usize / 32] &= !(1 << (city % 32));
            }
        }
    }
}
