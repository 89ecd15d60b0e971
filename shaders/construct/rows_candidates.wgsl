// A step weighs the city's candidate list. Beyond it:
// - with trails on candidate edges alone, the city's unvisited neighbour in the best tour since the restart follows (the
//   nearer of two): the edge that would have the strongest trail, if trails were kept elsewhere; else the nearest city,
//   which is looked for among the nearest that are no candidates before all are looked at;
// - with trails on all edges (MATRIX), the city of greatest weight.

#include construct/found

/// cities x candidates: city in the upper, selection weight in the lower 16 bits.
@group(0) @binding(7) var<storage, read> choice: array<u32>;
#if MATRIX
#include construct/weights
#else
/// See tsp/distance.wgsl; then cities x pairs of the nearest cities that are no candidates, nearest first.
@group(0) @binding(8) var<storage, read> distances: array<u32>;
/// cities x (city before, city after) in the best tour since the restart.
@group(0) @binding(9) var<storage, read> links: array<vec2<u32>>;

#include tsp/distance
#endif

#include construct/rows_listed

fn option(city: u32, i: u32) -> Found {
    let entry = choice[city * span() + i];
    let other = entry >> 16u;
    return Found(other, !is_visited(other), entry & 0xFFFFu, i);
}

#if MATRIX
/// Where an ant without candidates goes first of all.
fn shortcut(city: u32) -> u32 {
    return NONE;
}

/// The nearest unvisited city that is known without a look at all; NONE when there is none.
fn nearby(city: u32, lane: u32) -> u32 {
    return NONE;
}

/// What an ant without candidates wants little of.
fn burden(city: u32, other: u32) -> u32 {
    return 0xFFFFu - weight_at(city, other);
}
#else
/// Where an ant without candidates goes first of all.
fn shortcut(city: u32) -> u32 {
    let link = links[city];
    let free_before = !is_visited(link.x);
    let before = params.directed == 0u && free_before;
    let after = !is_visited(link.y);
    if before && after {
        return select(link.x, link.y, distance(city, link.y) < distance(city, link.x));
    }
    return select(select(NONE, link.y, after), link.x, before);
}

/// The nearest unvisited city that is known without a look at all; NONE when there is none.
fn nearby(city: u32, lane: u32) -> u32 {
    let row = behind_distances() + city * ((params.nearby + 1u) >> 1u);
    for (var first = 0u; first < params.nearby; first += CREW) {
        let rank = first + lane;
        let last = min(rank, params.nearby - 1u);
        let other = (distances[row + (last >> 1u)] >> ((last & 1u) * 16u)) & 0xFFFFu;
        let free = !is_visited(other) && rank < params.nearby;
        let found = least(lane, select(NONE, (rank << 16u) | other, free));
        if found != NONE {
            return found & 0xFFFFu;
        }
    }
    return NONE;
}

fn burden(city: u32, other: u32) -> u32 {
    return distance(city, other);
}
#endif

#include construct/rows_still
