//! What is known of the costs of all solutions while a run goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::instance::problem::Problem;

/// A cost that no solution is below, as far as is known: 0 at first, and greater when something more is proved, from any thread. Clones are one
/// proof. A run with [`super::Stop::proved_by`] ends when its solution costs no more, since no better one is to be found.
///
/// ```
/// use std::time::Duration;
/// use myrmex::{Ended, Problem, Proof, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// let problem = Problem::from(generate(Kind::Uniform, 9, 1)?);
/// let stop = Stop::time(Duration::from_secs(60)).or(Stop::proved_by(&Proof::of(&problem)));
/// let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu)?;
/// let solution = solver.run(&stop, |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!((solution.ended, Some(solution.cost)), (Ended::Optimal, problem.least_cost()));
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proof(Arc<AtomicU64>);

impl Proof {
    /// One that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that knows the least cost where there are few solutions ([`Problem::least_cost`]).
    pub fn of(problem: &Problem) -> Self {
        let proof = Self::new();
        proof.raise(problem.least_cost().unwrap_or(0));
        proof
    }

    /// No solution costs less than `cost`; whether that was not known.
    pub fn raise(&self, cost: u64) -> bool {
        self.0.fetch_max(cost, Ordering::Relaxed) < cost
    }

    /// The cost that no solution is known to be below.
    pub fn cost(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Ended, Solver, Stop, Target};
    use crate::settings::Settings;

    #[test]
    fn what_was_asked_for_counts_more_than_what_is_proved() {
        let problem = Problem::from(crate::tsp::generate(crate::tsp::Kind::Uniform, 10, 2).unwrap());
        let least = problem.least_cost().unwrap();
        for (proof, rule, ended) in [
            (Proof::of(&problem), Stop::iterations(1_000_000), Ended::Optimal),
            (Proof::of(&problem), Stop::target(least), Ended::Target),
            (Proof::of(&problem), Stop::length(problem.length_of(least)), Ended::Target),
            (Proof::of(&problem), Stop::target(least - 1), Ended::Optimal),
            (Proof::new(), Stop::iterations(3), Ended::Iterations),
        ] {
            let stop = rule.or(Stop::proved_by(&proof));
            let mut solver = Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap();
            let solution = solver.run(&stop, |_| std::ops::ControlFlow::Continue(())).unwrap();
            assert_eq!(solution.ended, ended, "{stop:?}");
            assert!(ended == Ended::Iterations || solution.cost == least);
        }
    }
}
