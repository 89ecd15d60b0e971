//! The run loop: from an instance and a configuration to a tour, under a stop rule. One colony, or several in turns.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::aco::colonies;
use crate::aco::config::Config;
use crate::aco::system::System;
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, CpuBackend};
use crate::colony::Colony;
use crate::error::Result;
use crate::kernels::plan::Plan;
use crate::problem::Problem;

mod ahead;
mod hand_over;
mod keep;
mod meanwhile;
mod one;
mod ring;
mod run;
mod slices;

use ahead::Ahead;
use hand_over::first_config;
use meanwhile::Meanwhile;
use one::Run;
use ring::Exchanges;
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
    /// The colonies, at least one; several are a ring.
    runs: Vec<Run>,
    /// When they exchange their bests.
    exchanges: Option<Exchanges>,
    backend: &'static str,
    device: String,
    started: Instant,
}

impl Solver {
    /// A solver for `problem`, an instance of the travelling salesman or the quadratic assignment problem, on `target`.
    ///
    /// # Errors
    /// [`crate::Error::Config`] for parameters out of range, [`crate::Error::NoAdapter`] where `target` asks for a GPU that is not
    /// there, [`crate::Error::TooLarge`] and [`crate::Error::Device`] for what the device cannot hold or refuses.
    pub fn new(problem: impl Into<Problem>, config: &Config, target: Target) -> Result<Self> {
        let started = Instant::now();
        let problem = problem.into();
        // What is wrong with it does not depend on the device.
        System::new(&problem.shape(), config)?;
        // A driver takes its time to open a device.
        let first = || rayon::join(|| problem.first_solution(config), || problem.prepare(config)).0;
        let (start, backend) = rayon::join(first, || open(target));
        Self::begin(started, problem, config, backend?, (start, false))
    }

    /// The same, with `start` as the first best solution. Focused ants improve it; ants that construct take their first trail limits
    /// from its cost.
    ///
    /// # Errors
    /// As [`Solver::new`], and [`crate::Error::Tour`] or [`crate::Error::Assignment`] when `start` is no solution.
    pub fn with_start(problem: impl Into<Problem>, config: &Config, target: Target, start: &[u32]) -> Result<Self> {
        let (started, problem) = (Instant::now(), problem.into());
        System::new(&problem.shape(), config)?;
        Self::begin(started, problem, config, open(target)?, (start.to_vec(), true))
    }

    fn begin(
        started: Instant,
        problem: Problem,
        config: &Config,
        backend: Box<dyn Backend>,
        (start, given): (Vec<u32>, bool),
    ) -> Result<Self> {
        let mut start = start;
        let mut cost = problem.cost(&start)?;
        if problem.is_trivial() {
            start = problem.best_of_few();
            cost = problem.cost(&start)?;
        }
        log::debug!("{:.3} s: the device is open, the first solution costs {cost}", started.elapsed().as_secs_f64());
        let (name, device) = (backend.name(), backend.capabilities().device.clone());
        let others = if problem.is_trivial() { 0 } else { config.colony_count() - 1 };
        let others: Vec<_> = (0..others).map(|_| backend.fresh()).collect::<Result<_>>()?;
        let begin = |(colony, backend)| {
            let config = Config { seed: colonies::seed(config.seed, colony), ..*config };
            Run::new(started, &problem, &config, backend, (&start, cost, given))
        };
        let runs = std::iter::once(backend).chain(others).enumerate().map(begin).collect::<Result<_>>()?;
        Ok(Self { runs, exchanges: Exchanges::of(config), backend: name, device, started })
    }

    /// The device that `target` names, and the plan that a solver would follow there; nothing is allocated.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn plan_for(problem: impl Into<Problem>, config: &Config, target: Target) -> Result<(String, Plan)> {
        let problem = problem.into();
        System::new(&problem.shape(), config)?;
        let cost = problem.cost(&problem.first_solution(config))?;
        let backend = open(target)?;
        let capabilities = backend.capabilities();
        let plan = Plan::new(&problem.shape(), cost, &first_config(config), capabilities)?;
        Ok((capabilities.device.clone(), plan))
    }

    /// `wgpu`, `cuda` or `cpu`.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The sizes of the run, with several colonies those of each, and the first one's seed; `None` for instances so small that they need
    /// no colony.
    pub fn plan(&self) -> Option<&Plan> {
        self.runs[0].colony.as_ref().map(Colony::plan)
    }

    /// How far the run has come, all colonies together.
    pub fn progress(&self) -> Progress {
        self.runs[1..].iter().fold(self.runs[0].progress, |all, run| all.with(&run.progress))
    }

    /// The first colony, for tests and tools that look inside; `None` for instances so small that they need none.
    pub fn colony(&mut self) -> Option<&mut Colony> {
        self.colonies().next()
    }

    /// All colonies in the order of their ring.
    pub fn colonies(&mut self) -> impl Iterator<Item = &mut Colony> {
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
    /// [`crate::Error::Device`] when the device fails; [`Solver::salvage`] then still has a tour.
    pub fn run(&mut self, stop: &Stop, mut observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<Solution> {
        let stop = Stop { clock: Some(stop.clock.unwrap_or_else(Instant::now)), ..stop.clone() };
        let ended = self.advance(&stop, &mut observe)?;
        self.solution(ended)
    }

    /// The best tour so far with everything known about the run.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device fails to hand the tour over.
    pub fn solution(&mut self, ended: Ended) -> Result<Solution> {
        let best = self.best_by(|run| run.progress.cost);
        let solution = self.runs[best].solution(ended)?;
        Ok(self.of_all(solution))
    }

    /// The best tour that the host holds a copy of, for use after an error: nothing is asked of the device.
    pub fn salvage(&self) -> Solution {
        let best = self.best_by(|run| run.kept_cost);
        self.of_all(self.runs[best].salvage())
    }

    fn advance(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        if self.plan().is_none() {
            return Ok(Ended::Trivial);
        }
        loop {
            if let Some(ended) = stop.ended(&self.progress(), self.started) {
                return Ok(ended);
            }
            if let Some(ended) = self.turn(stop)? {
                return Ok(ended);
            }
            if observe(&self.progress()).is_break() {
                return Ok(Ended::Cancelled);
            }
        }
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
