//! A colony: an ant system's buffers and kernels on a backend, and an iteration as a list of kernel calls.

use std::ops::Range;

use rayon::prelude::*;
use web_time::Instant;

use crate::algorithm::choices::LocalSearch;
use crate::backend::{Backend, Call, KernelId, KernelSpec, KernelTiming};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::kernels::eax::{edge_overlap, recombine};
use crate::kernels::lin_kernighan::chained_search;
use crate::kernels::merge::independent_set;
use crate::kernels::pheromone::{best, local_update};
use crate::kernels::plan::Plan;
use crate::kernels::qap::{crossover, tabu_search};
use crate::kernels::shared::state::{
    NO_TOUR, STATE_WORDS, State, UNFINISHED_CHOICE, UNFINISHED_CONSTRUCTION, join, split,
};
use crate::kernels::shared::tour_cost;
use crate::kernels::windows::window_search;
use crate::kernels::{Buffer, Buffers, KernelError, construct, lin_kernighan, two_opt};

mod buffers;
mod iteration;
mod populations;
mod saved;
mod walks;

use iteration::{Ants, Stage};
pub(crate) use populations::Populations;
pub use saved::Saved;
pub(crate) use walks::{Walked, Walks};

/// A colony on a backend.
pub struct Colony {
    backend: Box<dyn Backend>,
    plan: Plan,
    buffers: Buffers,
    /// The names of the kernels, in the order in which they were made.
    names: Vec<&'static str>,
    /// How ants, windows or individuals get solutions, then what completes these with their costs.
    construct: Ants,
    /// Whether E-sets grow to blocks of AB-cycles.
    grows: bool,
    finish: Vec<Stage>,
    /// What ends an iteration, once all have solutions.
    end: Vec<Stage>,
    /// The kernel that measures how alike a population is, where there is one.
    overlap: Option<KernelId>,
}

/// The kernels of an iteration, numbered as a backend without kernels will number them.
struct Kernels {
    specs: Vec<KernelSpec>,
    construct: Ants,
    finish: Vec<Stage>,
    end: Vec<Stage>,
    overlap: Option<KernelId>,
}

impl Kernels {
    fn of(plan: &Plan, buffers: &Buffers) -> Result<Self, KernelError> {
        let mut maker = Maker::default();
        let construct = iteration::construct(&mut maker, plan, buffers)?;
        let finish = iteration::finish(&mut maker, plan, buffers)?;
        let end = iteration::end(&mut maker, plan, buffers)?;
        let overlap = match plan {
            Plan::Eax(plan) => Some(maker.make(edge_overlap::spec(plan, buffers))?),
            _ => None,
        };
        Ok(Self { specs: maker.specs, construct, finish, end, overlap })
    }
}

/// Collects a colony's kernels.
#[derive(Default)]
struct Maker {
    specs: Vec<KernelSpec>,
}

impl Maker {
    fn make(&mut self, spec: Result<KernelSpec, KernelError>) -> Result<KernelId, KernelError> {
        self.specs.push(spec?);
        Ok(KernelId(self.specs.len() - 1))
    }
}

/// The kernels that a colony of `plan` asks for, with buffers that need not exist; none when a shader is broken, which is told when the
/// colony is made.
pub fn specs(plan: &Plan) -> Vec<KernelSpec> {
    Kernels::of(plan, &Buffers::numbered(plan)).map_or_else(|_| Vec::new(), |kernels| kernels.specs)
}

/// A shader that does not compose or parse.
fn broken(backend: &dyn Backend, message: &KernelError) -> Error {
    let device = backend.capabilities().device.clone();
    Error::Device { device, message: format!("broken shader: {message}") }
}

