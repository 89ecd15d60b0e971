//! The run loop: from a problem and a recipe to a solution, under a stop rule. One colony, or several in turns.

use std::fmt;
use std::time::Duration;

use web_time::Instant;

use crate::backend::BackendKind;
use crate::colony::Colony;
use crate::error::Result;
use crate::instance::problem::{Form, Problem};
use crate::kernels::plan::Plan;
use crate::settings::{OnDeviceLost, Recipe, Settings};

mod abandoned;
mod at_once;
mod background;
#[cfg(not(target_family = "wasm"))]
mod batch;
mod batching;
mod calls;
mod checkpoint;
mod clock;
mod colonies;
mod devices;
mod given;
mod incumbent;
mod interrupted;
#[cfg(not(target_family = "wasm"))]
mod job;
mod lost;
mod measured;
mod migration;
mod observer;
mod one;
mod own_solution;
#[cfg(not(target_family = "wasm"))]
mod pack;
#[cfg(not(target_family = "wasm"))]
mod panics;
mod phases;
mod pools;
mod precompile;
mod proof;
mod ran;
#[doc(hidden)]
pub mod ranks;
mod records;
mod setup;
mod share;
mod solution;
mod stop;
mod succession;
mod target;
mod warm_up;
mod windowed;
#[cfg(not(target_family = "wasm"))]
mod worker;

#[cfg(test)]
mod faults;

pub use abandoned::Abandoned;
#[doc(hidden)]
pub use abandoned::{HeldUp, Patience, UnderWay};
#[cfg(not(target_family = "wasm"))]
pub use batch::{Batch, Found, Solved, Source};
use checkpoint::Keeper;
pub use checkpoint::{Checkpoint, Resumed};
use clock::Clock;
use devices::{Devices, Part};
use given::Given;
pub use incumbent::Incumbent;
use incumbent::Shared;
#[cfg(not(target_family = "wasm"))]
pub use job::Job;
pub use lost::DeviceLost;
use migration::NextMigration;
pub use observer::{Finished, Observer};
use one::{Run, Start};
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub use panics::text_of;
#[doc(hidden)]
pub use pools::{STACK_BYTES, thread_named};
pub use proof::Proof;
pub use ran::Ran;
use ranks::Group;
pub use records::{PhaseEnded, PhaseRecord};
pub use setup::Outlook;
use setup::{advised, begun_with, check_settings, first_solution, prepare};
pub use share::DeviceShare;
pub use solution::{Progress, Solution, TracePoint};
pub use stop::{Cancel, Ended, Stop};
pub use target::Target;
use warm_up::WarmUp;

/// How long a submission should take: long enough to hide its cost, short enough to obey limits.
const SUBMISSION: Duration = Duration::from_millis(80);
/// The most iterations in one submission.
const MAX_BATCH: u32 = 512;

/// Solves a problem with all defaults, on a GPU where there is one; should that fail the CPU goes on ([`Solution::device_lost`]). It takes `time`, set-up
/// included (and longer where the set-up alone does, see [`Solver::new`]; a [`Job`] keeps to it), and ends before that as soon as no solution is better (of few cities or facilities, see
/// [`Problem::least_cost`]), or when little more is to be expected ([`Stop::DEFAULT_ROUNDS`]).
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
    let stop = Stop::time(time).since(Instant::now()).or(Stop::rounds(Stop::DEFAULT_ROUNDS));
    let problem = problem.into();
    let stop = stop.or(Stop::proved_by(&Proof::of(&problem)));
    let settings = Settings { on_device_lost: OnDeviceLost::Cpu, ..Settings::default() };
    Solver::new(problem, &settings, Target::Auto)?.run(&stop)
}

/// Solves one instance. All of it blocks: in an async program run it on a thread for that (`spawn_blocking`), or call [`Solver::run`] with
/// [`Stop::time`] of some milliseconds over and over. A solver is `Send` and not `Sync`. Its set-up and its CPU twins work on the caller's rayon
/// pool, so that pool must not be blocked meanwhile by tasks that wait for the solver.
///
/// ```
/// use myrmex::{Settings, Solver, Stop, Target, tsp::{Instance, Kind, generate}};
///
/// let instance = generate(Kind::Lattice, 64, 1)?;
/// let mut solver = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let solution = solver.run(&Stop::iterations(50))?;
/// assert_eq!(solution.cost, instance.tour_cost(&solution.permutation)?);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub struct Solver {
    /// The colonies, at least one.
    runs: Vec<Run>,
    /// When they migrate.
    migration: Option<NextMigration>,
    recipe: Recipe,
    /// What it follows from, the algorithm and the effort chosen.
    settings: Settings,
    /// The problem as kernels know it: what runs say is in this form.
    form: Form,
    /// What tells the problem from others, once it was asked for.
    fingerprint: Option<u64>,
    devices: Devices,
    clock: Clock,
    /// The best solution that a run has kept, in this form.
    kept: Shared,
    /// The solution that was given, where rounding may let a longer one cost less.
    given: Option<Given>,
    /// The device that has failed, of several the first.
    lost: Option<DeviceLost>,
    /// The cost of the solution that was measured last, and the length that it was to have.
    measured: Option<(u64, f64)>,
    /// Where the run went on from.
    resumed: Option<Resumed>,
    /// When the first of the calls was made that have a rule of stagnation, one after the other, and the iterations made before: what gains nothing is counted
    /// from there on.
    begun: Option<(Instant, u32)>,
    /// How far several colonies had come, those of other ranks too, when all had last come to the iteration that would end the run, or when
    /// ranks last met: the best cost, and the iteration that found it.
    known: Option<Progress>,
    /// Why the last call ended.
    ended: Ended,
    /// What writes checkpoints on the way.
    keeper: Option<Keeper>,
    /// The other ranks, where several processes solve the problem.
    group: Option<Group>,
}

