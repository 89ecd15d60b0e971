//! Kernels of the colonies of a run, compiled while others work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::aco::config::Algorithm;
use crate::backend::{KernelSpec, Preparer};
use crate::colony::specs;
use crate::kernels::plan::Plan;

/// Threads that compile. When this is dropped they end after the kernels in work, and drop waits for that: a driver must not be left
/// compiling when the process ends.
pub(super) struct Ahead {
    cancel: Arc<AtomicBool>,
    threads: Vec<(Algorithm, JoinHandle<()>)>,
}

impl Ahead {
    /// Compiles the kernels of `present`, each on a thread of its own, and those of each plan that follows on one thread together. What
    /// goes wrong is told when they are asked for.
    pub fn compile(preparer: Preparer, present: Option<Plan>, follow: Vec<Plan>) -> Self {
        let (preparer, cancel) = (Arc::new(preparer), Arc::new(AtomicBool::new(false)));
        let thread = |algorithm: Algorithm, specs: Vec<KernelSpec>| {
            let (preparer, cancel) = (Arc::clone(&preparer), Arc::clone(&cancel));
            let work = move || {
                for spec in specs.iter().take_while(|_| !cancel.load(Ordering::Relaxed)) {
                    if let Err(error) = preparer(spec) {
                        log::debug!("compiling ahead: {error}");
                    }
                }
            };
            let thread = thread::Builder::new().name("myrmex-compile".into()).spawn(work).ok()?;
            Some((algorithm, thread))
        };
        let each = present.iter().flat_map(|plan| specs(plan).into_iter().map(move |spec| (plan, vec![spec])));
        let all = each.chain(follow.iter().map(|plan| (plan, specs(plan))));
        let threads = all.filter_map(|(plan, specs)| thread(plan.system.algorithm(), specs)).collect();
        Self { cancel, threads }
    }

    /// Whether the kernels of a system's ants are compiled, or were never asked for.
    pub fn is_ready(&self, algorithm: Algorithm) -> bool {
        self.threads.iter().all(|(known, thread)| *known != algorithm || thread.is_finished())
    }

    /// The same, after waiting for it for so long at most.
    pub fn waits(&self, algorithm: Algorithm, most: Duration) -> bool {
        let began = Instant::now();
        while !self.is_ready(algorithm) {
            if began.elapsed() >= most {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        for (_, thread) in self.threads.drain(..) {
            // A panic there would come again when the kernels are asked for.
            let _ = thread.join();
        }
    }
}
