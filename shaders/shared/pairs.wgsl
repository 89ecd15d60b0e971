// Edges that stay in every tour: the first `params.paired` cities are joined two and two, 0 with 1, 2 with 3.

/// Whether there are such edges: known when the kernel is compiled, so that others do without the question.
override PAIRS: u32 = 0u;

fn is_pair(a: u32, b: u32) -> bool {
    return (PAIRS != 0u) & ((a ^ 1u) == b) & (a < params.paired);
}
