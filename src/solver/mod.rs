//! The run loop: from an instance and a configuration to a tour, under a stop rule.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::aco::config::{BestOn, Config};
use crate::aco::system::System;
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, Call, CpuBackend, KernelTiming};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::kernels::plan::Plan;
use crate::problem::Problem;

mod ahead;
mod hand_over;
mod keep;
mod run;
mod slices;

use ahead::Ahead;
use hand_over::{HandOver, first_config};
pub use run::{Ended, Progress, Solution, Stop, Target, TracePoint};
use slices::Slices;

/// How long a submission should take: long enough to hide its cost, short enough to obey limits.
const SUBMISSION: Duration = Duration::from_millis(80);
/// The most iterations in one submission.
const MAX_BATCH: u32 = 512;
/// The best tour is copied to the host, lest a lost device take it along, when this many bytes an iteration pay for it.
const COPY_BYTES_PER_ITERATION: u64 = 512;

/// Solves one instance.
///
/// ```
/// use myrmex::{Config, Solver, Stop, Target, tsp::{Instance, Kind, generate}};
///
/// let instance = generate(Kind::Lattice, 64, 1)?;
/// let mut solver = Solver::new(&instance, &Config::default(), Target::Cpu)?;
/// let solution = solver.run(&Stop::iterations(50), |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(solution.cost, instance.tour_cost(&solution.permutation)?);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub struct Solver {
    problem: Problem,
    /// `None` for instances so small that all solutions cost the same.
    colony: Option<Colony>,
    backend: &'static str,
    device: String,
    started: Instant,
    progress: Progress,
    trace: Vec<TracePoint>,
    slices: Slices,
    /// Seconds an iteration takes; `None` until one was measured whole.
    iteration_seconds: Option<f64>,
    /// The last tour copied to the host, the iteration of the copy, and the best cost then.
    kept: Vec<u32>,
    kept_at: u32,
    kept_cost: u64,
    /// The present colony's best cost: an earlier one may have had a better one.
    own_cost: u64,
    longest_submission: f64,
    /// By how much the device's count of a cost may differ from the host's: where coordinates are rounded, by 1 an edge.
    slack: u64,
    /// What the run goes on with when the present system has done its part.
    hand_over: Option<HandOver>,
    /// The kernels of colonies that follow, on their way.
    _ahead: Option<Ahead>,
    /// What a system that has handed over has done.
    earlier: Earlier,
}

/// Work of colonies that are no more.
#[derive(Clone, Default)]
struct Earlier {
    iterations: u32,
    kernels: Vec<KernelTiming>,
}

impl Earlier {
    fn add(&mut self, kernels: Vec<KernelTiming>) {
        for kernel in kernels {
            match self.kernels.iter_mut().find(|known| known.name == kernel.name) {
                Some(known) => {
                    known.calls += kernel.calls;
                    known.ms += kernel.ms;
                }
                None => self.kernels.push(kernel),
            }
        }
    }

    /// The kernels of earlier colonies and those of the present one.
    fn with(&self, kernels: Vec<KernelTiming>) -> Vec<KernelTiming> {
        let mut all = self.clone();
        all.add(kernels);
        all.kernels
    }
}

impl Solver {
    /// A solver for `problem`, an instance of the travelling salesman or the quadratic assignment problem, on `target`.
    ///
    /// # Errors
    /// [`Error::Config`] for parameters out of range, [`Error::NoAdapter`] where `target` asks for a GPU that is not
    /// there, [`Error::TooLarge`] and [`Error::Device`] for what the device cannot hold or refuses.
    pub fn new(problem: impl Into<Problem>, config: &Config, target: Target) -> Result<Self> {
        let started = Instant::now();
        let problem = problem.into();
        // A driver takes its time to open a device.
        let (start, backend) = rayon::join(|| problem.first_solution(config), || open(target));
        Self::begin(started, problem, config, backend?, (start, false))
    }

