// 2-opt moves and Or-opt moves (Or 1976): a segment of up to three cities that begins with the city is moved between a neighbour and a city
// next to that, in either direction.

/// The most cities of a segment.
const SEGMENT: u32 = 3u;

/// Loop turns of a pair of neighbours and of a city at most. A pair, each neighbour of it, and each segment; and of a city the longer segments.
const PAIR_TURNS: u32 = 9u;
const CITY_TURNS: u32 = 2u;

/// The better of two moves: that found so far, and the segment's insertion.
fn better(best: Found, removed: u32, added: u32, rank: u32, what: vec4<u32>, possible: bool) -> Found {
    let gains = possible & (removed > added) & (removed - added > best.gain);
    return Found(
        select(best.gain, removed - added, gains),
        select(best.rank, rank, gains),
        select(best.cities, what, gains),
    );
}

/// The best move of `city` in one direction over the pairs of neighbours `start`, `start` + `stride`, ...; the nearest
/// neighbour on a tie, of one the reversal, then the shortest segment. Gain 0 where there is none.
fn best_move(city: u32, forward: bool, start: u32, stride: u32) -> Found {
    let next = step_from(city, forward);
    let to_next = distance(city, next);
    var best = Found(0u, NONE, vec4<u32>(city, city, next, next));
    // The segment leads away from `next`. For each length its last city, the city beyond that, and how far this one is from the last city and
    // from `next`.
    var members = vec3<u32>(city, NONE, NONE);
    var beyond = vec3<u32>(step_from(city, !forward), NONE, NONE);
    var gone = vec3<u32>(distance(city, beyond.x), 0u, 0u);
    var closed = vec3<u32>(distance(next, beyond.x), 0u, 0u);
    for (var more = 1u; more < SEGMENT && beyond[more - 1u] != next; more++) {
        members[more] = beyond[more - 1u];
        beyond[more] = step_from(members[more], !forward);
        gone[more] = distance(members[more], beyond[more]);
        closed[more] = distance(next, beyond[more]);
    }
    let row = city * params.pairs;
    for (var k = start; k < params.pairs; k += stride) {
        let pair = neighbours[row + k];
        if pair.y >= to_next {
            break;
        }
        for (var half = 0u; half < 2u; half++) {
            let neighbour = select(pair.x, pair.z, half == 1u);
            let apart = select(pair.y, pair.w, half == 1u);
            if apart >= to_next {
                break;
            }
            let shorter = to_next - apart;
            let rank = (2u * k + half) * 8u;
            let beside = vec2<u32>(step_from(neighbour, forward), step_from(neighbour, !forward));
            let opened = vec2<u32>(distance(neighbour, beside.x), distance(neighbour, beside.y));
            let ends = vec4<u32>(city, neighbour, next, beside.x);
            best = better(best, add_saturated(shorter, opened.x), distance(next, beside.x), rank, ends, true);
            for (var more = 0u; more < SEGMENT; more++) {
                let end = members[more];
                if end == NONE || end == neighbour || beyond[more] == next {
                    break;
                }
                let left = add_saturated(shorter, gone[more]);
                let reached = vec2<u32>(distance(end, beside.x), distance(end, beside.y)) + closed[more];
                // The edge behind the segment is removed, too.
                let segment = city | ((more + 1u) << 16u);
                let first = rank + 1u + 2u * more;
                let before = vec4<u32>(segment, neighbour | (beside.x << 16u), next, end);
                best = better(best, add_saturated(left, opened.x), reached.x, first, before, beside.x != end);
                let after = vec4<u32>(segment, neighbour | (beside.y << 16u), next, end);
                best = better(best, add_saturated(left, opened.y), reached.y, first + 1u, after, beside.y != end);
            }
        }
    }
    return best;
}
