//! The run loop: from a problem and a recipe to a solution, under a stop rule. One colony, or several in turns.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::algorithm::construct::SEARCHED_CANDIDATES;
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, CpuBackend};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::kernels::plan::Plan;
use crate::settings::{Begins, OnDeviceLost, Recipe, Settings, System};

mod batching;
mod incumbent;
mod interrupted;
mod lost;
mod migration;
mod one;
mod phases;
mod precompile;
mod stop;
mod warm_up;

#[cfg(test)]
mod faults;

use batching::Batching;
pub use incumbent::Incumbent;
use incumbent::Shared;
pub use lost::DeviceLost;
use migration::Migration;
use one::Run;
use phases::plan_of;
pub use phases::{PhaseEnded, PhaseRecord};
use precompile::Precompile;
pub use stop::{Cancel, Ended, Progress, Solution, Stop, Target, TracePoint};
use warm_up::WarmUp;

/// How long a submission should take: long enough to hide its cost, short enough to obey limits.
const SUBMISSION: Duration = Duration::from_millis(80);
/// The most iterations in one submission.
const MAX_BATCH: u32 = 512;
/// A new best tour is copied to the host, so that a lost device does not take it along, no more often than makes this many bytes an
/// iteration on average.
const COPY_BYTES_PER_ITERATION: u64 = 512;

/// Solves a problem with all defaults, on a GPU where there is one; `time` includes the set-up.
///
/// ```
/// use std::time::Duration;
/// use myrmex::tsp::Instance;
///
/// let square = Instance::from_points(&[[0.0, 0.0], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5]])?;
/// let solution = myrmex::solve(&square, Duration::from_millis(200))?;
/// assert_eq!(solution.length, 2.0);
/// # Ok::<(), myrmex::Error>(())
/// ```
///
/// # Errors
/// As [`Solver::new`] and [`Solver::run`].
pub fn solve(problem: impl Into<Problem>, time: Duration) -> Result<Solution> {
    let stop = Stop::time(time).since(Instant::now());
    Solver::new(problem, &Settings::default(), Target::Auto)?.run(&stop, |_| ControlFlow::Continue(()))
}

