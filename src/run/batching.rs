//! How an iteration is cut into submissions.

/// How an iteration is cut that takes longer than a submission should.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Batching {
    /// Ants in a range, and calls in a submission.
    pub ants: u32,
    pub calls: usize,
    /// How many times a submission's time a range of ants may take before ranges stop growing: a GPU takes as long for a
    /// few ants as for many, and a range's calls can be submitted one by one.
    pub patience: u32,
    /// In the present iteration: how many ants have tours, the end of the present range of ants, and how many of its calls are made.
    pub done: u32,
    pub end: u32,
    pub calls_done: usize,
    /// Seconds that the iteration under way has taken, and its present range, on a backend that interrupts calls.
    pub seconds: f64,
    pub range_seconds: f64,
}

impl Batching {
    /// For a first, unmeasured iteration.
    pub(super) fn new(wide: bool) -> Self {
        let (ants, patience) = if wide { (1024, 16) } else { (1, 1) };
        Self { ants, calls: 1, patience, done: 0, end: 0, calls_done: 0, seconds: 0.0, range_seconds: 0.0 }
    }

    /// Learns from the seconds that a submission took, which should be `aim`.
    pub(super) fn judge(&mut self, took: f64, aim: f64) {
        if took * 2.0 < aim {
            self.calls = self.calls.saturating_mul(2);
        } else if took > aim * 2.0 {
            if self.calls == 1 {
                self.ants = (self.ants / 2).max(1);
            }
            self.calls = (self.calls / 2).max(1);
        }
    }
}
