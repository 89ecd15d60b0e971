// A step weighs the city's candidate list. Beyond it:
// - with trails on candidate edges alone, the city's unvisited neighbour in the best tour since the restart follows (the
//   nearer of two): the edge that would have the strongest trail, if trails were kept elsewhere; else the nearest city;
// - with trails on all edges (MATRIX), the city of greatest weight.

#include construct/found

/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> choice: array<u32>;
#if MATRIX
#include construct/weights
#else
/// cities x cities.
@group(0) @binding(8) var<storage, read> distances: array<u32>;
/// cities x (city before, city after) in the best tour since the restart.
@group(0) @binding(9) var<storage, read> links: array<vec2<u32>>;
#endif

/// Indices of options.
fn span() -> u32 {
    return params.candidates;
}

/// Options to ask for.
fn options() -> u32 {
    return params.candidates;
}

fn option(city: u32, i: u32) -> Found {
    let entry = choice[city * params.candidates + i];
    let other = entry >> 16u;
    return Found(select(other, NONE, is_visited(other)), entry & 0xFFFFu, i);
}

/// The option with an index.
fn indexed(city: u32, index: u32) -> Found {
    return option(city, index);
}

/// The city of an option.
fn city_of(city: u32, index: u32) -> u32 {
    return choice[city * params.candidates + index] >> 16u;
}

#if MATRIX
/// Where an ant without candidates goes first of all.
fn shortcut(city: u32) -> u32 {
    return NONE;
}

/// What an ant without candidates wants little of.
fn burden(city: u32, other: u32) -> u32 {
    return 0xFFFFu - weight_at(city, other);
}
#else
fn shortcut(city: u32) -> u32 {
    let link = links[city];
    let row = city * params.cities;
    let before = select(distances[row + link.x], NONE, params.directed == 1u || is_visited(link.x));
    let after = select(distances[row + link.y], NONE, is_visited(link.y));
    if before == NONE && after == NONE {
        return NONE;
    }
    return select(link.x, link.y, after < before);
}

fn burden(city: u32, other: u32) -> u32 {
    return distances[city * params.cities + other];
}
#endif

/// Before each step, and at the end, when the ant has come to a city.
fn arrive(city: u32, previous: u32, step: u32, lane: u32) {
}

/// After each step; for one invocation. Nothing happens.
fn walked(city: u32, next: u32, step: u32) {
}
