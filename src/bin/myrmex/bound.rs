//! A lower bound that is sought beside a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use myrmex::tsp::LowerBound;
use myrmex::{Error, Problem, Proof, Result};
use rayon::ThreadPoolBuilder;

use crate::warnings::Sought;

/// How long a run that is over waits for what has just been found.
const WAITS: Duration = Duration::from_millis(100);

/// One on its way, on a thread of its own.
pub struct Bound {
    problem: Problem,
    proof: Proof,
    /// The best cost so far that no tour is below, and the bound at the end.
    reached: Arc<AtomicU64>,
    found: Receiver<Result<LowerBound>>,
    run_is_over: Arc<AtomicBool>,
}

impl Bound {
    /// Begins to seek one for tours, of a run whose time is up at `end`; `proof` is raised by what is found, and a target that is `sought` in vain is told.
    pub fn begin(problem: &Problem, proof: &Proof, end: Option<Instant>, sought: Option<Arc<Sought>>) -> Result<Self> {
        let Problem::Tsp(instance) = problem else {
            return Err(Error::Config("--bound is for tours; leave it out for assignments".into()));
        };
        let (instance, run_is_over) = (instance.clone(), Arc::new(AtomicBool::new(false)));
        // Of lengths that rounding decides about it is no proof.
        let raised = if problem.is_coarse() { Proof::new() } else { proof.clone() };
        let failed = |error: &dyn std::fmt::Display| Error::Threads(format!("{error} (--bound takes one)"));
        instance.check_lower_bound().map_err(|error| match error {
            Error::Config(message) => Error::Config(format!("{message}; leave --bound out")),
            error => error,
        })?;
        let (reached, (finder, found)) = (Arc::new(AtomicU64::new(0)), mpsc::channel());
        let (over, best) = (Arc::clone(&run_is_over), Arc::clone(&reached));
        let of_problem = problem.clone();
        let tell = move |cost: u64| {
            if let Some(sought) = sought.as_ref().filter(|_| cost > 0) {
                sought.bounded(length(&of_problem, cost));
            }
        };
        let seek = move || {
            // Its work is shared with no thread of the run's.
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let goes_on = |cost| {
                raised.raise(cost);
                best.fetch_max(cost, Ordering::Relaxed);
                tell(cost);
                !over.load(Ordering::Relaxed)
            };
            let bound = alone
                .map_err(|error| failed(&error))
                .and_then(|alone| alone.install(|| instance.lower_bound_until(end, goes_on)))
                .inspect(|bound| {
                    raised.raise(bound.cost);
                    tell(bound.cost);
                });
            // A run that is over does not wait for it.
            let _ = finder.send(bound);
        };
        thread::Builder::new().name("bound".into()).spawn(seek).map_err(|error| failed(&error))?;
        Ok(Self { problem: problem.clone(), proof: proof.clone(), reached, found, run_is_over })
    }

    /// The length that no tour is below, once the run is over: what was reached by then is proven. `None` where nothing was yet.
    pub fn finish(self) -> Result<Option<f64>> {
        self.run_is_over.store(true, Ordering::Relaxed);
        let of_cost = |cost: u64| length(&self.problem, cost);
        // Of few cities all tours were gone through.
        let proved = Some(self.proof.cost()).filter(|cost| *cost > 0).map(of_cost);
        let bound = match self.found.recv_timeout(WAITS) {
            Ok(bound) => Some(bound?.length),
            Err(RecvTimeoutError::Timeout) => {
                Some(self.reached.load(Ordering::Relaxed)).filter(|cost| *cost > 0).map(of_cost)
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Fault("the thread of --bound ended too early".into()));
            }
        };
        Ok(bound.into_iter().chain(proved).reduce(f64::max))
    }
}

/// The length that no tour is below where its cost is no less than this.
fn length(problem: &Problem, cost: u64) -> f64 {
    problem.length_of(cost) - problem.length_error()
}
