// As wrs, where no lane has more than one option (ONE_EACH). Rows do not depend on where the ant is, so each lane loads its
// deviates of four steps while the four before are made.

#include construct/deviates_row

/// This lane's deviates of the steps from the present one on, and of the four that follow.
var<private> drawn: vec4<u32>;
var<private> ahead: vec4<u32>;

/// The deviates of four steps, of which the first is a multiple of four.
fn load_four(step: u32, keys: vec2<u32>, lane: u32) -> vec4<u32> {
    let at = DEVIATES + row_of(step, keys) + min(lane, CANDIDATES - 1u);
    return vec4<u32>(tables[at], tables[at + CANDIDATES], tables[at + 2u * CANDIDATES], tables[at + 3u * CANDIDATES]);
}

/// Before the first step of a dispatch.
fn begin_drawing(step: u32, keys: vec2<u32>, lane: u32) {
    ahead = load_four((step + 3u) & 0xFFFFFFFCu, keys, lane);
    drawn = load_four(step & 0xFFFFFFFCu, keys, lane);
    for (var i = 0u; i < (step & 3u); i++) {
        drawn = drawn.yzww;
    }
}

/// Before each step.
fn draw_ahead(step: u32, keys: vec2<u32>, lane: u32) {
    if (step & 3u) == 0u {
        drawn = ahead;
        ahead = load_four(step + 4u, keys, lane);
    }
}

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let idle = CANDIDATES < CREW && lane >= CANDIDATES;
    let found = option(city, select(lane, 0u, idle));
    let key = key_of(found.weight, select(drawn.x, GREEDY, is_greedy(keys, step)), found.city);
    drawn = drawn.yzww;
    return winner_of(lane, select(key, 0u, !found.free || idle));
}
