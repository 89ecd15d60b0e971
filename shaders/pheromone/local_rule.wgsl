// The local update of an Ant Colony System on a trail (Dorigo and Gambardella 1997, equation 5).

/// (1 - rate) trail + rate first, with the rate times 2^16 and what this makes of the first trail.
fn worn(trail: u32, first_share: u32, rate: u32) -> u32 {
    return trail - share_16(trail, rate) + first_share;
}
