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

/// The same within 1/2000 octave, without a table, which a step would wait for.
fn log2_near(x: u32) -> u32 {
    let exponent = 31u - countLeadingZeros(x);
    let mantissa = (x << (31u - exponent) << 1u) >> 16u;
    let bow = (mantissa * (65536u - mantissa)) >> 16u;
    let bend = 29012u - ((10751u * mantissa) >> 16u) - ((5459u * bow) >> 16u);
    return (exponent << 16u) + mantissa + ((bow * bend) >> 16u);
}
