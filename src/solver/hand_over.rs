//! What a run goes on with when a colony gains little any more: first tours of many ants, and ants that assemble tours from these.

use rayon::prelude::*;

use super::{Ahead, Meanwhile, Progress, Run, Slices, TracePoint};
use crate::aco::assembly::{assembling, first_tours, halved};
use crate::aco::config::{Algorithm, Config};
use crate::aco::focused::look;
use crate::aco::system::Parameters;
use crate::backend::{Backend, Capabilities};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::kernels::plan::Plan;
use crate::problem::Shape;

/// Iterations between two looks at ants that assemble tours, and the part of their costs that all together must gain lest they begin
/// with new tours.
const PATIENCE: u32 = 10;
const LEAST_GAIN_OF_ALL: u64 = 150_000;
/// The part that they must gain lest their exchanges grow.
const LEAST_GAIN_UNGROWN: u64 = 20_000;

/// What follows on a colony.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// First tours for ants that assemble.
    FirstTours,
    /// Ants that assemble tours from those that the colony's ants have.
    Assembly,
}

/// When a colony is followed by another one, and by which.
pub(super) struct HandOver {
    /// The configuration that the run was asked for.
    config: Config,
    next: Next,
    /// How often ants have begun with first tours.
    round: u32,
    /// Iterations between two looks at the gain, the iteration of the next look, and the cost at the last one: the colony's, or that
    /// of all ants' tours together.
    window: u32,
    look: u32,
    cost: u64,
    /// The colony goes on while it gains this part of the cost between two looks; 0: only to the first.
    least: u64,
}

impl HandOver {
    /// What follows on the colony that `plan` describes, if anything does, when it begins in `iteration`.
    pub fn of(config: &Config, plan: &Plan, round: u32, iteration: u32) -> Option<Self> {
        let assembles = matches!(config.algorithm, Some(Algorithm::Focused | Algorithm::Assembly));
        let (next, window, least) = match plan.system.parameters {
            Parameters::Focused(parameters) => {
                let (window, least) = look(plan.cities, &parameters, plan.ants())?;
                (Next::FirstTours, window, least)
            }
            Parameters::Mmas(_) if assembles => (Next::Assembly, 1, 0),
            Parameters::Assembly(_) => (Next::FirstTours, PATIENCE, LEAST_GAIN_OF_ALL),
            _ => return None,
        };
        let look = iteration.saturating_add(window);
        let cost = if plan.assembly.is_some() { u64::MAX } else { plan.reference_cost };
        Some(Self { config: *config, next, round, window, look, cost, least })
    }

    /// Iterations until the next look.
    pub fn left(&self, iteration: u32) -> u32 {
        self.look.saturating_sub(iteration)
    }

    /// Begins to compile the kernels of what follows on the first colony, on devices that compile for long; those of `present` too.
    pub fn ahead(&self, shape: &Shape, cost: u64, backend: &dyn Backend, present: Option<Plan>) -> Option<Ahead> {
        let device = backend.capabilities();
        let preparer = backend.preparer().filter(|_| device.wide)?;
        let first = (self.next == Next::FirstTours).then(|| first_tours(&self.config, 0));
        let follow = first.into_iter().chain([assembling(&self.config, 0)]);
        let plans = follow.filter_map(|config| Plan::new(shape, cost, &config, device).ok());
        Some(Ahead::compile(preparer, present, plans.map(Plan::begun).collect()))
    }

    /// Looks at the gain: whether it has become so small that another colony should follow. Before that ants that assemble let their
    /// exchanges grow.
    fn is_due(&mut self, iteration: u32, cost: u64, colony: &mut Colony) -> bool {
        let gain = self.cost - cost;
        (self.look, self.cost) = (iteration.saturating_add(self.window), cost);
        if gain.saturating_mul(LEAST_GAIN_UNGROWN) < cost && colony.grow() {
            return false;
        }
        gain.saturating_mul(self.least) < cost
    }
}

/// The fewest ants that assemble for want of room.
const FEWEST: usize = 32;

