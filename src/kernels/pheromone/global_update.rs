//! Global update of an Ant Colony System: twin of `shaders/pheromone/global_update.wgsl`.

use crate::algorithm::acs::{AcsParams, FAR_RAISED, trail_place};
use crate::algorithm::choices::Memory;
use crate::algorithm::fixed::{log2_fixed, mul_high};
use crate::algorithm::selective::{Records, raised_level};
use crate::backend::{Access, KernelSpec, TwinCall, atomics};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "global_update";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub rate: u32,
        pub pitch: u32,
        pub directed: u32,
        pub candidates: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, system: &AcsParams, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        rate: system.evaporation_fixed(),
        pitch: plan.record_pitch(),
        directed: u32::from(plan.system.directed),
        candidates: plan.system.candidates as u32,
        padding: [0; 3],
    };
    let selective = plan.system.memory == Memory::Selective;
    let (flags, trails): (&[&str], &[_]) = match selective {
        true => (&["SELECTIVE"], &[(Buffer::Records, Access::Write)]),
        false => (&[], &[(Buffer::Heuristic, Access::Write), (Buffer::Trails, Access::Write)]),
    };
    let common = [(Buffer::Tables, Access::Read), (Buffer::State, Access::Read), (Buffer::Bests, Access::Read)];
    let bindings = common.iter().chain(trails).map(|&(buffer, access)| (buffers.get(buffer), access));
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/global_update", flags)?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: bindings.collect(),
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin: if selective { selective_twin } else { matrix_twin },
    })
}

fn matrix_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([_, state, bests], [lists, trails]) = call.buffers();
    let state = State::from_words(state);
    let cities = params.cities as usize;
    for position in range {
        let (city, after) = (bests[position], bests[(position + 1) % cities]);
        for (a, b) in [(city, after), (after, city)].into_iter().take(if params.directed == 1 { 1 } else { 2 }) {
            let place = trail_place(lists, a, b, params.cities, params.candidates);
            let raised = trails[place] - mul_high(trails[place], params.rate) + mul_high(state.deposit, params.rate);
            trails[place] = raised.max(state.trail_min);
            if place >= cities * params.candidates as usize {
                lists[a as usize * params.candidates as usize] |= FAR_RAISED;
            }
        }
    }
}

fn selective_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([tables, state, bests], [records]) = call.buffers();
    let state = State::from_words(state);
    let records = atomics(records);
    let floor = log2_fixed(tables, state.trail_min);
    let best = ((log2_fixed(tables, state.deposit.max(state.trail_min)) - floor) >> 5).min(0xFFFF);
    let cities = params.cities as usize;
    for position in range {
        let records = Records::of(records, bests[position], params.pitch as usize);
        let neighbours = [bests[(position + 1) % cities], bests[(position + cities - 1) % cities]];
        for other in neighbours.into_iter().take(if params.directed == 1 { 1 } else { 2 }) {
            let slot = records.slot(other);
            records.keep(other, slot, raised_level(tables, records.level(slot), best, params.rate));
        }
    }
}
