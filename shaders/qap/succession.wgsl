// Children that survive take the places of individuals of their problem that do not, the first that of the first; one workgroup an
// individual. The CPU twin is in src/kernels/qap/survivors.rs.

#include shared/call

struct Params {
    /// Of a problem.
    individuals: u32,
    facilities: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// Of each problem, behind two numbers for each individual: for each that does not survive the number of its heir, else NONE, and the heirs.
@group(0) @binding(2) var<storage, read> survivors: array<u32>;
@group(0) @binding(3) var<storage, read> costs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> tours: array<u32>;
@group(0) @binding(5) var<storage, read_write> unit_costs: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> units: array<u32>;

override LANES: u32 = 64u;

const NONE: u32 = 0xFFFFFFFFu;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let own = call.first + group.x;
    let most = params.individuals;
    let number = own % most;
    let population = own - number;
    let home = 4u * population + 2u * most;
    let heir = survivors[home + number];
    if heir == NONE {
        return;
    }
    let child = population + survivors[home + most + heir];
    let n = params.facilities;
    for (var u = lane; u < n; u += LANES) {
        units[own * n + u] = tours[child * n + u];
    }
    if lane == 0u {
        unit_costs[own] = costs[child];
    }
}
