//! The end of an iteration: best ant, best tours, trail limits, which tour deposits. Twin of `shaders/pheromone/best.wgsl`.

use crate::algorithm::construct::Rule;
use crate::algorithm::fixed::{mul_high, trail_limit};
use crate::algorithm::mmas::Schedule;
use crate::backend::{Access, KernelSpec, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::{ConstructPlan, Sizes};
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS, SearchTags};
use crate::kernels::shared::state::{State, UNFINISHED_CONSTRUCTION, UNFINISHED_SEARCH, join, split};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

/// The kernel's name.
pub const NAME: &str = "best";

/// The share that stands for the whole level.
const WHOLE: u32 = constant!("pheromone/best", "WHOLE");

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub ants: u32,
        pub search: u32,
        pub stagnation: u32,
        pub share: u32,
        pub limit_ratio: u32,
        pub cost_shift: u32,
        pub reference: u32,
        pub schedule_until: [u32; 4],
        pub schedule_period: [u32; 4],
        pub final_period: u32,
        pub patience: u32,
        pub limits: u32,
        pub mix: u32,
    }
}

/// The kernel for `plan` on `buffers`. It has one unit.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let system = &plan.system;
    let mut params = Params::without_trails(plan, system.searches());
    match &system.rule {
        Rule::As(ant_system) => params.share = ant_system.best_deposit_fixed(plan.units),
        Rule::Acs(_) | Rule::Memetic(_) => {}
        Rule::Mmas(mmas) => {
            let Schedule { until, period, final_period, patience, mix } = mmas.schedule;
            params.share = mmas.evaporation_fixed();
            params.stagnation = mmas.stagnation;
            params.limit_ratio = system.limit_ratio_fixed(plan.cities);
            (params.schedule_until, params.schedule_period) = (until, period);
            (params.final_period, params.patience, params.mix) = (final_period, patience, mix);
            params.limits = 1;
        }
        Rule::Cas(_) => {
            params.limit_ratio = system.limit_ratio_fixed(plan.cities);
            params.limits = 2;
        }
    }
    let found_by = if plan.best_on_host() { Finder::Host } else { Finder::Device };
    let kind = match (plan.has_units(), plan.is_assignment()) {
        (true, _) => Kind::Units,
        (_, true) => Kind::Assignments,
        _ => Kind::Tours(found_by),
    };
    kernel(plan, &params, kind, buffers)
}

/// The kernel for a population, or for walks, which have no trail limits.
pub fn spec_of_population(plan: &Sizes, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    kernel(plan, &Params::without_trails(plan, true), Kind::Tours(Finder::Device), buffers)
}

/// What the colony's solutions are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Units,
    Assignments,
    Tours(Finder),
}

/// Where the best is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finder {
    Device,
    Host,
}

impl Params {
    /// Without trail limits.
    fn without_trails(sizes: &Sizes, searches: bool) -> Self {
        Self {
            cities: sizes.cities as u32,
            ants: sizes.units as u32,
            search: u32::from(searches),
            stagnation: 0,
            share: WHOLE,
            limit_ratio: 0,
            cost_shift: sizes.cost_shift(),
            reference: (sizes.reference_cost >> sizes.cost_shift()) as u32,
            schedule_until: [0; 4],
            schedule_period: [1; 4],
            final_period: 1,
            patience: 0,
            limits: 0,
            mix: 0,
        }
    }
}

fn kernel(sizes: &Sizes, params: &Params, kind: Kind, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let mut bindings = vec![
        (buffers.get(Buffer::Costs), Access::Read),
        (buffers.get(Buffer::Tours), Access::Read),
        (buffers.get(Buffer::Progress), Access::Read),
        (buffers.get(Buffer::State), Access::Write),
        (buffers.get(Buffer::Bests), Access::Write),
    ];
    let mut flags = Vec::new();
    if kind == Kind::Units {
        bindings.push((buffers.get(Buffer::UnitCosts), Access::Read));
        flags.push("UNITS");
    } else if kind != Kind::Assignments {
        bindings.push((buffers.get(Buffer::Links), Access::Write));
        flags.push("LINKS");
    }
    if kind == Kind::Tours(Finder::Host) {
        bindings.push((buffers.get(Buffer::IndependentSet), Access::Read));
        flags.push("HOST");
    }
    Ok(KernelSpec {
        name: NAME,
        source: compose("pheromone/best", &flags)?,
        constants: vec![("LANES", sizes.single_lanes)],
        params: bytemuck::bytes_of(params).to_vec(),
        bindings,
        workgroup_bytes: 36,
        units_per_workgroup: 1,
        twin: match kind {
            Kind::Units => units_twin,
            Kind::Assignments => assignment_twin,
            Kind::Tours(Finder::Host) => host_twin,
            _ => device_twin,
        },
    })
}

/// The index of the least cost, the lower one on a tie.
pub fn best_ant(costs: &[u32]) -> usize {
    let costs: &[[u32; 2]] = bytemuck::cast_slice(costs);
    costs.iter().enumerate().min_by_key(|(ant, cost)| (join(**cost), *ant)).map_or(0, |(ant, _)| ant)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depositor {
    Iteration,
    Restart,
    Global,
}

#[derive(Clone, Copy)]
struct Decision {
    new_global: bool,
    new_restart: bool,
    depositor: Depositor,
}

fn device_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([costs, tours, progress], [state, bests, links]) = call.buffers();
    let ant = best_ant(&costs[..2 * params.ants as usize]);
    let decision = end_iteration(&params, ant, [costs, tours, progress], state, bests, 0);
    link(&params, decision, &tours[ant * params.cities as usize..], links);
}

