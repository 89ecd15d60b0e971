// The work queue of a local search in storage, a ring of half words, for tours that leave no room for it in workgroup memory.

var<private> queue_offset: u32;

fn queue_slot(slot: u32) -> u32 {
    return (queues[queue_offset + (slot >> 1u)] >> ((slot & 1u) * 16u)) & 0xFFFFu;
}

/// For one lane: the word's other half is kept.
fn set_queue_slot(slot: u32, city: u32) {
    let shift = (slot & 1u) * 16u;
    let at = queue_offset + (slot >> 1u);
    queues[at] = (queues[at] & (0xFFFF0000u >> shift)) | (city << shift);
}

fn set_queue_half(half: u32, cities: u32) {
    queues[queue_offset + half] = cities;
}

fn load_queue(ant: u32, lane: u32, resumed: bool) {
    queue_offset = ant * queue_halves();
}

fn store_queue(ant: u32, lane: u32) {
}
