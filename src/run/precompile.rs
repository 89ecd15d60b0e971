//! Kernels of the phases of a run, compiled ahead of time on threads of their own.

use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use web_time::Instant;

use crate::backend::{KernelSpec, Preparer};
use crate::colony::specs;
use crate::kernels::plan::Plan;

/// Threads that compile. Dropping this lets them finish the kernels that they are compiling, and waits for that: a process must not end while
/// a driver compiles.
pub(super) struct Precompile {
    cancel: Arc<AtomicBool>,
    /// By the family of kernels.
    threads: Vec<(Discriminant<Plan>, JoinHandle<()>)>,
}

impl Precompile {
    /// Compiles the kernels of `present`, each on a thread of its own, and those of each following plan on one thread. Errors are reported when
    /// a kernel is asked for.
    pub fn begin(preparer: Preparer, present: Option<Plan>, follow: Vec<Plan>) -> Self {
        let (preparer, cancel) = (Arc::new(preparer), Arc::new(AtomicBool::new(false)));
        let thread = |family: Discriminant<Plan>, specs: Vec<KernelSpec>| {
            let (preparer, cancel) = (Arc::clone(&preparer), Arc::clone(&cancel));
            let work = move || {
                for spec in specs.iter().take_while(|_| !cancel.load(Ordering::Relaxed)) {
                    if let Err(error) = preparer(spec) {
                        log::debug!("compiling ahead: {error}");
                    }
                }
            };
            let thread = thread::Builder::new().name("myrmex-compile".into()).spawn(work).ok()?;
            Some((family, thread))
        };
        let each = present.iter().flat_map(|plan| specs(plan).into_iter().map(move |spec| (plan, vec![spec])));
        let all = each.chain(follow.iter().map(|plan| (plan, specs(plan))));
        let threads = all.filter_map(|(plan, specs)| thread(discriminant(plan), specs)).collect();
        Self { cancel, threads }
    }

    /// Whether the kernels of plans like this one are compiled, or were never asked for.
    pub fn is_ready(&self, plan: &Plan) -> bool {
        let family = discriminant(plan);
        self.threads.iter().all(|(known, thread)| *known != family || thread.is_finished())
    }

    /// The same, after waiting for it for so long at most.
    pub fn waits(&self, plan: &Plan, most: Duration) -> bool {
        let began = Instant::now();
        while !self.is_ready(plan) {
            if began.elapsed() >= most {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Drop for Precompile {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        for (_, thread) in self.threads.drain(..) {
            // A panic in such a thread comes again when the kernel is asked for.
            let _ = thread.join();
        }
    }
}
