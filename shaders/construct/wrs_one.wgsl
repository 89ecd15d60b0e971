// As wrs, where no lane has more than one option (ONE_EACH). A deviate does not depend on where the ant is, so each lane
// draws those of four steps side by side: one after the other they would wait for themselves.

#include construct/deviate

/// The deviates of this lane's option in the steps to come.
var<private> drawn: vec4<u32>;

/// Draws for the four steps from `step` on.
fn draw_ahead(step: u32, keys: vec2<u32>, lane: u32) {
    let steps = vec4<u32>(step) + vec4<u32>(0u, 1u, 2u, 3u);
    drawn = deviates(random_words(keys, steps * span() + lane));
}

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let idle = CANDIDATES < CREW && lane >= CANDIDATES;
    let found = option(city, select(lane, 0u, idle));
    let key = (found.weight << 6u) + select(drawn.x, 1u, is_greedy(keys, step));
    drawn = drawn.yzww;
    let free = found.city != NONE && !idle;
    let winner = greatest(lane, select(0u, (key << 9u) | (511u - found.index), free));
    return select(held_by(city, 511u - (winner & 511u), found.city), NONE, winner == 0u);
}