/// The configuration with as many ants as the device holds when they assemble, so that they get no first tours for nothing: half as many
/// as there should be, and so on.
fn fitting(shape: &Shape, cost: u64, config: &Config, round: u32, device: &Capabilities) -> Result<Config> {
    match Plan::new(shape, cost, &assembling(config, round), device) {
        Ok(_) => Ok(*config),
        Err(error @ Error::TooLarge { .. }) => {
            match halved(config).filter(|half| assembling(half, round).ants >= Some(FEWEST)) {
                Some(half) => fitting(shape, cost, &half, round, device),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// The configuration of the colony that a run begins with.
pub(super) fn first_config(config: &Config) -> Config {
    match config.algorithm {
        Some(Algorithm::Assembly) => first_tours(config, 0),
        _ => *config,
    }
}

impl Run {
    /// Hands over if it is time to. A device that cannot hold what the next colony needs goes on with this one.
    pub(super) fn hand_over(&mut self, colony: &mut Colony) -> Result<()> {
        let Some(hand_over) = &mut self.hand_over else { return Ok(()) };
        if self.progress.iteration < hand_over.look {
            return Ok(());
        }
        let cost = match colony.overlap()? {
            Some(shared) => {
                let seconds = self.started.elapsed().as_secs_f64();
                let Progress { iteration, cost, .. } = self.progress;
                self.trace.push(TracePoint { seconds, iteration, cost, shared_edges: Some(shared) });
                colony.costs()?.iter().sum()
            }
            None => self.own_cost,
        };
        if !hand_over.is_due(self.progress.iteration, cost, colony) {
            return Ok(());
        }
        let Some(HandOver { mut config, next, round, .. }) = self.hand_over.take() else { return Ok(()) };
        log::debug!("{:.3} s: another colony follows ({next:?})", self.started.elapsed().as_secs_f64());
        self.keep_best(colony)?;
        let on_host = self.meanwhile.is_some();
        let successor = match next {
            Next::FirstTours => {
                // What the device holds counts, while the host works in its place, too.
                let host = colony.backend().capabilities().clone();
                let capabilities = self.meanwhile.as_ref().map_or(host, |it| it.device.capabilities().clone());
                fitting(&self.problem.shape(), self.kept_cost, &config, round, &capabilities).and_then(|fits| {
                    config = fits;
                    // Ants without candidates follow the first tour: with the best one all would have its long edges.
                    self.successor(colony, &first_tours(&config, round), &self.problem.simple_solution())
                })
            }
            Next::Assembly => {
                let tours = self.population(colony, round)?;
                self.successor(colony, &assembling(&config, round), &tours)
            }
        };
        match successor {
            Ok(successor) => {
                log::debug!("{:.3} s: it is ready", self.started.elapsed().as_secs_f64());
                self.hand_over = HandOver::of(
                    &config,
                    successor.plan(),
                    round + u32::from(next == Next::Assembly),
                    self.progress.iteration,
                );
                // What it begins with may be better than all before, a tour that the caller gave, say.
                self.note_cost(successor.plan().reference_cost, self.progress.iteration);
                // What the host did in the device's place is not the device's time.
                if !on_host {
                    self.earlier.add(colony.timings());
                }
                self.earlier.iterations = self.progress.iteration;
                *colony = successor;
                self.keep_best(colony)?;
                self.slices = Slices::new(colony.backend().capabilities().wide);
                self.iteration_seconds = None;
                Ok(())
            }
            Err(Error::TooLarge { what, needed, limit, .. }) => {
                log::info!("going on as before: {what} takes {needed}, the device allows {limit}");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The tours of a colony's ants. From the second round on the best one of the run takes the place of the worst; in the first it comes
    /// from patches, and all others would become like it where they have no better ones yet (fl3795 stayed at 2.3%).
    fn population(&self, colony: &mut Colony, round: u32) -> Result<Vec<u32>> {
        let mut tours = colony.solutions()?;
        if round == 0 {
            return Ok(tours);
        }
        let n = self.problem.len();
        let problem = &self.problem;
        let costs: Vec<u64> = tours.par_chunks(n).map(|tour| problem.cost(tour)).collect::<Result<_>>()?;
        if let Some((worst, _)) = costs.iter().enumerate().max_by_key(|(_, cost)| **cost) {
            tours[worst * n..(worst + 1) * n].copy_from_slice(&self.kept);
        }
        Ok(tours)
    }

    /// A colony on the same device that begins with `start`: one tour, or those of all ants.
    fn successor(&mut self, colony: &mut Colony, config: &Config, start: &[u32]) -> Result<Colony> {
        let problem = &self.problem;
        let costs = start.par_chunks(problem.len()).map(|tour| problem.cost(tour));
        let cost = costs.try_reduce(|| u64::MAX, |a, b| Ok(a.min(b)))?;
        let shape = self.problem.shape();
        let mut backend = colony.backend().fresh()?;
        let mut plan = Plan::new(&shape, cost, config, backend.capabilities())?;
        let mut leaves_host = false;
        if let Some(Meanwhile { device }) = &self.meanwhile {
            let on_device = Plan::new(&shape, cost, config, device.capabilities())?;
            let ready = self.ahead.as_ref().is_none_or(|ahead| ahead.is_ready(plan.system.algorithm()));
            leaves_host = ready || !Meanwhile::keeps_up(&plan);
            if leaves_host {
                (backend, plan) = (device.fresh()?, on_device);
            }
        }
        let successor = Colony::new(backend, &self.problem, plan.begun(), start)?;
        self.config = *config;
        if leaves_host {
            self.meanwhile = None;
        }
        Ok(successor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aco::assembly::AssemblyParams;
    use crate::backend::CpuBackend;
    use crate::problem::Problem;
    use crate::tsp::{Kind, generate};

    /// More ants than a device holds are halved, down to a few; it has to hold these.
    #[test]
    fn ants_are_as_many_as_the_device_holds() {
        let problem = Problem::from(&generate(Kind::Uniform, 500, 1).unwrap());
        let mut device = CpuBackend::new().capabilities().clone();
        let population = AssemblyParams { population: 256, ..AssemblyParams::default() };
        let asked = [
            Config { algorithm: Some(Algorithm::Focused), assembly: Some(population), ..Config::default() },
            Config { algorithm: Some(Algorithm::Assembly), ants: Some(256), ..Config::default() },
        ];
        for config in asked {
            let ants = |round, device: &Capabilities| {
                let fitting = fitting(&problem.shape(), 1000, &config, round, device)?;
                Plan::new(&problem.shape(), 1000, &assembling(&fitting, round), device).map(|plan| plan.ants())
            };
            device.buffer_bytes = u64::MAX;
            let all = [0, 1, 2, 9].map(|round| ants(round, &device).unwrap());
            assert_eq!(all, [256, 512, 1024, 1024]);
            let largest = Plan::new(&problem.shape(), 1000, &assembling(&config, 0), &device).unwrap().buffers();
            device.buffer_bytes = largest.iter().map(|buffer| 4 * buffer.words).max().unwrap();
            assert_eq!([0, 1, 2, 9].map(|round| ants(round, &device).unwrap()), [256; 4]);
            device.buffer_bytes -= 1;
            assert_eq!([0, 2].map(|round| ants(round, &device).unwrap()), [128; 2]);
            device.buffer_bytes /= 8;
            device.buffer_bytes -= 1;
            assert!(matches!(ants(0, &device), Err(Error::TooLarge { .. })));
        }
    }
}
