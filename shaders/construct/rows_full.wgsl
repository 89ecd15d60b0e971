// A step weighs all unvisited cities: no candidate lists.

#include construct/found
#include construct/weights

/// Indices of options: cities.
fn span() -> u32 {
    return params.cities;
}

#if OCTETS
#else
/// Options to ask for.
fn options() -> u32 {
    return visited_length();
}

fn option(city: u32, i: u32) -> Found {
    let other = visited_candidate(i);
    return Found(other, other != NONE, weight_at(city, min(other, params.cities - 1u)), other);
}
#endif

/// When it is known that the ant goes to a city, before it arrives there.
fn look_ahead(city: u32, lane: u32) {
}

/// Before each step, and where the tour ends and begins, when the ant has come to a city.
fn arrive(city: u32, lane: u32) {
}

#include construct/rows_still
