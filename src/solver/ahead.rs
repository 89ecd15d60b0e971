//! Kernels of the colonies that will follow, compiled while the present one works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::backend::Preparer;
use crate::colony::specs;
use crate::kernels::plan::Plan;

/// Threads that compile. When this is dropped they end after the kernels in work, and drop waits for that: a driver must not be left
/// compiling when the process ends.
pub(super) struct Ahead {
    cancel: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Ahead {
    /// Compiles the kernels of each plan on a thread of its own. What goes wrong is told when they are asked for.
    pub fn compile(preparer: Preparer, plans: Vec<Plan>) -> Self {
        let (preparer, cancel) = (Arc::new(preparer), Arc::new(AtomicBool::new(false)));
        let thread = |plan: Plan| {
            let (preparer, cancel) = (Arc::clone(&preparer), Arc::clone(&cancel));
            let work = move || {
                for spec in specs(&plan).iter().take_while(|_| !cancel.load(Ordering::Relaxed)) {
                    if let Err(error) = preparer(spec) {
                        log::debug!("compiling ahead: {error}");
                    }
                }
            };
            thread::Builder::new().name("myrmex-compile".into()).spawn(work).ok()
        };
        let threads = plans.into_iter().filter_map(thread).collect();
        Self { cancel, threads }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A panic there would come again when the kernels are asked for.
            let _ = thread.join();
        }
    }
}
