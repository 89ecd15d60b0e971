//! Work on another thread, which a run looks at between turns.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
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
        match poll(&self.0) {
            Ok(made) => Some(made),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Ok(Err(Error::Fault("nobody does the work in the background".into()))))
            }
        }
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        // After a value was taken nobody sends another one.
        while self.poll().is_none() {}
    }
}

/// Pieces of work on other threads. Dropping it waits for the end of all.
pub(super) struct Crew<T> {
    sender: Sender<thread::Result<T>>,
    done: Receiver<thread::Result<T>>,
    under_way: usize,
}

impl<T: Send + 'static> Crew<T> {
    pub fn new() -> Self {
        let (sender, done) = channel();
        Self { sender, done, under_way: 0 }
    }

    /// Begins a piece of work on threads of this pool, or of the caller's.
    pub fn begin_in(&mut self, pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send + 'static) {
        let sender = self.sender.clone();
        let work = move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        };
        match pool {
            Some(pool) => pool.spawn(work),
            None => rayon::spawn(work),
        }
        self.under_way += 1;
    }
}

impl<T> Crew<T> {
    /// Whether all is done and has been asked for.
    pub fn is_done(&self) -> bool {
        self.under_way == 0
    }

    /// What a piece of work has made, in the order in which they end, after a short wait at most.
    pub fn look(&mut self) -> Option<T> {
        self.poll().map(|made| made.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn poll(&mut self) -> Option<thread::Result<T>> {
        let made = poll(&self.done).ok()?;
        self.under_way -= 1;
        Some(made)
    }
}

impl<T> Drop for Crew<T> {
    fn drop(&mut self) {
        while !self.is_done() {
            self.poll();
        }
    }
}

/// What comes through a channel, after a short wait at most, in which the caller does work of its pool if it is one of its threads.
fn poll<T>(channel: &Receiver<T>) -> std::result::Result<T, TryRecvError> {
    match channel.try_recv() {
        Err(TryRecvError::Empty) => {}
        come => return come,
    }
    if rayon::yield_now() == Some(rayon::Yield::Executed) {
        return Err(TryRecvError::Empty);
    }
    channel.recv_timeout(LOOK_EVERY).map_err(|error| match error {
        RecvTimeoutError::Timeout => TryRecvError::Empty,
        RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crew_brings_back_all_that_it_has_begun() {
        let mut crew = Crew::new();
        (0..9u32).for_each(|number| crew.begin_in(None, move || number * number));
        let mut made = Vec::new();
        while !crew.is_done() {
            made.extend(crew.look());
        }
        made.sort_unstable();
        assert_eq!(made, [0, 1, 4, 9, 16, 25, 36, 49, 64]);
        assert!(crew.look().is_none());
    }

    #[test]
    fn a_panic_of_a_crew_comes_to_who_looks() {
        let mut crew = Crew::<()>::new();
        crew.begin_in(None, || panic!("in the crew"));
        let looked = catch_unwind(AssertUnwindSafe(|| while crew.look().is_none() {}));
        assert_eq!(looked.unwrap_err().downcast_ref(), Some(&"in the crew"));
        assert!(crew.is_done());
    }
}
