// What moves change in the tour, and which of a round's moves are made: each that overlaps with no move of greater gain.
//
// Every move is a sequence of reversals. A 2-opt move is one. To move a segment (INSERTS) takes up to three: the segment together with the
// cities that it passes, on the shorter side; then those cities alone; then the segment alone, where its direction has to change.

/// For each entry with a move: the position before the first that changes, in the upper half the number of edges from there to the position
/// behind the last, and the gain.
var<workgroup> changes: array<vec2<u32>, ENTRIES>;
#if INSERTS
/// For a segment its length, UPWARDS when it passes the cities behind it, TURNED when its direction changes; 0 for a reversal.
var<workgroup> shapes: array<u32, ENTRIES>;
const LENGTH: u32 = 3u;
const UPWARDS: u32 = 4u;
const TURNED: u32 = 8u;

/// What moving a segment changes: first position, number of positions, shape.
fn segment_change(moved: vec4<u32>) -> vec3<u32> {
    let begin = moved.x & 0xFFFFu;
    let count = moved.x >> 16u;
    let one = moved.y & 0xFFFFu;
    let other = moved.y >> 16u;
    let end = moved.w;
    let forward = step_from(begin, false) == moved.z;
    let onwards = step_from(one, true) == other;
    let first = position_of(select(end, begin, forward));
    let last = position_of(select(begin, end, forward));
    // The segment passes these cities behind it, or else all others, which lie before it.
    let others = params.cities - count;
    let ahead = ring(position_of(select(other, one, onwards)) + params.cities - last);
    let upwards = ahead * 2u <= others;
    let passed = select(others - ahead, ahead, upwards);
    let from_ = select(ring(first + params.cities - passed), first, upwards);
    // What was first is last now; it is to begin with the end at the first of the two.
    let turned = forward == onwards;
    return vec3<u32>(from_, count + passed, count | select(0u, UPWARDS, upwards) | select(0u, TURNED, turned));
}
#endif

/// What a reversal changes: first position and number of positions.
fn reversal_change(cities: vec4<u32>, forward: bool) -> vec2<u32> {
    let first = position_of(select(cities.x, cities.z, forward));
    let last = position_of(select(cities.w, cities.y, forward));
    let length = select(last - first, last + params.cities - first, last < first) + 1u;
    if length * 2u > params.cities {
        return vec2<u32>(ring(last + 1u), params.cities - length);
    }
    return vec2<u32>(first, length);
}

/// Keeps the move of an entry, whose direction is that of its parity.
fn keep_move(flags: u32, entry: u32, found: Found) {
#if INSERTS
    var change = vec2<u32>(0u);
    var shape = 0u;
    if found.cities.x >= MOVES {
        let segment = segment_change(found.cities);
        change = segment.xy;
        shape = segment.z;
    } else {
        change = reversal_change(found.cities, (entry & 1u) == 0u);
    }
    shapes[entry] = shape;
#else
    let change = reversal_change(found.cities, (entry & 1u) == 0u);
#endif
    let before = select(change.x - 1u, params.cities - 1u, change.x == 0u);
    changes[entry] = vec2<u32>(before | ((change.y + 1u) << 16u), found.gain);
    atomicOr(&has_move[flags + (entry >> 5u)], 1u << (entry & 31u));
}

/// Whether two changes have an edge of the tour in common; as in the first word of `changes`.
fn overlap(a: u32, b: u32) -> bool {
    let from_ = a & 0xFFFFu;
    let to = b & 0xFFFFu;
    let onwards = select(to - from_, to + params.cities - from_, to < from_);
    let back = select(params.cities - onwards, 0u, onwards == 0u);
    return (onwards < (a >> 16u)) | (back < (b >> 16u));
}

/// The first of some entries, which are bits of two words.
fn first_of(entries: vec2<u32>) -> u32 {
    return select(32u + firstTrailingBit(entries.y), firstTrailingBit(entries.x), entries.x != 0u);
}

/// All but the first.
fn but_first(entries: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(entries.x & (entries.x - 1u), select(entries.y, entries.y & (entries.y - 1u), entries.x == 0u));
}

/// Decides whether an entry's move is made: when no overlapping move has a greater gain, or the same gain and comes first. If so the cities
/// at changed edges wait, if not the entry's own city does.
fn decide(flags: u32, entry: u32, found_moves: vec2<u32>) {
    if (select(found_moves.x, found_moves.y, entry >= 32u) & (1u << (entry & 31u))) == 0u {
        return;
    }
    let own = changes[entry];
    var free = true;
    for (var left = found_moves; (left.x | left.y) != 0u; left = but_first(left)) {
        let other = first_of(left);
        let its = changes[other];
        let comes_first = (its.y > own.y) | ((its.y == own.y) & (other < entry));
        free = free & !(comes_first & overlap(own.x, its.x));
    }
    if !free {
        let_wait(ready[entry >> 1u]);
        return;
    }
    atomicOr(&is_made[flags + (entry >> 5u)], 1u << (entry & 31u));
    let before = own.x & 0xFFFFu;
    let behind = before + (own.x >> 16u);
    let_all_wait(vec4<u32>(city_at(before), city_at(ring(before + 1u)), city_at(ring(behind - 1u)), city_at(ring(behind))));
#if INSERTS
    let shape = shapes[entry];
    if shape != 0u {
        let count = shape & LENGTH;
        let middle = select(behind - 1u - count, before + count, (shape & UPWARDS) != 0u);
        let_wait(city_at(ring(middle)));
        let_wait(city_at(ring(middle + 1u)));
    }
#endif
}

/// Makes the moves of some entries at the same time; the loop turns that this took.
fn make(entries: vec2<u32>, lane: u32) -> u32 {
    var turns = 0u;
#if INSERTS
    for (var stage = 0u; stage < 3u; stage++) {
        if stage > 0u {
            barrier();
        }
#else
    {
#endif
        // Each move begins with other lanes, since most reversals are short.
        var begin = lane;
        for (var left = entries; (left.x | left.y) != 0u; left = but_first(left)) {
            let entry = first_of(left);
            let change = changes[entry].x;
            var first = ring((change & 0xFFFFu) + 1u);
            var length = (change >> 16u) - 1u;
#if INSERTS
            let shape = shapes[entry];
            let count = shape & LENGTH;
            let upwards = (shape & UPWARDS) != 0u;
            if stage == 1u {
                first = select(ring(first + count), first, upwards);
                length = select(length - count, 0u, shape == 0u);
            } else if stage == 2u {
                first = select(first, ring(first + length - count), upwards);
                length = select(0u, count, (shape & TURNED) != 0u);
            }
#endif
            let last = ring(first + length - 1u);
            for (var i = begin; i < length / 2u; i += LANES) {
                exchange(ring(first + i), select(last - i, last + params.cities - i, last < i));
            }
            begin = (begin + 32u) % LANES;
            turns += (length / 2u + LANES - 1u) / LANES + 1u;
        }
    }
    return turns;
}
