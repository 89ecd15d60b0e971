// Heuristic selection weights; the Rust side is src/algorithm/fixed.rs.

#include shared/log2

/// The greatest selection weight: with the greatest deviate it is less than 2^16.
const MOST_WEIGHT: u32 = 0xAFFFu;
/// Units of a selection weight in an octave.
const WEIGHT_UNITS: u32 = 512u;

/// log2 of a distance above that of 1/10, which stands for 0; in 1/65536 octave.
fn log2_distance(distance: u32) -> u32 {
    if distance == 0u {
        return 0u;
    }
    return log2_fixed(distance) + 217706u;
}

/// How far the heuristic weight falls when log2 of the distance rises by `octaves` (1/65536), in 1/512 octave.
fn heuristic_fall(octaves: u32, beta: u32) -> u32 {
    return (beta * (octaves >> 4u)) >> 11u;
}
