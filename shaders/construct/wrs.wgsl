// The option of greatest key, where a key is the log-weight plus a deviate drawn for the option: a Gumbel deviate draws
// proportionally to the weights (weighted reservoir sampling, Efraimidis and Spirakis 2006; Skinderowicz 2020, section
// 4.2.2), the logarithm of a uniform deviate is the independent roulette (Cecilia et al. 2013). The lower index wins ties.
// Up to 512 options, key and index share a word. Beyond (WIDE) the index takes a second reduction, and an option whose
// deviate cannot be great enough, by a bound on it, is left before its deviate is made.

#if I_ROULETTE
#include shared/log2

fn deviate(word: u32) -> u32 {
    return (log2_fixed(max(word, 1u)) >> 1u) + 1u;
}

/// At least the deviate of a word.
fn deviate_bound(word: u32) -> u32 {
    return (33u - countLeadingZeros(word)) << 15u;
}
#else
#include shared/gumbel

fn deviate(word: u32) -> u32 {
    return gumbel(word);
}

/// At least the deviate of a word: -log2(-log2 u) + 6 < 6 - log2(1 - u).
fn deviate_bound(word: u32) -> u32 {
    return (countLeadingZeros(~word) + 7u) << 15u;
}
#endif

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
            let word = random_word(keys, base + found.index);
            let known = max(top, crew_known());
            if greedy || key + deviate_bound(word) >= known {
                key += select(deviate(word) - 1u, 0u, greedy);
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
