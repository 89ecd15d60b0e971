// What all forms of the roulette wheel share: the weights, and the order of the options on the wheel.
//
// The wheel's sectors are classes: class c holds the items c, c + classes, c + 2 classes, ... An item is an option or, where
// whole rows are weighed, a pair of cities whose weights share a word. So neighbouring lanes read neighbouring words, and the order
// depends on the number of items alone.

#include construct/linear

/// The weights of an item's options, see `blocks_from`; nothing for visited ones.
struct Item {
    first: vec3<u32>,
    second: vec3<u32>,
}

#if ROWS_FULL
/// Items: pairs of cities.
fn items() -> u32 {
    return (params.cities + 1u) >> 1u;
}

fn item_at(city: u32, item: u32) -> Item {
    let free = unvisited_pair(item);
    var word = 0u;
    if free != 0u {
        word = weights[city * params.pitch + item];
    }
    return Item(blocks_from(word & 0xFFFFu, (free & 1u) != 0u), blocks_from(word >> 16u, (free & 2u) != 0u));
}

/// The city of an item's first or second option.
fn item_city(city: u32, item: u32, second: u32) -> u32 {
    return item * 2u + second;
}
#else
fn items() -> u32 {
    return params.candidates;
}

fn item_at(city: u32, item: u32) -> Item {
    let found = option(city, item);
#if ROWS_CANDIDATES
    let short = found.weight;
#else
    let short = short_linear(found.weight, params.top_octave);
#endif
    return Item(blocks_from(short, found.free), vec3<u32>(0u));
}

fn item_city(city: u32, item: u32, second: u32) -> u32 {
    return indexed(city, item).city;
}
#endif

/// floor(total * word / 2^32).
fn share_of(total: vec2<u32>, word: u32) -> vec2<u32> {
    return add_wide(vec2<u32>(total.y * word, mul_high(total.y, word)), vec2<u32>(mul_high(total.x, word), 0u));
}

/// The option of a class in which a share of the class's sum ends.
fn walk_class(city: u32, class_: u32, share: vec2<u32>) -> u32 {
    var rest = share;
    for (var item = class_; item < items(); item += params.classes) {
        let found = item_at(city, item);
        let first = wide(found.first);
        if less_wide(rest, first) {
            return item_city(city, item, 0u);
        }
        rest = subtract_wide(rest, first);
        let second = wide(found.second);
        if less_wide(rest, second) {
            return item_city(city, item, 1u);
        }
        rest = subtract_wide(rest, second);
    }
    return NONE;
}

/// The sum of a class.
fn class_sum(city: u32, class_: u32) -> vec2<u32> {
    var sum = vec3<u32>(0u);
    for (var item = class_; item < items(); item += params.classes) {
        let found = item_at(city, item);
        sum += found.first + found.second;
    }
    return wide(sum);
}
