//! Evaporation, deposit, clamping and choice information in one pass: twin of `shaders/tsp/trail_update.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::compose::compose;
use super::plan::Plan;
use super::state::State;
use super::{Buffers, KernelError};
use crate::aco::fixed::{log2_fixed, mul_high};
use crate::backend::{Access, KernelSpec, TwinCall};

/// The kernel's name.
pub const NAME: &str = "trail_update";

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub cities: u32,
    pub candidates: u32,
    pub persistence: u32,
    pub alpha: u32,
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        candidates: plan.candidates as u32,
        persistence: plan.mmas.persistence_fixed(),
        alpha: plan.mmas.alpha_fixed(),
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/trail_update", &[])?,
        constants: vec![("LANES", plan.construct_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.tables, Access::Read),
            (buffers.state, Access::Read),
            (buffers.bests, Access::Read),
            (buffers.heuristic, Access::Read),
            (buffers.trails, Access::Write),
            (buffers.choice, Access::Write),
        ],
        workgroup_bytes: 0,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([tables, state, bests, heuristic], [trails, choice]) = call.buffers();
    let state = State::from_words(state);
    let (cities, candidates) = (params.cities as usize, params.candidates as usize);
    let tour = &bests[2 * cities..3 * cities];
    let floor_log2 = log2_fixed(tables, state.trail_min);
    // One thread: a row takes tens of nanoseconds, and the units are a permutation of the rows.
    for position in range {
        let city = tour[position] as usize;
        let before = tour[(position + cities - 1) % cities];
        let after = tour[(position + 1) % cities];
        let row = city * candidates..(city + 1) * candidates;
        let slots = trails[row.clone()].iter_mut().zip(&mut choice[row.clone()]).zip(&heuristic[row]);
        for ((slot, choice), &entry) in slots {
            let other = entry >> 16;
            let mut trail = state.trail_max;
            if state.reset == 0 {
                trail = mul_high(*slot, params.persistence);
                if other == before || other == after {
                    trail = trail.saturating_add(state.deposit);
                }
                trail = trail.clamp(state.trail_min, state.trail_max);
            }
            *slot = trail;
            let weight = params.alpha.wrapping_mul(log2_fixed(tables, trail) - floor_log2) >> 15;
            *choice = (entry & 0xFFFF_0000) | ((entry & 0xFFFF) + weight).min(0xFFFF);
        }
    }
}
