// Linear weights for roulette wheels, as 64-bit numbers (low word, high word): the greatest weight that can be is 2^47,
// so that 65,536 of them can be added up; weights below 2^-47 of it count as that.

#include shared/exp2

/// 2^(weight/512), scaled.
fn linear(weight: u32) -> vec2<u32> {
    let mantissa = exp2_mantissa(weight & 511u);
    let octave = (weight >> 9u) + 47u;
    // Of the mantissa's leading bit.
    let bit = max(octave, params.top_octave) - params.top_octave;
    if bit < 15u {
        return vec2<u32>(max(mantissa >> (15u - bit), 1u), 0u);
    }
    let shift = bit - 15u;
    if shift >= 32u {
        return vec2<u32>(0u, mantissa << (shift - 32u));
    }
    return vec2<u32>(mantissa << shift, select(mantissa >> (32u - shift), 0u, shift == 0u));
}

fn add_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

/// floor(total * word / 2^32).
fn share_of(total: vec2<u32>, word: u32) -> vec2<u32> {
    return add_wide(vec2<u32>(total.y * word, mul_high(total.y, word)), vec2<u32>(mul_high(total.x, word), 0u));
}
