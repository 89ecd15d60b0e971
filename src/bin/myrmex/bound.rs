//! A lower bound that is sought beside a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use myrmex::tsp::{Instance, LowerBound};
use myrmex::{Error, Problem, Result};
use rayon::ThreadPoolBuilder;

/// One on its way, on a thread of its own.
pub struct Bound {
    thread: JoinHandle<Result<LowerBound>>,
    run_is_over: Arc<AtomicBool>,
}

impl Bound {
    /// Begins to seek one for tours.
    pub fn begin(problem: &Problem) -> Result<Self> {
        let Problem::Tsp(instance) = problem else {
            return Err(Error::Config("--bound is for tours; leave it out for assignments".into()));
        };
        let (instance, run_is_over) = (instance.clone(), Arc::new(AtomicBool::new(false)));
        let over = Arc::clone(&run_is_over);
        let failed = |error: &dyn std::fmt::Display| Error::Config(format!("--bound: no thread can be used: {error}"));
        instance.check_lower_bound()?;
        let seek = move || {
            // Its work is shared with no thread of the run's.
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let alone = alone.map_err(|error| failed(&error))?;
            alone.install(|| seek(&instance, &over))
        };
        let thread = std::thread::Builder::new().name("bound".into()).spawn(seek).map_err(|error| failed(&error))?;
        Ok(Self { thread, run_is_over })
    }

    /// The bound, once the run is over: what was reached by then is proven.
    pub fn finish(self) -> Result<LowerBound> {
        self.run_is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err(Error::Config("--bound: its thread ended too early".into())))
    }
}

fn seek(instance: &Instance, over: &AtomicBool) -> Result<LowerBound> {
    instance.lower_bound_while(|| !over.load(Ordering::Relaxed))
}
