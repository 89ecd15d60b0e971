// The colony's state, kept on the device; the host reads these 64 bytes now and then.
// The Rust side is `State` in src/kernels/shared/state.rs. Costs are 64-bit numbers, low word first.

/// A construction did not end within its dispatches.
const UNFINISHED_CONSTRUCTION: u32 = 1u;
/// A local search, or the recombination of a pair, did not end within its dispatches.
const UNFINISHED_SEARCH: u32 = 2u;
/// Paths in their new order were no tour.
const NO_TOUR: u32 = 4u;
/// The choice among windows did not end within its loop budget.
const UNFINISHED_CHOICE: u32 = 8u;

struct State {
    /// Iterations completed.
    iteration: u32,
    /// Iteration (counted from 1) that found the best tour; 0 for the starting tour.
    best_iteration: u32,
    /// Iterations completed when the trails were last set to their upper limit.
    restart_start: u32,
    /// Iteration that last improved the best tour since then.
    restart_improved: u32,
    best_cost: vec2<u32>,
    restart_cost: vec2<u32>,
    iteration_cost: vec2<u32>,
    /// What the next trail update adds to each edge of the depositing tour.
    deposit: u32,
    /// 1 when the next trail update sets each trail to its upper limit instead.
    reset: u32,
    trail_max: u32,
    trail_min: u32,
    /// How often the trails were re-initialised.
    restarts: u32,
    /// 0, or the bits above.
    failures: u32,
}
