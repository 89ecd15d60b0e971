// What all forms of the roulette wheel share: the weights, and the order of the options on the wheel.
//
// The wheel's sectors are classes: class c holds the items c, c + classes, c + 2 classes, ... An item is an option or, where
// whole rows are weighed, a pair of cities whose weights share a word. So neighbouring lanes read neighbouring words, and the order
// depends on the number of items alone.

#if ROWS_FULL
/// Items: pairs of cities.
fn items() -> u32 {
    return (params.cities + 1u) >> 1u;
}

/// The long linear weights of an item's options; 0 for visited ones.
fn item_weights(city: u32, item: u32) -> vec4<u32> {
    let free = unvisited_pair(item);
    var long = vec4<u32>(0u);
    if free != 0u {
        let word = weights[city * params.pitch + item];
        if (free & 1u) == 1u {
            long = vec4<u32>(long_linear(word & 0xFFFFu), 0u, 0u);
        }
        if (free & 2u) == 2u {
            long = vec4<u32>(long.xy, long_linear(word >> 16u));
        }
    }
    return long;
}

/// The city of an item's first or second option.
fn item_city(city: u32, item: u32, second: u32) -> u32 {
    return item * 2u + second;
}

#include construct/linear
#else
fn items() -> u32 {
    return params.candidates;
}

fn item_weights(city: u32, item: u32) -> vec4<u32> {
    let found = option(city, item);
    if !found.free {
        return vec4<u32>(0u);
    }
#if ROWS_CANDIDATES
    return vec4<u32>(long_linear(found.weight), 0u, 0u);
#else
    return vec4<u32>(long_linear(short_linear(found.weight, params.top_octave)), 0u, 0u);
#endif
}

fn item_city(city: u32, item: u32, second: u32) -> u32 {
    return indexed(city, item).city;
}

#include construct/linear
#endif

fn add_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

/// Sums of 24-bit halves as a 64-bit number.
fn wide(halves: vec2<u32>) -> vec2<u32> {
    return add_wide(vec2<u32>(halves.x, 0u), vec2<u32>(halves.y << 24u, halves.y >> 8u));
}

/// floor(total * word / 2^32).
fn share_of(total: vec2<u32>, word: u32) -> vec2<u32> {
    return add_wide(vec2<u32>(total.y * word, mul_high(total.y, word)), vec2<u32>(mul_high(total.x, word), 0u));
}

/// The option of a class in which a share of the class's sum ends.
fn walk_class(city: u32, class_: u32, share: vec2<u32>) -> u32 {
    var rest = share;
    for (var item = class_; item < items(); item += params.classes) {
        let long = item_weights(city, item);
        let first = wide(long.xy);
        if less_wide(rest, first) {
            return item_city(city, item, 0u);
        }
        rest = subtract_wide(rest, first);
        let second = wide(long.zw);
        if less_wide(rest, second) {
            return item_city(city, item, 1u);
        }
        rest = subtract_wide(rest, second);
    }
    return NONE;
}

/// The sum of a class, in halves.
fn class_sum(city: u32, class_: u32) -> vec2<u32> {
    var sum = vec2<u32>(0u, 0u);
    for (var item = class_; item < items(); item += params.classes) {
        let long = item_weights(city, item);
        sum += long.xy + long.zw;
    }
    return sum;
}
