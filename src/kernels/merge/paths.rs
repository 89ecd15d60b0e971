//! Puts the paths between removed edges in their new order, by pointer jumping (Wyllie 1979): `shaders/merge/paths.wgsl` with its twin, which
//! walks along the new tour.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::merge::{PathList, REVERSED};
use crate::kernels::plan::WindowsPlan;
use crate::kernels::shared::state::{NO_TOUR, State};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "paths";

block! {
    /// The parameter block of this kernel and of `order_index`; fields as documented in the WGSL struct.
    pub struct Params {
        pub all: u32,
        pub words: u32,
        pub padding: [u32; 2],
    }
}

impl Params {
    pub(in crate::kernels) fn of(plan: &WindowsPlan) -> Self {
        Self { all: plan.cities as u32, words: plan.words() as u32, padding: [0; 2] }
    }
}

/// Loop turns of an invocation at most, when every edge of the tour is removed: the bits counted, sums of all lanes, first positions;
/// paths before, in and after the rounds of pointer jumping.
pub(in crate::kernels) fn turns(cities: usize, lanes: u32) -> u32 {
    let nodes = 2 * cities as u64;
    let words = cities.div_ceil(32) as u64;
    let each = |count: u64| count.div_ceil(u64::from(lanes));
    let rounds = u64::from(nodes.next_power_of_two().ilog2());
    let turns = 34 * each(words) + u64::from(lanes) + (rounds + 2) * (each(nodes) + 1);
    u32::try_from(turns).unwrap_or(u32::MAX)
}

/// The kernel for `plan` on `buffers`. It has one unit.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/paths", &[])?,
        constants: vec![("LANES", plan.merge_lanes)],
        params: bytemuck::bytes_of(&Params::of(plan)).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::RemovedBits), Access::Read),
            (buffers.get(Buffer::Ties), Access::Read),
            (buffers.get(Buffer::Bests), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::State), Access::Write),
            (buffers.get(Buffer::Paths), Access::Write),
            (buffers.get(Buffer::Hops), Access::Write),
        ],
        workgroup_bytes: 4 * plan.merge_lanes,
        units_per_workgroup: 1,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([removed_bits, ties, bests, positions], [state, paths, _]) = call.buffers();
    let (all, words) = (params.all as usize, params.words as usize);
    let mut count = 0;
    for (word, &removed) in removed_bits[..words].iter().enumerate() {
        paths[1 + word] = count;
        for position in (0..32).filter(|bit| removed >> bit & 1 == 1).map(|bit| 32 * word + bit + 1) {
            paths[1 + words + count as usize] = if position == all { 0 } else { position as u32 };
            count += 1;
        }
    }
    paths[0] = count;
    if count == 0 {
        return;
    }
    let (mut path, mut backwards, mut begin) = (0, false, 0);
    loop {
        let list = PathList { paths, removed_bits, all };
        let length = list.length(path);
        let exit = if backwards { list.first(path) } else { list.last(path) };
        paths[1 + words + all + path] = begin as u32 | if backwards { REVERSED } else { 0 };
        begin += length;
        let list = PathList { paths, removed_bits, all };
        let tied = ties[2 * exit + usize::from(backwards)];
        let position = positions[tied as usize] as usize;
        path = list.holding(position);
        backwards = position != list.first(path) || ties[2 * position + 1] != bests[exit];
        if (path, backwards) == (0, false) || begin > all {
            break;
        }
    }
    if begin != all {
        State::view_mut(state).failures |= NO_TOUR;
    }
}
