// What the lanes of a workgroup know, where the workgroup is one subgroup: nothing goes through memory.

fn among_begin(lane: u32) {
}

/// The greatest value of the crew; 0 if nobody has a greater one.
fn greatest(lane: u32, value: u32) -> u32 {
    return subgroupMax(value);
}

fn least(lane: u32, value: u32) -> u32 {
    return subgroupMin(value);
}
