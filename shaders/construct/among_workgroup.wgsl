// Reductions over the lanes of a workgroup, through workgroup memory.

#if SUBGROUPS
override TOPS: u32 = 2u * PARTS;

/// Maxima of subgroups live in two sets of slots used in turn, so that finding one takes one barrier.
var<workgroup> tops: array<u32, TOPS>;
#else
/// Maxima live in three slots used in turn, so that finding one takes one barrier.
var<workgroup> tops: array<atomic<u32>, 3>;
#endif
var<private> top_turn: u32 = 0u;

#include shared/least

/// Before the first crew_sync.
fn among_begin(lane: u32) {
#if SUBGROUPS
#else
    for (var slot = lane; slot < 3u; slot += CREW) {
        atomicStore(&tops[slot], 0u);
    }
#endif
    least_begin(lane);
}

/// The greatest value of the crew, at least 0.
fn greatest(lane: u32, value: u32) -> u32 {
    let slot = top_turn;
#if SUBGROUPS
    let part_top = subgroupMax(value);
    if lane % SUBGROUP == 0u {
        tops[slot + lane / SUBGROUP] = part_top;
    }
    top_turn = PARTS - slot;
    workgroupBarrier();
    var top = max(tops[slot], tops[slot + PARTS - 1u]);
    for (var part = 1u; part < PARTS - 1u; part++) {
        top = max(top, tops[slot + part]);
    }
    return top;
#else
    atomicMax(&tops[slot], value);
    workgroupBarrier();
    let top = atomicLoad(&tops[slot]);
    if lane == 0u {
        // Read before the last barrier, used again after the next.
        atomicStore(&tops[(slot + 2u) % 3u], 0u);
    }
    top_turn = (slot + 1u) % 3u;
    return top;
#endif
}

/// Whether a claim holds for any lane of the crew.
fn anyone(lane: u32, claim: bool) -> bool {
    return greatest(lane, select(0u, 1u, claim)) == 1u;
}
