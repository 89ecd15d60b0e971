// Roulette wheel by one invocation: the sum of all weights, a share of it, and a walk until the share is used up.

#include construct/wheel
#include construct/greediest

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    if is_greedy() {
        return greediest(city, lane);
    }
    var total = vec2<u32>(0u, 0u);
    for (var item = 0u; item < items(); item++) {
        let found = item_at(city, item);
        total = add_wide(total, wide(found.first + found.second));
    }
    if (total.x | total.y) == 0u {
        return 0u;
    }
    var rest = share_of(total, random_word(keys.yx, NONE - step));
    for (var class_ = 0u; class_ < params.classes; class_++) {
        let sum = class_sum(city, class_);
        if less_wide(rest, sum) {
            return found_city(walk_class(city, class_, rest));
        }
        rest = subtract_wide(rest, sum);
    }
    return 0u;
}
