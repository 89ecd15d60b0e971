// Linear weights for roulette wheels. A weight is a mantissa of 11 bits times 2^octave, with an octave of 0 to 37; the octaves of weights below
// 2^-37 of the greatest that can be count as 0. Octaves lie in blocks of 13: a weight in units of its block has less than 24 bits, so that
// 256 can be added up in a word, block by block. A short weight has 16 bits: from the top two of the block, four of the octave in it,
// and ten of the mantissa. The Rust side is src/algorithm/fixed.rs.

#include shared/exp2

/// Octaves of a block, and bits of a short weight that tell one.
const BLOCK_OCTAVES: u32 = 13u;
const BLOCK_BITS: u32 = 4u;

/// 2^(weight/512), scaled, in 16 bits.
fn short_linear(weight: u32, top_octave: u32) -> u32 {
    let raised = (weight >> 9u) + 37u;
    let octave = raised - top_octave;
    let place = octave + octave / BLOCK_OCTAVES * ((1u << BLOCK_BITS) - BLOCK_OCTAVES);
    let mantissa = ((exp2_mantissa(weight & 511u) + 16u) >> 5u) - 1024u;
    return select((place << 10u) + mantissa, 0u, raised < top_octave);
}

/// The block of a short weight.
fn block_of(short: u32) -> u32 {
    return short >> (10u + BLOCK_BITS);
}

/// A short weight in units of its block.
fn within_block(short: u32) -> u32 {
    return ((short & 1023u) | 1024u) << ((short >> 10u) & ((1u << BLOCK_BITS) - 1u));
}

/// A short weight as what it adds to the sums of weights of all blocks, of the second and third, and of the third, each in units of its block; nothing
/// where it does not count.
fn blocks_from(short: u32, counts: bool) -> vec3<u32> {
    let within = select(0u, within_block(short), counts);
    let second = select(0u, within, block_of(short) >= 1u);
    return vec3<u32>(within, second, select(0u, within, block_of(short) >= 2u));
}

/// Such sums as a 64-bit number.
fn wide(sums: vec3<u32>) -> vec2<u32> {
    return wide_of_blocks(vec3<u32>(sums.xy - sums.yz, sums.z));
}

/// Sums of the weights of each block as a 64-bit number.
fn wide_of_blocks(sums: vec3<u32>) -> vec2<u32> {
    let second = vec2<u32>(sums.y << BLOCK_OCTAVES, sums.y >> (32u - BLOCK_OCTAVES));
    let third = vec2<u32>(sums.z << (2u * BLOCK_OCTAVES), sums.z >> (32u - 2u * BLOCK_OCTAVES));
    return add_wide(vec2<u32>(sums.x, 0u), add_wide(second, third));
}
