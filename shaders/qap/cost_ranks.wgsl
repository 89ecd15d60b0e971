// The order by cost of each population and its children, one workgroup for each of both: those of less cost come before it, and among equals
// the parents, then lower numbers. The CPU twin is in src/kernels/qap/survivors.rs.

#include qap/cost_of

/// Of each problem the individuals, counted from 0, and behind them the children, in their order.
@group(0) @binding(5) var<storage, read_write> ranks: array<u32>;

override LANES: u32 = 64u;

var<workgroup> before: atomic<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let both = 2u * params.individuals;
    let unit = call.first + group.x;
    let problem = unit / both;
    let it = unit % both;
    if lane == 0u {
        atomicStore(&before, 0u);
    }
    workgroupBarrier();
    let cost = cost_of(problem, it);
    var count = 0u;
    for (var other = lane; other < both; other += LANES) {
        let theirs = cost_of(problem, other);
        count += select(0u, 1u, less_wide(theirs, cost) || (all(theirs == cost) && other < it));
    }
    atomicAdd(&before, count);
    workgroupBarrier();
    if lane == 0u {
        ranks[problem * both + atomicLoad(&before)] = it;
    }
}
