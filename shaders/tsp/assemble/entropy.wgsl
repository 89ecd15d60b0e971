// Entropy of the trails, for assemble.wgsl; edges to no neighbour have no trail and count as if no tour had them but those that do.

#include tsp/assemble/trails

/// In how many tours an edge is; `missing` where it has no trail.
fn trail_of(a: u32, b: u32, missing: u32) -> u32 {
    var at = trail_at(a, b);
    if at == NONE {
        at = trail_at(b, a);
    }
    if at == NONE {
        return missing;
    }
    return trails[at];
}

fn entropy(count: u32) -> u32 {
    return trails[params.cities * params.neighbours + min(count, params.ants)];
}

/// What the entropy loses, wrapping, when an edge goes from a tour.
fn loss_without(a: u32, b: u32) -> u32 {
    let count = trail_of(a, b, 1u);
    return entropy(count) - entropy(max(count, 1u) - 1u);
}

/// What it loses when one comes.
fn loss_with(a: u32, b: u32) -> u32 {
    let count = trail_of(a, b, 0u);
    return entropy(count) - entropy(count + 1u);
}
