//! The pheromone update of an Ant System by a single invocation: twin of `shaders/pheromone/serial_update.wgsl`.

use super::deposit::deposit;
use crate::algorithm::ant_system::AntSystemParams;
use crate::algorithm::fixed::mul_high;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "serial_update";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub directed: u32,
        pub persistence: u32,
        pub padding: u32,
    }
}

/// The kernel for `plan` on `buffers`; [`units_a_call`] at most.
pub fn spec(plan: &ConstructPlan, rule: &AntSystemParams, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        directed: u32::from(plan.system.directed),
        persistence: rule.persistence_fixed(),
        padding: 0,
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/serial_update", &[])?,
        constants: vec![],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Amounts), Access::Read),
            (buffers.get(Buffer::Trails), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: units_a_call(plan),
        twin,
    })
}

/// Rows and ants that one invocation can take one after the other within the loop budget.
pub fn units_a_call(plan: &ConstructPlan) -> u32 {
    match plan.unbounded_calls {
        true => u32::MAX,
        false => (plan.loop_budget / (plan.cities as u32 + 1)).max(1),
    }
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, tours, amounts], [trails]) = call.buffers();
    let state = State::from_words(state);
    let cities = params.cities as usize;
    for unit in range {
        if unit < cities {
            for trail in &mut trails[unit * cities..][..cities] {
                *trail = if state.reset == 1 { state.trail_max } else { mul_high(*trail, params.persistence) };
            }
        } else {
            let ant = unit - cities;
            deposit(&tours[ant * cities..][..cities], params.directed == 1, amounts[ant], trails);
        }
    }
}
