//! Chooses the windows whose gains the colony takes over: `shaders/merge/independent_set.wgsl` with its twin.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::merge::RemovedList;
use crate::kernels::merge::conflicts::Params;
use crate::kernels::plan::WindowsPlan;
use crate::kernels::shared::state::{State, UNFINISHED_SEARCH, join, split};
use crate::kernels::windows::ChainedProgress;
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernel's name.
pub const NAME: &str = "independent_set";

/// The windows that a window in conflict may be in conflict with, in what is counted before a run: the kernel counts what there are.
const RIVALS: u64 = 64;

/// Later rounds together take no more turns than the first one: each has fewer windows left.
const ROUNDS: u64 = 2;

/// Loop turns of an invocation: its windows, of each the words of its row and its rivals.
pub(super) fn turns(windows: usize, lanes: u32) -> u32 {
    let words = windows.div_ceil(32) as u64;
    let turns = ROUNDS * (windows as u64).div_ceil(u64::from(lanes)) * (words + RIVALS + 2);
    u32::try_from(turns).unwrap_or(u32::MAX)
}

/// The kernel for `plan` on `buffers`. It has one unit.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { budget: plan.loop_budget, ..Params::of(plan) };
    Ok(KernelSpec {
        name: NAME,
        source: compose("merge/independent_set", &[])?,
        constants: vec![("LANES", plan.merge_lanes), ("WORDS", params.words)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::RemovedEdges), Access::Read),
            (buffers.get(Buffer::Conflicts), Access::Read),
            (buffers.get(Buffer::Progress), Access::Read),
            (buffers.get(Buffer::State), Access::Write),
            (buffers.get(Buffer::IndependentSet), Access::Write),
        ],
        workgroup_bytes: 4 * (4 * params.words + 4),
        units_per_workgroup: 1,
        twin,
    })
}

pub(super) fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([removed, conflicts, progress], [state, chosen]) = call.buffers();
    let progress: &[ChainedProgress] = bytemuck::cast_slice(progress);
    let state = State::view_mut(state);
    let tag = state.iteration + 1;
    let words = params.words as usize;
    let of = |number: usize| RemovedList::of(removed, params.cities, number);
    if progress[..params.windows as usize].iter().any(|progress| progress.search_done != tag) {
        state.failures |= UNFINISHED_SEARCH;
    }
    let mut windows: Vec<usize> = (0..params.windows as usize).filter(|&number| of(number).count() > 0).collect();
    windows.sort_by_key(|&number| (std::cmp::Reverse(of(number).gain), number));
    let mut taken = vec![0; words];
    let mut gain = 0u64;
    for number in windows {
        let row = &conflicts[number * words..(number + 1) * words];
        if row.iter().zip(&taken).all(|(row, taken)| row & taken == 0) {
            taken[number / 32] |= 1 << (number % 32);
            gain += u64::from(of(number).gain);
        }
    }
    chosen.copy_from_slice(&taken);
    if gain > 0 {
        state.best_cost = split(join(state.best_cost) - gain);
        state.best_iteration = tag;
        state.restart_improved = tag;
    }
    state.iteration_cost = state.best_cost;
    state.restart_cost = state.best_cost;
    state.iteration = tag;
}
