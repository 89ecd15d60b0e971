// How far a Lin-Kernighan search of a whole tour has come. The Rust side is `SearchProgress` in src/kernels/lin_kernighan/mod.rs.

struct SearchProgress {
    /// Iteration for which the search has begun, and for which it is complete.
    begun: u32,
    done: u32,
    /// Cities looked at so far, and steps made.
    looks: u32,
    steps: u32,
    /// The work queue's first slot, and the cities in it.
    head: u32,
    waiting: u32,
    padding: array<u32, 7>,
}
