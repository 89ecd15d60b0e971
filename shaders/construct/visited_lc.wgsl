// Visited cities by list compression (Skinderowicz 2020, section 4.1): 4 bytes a city. First comes the list of unvisited cities, then for
// each city its index in that list. The index of a visited city lies behind the list's end.

#include construct/visited_halves

/// Before the crew's first step.
fn visited_begin(lane: u32) {
    let list_words = (params.cities + 1u) / 2u;
    for (var word = lane; word < list_words; word += CREW) {
        let pair = (word * 2u) | ((word * 2u + 1u) << 16u);
        visited_store(word, pair);
        visited_store(list_words + word, pair);
    }
}

fn place_of(city: u32) -> u32 {
    return half_at((params.cities + 1u) / 2u * 2u + city);
}

fn is_visited(city: u32) -> bool {
    return place_of(city) >= params.cities - visited_count;
}

/// Which of the cities 2 `pair` and 2 `pair` + 1 are not visited: bits 0 and 1. One behind the last has its number for a place, which no list reaches.
fn unvisited_pair(pair: u32) -> u32 {
    let places = visited_load((params.cities + 1u) / 2u + pair);
    let listed = params.cities - visited_count;
    return select(0u, 1u, (places & 0xFFFFu) < listed) | select(0u, 2u, (places >> 16u) < listed);
}

/// Marks a city as visited when `count` cities are; for one invocation. The list's last city moves to its slot.
fn mark(city: u32, count: u32) {
    let places = (params.cities + 1u) / 2u * 2u;
    let last_place = params.cities - count - 1u;
    let last = half_at(last_place);
    let place = half_at(places + city);
    set_half(place, last);
    set_half(places + last, place);
    set_half(places + city, last_place);
}

/// Candidates to ask for.
fn visited_length() -> u32 {
    return params.cities - visited_count;
}

/// An unvisited city; over all candidates each comes once.
fn visited_candidate(index: u32) -> u32 {
    return half_at(index);
}
