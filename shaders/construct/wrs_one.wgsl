// As wrs, where no lane has more than one option (ONE_EACH): no loop and no branch, so that a deviate is made while the
// option is on its way from memory.

#include construct/deviate

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let drawn = deviate(random_word(keys, step * span() + lane));
    let found = option(city, min(lane, options() - 1u));
    let key = (found.weight << 6u) + select(drawn, 1u, is_greedy(keys, step));
    let free = found.city != NONE && lane < options();
    let winner = greatest(lane, select(0u, (key << 9u) | (511u - found.index), free));
    if winner == 0u {
        return NONE;
    }
    return held_by(city, 511u - (winner & 511u), found.city);
}
