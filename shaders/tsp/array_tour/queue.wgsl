// The cities that wait for a look, first in, first out; a bit for each says whether it is queued (don't-look bits).
// The kernel that includes this has array_tour, WORDS and HALF.

/// Which cities are in the queue.
var<workgroup> queued: array<atomic<u32>, WORDS>;
/// The queue's ring: the slot after its last city, and how many cities wait.
var<workgroup> tail: u32;
var<workgroup> waiting: u32;

#if QUEUE_IN_STORAGE
#include tsp/array_tour/queue_in_storage
#else
#include tsp/array_tour/queue_in_workgroup
#endif

/// Marks a city as queued; 1 when it was not.
fn mark(city: u32) -> u32 {
    let bit = 1u << (city & 31u);
    return select(0u, 1u, (atomicOr(&queued[city >> 5u], bit) & bit) == 0u);
}
