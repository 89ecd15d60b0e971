// The 64-bit sum of what all lanes of a workgroup have, low word first. `sum_begin` comes first, then a barrier.

var<workgroup> sum_low: atomic<u32>;
var<workgroup> sum_high: atomic<u32>;

fn sum_begin(lane: u32) {
    if lane == 0u {
        atomicStore(&sum_low, 0u);
        atomicStore(&sum_high, 0u);
    }
}

/// The sum, for all lanes.
fn sum(own: vec2<u32>) -> vec2<u32> {
    let before = atomicAdd(&sum_low, own.x);
    let carry = select(0u, 1u, before + own.x < before);
    atomicAdd(&sum_high, own.y + carry);
    workgroupBarrier();
    return vec2<u32>(atomicLoad(&sum_low), atomicLoad(&sum_high));
}
