// The option of greatest key, where a key is the log-weight plus a deviate drawn for the option. The lower index wins ties.
// Up to 512 options, key and index share a word. Beyond (WIDE) the index takes a second reduction, and an option whose
// deviate cannot be great enough, by a bound on it, is left before its deviate is made.

#include construct/deviate

/// The next city, or NONE when no option is left.
fn choose(city: u32, step: u32, keys: vec2<u32>, lane: u32) -> u32 {
    let greedy = is_greedy(keys, step);
    let count = options();
    let base = step * span();
    var top = 0u;
    var who = NONE;
    for (var i = lane; i < count; i += CREW) {
        let found = option(city, i);
        if found.city != NONE {
            var key = (found.weight << 6u) + 1u;
#if WIDE
            let first = first_byte(keys, base, found.index);
            let known = max(top, crew_known());
            if greedy || key + deviate_bound(first | 0xFFFFFFu) >= known {
                key += select(deviate(whole_word(keys, base, found.index, first)) - 1u, 0u, greedy);
                if key > top || (key == top && found.index < who) {
                    top = key;
                    who = found.index;
                }
                if key > known {
                    crew_hint(key);
                }
            }
#else
            if !greedy {
                key += deviate(random_word(keys, base + found.index)) - 1u;
            }
            top = max(top, (key << 9u) | (511u - found.index));
#endif
        }
    }
    let winner = greatest(lane, top);
    if winner == 0u {
        return NONE;
    }
#if WIDE
    return city_of(city, least(lane, select(NONE, who, top == winner)));
#else
    return city_of(city, 511u - (winner & 511u));
#endif
}
