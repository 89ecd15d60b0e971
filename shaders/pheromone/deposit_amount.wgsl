// The amount that each ant of an Ant System deposits on its edges, one invocation an ant. With ranks the r-th best ant deposits (ranks - r)
// parts, and ants from rank `ranks` on deposit nothing. The CPU twin is src/kernels/pheromone/deposit_amount.rs.

#include shared/call
#include shared/limit

struct Params {
    ants: u32,
    /// The part of weight 1, as a share of the level that belongs to the ant's cost, times 2^32.
    part: u32,
    /// 0: every ant gets one part.
    ranks: u32,
    /// Shift that brings costs below 2^32, and the nearest-neighbour tour's cost after it.
    cost_shift: u32,
    reference: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// ants: low word, high word.
@group(0) @binding(2) var<storage, read> costs: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> amounts: array<u32>;

override LANES: u32 = 64u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let ant = call.first + group.x * LANES + lane;
    if ant >= call.end {
        return;
    }
    let cost = costs[ant];
    var parts = 1u;
    if params.ranks != 0u {
        var better = 0u;
        for (var other = 0u; other < params.ants; other++) {
            let theirs = costs[other];
            if less_wide(theirs, cost) || (other < ant && theirs.x == cost.x && theirs.y == cost.y) {
                better++;
            }
        }
        parts = params.ranks - 1u - min(better, params.ranks - 1u);
    }
    amounts[ant] = mul_high(trail_limit(cost, params.cost_shift, params.reference), params.part) * parts;
}