impl Solver {
    /// A solver for `problem`, an instance of the travelling salesman or the quadratic assignment problem, on `target`.
    ///
    /// The set-up takes from milliseconds to seconds, with asymmetric distances between thousands of cities, or thousands of facilities, some ten seconds,
    /// and no stop rule ends it: a [`Job`] makes it on a thread of its own, and lets go of it.
    ///
    /// # Errors
    /// [`crate::Error::Config`] for settings that make no sense, [`crate::Error::NoAdapter`] where `target` asks for a GPU that is not
    /// there, [`crate::Error::TooLarge`] and [`crate::Error::Device`] for what the device cannot hold or refuses.
    /// (With [`OnDeviceLost::Cpu`](crate::settings::OnDeviceLost::Cpu) the CPU takes the place of a device that fails, but not of one that is too small or does not open.)
    pub fn new(problem: impl Into<Problem>, settings: &Settings, target: Target) -> Result<Self> {
        let started = Instant::now();
        let form = settings.form(&problem.into())?;
        let recipe = check_settings(settings, &form, &target, 1)?;
        let begins = recipe.phases[0].begins;
        advised(target, |target| {
            let problem = form.problem();
            // A driver takes its time to open a device.
            let first = || rayon::join(|| first_solution(begins, problem), || prepare(problem, &recipe)).0;
            let (mut start, devices) = rayon::join(first, || Devices::open(target, settings.on_device_lost));
            let devices = devices?;
            let (settings, recipe) = devices.recipe(settings, &form)?;
            if recipe.phases[0].begins != begins {
                start = first_solution(recipe.phases[0].begins, problem);
            }
            Self::begin(started, form, (settings, recipe), devices, (start, false))
        })
    }

    /// The same, with `start` as the first best solution, which a run never loses, also where rounding would count a longer one as less (but for what goes on from a checkpoint, and several ranks). A tour that costs 2³¹ or more, and more than the
    /// algorithm's own first one, is passed over where the windows that open a run of `lk-eax` could not count it. Windows (`lk`, `lk-eax`) improve it; ants that construct take
    /// their first trail limits from its cost. Populations (`eax`, `memetic`) and the walks of `clk` begin with solutions of their own.
    ///
    /// # Errors
    /// As [`Solver::new`], and [`crate::Error::Tour`] or [`crate::Error::Assignment`] when `start` is no solution.
    pub fn with_start(problem: impl Into<Problem>, settings: &Settings, target: Target, start: &[u32]) -> Result<Self> {
        let (started, form) = (Instant::now(), settings.form_from(&problem.into(), start)?);
        check_settings(settings, &form, &target, 1)?;
        advised(target, |target| {
            let (given, start) = (Given::of(&form, start)?, form.own_solution(start)?);
            let devices = Devices::open(target, settings.on_device_lost)?;
            let (settings, recipe) = devices.recipe(settings, &form)?;
            let start = begun_with(start, &recipe, form.problem())?;
            let solver = Self::begin(started, form, (settings, recipe), devices, start)?;
            Ok(Self { given, ..solver })
        })
    }

    fn begin(
        started: Instant,
        form: Form,
        (settings, recipe): (Settings, Recipe),
        devices: Devices,
        (start, given): (Vec<u32>, bool),
    ) -> Result<Self> {
        let problem = form.problem();
        let start = if problem.is_trivial() { form.best_of_few() } else { start };
        let (cost, clock) = (problem.cost(&start)?, Clock::new(started));
        let colonies = if problem.is_trivial() { 1 } else { devices.colonies(recipe.colonies) };
        log::debug!("{:.3} s: the device is open, the first solution costs {cost}", clock.seconds());
        let run = |Part { recipe, backend, places, .. }: Part| {
            let start = Start { solution: &start, cost, given };
            let run = Run::new(clock, problem, recipe, backend, start)?;
            Ok(Run { places, ..run })
        };
        let make = |devices: &Devices| {
            devices.check_memory(problem, &recipe, cost)?;
            devices.runs(&recipe, (0..colonies).collect(), run)
        };
        let (mut runs, devices, lost) = lost::on_devices_or_cpu(settings.on_device_lost, clock, devices, make)?;
        let kept = Shared::default();
        for run in &mut runs {
            run.kept.incumbent = kept.clone();
            run.keep_solution(start.clone(), cost);
        }
        Ok(Self { lost, ..Self::of(form, (settings, recipe), devices, (runs, kept), clock) })
    }

