// Roulette wheel by one invocation: the sum of all weights, a share of it, and a walk until the share is used up.

#include tsp/construct/linear

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    var total = vec2<u32>(0u, 0u);
    let count = options();
    if is_greedy(keys, step) {
        return greediest(city, lane);
    }
    for (var i = 0u; i < count; i++) {
        let found = option(city, i);
        if found.city != NONE {
            total = add_wide(total, linear(found.weight));
        }
    }
    if (total.x | total.y) == 0u {
        return NONE;
    }
    var rest = share_of(total, random_word(keys.yx, NONE - step));
    // In the order of indices, whatever the order of the tabu list.
    for (var index = 0u; index < span(); index++) {
        let found = indexed(city, index);
        if found.city != NONE {
            let weight = linear(found.weight);
            if less_wide(rest, weight) {
                return found.city;
            }
            rest = subtract_wide(rest, weight);
        }
    }
    return NONE;
}

#include tsp/construct/greediest
