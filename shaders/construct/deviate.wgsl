// What is added to the log-weight of an option: a Gumbel deviate, which draws proportionally to the weights (weighted
// reservoir sampling, Efraimidis and Spirakis 2006; Skinderowicz 2020, section 4.2.2), or the logarithm of a uniform
// deviate, which is the independent roulette (Cecilia et al. 2013).

#if I_ROULETTE
#include shared/log2

/// The logarithm of a uniform deviate.
fn deviate(word: u32) -> u32 {
    return (log2_fixed(max(word, 1u)) >> 1u) + 1u;
}

/// The deviates of four words.
fn deviates(words: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(deviate(words.x), deviate(words.y), deviate(words.z), deviate(words.w));
}

/// At least the deviate of a word.
fn deviate_bound(word: u32) -> u32 {
    return (33u - countLeadingZeros(word)) << 15u;
}
#else
#include shared/gumbel

/// A Gumbel deviate.
fn deviate(word: u32) -> u32 {
    return gumbel(word);
}

/// The deviates of four words.
fn deviates(words: vec4<u32>) -> vec4<u32> {
    return gumbels(words);
}

/// At least the deviate of a word: -log2(-log2 u) + 6 < 6 - log2(1 - u).
fn deviate_bound(word: u32) -> u32 {
    return (countLeadingZeros(~word) + 7u) << 15u;
}
#endif

#if WIDE
// In long rows four options share the word that has the first bytes of theirs, so that most are judged by a byte.

/// The first byte of an option's word, in its place.
fn first_byte(keys: vec2<u32>, base: u32, index: u32) -> u32 {
    return (random_word(keys, base + (index >> 2u)) << (24u - (index & 3u) * 8u)) & 0xFF000000u;
}

/// The option's word, of which `first` begins with the first byte.
fn whole_word(keys: vec2<u32>, base: u32, index: u32, first: u32) -> u32 {
    return (first & 0xFF000000u) | (random_word(keys.yx, base + index) >> 8u);
}
#endif