/// What a run tells on its way, for [`Solver::run_observed`]; each method may end the run.
///
/// ```
/// use std::ops::ControlFlow;
/// use myrmex::{Observer, Progress, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// struct Picture(Vec<u32>);
///
/// impl Observer for Picture {
///     fn gain(&mut self, _: &Progress, solution: &[u32]) -> ControlFlow<()> {
///         self.0 = solution.to_vec();
///         ControlFlow::Continue(())
///     }
/// }
///
/// let instance = generate(Kind::Uniform, 100, 1)?;
/// let mut solver = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let mut picture = Picture(Vec::new());
/// let solution = solver.run_observed(&Stop::iterations(40), &mut picture)?;
/// assert_eq!(instance.tour_cost(&picture.0)?, solution.cost);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub trait Observer {
    /// Some iterations were made: about every 80 milliseconds.
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A better solution was found, the one that the run begins with included; counted from 0.
    fn gain(&mut self, _progress: &Progress, _solution: &[u32]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Another phase has begun ([`Progress::phase`]).
    fn phase(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Solves one instance.
///
/// ```
/// use myrmex::{Settings, Solver, Stop, Target, tsp::{Instance, Kind, generate}};
///
/// let instance = generate(Kind::Lattice, 64, 1)?;
/// let mut solver = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let solution = solver.run(&Stop::iterations(50), |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(solution.cost, instance.tour_cost(&solution.permutation)?);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub struct Solver {
    /// The colonies, at least one; several are a ring.
    runs: Vec<Run>,
    /// When they migrate.
    migration: Option<Migration>,
    recipe: Recipe,
    /// The problem as kernels know it: what runs say is in this form.
    form: Form,
    backend: &'static str,
    device: String,
    started: Instant,
    /// The best solution that a run has kept, in this form.
    kept: Shared,
    /// What happens when the device fails, and the device that has.
    on_device_lost: OnDeviceLost,
    lost: Option<DeviceLost>,
}

impl Solver {
    /// A solver for `problem`, an instance of the travelling salesman or the quadratic assignment problem, on `target`.
    ///
    /// # Errors
    /// [`crate::Error::Config`] for settings that make no sense, [`crate::Error::NoAdapter`] where `target` asks for a GPU that is not
    /// there, [`crate::Error::TooLarge`] and [`crate::Error::Device`] for what the device cannot hold or refuses.
    /// (With [`OnDeviceLost::Cpu`] the CPU takes the place of a device that fails, but not of one that is too small or does not open.)
    pub fn new(problem: impl Into<Problem>, settings: &Settings, target: Target) -> Result<Self> {
        let started = Instant::now();
        let form = settings.form(&problem.into())?;
        let problem = form.problem();
        // What is wrong with them does not depend on the device.
        let recipe = settings.recipe_for_form(&form, false)?;
        let begins = recipe.phases[0].begins;
        let lent = is_lent(&target);
        // A driver takes its time to open a device.
        let first = || rayon::join(|| begins.solution(problem), || prepare(problem, &recipe)).0;
        let (mut start, backend) = rayon::join(first, || open(target));
        let backend = backend?;
        let recipe = settings.recipe_for_form(&form, backend.capabilities().large)?;
        if recipe.phases[0].begins != begins {
            start = recipe.phases[0].begins.solution(problem);
        }
        let begun = Self::begin(started, form, recipe, backend, (start, false), settings.on_device_lost);
        begun.map_err(|error| of_lent(error, lent))
    }

    /// The same, with `start` as the first best solution. Windows improve it; ants that construct take their first trail limits from
    /// its cost.
    ///
    /// # Errors
    /// As [`Solver::new`], and [`crate::Error::Tour`] or [`crate::Error::Assignment`] when `start` is no solution.
    pub fn with_start(problem: impl Into<Problem>, settings: &Settings, target: Target, start: &[u32]) -> Result<Self> {
        let (started, form) = (Instant::now(), settings.form(&problem.into())?);
        settings.recipe_for_form(&form, false)?;
        let start = form.own_solution(start)?;
        let lent = is_lent(&target);
        let backend = open(target)?;
        let recipe = settings.recipe_for_form(&form, backend.capabilities().large)?;
        let begun = Self::begin(started, form, recipe, backend, (start, true), settings.on_device_lost);
        begun.map_err(|error| of_lent(error, lent))
    }

    fn begin(
        started: Instant,
        form: Form,
        recipe: Recipe,
        backend: Box<dyn Backend>,
        (start, given): (Vec<u32>, bool),
        on_device_lost: OnDeviceLost,
    ) -> Result<Self> {
        let (name, device) = (backend.name(), backend.capabilities().device.clone());
        let again = (on_device_lost == OnDeviceLost::Cpu && name != "cpu")
            .then(|| (form.clone(), recipe.clone(), start.clone()));
        match (Self::begin_on(started, form, recipe, backend, (start, given)), again) {
            (Err(Error::Device { message, .. }), Some((form, recipe, start))) => {
                log::warn!("{device}: {message}; going on on the CPU");
                let seconds = started.elapsed().as_secs_f64();
                let lost = DeviceLost { backend: name, device, message, iteration: 0, seconds };
                let mut solver = Self::begin_on(started, form, recipe, Box::new(CpuBackend::new()), (start, given))?;
                solver.runs.iter_mut().for_each(|run| run.progress.device_lost = true);
                Ok(Self { on_device_lost, lost: Some(lost), ..solver })
            }
            (begun, _) => begun.map(|solver| Self { on_device_lost, ..solver }),
        }
    }

    fn begin_on(
        started: Instant,
        form: Form,
        recipe: Recipe,
        backend: Box<dyn Backend>,
        (start, given): (Vec<u32>, bool),
    ) -> Result<Self> {
        let problem = form.problem();
        let mut start = start;
        let mut cost = problem.cost(&start)?;
        if problem.is_trivial() {
            start = problem.best_of_few();
            cost = problem.cost(&start)?;
        }
        log::debug!("{:.3} s: the device is open, the first solution costs {cost}", started.elapsed().as_secs_f64());
        let (name, device) = (backend.name(), backend.capabilities().device.clone());
        check_memory(problem, &recipe, cost, backend.as_ref())?;
        let others = if problem.is_trivial() { 0 } else { recipe.colonies - 1 };
        let others: Vec<_> = (0..others).map(|_| backend.fresh()).collect::<Result<_>>()?;
        let begin = |(colony, backend)| {
            let own = recipe.clone().with_seed(migration::seed(recipe.seed, colony));
            Run::new(started, problem, own, backend, (&start, cost, given))
        };
        let mut runs: Vec<Run> =
            std::iter::once(backend).chain(others).enumerate().map(begin).collect::<Result<_>>()?;
        let kept = Shared::default();
        for run in &mut runs {
            run.incumbent = kept.clone();
            run.keep_solution(start.clone(), cost);
        }
        let migration = Migration::of(&recipe);
        let on_device_lost = OnDeviceLost::Stop;
        Ok(Self { kept, runs, migration, recipe, form, backend: name, device, started, on_device_lost, lost: None })
    }

    /// What a solver would do: the device that `target` names, the recipe, and the plan of each phase there; no buffer is made.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn outlook(problem: impl Into<Problem>, settings: &Settings, target: Target) -> Result<Outlook> {
        let form = settings.form(&problem.into())?;
        let problem = form.problem();
        settings.recipe_for_form(&form, false)?;
        let lent = is_lent(&target);
        let backend = open(target)?;
        let capabilities = backend.capabilities();
        let recipe = settings.recipe_for_form(&form, capabilities.large)?;
        let cost = problem.cost(&recipe.phases[0].begins.solution(problem))?;
        check_memory(problem, &recipe, cost, backend.as_ref())?;
        let shape = problem.shape();
        let plan = |index| plan_of(&recipe, phases::Position { index, round: 0 }, &shape, cost, capabilities);
        let plans = match problem.is_trivial() {
            true => Vec::new(),
            false => (0..recipe.phases.len()).map(plan).collect::<Result<_>>().map_err(|error| of_lent(error, lent))?,
        };
        Ok(Outlook { device: capabilities.device.clone(), backend: backend.name(), recipe, plans })
    }

    /// The best solution that the host has a copy of, for other threads to look at while the solver runs.
    pub fn incumbent(&self) -> Incumbent {
        Incumbent { kept: self.kept.clone(), form: self.form.clone() }
    }

    /// What runs, nothing left open; of several colonies the first one's.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// `wgpu`, `cuda` or `cpu`, where it runs now.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The device before this one, where that failed and the run goes on on the CPU.
    pub fn device_lost(&self) -> Option<&DeviceLost> {
        self.lost.as_ref()
    }

    /// The sizes of the run, with several colonies those of each, and the first one's seed; `None` for instances so small that they need
    /// no colony.
    pub fn plan(&self) -> Option<&Plan> {
        self.runs[0].colony.as_ref().map(Colony::plan)
    }

    /// How far the run has come, all colonies together.
    pub fn progress(&self) -> Progress {
        self.own_progress().in_costs(|cost| self.form.cost(cost))
    }

    /// The same with costs in the form that kernels know.
    fn own_progress(&self) -> Progress {
        self.runs[1..].iter().fold(self.runs[0].progress, |all, run| all.with(&run.progress))
    }

    /// The first colony, for tests and tools that look inside; `None` for instances so small that they need none.
    ///
    /// # Safety
    /// As [`Solver::colonies`].
    #[doc(hidden)]
    #[allow(unsafe_code, reason = "the caller may break what kernels trust")]
    pub unsafe fn colony(&mut self) -> Option<&mut Colony> {
        // SAFETY: the caller keeps to it.
        unsafe { self.colonies() }.next()
    }

    /// All colonies in the order of their ring.
    ///
    /// # Safety
    /// Kernels on the CUDA backend trust their indices. So the caller runs no calls but those that the colony names, over units that its plan
    /// has, and writes no word into its buffers that a kernel of this crate could not have written there.
    #[doc(hidden)]
    #[allow(unsafe_code, reason = "the caller may break what kernels trust")]
    pub unsafe fn colonies(&mut self) -> impl Iterator<Item = &mut Colony> {
        self.runs.iter_mut().filter_map(|run| run.colony.as_mut())
    }

    /// Makes `iterations` iterations, for an application with its own loop. Returns when they are done.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device fails.
    pub fn step(&mut self, iterations: u32) -> Result<Progress> {
        let stop = Stop::iterations(self.progress().iteration.saturating_add(iterations));
        self.advance(&stop, &mut |_| ControlFlow::Continue(()))?;
        Ok(self.progress())
    }

    /// Runs until a rule of `stop` holds; `observe` sees each reading and may end the run. Can be called again to go on.
    ///
    /// # Errors
    /// [`crate::Error::Config`] for a stop without any rule; [`crate::Error::Device`] when the device fails: [`Solver::salvage`] then still
    /// has a tour.
    pub fn run(&mut self, stop: &Stop, mut observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<Solution> {
        let now = Instant::now();
        let begun = Some((now, self.progress().iteration));
        let stop = Stop { clock: Some(stop.clock.unwrap_or(now)), begun, ..stop.clone() };
        let ended = self.run_on(&stop, &mut observe)?;
        self.solution(ended)
    }

    /// The same, and tells more on the way: better solutions as they are found, which are copied to the host for that, and phases.
    ///
    /// # Errors
    /// As [`Solver::run`].
    pub fn run_observed(&mut self, stop: &Stop, observer: &mut dyn Observer) -> Result<Solution> {
        let mut stop = Stop { clock: Some(stop.clock.unwrap_or_else(Instant::now)), ..stop.clone() };
        let mut told: Option<Progress> = None;
        loop {
            let now = self.progress();
            let mut goes_on = ControlFlow::Continue(());
            if told.is_none_or(|before| now.cost < before.cost) {
                goes_on = observer.gain(&now, &self.best()?);
            }
            if told.is_some_and(|before| (now.phase, now.round) != (before.phase, before.round))
                && goes_on.is_continue()
            {
                goes_on = observer.phase(&now);
            }
            if told.is_some() && goes_on.is_continue() {
                goes_on = observer.progress(&now);
            }
            told = Some(now);
            if goes_on.is_break() {
                return self.solution(Ended::Cancelled);
            }
            // One turn: the observer of turns ends each run after it.
            stop.begun = stop.begun.or(Some((Instant::now(), now.iteration)));
            match self.run_on(&stop, &mut |_| ControlFlow::Break(()))? {
                Ended::Cancelled if !stop.is_cancelled() => {}
                ended => {
                    let now = self.progress();
                    if told.is_none_or(|before| now.cost < before.cost) {
                        let _ = observer.gain(&now, &self.best()?);
                    }
                    return self.solution(ended);
                }
            }
        }
    }

    /// The best solution so far.
    fn best(&mut self) -> Result<Vec<u32>> {
        Ok(self.solution(Ended::Cancelled)?.permutation)
    }

    /// Runs on until a rule of `stop` holds; why it ended.
    fn run_on(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        if stop.is_empty() {
            let message = "no rule ends the run: give it a time, a number of iterations, a target or a token (Stop::cancelled_by)";
            return Err(Error::Config(message.into()));
        }
        self.advance(stop, observe)
    }

    /// The best tour so far with everything known about the run.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device fails to hand the tour over.
    pub fn solution(&mut self, ended: Ended) -> Result<Solution> {
        let best = self.best_by(|run| run.progress.cost);
        let solution = match self.runs[best].solution(ended) {
            Ok(solution) => solution,
            Err(error) => {
                self.lose_device(error)?;
                let best = self.best_by(|run| run.kept_cost);
                Solution { ended, ..self.runs[best].salvage() }
            }
        };
        let solution = self.of_all(solution).of_form(&self.form);
        // The problem's own arithmetic has the last word.
        match self.form.original().cost(&solution.permutation)? {
            cost if cost == solution.cost => Ok(solution),
            cost => Err(Error::Device {
                device: self.device.clone(),
                message: format!("a solution that costs {cost} was told to cost {}", solution.cost),
            }),
        }
    }

    /// The best tour that the host holds a copy of, for use after an error: nothing is asked of the device.
    pub fn salvage(&self) -> Solution {
        let best = self.best_by(|run| run.kept_cost);
        self.of_all(self.runs[best].salvage()).of_form(&self.form)
    }

    fn advance(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        if self.plan().is_none() {
            return Ok(Ended::Trivial);
        }
        let own_target = stop.target.and_then(|target| self.form.own_cost(target));
        let stop = Stop { target: own_target, ..stop.clone() };
        loop {
            if let Some(ended) = stop.ended(&self.own_progress(), self.started) {
                return Ok(ended);
            }
            self.leave_lost_device()?;
            match self.turn(&stop) {
                Ok(Some(ended)) => return Ok(ended),
                Ok(None) => {}
                Err(error) => self.lose_device(error)?,
            }
            if observe(&self.progress()).is_break() {
                return Ok(Ended::Cancelled);
            }
        }
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("backend", &self.backend)
            .field("device", &self.device)
            .field("recipe", &self.recipe)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

/// What a solver would do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outlook {
    /// The device's name.
    pub device: String,
    /// `wgpu`, `cuda` or `cpu`.
    pub backend: &'static str,
    /// What runs.
    pub recipe: Recipe,
    /// The sizes of each phase; none for instances so small that all solutions are tried at once.
    pub plans: Vec<Plan>,
}

/// Checks that the first phase of all colonies fits into the device's memory.
fn check_memory(problem: &Problem, recipe: &Recipe, cost: u64, backend: &dyn Backend) -> Result<()> {
    if problem.is_trivial() {
        return Ok(());
    }
    let device = backend.capabilities();
    plan_of(recipe, phases::Position::default(), &problem.shape(), cost, device)?.check_memory(recipe.colonies, device)
}

/// Makes what takes longest of all that the first phase asks for, while a device is opened: the lists of neighbours, unless the first
/// solution needs and keeps them.
fn prepare(problem: &Problem, recipe: &Recipe) {
    if let Problem::Tsp(instance) = problem
        && recipe.phases[0].begins == Begins::SpaceFilling
        && let System::Windows(windows) = recipe.phases[0].system
        && windows.quadrants == 0
    {
        instance.neighbours(SEARCHED_CANDIDATES);
    }
}

/// Whether the host application opened the device.
fn is_lent(target: &Target) -> bool {
    matches!(target, Target::Existing(device) if device.lent)
}

/// What is too large for a lent device may fit when it is asked for with more.
fn of_lent(error: Error, lent: bool) -> Error {
    match error {
        Error::TooLarge { device, what, needed, limit, remedy } if lent => {
            let remedy =
                format!("ask for the device with required_limits: adapter.limits(), which may offer more; or {remedy}");
            Error::TooLarge { device, what, needed, limit, remedy }
        }
        other => other,
    }
}

#[cfg_attr(feature = "cuda", allow(unsafe_code, reason = "kernels on the CUDA backend trust their indices"))]
fn open(target: Target) -> Result<Box<dyn Backend>> {
    Ok(match target {
        Target::Cpu => Box::new(CpuBackend::new()),
        Target::Wgpu(choice) => Box::new(WgpuBackend::new(Device::open(choice.as_deref(), true)?)?),
        #[cfg(feature = "cuda")]
        Target::Cuda(choice) => {
            let device = CudaDevice::open(choice.as_deref())?;
            // SAFETY: a solver gives its backend this crate's kernels, buffers of the sizes that plans say, and words that the host makes
            // for them; whoever looks into it (`Solver::colonies`) vouches for the rest.
            Box::new(unsafe { CudaBackend::new(device) }?)
        }
        Target::Existing(device) => Box::new(WgpuBackend::new(device)?),
        Target::Auto => match Device::open(None, false) {
            Ok(device) => Box::new(WgpuBackend::new(device)?),
            Err(error) => {
                log::info!("running on the CPU: {error}");
                Box::new(CpuBackend::new())
            }
        },
    })
}
