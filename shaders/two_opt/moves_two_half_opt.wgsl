// 2.5-opt moves (Bentley 1992): 2-opt moves, and the insertion of a neighbour behind the city or of the city behind a
// neighbour.

/// Loop turns of a pair of neighbours and of a city at most. A pair, and each neighbour of it.
const PAIR_TURNS: u32 = 3u;
const CITY_TURNS: u32 = 0u;

/// The best move of `city` in one direction over the pairs of neighbours `start`, `start` + `stride`, ...; the nearest
/// neighbour on a tie. Gain 0 where there is none.
fn best_move(city: u32, forward: bool, start: u32, stride: u32) -> Found {
    let next = step_from(city, forward);
    let before = step_from(city, !forward);
    let to_next = distance(city, next);
    let to_before = distance(city, before);
    let closed = distance(before, next);
    var best = Found(0u, NONE, vec4<u32>(city, city, next, next));
    let row = city * params.pairs;
    for (var k = start; k < params.pairs; k += stride) {
        let pair = neighbours[row + k];
        if pair.y >= to_next {
            break;
        }
        for (var half = 0u; half < 2u; half++) {
            let neighbour = select(pair.x, pair.z, half == 1u);
            let apart = select(pair.y, pair.w, half == 1u);
            if apart < to_next {
                let after = step_from(neighbour, forward);
                let prior = step_from(neighbour, !forward);
                let shorter = to_next - apart;
                let to_after = distance(neighbour, after);
                let rank = (2u * k + half) * 4u;
                // Reversal.
                var removed = add_saturated(shorter, to_after);
                var added = distance(next, after);
                if removed > added && removed - added > best.gain {
                    best = Found(removed - added, rank, vec4<u32>(city, neighbour, next, after));
                }
                // The neighbour between city and next.
                removed = add_saturated(removed, distance(prior, neighbour));
                added = distance(prior, after) + distance(neighbour, next);
                if removed > added && removed - added > best.gain {
                    let between = insertion(neighbour, city, next, prior);
                    best = Found(removed - added, rank + 1u, between);
                }
                // The city between neighbour and after.
                removed = add_saturated(add_saturated(shorter, to_after), to_before);
                added = closed + distance(city, after);
                if after != city && removed > added && removed - added > best.gain {
                    let between = insertion(city, neighbour, after, before);
                    best = Found(removed - added, rank + 2u, between);
                }
            }
        }
    }
    return best;
}

