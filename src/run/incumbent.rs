//! What the host keeps of a run: the latest reading of the colony's state, and a copy of the best solution.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::given::Given;
use super::{Progress, Run, TracePoint};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::Form;
use crate::kernels::shared::state::{State, join};

/// A new best tour is copied to the host, so that a lost device does not take it along, no more often than makes this many bytes an
/// iteration on average.
const COPY_BYTES_PER_ITERATION: u64 = 512;
/// Or when so many seconds for each city have passed since the last copy: an iteration of a million cities takes as long as thousands of a few, and a copy,
/// with the look at what it costs, a hundredth of this.
const COPY_SECONDS_PER_CITY: f64 = 2e-6;

/// The best solution that the host has a copy of, for other threads: a clone of it stays up to date while the solver runs.
#[derive(Clone, Debug)]
pub struct Incumbent {
    pub(super) kept: Shared,
    pub(super) form: Form,
    /// The solution that was given, as a solver has it.
    pub(super) given: Option<Given>,
}

impl Incumbent {
    /// How often a better solution has been kept: who shows it asks for it when this has changed.
    ///
    /// ```
    /// use myrmex::{Settings, Solver, Target, tsp::{Kind, generate}};
    ///
    /// let mut solver = Solver::new(&generate(Kind::Uniform, 100, 1)?, &Settings::default(), Target::Cpu)?;
    /// let shown = solver.incumbent();
    /// let drawn = shown.version();
    /// solver.step(50)?;
    /// assert!(shown.version() > drawn && shown.get().is_some());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn version(&self) -> u64 {
        self.kept.read(|kept| kept.version)
    }

    /// The solution of the problem itself, and its cost as the instance computes it.
    pub fn get(&self) -> Option<(Vec<u32>, u64)> {
        let (solution, cost) = self.kept.get()?;
        let solution = self.form.solution(solution);
        let cost = self.form.exact_cost(&solution, cost);
        let Some(given) = &self.given else { return Some((solution, cost)) };
        let length = self.form.original().length(&solution);
        match length.is_ok_and(|length| given.is_shorter_than(length)) {
            true => Some((given.solution.clone(), given.cost)),
            false => Some((solution, cost)),
        }
    }
}

/// A solution and its cost.
type Costed = (Vec<u32>, u64);

/// The best solution that runs have kept, in the form that kernels know.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(Arc<Mutex<Latest>>);

/// The best of them, and the how-manyth it is.
#[derive(Debug, Default)]
struct Latest {
    version: u64,
    best: Option<Costed>,
}

impl Shared {
    fn read<T>(&self, look: impl FnOnce(&Latest) -> T) -> T {
        // A thread that panicked has left a solution that is whole.
        look(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn get(&self) -> Option<Costed> {
        self.read(|kept| kept.best.clone())
    }

    /// Takes a solution if it is better than the one before.
    pub fn offer(&self, solution: &[u32], cost: u64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.best.as_ref().is_none_or(|(_, best)| cost < *best) {
            *known = Latest { version: known.version + 1, best: Some((solution.to_vec(), cost)) };
        }
    }
}

/// The best solution that the host has a copy of.
pub(super) struct Kept {
    pub solution: Vec<u32>,
    pub cost: u64,
    /// The iteration of the copy, and when it was made.
    pub iteration: u32,
    pub seconds: f64,
    /// Where other threads find it.
    pub incumbent: Shared,
}

/// What the present colony says that it has found. The host may not have seen it, and an earlier colony may have had a better one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Claim {
    pub cost: u64,
    /// The iteration that found it.
    pub iteration: u32,
    /// The cost of the device's solution that was looked at last.
    pub looked_at: u64,
}

/// What was seen while a run went on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct History {
    pub trace: Vec<TracePoint>,
    /// Looks at how alike tours are.
    pub looks: u32,
}

impl History {
    /// That of a run which begins with a solution of this cost.
    pub fn of(seconds: f64, cost: u64) -> Self {
        Self { trace: vec![TracePoint::of(seconds, 0, cost, None)], looks: 0 }
    }
}

impl Run {
    /// Copies the best tour to the host when it is new and enough iterations, or seconds, have passed to pay for the traffic. Where coordinates are
    /// rounded the copy alone tells its cost.
    pub(super) fn keep(&mut self, colony: &mut Colony) -> Result<()> {
        let n = self.problem.len();
        let paid = u64::from(self.progress.iteration.saturating_sub(self.kept.iteration)) * COPY_BYTES_PER_ITERATION;
        let waited = self.clock.seconds() - self.kept.seconds;
        match self.slack > 0 || paid >= n as u64 * 4 || waited >= n as f64 * COPY_SECONDS_PER_CITY {
            true => self.keep_best(colony),
            false => Ok(()),
        }
    }

    /// Copies the best tour to the host when it is new.
    pub(super) fn keep_best(&mut self, colony: &mut Colony) -> Result<()> {
        match self.pace.batching.done > 0 && self.pace.batching.done == colony.plan().units as u32 {
            true => self.keep_as_it_is(colony),
            false => self.keep_claimed(colony),
        }
    }

