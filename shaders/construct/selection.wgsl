// How the next city is drawn from the options of a step, and where an ant goes without any.

#if PSEUDO_RANDOM
var<private> greedy_step: bool;
#endif

/// The ant's keys for `quick_mix`.
var<private> quick_keys: vec2<u32>;

/// Before the ant's first draw.
fn draw_begin(keys: vec2<u32>) {
    quick_keys = vec2<u32>(keys.x | 1u, keys.y);
}

/// Draws the rule of a step.
fn draw_rule(step: u32) {
#if PSEUDO_RANDOM
    greedy_step = quick_mix(quick_keys, step) * 0x846CA68Bu < params.greedy;
#endif
}

/// Whether this step takes the option of greatest weight (Ant Colony System, pseudo-random proportional rule).
fn is_greedy() -> bool {
#if PSEUDO_RANDOM
    return greedy_step;
#else
    return false;
#endif
}

#include construct/key

#if ROULETTE
#if COARSE
#include construct/rwm_single
#else
#if SUBGROUPS
#include construct/rwm_subgroups
#else
#include construct/rwm_workgroup
#endif
#endif
#else
#if ONE_EACH
#include construct/wrs_one
#else
#if OCTETS
#include construct/wrs_octets
#else
#include construct/wrs
#endif
#endif
#endif

#if BEYOND
/// The lesser of two burdens (x) with its city (y), the lower city on a tie.
fn lesser(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, (b.x < a.x) | ((b.x == a.x) & (b.y < a.y)));
}

/// The city of the lowest bit of a word, `other` where there is none.
fn lowest_city(word: u32, bits: u32, other: u32) -> u32 {
    return select(other, word * 32u + firstTrailingBit(bits), bits != 0u);
}

/// The unvisited city of least burden, the lowest index on a tie; there is one.
fn beyond(city: u32, lane: u32) -> u32 {
    var low = vec2<u32>(NONE);
#if VISITED_BT
    for (var word = lane; word < params.visited_words; word += CREW) {
        var bits = ~visited_load(word);
        while bits != 0u {
            let first = lowest_city(word, bits, NONE);
            bits &= bits - 1u;
#if WIDE
            // Four cities at a time, so that their loads overlap; where fewer are left, the first one is taken again.
            let second = lowest_city(word, bits, first);
            bits &= bits - 1u;
            let third = lowest_city(word, bits, first);
            bits &= bits - 1u;
            let fourth = lowest_city(word, bits, first);
            bits &= bits - 1u;
            let burdens = vec4<u32>(burden(city, first), burden(city, second), burden(city, third), burden(city, fourth));
            low = lesser(low, lesser(vec2<u32>(burdens.x, first), vec2<u32>(burdens.y, second)));
            low = lesser(low, lesser(vec2<u32>(burdens.z, third), vec2<u32>(burdens.w, fourth)));
#else
            low = lesser(low, vec2<u32>(burden(city, first), first));
#endif
        }
    }
#else
    for (var i = lane; i < visited_length(); i += CREW) {
        let other = visited_candidate(i);
        low = lesser(low, vec2<u32>(burden(city, other), other));
    }
#endif
    let lowest = least(lane, low.x);
    return least(lane, select(NONE, low.y, low.x == lowest));
}
#endif
