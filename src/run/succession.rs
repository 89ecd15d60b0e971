//! The set-up of the next phase, on another thread: its first solutions, its buffers, its kernels. The run makes no iterations meanwhile, so
//! that results do not depend on how long that takes; but it returns to its caller when time is up.

use rayon::prelude::*;
use web_time::Instant;

use super::background::Background;
use super::phases::{Check, Position, fitting, plan_of};
use super::precompile::Precompile;
use super::setup::first_solution;
use super::{Ended, Run, SUBMISSION, Stop, WarmUp};
use crate::backend::{Backend, Capabilities};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::settings::{Begins, Recipe};

/// All that a set-up depends on.
struct Succession {
    problem: Problem,
    recipe: Recipe,
    next: Position,
    /// The run's best solution and its cost.
    kept: (Vec<u32>, u64),
    /// The tours of the phase before, where the next one begins with them.
    population: Option<Vec<u32>>,
    /// Where the colony is to be.
    backend: Box<dyn Backend>,
    /// What has to hold it, also while the host works for a device.
    limits: Capabilities,
    /// Whether the run leaves the host for the device.
    leaves_host: bool,
}

/// A phase that can begin.
struct Successor {
    colony: Colony,
    recipe: Recipe,
    halvings: u32,
    at: Position,
    leaves_host: bool,
}

/// What will run, as far as it is under way.
#[derive(Default)]
pub(super) struct Coming {
    /// The kernels of following phases, which are being compiled.
    pub precompile: Option<Precompile>,
    /// The device, while the host works for it.
    pub warm_up: Option<WarmUp>,
    /// The set-up of the next phase.
    pub pending: Option<Pending>,
    /// Whether others run beside it, which go on meanwhile.
    pub beside_others: bool,
    /// Whether a turn returns meanwhile, so that who looks on is told.
    pub settles_in_turns: bool,
}

/// A set-up that is under way.
pub(super) struct Pending {
    made: Background<Successor>,
    /// When it began, in seconds of the run, and whether the host worked for a device then.
    began: f64,
    on_host: bool,
    /// When the end of the present phase was looked for.
    looked_for: Option<Check>,
}

impl Succession {
    fn make(self) -> Result<Successor> {
        let shape = self.problem.shape();
        let (recipe, halvings, start) = match self.population {
            Some(tours) => {
                let mut tours = with_best(&self.problem, tours, &self.kept.0, self.next.round)?;
                if self.recipe.phase(self.next.index, self.next.round).system.has_incumbent() {
                    tours.extend_from_slice(&self.kept.0);
                }
                (self.recipe, 0, tours)
            }
            None => {
                let (recipe, halvings) = fitting(&self.recipe, self.next.round, &shape, self.kept.1, &self.limits)?;
                let start = first_solution(recipe.phase(self.next.index, self.next.round).begins, &self.problem);
                (recipe, halvings, start)
            }
        };
        let costs = start.par_chunks(self.problem.len()).map(|tour| self.problem.cost(tour));
        let cost = costs.try_reduce(|| u64::MAX, |a, b| Ok(a.min(b)))?;
        plan_of(&recipe, self.next, &shape, cost, &self.limits)?;
        let plan = plan_of(&recipe, self.next, &shape, cost, self.backend.capabilities())?;
        let colony = Colony::new(self.backend, &self.problem, plan.begun(), &start)?;
        Ok(Successor { colony, recipe, halvings, at: self.next, leaves_host: self.leaves_host })
    }
}

/// The tours of a population. From the second round on the run's best tour replaces the worst. In the first round it does not: the best
/// tour is the windows', and all others would become like it while they have no better edges (fl3795 stayed at 2.3%).
fn with_best(problem: &Problem, mut tours: Vec<u32>, best: &[u32], round: u32) -> Result<Vec<u32>> {
    if round == 0 {
        return Ok(tours);
    }
    let n = problem.len();
    let costs: Vec<u64> = tours.par_chunks(n).map(|tour| problem.cost(tour)).collect::<Result<_>>()?;
    if let Some((worst, _)) = costs.iter().enumerate().max_by_key(|(_, cost)| **cost) {
        tours[worst * n..(worst + 1) * n].copy_from_slice(best);
    }
    Ok(tours)
}

