// Entropy of the trails: the trail of an edge is the number of ants whose tour has it. For assemble.wgsl; only edges to neighbours have
// trails, others count as if no tour had them but those that do.

fn neighbour(city: u32, rank: u32) -> u32 {
    return neighbours[2u * params.pairs * city + rank].x;
}

/// Where the trail of an edge is kept at its first city; NONE where the second is no neighbour. Four neighbours are asked for together.
fn trail_at(city: u32, other: u32) -> u32 {
    let last = params.neighbours - 1u;
    var at = NONE;
    for (var rank = 0u; rank < params.neighbours; rank += 4u) {
        let ranks = min(vec4<u32>(rank, rank + 1u, rank + 2u, rank + 3u), vec4<u32>(last));
        let here = vec4<u32>(
            neighbour(city, ranks.x),
            neighbour(city, ranks.y),
            neighbour(city, ranks.z),
            neighbour(city, ranks.w),
        );
        at = select(at, ranks.x, here.x == other);
        at = select(at, ranks.y, here.y == other);
        at = select(at, ranks.z, here.z == other);
        at = select(at, ranks.w, here.w == other);
    }
    return select(city * params.neighbours + at, NONE, at == NONE);
}

/// In how many tours an edge is; `missing` where it has no trail.
fn trail_of(a: u32, b: u32, missing: u32) -> u32 {
    var at = trail_at(a, b);
    if at == NONE {
        at = trail_at(b, a);
    }
    if at == NONE {
        return missing;
    }
    return trails[at];
}

fn entropy(count: u32) -> u32 {
    return trails[params.cities * params.neighbours + min(count, params.ants)];
}

/// What the entropy loses, wrapping, when an edge goes from a tour.
fn loss_without(a: u32, b: u32) -> u32 {
    let count = trail_of(a, b, 1u);
    return entropy(count) - entropy(max(count, 1u) - 1u);
}

/// What it loses when one comes.
fn loss_with(a: u32, b: u32) -> u32 {
    let count = trail_of(a, b, 0u);
    return entropy(count) - entropy(count + 1u);
}
