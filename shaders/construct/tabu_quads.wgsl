// Visited cities as a bitmask, a word in each lane: the lane that weighs four cities in a turn keeps their bits, from those of its
// first turn on. A crew of c lanes has room for 32 c cities.

var<private> own: u32;

/// Before the crew's first step; the bits behind the last city count as visited.
fn tabu_begin(lane: u32) {
    own = 0u;
    for (var turn = 0u; turn < 8u; turn++) {
        let first = (turn * CREW + lane) * 4u;
        let real = clamp(params.cities, first, first + 4u) - first;
        own |= ((15u << real) & 15u) << (turn * 4u);
    }
}

/// Which of four cities are not visited: bits 0 to 3; for the lane that weighs them.
fn unvisited_quad(quad: u32) -> u32 {
    return ~own >> (quad / CREW * 4u);
}

/// Marks a city as visited; for all lanes.
fn mark_together(city: u32, lane: u32) {
    let quad = city >> 2u;
    own |= select(0u, 1u << (quad / CREW * 4u + (city & 3u)), quad % CREW == lane);
}

fn crew_load(ant: u32, lane: u32) {
    own = tabu_kept[ant * params.tabu_words + lane];
}

fn crew_store(ant: u32, lane: u32) {
    tabu_kept[ant * params.tabu_words + lane] = own;
}
