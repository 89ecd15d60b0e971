// The tour under local search, the position of each city and the work queue, in storage buffers: for tours that workgroup
// memory cannot hold.

/// ants x cities: the position of each city in its ant's tour.
@group(0) @binding(8) var<storage, read_write> positions: array<u32>;

var<private> tour_offset: u32;
var<private> queue_offset: u32;

fn city_at(position: u32) -> u32 {
    return tours[tour_offset + position];
}

fn position_of(city: u32) -> u32 {
    return positions[tour_offset + city];
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = city_at(left);
    let b = city_at(right);
    tours[tour_offset + left] = b;
    tours[tour_offset + right] = a;
    positions[tour_offset + b] = left;
    positions[tour_offset + a] = right;
}

fn tour_barrier() {
    storageBarrier();
    workgroupBarrier();
}

fn load_tour(ant: u32, lane: u32) {
    tour_offset = ant * params.cities;
    queue_offset = ant * HALF;
    for (var i = lane; i < params.cities; i += LANES) {
        positions[tour_offset + tours[tour_offset + i]] = i;
    }
}

fn store_tour(ant: u32, lane: u32) {
}

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

fn load_queue(ant: u32, lane: u32, count: u32) {
}

/// Moves the queue's `count` cities to the front for the next dispatch.
fn store_queue(ant: u32, lane: u32, head: u32, count: u32) {
    // Positions hold the queue meanwhile: the next dispatch makes them anew.
    for (var i = lane; i < count; i += LANES) {
        positions[tour_offset + i] = queue_slot((head + i) % params.cities);
    }
    tour_barrier();
    for (var half = lane; half * 2u < count; half += LANES) {
        let low = positions[tour_offset + half * 2u];
        var high = 0u;
        if half * 2u + 1u < count {
            high = positions[tour_offset + half * 2u + 1u];
        }
        queues[queue_offset + half] = low | (high << 16u);
    }
}
