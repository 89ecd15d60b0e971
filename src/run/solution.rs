//! What a run says: how far it has come, and what it found.

use serde::{Deserialize, Serialize};

use super::incumbent::History;
use super::lost::DeviceLost;
use super::proof::Proof;
use super::ran::Ran;
use super::records::PhaseRecord;
use super::share::DeviceShare;
use super::{Abandoned, Ended, Resumed};
use crate::backend::KernelTiming;
use crate::error::Result;
use crate::instance::problem::Problem;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// Seconds since the solver was made; of a resumed run those before included.
    pub seconds: f64,
    /// Iterations completed, by every colony.
    pub iteration: u32,
    /// Cost of the best tour so far; where costs are counted in a larger unit ([`crate::settings::Recipe::cost_unit`]) about that.
    pub cost: u64,
    /// Iteration that found it, counted from 1; 0 for the starting tour. Of several colonies the one that found it may be ahead.
    pub best_iteration: u32,
    /// Seconds since the solver was made at which the host saw the last gain, or had the starting tour.
    pub best_seconds: f64,
    /// The phase of the recipe that runs, counted from 0, and how often the phases had begun again; with several colonies those of the first.
    pub phase: u32,
    #[expect(missing_docs, reason = "documented with phase")]
    pub round: u32,
    /// How often the trails were re-initialised, in all colonies together.
    pub restarts: u32,
    /// Cost of the best tour that an ant has made since then, the starting tour aside; `None` before the first.
    pub ants_cost: Option<u64>,
    /// Whether the device was lost, so that the run goes on on the CPU (see [`crate::settings::OnDeviceLost`]).
    pub device_lost: bool,
}

impl Progress {
    /// That of a run which has made no iteration, with a solution of this cost.
    pub(super) fn at_start(seconds: f64, cost: u64) -> Self {
        Self {
            seconds,
            iteration: 0,
            cost,
            best_iteration: 0,
            best_seconds: seconds,
            phase: 0,
            round: 0,
            restarts: 0,
            ants_cost: None,
            device_lost: false,
        }
    }

    /// The same with costs as `of` tells them.
    pub(super) fn in_costs(self, of: impl Fn(u64) -> u64) -> Self {
        Self { cost: of(self.cost), ants_cost: self.ants_cost.map(&of), ..self }
    }
}

/// An entry of the trace: a gain, or a measurement of how alike a population is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TracePoint {
    /// Seconds since the solver was made, when the host saw it.
    pub seconds: f64,
    /// The iteration that made the gain, of the colony that made it; 0 for the starting tour.
    pub iteration: u32,
    /// The best cost from then on.
    pub cost: u64,
    /// Its length in the unit of what was given; of the last one exactly, of others within what rounding changes ([`Problem::length_of`]); `None` where
    /// costs do not tell it, since some weights are counted as less than they are.
    pub length: Option<f64>,
    /// The mean share of a tour's edges that two individuals have in common, measured now and then while a population runs. Near 1 nothing is
    /// left to recombine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_edges: Option<f64>,
}

impl TracePoint {
    /// That of a gain, or of a look, in the form that kernels know, which has no length.
    pub(super) fn of(seconds: f64, iteration: u32, cost: u64, shared_edges: Option<f64>) -> Self {
        Self { seconds, iteration, cost, length: None, shared_edges }
    }
}

/// What a run found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The best solution, counted from 0: the cities of a tour in order, or the location of each facility.
    pub permutation: Vec<u32>,
    /// Its cost as the instance computes it.
    pub cost: u64,
    /// Its length, or an assignment's cost, in the unit of what was given, and not rounded (see [`crate::tsp::Instance::length`] and
    /// [`crate::qap::Instance::length`]).
    pub length: f64,
    /// Iterations completed, by every colony.
    pub iterations: u32,
    /// Seconds since the solver was made; of a resumed run those before included.
    pub seconds: f64,
    /// What made it, and where.
    pub ran: Ran,
    /// Where the run went on from, if it was resumed.
    pub resumed: Option<Resumed>,
    /// Why the run ended.
    pub ended: Ended,
    /// What the caller did not wait for any longer: then this is the best solution that was known, without phases. `None` of a run that came to its own end.
    pub abandoned: Option<Abandoned>,
    /// The gains, the starting tour first, and measurements of how alike a population is.
    pub trace: Vec<TracePoint>,
    /// Where it ran, if on several devices.
    pub devices: Vec<DeviceShare>,
    /// What ran, phase by phase; with several colonies of the one that found the solution.
    pub phases: Vec<PhaseRecord>,
    /// Of a run of very many short phases only the first and the last are kept: how many there were between.
    pub phases_left_out: u32,
    /// Time spent in each kernel.
    pub kernels: Vec<KernelTiming>,
    /// Seconds of the longest submission: the device was never held longer without a look at the stop rules.
    pub longest_submission: f64,
    /// The device that failed, where the run went on on the CPU.
    pub device_lost: Option<DeviceLost>,
}

impl Solution {
    /// Whether it is known that no other solution of `problem` is better: the run ended by a proof, which is of lengths as they are counted, or all solutions
    /// were tried, and rounding does not decide between them. `proof` is what is known of the problem itself ([`Proof::of`]).
    pub fn is_best(&self, problem: &Problem, proof: &Proof) -> bool {
        match (self.ended, problem) {
            // Assignments are compared by what was given.
            (Ended::Optimal, _) | (Ended::Trivial, Problem::Qap(_)) => true,
            // All orders of what rounding leaves apart were tried: they are all there are where that is proved of the problem itself.
            (Ended::Trivial, _) => proof.cost() >= self.cost && (self.cost > 0 || !problem.is_coarse()),
            _ => false,
        }
    }

    /// One that is known of a run, as it would tell it itself if it had found it after `seconds`, without an iteration.
    ///
    /// # Errors
    /// [`crate::Error::Tour`] or [`crate::Error::Assignment`] when `permutation` is none.
    pub(super) fn known(
        ran: Ran,
        problem: &Problem,
        permutation: Vec<u32>,
        seconds: f64,
        ended: Ended,
    ) -> Result<Self> {
        let cost = problem.cost(&permutation)?;
        let length = problem.length_at(&permutation, cost);
        let trace = History::of(seconds, cost)
            .trace
            .into_iter()
            .map(|point| TracePoint { length: Some(length), ..point })
            .collect();
        Ok(Self {
            length,
            permutation,
            cost,
            iterations: 0,
            seconds,
            ran,
            resumed: None,
            ended,
            abandoned: None,
            trace,
            devices: Vec::new(),
            phases: Vec::new(),
            phases_left_out: 0,
            kernels: Vec::new(),
            longest_submission: 0.0,
            device_lost: None,
        })
    }
}
