// The key of an option: weight, and what is added to it, in the upper half of a word, its city in the lower. The greatest key
// wins, so the higher city does among equals; the key tells it.

/// The key of a free option; `more` is in the upper half of the word, and not 0.
fn key_of(weight: u32, more: u32, city: u32) -> u32 {
    return ((weight << 16u) | city) + more;
}

/// What is added in a greedy step.
const GREEDY: u32 = 0x10000u;

/// The city that a key tells.
fn city_of(key: u32) -> u32 {
    return key & 0xFFFFu;
}

/// A key of a city that was found without one.
fn found_city(city: u32) -> u32 {
    return GREEDY | city;
}
