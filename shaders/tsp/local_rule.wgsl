// The local update of an Ant Colony System on a trail (Dorigo and Gambardella 1997, equation 5).

/// (1 - rate) trail + rate first, with the rate times 2^32.
fn worn(trail: u32, first: u32, rate: u32) -> u32 {
    return trail - mul_high(trail, rate) + mul_high(first, rate);
}
