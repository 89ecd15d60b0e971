// The least value of a workgroup, found with one barrier: the minima live in three slots used in turn.
// The kernel that includes this has LANES invocations a workgroup.

var<workgroup> lows: array<atomic<u32>, 3>;
var<private> low_turn: u32 = 0u;

/// Before the first use, and a barrier in between.
fn least_begin(lane: u32) {
    for (var slot = lane; slot < 3u; slot += LANES) {
        atomicStore(&lows[slot], 0xFFFFFFFFu);
    }
}

/// The least value of the workgroup.
fn least(lane: u32, value: u32) -> u32 {
    let slot = low_turn;
    atomicMin(&lows[slot], value);
    workgroupBarrier();
    let low = atomicLoad(&lows[slot]);
    if lane == 0u {
        // Read before the last barrier, used again after the next.
        atomicStore(&lows[(slot + 2u) % 3u], 0xFFFFFFFFu);
    }
    low_turn = (slot + 1u) % 3u;
    return low;
}

/// The least pair of the workgroup, ordered by `key`, then by `who`.
fn least_pair(lane: u32, key: u32, who: u32) -> vec2<u32> {
    let least_key = least(lane, key);
    return vec2<u32>(least_key, least(lane, select(0xFFFFFFFFu, who, key == least_key)));
}
