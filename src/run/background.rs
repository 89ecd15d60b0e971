//! Work on another thread, which a run looks at between turns.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use rayon::ThreadPool;

use crate::error::{Error, Result};

/// How often the caller's time is looked at while work is under way.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Work that is under way. Dropping it waits for its end: a process must not end while a driver compiles.
pub(super) struct Background<T>(Receiver<thread::Result<Result<T>>>);

impl<T: Send + 'static> Background<T> {
    /// Begins it on threads of the caller's pool: where the caller is one of them, it takes part in the work.
    pub fn begin(work: impl FnOnce() -> Result<T> + Send + 'static) -> Self {
        Self::begin_in(None, work)
    }

    /// Begins it on threads of this pool, or of the caller's.
    pub fn begin_in(pool: Option<&ThreadPool>, work: impl FnOnce() -> Result<T> + Send + 'static) -> Self {
        let (sender, made) = channel();
        let work = move || {
            // A panic comes to who asks for the result. When the run has ended nobody does.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        };
        match pool {
            Some(pool) => pool.spawn(work),
            None => rayon::spawn(work),
        }
        Self(made)
    }

    /// What was made, after a short wait at most; `None` where it is not done.
    pub fn look(&self) -> Option<Result<T>> {
        self.poll().map(|made| made.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Background<T> {
    fn poll(&self) -> Option<thread::Result<Result<T>>> {
        let lost = || Ok(Err(Error::Config("nobody does the work in the background; please report this".into())));
        match self.0.try_recv() {
            Ok(made) => return Some(made),
            Err(TryRecvError::Disconnected) => return Some(lost()),
            Err(TryRecvError::Empty) => {}
        }
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            return None;
        }
        match self.0.recv_timeout(LOOK_EVERY) {
            Ok(made) => Some(made),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(lost()),
        }
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        // After a value was taken nobody sends another one.
        while self.poll().is_none() {}
    }
}
