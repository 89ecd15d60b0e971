// How far a search along neighbour lists has come. The Rust side is `SearchProgress` in src/kernels/two_opt/mod.rs.

struct SearchProgress {
    /// Iteration for which the search has begun, and for which it is complete.
    begun: u32,
    done: u32,
    /// Rounds and moves so far.
    rounds: u32,
    moves: u32,
    padding: array<u32, 9>,
}
