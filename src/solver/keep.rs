//! What the host keeps of a run: the latest reading of the colony's state, and a copy of the best solution.

use super::{COPY_BYTES_PER_ITERATION, Progress, Run, TracePoint};
use crate::colony::Colony;
use crate::error::Result;
use crate::kernels::state::{State, join};

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
        self.own_cost = join(state.best_cost);
        let cost = self.own_cost.min(self.progress.cost);
        let seconds = self.started.elapsed().as_secs_f64();
        let best_iteration = match cost < self.progress.cost {
            true => self.earlier.iterations + state.best_iteration,
            false => self.progress.best_iteration,
        };
        if cost < self.progress.cost {
            self.trace.push(TracePoint { seconds, iteration: best_iteration, cost, shared_edges: None });
        }
        self.progress = Progress {
            seconds,
            iteration: self.earlier.iterations + state.iteration,
            cost,
            best_iteration,
            restarts: state.restarts,
            ants_cost: join(state.restart_cost),
        };
    }
}
