//! A run as one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use crate::aco::config::{Algorithm, LocalSearch};
use crate::backend::KernelTiming;
use crate::kernels::plan::Plan;
use crate::solver::{Ended, TracePoint};

/// The object's keys, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report<'a> {
    /// The instance's name.
    pub instance: &'a str,
    /// `tsp` or `qap`.
    pub problem: &'a str,
    /// Cities or facilities.
    pub n: usize,
    /// The ant system.
    pub algorithm: Algorithm,
    /// The local search.
    pub local_search: LocalSearch,
    /// Ants in an iteration of a colony; 0 where no colony was needed.
    pub ants: usize,
    /// Colonies.
    pub colonies: usize,
    /// Of several colonies the iterations between exchanges of their bests, where they make any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u32>,
    /// What an ant chooses among at each step, at most; 0 where no colony was needed.
    pub candidates: usize,
    /// The preset that the run began with.
    pub preset: &'a str,
    /// Every choice and size, of each colony; `null` where no colony was needed.
    pub plan: Option<&'a Plan>,
    /// `wgpu`, `cuda` or `cpu`.
    pub backend: &'a str,
    /// The device's name.
    pub device: &'a str,
    /// The seed of the run and of the first colony.
    pub seed: u64,
    /// Iterations completed, by every colony.
    pub iterations: u32,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// Why the run ended.
    pub ended: Ended,
    /// Cost of the best solution.
    pub cost: u64,
    /// Of a travelling salesman problem the best tour, cities counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour: Option<&'a [u32]>,
    /// Of an assignment problem the location of each facility, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutation: Option<&'a [u32]>,
    /// The gains over time.
    pub trace: &'a [TracePoint],
    /// Time spent in each kernel.
    pub kernels: &'a [KernelTiming],
    /// Seconds of the longest submission.
    pub longest_submission: f64,
}

/// Writes `report` on one line.
///
/// # Errors
/// What the writer reports.
pub fn write_json(writer: &mut impl Write, report: &Report<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *writer, report)?;
    writer.write_all(b"\n")
}
