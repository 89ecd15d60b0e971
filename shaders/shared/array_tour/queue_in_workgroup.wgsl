// The work queue of a local search in workgroup memory, a ring of half words: 2 bytes a city.

var<workgroup> queue_here: array<u32, HALF>;

fn queue_slot(slot: u32) -> u32 {
    return (queue_here[slot >> 1u] >> ((slot & 1u) * 16u)) & 0xFFFFu;
}

/// For one lane: the word's other half is kept.
fn set_queue_slot(slot: u32, city: u32) {
    let shift = (slot & 1u) * 16u;
    queue_here[slot >> 1u] = (queue_here[slot >> 1u] & (0xFFFF0000u >> shift)) | (city << shift);
}

fn set_queue_half(half: u32, cities: u32) {
    queue_here[half] = cities;
}

#if WINDOW
#else
fn load_queue(ant: u32, lane: u32, resumed: bool) {
    if resumed {
        for (var half = lane; half < queue_halves(); half += LANES) {
            queue_here[half] = queues[ant * queue_halves() + half];
        }
    }
}

fn store_queue(ant: u32, lane: u32) {
    for (var half = lane; half < queue_halves(); half += LANES) {
        queues[ant * queue_halves() + half] = queue_here[half];
    }
}
#endif
