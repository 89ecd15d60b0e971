// The cities that wait for a look, first in, first out; a bit for each says whether it is queued (don't-look bits).
// The kernel that includes this has array_tour, LANES, `params.cities` and `params.words`, and arrays of WORDS words of 32 bits and of HALF words of two cities, as many as its
// tours have or more.

/// Which cities are in the queue.
var<workgroup> queued: array<atomic<u32>, WORDS>;
/// The queue's ring: the slot after its last city, and how many cities wait.
var<workgroup> tail: u32;
var<workgroup> waiting: u32;

#if WINDOW
#else
/// Words of two cities each that the ring has.
fn queue_halves() -> u32 {
    return (params.cities + 1u) >> 1u;
}
#endif

#if QUEUE_IN_STORAGE
#include shared/array_tour/queue_in_storage
#else
#include shared/array_tour/queue_in_workgroup
#endif

/// Marks a city as queued; 1 when it was not.
fn mark(city: u32) -> u32 {
    let bit = 1u << (city & 31u);
    return select(0u, 1u, (atomicOr(&queued[city >> 5u], bit) & bit) == 0u);
}

/// Puts a city at the queue's end unless it is queued; for one lane.
fn enqueue(city: u32) {
    if mark(city) == 1u {
        set_queue_slot(tail, city);
        tail = ring(tail + 1u);
        waiting += 1u;
    }
}

/// Queues the marked cities, lowest first; how many there are.
fn queue_marked(lane: u32) -> u32 {
    workgroupBarrier();
    var count = 0u;
    for (var word = 0u; word < params.words; word++) {
        var bits = atomicLoad(&queued[word]);
        if lane == 0u {
            var slot = count;
            while bits != 0u {
                set_queue_slot(slot, word * 32u + firstTrailingBit(bits));
                bits &= bits - 1u;
                slot += 1u;
            }
        }
        count += countOneBits(atomicLoad(&queued[word]));
    }
    return count;
}

/// Lets so many queued cities from `head` on wait, and marks them.
fn wait_from(head: u32, count: u32, lane: u32) {
    if lane == 0u {
        tail = ring(head + count);
        waiting = count;
    }
    barrier();
    for (var i = lane; i < count; i += LANES) {
        let city = queue_slot(ring(head + i));
        atomicOr(&queued[city >> 5u], 1u << (city & 31u));
    }
    barrier();
}
