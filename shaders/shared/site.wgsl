// The distance of two cities by their whole coordinates: Euclidean in the plane, or along both axes together (MANHATTAN), along the axis where
// they lie farther apart (MAXIMUM), in space (SPACE).

#if SPACE
#include shared/space
#else
#if MANHATTAN
#else
#if MAXIMUM
#else
#include shared/euclidean
#endif
#endif
#endif

/// Whether a city is the gap of an open path.
override GAP: u32 = 0u;

/// What the distances from a city follow from.
alias Site = vec2<i32>;

#if MANHATTAN
fn along_axes(apart: vec2<u32>) -> u32 {
    return apart.x + apart.y;
}
#endif
#if MAXIMUM
fn along_axes(apart: vec2<u32>) -> u32 {
    return max(apart.x, apart.y);
}
#endif

fn distance_between(a: Site, b: Site) -> u32 {
    // The gap of an open path lies where no city does, and is at distance 0 from all.
    let to_gap = (GAP != 0u) & ((a.x | b.x) < 0);
#if SPACE
    return select(in_space(a, b), 0u, to_gap);
#else
#if MANHATTAN
    return select(along_axes(vec2<u32>(abs(a - b))), 0u, to_gap);
#else
#if MAXIMUM
    return select(along_axes(vec2<u32>(abs(a - b))), 0u, to_gap);
#else
    return select(euclidean(a - b), 0u, to_gap);
#endif
#endif
#endif
}