impl Run {
    /// Begins to set up the phase at `next`, with a colony of its own.
    pub(super) fn succeed(&mut self, colony: &mut Colony, next: Position, looked_for: Option<Check>) -> Result<()> {
        self.keep_last(colony)?;
        let began = self.clock.seconds();
        let population = match self.course.recipe.phase(next.index, next.round).begins {
            Begins::Population => Some(colony.solutions()?),
            _ => None,
        };
        let host = colony.backend().capabilities().clone();
        let (mut backend, mut limits, mut leaves_host) = (None, host, false);
        if let Some(WarmUp { device }) = &self.coming.warm_up {
            limits = device.capabilities().clone();
            leaves_host = self.leaves_host(next);
            backend = leaves_host.then(|| device.fresh()).transpose()?;
        }
        let succession = Succession {
            problem: self.problem.clone(),
            recipe: self.course.recipe.clone(),
            next,
            kept: (self.kept.solution.clone(), self.kept.cost),
            population,
            backend: backend.map_or_else(|| colony.backend().fresh(), Ok)?,
            limits,
            leaves_host,
        };
        let made = Background::begin(move || succession.make());
        self.coming.pending = Some(Pending { made, began, on_host: self.coming.warm_up.is_some(), looked_for });
        Ok(())
    }

    /// Whether the phase at `next` begins on the device, while the host works for it: when its kernels are compiled, or the host would take
    /// longer.
    fn leaves_host(&self, next: Position) -> bool {
        let host = crate::backend::CpuBackend::new();
        match plan_of(&self.course.recipe, next, &self.problem.shape(), self.kept.cost, host.capabilities()) {
            Ok(plan) => {
                let ready = self.coming.precompile.as_ref().is_none_or(|precompile| precompile.is_ready(&plan));
                ready || !WarmUp::keeps_up(&plan)
            }
            Err(_) => true,
        }
    }

    /// Begins the next phase once it is set up, or returns while that is under way; why the run ended if time was up before.
    pub(super) fn settle(&mut self, colony: &mut Colony, stop: &Stop) -> Result<Option<Ended>> {
        let Some(pending) = self.coming.pending.take() else { return Ok(None) };
        // The other rules wait: whether a phase has begun must not depend on how long its set-up takes.
        let meanwhile = Stop { iterations: None, cost: None, stagnation: None, ..stop.clone() };
        let returns = self.coming.settles_in_turns.then(|| Instant::now() + SUBMISSION);
        let made = loop {
            if let Some(made) = pending.made.look() {
                break made;
            }
            let ended = meanwhile.ended(&self.progress, &self.clock);
            let returns = returns.is_some_and(|at| Instant::now() >= at);
            if ended.is_some() || self.coming.beside_others || returns {
                self.coming.pending = Some(pending);
                return Ok(ended);
            }
        };
        let Pending { began, on_host, looked_for, .. } = pending;
        self.undo.state = None;
        match made {
            Ok(Successor { colony: successor, recipe, halvings, at, leaves_host }) => {
                log::debug!("{:.3} s: it is ready", self.clock.seconds());
                (self.course.recipe, self.course.at) = (recipe, at);
                self.course.halvings += halvings;
                if leaves_host {
                    self.coming.warm_up = None;
                }
                // What the phase begins with may be better than all before, for example a tour from the caller.
                self.note_cost(successor.plan().reference_cost, self.progress.iteration);
                // Time that the host worked for the device is not the device's time.
                if !on_host {
                    self.earlier.add(colony.timings());
                }
                self.earlier.iterations = self.progress.iteration;
                *colony = successor;
                self.begin_phase(colony.plan(), began);
                self.keep_best(colony)?;
                self.pace.begin_again(colony.backend().capabilities().wide);
                Ok(None)
            }
            Err(Error::TooLarge { what, needed, limit, .. }) => {
                log::info!("going on as before: {what} takes {needed}, the device allows {limit}");
                Ok(self.goes_on_as_before(looked_for, stop))
            }
            Err(error) => Err(error),
        }
    }

    /// The device cannot hold the next phase: the present one continues to the end of the run. Where nothing but a round ends that for certain, none
    /// will come to its end any more: it ends here, and looks once more if it is called again.
    pub(super) fn goes_on_as_before(&mut self, looked_for: Option<Check>, stop: &Stop) -> Option<Ended> {
        if !stop.needs_rounds() {
            self.course.refused = looked_for;
            return None;
        }
        self.course.check = looked_for;
        Some(stop.ended_by_rounds(&self.progress))
    }
}
