// Logarithms from the table buffer; the Rust side is src/algorithm/fixed.rs.

/// Cells of Gumbel deviates, which the table buffer has first.
const GUMBEL_CELLS: u32 = 2048u;

/// log2(x) in 1/65536 octave, for x >= 1.
fn log2_fixed(x: u32) -> u32 {
    let exponent = 31u - countLeadingZeros(x);
    let mantissa = (x << (31u - exponent)) << 1u;
    let cell = GUMBEL_CELLS + (mantissa >> 24u);
    let low = tables[cell];
    let step = ((tables[cell + 1u] - low) * ((mantissa >> 8u) & 0xFFFFu)) >> 16u;
    return (exponent << 16u) + low + step;
}

/// The same of a number's upper 24 bits, for x >= 256, within 1/1000 octave; without a table, which a step would wait for. A floating-point
/// number holds so many bits exactly, and has exponent and mantissa side by side, sooner than leading zeros are counted.
fn log2_near(x: u32) -> u32 {
    let both = bitcast<u32>(f32(x & 0xFFFFFF00u)) >> 7u;
    let mantissa = both & 0xFFFFu;
    let bow = (mantissa * (65536u - mantissa)) >> 16u;
    let bend = 27713u - ((10435u * mantissa) >> 16u);
    return both - (127u << 16u) + ((bow * bend) >> 16u);
}
