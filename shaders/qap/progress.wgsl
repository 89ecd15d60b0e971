// How far the search of an assignment has come. The Rust side is `SearchProgress` in src/kernels/qap/tabu_search/mod.rs.

struct SearchProgress {
    /// Iteration for which the search has begun, and for which it is complete.
    begun: u32,
    done: u32,
    /// Iterations of the search and moves so far.
    iterations: u32,
    moves: u32,
    /// As 64-bit numbers, low word first: the present cost above that of the constructed assignment, and the least such cost so far.
    present_low: u32,
    present_high: u32,
    least_low: u32,
    least_high: u32,
    padding: array<u32, 5>,
}
