// Children that survive take the places of individuals that do not, the first that of the first; one workgroup an individual. The CPU twin
// is in src/kernels/qap/survivors.rs.

#include shared/call

struct Params {
    individuals: u32,
    facilities: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// For each individual, and behind them for each child, 1 or 0.
@group(0) @binding(2) var<storage, read> survivors: array<u32>;
@group(0) @binding(3) var<storage, read> costs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> tours: array<u32>;
@group(0) @binding(5) var<storage, read_write> unit_costs: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> units: array<u32>;

override LANES: u32 = 64u;

var<workgroup> heir: u32;

/// The child that takes an individual's place: as many survive before it as individuals before that one do not.
fn heir_of(own: u32) -> u32 {
    var places = 0u;
    for (var other = 0u; other < own; other++) {
        places += 1u - survivors[other];
    }
    var before = 0u;
    var found = 0u;
    for (var child = 0u; child < params.individuals; child++) {
        let survives = survivors[params.individuals + child];
        found = select(found, child, survives == 1u && before == places);
        before += survives;
    }
    return found;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let own = call.first + group.x;
    if lane == 0u {
        heir = heir_of(own);
    }
    workgroupBarrier();
    if survivors[own] == 1u {
        return;
    }
    let child = heir;
    let n = params.facilities;
    for (var u = lane; u < n; u += LANES) {
        units[own * n + u] = tours[child * n + u];
    }
    if lane == 0u {
        unit_costs[own] = costs[child];
    }
}
