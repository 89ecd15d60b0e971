//! A lower bound that is sought beside a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use myrmex::tsp::{Instance, LowerBound};
use myrmex::{Error, Problem, Proof, Result};
use rayon::ThreadPoolBuilder;

/// One on its way, on a thread of its own.
pub struct Bound {
    problem: Problem,
    proof: Proof,
    thread: JoinHandle<Result<LowerBound>>,
    run_is_over: Arc<AtomicBool>,
}

impl Bound {
    /// Begins to seek one for tours; `proof` is raised by what is found.
    pub fn begin(problem: &Problem, proof: &Proof) -> Result<Self> {
        let Problem::Tsp(instance) = problem else {
            return Err(Error::Config("--bound is for tours; leave it out for assignments".into()));
        };
        let (instance, run_is_over) = (instance.clone(), Arc::new(AtomicBool::new(false)));
        // Of lengths that rounding decides about it is no proof.
        let raised = if problem.is_coarse() { Proof::new() } else { proof.clone() };
        let over = Arc::clone(&run_is_over);
        let failed = |error: &dyn std::fmt::Display| Error::Config(format!("--bound: no thread can be used: {error}"));
        instance.check_lower_bound()?;
        let seek = move || {
            // Its work is shared with no thread of the run's.
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let alone = alone.map_err(|error| failed(&error))?;
            alone.install(|| seek(&instance, &raised, &over))
        };
        let thread = std::thread::Builder::new().name("bound".into()).spawn(seek).map_err(|error| failed(&error))?;
        Ok(Self { problem: problem.clone(), proof: proof.clone(), thread, run_is_over })
    }

    /// The length that no tour is below, once the run is over: what was reached by then is proven.
    pub fn finish(self) -> Result<f64> {
        self.run_is_over.store(true, Ordering::Relaxed);
        let early = || Error::Config("--bound: its thread ended too early".into());
        let bound = self.thread.join().unwrap_or_else(|_| Err(early()))?;
        // Of few cities all tours were gone through.
        Ok(match self.proof.cost() {
            cost if cost > bound.cost => self.problem.length_of(cost) - self.problem.length_error(),
            _ => bound.length,
        })
    }
}

fn seek(instance: &Instance, proof: &Proof, over: &AtomicBool) -> Result<LowerBound> {
    let bound = instance.lower_bound_while(|cost| {
        proof.raise(cost);
        !over.load(Ordering::Relaxed)
    })?;
    proof.raise(bound.cost);
    Ok(bound)
}
