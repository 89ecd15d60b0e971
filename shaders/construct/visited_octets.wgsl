// Visited cities as a bitmask in two registers of each lane. A lane keeps the bits of the cities that it weighs, eight at a time: those of
// its first four turns in one word, those of the next four in the other. A crew of c lanes has room for 64 c cities.

var<private> own: vec2<u32>;

/// Before the crew's first step; the bits behind the last city count as visited.
fn visited_begin(lane: u32) {
    own = vec2<u32>(0u);
    for (var turn = 0u; turn < 4u; turn++) {
        let first = ((turn + vec2<u32>(0u, 4u)) * CREW + lane) * 8u;
        let real = clamp(vec2<u32>(params.cities), first, first + 8u) - first;
        own |= ((vec2<u32>(255u) << real) & vec2<u32>(255u)) << vec2<u32>(turn * 8u);
    }
}

/// Which cities of an octet are not visited: bits 0 to 7, others behind them; for the lane that weighs them, or would.
fn unvisited_octet(octet: u32) -> u32 {
    let turn = octet / CREW;
    return ~select(own.x, own.y, turn > 3u) >> ((turn & 3u) * 8u);
}

/// Marks a city as visited; for all lanes.
fn mark_together(city: u32, lane: u32) {
    let octet = city >> 3u;
    let turn = octet / CREW;
    let bit = select(0u, 1u << ((turn & 3u) * 8u + (city & 7u)), octet % CREW == lane);
    own |= select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), turn > 3u);
}

fn crew_load(ant: u32, lane: u32) {
    let kept = ant * params.visited_words + lane;
    own = vec2<u32>(visited_kept[kept], visited_kept[kept + CREW]);
}

fn crew_store(ant: u32, lane: u32) {
    let kept = ant * params.visited_words + lane;
    visited_kept[kept] = own.x;
    visited_kept[kept + CREW] = own.y;
}
