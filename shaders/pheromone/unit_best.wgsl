// Each unit of a cunning Ant System keeps the better of its best solution and the new one (Tsutsui and Fujimoto 2011, figure 2,
// step 8), one workgroup a unit; in the first iteration the new one. The CPU twin is src/kernels/pheromone/unit_best.rs.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    cities: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// ants: low word, high word.
@group(0) @binding(3) var<storage, read> costs: array<vec2<u32>>;
/// ants x cities.
@group(0) @binding(4) var<storage, read> tours: array<u32>;
/// The same of each unit's best solution.
@group(0) @binding(5) var<storage, read_write> unit_costs: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> units: array<u32>;

override LANES: u32 = 64u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = call.first + group.x;
    let better = state.iteration == 0u || less_wide(costs[unit], unit_costs[unit]);
    // No lane may write the cost before all have read it.
    workgroupBarrier();
    if better {
        for (var i = lane; i < params.cities; i += LANES) {
            units[unit * params.cities + i] = tours[unit * params.cities + i];
        }
        if lane == 0u {
            unit_costs[unit] = costs[unit];
        }
    }
}
