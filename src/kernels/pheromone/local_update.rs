//! Local update of an Ant Colony System whose ants step together: twin of `shaders/pheromone/local_update.wgsl`.

use crate::algorithm::acs::{AcsParams, trail_place};
use crate::algorithm::fixed::share_16;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS};
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "local_update";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub rate: u32,
        pub period: u32,
        pub directed: u32,
        pub candidates: u32,
        pub padding: [u32; 3],
    }
}

/// (1 − rate)·trail + rate·first, with the rate · 2¹⁶ (Dorigo and Gambardella 1997, equation 5).
#[inline]
pub fn worn(trail: u32, first: u32, rate: u32) -> u32 {
    trail - share_16(trail, rate) + share_16(first, rate)
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, system: &AcsParams, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        rate: system.local_evaporation_fixed(),
        period: plan.system.update_period,
        directed: u32::from(plan.system.directed),
        candidates: plan.system.candidates as u32,
        padding: [0; 3],
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/local_update", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Progress), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Heuristic), Access::Read),
            (buffers.get(Buffer::Trails), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, progress, tours, lists], [trails]) = call.buffers();
    let first = State::from_words(state).trail_min;
    let cities = params.cities as usize;
    let mut wear = |a: u32, b: u32, step: u32| {
        if !step.is_multiple_of(params.period) {
            return;
        }
        for (a, b) in [(a, b), (b, a)].into_iter().take(if params.directed == 1 { 1 } else { 2 }) {
            let trail = &mut trails[trail_place(lists, a, b, params.cities, params.candidates)];
            *trail = worn(*trail, first, params.rate);
        }
    };
    for ant in range {
        let tour = &tours[ant * cities..][..cities];
        let placed = ConstructProgress::of(&progress[ant * PROGRESS_WORDS..]).step as usize;
        wear(tour[placed - 2], tour[placed - 1], placed as u32 - 1);
        if placed == cities {
            wear(tour[placed - 1], tour[0], placed as u32);
        }
    }
}
