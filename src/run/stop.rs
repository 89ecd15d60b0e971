//! What a run is asked for and what it says: where to run, when to stop, how far it has come, what it found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::phases::PhaseRecord;
use crate::backend::KernelTiming;
use crate::backend::wgpu::Device;

/// Where to run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Target {
    /// The most capable GPU; the CPU where there is none.
    #[default]
    Auto,
    /// A GPU through wgpu: the adapter with this index or with this text in its name; without a choice the most capable
    /// one, software adapters included.
    Wgpu(Option<String>),
    /// An NVIDIA GPU through CUDA: the device with this index or with this text in its name; without a choice the first.
    #[cfg(feature = "cuda")]
    Cuda(Option<String>),
    /// The CPU.
    Cpu,
    /// A device and queue that the host application owns.
    Existing(Device),
}

/// When to stop: at the first of the rules that are set. With none set a run goes on until it is cancelled.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// After this many iterations in all, of each colony.
    pub iterations: Option<u32>,
    /// After this much time since `clock` (default: since `run` was called).
    pub time: Option<Duration>,
    /// When `time` began, for limits that include the set-up.
    pub clock: Option<Instant>,
    /// At a tour of this cost or less.
    pub target: Option<u64>,
    /// When this becomes true; another thread or a signal handler may set it.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// After `count` iterations.
    pub fn iterations(count: u32) -> Self {
        Self { iterations: Some(count), ..Self::default() }
    }

    /// After `limit`.
    pub fn time(limit: Duration) -> Self {
        Self { time: Some(limit), ..Self::default() }
    }

    /// The time that is left of its limit, `most` at most; time counts from `started` unless there is a clock.
    pub(super) fn room(&self, most: Duration, started: Instant) -> Duration {
        let clock = self.clock.unwrap_or(started);
        self.time.map_or(most, |limit| limit.saturating_sub(clock.elapsed()).min(most))
    }

    /// Which rule holds for a run that has come this far, time counted from `started` unless there is a clock.
    pub(super) fn ended(&self, progress: &Progress, started: Instant) -> Option<Ended> {
        if self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Ended::Cancelled);
        }
        if self.target.is_some_and(|target| progress.cost <= target) {
            return Some(Ended::Target);
        }
        if self.iterations.is_some_and(|all| progress.iteration >= all) {
            return Some(Ended::Iterations);
        }
        let clock = self.clock.unwrap_or(started);
        self.time.is_some_and(|limit| clock.elapsed() >= limit).then_some(Ended::Time)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ended {
    /// All iterations were made.
    Iterations,
    /// Time was up.
    Time,
    /// The target cost was reached.
    Target,
    /// The caller or its observer asked for it.
    Cancelled,
    /// The instance is so small that all solutions were tried at once.
    Trivial,
    /// The device failed.
    Failed,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Seconds since the solver was made.
    pub seconds: f64,
    /// Iterations completed, by every colony.
    pub iteration: u32,
    /// Cost of the best tour so far.
    pub cost: u64,
    /// Iteration that found it, counted from 1; 0 for the starting tour. Of several colonies the one that found it may be ahead.
    pub best_iteration: u32,
    /// How often the trails were re-initialised, in all colonies together.
    pub restarts: u32,
    /// Cost of the best tour that an ant has made since then, the starting tour aside; `u64::MAX` before the first.
    pub ants_cost: u64,
}

/// A gain, or a look at how alike ants' tours are, as the trace keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TracePoint {
    /// Seconds since the solver was made, when the host saw it.
    pub seconds: f64,
    /// The iteration that made the gain, of the colony that made it; 0 for the starting tour.
    pub iteration: u32,
    /// The best cost from then on.
    pub cost: u64,
    /// Of a population, now and then: the share of a tour's edges that two individuals have both, in the mean. Near 1
    /// nothing is left to recombine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_edges: Option<f64>,
}

/// What a run found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The best solution, counted from 0: the cities of a tour in order, or the location of each facility.
    pub permutation: Vec<u32>,
    /// Its cost as the instance computes it.
    pub cost: u64,
    /// Iterations completed, by every colony.
    pub iterations: u32,
    /// Seconds since the solver was made.
    pub seconds: f64,
    /// Why the run ended.
    pub ended: Ended,
    /// The gains, first the starting tour, and looks at how alike tours are.
    pub trace: Vec<TracePoint>,
    /// What ran, phase by phase; with several colonies of the one that found the solution.
    pub phases: Vec<PhaseRecord>,
    /// Time spent in each kernel.
    pub kernels: Vec<KernelTiming>,
    /// Seconds of the longest submission: the device was never held longer without a look at the stop rules.
    pub longest_submission: f64,
}
