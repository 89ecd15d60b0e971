// 2-opt moves and Or-opt moves (Or 1976): a segment of up to three cities that begins with the city goes between a neighbour and one
// beside it, either way round.

/// The most cities of a segment.
const SEGMENT: u32 = 3u;

/// The best move of `city` in one direction over the pairs of neighbours `start`, `start` + `stride`, ...; the nearest
/// neighbour on a tie, of one the reversal, then the shortest segment. Gain 0 where there is none.
fn best_move(city: u32, forward: bool, start: u32, stride: u32) -> Found {
    let next = step_from(city, forward);
    let to_next = distance(city, next);
    var best = Found(0u, NONE, vec4<u32>(city, city, next, next));
    // The segment leads away from `next`: its cities, and the one beyond each.
    var members = vec3<u32>(city, NONE, NONE);
    var beyond = vec3<u32>(step_from(city, !forward), NONE, NONE);
    for (var more = 1u; more < SEGMENT && beyond[more - 1u] != next; more++) {
        members[more] = beyond[more - 1u];
        beyond[more] = step_from(members[more], !forward);
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
            var removed = add_saturated(shorter, opened.x);
            var added = distance(next, beside.x);
            if removed > added && removed - added > best.gain {
                best = Found(removed - added, rank, vec4<u32>(city, neighbour, next, beside.x));
            }
            for (var more = 0u; more < SEGMENT; more++) {
                if members[more] == NONE || members[more] == neighbour || beyond[more] == next {
                    break;
                }
                let end = members[more];
                let left = add_saturated(shorter, distance(end, beyond[more]));
                let closed = distance(next, beyond[more]);
                for (var side = 0u; side < 2u; side++) {
                    let other = beside[side];
                    removed = add_saturated(left, opened[side]);
                    added = closed + distance(end, other);
                    // The edge behind the segment goes with it.
                    if other != end && removed > added && removed - added > best.gain {
                        let segment = city | ((more + 1u) << 16u);
                        let what = vec4<u32>(segment, neighbour | (other << 16u), next, end);
                        best = Found(removed - added, rank + 1u + 2u * more + side, what);
                    }
                }
            }
        }
    }
    return best;
}