    /// The same, with `start` as the first best solution. Focused ants improve it; ants that construct take their first trail limits
    /// from its cost.
    ///
    /// # Errors
    /// As [`Solver::new`], and [`Error::Tour`] or [`Error::Assignment`] when `start` is no solution.
    pub fn with_start(problem: impl Into<Problem>, config: &Config, target: Target, start: &[u32]) -> Result<Self> {
        Self::begin(Instant::now(), problem.into(), config, open(target)?, (start.to_vec(), true))
    }

    fn begin(
        started: Instant,
        problem: Problem,
        config: &Config,
        backend: Box<dyn Backend>,
        (start, given): (Vec<u32>, bool),
    ) -> Result<Self> {
        let cost = problem.cost(&start)?;
        log::debug!("{:.3} s: the device is open, the first solution costs {cost}", started.elapsed().as_secs_f64());
        let (name, device) = (backend.name(), backend.capabilities().device.clone());
        // Checked for small instances too, so that a wrong configuration is told there as well.
        System::new(&problem.shape(), config)?;
        let mut plan = Plan::new(&problem.shape(), cost, &first_config(config), backend.capabilities())?;
        if given {
            plan = plan.begun();
        }
        let hand_over = HandOver::of(config, &plan, 0, 0);
        let ahead = hand_over.as_ref().and_then(|follows| follows.ahead(&problem.shape(), cost, backend.as_ref()));
        let wide = backend.capabilities().wide;
        let colony = match problem.is_trivial() {
            true => None,
            false => Some(Colony::new(backend, &problem, plan, &start)?),
        };
        let slack = if problem.counts_exactly() { 0 } else { problem.len() as u64 };
        let seconds = started.elapsed().as_secs_f64();
        log::debug!("{seconds:.3} s: the colony is ready");
        Ok(Self {
            problem,
            colony,
            backend: name,
            device,
            started,
            progress: Progress { seconds, iteration: 0, cost, best_iteration: 0, restarts: 0, ants_cost: u64::MAX },
            trace: vec![TracePoint { seconds, iteration: 0, cost, shared_edges: None }],
            slices: Slices::new(wide),
            iteration_seconds: None,
            kept: start,
            kept_at: 0,
            kept_cost: cost,
            own_cost: cost,
            longest_submission: 0.0,
            slack,
            hand_over,
            _ahead: ahead,
            earlier: Earlier::default(),
        })
    }

