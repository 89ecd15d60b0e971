//! Calls of twins that end at a moment: units that have not ended by then keep what they have in hand, and the next call goes on with it.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use web_time::Instant;

/// What an interrupted call has done of its units.
#[derive(Default)]
pub(super) struct Interrupted {
    units: Mutex<HashMap<u32, Unit>>,
    /// What all units share, made when the call began.
    shared: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
    /// Whether a unit is left to be done.
    left: AtomicBool,
    /// Whether the twin has ever asked for the clock: then it looks at it within a call.
    watched: AtomicBool,
}

/// A unit of an interrupted call that has begun.
enum Unit {
    Done,
    /// What its twin goes on with.
    Begun(Box<dyn Any + Send>),
}

impl Interrupted {
    /// A clock for the next call, which ends at `until`.
    pub fn clock(&self, until: Option<Instant>) -> Clock<'_> {
        self.left.store(false, Ordering::Relaxed);
        Clock { until, goes_on: !self.units().is_empty(), interrupted: self }
    }

    /// Whether the last call has left something to be done; if not, nothing is kept for the next one.
    pub fn is_left(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if !left {
            self.units().clear();
            *self.shared() = None;
        }
        left
    }

    /// Whether the twin looks at the clock.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    fn units(&self) -> MutexGuard<'_, HashMap<u32, Unit>> {
        // A thread that panicked has left a map that is whole.
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared(&self) -> MutexGuard<'_, Option<Arc<dyn Any + Send + Sync>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a call of a twin is to end.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// `None`: when all is done.
    until: Option<Instant>,
    /// Whether the call before was interrupted.
    goes_on: bool,
    interrupted: &'a Interrupted,
}

impl Clock<'_> {
    /// The same, for a twin that looks at it.
    pub(super) fn watched(self) -> Self {
        self.interrupted.watched.store(true, Ordering::Relaxed);
        self
    }

    /// Whether the time is up. A look takes some 30 ns.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// What all units of a call share: made when it begins, and at hand again when it goes on after an interruption.
    pub fn shared<W: Any + Send + Sync>(&self, make: impl FnOnce() -> W) -> Arc<W> {
        let mut kept = self.interrupted.shared();
        // A twin's units share one type.
        let known = kept.as_ref().filter(|_| self.goes_on).and_then(|known| known.clone().downcast::<W>().ok());
        known.unwrap_or_else(|| {
            let made = Arc::new(make());
            *kept = Some(made.clone());
            made
        })
    }

    /// Does a unit's work, or what an interrupted call has left of it. `begin` makes what `work` goes on with from call to call; `work`
    /// says whether it has come to its end, and goes at least a step further each time.
    pub fn unit<W: Any + Send>(&self, unit: u32, begin: impl FnOnce() -> W, work: impl FnOnce(&mut W) -> bool) {
        if self.until.is_none() && !self.goes_on {
            let ended = work(&mut begin());
            debug_assert!(ended, "a unit stopped before its time was up");
            return;
        }
        let known = self.interrupted.units().remove(&unit);
        let begun = match known {
            Some(Unit::Done) => None,
            // A twin's units keep one type.
            Some(Unit::Begun(begun)) => Some(begun.downcast::<W>().unwrap_or_else(|_| unreachable!("a unit's type"))),
            None if self.is_up() => {
                self.interrupted.left.store(true, Ordering::Relaxed);
                return;
            }
            None => Some(Box::new(begin())),
        };
        let mut now = Unit::Done;
        if let Some(mut begun) = begun
            && !work(&mut begun)
        {
            self.interrupted.left.store(true, Ordering::Relaxed);
            now = Unit::Begun(begun);
        }
        self.interrupted.units().insert(unit, now);
    }
}