    /// The same where a phase or a run ends. Where coordinates are rounded the device may have had several solutions that cost the same, of
    /// which the host has seen those that were there when it looked; its last one is kept, whenever that was.
    pub(super) fn keep_last(&mut self, colony: &mut Colony) -> Result<()> {
        self.keep_best(colony)?;
        if self.slack == 0 || self.pace.batching.done > 0 {
            return Ok(());
        }
        let solution = colony.best_solution()?;
        if self.problem.cost(&solution).is_ok_and(|cost| cost == self.kept.cost) {
            self.kept.solution = solution;
        }
        Ok(())
    }

    /// The same where an iteration was cut while its last calls were under way: the device's best solution and what is known of its cost may
    /// be of two iterations, and the solution half written. It counts as what it is.
    fn keep_as_it_is(&mut self, colony: &mut Colony) -> Result<()> {
        let solution = colony.best_solution()?;
        if let Ok(cost) = self.problem.cost(&solution)
            && cost < self.kept.cost
        {
            self.keep_solution(solution, cost);
            self.note_gain(cost, self.progress.iteration + 1);
        }
        Ok(())
    }

    /// The same where the device's best solution is the one whose cost was noted last.
    pub(super) fn keep_claimed(&mut self, colony: &mut Colony) -> Result<()> {
        if self.claim.cost == self.claim.looked_at || self.claim.cost >= self.kept.cost.saturating_add(self.slack) {
            return Ok(());
        }
        self.claim.looked_at = self.claim.cost;
        let solution = colony.best_solution()?;
        let cost = self.checked(&solution, self.claim.cost)?;
        if cost < self.kept.cost {
            self.keep_solution(solution, cost);
            self.note_gain(cost, self.claim.iteration);
        }
        Ok(())
    }

    /// Keeps a solution that is better than the one before.
    pub(super) fn keep_solution(&mut self, solution: Vec<u32>, cost: u64) {
        self.kept.incumbent.offer(&solution, cost);
        (self.kept.solution, self.kept.cost) = (solution, cost);
        (self.kept.iteration, self.kept.seconds) = (self.progress.iteration, self.clock.seconds());
    }

    /// The cost of a solution of the device's, which says what it costs.
    ///
    /// # Errors
    /// [`Error::Device`] when it is none, or costs something else than the rounding of coordinates explains.
    pub(super) fn checked(&self, solution: &[u32], claimed: u64) -> Result<u64> {
        let message = match self.problem.cost(solution) {
            Ok(cost) if cost.abs_diff(claimed) <= self.slack => return Ok(cost),
            Ok(cost) => format!("claims cost {claimed} for a solution that costs {cost}"),
            Err(error) => format!("claims cost {claimed} for what is no solution ({error})"),
        };
        let Progress { iteration, .. } = self.progress;
        let (algorithm, seed) = (&self.course.recipe.algorithm, self.course.recipe.seed);
        let message = format!(
            "{message}, of '{}': algorithm {algorithm}, seed {seed}, up to iteration {iteration}; please report this with the recipe \
             that 'plan' prints",
            self.problem.name()
        );
        Err(Error::Device { device: self.device.clone(), message })
    }

    /// Takes note of a reading of the colony's state.
    pub(super) fn note(&mut self, state: &State) {
        let counted = |iteration: u32| self.earlier.iterations.saturating_add(iteration);
        let (iteration, best_iteration) = (counted(state.iteration), counted(state.best_iteration));
        self.note_cost(join(state.best_cost), best_iteration);
        self.progress = Progress {
            seconds: self.clock.seconds(),
            iteration,
            restarts: state.restarts,
            ants_cost: Some(join(state.restart_cost)).filter(|cost| *cost != u64::MAX),
            ..self.progress
        };
    }

    /// Takes note of the present colony's best cost and the iteration that found it.
    pub(super) fn note_cost(&mut self, cost: u64, iteration: u32) {
        (self.claim.cost, self.claim.iteration) = (cost, iteration);
        // Of rounded coordinates the device knows the cost nearly.
        if self.slack == 0 {
            self.note_gain(cost, iteration);
        }
    }

    /// Takes note of a cost if it is less than all before.
    pub(super) fn note_gain(&mut self, cost: u64, iteration: u32) {
        if cost < self.progress.cost {
            let seconds = self.clock.seconds();
            (self.progress.cost, self.progress.best_iteration, self.progress.best_seconds) = (cost, iteration, seconds);
            self.history.trace.push(TracePoint::of(seconds, iteration, cost, None));
        }
    }

    /// Keeps the best solution of the ants that have finished, when the run ends within an iteration, if it is better than all before.
    pub(super) fn keep_finished(&mut self, colony: &mut Colony) -> Result<()> {
        let finished = self.pace.batching.done as usize;
        if finished == 0 || colony.plan().construct().is_none() {
            return Ok(());
        }
        let costs = colony.costs()?;
        let best = costs[..finished].iter().zip(0..).min().filter(|(cost, _)| **cost < self.progress.cost);
        let Some((&claimed, ant)) = best else { return Ok(()) };
        let n = self.problem.len();
        let solution = colony.solutions()?[ant * n..(ant + 1) * n].to_vec();
        let cost = self.checked(&solution, claimed)?;
        if cost < self.kept.cost {
            self.keep_solution(solution, cost);
            self.note_gain(cost, self.progress.iteration + 1);
        }
        Ok(())
    }
}
