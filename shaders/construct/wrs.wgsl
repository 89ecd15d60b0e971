// The option of greatest key, where a deviate drawn for the option is added to its log-weight.

#include construct/deviates_row

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy();
    let row = row_of(step);
    let count = options();
    var top = 0u;
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        if found.free {
            let deviate = select(deviate_at(row, found.index), GREEDY, greedy);
            top = max(top, key_of(found.weight, deviate, found.city));
        }
    }
    return greatest(lane, top);
}
