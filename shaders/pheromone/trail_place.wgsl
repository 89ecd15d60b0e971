// Where the trail of an edge is kept in an Ant Colony System with trails on all edges. First come the trails of candidate edges in the order of
// the lists, cities x candidates, whose rows steps read; then cities x cities for all other edges.
// The Rust side is in src/algorithm/acs.rs. The kernel that includes this declares `heuristic`, whose upper halves are the lists.

/// Set in the first entry of a city's list once an update has raised the trail of an edge from the city that is no candidate edge. While it is
/// not set, all those trails are equal to the first trail, so that no step has to read them or wear them down.
const FAR_RAISED: u32 = 0x8000u;

/// The index of the trail of an edge that is no candidate edge.
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
