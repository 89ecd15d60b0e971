// How far chained Lin-Kernighan search of a window or a whole tour has come, so that it can go on in the next dispatch. A tag is the number
// of the iteration, counted from 1. The Rust side is `ChainedProgress` in src/kernels/lin_kernighan/chained.rs; the buffer is as long as for
// ants that construct.

struct ChainedProgress {
    padding_a: u32,
    /// Iteration for which there is a tour, as `best` asks it of constructions.
    construct_done: u32,
    /// Reversals in the journal since the last kick.
    journalled: u32,
    /// Iteration for which the search has begun, and for which it is complete.
    search_begun: u32,
    search_done: u32,
    /// By how much the tour is shorter.
    gain: u32,
    /// Kicks, and steps spent.
    kicks: u32,
    steps: u32,
    /// The work queue's first slot.
    head: u32,
    /// What the present kick has added to the cost.
    cost: u32,
    /// What kind of kick is being searched; SETTLED when none is.
    kicked: u32,
    /// Cities in the work queue.
    waiting: u32,
    padding_c: u32,
    padding_d: u32,
    padding_e: u32,
    padding_f: u32,
}
