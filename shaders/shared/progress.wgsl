// How far one ant has come, so that a kernel with a loop budget can go on in the next dispatch.
// A tag is the number of the iteration, counted from 1, so that nothing needs to be cleared between iterations.
// The Rust side is `Progress` in src/kernels/shared/state.rs.

struct Progress {
    /// Iteration for which construction has begun.
    construct_begun: u32,
    /// Iteration for which construction is complete.
    construct_done: u32,
    /// Cities placed.
    step: u32,
    /// Iteration for which local search has begun.
    search_begun: u32,
    /// Iteration for which local search is complete.
    search_done: u32,
    /// Cities in the work queue.
    queued: u32,
    /// Rounds (of an assignment's search: iterations) and moves spent in this local search.
    rounds: u32,
    moves: u32,
    /// The work queue's first slot.
    head: u32,
    /// Of an assignment under search, as 64-bit numbers, low word first: its cost above that of the constructed one, and the
    /// least such cost so far.
    present_low: u32,
    present_high: u32,
    least_low: u32,
    least_high: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}
