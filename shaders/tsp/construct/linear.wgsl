// Linear weights for roulette wheels: short ones of 16 bits, octave in the upper 6, mantissa in the lower 10, and long
// ones of 48 bits in two halves, so that 256 of them can be added up without a carry. The greatest weight that can be is
// 2^47; weights below 2^-47 of it count as that. The Rust side is src/aco/fixed.rs.

#include shared/exp2

/// 2^(weight/512), scaled, in 16 bits.
fn short_linear(weight: u32, top_octave: u32) -> u32 {
    let octave = (weight >> 9u) + 47u;
    let bit = max(octave, top_octave) - top_octave;
    return (bit << 10u) + ((exp2_mantissa(weight & 511u) + 16u) >> 5u) - 1024u;
}

/// A short linear weight as two 24-bit halves, low and high.
fn long_linear(short: u32) -> vec2<u32> {
    let bit = short >> 10u;
    let mantissa = (short & 1023u) | 1024u;
    if bit < 10u {
        return vec2<u32>(max(mantissa >> (10u - bit), 1u), 0u);
    }
    let shift = bit - 10u;
    if shift >= 24u {
        return vec2<u32>(0u, mantissa << (shift - 24u));
    }
    return vec2<u32>((mantissa << shift) & 0xFFFFFFu, mantissa >> (24u - shift));
}
