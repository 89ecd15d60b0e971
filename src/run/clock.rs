//! The time of a run, which counts on when it is resumed.

use std::time::Duration;

use web_time::Instant;

/// When a solver was made, and the seconds that the run had taken before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub began: Instant,
    pub before: f64,
}

impl Clock {
    /// That of a run which began at `began`.
    pub fn new(began: Instant) -> Self {
        Self { began, before: 0.0 }
    }

    /// Seconds that the run has taken, earlier ones included.
    pub fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    /// The moment at which it had taken so many; `began` for those before, and for more than there can be.
    pub fn moment(&self, seconds: f64) -> Instant {
        let since = Duration::try_from_secs_f64(seconds - self.before).unwrap_or_default();
        self.began.checked_add(since).unwrap_or(self.began)
    }
}
