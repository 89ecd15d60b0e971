// Visited cities as a bitmask, two words in each lane: the lane that weighs four cities at a time, two such quads in a turn, keeps the
// bits of the first in one word and of the second in the other, from those of its first turn on. A crew of c lanes has room for 64 c
// cities.

var<private> own: vec2<u32>;

/// Before the crew's first step; the bits behind the last city count as visited.
fn tabu_begin(lane: u32) {
    own = vec2<u32>(0u);
    for (var turn = 0u; turn < 8u; turn++) {
        let first = (2u * turn * CREW + lane + vec2<u32>(0u, CREW)) * 4u;
        let real = clamp(vec2<u32>(params.cities), first, first + 4u) - first;
        own |= ((vec2<u32>(15u) << real) & vec2<u32>(15u)) << vec2<u32>(turn * 4u);
    }
}

/// Which cities of a quad and of the one a crew further on are not visited: bits 0 to 3; for the lane that weighs them.
fn unvisited_quads(quad: u32) -> vec2<u32> {
    return ~own >> vec2<u32>(quad / (2u * CREW) * 4u);
}

/// Marks a city as visited; for all lanes.
fn mark_together(city: u32, lane: u32) {
    let quad = city >> 2u;
    let bit = select(0u, 1u << (quad / (2u * CREW) * 4u + (city & 3u)), quad % CREW == lane);
    let second = (quad / CREW) % 2u == 1u;
    own |= select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), second);
}

fn crew_load(ant: u32, lane: u32) {
    let kept = ant * params.tabu_words + lane;
    own = vec2<u32>(tabu_kept[kept], tabu_kept[kept + CREW]);
}

fn crew_store(ant: u32, lane: u32) {
    let kept = ant * params.tabu_words + lane;
    tabu_kept[kept] = own.x;
    tabu_kept[kept + CREW] = own.y;
}
