//! Who survives of a population of assignments and its children: twins of `shaders/qap/cost_ranks.wgsl`, `survivors.wgsl` and
//! `succession.wgsl`.

use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernels' names.
pub const RANKS: &str = "cost_ranks";
#[expect(missing_docs, reason = "documented with RANKS")]
pub const SURVIVORS: &str = "survivors";
#[expect(missing_docs, reason = "documented with RANKS")]
pub const SUCCESSION: &str = "succession";

block! {
    /// The parameter block of the first two kernels, which know no facilities, and of the last; fields as documented in the WGSL structs.
    pub struct Params {
        pub individuals: u32,
        pub facilities: u32,
        pub padding: [u32; 2],
    }
}

fn params(plan: &ConstructPlan) -> Vec<u8> {
    let params = Params { individuals: plan.ants() as u32, facilities: plan.cities as u32, padding: [0; 2] };
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

/// Loop turns of an invocation of the kernel that says who survives.
pub fn turns(plan: &ConstructPlan) -> u64 {
    let (most, lanes) = (plan.ants() as u64, u64::from(plan.sweep_lanes));
    3 * (2 * most).div_ceil(lanes) + 2 * most.div_ceil(lanes) + 4 * lanes
}

/// The kernel that says who survives; a unit is a problem.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    Ok(KernelSpec {
        name: SURVIVORS,
        source: compose("qap/survivors", &[])?,
        constants: vec![("LANES", plan.sweep_lanes)],
        params: params(plan),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Costs), Access::Read),
            (buffers.get(Buffer::UnitCosts), Access::Read),
            (buffers.get(Buffer::Ranks), Access::Read),
            (buffers.get(Buffer::Survivors), Access::Write),
        ],
        workgroup_bytes: 4 * plan.sweep_lanes,
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

/// What the individuals of a problem and, behind them, their children cost.
fn costs_of_both(problem: usize, individuals: usize, [state, costs, unit_costs]: [&[u32]; 3]) -> Vec<u64> {
    let first = State::from_words(state).iteration == 0;
    let of_problem = |words: &[u32]| -> Vec<u64> {
        let own = &words[2 * problem * individuals..][..2 * individuals];
        own.chunks_exact(2).map(|words| join([words[0], words[1]])).collect()
    };
    let parents = if first { vec![u64::MAX; individuals] } else { of_problem(unit_costs) };
    [parents, of_problem(costs)].concat()
}

fn ranks_twin(call: &mut TwinCall<'_>) {
    let Params { individuals, .. } = call.params();
    let (range, both) = (call.range(), 2 * individuals as usize);
    let (read, [ranks]) = call.buffers();
    for problem in range.start / both..range.end.div_ceil(both) {
        let costs = costs_of_both(problem, individuals as usize, read);
        let mut order: Vec<usize> = (0..both).collect();
        order.sort_by_key(|&it| (costs[it], it));
        let own = order.iter().enumerate().filter(|(_, it)| range.contains(&(problem * both + **it)));
        own.for_each(|(rank, &it)| ranks[problem * both + rank] = it as u32);
    }
}

fn twin(call: &mut TwinCall<'_>) {
    let Params { individuals, .. } = call.params();
    let (range, most) = (call.range(), individuals as usize);
    let ([state, costs, unit_costs, ranks], [survivors]) = call.buffers();
    for problem in range {
        let first = 2 * most * problem;
        let costs = costs_of_both(problem, most, [state, costs, unit_costs]);
        let (survives, rest) = survivors[2 * first..][..4 * most].split_at_mut(2 * most);
        survive(&costs, &ranks[first..][..2 * most], survives);
        let (parents, children) = survives.split_at(most);
        let (heir_of, heirs) = rest.split_at_mut(most);
        let mut dead = 0;
        for (heir, survives) in heir_of.iter_mut().zip(parents) {
            *heir = if *survives == 1 { NONE } else { dead };
            dead += 1 - survives;
        }
        let surviving = (0..).zip(children).filter(|(_, survives)| **survives == 1);
        heirs.iter_mut().zip(surviving).for_each(|(heir, (child, _))| *heir = child);
    }
}

/// Stands for the heir of one that survives.
const NONE: u32 = constant!("qap/survivors", "NONE");

/// Marks those that survive of a population and its children, half of them, by the order of their costs.
fn survive(costs: &[u64], order: &[u32], survives: &mut [u32]) {
    let most = costs.len() / 2;
    survives.fill(0);
    let (mut kept, mut last) = (0, None);
    for it in order.iter().map(|it| *it as usize) {
        // Before the first iteration there are no individuals.
        let exists = it >= most || costs[it] < u64::MAX;
        if exists && kept < most && last != Some(costs[it]) {
            (survives[it], kept) = (1, kept + 1);
        }
        last = Some(costs[it]);
    }
    for it in order.iter().map(|it| *it as usize) {
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
    for own in range {
        let first = own / most * most;
        let (heir_of, heirs) = survivors[4 * first + 2 * most..][..2 * most].split_at(most);
        let heir = heir_of[own - first];
        if heir != NONE {
            let child = first + heirs[heir as usize] as usize;
            unit_costs[2 * own..2 * own + 2].copy_from_slice(&costs[2 * child..2 * child + 2]);
            units[own * n..(own + 1) * n].copy_from_slice(&tours[child * n..(child + 1) * n]);
        }
    }
}
