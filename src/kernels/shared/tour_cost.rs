//! The cost of each ant's tour: twin of `shaders/shared/tour_cost.wgsl`.

use rayon::prelude::*;

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::distances::{self, Distances, twins};
use crate::kernels::shared::state::split;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "tour_cost";

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
        source: compose("shared/tour_cost", distances::flags(plan.rounding))?,
        constants: [("LANES", plan.sweep_lanes)]
            .into_iter()
            .chain(distances::constants(plan.rounding, plan.gap))
            .collect(),
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::Distances), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Costs), Access::Write),
        ],
        workgroup_bytes: 8,
        units_per_workgroup: 1,
        twin: distances::choose(plan.rounding, twins!(FROM => twin::<FROM>)),
    })
}

fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([distances, tours], [costs]) = call.buffers();
    let cities = params.cities as usize;
    let distances = Distances::<FROM>::new(call, distances, cities);
    let tours = &tours[range.start * cities..range.end * cities];
    let costs: &mut [[u32; 2]] = bytemuck::cast_slice_mut(&mut costs[range.start * 2..range.end * 2]);
    tours.par_chunks(cities).zip(costs).for_each(|(tour, cost)| {
        let edge = |a: u32, b: u32| u64::from(distances.between(a, b));
        let inner: u64 = tour.windows(2).map(|pair| edge(pair[0], pair[1])).sum();
        *cost = split(inner + edge(tour[cities - 1], tour[0]));
    });
}
