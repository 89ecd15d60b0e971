// Where trails are kept: that of an edge is the number of ants whose tour has it. The includer has `neighbours` and `params`.

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
