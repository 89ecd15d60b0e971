// Where trails are kept: that of an edge is the number of individuals whose tour has it. The includer has `neighbours` and `params`.

fn neighbour(city: u32, rank: u32) -> u32 {
    return neighbours[2u * params.pairs * city + rank].x;
}

/// The rank of a neighbour of a city among these four; else the one `before`.
fn rank_among(city: u32, other: u32, ranks: vec4<u32>, before: u32) -> u32 {
    let here = vec4<u32>(
        neighbour(city, ranks.x),
        neighbour(city, ranks.y),
        neighbour(city, ranks.z),
        neighbour(city, ranks.w),
    );
    var rank = select(before, ranks.x, here.x == other);
    rank = select(rank, ranks.y, here.y == other);
    rank = select(rank, ranks.z, here.z == other);
    return select(rank, ranks.w, here.w == other);
}

/// Where the trail of an edge is kept at its first city and at its second; NONE where the other is no neighbour. Four neighbours of
/// each are asked for together, and the loop is not left early: reads that do not wait for each other.
fn trails_at(a: u32, b: u32) -> vec2<u32> {
    let last = vec4<u32>(params.neighbours - 1u);
    var rank = vec2<u32>(NONE);
    for (var first = 0u; first < params.neighbours; first += 4u) {
        let ranks = min(vec4<u32>(first, first + 1u, first + 2u, first + 3u), last);
        rank = vec2<u32>(rank_among(a, b, ranks, rank.x), rank_among(b, a, ranks, rank.y));
    }
    let at = vec2<u32>(a, b) * params.neighbours + rank;
    return select(at, vec2<u32>(NONE), rank == vec2<u32>(NONE));
}
