//! What the units of a cunning Ant System keep: twin of `shaders/pheromone/unit_best.wgsl`.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "unit_best";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params { cities: plan.cities as u32, padding: [0; 3] };
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/unit_best", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Costs), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::UnitCosts), Access::Write),
            (buffers.get(Buffer::Units), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, costs, tours], [unit_costs, units]) = call.buffers();
    let first = State::from_words(state).iteration == 0;
    let n = params.cities as usize;
    let costs: &[[u32; 2]] = bytemuck::cast_slice(costs);
    let unit_costs: &mut [[u32; 2]] = bytemuck::cast_slice_mut(unit_costs);
    for unit in range {
        if first || join(costs[unit]) < join(unit_costs[unit]) {
            unit_costs[unit] = costs[unit];
            units[unit * n..(unit + 1) * n].copy_from_slice(&tours[unit * n..(unit + 1) * n]);
        }
    }
}
