//! How an iteration is cut into submissions, and how long these take.

use std::ops::Range;

/// How long iterations take, and so into what they are cut.
pub(super) struct Pace {
    pub batching: Batching,
    /// Seconds an iteration takes; `None` until one was measured whole.
    pub iteration_seconds: Option<f64>,
    pub longest_submission: f64,
}

impl Pace {
    /// That of a colony of which no iteration was measured yet, on a wide device or another.
    pub fn unmeasured(wide: bool) -> Self {
        Self { batching: Batching::new(wide), iteration_seconds: None, longest_submission: 0.0 }
    }

    /// The same behind another colony of the run.
    pub fn begin_again(&mut self, wide: bool) {
        (self.batching, self.iteration_seconds) = (Batching::new(wide), None);
    }

    /// Takes note of the seconds that an iteration took.
    pub fn measured(&mut self, seconds: f64) {
        self.iteration_seconds = Some(self.iteration_seconds.map_or(seconds, |before| 0.5 * (before + seconds)));
    }

    /// Takes note of the seconds that a submission took.
    pub fn submitted(&mut self, seconds: f64) {
        self.longest_submission = self.longest_submission.max(seconds);
    }
}

/// How an iteration is cut that takes longer than a submission should.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Batching {
    /// Ants in a range, and calls in a submission: of a range, and of those that end an iteration.
    pub ants: u32,
    pub calls: usize,
    pub end_calls: usize,
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
        Self {
            ants,
            calls: 1,
            end_calls: 1,
            patience,
            done: 0,
            end: 0,
            calls_done: 0,
            seconds: 0.0,
            range_seconds: 0.0,
        }
    }

    /// Whether no iteration is under way.
    pub(super) fn is_between_iterations(&self) -> bool {
        (self.done, self.end, self.calls_done) == (0, 0, 0)
    }

    /// The range of ants under way, of so many; a new one of at least `fewest` where none is.
    pub(super) fn range(&mut self, ants: u32, fewest: u32) -> Range<u32> {
        if self.end <= self.done {
            self.end = self.done.saturating_add(self.ants.max(fewest)).min(ants);
        }
        self.done..self.end
    }

    /// Ends that range; the next ones are twice as long where it was short.
    pub(super) fn end_range(&mut self, was_short: bool, fewest: u32) {
        if was_short {
            self.ants = self.ants.max(fewest).saturating_mul(2);
        }
        (self.done, self.calls_done) = (self.end, 0);
    }

    /// Ends the iteration.
    pub(super) fn end_iteration(&mut self) {
        (self.done, self.end, self.calls_done) = (0, 0, 0);
    }

    /// Learns from the seconds that a submission took, which should be `aim`.
    pub(super) fn judge(&mut self, took: f64, aim: f64) {
        if took > aim * 2.0 && self.calls == 1 {
            self.ants = (self.ants / 2).max(1);
        }
        adapt(&mut self.calls, took, aim);
    }

    /// The same of calls that end an iteration.
    pub(super) fn judge_end(&mut self, took: f64, aim: f64) {
        adapt(&mut self.end_calls, took, aim);
    }
}

/// Twice as many calls where they were short, half as many where they were long.
fn adapt(calls: &mut usize, took: f64, aim: f64) {
    if took * 2.0 < aim {
        *calls = calls.saturating_mul(2);
    } else if took > aim * 2.0 {
        *calls = (*calls / 2).max(1);
    }
}
