// The distance of two cities by their whole coordinates: Euclidean in the plane, or along both axes together (MANHATTAN), along the axis where
// they lie farther apart (MAXIMUM), in space (SPACE).

/// Whether a city is the gap of an open path.
override GAP: u32 = 0u;

/// What the distances from a city follow from.
alias Site = vec2<i32>;

#if SPACE
#include shared/space

fn measured(a: Site, b: Site) -> u32 {
    return in_space(a, b);
}
#else
#if MANHATTAN
fn measured(a: Site, b: Site) -> u32 {
    let apart = vec2<u32>(abs(a - b));
    return apart.x + apart.y;
}
#else
#if MAXIMUM
fn measured(a: Site, b: Site) -> u32 {
    let apart = vec2<u32>(abs(a - b));
    return max(apart.x, apart.y);
}
#else
#include shared/euclidean

fn measured(a: Site, b: Site) -> u32 {
    return euclidean(a - b);
}
#endif
#endif
#endif

fn distance_between(a: Site, b: Site) -> u32 {
    // The gap of an open path lies where no city does, and is at distance 0 from all.
    return select(measured(a, b), 0u, (GAP != 0u) & ((a.x | b.x) < 0));
}
