// The tour under local search, the position of each city and the work queue, in workgroup memory: 6 bytes a city.
//
// Word i holds the city at position i in its lower half and the position of city i in its upper half. Halves change by
// atomic exclusive-or with the difference of old and new value, so that lanes may write both halves of a word at once.

var<workgroup> tour_here: array<atomic<u32>, CITIES>;
var<workgroup> queue_here: array<u32, HALF>;

fn city_at(position: u32) -> u32 {
    return atomicLoad(&tour_here[position]) & 0xFFFFu;
}

fn position_of(city: u32) -> u32 {
    return atomicLoad(&tour_here[city]) >> 16u;
}

/// Exchanges the cities at two positions.
fn exchange(left: u32, right: u32) {
    let a = city_at(left);
    let b = city_at(right);
    let positions = (left ^ right) << 16u;
    atomicXor(&tour_here[left], a ^ b);
    atomicXor(&tour_here[right], a ^ b);
    atomicXor(&tour_here[a], positions);
    atomicXor(&tour_here[b], positions);
}

fn tour_barrier() {
    workgroupBarrier();
}

fn load_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        atomicStore(&tour_here[i], tours[ant * params.cities + i]);
    }
    workgroupBarrier();
    for (var i = lane; i < params.cities; i += LANES) {
        atomicOr(&tour_here[tours[ant * params.cities + i]], i << 16u);
    }
}

fn store_tour(ant: u32, lane: u32) {
    for (var i = lane; i < params.cities; i += LANES) {
        tours[ant * params.cities + i] = city_at(i);
    }
}

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

fn load_queue(ant: u32, lane: u32, count: u32) {
    for (var half = lane; half * 2u < count; half += LANES) {
        queue_here[half] = queues[ant * HALF + half];
    }
}

/// Keeps `count` cities from `head` on for the next dispatch.
fn store_queue(ant: u32, lane: u32, head: u32, count: u32) {
    for (var half = lane; half * 2u < count; half += LANES) {
        let low = queue_slot((head + half * 2u) % params.cities);
        let high = queue_slot((head + half * 2u + 1u) % params.cities);
        queues[ant * HALF + half] = low | (high << 16u);
    }
}
