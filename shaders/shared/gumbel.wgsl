// Gumbel deviates from the table buffer; the Rust side is src/algorithm/fixed.rs.
// The kernel that includes this declares `tables: array<u32>`, whose first 2048 words are the cells.

/// -log2(-log2 u) + 6 in 1/32768 octave, for u = (word + 1/2) / 2^32.
fn gumbel(word: u32) -> u32 {
    let half = word >> 31u;
    let folded = select(word, ~word, half == 1u);
    let class_ = countLeadingZeros(folded) - 1u;
    // Two shifts: folded == 0 would ask for one by 33.
    let mantissa = (folded << class_) << 2u;
    let entry = tables[(half << 10u) | (class_ << 5u) | (mantissa >> 27u)];
    let step = ((entry & 2047u) * ((mantissa >> 11u) & 0xFFFFu)) >> 16u;
    return select((entry >> 11u) + step, (entry >> 11u) - step, half == 1u);
}
