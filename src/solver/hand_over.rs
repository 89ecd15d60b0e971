//! What a run of focused ants goes on with when patches gain little any more: patches from another tour, ants on whole tours.

use super::{Slices, Solver};
use crate::aco::config::{Algorithm, Config};
use crate::aco::focused::{self, LEAST_GAIN, Next};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::kernels::plan::Plan;

/// When a colony is followed by another one, and by which.
pub(super) struct HandOver {
    /// The configuration that the run was asked for.
    config: Config,
    next: Next,
    /// How often there have been patches before these.
    rounds: u32,
    /// Iterations between two looks at the gain, the iteration of the next look, and the colony's cost at the last one.
    window: u32,
    look: u32,
    cost: u64,
}

impl HandOver {
    /// What follows on the colony that `plan` describes, if anything does, when it begins in `iteration`.
    pub fn of(config: &Config, plan: &Plan, rounds: u32, iteration: u32) -> Option<Self> {
        let (next, window) = focused::successor(plan.cities, &plan.system, rounds)?;
        let look = iteration.saturating_add(window);
        Some(Self { config: *config, next, rounds, window, look, cost: plan.reference_cost })
    }

    /// Iterations until the next look.
    pub fn left(&self, iteration: u32) -> u32 {
        self.look.saturating_sub(iteration)
    }

    /// Looks at the colony's gain if it is time to: whether it has become so small that another colony should follow.
    fn is_due(&mut self, iteration: u32, cost: u64) -> bool {
        if iteration < self.look {
            return false;
        }
        let gain = self.cost - cost;
        (self.look, self.cost) = (iteration.saturating_add(self.window), cost);
        gain.saturating_mul(LEAST_GAIN) < cost
    }
}

impl Solver {
    /// Hands over if it is time to. A device that cannot hold what ants on whole tours need goes on with patches.
    pub(super) fn hand_over(&mut self, colony: &mut Colony) -> Result<()> {
        let Some(hand_over) = &mut self.hand_over else { return Ok(()) };
        if !hand_over.is_due(self.progress.iteration, self.own_cost) {
            return Ok(());
        }
        let Some(HandOver { config, next, rounds, .. }) = self.hand_over.take() else { return Ok(()) };
        self.keep_best(colony)?;
        let successor = match next {
            Next::Again => {
                let start = self.problem.simple_solution();
                self.successor(colony, &config, &start)
            }
            Next::Whole => {
                let seed = config.seed;
                let ants = Some(colony.plan().ants());
                let whole = Config { algorithm: Some(Algorithm::Mmas), ants, seed, ..focused::whole_tours() };
                self.successor(colony, &whole, &self.kept)
            }
        };
        match successor {
            Ok(successor) => {
                self.hand_over = HandOver::of(&config, successor.plan(), rounds + 1, self.progress.iteration);
                self.own_cost = successor.plan().reference_cost;
                self.earlier.kernels.extend(colony.timings());
                self.earlier.iterations = self.progress.iteration;
                self.slices = Slices::new(colony.backend().capabilities().wide);
                self.iteration_seconds = None;
                *colony = successor;
                Ok(())
            }
            Err(Error::TooLarge { what, needed, limit, .. }) => {
                log::info!("going on with patches: {what} takes {needed}, the device allows {limit}");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// A colony on the same device that begins with `start`.
    fn successor(&self, colony: &mut Colony, config: &Config, start: &[u32]) -> Result<Colony> {
        let cost = self.problem.cost(start)?;
        let backend = colony.backend().fresh()?;
        let plan = Plan::new(&self.problem.shape(), cost, config, backend.capabilities())?;
        Colony::new(backend, &self.problem, plan.begun(), start)
    }
}
