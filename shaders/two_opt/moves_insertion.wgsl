// Node insertion alone, along the tour's direction, which asymmetric instances allow: the insertion of a neighbour behind
// the city (forward), or of the city before a neighbour.

/// Loop turns of a pair of neighbours and of a city at most. A pair, and each neighbour of it.
const PAIR_TURNS: u32 = 3u;
const CITY_TURNS: u32 = 0u;

/// The best move of `city` of one kind over the pairs of neighbours `start`, `start` + `stride`, ...; the nearest
/// neighbour on a tie. Gain 0 where there is none.
fn best_move(city: u32, forward: bool, start: u32, stride: u32) -> Found {
    let next = step_from(city, true);
    let before = step_from(city, false);
    let to_next = distance(city, next);
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
                let after = step_from(neighbour, true);
                let prior = step_from(neighbour, false);
                var removed = add_saturated(to_next - apart, distance(prior, neighbour));
                var added = 0u;
                var between = insertion(city, prior, neighbour, before);
                var sound = prior != city;
                if forward {
                    removed = add_saturated(removed, distance(neighbour, after));
                    added = distance(prior, after) + distance(neighbour, next);
                    between = insertion(neighbour, city, next, prior);
                    sound = neighbour != next;
                } else {
                    removed = add_saturated(removed, distance(before, city));
                    added = distance(before, next) + distance(prior, city);
                }
                if sound && removed > added && removed - added > best.gain {
                    best = Found(removed - added, 2u * k + half, between);
                }
            }
        }
    }
    return best;
}

