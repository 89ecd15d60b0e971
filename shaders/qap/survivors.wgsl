// Which individuals and children survive, one workgroup a problem: by their order of cost as many as there are individuals, no two of the same
// cost while there are others; and which child takes the place of which individual: the first that survives that of the first that does not.
// The CPU twin is in src/kernels/qap/survivors.rs.
//
// Each invocation has a stretch of what is counted; `before` is how many of the stretches before its own were counted.

#include qap/cost_of

@group(0) @binding(5) var<storage, read> ranks: array<u32>;
/// Of each problem, whether it survives, for each individual, and behind them for each child, 1 or 0; then for each individual that does not
/// survive the number of its heir among the children that do, else NONE, and these children in their order.
@group(0) @binding(6) var<storage, read_write> survivors: array<u32>;

override LANES: u32 = 64u;

const NONE: u32 = 0xFFFFFFFFu;

var<workgroup> counts: array<u32, LANES>;

/// How many are counted in the stretches of earlier invocations, and in all.
fn counted(lane: u32, own: u32) -> vec2<u32> {
    workgroupBarrier();
    counts[lane] = own;
    workgroupBarrier();
    var before = 0u;
    var all = 0u;
    for (var other = 0u; other < LANES; other++) {
        let count = counts[other];
        before += select(0u, count, other < lane);
        all += count;
    }
    return vec2<u32>(before, all);
}

/// Whether the one of this rank is the first of its cost. Before the first iteration there are no individuals.
fn is_first(problem: u32, rank: u32) -> bool {
    let first = problem * 2u * params.individuals;
    let it = ranks[first + rank];
    let differs = rank == 0u || any(cost_of(problem, it) != cost_of(problem, ranks[first + max(rank, 1u) - 1u]));
    return differs && (it >= params.individuals || state.iteration > 0u);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = call.first + group.x;
    let most = params.individuals;
    let both = 2u * most;
    let first = problem * both;
    let home = 2u * first;
    let begin = lane * both / LANES;
    let end = (lane + 1u) * both / LANES;

    // The first of each cost, while there is room.
    var own = 0u;
    for (var rank = begin; rank < end; rank++) {
        own += select(0u, 1u, is_first(problem, rank));
    }
    let firsts = counted(lane, own);
    let kept = min(firsts.y, most);
    var number = firsts.x;
    var others = 0u;
    for (var rank = begin; rank < end; rank++) {
        let taken = is_first(problem, rank);
        let survives = taken && number < most;
        survivors[home + ranks[first + rank]] = select(0u, 1u, survives);
        number += select(0u, 1u, taken);
        others += select(1u, 0u, survives);
    }
    // Of those that cost the same as others as many as there is room for.
    number = kept + counted(lane, others).x;
    for (var rank = begin; rank < end; rank++) {
        let it = ranks[first + rank];
        if survivors[home + it] == 0u {
            survivors[home + it] = select(0u, 1u, number < most);
            number += 1u;
        }
    }
    storageBarrier();
    workgroupBarrier();

    // Heirs.
    let own_begin = lane * most / LANES;
    let own_end = (lane + 1u) * most / LANES;
    var dying = 0u;
    var heirs = 0u;
    for (var it = own_begin; it < own_end; it++) {
        dying += 1u - survivors[home + it];
        heirs += survivors[home + most + it];
    }
    var place = counted(lane, dying).x;
    var heir = counted(lane, heirs).x;
    for (var it = own_begin; it < own_end; it++) {
        let dies = survivors[home + it] == 0u;
        survivors[home + both + it] = select(NONE, place, dies);
        place += select(0u, 1u, dies);
        if survivors[home + most + it] == 1u {
            survivors[home + both + most + heir] = it;
            heir += 1u;
        }
    }
}