fn host_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([costs, tours, progress, chosen], [state, bests, links]) = call.buffers();
    let ant = chosen[0] as usize;
    let decision = end_iteration(&params, ant, [costs, tours, progress], state, bests, 0);
    link(&params, decision, &tours[ant * params.cities as usize..], links);
}

fn assignment_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([costs, tours, progress], [state, bests]) = call.buffers();
    let ant = best_ant(&costs[..2 * params.ants as usize]);
    end_iteration(&params, ant, [costs, tours, progress], state, bests, 0);
}

fn units_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([costs, tours, progress, unit_costs], [state, bests]) = call.buffers();
    let unit_costs: &[[u32; 2]] = bytemuck::cast_slice(&unit_costs[..2 * params.ants as usize]);
    let mean_level = unit_costs.iter().map(|&cost| limit_of(&params, join(cost)) / params.ants).sum();
    let ant = best_ant(&costs[..2 * params.ants as usize]);
    end_iteration(&params, ant, [costs, tours, progress], state, bests, mean_level);
}

fn link(params: &Params, decision: Decision, tour: &[u32], links: &mut [u32]) {
    if decision.new_restart {
        write_links(&tour[..params.cities as usize], links);
    }
}

/// Takes the iteration's best solution over, and brings the state forward. `mean_level` is the mean over the units of a cunning Ant System.
fn end_iteration(
    params: &Params,
    ant: usize,
    [costs, tours, progress]: [&[u32]; 3],
    state: &mut [u32],
    bests: &mut [u32],
    mean_level: u32,
) -> Decision {
    let state = State::view_mut(state);
    let costs: &[[u32; 2]] = bytemuck::cast_slice(costs);
    let tag = state.iteration + 1;
    for unit in progress.chunks(PROGRESS_WORDS).take(params.ants as usize) {
        if ConstructProgress::of(unit).done != tag {
            state.failures |= UNFINISHED_CONSTRUCTION;
        }
        if params.search == 1 && SearchTags::of(unit).done != tag {
            state.failures |= UNFINISHED_SEARCH;
        }
    }
    let decision = decide(params, state, join(costs[ant]), mean_level);

    let cities = params.cities as usize;
    let tour = &tours[ant * cities..(ant + 1) * cities];
    let (global, rest) = bests.split_at_mut(cities);
    let (restart, deposit) = rest.split_at_mut(cities);
    if decision.new_global {
        global.copy_from_slice(tour);
    }
    if decision.new_restart {
        restart.copy_from_slice(tour);
    }
    deposit.copy_from_slice(match decision.depositor {
        Depositor::Iteration => tour,
        Depositor::Restart => restart,
        Depositor::Global => global,
    });
    decision
}

/// For each city of `tour` the city before and the city after it.
pub fn write_links(tour: &[u32], links: &mut [u32]) {
    let n = tour.len();
    for (i, &city) in tour.iter().enumerate() {
        links[2 * city as usize] = tour[(i + n - 1) % n];
        links[2 * city as usize + 1] = tour[(i + 1) % n];
    }
}

fn decide(params: &Params, state: &mut State, cost: u64, mean_level: u32) -> Decision {
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
    let depositor = match params.limits {
        1 => schedule(params, state, iteration, cost),
        2 => {
            state.trail_max = mean_level.max(1);
            state.trail_min = mul_high(state.trail_max, params.limit_ratio).max(1);
            state.reset = 0;
            Depositor::Global
        }
        _ => {
            state.deposit = share_of_level(params, join(state.best_cost));
            state.trail_max = u32::MAX;
            state.reset = 0;
            Depositor::Global
        }
    };
    state.iteration = iteration;
    Decision { new_global, new_restart, depositor }
}

fn limit_of(params: &Params, cost: u64) -> u32 {
    trail_limit(u64::from(params.reference) << params.cost_shift, cost, params.cost_shift)
}

fn share_of_level(params: &Params, cost: u64) -> u32 {
    let level = limit_of(params, cost);
    if params.share == WHOLE { level } else { mul_high(level, params.share) }
}

/// Depositor, trail limits and re-initialisation of a MAX-MIN Ant System.
fn schedule(params: &Params, state: &mut State, iteration: u32, cost: u64) -> Depositor {
    let age = iteration - state.restart_start;
    let phase = params.schedule_until.iter().position(|until| age < *until);
    let period = phase.map_or(params.final_period, |phase| params.schedule_period[phase]).max(1);
    let (mut depositor, mut deposit_cost) = (Depositor::Iteration, cost);
    let turn = if params.mix == 0 { u32::MAX } else { age % params.mix };
    if turn == 1 {
        (depositor, deposit_cost) = (Depositor::Global, join(state.best_cost));
    } else if turn != 0 && age.is_multiple_of(period) {
        (depositor, deposit_cost) = (Depositor::Restart, join(state.restart_cost));
        if period == params.final_period && iteration - state.restart_improved > params.patience {
            (depositor, deposit_cost) = (Depositor::Global, join(state.best_cost));
        }
    }
    state.trail_max = limit_of(params, join(state.best_cost));
    state.trail_min = mul_high(state.trail_max, params.limit_ratio).max(1);
    state.deposit = share_of_level(params, deposit_cost);
    state.reset = 0;
    if params.stagnation != 0 && iteration - state.restart_improved >= params.stagnation {
        state.reset = 1;
        state.restarts += 1;
        state.restart_start = iteration;
        state.restart_improved = iteration;
        state.restart_cost = split(u64::MAX);
    }
    depositor
}
