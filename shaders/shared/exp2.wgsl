// Powers of two; the Rust side is src/algorithm/fixed.rs.

/// 2^(fraction/512) * 32768 for a fraction below 512; a cubic, within 1.5 in 10000.
fn exp2_mantissa(fraction: u32) -> u32 {
    let cubic = 7406u + ((2572u * fraction) >> 9u);
    let square = 22790u + ((cubic * fraction) >> 9u);
    return 32768u + ((square * fraction) >> 9u);
}
