// What all local searches begin their progress with, for kernels that read no more of it, or nothing.

struct SearchProgress {
    /// Iteration for which the search has begun, and for which it is complete.
    begun: u32,
    done: u32,
    padding: array<u32, 11>,
}
