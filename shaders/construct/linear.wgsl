// Linear weights for roulette wheels: short ones of 16 bits, octave in the upper 6, mantissa in the lower 10, and long
// ones of 48 bits in two halves, so that 256 of them can be added up without a carry. The greatest weight that can be is
// 2^47; weights below 2^-37 of it count as that. The Rust side is src/algorithm/fixed.rs.

#include shared/exp2

/// 2^(weight/512), scaled, in 16 bits.
fn short_linear(weight: u32, top_octave: u32) -> u32 {
    let octave = (weight >> 9u) + 37u;
    let mantissa = ((exp2_mantissa(weight & 511u) + 16u) >> 5u) - 1024u;
    return select(((octave - top_octave) << 10u) + mantissa, 0u, octave < top_octave);
}

/// A short linear weight as two 24-bit halves, low and high.
fn long_linear(short: u32) -> vec2<u32> {
    let bit = short >> 10u;
    let mantissa = (short & 1023u) | 1024u;
    let low = (mantissa << (bit & 31u)) & 0xFFFFFFu;
    let below = mantissa >> ((24u - bit) & 31u);
    let above = mantissa << ((bit - 24u) & 31u);
    return select(vec2<u32>(low, below), vec2<u32>(0u, above), bit >= 24u);
}
