// Visited cities by the compact list (Skinderowicz 2020, section 4.1): 2 bytes a city. While L cities are unvisited, the slots below L list
// them. For a city c of at least L, slot c tells where the list has c, or that c is visited. A city below L that is unvisited is in its own
// slot.

#include construct/visited_halves

/// In the slot of a visited city.
const GONE: u32 = 0xFFFFu;

/// Before the crew's first step.
fn visited_begin(lane: u32) {
    for (var word = lane; word < params.visited_words; word += CREW) {
        visited_store(word, (word * 2u) | ((word * 2u + 1u) << 16u));
    }
}

/// Whether the slot of a city tells that it is visited.
fn tells_visited(slot: u32, city: u32) -> bool {
    return slot != city && (slot == GONE || city < params.cities - visited_count);
}

fn is_visited(city: u32) -> bool {
    return tells_visited(half_at(city), city);
}

/// Which of the cities 2 `pair` and 2 `pair` + 1 are not visited: bits 0 and 1.
fn unvisited_pair(pair: u32) -> u32 {
    let slots = visited_load(pair);
    let second = pair * 2u + 1u;
    let no_second = tells_visited(slots >> 16u, second) || second == params.cities;
    return select(1u, 0u, tells_visited(slots & 0xFFFFu, pair * 2u)) | select(2u, 0u, no_second);
}

/// Marks a city as visited when `count` cities are; for one invocation. The list's last city moves to its slot.
fn mark(city: u32, count: u32) {
    let last_place = params.cities - count - 1u;
    let place = select(half_at(city), city, city <= last_place);
    let last = half_at(last_place);
    if place == last_place {
        set_half(last_place, GONE);
    } else {
        set_half(place, last);
        if last != last_place {
            // The city of this number was visited before, else it would be here.
            set_half(last_place, GONE);
        }
        set_half(last, place);
    }
    if city > last_place {
        set_half(city, GONE);
    }
}

/// Candidates to ask for.
fn visited_length() -> u32 {
    return params.cities - visited_count;
}

/// An unvisited city; over all candidates each comes once.
fn visited_candidate(index: u32) -> u32 {
    return half_at(index);
}
