// Reductions over the lanes of a workgroup that is one subgroup: without memory.

fn among_begin(lane: u32) {
}

/// The greatest value of the crew, at least 0.
fn greatest(lane: u32, value: u32) -> u32 {
    return subgroupMax(value);
}

/// Whether a claim holds for any lane of the crew.
fn anyone(lane: u32, claim: bool) -> bool {
    return subgroupAny(claim);
}

fn least(lane: u32, value: u32) -> u32 {
    return subgroupMin(value);
}
