// What the lanes of a workgroup know, where the workgroup is one subgroup: nothing goes through memory.

fn among_begin(lane: u32) {
}

/// The greatest value of the crew; 0 if nobody has a greater one.
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
