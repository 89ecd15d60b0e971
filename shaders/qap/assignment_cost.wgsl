// The cost of each ant's assignment as a 64-bit sum, one workgroup an ant. The CPU twin is src/kernels/qap/assignment_cost.rs.

#include shared/call
#include shared/fixed

struct Params {
    facilities: u32,
    /// Ants of a problem, and words of its matrices.
    ants: u32,
    matrix_words: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> matrices: array<u32>;
/// ants x facilities: the location of each facility.
@group(0) @binding(3) var<storage, read> tours: array<u32>;
/// ants: low word, high word.
@group(0) @binding(4) var<storage, read_write> costs: array<vec2<u32>>;

override LANES: u32 = 64u;

#include shared/sum

#include qap/matrices

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x;
    let n = params.facilities;
    begin_problem(ant);
    sum_begin(lane);
    workgroupBarrier();
    var own = vec2<u32>(0u, 0u);
    for (var u = lane; u < n; u += LANES) {
        let at = tours[ant * n + u];
        own = add_wide(own, vec2<u32>(bitcast<u32>(entry(PLACING, u, at)), 0u));
        for (var v = 0u; v < n; v++) {
            let flow = bitcast<u32>(entry(FLOWS, u, v));
            let distance = bitcast<u32>(entry(DISTANCES, at, tours[ant * n + v]));
            own = add_wide(own, vec2<u32>(flow * distance, mul_high(flow, distance)));
        }
    }
    let cost = sum(own);
    if lane == 0u {
        costs[ant] = cost;
    }
}
