// The option of greatest key, where a deviate drawn for the option is added to its log-weight.

#include construct/deviates_row

/// The key that tells the next city, 0 when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy();
    let row = row_of(step);
    let count = options();
    var top = 0u;
#if LISTED
    for (var i = lane; i < count; i += 4u * CREW) {
        // Four at a time, so that no load waits for another one; where fewer are left, the last one is taken again.
        let last = count - 1u;
        let first = key_at(city, row, i, greedy);
        let second = key_at(city, row, min(i + CREW, last), greedy);
        let third = key_at(city, row, min(i + 2u * CREW, last), greedy);
        let fourth = key_at(city, row, min(i + 3u * CREW, last), greedy);
        top = max(top, max(max(first, second), max(third, fourth)));
    }
#else
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        if found.free {
            let deviate = select(deviate_at(row, found.index), GREEDY, greedy);
            top = max(top, key_of(found.weight, deviate, found.city));
        }
    }
#endif
    return greatest(lane, top);
}

#if LISTED
/// The key of a city in the list of unvisited ones.
fn key_at(city: u32, row: u32, i: u32, greedy: bool) -> u32 {
    let found = option(city, i);
    return key_of(found.weight, select(deviate_at(row, found.index), GREEDY, greedy), found.city);
}
#endif
