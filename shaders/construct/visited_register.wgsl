// Visited cities as a bitmask, a word in a register of each lane, for a crew that is one subgroup. A lane gets a word from the lane that
// has it, so all lanes have to ask at the same time.

var<private> own: u32;

/// The word of the lane that asks.
fn visited_load(word: u32) -> u32 {
    return own;
}

/// Before the crew's first step; the bits behind the last city count as visited.
fn visited_begin(lane: u32) {
    let real = clamp(params.cities, lane * 32u, lane * 32u + 32u) - lane * 32u;
    own = select(NONE << real, 0u, real == 32u);
}

fn is_visited(city: u32) -> bool {
    return (subgroupShuffle(own, city >> 5u) & (1u << (city & 31u))) != 0u;
}

/// Marks a city as visited; for all lanes.
fn mark_together(city: u32, lane: u32) {
    own |= select(0u, 1u << (city & 31u), city >> 5u == lane);
}

fn crew_load(ant: u32, lane: u32) {
    if lane < params.visited_words {
        own = visited_kept[ant * params.visited_words + lane];
    }
}

fn crew_store(ant: u32, lane: u32) {
    if lane < params.visited_words {
        visited_kept[ant * params.visited_words + lane] = own;
    }
}
