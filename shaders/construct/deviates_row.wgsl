// A step's row of deviates, from the ring that `deviates` has drawn for the iteration.

#include shared/deviates

/// Where in the ring the row of a step begins; with whole rows at a multiple of eight, since eight are loaded at a time.
fn row_of(step: u32) -> u32 {
    let place = (quick_mix(quick_keys, step) * 0x9E3779B1u) >> params.ring_shift;
#if ROWS_FULL
    return place & 0xFFFFFFF8u;
#else
    return place;
#endif
}

#if OCTETS
#else
/// An option's deviate, in the upper half of the word.
fn deviate_at(row: u32, index: u32) -> u32 {
#if ROWS_FULL
    return (tables[DEVIATES + ((row + index) >> 1u)] >> ((index & 1u) * 16u)) << 16u;
#else
    return tables[DEVIATES + row + index];
#endif
}
#endif
