// Lists of 16-bit numbers in the words of a visited list.

fn half_at(index: u32) -> u32 {
    return (visited_load(index >> 1u) >> ((index & 1u) * 16u)) & 0xFFFFu;
}

/// For one invocation: the word's other half is kept.
fn set_half(index: u32, value: u32) {
    let shift = (index & 1u) * 16u;
    visited_store(index >> 1u, (visited_load(index >> 1u) & (0xFFFF0000u >> shift)) | (value << shift));
}
