//! Whose gains the colony takes over: `shaders/tsp/splice/choose.wgsl` with its twin.

use super::CutList;
use super::conflicts::Params;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::state::{Progress, State, join, split};
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernel's name.
pub const NAME: &str = "choose";

/// The kernel for `plan` on `buffers`. It has one unit.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params::of(plan);
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/splice/choose", &[])?,
        constants: vec![("LANES", plan.single_lanes), ("WORDS", params.words)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Cuts), Access::Read),
            (buffers.get(Buffer::Conflicts), Access::Read),
            (buffers.get(Buffer::Progress), Access::Read),
            (buffers.get(Buffer::State), Access::Write),
            (buffers.get(Buffer::Chosen), Access::Write),
        ],
        workgroup_bytes: 4 * (4 * params.words + 3),
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([cuts, conflicts, progress], [state, chosen]) = call.buffers();
    let progress: &[Progress] = bytemuck::cast_slice(progress);
    let state = State::view_mut(state);
    let tag = state.iteration + 1;
    let words = params.words as usize;
    let of = |ant: usize| CutList::of(cuts, params.cities, ant);
    if progress[..params.ants as usize].iter().any(|progress| progress.search_done != tag) {
        state.failures |= 2;
    }
    let mut ants: Vec<usize> = (0..params.ants as usize).filter(|&ant| of(ant).count() > 0).collect();
    ants.sort_by_key(|&ant| (std::cmp::Reverse(of(ant).gain), ant));
    let mut taken = vec![0; words];
    let mut gain = 0;
    for ant in ants {
        let row = &conflicts[ant * words..(ant + 1) * words];
        if row.iter().zip(&taken).all(|(row, taken)| row & taken == 0) {
            taken[ant / 32] |= 1 << (ant % 32);
            gain += of(ant).gain;
        }
    }
    chosen.copy_from_slice(&taken);
    if gain > 0 {
        state.best_cost = split(join(state.best_cost) - u64::from(gain));
        state.best_iteration = tag;
        state.restart_improved = tag;
    }
    state.iteration_cost = state.best_cost;
    state.restart_cost = state.best_cost;
    state.iteration = tag;
}
