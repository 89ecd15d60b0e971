// Fixed-point arithmetic; the Rust side is src/algorithm/fixed.rs, function by function.

/// The upper 32 bits of a * b.
fn mul_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xFFFFu;
    let a_high = a >> 16u;
    let b_low = b & 0xFFFFu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let cross = a_low * b_high + (middle & 0xFFFFu);
    return a_high * b_high + (middle >> 16u) + (cross >> 16u);
}

/// a * share / 2^16, with a share of less than 2^16.
fn share_16(a: u32, share: u32) -> u32 {
    return (a >> 16u) * share + (((a & 0xFFFFu) * share) >> 16u);
}

/// floor((high * 2^32 + low) / divisor), saturated at 2^32 - 1; divisor > 0.
fn div_wide(high: u32, low: u32, divisor: u32) -> u32 {
    if high >= divisor {
        return 0xFFFFFFFFu;
    }
    var remainder = high;
    var quotient = 0u;
    for (var bit = 0u; bit < 32u; bit++) {
        let carry = remainder >> 31u;
        remainder = (remainder << 1u) | ((low >> (31u - bit)) & 1u);
        quotient = quotient << 1u;
        if carry == 1u || remainder >= divisor {
            remainder = remainder - divisor;
            quotient = quotient | 1u;
        }
    }
    return quotient;
}

/// A 64-bit number (x: low, y: high word) shifted right by 0 to 63 bits, low word of the result.
fn shift_right_wide(number: vec2<u32>, shift: u32) -> u32 {
    if shift == 0u {
        return number.x;
    }
    if shift >= 32u {
        return number.y >> (shift - 32u);
    }
    return (number.x >> shift) | (number.y << (32u - shift));
}

/// a < b for 64-bit numbers (x: low, y: high word).
fn less_wide(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/// a + b for 64-bit numbers.
fn add_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

/// a - b for 64-bit numbers.
fn subtract_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