    /// A solver of runs that have their colonies, before its first turn.
    fn of(
        form: Form,
        (settings, recipe): (Settings, Recipe),
        devices: Devices,
        (runs, kept): (Vec<Run>, Shared),
        clock: Clock,
    ) -> Self {
        Self {
            runs,
            migration: NextMigration::of(&recipe),
            recipe,
            settings,
            form,
            fingerprint: None,
            devices,
            clock,
            kept,
            given: None,
            lost: None,
            measured: None,
            resumed: None,
            begun: None,
            known: None,
            ended: Ended::Iterations,
            keeper: None,
            group: None,
        }
    }

    /// The best solution that the host has a copy of, for other threads to look at while the solver runs.
    pub fn incumbent(&self) -> Incumbent {
        Incumbent { kept: self.kept.clone(), form: self.form.clone(), given: self.given.clone() }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        self.form.original()
    }

    /// What runs, nothing left open; of several colonies the first one's.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Where it runs now.
    pub fn backend(&self) -> BackendKind {
        self.devices.backend()
    }

    /// The device's name; of several the names of all.
    pub fn device(&self) -> &str {
        self.devices.name()
    }

    /// What each device does, if there are several.
    pub fn devices(&self) -> Vec<DeviceShare> {
        self.devices.shares(self.recipe.colonies)
    }

    /// The device before this one, where that failed and the run goes on on the CPU; of several that failed the first.
    pub fn device_lost(&self) -> Option<&DeviceLost> {
        self.lost.as_ref()
    }

    /// Whether the instance is so small that all solutions were tried at once, and nothing is left to search.
    pub fn is_trivial(&self) -> bool {
        self.form.problem().is_trivial()
    }

    /// The sizes of the run, with several colonies those of each, and the first one's seed; `None` where it needs no colony ([`Solver::is_trivial`]), and
    /// between two windows of a large tour.
    pub fn plan(&self) -> Option<&Plan> {
        let run = &self.runs[0];
        run.windowed.as_ref().and_then(|windowed| windowed.run()).unwrap_or(run).colony.as_ref().map(Colony::plan)
    }

    /// How far the run has come, all colonies together.
    pub fn progress(&self) -> Progress {
        self.own_progress().in_costs(|cost| self.form.cost(cost))
    }

    /// The same with costs in the form that kernels know.
    fn own_progress(&self) -> Progress {
        let all = || self.runs.iter().chain(self.elsewhere().map(|(_, run)| run));
        let furthest = self.runs.iter().map(|run| run.progress.iteration).max().unwrap_or_default();
        // Colonies that rest have made all that they make.
        let of = |run: &Run| match run.course.rests {
            Some(_) => Progress { iteration: furthest, ..run.progress },
            None => run.progress,
        };
        all().skip(1).fold(of(&self.runs[0]), |together, run| together.with(&of(run)))
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

    /// All colonies, the first one first.
    ///
    /// # Safety
    /// Kernels on the CUDA backend trust their indices. So the caller runs no calls but those that the colony names, over units that its plan
    /// has, and writes no word into its buffers that a kernel of this crate could not have written there.
    ///
    /// Who does not promise that gets none:
    ///
    /// ```
    /// fn first(solver: &mut myrmex::Solver) -> Option<&mut myrmex::colony::Colony> { unsafe { solver.colonies().next() } }
    /// fn same(solver: &mut myrmex::Solver) -> Option<&mut myrmex::colony::Colony> { unsafe { solver.colony() } }
    /// ```
    /// ```compile_fail,E0133
    /// fn first(solver: &mut myrmex::Solver) -> Option<&mut myrmex::colony::Colony> { solver.colonies().next() }
    /// ```
    /// ```compile_fail,E0133
    /// fn same(solver: &mut myrmex::Solver) -> Option<&mut myrmex::colony::Colony> { solver.colony() }
    /// ```
    #[doc(hidden)]
    #[allow(unsafe_code, reason = "the caller may break what kernels trust")]
    pub unsafe fn colonies(&mut self) -> impl Iterator<Item = &mut Colony> {
        self.runs.iter_mut().filter_map(|run| run.colony.as_mut())
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("backend", &self.backend())
            .field("device", &self.device())
            .field("recipe", &self.recipe)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}
