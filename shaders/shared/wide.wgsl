// Signed 64-bit numbers in two words, low word first.

/// a + b.
fn add_signed(a: vec2<u32>, b: i32) -> vec2<u32> {
    let low = a.x + bitcast<u32>(b);
    let carry = select(0u, 1u, low < a.x);
    return vec2<u32>(low, a.y + carry + select(0u, 0xFFFFFFFFu, b < 0));
}

/// a < b.
fn less_signed(a: vec2<u32>, b: vec2<u32>) -> bool {
    return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}

/// a - b where that is negative or 0, -2^31 where it is less than that.
fn fall_between(a: vec2<u32>, b: vec2<u32>) -> i32 {
    let low = a.x - b.x;
    let high = a.y - b.y - select(0u, 1u, a.x < b.x);
    let fits = (high == 0u && low == 0u) || (high == 0xFFFFFFFFu && low >= 0x80000000u);
    return select(-2147483647 - 1, bitcast<i32>(low), fits);
}
