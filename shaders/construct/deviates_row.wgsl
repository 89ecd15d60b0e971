// A step's row of deviates, from the ring that `deviates` has drawn for the iteration. Candidate lists draw a place once in four
// steps, whose rows follow one another there.

#include shared/deviates

/// Where the ring has the row of a step.
fn row_of(step: u32, keys: vec2<u32>) -> u32 {
#if ROWS_FULL
    return random_word(keys, step) & params.ring & 0xFFFFFFFEu;
#else
    return (random_word(keys, step >> 2u) & params.ring) + (step & 3u) * span();
#endif
}

/// An option's deviate, in the upper half of the word.
fn deviate_at(row: u32, index: u32) -> u32 {
#if ROWS_FULL
    return (tables[DEVIATES + ((row + index) >> 1u)] >> ((index & 1u) * 16u)) << 16u;
#else
    return tables[DEVIATES + row + index];
#endif
}