    /// The device that `target` names, and the plan that a solver would follow there; nothing is allocated.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn plan_for(problem: impl Into<Problem>, config: &Config, target: Target) -> Result<(String, Plan)> {
        let problem = problem.into();
        let cost = problem.cost(&problem.first_solution(config))?;
        let backend = open(target)?;
        let capabilities = backend.capabilities();
        System::new(&problem.shape(), config)?;
        let plan = Plan::new(&problem.shape(), cost, &first_config(config), capabilities)?;
        Ok((capabilities.device.clone(), plan))
    }

    /// `wgpu` or `cpu`.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The sizes of the run; `None` for instances so small that they need no colony.
    pub fn plan(&self) -> Option<&Plan> {
        self.colony.as_ref().map(Colony::plan)
    }

    /// How far the run has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The colony, for tests and tools that look inside; `None` for instances so small that they need none.
    pub fn colony(&mut self) -> Option<&mut Colony> {
        self.colony.as_mut()
    }

    /// Makes `iterations` iterations, for an application with its own loop. Returns when they are done.
    ///
    /// # Errors
    /// [`Error::Device`] when the device fails.
    pub fn step(&mut self, iterations: u32) -> Result<Progress> {
        let stop = Stop::iterations(self.progress.iteration.saturating_add(iterations));
        self.advance(&stop, &mut |_| ControlFlow::Continue(()))?;
        Ok(self.progress)
    }

    /// Runs until a rule of `stop` holds; `observe` sees each reading and may end the run. Can be called again to go on.
    ///
    /// # Errors
    /// [`Error::Device`] when the device fails; [`Solver::salvage`] then still has a tour.
    pub fn run(&mut self, stop: &Stop, mut observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<Solution> {
        let stop = Stop { clock: Some(stop.clock.unwrap_or_else(Instant::now)), ..stop.clone() };
        let ended = self.advance(&stop, &mut observe)?;
        self.solution(ended)
    }

    /// The best tour so far with everything known about the run.
    ///
    /// # Errors
    /// [`Error::Device`] when the device fails to hand the tour over.
    pub fn solution(&mut self, ended: Ended) -> Result<Solution> {
        let permutation = match &mut self.colony {
            Some(colony) if self.own_cost < self.kept_cost => colony.best_solution()?,
            Some(_) => self.kept.clone(),
            None => (0..self.problem.len() as u32).collect(),
        };
        // The host's own arithmetic has the last word.
        let cost = self.problem.cost(&permutation)?;
        if cost.abs_diff(self.progress.cost) > self.slack {
            return Err(Error::Device {
                device: self.device.clone(),
                message: format!("claims cost {} for a solution that costs {cost}", self.progress.cost),
            });
        }
        Ok(self.assemble(permutation, cost, ended))
    }

    /// The best tour that the host holds a copy of, for use after an error: nothing is asked of the device.
    pub fn salvage(&self) -> Solution {
        // The copy was checked when it was made.
        self.assemble(self.kept.clone(), self.kept_cost, Ended::Failed)
    }

    fn assemble(&self, permutation: Vec<u32>, cost: u64, ended: Ended) -> Solution {
        Solution {
            permutation,
            cost,
            iterations: self.progress.iteration,
            seconds: self.started.elapsed().as_secs_f64(),
            ended,
            trace: self.trace.clone(),
            kernels: self.earlier.with(self.colony.as_ref().map(Colony::timings).unwrap_or_default()),
            longest_submission: self.longest_submission,
        }
    }

    /// Runs `calls` in one submission; the time it took.
    fn submit(&mut self, colony: &mut Colony, calls: &[Call]) -> Result<Duration> {
        let start = Instant::now();
        colony.run(calls)?;
        let took = start.elapsed();
        self.longest_submission = self.longest_submission.max(took.as_secs_f64());
        Ok(took)
    }

    fn advance(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        let Some(mut colony) = self.colony.take() else { return Ok(Ended::Trivial) };
        let result = self.advance_colony(&mut colony, stop, observe);
        self.colony = Some(colony);
        result
    }

    fn advance_colony(
        &mut self,
        colony: &mut Colony,
        stop: &Stop,
        observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Ended> {
        loop {
            if let Some(ended) = self.ended(stop) {
                return Ok(ended);
            }
            let batch = self.batch(stop);
            if batch > 0 {
                let each = self.iterations(colony, batch)?.as_secs_f64() / f64::from(batch);
                self.iteration_seconds = Some(match self.iteration_seconds {
                    Some(before) => 0.5 * before + 0.5 * each,
                    None => each,
                });
            } else if let Some(ended) = self.sliced_iteration(colony, stop)? {
                return Ok(ended);
            }
            let state = colony.state()?;
            self.note(&state);
            self.keep(colony)?;
            self.hand_over(colony)?;
            if observe(&self.progress).is_break() {
                return Ok(Ended::Cancelled);
            }
        }
    }

    /// Some iterations, in one submission unless the host has to look at each; the time they took.
    fn iterations(&mut self, colony: &mut Colony, count: u32) -> Result<Duration> {
        let ants = colony.ant_calls(0..colony.plan().ants() as u32);
        let end = colony.end_calls();
        if colony.plan().system.best_on == BestOn::Device {
            let calls: Vec<Call> = (0..count).flat_map(|_| ants.iter().chain(&end).cloned()).collect();
            return self.submit(colony, &calls);
        }
        let start = Instant::now();
        for _ in 0..count {
            self.submit(colony, &ants)?;
            colony.choose_best()?;
            self.submit(colony, &end)?;
        }
        Ok(start.elapsed())
    }

    /// One iteration in several submissions, with the stop rules looked at between them: ranges of ants, and of the calls
    /// of a range as many as a submission holds. Where all ants step together there is one range.
    fn sliced_iteration(&mut self, colony: &mut Colony, stop: &Stop) -> Result<Option<Ended>> {
        let ants = colony.plan().ants() as u32;
        let began = Instant::now();
        let whole = self.slices == Slices { done: 0, end: 0, calls_done: 0, ..self.slices };
        while self.slices.done < ants {
            if self.slices.calls_done == 0 {
                let most = if colony.plan().synchronous() { ants } else { self.slices.ants };
                self.slices.end = self.slices.done.saturating_add(most).min(ants);
            }
            let calls = colony.ant_calls(self.slices.done..self.slices.end);
            let mut seconds = 0.0;
            while self.slices.calls_done < calls.len() {
                let first = self.slices.calls_done;
                let end = first.saturating_add(self.slices.calls).min(calls.len());
                let took = self.submit(colony, &calls[first..end])?.as_secs_f64();
                seconds += took;
                self.slices.calls_done = end;
                self.slices.judge(took);
                if let Some(ended) = self.ended(stop) {
                    return Ok(Some(ended));
                }
            }
            if seconds * 2.0 < SUBMISSION.as_secs_f64() * f64::from(self.slices.patience) {
                self.slices.ants = self.slices.ants.saturating_mul(2);
            }
            self.slices.done = self.slices.end;
            self.slices.calls_done = 0;
        }
        colony.choose_best()?;
        self.submit(colony, &colony.end_calls())?;
        (self.slices.done, self.slices.end) = (0, 0);
        if whole {
            self.iteration_seconds = Some(began.elapsed().as_secs_f64());
        }
        Ok(None)
    }

    /// Iterations for the next submission; 0 when one alone is too long or unmeasured.
    fn batch(&self, stop: &Stop) -> u32 {
        let Some(each) = self.iteration_seconds.filter(|_| self.slices.done == 0 && self.slices.calls_done == 0) else {
            return 0;
        };
        if each > 2.0 * SUBMISSION.as_secs_f64() {
            return 0;
        }
        let mut room = SUBMISSION.as_secs_f64();
        if let (Some(limit), Some(clock)) = (stop.time, stop.clock) {
            room = room.min(limit.saturating_sub(clock.elapsed()).as_secs_f64());
        }
        let fitting = (room / each.max(1e-9)).min(f64::from(MAX_BATCH)) as u32;
        let left = stop.iterations.map_or(u32::MAX, |all| all.saturating_sub(self.progress.iteration));
        let look = self.hand_over.as_ref().map_or(u32::MAX, |hand_over| hand_over.left(self.progress.iteration));
        fitting.clamp(1, MAX_BATCH).min(left).min(look)
    }

    fn ended(&self, stop: &Stop) -> Option<Ended> {
        if stop.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Ended::Cancelled);
        }
        if stop.target.is_some_and(|target| self.progress.cost <= target) {
            return Some(Ended::Target);
        }
        if stop.iterations.is_some_and(|all| self.progress.iteration >= all) {
            return Some(Ended::Iterations);
        }
        let clock = stop.clock.unwrap_or(self.started);
        stop.time.is_some_and(|limit| clock.elapsed() >= limit).then_some(Ended::Time)
    }
}

fn open(target: Target) -> Result<Box<dyn Backend>> {
    Ok(match target {
        Target::Cpu => Box::new(CpuBackend::new()),
        Target::Wgpu(choice) => Box::new(WgpuBackend::new(Device::open(choice.as_deref(), true)?)?),
        #[cfg(feature = "cuda")]
        Target::Cuda(choice) => Box::new(CudaBackend::new(CudaDevice::open(choice.as_deref())?)?),
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
