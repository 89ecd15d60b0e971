// Or-opt: a segment goes between two cities, past those on the way on the shorter side. All three are turned around together, then
// each for itself where it has to be.

/// Reverses so many cities from a position on.
fn reverse(first: u32, length: u32, lane: u32) {
    let last = ring(first + length - 1u);
    // All lanes must have read before one of them moves a city.
    barrier();
    for (var i = lane; i < length / 2u; i += LANES) {
        exchange(ring(first + i), select(last - i, last + params.cities - i, last < i));
    }
    barrier();
}

/// Moves a segment if its edges still stand; the loop turns it took, 0 when they do not.
fn insert(insertion: vec4<u32>, lane: u32) -> u32 {
    let begin = insertion.x & 0xFFFFu;
    let count = insertion.x >> 17u;
    let one = insertion.y & 0xFFFFu;
    let other = insertion.y >> 16u;
    let before = insertion.z & 0xFFFFu;
    let beyond = insertion.z >> 16u;
    let end = insertion.w;
    // The segment may lie the other way round by now.
    let forward = step_from(begin, false) == before;
    let onwards = step_from(one, true) == other;
    let first = position_of(select(end, begin, forward));
    let last = position_of(select(begin, end, forward));
    let whole = ring(last + params.cities - first) + 1u == count;
    let closed = step_from(begin, !forward) == before && step_from(end, forward) == beyond;
    if !whole || !closed || !(onwards || step_from(other, true) == one) {
        barrier();
        if lane == 0u {
            let_all_wait(vec4<u32>(begin, one, begin, one));
        }
        return 0u;
    }
    // Cities to pass ahead of the segment, up to the first of the two it goes between; behind it lie the others.
    let others = params.cities - count;
    let ahead = ring(position_of(select(other, one, onwards)) + params.cities - last);
    let upwards = ahead * 2u <= others;
    let passed = select(others - ahead, ahead, upwards);
    let from_ = select(ring(first + params.cities - passed), first, upwards);
    reverse(from_, count + passed, lane);
    reverse(select(ring(from_ + count), from_, upwards), passed, lane);
    // What was first is last now; it is to begin with the end at the first of the two.
    if (forward == onwards) {
        reverse(select(from_, ring(from_ + passed), upwards), count, lane);
    }
    if lane == 0u {
        let_all_wait(vec4<u32>(before, beyond, begin, end));
        let_all_wait(vec4<u32>(one, other, one, other));
    }
    barrier();
    return (count + 2u * passed) / 2u / LANES + 5u;
}
