//! What runs have found, in the form that kernels know, and the solution that a solver tells of it.

use super::colonies::gains_of_all;
use super::devices::Failure;
use super::one::{Earlier, Run};
use super::records::{PhaseEnded, PhaseRecord};
use super::{Ended, Ran, Solution, Solver, TracePoint};
use crate::backend::KernelTiming;
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};

/// What runs have found, in the form that kernels know.
pub(super) struct OwnSolution {
    pub permutation: Vec<u32>,
    pub cost: u64,
    pub iterations: u32,
    pub trace: Vec<TracePoint>,
    pub phases: Vec<PhaseRecord>,
    /// How many of these were left out, between the first and the last.
    pub phases_left_out: u32,
    pub kernels: Vec<KernelTiming>,
    /// Seconds of the longest submission.
    pub longest_submission: f64,
}

impl OwnSolution {
    /// One colony's with the work of all, which have made so many iterations together.
    fn with_others(self, runs: &[&Run], iterations: u32) -> Self {
        if runs.len() == 1 {
            return self;
        }
        let mut kernels = Earlier::default();
        runs.iter().for_each(|run| kernels.add(run.kernels()));
        Self {
            iterations,
            trace: gains_of_all(runs.iter().map(|run| run.history.trace.as_slice())),
            kernels: kernels.kernels,
            longest_submission: runs.iter().map(|run| run.pace.longest_submission).fold(0.0, f64::max),
            ..self
        }
    }

    /// The solution of the problem itself that a run on one device tells.
    pub fn into_solution(self, form: &Form, ran: Ran, seconds: f64, ended: Ended) -> Solution {
        let permutation = form.solution(self.permutation);
        let cost = form.exact_cost(&permutation, self.cost);
        let length = form.original().length_at(&permutation, cost);
        let own = self.cost;
        // Costs that were rounded on the way are no less than that of the solution which was found.
        let cost_of = |of: u64| match form.is_exact() {
            true => form.cost(of),
            false if of <= own => cost,
            false => form.cost(of).max(cost),
        };
        let (mut trace, mut phases) = (self.trace, self.phases);
        for point in &mut trace {
            point.cost = cost_of(point.cost);
            let length_of = || (!form.original().counts_less()).then(|| form.original().length_of(point.cost));
            point.length = if point.cost == cost { Some(length) } else { length_of() };
        }
        for phase in &mut phases {
            phase.cost_begin = cost_of(phase.cost_begin);
            phase.cost_end = cost_of(phase.cost_end);
        }
        // What an iteration gained that the end cut short counts, too.
        if let Some(last) = phases.last_mut().filter(|phase| phase.ended == PhaseEnded::Run) {
            last.cost_end = last.cost_end.min(cost);
        }
        Solution {
            permutation,
            cost,
            length,
            iterations: self.iterations,
            seconds,
            ran,
            resumed: None,
            ended,
            abandoned: None,
            trace,
            devices: Vec::new(),
            phases,
            phases_left_out: self.phases_left_out,
            kernels: self.kernels,
            longest_submission: self.longest_submission,
            device_lost: None,
        }
    }
}

impl Solution {
    /// The same, where it costs as the problem's own arithmetic has it, which has the last word.
    pub(super) fn checked(self, problem: &Problem) -> Result<Self> {
        let message = match problem.cost(&self.permutation) {
            Ok(cost) if cost == self.cost => return Ok(self),
            Ok(cost) => format!("a solution that costs {cost} was told to cost {}", self.cost),
            Err(error) => format!("what was told to be a solution is none: {error}"),
        };
        Err(Error::Device { device: self.ran.device, message })
    }
}

impl Run {
    /// The best solution so far with what is known about the run.
    pub fn solution(&mut self) -> Result<OwnSolution> {
        if let Some(mut colony) = self.colony.take() {
            let kept = self.keep_last(&mut colony);
            self.colony = Some(colony);
            kept?;
        }
        self.keep_windows()?;
        // A better one was claimed and never seen.
        self.checked(&self.kept.solution, self.progress.cost)?;
        Ok(self.assemble())
    }

    /// The best solution that the host holds a copy of, for use after an error: nothing is asked of the device.
    pub fn salvage(&self) -> OwnSolution {
        let mut solution = self.assemble();
        // What the device has claimed beyond that was not seen.
        solution.trace.retain(|point| point.cost >= self.kept.cost);
        solution
    }

    /// The solution that is kept: it was checked when it was copied.
    fn assemble(&self) -> OwnSolution {
        OwnSolution {
            permutation: self.kept.solution.clone(),
            cost: self.kept.cost,
            iterations: self.progress.iteration,
            trace: self.history.trace.clone(),
            phases: self.phase_records(),
            phases_left_out: self.course.left_out,
            kernels: self.kernels(),
            longest_submission: self.pace.longest_submission,
        }
    }
}

impl Solver {
    /// The best solution so far with everything known about the run. [`Solution::ended`] is why the last call ended ([`Ended::Iterations`] before the
    /// first).
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device fails to hand the solution over.
    pub fn solution(&mut self) -> Result<Solution> {
        self.solution_of(self.ended)
    }

    /// The same of a run that ends for this reason.
    pub(super) fn solution_of(&mut self, ended: Ended) -> Result<Solution> {
        let (best, found) = match self.own_solution() {
            Ok(found) => found,
            Err(failure) => {
                self.lose_device(failure)?;
                let best = self.best_by(|run| run.kept.cost);
                (best, self.runs[best].salvage())
            }
        };
        let found = match self.better_elsewhere(found.cost, self.devices.number_of(best)) {
            Some(run) => run.salvage(),
            None => found,
        };
        let solution = self.told(found, ended).checked(self.form.original())?;
        Ok(self.no_longer_than_given(solution))
    }

    /// The best solution of this process's colonies, and the run that has it.
    pub(super) fn own_solution(&mut self) -> Result<(usize, OwnSolution), Failure> {
        if self.runs.len() > 1 {
            for run in 0..self.runs.len() {
                self.runs[run].keep_windows().map_err(|error| self.failure(run, error))?;
            }
        }
        let best = self.best_by(|run| run.progress.cost);
        let solution = self.runs[best].solution();
        solution.map(|solution| (best, solution)).map_err(|error| self.failure(best, error))
    }

    /// The best solution that the host holds a copy of, for use after an error: nothing is asked of the device.
    pub fn salvage(&self) -> Solution {
        let best = self.best_by(|run| run.kept.cost);
        let own = &self.runs[best];
        let best = self.better_elsewhere(own.kept.cost, self.devices.number_of(best)).unwrap_or(own);
        self.no_longer_than_given(self.told(best.salvage(), Ended::Failed))
    }

    /// What a run has found, for the problem itself and with what is known of all runs.
    fn told(&self, found: OwnSolution, ended: Ended) -> Solution {
        let found = found.with_others(&self.known_runs(), self.progress().iteration);
        Solution {
            resumed: self.resumed,
            devices: self.devices(),
            device_lost: self.lost.clone(),
            ..found.into_solution(&self.form, self.ran(), self.clock.seconds(), ended)
        }
    }

    /// The solution that was given in the place of a longer one, which rounding has let cost less.
    fn no_longer_than_given(&self, found: Solution) -> Solution {
        match &self.given {
            Some(given) if given.is_shorter_than(found.length) => {
                Solution { permutation: given.solution.clone(), length: given.length, cost: given.cost, ..found }
            }
            _ => found,
        }
    }
}
