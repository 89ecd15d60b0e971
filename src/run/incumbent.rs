//! What the host keeps of a run: the latest reading of the colony's state, and a copy of the best solution.

use super::{COPY_BYTES_PER_ITERATION, Progress, Run, TracePoint};
use crate::colony::Colony;
use crate::error::Result;
use crate::kernels::shared::state::{State, join};

impl Run {
    /// Copies the best tour to the host when it is new and enough iterations have passed to pay for the traffic.
    pub(super) fn keep(&mut self, colony: &mut Colony) -> Result<()> {
        let paid = u64::from(self.progress.iteration - self.kept_at) * COPY_BYTES_PER_ITERATION;
        match paid >= self.problem.len() as u64 * 4 {
            true => self.keep_best(colony),
            false => Ok(()),
        }
    }

    /// Copies the best tour to the host when it is new.
    pub(super) fn keep_best(&mut self, colony: &mut Colony) -> Result<()> {
        if self.own_cost < self.kept_cost {
            let tour = colony.best_solution()?;
            self.kept_cost = self.problem.cost(&tour)?;
            self.kept = tour;
            self.kept_at = self.progress.iteration;
        }
        Ok(())
    }

    /// Takes note of a reading of the colony's state.
    pub(super) fn note(&mut self, state: &State) {
        self.note_cost(join(state.best_cost), self.earlier.iterations + state.best_iteration);
        self.progress = Progress {
            seconds: self.started.elapsed().as_secs_f64(),
            iteration: self.earlier.iterations + state.iteration,
            restarts: state.restarts,
            ants_cost: join(state.restart_cost),
            ..self.progress
        };
    }

    /// Takes note of the present colony's best cost and the iteration that found it.
    pub(super) fn note_cost(&mut self, cost: u64, iteration: u32) {
        self.own_cost = cost;
        self.note_gain(cost, iteration);
    }

    /// Takes note of a cost if it is less than all before.
    fn note_gain(&mut self, cost: u64, iteration: u32) {
        if cost < self.progress.cost {
            let seconds = self.started.elapsed().as_secs_f64();
            (self.progress.cost, self.progress.best_iteration, self.progress.best_seconds) = (cost, iteration, seconds);
            self.trace.push(TracePoint { seconds, iteration, cost, shared_edges: None });
        }
    }

    /// Keeps the best solution of the ants that have finished, when the run ends within an iteration, if it is better than all before.
    pub(super) fn keep_finished(&mut self, colony: &mut Colony) -> Result<()> {
        let finished = self.batching.done as usize;
        if finished == 0 || colony.plan().construct().is_none() {
            return Ok(());
        }
        let costs = colony.costs()?;
        let best = costs[..finished].iter().zip(0..).min().filter(|(cost, _)| **cost < self.progress.cost);
        let Some((_, ant)) = best else { return Ok(()) };
        let n = self.problem.len();
        let solution = colony.solutions()?[ant * n..(ant + 1) * n].to_vec();
        let cost = self.problem.cost(&solution)?;
        if cost < self.kept_cost {
            (self.kept, self.kept_cost, self.kept_at) = (solution, cost, self.progress.iteration);
            self.note_gain(cost, self.progress.iteration + 1);
        }
        Ok(())
    }
}
