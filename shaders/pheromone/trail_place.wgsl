// Where an Ant Colony System with a trail on every edge has that of one: first come the trails of candidate edges in the order of
// the lists, cities x candidates, which a step reads as a row; then cities x cities for all other edges.
// The Rust side is in src/algorithm/acs.rs. The kernel that includes this declares `heuristic`, whose upper halves are the lists.

/// In the first entry of a city's list: an update has raised the trail of an edge from it that is no candidate. While none has, all
/// these are first trails, which nobody has to read or to wear down.
const FAR_RAISED: u32 = 0x8000u;

/// Where the trail of an edge lies that is no candidate.
fn far_place(city: u32, other: u32, cities: u32, candidates: u32) -> u32 {
    return cities * candidates + city * cities + other;
}

fn trail_place(city: u32, other: u32, cities: u32, candidates: u32) -> u32 {
    let row = city * candidates;
    for (var k = 0u; k < candidates; k++) {
        if heuristic[row + k] >> 16u == other {
            return row + k;
        }
    }
    return far_place(city, other, cities, candidates);
}
