// The key of an option: in the upper half of a word its weight and what is added to that, in the lower half its city. The option of greatest
// key is taken, so among equals the higher city.

/// The key of a free option; `more` is in the upper half of the word, and not 0.
fn key_of(weight: u32, more: u32, city: u32) -> u32 {
    return ((weight << 16u) | city) + more;
}

/// What is added in a greedy step.
const GREEDY: u32 = 0x10000u;

/// The city of a key.
fn city_of(key: u32) -> u32 {
    return key & 0xFFFFu;
}

/// A key of a city that was found without one.
fn found_city(city: u32) -> u32 {
    return GREEDY | city;
}
