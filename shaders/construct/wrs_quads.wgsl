// As wrs for long rows (WIDE), where all cities are weighed and a bitmask tells the visited ones: four cities at a time, whose
// random words have their first bytes in one word. A byte tells nearly how great a deviate is. Each lane remembers the
// greatest key its options can have, whose it is, and the second greatest; once the crew knows the greatest of the keys they
// have at least, few options are left that can win, seldom two in one lane.

#include construct/deviate

/// What a deviate is by the first byte of its word, in units of weights: at most (upper half) and at least.
var<workgroup> by_byte: array<u32, 256>;

/// Before the first crew_sync.
fn quads_begin(lane: u32) {
    for (var byte = lane; byte < 256u; byte += CREW) {
        let least = deviate(byte << 24u) >> 6u;
        let most = deviate((byte << 24u) | 0xFFFFFFu) >> 6u;
        by_byte[byte] = ((most + 2u) << 16u) | (max(least, 1u) - 1u);
    }
}

/// Four options: keys at most (times 4, plus the option's place; 0: visited) and the greatest of the keys at least.
struct Quad {
    most: vec4<u32>,
    least: u32,
}

fn quad_of(row: u32, quad: u32, base: u32, keys: vec2<u32>, greedy: bool) -> Quad {
    let free = ~tabu_load(quad >> 3u) >> ((quad & 7u) * 4u);
    let low = weights[row + quad * 2u];
    let high = weights[row + min(quad * 2u + 1u, params.pitch - 1u)];
    let key = vec4<u32>(low, low >> 16u, high, high >> 16u) & vec4<u32>(0xFFFFu);
    let byte = (vec4<u32>(random_word(keys, base + quad)) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xFFu);
    var bounds = vec4<u32>(by_byte[byte.x], by_byte[byte.y], by_byte[byte.z], by_byte[byte.w]);
    bounds = select(bounds, vec4<u32>(0x10000u), vec4<bool>(greedy));
    let is_free = (vec4<u32>(free) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
    let most = ((key + (bounds >> vec4<u32>(16u))) << vec4<u32>(2u)) | vec4<u32>(0u, 1u, 2u, 3u);
    // A free option has at least 1, so that it counts.
    let least = select(vec4<u32>(0u), key + max(bounds & vec4<u32>(0xFFFFu), vec4<u32>(1u)), is_free);
    return Quad(select(vec4<u32>(0u), most, is_free), max(max(least.x, least.y), max(least.z, least.w)));
}

/// An option's key.
fn key_of(city: u32, other: u32, base: u32, keys: vec2<u32>, greedy: bool) -> u32 {
    let key = weight_at(city, other) << 6u;
    if greedy {
        return key + 1u;
    }
    return key + deviate(whole_word(keys, base, other, first_byte(keys, base, other)));
}

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy(keys, step);
    let base = step * span();
    let row = city * params.pitch;
    let quads = (params.cities + 3u) / 4u;
    var first = 0u;
    var second = 0u;
    var which = 0u;
    var sure = 0u;
    for (var quad = lane; quad < quads; quad += CREW) {
        let options = quad_of(row, quad, base, keys, greedy);
        sure = max(sure, options.least);
        let upper = max(options.most.xy, options.most.zw);
        let lower = min(options.most.xy, options.most.zw);
        let top = max(upper.x, upper.y);
        let next = max(min(upper.x, upper.y), max(lower.x, lower.y));
        second = select(max(second, top), max(first, next), top > first);
        which = select(which, quad, top > first);
        first = max(first, top);
    }
    let known = greatest(lane, sure);
    var top = 0u;
    var who = NONE;
    if first != 0u && (first >> 2u) >= known {
        who = which * 4u + (first & 3u);
        top = key_of(city, who, base, keys, greedy);
    }
    if second != 0u && (second >> 2u) >= known {
        for (var quad = lane; quad < quads; quad += CREW) {
            let options = quad_of(row, quad, base, keys, greedy).most;
            for (var place = 0u; place < 4u; place++) {
                let most = options[place];
                if most != 0u && (most >> 2u) >= known {
                    let other = quad * 4u + place;
                    let key = key_of(city, other, base, keys, greedy);
                    if key > top || (key == top && other < who) {
                        top = key;
                        who = other;
                    }
                }
            }
        }
    }
    let winner = greatest(lane, top);
    if winner == 0u {
        return NONE;
    }
    return least(lane, select(NONE, who, top == winner));
}
