// Entropy of the trails, for recombine.wgsl; edges to no neighbour have no trail and count as if no tour had them but those that do.

#include eax/edge_counts

/// In how many tours an edge is; `missing` where it has no trail.
fn trail_of(a: u32, b: u32, missing: u32) -> u32 {
    let both = trails_at(a, b);
    let at = select(both.x, both.y, both.x == NONE);
    if at == NONE {
        return missing;
    }
    return trails[at];
}

fn entropy(count: u32) -> u32 {
    return trails[params.cities * params.neighbours + min(count, params.individuals)];
}

/// What the entropy loses, wrapping, when an edge comes to a tour, or goes from one.
fn loss_of(a: u32, b: u32, comes: bool) -> u32 {
    let count = trail_of(a, b, select(1u, 0u, comes));
    return entropy(count) - entropy(select(max(count, 1u) - 1u, count + 1u, comes));
}
