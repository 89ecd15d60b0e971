// Logarithms from the table buffer; the Rust side is src/aco/fixed.rs.

/// log2(x) in 1/65536 octave, for x >= 1.
fn log2_fixed(x: u32) -> u32 {
    let exponent = 31u - countLeadingZeros(x);
    let mantissa = (x << (31u - exponent)) << 1u;
    let cell = 2048u + (mantissa >> 24u);
    let low = tables[cell];
    let step = ((tables[cell + 1u] - low) * ((mantissa >> 8u) & 0xFFFFu)) >> 16u;
    return (exponent << 16u) + low + step;
}
