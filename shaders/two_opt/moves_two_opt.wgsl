// 2-opt moves: an edge of the city and an edge of a neighbour are replaced by the edge between both and one between the other ends.

/// Loop turns of a pair of neighbours and of a city at most. Two neighbours at a time.
const PAIR_TURNS: u32 = 1u;
const CITY_TURNS: u32 = 0u;

/// The best move of `city` in one direction over the pairs of neighbours `start`, `start` + `stride`, ...; the nearest
/// neighbour on a tie. Gain 0 where there is none.
fn best_move(city: u32, forward: bool, start: u32, stride: u32) -> Found {
    let next = step_from(city, forward);
    let to_next = distance(city, next);
    var best = Found(0u, NONE, vec4<u32>(city, city, next, next));
    let row = city * params.pairs;
    var following = neighbours[row + min(start, params.pairs - 1u)];
    for (var k = start; k < params.pairs; k += stride) {
        // Two neighbours at a time, while the next two are loaded.
        let pair = following;
        if pair.y >= to_next {
            break;
        }
        following = neighbours[row + min(k + stride, params.pairs - 1u)];
        let after = vec2<u32>(step_from(pair.x, forward), step_from(pair.z, forward));
        let removed = to_next + vec2<u32>(distance(pair.x, after.x), distance(pair.z, after.y));
        let added = vec2<u32>(pair.y, pair.w) + vec2<u32>(distance(next, after.x), distance(next, after.y));
        if removed.x > added.x && removed.x - added.x > best.gain {
            best = Found(removed.x - added.x, 2u * k, vec4<u32>(city, pair.x, next, after.x));
        }
        if pair.w < to_next && removed.y > added.y && removed.y - added.y > best.gain {
            best = Found(removed.y - added.y, 2u * k + 1u, vec4<u32>(city, pair.z, next, after.y));
        }
    }
    return best;
}

