//! The end of an iteration: best ant, best tours, trail limits, who deposits. Twin of `shaders/tsp/best.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::compose::compose;
use super::plan::Plan;
use super::state::{Progress, State, join, split};
use super::{Buffers, KernelError};
use crate::aco::fixed::{mul_high, trail_limit};
use crate::backend::{Access, KernelSpec, TwinCall};

/// The kernel's name.
pub const NAME: &str = "best";

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub cities: u32,
    pub ants: u32,
    pub search: u32,
    pub stagnation: u32,
    pub evaporation: u32,
    pub limit_ratio: u32,
    pub cost_shift: u32,
    pub reference: u32,
    pub schedule_until: [u32; 4],
    pub schedule_period: [u32; 4],
    pub final_period: u32,
    pub patience: u32,
    pub padding: [u32; 2],
}

/// The kernel for `plan` on `buffers`. It has one unit.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        ants: plan.ants as u32,
        search: u32::from(plan.search),
        stagnation: plan.mmas.stagnation,
        evaporation: plan.mmas.evaporation_fixed(),
        limit_ratio: plan.mmas.limit_ratio_fixed(plan.cities),
        cost_shift: plan.cost_shift(),
        reference: (plan.reference_cost >> plan.cost_shift()) as u32,
        schedule_until: plan.mmas.schedule.until,
        schedule_period: plan.mmas.schedule.period,
        final_period: plan.mmas.schedule.final_period,
        patience: plan.mmas.schedule.patience,
        padding: [0; 2],
    };
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/best", &[])?,
        constants: vec![("LANES", plan.single_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.costs, Access::Read),
            (buffers.tours, Access::Read),
            (buffers.progress, Access::Read),
            (buffers.state, Access::Write),
            (buffers.bests, Access::Write),
            (buffers.links, Access::Write),
        ],
        workgroup_bytes: 32,
        twin,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depositor {
    Iteration,
    Restart,
    Global,
}

struct Decision {
    new_global: bool,
    new_restart: bool,
    depositor: Depositor,
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([costs, tours, progress], [state, bests, links]) = call.buffers();
    let state = State::view_mut(state);
    let costs: &[[u32; 2]] = bytemuck::cast_slice(costs);
    let progress: &[Progress] = bytemuck::cast_slice(progress);
    let ants = params.ants as usize;
    let tag = state.iteration + 1;
    let (mut ant, mut least, mut failures) = (0, u64::MAX, 0);
    for (i, (&cost, progress)) in costs.iter().zip(progress).take(ants).enumerate() {
        if join(cost) < least {
            least = join(cost);
            ant = i;
        }
        failures |= u32::from(progress.construct_done != tag);
        failures |= u32::from(params.search == 1 && progress.search_done != tag) << 1;
    }
    state.failures |= failures;
    let decision = decide(&params, state, least);

    let cities = params.cities as usize;
    let tour = &tours[ant * cities..(ant + 1) * cities];
    let (global, rest) = bests.split_at_mut(cities);
    let (restart, deposit) = rest.split_at_mut(cities);
    if decision.new_global {
        global.copy_from_slice(tour);
    }
    if decision.new_restart {
        restart.copy_from_slice(tour);
        write_links(tour, links);
    }
    deposit.copy_from_slice(match decision.depositor {
        Depositor::Iteration => tour,
        Depositor::Restart => restart,
        Depositor::Global => global,
    });
}

/// For each city of `tour` the city before and the city after it.
pub fn write_links(tour: &[u32], links: &mut [u32]) {
    let n = tour.len();
    for (i, &city) in tour.iter().enumerate() {
        links[2 * city as usize] = tour[(i + n - 1) % n];
        links[2 * city as usize + 1] = tour[(i + 1) % n];
    }
}

fn decide(params: &Params, state: &mut State, cost: u64) -> Decision {
    let iteration = state.iteration + 1;
    state.iteration_cost = split(cost);
    let new_global = cost < join(state.best_cost);
    if new_global {
        state.best_cost = split(cost);
        state.best_iteration = iteration;
    }
    let new_restart = cost < join(state.restart_cost);
    if new_restart {
        state.restart_cost = split(cost);
        state.restart_improved = iteration;
    }
    let age = iteration - state.restart_start;
    let phase = params.schedule_until.iter().position(|until| age < *until);
    let period = phase.map_or(params.final_period, |phase| params.schedule_period[phase]).max(1);
    let (mut depositor, mut deposit_cost) = (Depositor::Iteration, cost);
    if age.is_multiple_of(period) {
        (depositor, deposit_cost) = (Depositor::Restart, join(state.restart_cost));
        if period == params.final_period && iteration - state.restart_improved > params.patience {
            (depositor, deposit_cost) = (Depositor::Global, join(state.best_cost));
        }
    }
    let limit = |cost| trail_limit(u64::from(params.reference) << params.cost_shift, cost, params.cost_shift);
    state.trail_max = limit(join(state.best_cost));
    state.trail_min = mul_high(state.trail_max, params.limit_ratio).max(1);
    state.deposit = mul_high(limit(deposit_cost), params.evaporation);
    state.reset = 0;
    if params.stagnation != 0 && iteration - state.restart_improved >= params.stagnation {
        state.reset = 1;
        state.restarts += 1;
        state.restart_start = iteration;
        state.restart_improved = iteration;
        state.restart_cost = split(u64::MAX);
    }
    state.iteration = iteration;
    Decision { new_global, new_restart, depositor }
}
