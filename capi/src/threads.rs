//! The threads that work is shared by: those of the library, and those of a run or a text alone.

use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};

use myrmex::{Error, Result, STACK_BYTES, thread_named};
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

/// The variable that says how many there are.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// The most threads for each processor.
const A_PROCESSOR: usize = 4;
/// Texts about so few cities are made on one thread.
const FEW: usize = 1_000;

/// Sees to it that the library's threads are there. rayon makes them by itself, but tries once: where the system lets it have none that
/// time, no later call works.
///
/// # Errors
/// [`Error::Threads`]; a later call tries again.
pub fn ready() -> Result<()> {
    static READY: Mutex<bool> = Mutex::new(false);
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    if !*ready {
        begin(made(usual(), waiting)?);
        *ready = true;
    }
    Ok(())
}

/// How many there are: one for each processor, or as many as the variable says.
fn usual() -> usize {
    let asked = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse::<NonZeroUsize>().ok());
    let processors = processors();
    asked.map_or(processors, |asked| asked.get().min(A_PROCESSOR * processors))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A thread that waits for what it is to be in a pool; it ends where that never comes.
type Waiting = Sender<ThreadBuilder>;

fn waiting(index: usize) -> io::Result<Waiting> {
    let (sender, receiver) = mpsc::channel::<ThreadBuilder>();
    let work = move || {
        if let Ok(thread) = receiver.recv() {
            thread.run();
        }
    };
    thread_named(&format!("myrmex-{index}")).spawn(work).map(|_| sender)
}

/// All of so many threads, or none.
fn made<T>(count: usize, make: impl FnMut(usize) -> io::Result<T>) -> Result<Vec<T>> {
    let mut threads = Vec::with_capacity(count);
    for thread in (0..count).map(make) {
        let had = threads.len();
        threads.push(thread.map_err(|error| {
            Error::Threads(format!(
                "the system has {had} of {count} ({error}), and {VARIABLE} in the environment asks for fewer"
            ))
        })?);
    }
    Ok(threads)
}

/// Makes these threads the ones that all runs share.
fn begin(threads: Vec<Waiting>) {
    let builder = ThreadPoolBuilder::new().num_threads(threads.len());
    let mut threads = threads.into_iter();
    let begins = move |thread: ThreadBuilder| match threads.next().is_some_and(|waiting| waiting.send(thread).is_ok()) {
        true => Ok(()),
        false => Err(io::Error::other("a thread has ended too early")),
    };
    // The threads are there, so that this fails only where rayon has made its own before.
    let _ = builder.spawn_handler(begins).build_global();
}

/// Threads for a run of its own: as many as asked for, up to four for each processor.
///
/// # Errors
/// [`Error::Threads`].
pub fn own(count: NonZeroUsize) -> Result<ThreadPool> {
    let count = count.get().min(A_PROCESSOR * processors());
    let built = ThreadPoolBuilder::new().num_threads(count).stack_size(STACK_BYTES).build();
    built.map_err(|error| Error::Threads(error.to_string()))
}

/// What `work` makes of so many cities or facilities, on threads of its own: those of the library may be held up by a set-up that nobody
/// waits for, and a forked process has none of them.
pub fn in_own_pool<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> T {
    let count = if size > FEW { usual() } else { 1 };
    match ThreadPoolBuilder::new().num_threads(count).stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A refusal leaves nothing behind that keeps a later call from working.
    #[test]
    fn threads_that_cannot_be_had_are_asked_for_again() {
        let refused = made(4, |index| if index < 2 { waiting(index) } else { Err(io::Error::other("no more")) });
        let told = refused.err().map(|error| error.to_string());
        assert!(told.is_some_and(|told| told.contains("the system has 2 of 4 (no more)")));
        assert!(ready().is_ok() && ready().is_ok());
        assert_eq!(rayon::current_num_threads(), usual());
    }

    #[test]
    fn a_run_of_its_own_has_as_many_as_it_asks_for() {
        let threads = |count: usize| NonZeroUsize::new(count).and_then(|count| own(count).ok());
        let counts = [1, 2, 1_000_000].map(|count| threads(count).map(|pool| pool.current_num_threads()));
        assert_eq!(counts, [Some(1), Some(2), Some(A_PROCESSOR * processors())]);
    }

    #[test]
    fn texts_have_threads_of_their_own() {
        assert_eq!(in_own_pool(FEW, rayon::current_num_threads), 1);
        assert_eq!(in_own_pool(FEW + 1, rayon::current_num_threads), usual());
    }
}
