// The cost of each ant's tour as a 64-bit sum, one workgroup an ant. The CPU twin is src/kernels/shared/tour_cost.rs.

#include shared/call
#include shared/fixed

struct Params {
    cities: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// See distance.wgsl.
@group(0) @binding(2) var<storage, read> distances: array<u32>;
/// ants x cities.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
/// ants: low word, high word.
@group(0) @binding(4) var<storage, read_write> costs: array<vec2<u32>>;

override LANES: u32 = 64u;

#include shared/sum
#include shared/distance

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let cities = params.cities;
    let tour = ant * cities;
    sum_begin(lane);
    workgroupBarrier();
    var own = vec2<u32>(0u, 0u);
    for (var i = lane; i < cities; i += LANES) {
        let next = select(i + 1u, 0u, i + 1u == cities);
        own = add_wide(own, vec2<u32>(distance(tours[tour + i], tours[tour + next]), 0u));
    }
    let cost = sum(own);
    if lane == 0u {
        costs[ant] = cost;
    }
}
