//! The colony's state, as kernels and the host share it.

use crate::wgsl::{block, constant};

block! {
    /// The colony's state on the device; `shaders/shared/state.wgsl` documents the fields. Costs: low word, high word.
    pub struct State {
        pub iteration: u32,
        pub best_iteration: u32,
        pub restart_start: u32,
        pub restart_improved: u32,
        pub best_cost: [u32; 2],
        pub restart_cost: [u32; 2],
        pub iteration_cost: [u32; 2],
        pub deposit: u32,
        pub reset: u32,
        pub trail_max: u32,
        pub trail_min: u32,
        pub restarts: u32,
        pub failures: u32,
    }
}

/// A construction did not end within its dispatches, in [`State::failures`].
pub const UNFINISHED_CONSTRUCTION: u32 = constant!("shared/state", "UNFINISHED_CONSTRUCTION");
/// A local search, or the recombination of a pair, did not.
pub const UNFINISHED_SEARCH: u32 = constant!("shared/state", "UNFINISHED_SEARCH");
/// Paths in their new order were no tour.
pub const NO_TOUR: u32 = constant!("shared/state", "NO_TOUR");
/// The choice among windows did not end within its loop budget.
pub const UNFINISHED_CHOICE: u32 = constant!("shared/state", "UNFINISHED_CHOICE");

/// Words in a [`State`].
pub const STATE_WORDS: usize = size_of::<State>() / 4;

impl State {
    /// The state in a buffer's first words.
    pub fn from_words(words: &[u32]) -> Self {
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words[..STATE_WORDS]))
    }

    /// Whether kernels may have written it.
    pub fn is_sound(&self) -> bool {
        // The best one may have come from a colony that is ahead.
        let restarted = [self.restart_start, self.restart_improved];
        restarted.iter().all(|iteration| *iteration <= self.iteration) && self.trail_min <= self.trail_max
    }

    /// The state as words.
    pub fn words(&self) -> &[u32] {
        bytemuck::cast_slice(std::slice::from_ref(self))
    }

    /// Notes a better solution from outside, between two iterations: the best so far, found by `iteration`, and the best since the
    /// restart.
    pub fn take_over(&mut self, cost: u64, iteration: u32) {
        self.best_cost = split(cost);
        self.best_iteration = iteration;
        self.restart_cost = split(cost);
        self.restart_improved = self.iteration;
    }

    /// The state in a buffer's first words for writing: the view a twin has of the state buffer.
    pub fn view_mut(words: &mut [u32]) -> &mut Self {
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut words[..STATE_WORDS]))
    }
}

/// A 64-bit number as low and high word.
pub fn split(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The number that [`split`] took apart.
pub fn join(words: [u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}
