// A tour under local search as an array, with the position of each city. The modules in array_tour/ say where it is held, and which cities
// wait for a look. The Rust side is src/kernels/shared/array_tour.rs.
// The kernel that includes this has LANES and CITIES, and `params.cities`; where tours have sizes of their own (OWN_SIZE), `own.cities`.

#if TOUR_IN_STORAGE
#include shared/array_tour/tour_in_storage
#else
#if TOUR_IN_WORDS
#include shared/array_tour/tour_in_words
#else
#include shared/array_tour/tour_in_workgroup
#endif
#endif

/// Cities of the tour.
fn tour_size() -> u32 {
#if OWN_SIZE
    return own.cities;
#else
    return params.cities;
#endif
}

/// Makes what lanes wrote to tour and queue visible to all. A tour in storage comes with QUEUE_IN_STORAGE.
fn barrier() {
#if QUEUE_IN_STORAGE
    storageBarrier();
#endif
    workgroupBarrier();
}

fn step_from(city: u32, forward: bool) -> u32 {
    let at = position_of(city);
    let last = tour_size() - 1u;
    let onwards = select(at + 1u, 0u, at == last);
    let back = select(at - 1u, last, at == 0u);
    return city_at(select(back, onwards, forward));
}

/// A position, or a slot of a ring of all cities, that may be up to one turn too far.
fn ring(position: u32) -> u32 {
    return select(position, position - tour_size(), position >= tour_size());
}
