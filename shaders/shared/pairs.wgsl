// Edges that stay in every tour: the first `params.paired` cities are joined two and two, 0 with 1, 2 with 3.

fn is_pair(a: u32, b: u32) -> bool {
    return ((a ^ 1u) == b) & (a < params.paired);
}
