// The order by cost of a population and its children, one workgroup for each of both: those of less cost come before it, and among equals
// the parents, then lower numbers. The CPU twin is in src/kernels/qap/survivors.rs.

#include qap/cost_of

/// The individuals, counted from 0, and behind them the children, in their order.
@group(0) @binding(5) var<storage, read_write> ranks: array<u32>;

override LANES: u32 = 64u;

var<workgroup> before: atomic<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let it = call.first + group.x;
    if lane == 0u {
        atomicStore(&before, 0u);
    }
    workgroupBarrier();
    let cost = cost_of(it);
    var count = 0u;
    for (var other = lane; other < 2u * params.individuals; other += LANES) {
        let theirs = cost_of(other);
        count += select(0u, 1u, less_wide(theirs, cost) || (all(theirs == cost) && other < it));
    }
    atomicAdd(&before, count);
    workgroupBarrier();
    if lane == 0u {
        ranks[atomicLoad(&before)] = it;
    }
}
