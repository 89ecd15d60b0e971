// What local searches on whole tours stand on: the tour as an array with the position of each city, and a first-in first-out work
// queue of cities that don't-look bits guard. Where both are held: array_tour/. The Rust side is src/kernels/array_tour.rs.
// The kernel that includes this has LANES, CITIES, HALF and WORDS, and `params.cities`.

/// Which cities are in the queue.
var<workgroup> queued: array<atomic<u32>, WORDS>;
/// The queue's ring: the slot after its last city, and how many cities wait.
var<workgroup> tail: u32;
var<workgroup> waiting: u32;

#if TOUR_IN_STORAGE
#include tsp/array_tour/tour_in_storage
#else
#include tsp/array_tour/tour_in_workgroup
#endif
#if QUEUE_IN_STORAGE
#include tsp/array_tour/queue_in_storage
#else
#include tsp/array_tour/queue_in_workgroup
#endif

/// Makes what lanes wrote to tour and queue visible to all.
fn barrier() {
#if QUEUE_IN_STORAGE
    storageBarrier();
#endif
    workgroupBarrier();
}

fn step_from(city: u32, forward: bool) -> u32 {
    let at = position_of(city);
    let last = params.cities - 1u;
    if forward {
        return city_at(select(at + 1u, 0u, at == last));
    }
    return city_at(select(at - 1u, last, at == 0u));
}

/// `slot` of the ring, which may be up to one turn too far.
fn ring(slot: u32) -> u32 {
    return select(slot, slot - params.cities, slot >= params.cities);
}

/// Marks a city as queued; 1 when it was not.
fn mark(city: u32) -> u32 {
    let bit = 1u << (city & 31u);
    return select(0u, 1u, (atomicOr(&queued[city >> 5u], bit) & bit) == 0u);
}
