// Ends an iteration, in one workgroup. It finds the best ant, the lowest index on a tie, unless the host has found it (HOST); keeps the best
// tours; and decides which tour deposits, and how much. In a MAX-MIN Ant System (Stuetzle and Hoos 2000; schedule as in ACOTSP) a schedule
// decides, and there are new trail limits; in the other systems the best tour of all deposits. The limits of a cunning Ant System (UNITS;
// Tsutsui and Fujimoto 2011, section 3) follow the mean level of its units' bests. What is said of tours holds for assignments, too.
// The CPU twin is src/kernels/pheromone/best.rs.

#include shared/call
#include shared/limit
#include shared/state
#include shared/progress
#include shared/search_tags

struct Params {
    cities: u32,
    ants: u32,
    /// 1 when ants run a local search.
    search: u32,
    /// Iterations without a gain after which the trails are re-initialised; 0: never.
    stagnation: u32,
    /// The depositing tour's share of the level that belongs to its cost, times 2^32; WHOLE: all of it.
    share: u32,
    /// Lower over upper trail limit, times 2^32.
    limit_ratio: u32,
    /// Shift that brings costs below 2^32, and the nearest-neighbour tour's cost after it.
    cost_shift: u32,
    reference: u32,
    /// While fewer iterations than `schedule_until` have passed since the restart, the best tour since the restart
    /// deposits every `schedule_period`-th iteration, later every `final_period`-th, the iteration's best in the others.
    schedule_until: vec4<u32>,
    schedule_period: vec4<u32>,
    final_period: u32,
    /// In the final phase the best tour of all deposits after this many iterations without a gain.
    patience: u32,
    /// 1 for a MAX-MIN Ant System: trail limits, schedule, re-initialisation; 2 for limits by the units.
    limits: u32,
    /// In one of so many iterations the iteration's best tour deposits, in the next one the best of all; 0: never.
    mix: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// ants: low word, high word.
@group(0) @binding(2) var<storage, read> costs: array<vec2<u32>>;
/// ants x cities.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
@group(0) @binding(4) var<storage, read> progress: array<Progress>;
@group(0) @binding(5) var<storage, read_write> state: State;
/// 3 x cities: the best tour, the best since the restart, the depositing tour.
@group(0) @binding(6) var<storage, read_write> bests: array<u32>;
#if UNITS
/// Units: the cost of the best solution of each, low word, high word.
@group(0) @binding(7) var<storage, read> unit_costs: array<vec2<u32>>;
#endif
#if LINKS
/// cities x (city before, city after) in the best tour since the restart.
@group(0) @binding(7) var<storage, read_write> links: array<vec2<u32>>;
#endif

#if HOST
/// The best ant.
@group(0) @binding(8) var<storage, read> chosen: array<u32>;
#endif

override LANES: u32 = 256u;

const NONE: u32 = 0xFFFFFFFFu;
/// The share that stands for the whole level.
const WHOLE: u32 = 0xFFFFFFFFu;
/// The tour that deposits.
const ITERATION_BEST: u32 = 0u;
const RESTART_BEST: u32 = 1u;
const GLOBAL_BEST: u32 = 2u;

var<workgroup> least_high: atomic<u32>;
var<workgroup> least_low: atomic<u32>;
var<workgroup> least_ant: atomic<u32>;
var<workgroup> failures: atomic<u32>;
var<workgroup> new_global: u32;
var<workgroup> new_restart: u32;
var<workgroup> depositor: u32;
/// The mean of the levels that belong to the units' costs.
var<workgroup> mean_level: atomic<u32>;

fn limit_of(cost: vec2<u32>) -> u32 {
    return trail_limit(cost, params.cost_shift, params.reference);
}

fn period_at(age: u32) -> u32 {
    for (var phase = 0u; phase < 4u; phase++) {
        if age < params.schedule_until[phase] {
            return params.schedule_period[phase];
        }
    }
    return params.final_period;
}

fn share_of_level(cost: vec2<u32>) -> u32 {
    return select(mul_high(limit_of(cost), params.share), limit_of(cost), params.share == WHOLE);
}

/// Depositor, trail limits and re-initialisation of a MAX-MIN Ant System.
fn schedule(iteration: u32, cost: vec2<u32>) {
    let age = iteration - state.restart_start;
    let period = max(period_at(age), 1u);
    var who = ITERATION_BEST;
    var deposit_cost = cost;
    let turn = select(age % max(params.mix, 1u), NONE, params.mix == 0u);
    if turn == 1u {
        who = GLOBAL_BEST;
        deposit_cost = state.best_cost;
    } else if turn != 0u && age % period == 0u {
        who = RESTART_BEST;
        deposit_cost = state.restart_cost;
        if period == params.final_period && iteration - state.restart_improved > params.patience {
            who = GLOBAL_BEST;
            deposit_cost = state.best_cost;
        }
    }
    depositor = who;
    state.trail_max = limit_of(state.best_cost);
    state.trail_min = max(mul_high(state.trail_max, params.limit_ratio), 1u);
    state.deposit = share_of_level(deposit_cost);
    state.reset = 0u;
    if params.stagnation != 0u && iteration - state.restart_improved >= params.stagnation {
        state.reset = 1u;
        state.restarts += 1u;
        state.restart_start = iteration;
        state.restart_improved = iteration;
        state.restart_cost = vec2<u32>(NONE, NONE);
    }
}

fn decide(ant: u32, cost: vec2<u32>) {
    let iteration = state.iteration + 1u;
    new_global = 0u;
    new_restart = 0u;
    state.iteration_cost = cost;
    if less_wide(cost, state.best_cost) {
        state.best_cost = cost;
        state.best_iteration = iteration;
        new_global = 1u;
    }
    if less_wide(cost, state.restart_cost) {
        state.restart_cost = cost;
        state.restart_improved = iteration;
        new_restart = 1u;
    }
    if params.limits == 1u {
        schedule(iteration, cost);
    } else if params.limits == 2u {
        depositor = GLOBAL_BEST;
        state.trail_max = max(atomicLoad(&mean_level), 1u);
        state.trail_min = max(mul_high(state.trail_max, params.limit_ratio), 1u);
        state.reset = 0u;
    } else {
        depositor = GLOBAL_BEST;
        state.deposit = share_of_level(state.best_cost);
        state.trail_max = NONE;
        state.reset = 0u;
    }
    state.failures |= atomicLoad(&failures);
    state.iteration = iteration;
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    let cities = params.cities;
    if lane == 0u {
        atomicStore(&least_high, NONE);
        atomicStore(&least_low, NONE);
        atomicStore(&least_ant, NONE);
        atomicStore(&failures, 0u);
        atomicStore(&mean_level, 0u);
    }
    workgroupBarrier();
    let tag = state.iteration + 1u;
    var least = vec2<u32>(NONE, NONE);
    var ant = NONE;
    for (var i = lane; i < params.ants; i += LANES) {
        let cost = costs[i];
        if less_wide(cost, least) {
            least = cost;
            ant = i;
        }
#if UNITS
        atomicAdd(&mean_level, limit_of(unit_costs[i]) / params.ants);
#endif
        if progress[i].construct.done != tag {
            atomicOr(&failures, UNFINISHED_CONSTRUCTION);
        }
        if params.search == 1u && progress[i].search.done != tag {
            atomicOr(&failures, UNFINISHED_SEARCH);
        }
    }
#if HOST
    workgroupBarrier();
    ant = chosen[0];
    let low = costs[ant].x;
    let high = costs[ant].y;
#else
    atomicMin(&least_high, least.y);
    workgroupBarrier();
    let high = atomicLoad(&least_high);
    if least.y == high {
        atomicMin(&least_low, least.x);
    }
    workgroupBarrier();
    let low = atomicLoad(&least_low);
    if least.y == high && least.x == low {
        atomicMin(&least_ant, ant);
    }
    workgroupBarrier();
    ant = atomicLoad(&least_ant);
#endif
    if lane == 0u {
        decide(ant, vec2<u32>(low, high));
    }
    workgroupBarrier();

    let copy_global = new_global == 1u;
    let copy_restart = new_restart == 1u;
    let who = depositor;
    let tour = ant * cities;
    for (var i = lane; i < cities; i += LANES) {
        let city = tours[tour + i];
        if copy_global {
            bests[i] = city;
        }
        if copy_restart {
            bests[cities + i] = city;
#if LINKS
            let before = tours[tour + select(i - 1u, cities - 1u, i == 0u)];
            let after = tours[tour + select(i + 1u, 0u, i + 1u == cities)];
            links[city] = vec2<u32>(before, after);
#endif
        }
        var chosen = city;
        if who == RESTART_BEST {
            chosen = bests[cities + i];
        } else if who == GLOBAL_BEST {
            chosen = bests[i];
        }
        bests[2u * cities + i] = chosen;
    }
}
