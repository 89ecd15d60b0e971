//! Who survives of a population of assignments and its children: twins of `shaders/qap/cost_ranks.wgsl`, `survivors.wgsl` and
//! `succession.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};

/// The kernels' names.
pub const RANKS: &str = "cost_ranks";
#[expect(missing_docs, reason = "documented with RANKS")]
pub const SURVIVORS: &str = "survivors";
#[expect(missing_docs, reason = "documented with RANKS")]
pub const SUCCESSION: &str = "succession";

/// The parameter block of the first two kernels, which know no facilities, and of the last; fields as documented in the WGSL structs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL structs")]
pub struct Params {
    pub individuals: u32,
    pub facilities: u32,
    pub padding: [u32; 2],
}

fn params(plan: &ConstructPlan) -> Vec<u8> {
    let params = Params { individuals: plan.units as u32, facilities: plan.cities as u32, padding: [0; 2] };
    bytemuck::bytes_of(&params).to_vec()
}

/// The kernel that brings individuals and children into the order of their costs; it has as many units as there are of both.
pub fn ranks_spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: RANKS,
        source: compose("qap/cost_ranks", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: params(plan),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Costs), Access::Read),
            (buffers.get(Buffer::UnitCosts), Access::Read),
            (buffers.get(Buffer::Ranks), Access::Write),
        ],
        workgroup_bytes: 4,
        units_per_workgroup: 1,
        twin: ranks_twin,
    })
}

/// The kernel that says who survives; it has one unit.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: SURVIVORS,
        source: compose("qap/survivors", &[])?,
        constants: Vec::new(),
        params: params(plan),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Costs), Access::Read),
            (buffers.get(Buffer::UnitCosts), Access::Read),
            (buffers.get(Buffer::Ranks), Access::Read),
            (buffers.get(Buffer::Survivors), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin,
    })
}

/// The kernel that puts children into the places of individuals.
pub fn succession_spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: SUCCESSION,
        source: compose("qap/succession", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: params(plan),
        bindings: vec![
            (buffers.get(Buffer::Survivors), Access::Read),
            (buffers.get(Buffer::Costs), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::UnitCosts), Access::Write),
            (buffers.get(Buffer::Units), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin: succession_twin,
    })
}

/// What individuals and, behind them, their children cost.
fn costs_of_both(individuals: usize, [state, costs, unit_costs]: [&[u32]; 3]) -> Vec<u64> {
    let first = State::from_words(state).iteration == 0;
    let cost = |words: &[u32]| join([words[0], words[1]]);
    let parents = unit_costs.chunks_exact(2).map(|words| if first { u64::MAX } else { cost(words) });
    parents.take(individuals).chain(costs.chunks_exact(2).take(individuals).map(cost)).collect()
}

fn ranks_twin(call: &mut TwinCall<'_>) {
    let Params { individuals, .. } = call.params();
    let range = call.range();
    let (read, [ranks]) = call.buffers();
    let costs = costs_of_both(individuals as usize, read);
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&it| (costs[it], it));
    let own = order.iter().enumerate().filter(|(_, it)| range.contains(*it));
    own.for_each(|(rank, &it)| ranks[rank] = it as u32);
}

fn twin(call: &mut TwinCall<'_>) {
    let Params { individuals, .. } = call.params();
    let most = individuals as usize;
    let ([state, costs, unit_costs, ranks], [survivors]) = call.buffers();
    let costs = costs_of_both(most, [state, costs, unit_costs]);
    let order: Vec<usize> = ranks[..2 * most].iter().map(|it| *it as usize).collect();
    let survives = &mut survivors[..2 * most];
    survives.fill(0);
    let (mut kept, mut last) = (0, None);
    for &it in &order {
        // Before the first iteration there are no individuals.
        let exists = it >= most || costs[it] < u64::MAX;
        if exists && kept < most && last != Some(costs[it]) {
            (survives[it], kept) = (1, kept + 1);
        }
        last = Some(costs[it]);
    }
    for it in order {
        if kept < most && survives[it] == 0 {
            (survives[it], kept) = (1, kept + 1);
        }
    }
}

fn succession_twin(call: &mut TwinCall<'_>) {
    let Params { individuals, facilities, .. } = call.params();
    let range = call.range();
    let ([survivors, costs, tours], [unit_costs, units]) = call.buffers();
    let (most, n) = (individuals as usize, facilities as usize);
    let (parents, children) = survivors[..2 * most].split_at(most);
    let dying = (0..most).filter(|&own| parents[own] == 0);
    let heirs = (0..most).filter(|&child| children[child] == 1);
    for (own, child) in dying.zip(heirs).filter(|(own, _)| range.contains(own)) {
        unit_costs[2 * own..2 * own + 2].copy_from_slice(&costs[2 * child..2 * child + 2]);
        units[own * n..(own + 1) * n].copy_from_slice(&tours[child * n..(child + 1) * n]);
    }
}
