// Visited cities as a bitmask: 1 bit a city. There is no list of the unvisited: each city is a candidate or NONE.

/// Before the crew's first step; the bits behind the last city count as visited.
fn visited_begin(lane: u32) {
    for (var first = 0u; first < params.visited_words; first += CREW) {
        let word = min(first + lane, params.visited_words - 1u);
        let real = min(params.cities - word * 32u, 32u);
        visited_store(word, select(NONE << real, 0u, real == 32u));
    }
}

fn is_visited(city: u32) -> bool {
    return (visited_load(city >> 5u) & (1u << (city & 31u))) != 0u;
}

/// Which of the cities 2 `pair` and 2 `pair` + 1 are not visited: bits 0 and 1.
fn unvisited_pair(pair: u32) -> u32 {
    return (~visited_load(pair >> 4u) >> ((pair & 15u) * 2u)) & 3u;
}

/// Which cities of an octet, eight of them, are not visited: bits 0 to 7, others behind them; none behind the last octet.
fn unvisited_octet(octet: u32) -> u32 {
    let word = octet >> 2u;
    let bits = ~visited_load(min(word, params.visited_words - 1u)) >> ((octet & 3u) * 8u);
    return select(0u, bits, word < params.visited_words);
}

/// Marks a city as visited when `count` cities are; for one invocation.
fn mark(city: u32, count: u32) {
    visited_add(city >> 5u, 1u << (city & 31u));
}

/// The same by all invocations of a subgroup. Each sees at once what it has marked itself, and none is a step ahead, since all take part in
/// the same reductions. So all read the same word and write the same one.
fn mark_together(city: u32, lane: u32) {
    let word = city >> 5u;
    visited_store(word, visited_load(word) | (1u << (city & 31u)));
}

/// Candidates to ask for.
fn visited_length() -> u32 {
    return params.cities;
}

/// A city that is not visited, or NONE; over all candidates each unvisited city comes once.
fn visited_candidate(index: u32) -> u32 {
    return select(index, NONE, is_visited(index));
}