impl Colony {
    /// Sets up `plan` for `problem` on `backend`, which has neither buffers nor kernels, with `start` as the first best solution.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn new(mut backend: Box<dyn Backend>, problem: impl Into<Problem>, plan: Plan, start: &[u32]) -> Result<Self> {
        let problem = problem.into();
        let preparer = backend.preparer();
        // Kernels are compiled while the host makes the buffers' contents.
        let (prepared, buffers) = rayon::join(
            || preparer.map_or(Ok(()), |preparer| specs(&plan).par_iter().try_for_each(preparer)),
            || buffers::make(backend.as_mut(), &problem, &plan, start),
        );
        let buffers = buffers?;
        prepared?;
        let Kernels { specs, construct, finish, end, overlap } =
            Kernels::of(&plan, &buffers).map_err(|message| broken(backend.as_ref(), &message))?;
        let names: Vec<&'static str> = specs.iter().map(|spec| spec.name).collect();
        for (number, spec) in specs.into_iter().enumerate() {
            if backend.kernel(spec)? != KernelId(number) {
                return Err(Error::Fault("a colony needs a backend that has no kernels yet".into()));
            }
        }
        backend.rehearse()?;
        let mut colony = Self { backend, plan, buffers, names, construct, grows: false, finish, end, overlap };
        // With the first state's reset flag set, these lay the first trails, and draw the first deviates.
        let first: Vec<&Stage> = colony.end.iter().filter(|stage| stage.begins).collect();
        let first = first.iter().flat_map(|stage| stage.calls(0..0, colony.plan.cities as u32)).collect::<Vec<_>>();
        colony.backend.run(&first)?;
        Ok(colony)
    }

    /// The sizes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The buffers, for tests and tools that look inside.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The backend.
    pub fn backend(&mut self) -> &mut dyn Backend {
        self.backend.as_mut()
    }

    fn calls(&self, stages: &[Stage], ants: Range<u32>) -> Vec<Call> {
        stages.iter().flat_map(|stage| stage.calls(ants.clone(), self.plan.cities as u32)).collect()
    }

    /// The calls that give `ants` their tours and costs. Where all ants step together (see [`Plan::synchronous`]), `ants`
    /// has to be all of them.
    pub fn ant_calls(&self, ants: Range<u32>) -> Vec<Call> {
        let mut calls = self.construct.calls(ants.clone(), self.grows);
        calls.extend(self.calls(&self.finish, ants));
        calls
    }

    /// Lets a crossover build blocks of AB-cycles from the next iteration on; whether that changes anything.
    pub fn grow(&mut self) -> bool {
        let grows = self.construct.can_grow();
        std::mem::replace(&mut self.grows, grows) != grows
    }

    /// The calls that end an iteration once every ant has its cost.
    pub fn end_calls(&self) -> Vec<Call> {
        self.calls(&self.end, 0..self.plan.units as u32)
    }

    /// Finds the best ant on the host, where the plan wants that; to be called between [`Colony::ant_calls`] and
    /// [`Colony::end_calls`].
    ///
    /// # Errors
    /// What the backend reports.
    pub fn choose_best(&mut self) -> Result<()> {
        if !self.plan.best_on_host() {
            return Ok(());
        }
        let costs = self.backend.read(self.buffers.get(Buffer::Costs), 0..2 * self.plan.units)?;
        self.backend.write(self.buffers.get(Buffer::IndependentSet), &[best::best_ant(&costs) as u32])
    }

    /// The name of a kernel of this colony.
    pub fn kernel_name(&self, kernel: KernelId) -> &'static str {
        self.names.get(kernel.0).copied().unwrap_or_default()
    }

    /// Runs `calls` in order.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn run(&mut self, calls: &[Call]) -> Result<()> {
        self.backend.run(calls)
    }

    /// Runs `calls` in order, unless the backend interrupts them at `until`: see [`Backend::run_until`].
    ///
    /// # Errors
    /// What the backend reports.
    pub(crate) fn run_until(&mut self, calls: &[Call], until: Instant) -> Result<usize> {
        self.backend.run_until(calls, until)
    }

    /// Of the calls for all ants so many give them tours; the others improve these and count costs.
    pub(crate) fn construct_calls(&self) -> usize {
        self.construct.calls(0..self.plan.units as u32, self.grows).len()
    }

    /// The state: 64 bytes read back.
    ///
    /// # Errors
    /// What the backend reports, or [`Error::Device`] when a kernel did not end its work within its dispatches.
    pub fn state(&mut self) -> Result<State> {
        let state = State::from_words(&self.backend.read(self.buffers.get(Buffer::State), 0..STATE_WORDS)?);
        if state.failures == 0 {
            return Ok(state);
        }
        let device = self.backend.capabilities().device.clone();
        let what = failure(&self.plan, state.failures);
        Err(Error::Device { device, message: format!("{what}; please report this instance") })
    }

    /// The best solution so far.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn best_solution(&mut self) -> Result<Vec<u32>> {
        self.backend.read(self.buffers.get(Buffer::Bests), 0..self.plan.cities)
    }

    /// Takes over a solution of `cost` that another colony has found in `iteration`, between two iterations: as the best so far and as
    /// the best since the restart, from which the next deposits follow. Of a cunning Ant System the units keep what they have; in a memetic
    /// population it takes the place of the dearest individual.
    ///
    /// For ants that construct.
    ///
    /// # Errors
    /// What the backend reports.
    pub(crate) fn take_over(&mut self, solution: &[u32], cost: u64, iteration: u32) -> Result<State> {
        let mut state = self.state()?;
        state.take_over(cost, iteration);
        // What deposits next is chosen at the end of the next iteration.
        self.backend.write(self.buffers.get(Buffer::Bests), &solution.repeat(2))?;
        if let Some(buffer) = self.buffers.find(Buffer::Links) {
            let mut links = vec![0; 2 * solution.len()];
            best::write_links(solution, &mut links);
            self.backend.write(buffer, &links)?;
        }
        self.backend.write(self.buffers.get(Buffer::State), state.words())?;
        if state.iteration > 0 && self.plan.construct().is_some_and(|plan| plan.memetic().is_some()) {
            self.replace_dearest(solution, cost)?;
        }
        Ok(state)
    }

    fn replace_dearest(&mut self, solution: &[u32], cost: u64) -> Result<()> {
        let [costs, units] = [Buffer::UnitCosts, Buffer::Units].map(|buffer| self.buffers.get(buffer));
        let mut unit_costs = self.backend.read(costs, 0..2 * self.plan.units)?;
        let dearest = (0..self.plan.units).max_by_key(|unit| join([unit_costs[2 * unit], unit_costs[2 * unit + 1]]));
        let dearest = dearest.unwrap_or_default();
        unit_costs[2 * dearest..2 * dearest + 2].copy_from_slice(&split(cost));
        self.backend.write(costs, &unit_costs)?;
        let mut all = self.backend.read(units, 0..self.plan.units * self.plan.cities)?;
        all[dearest * self.plan.cities..][..solution.len()].copy_from_slice(solution);
        self.backend.write(units, &all)
    }

    /// The solutions of the last iteration, ants × cities, for tests and tools.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn solutions(&mut self) -> Result<Vec<u32>> {
        self.backend.read(self.buffers.get(Buffer::Tours), 0..self.plan.units * self.plan.cities)
    }

    /// The costs of the last iteration's solutions, by ant.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn costs(&mut self) -> Result<Vec<u64>> {
        let words = self.backend.read(self.buffers.get(Buffer::Costs), 0..2 * self.plan.units)?;
        Ok(words.chunks(2).map(|cost| join([cost[0], cost[1]])).collect())
    }

    /// The costs of a population's individuals, without that of the run's best tour beside them.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn costs_of_population(&mut self) -> Result<Vec<u64>> {
        let mut costs = self.costs()?;
        if let Plan::Eax(plan) = &self.plan {
            costs.truncate(plan.individuals);
        }
        Ok(costs)
    }

    /// The mean share of a tour's edges that two individuals have in common, from the counts of edges; `None` where the phase has no
    /// population.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn overlap(&mut self) -> Result<Option<f64>> {
        let (Some(kernel), Plan::Eax(plan)) = (self.overlap, &self.plan) else { return Ok(None) };
        self.backend.run(&[Call { kernel, units: 0..1 }])?;
        let words = self.backend.read(self.buffers.get(Buffer::EdgeOverlap), 0..2)?;
        Ok(Some(edge_overlap::share(plan, &words)))
    }

    /// Time spent in each kernel.
    pub fn timings(&self) -> Vec<KernelTiming> {
        self.backend.timings()
    }
}
/// What has failed in a colony of this plan.
fn failure(plan: &Plan, failures: u32) -> String {
    let has = |bit: u32| failures & bit != 0;
    if has(NO_TOUR) {
        return match plan {
            Plan::Eax(_) => "a child is not one tour".to_owned(),
            _ => "the merged tour is not one cycle".to_owned(),
        };
    }
    let kernel = match plan {
        _ if has(UNFINISHED_CHOICE) => independent_set::NAME,
        Plan::Windows(_) => window_search::NAME,
        Plan::Chained(_) => chained_search::NAME,
        Plan::Eax(_) => recombine::NAME,
        Plan::Construct(plan) if has(UNFINISHED_CONSTRUCTION) && plan.memetic().is_some() => crossover::NAME,
        Plan::Construct(_) if has(UNFINISHED_CONSTRUCTION) => construct::NAME,
        Plan::Construct(plan) if plan.is_assignment() => tabu_search::NAME,
        Plan::Construct(plan) if plan.system.local_search == LocalSearch::LinKernighan => lin_kernighan::NAME,
        Plan::Construct(_) => two_opt::NAME,
    };
    format!("kernel '{kernel}' did not end within its loop budget")
}
