//! What each ant of an Ant System deposits: twin of `shaders/pheromone/deposit_amount.wgsl`.

use crate::algorithm::fixed::{mul_high, trail_limit};
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::join;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "deposit_amount";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub ants: u32,
        pub part: u32,
        pub ranks: u32,
        pub cost_shift: u32,
        pub reference: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`. An ant, or a unit for its best solution, deposits `part` (times 2³²) of the level that belongs to its
/// cost; with `ranks` other than 0 as many such parts as its rank gives it.
pub fn spec(plan: &ConstructPlan, part: u32, ranks: u32, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let costs = if plan.has_units() { Buffer::UnitCosts } else { Buffer::Costs };
    let params = Params {
        ants: plan.units as u32,
        part,
        ranks,
        cost_shift: plan.cost_shift(),
        reference: (plan.reference_cost >> plan.cost_shift()) as u32,
        padding: [0; 3],
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/deposit_amount", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![(buffers.get(costs), Access::Read), (buffers.get(Buffer::Amounts), Access::Write)],
        workgroup_bytes: 0,
        units_per_workgroup: plan.sweep_lanes,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([costs], [amounts]) = call.buffers();
    let costs: &[[u32; 2]] = bytemuck::cast_slice(costs);
    let costs: Vec<u64> = costs[..params.ants as usize].iter().map(|&cost| join(cost)).collect();
    let mut ranked: Vec<usize> = (0..costs.len()).collect();
    ranked.sort_by_key(|&ant| (costs[ant], ant));
    let mut better = vec![0; costs.len()];
    for (rank, &ant) in ranked.iter().enumerate() {
        better[ant] = rank as u32;
    }
    let reference = u64::from(params.reference) << params.cost_shift;
    for ant in range {
        let parts = match params.ranks {
            0 => 1,
            ranks => (ranks - 1).saturating_sub(better[ant]),
        };
        amounts[ant] = mul_high(trail_limit(reference, costs[ant], params.cost_shift), params.part) * parts;
    }
}
