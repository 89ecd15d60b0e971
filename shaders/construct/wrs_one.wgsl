// As wrs, where no lane has more than one option (ONE_EACH). A deviate does not depend on where the ant is, so each lane loads the next
// step's deviate while it makes this step.

#include construct/deviates_row

/// This lane's deviate in the step to come.
var<private> drawn: u32;

/// Before the first step of a dispatch.
fn draw_ahead(step: u32, lane: u32) {
    drawn = deviate_at(row_of(step), own_option(lane));
}

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let idle = is_idle(lane);
    let found = option(city, select(lane, 0u, idle));
    let key = key_of(found.weight, select(drawn, GREEDY, is_greedy()), found.city);
    draw_ahead(step + 1u, lane);
    return greatest(lane, select(0u, key, found.free & !idle));
}
