//! Iterations on a backend that interrupts calls, the CPU: a turn ends in time however long an iteration takes, and the next one goes
//! on with it.

use std::time::Duration;

use rayon::prelude::*;
use web_time::Instant;

use super::{Run, SUBMISSION, Stop};
use crate::colony::Colony;
use crate::error::Result;
use crate::kernels::shared::state::join;

/// Iterations that take less are not interrupted, which costs a little.
const QUICK: Duration = Duration::from_millis(4);
/// The least time that a turn takes, so that each one gets on.
const LEAST: Duration = Duration::from_millis(1);
/// Ranges of ants grow until they take so long: between two of them threads wait for each other.
const RANGE: Duration = Duration::from_millis(500);
/// How long solutions that are under way are looked at when a run ends.
const LOOK: Duration = Duration::from_millis(50);

impl Run {
    /// Up to `most` iterations that are quick, or a part of one; whether the turn ends between two iterations.
    pub(super) fn iterations_until(&mut self, colony: &mut Colony, most: u32, stop: &Stop) -> Result<bool> {
        let began = Instant::now();
        let until = began + stop.room(SUBMISSION, &self.clock).max(LEAST);
        let ants = colony.plan().units as u32;
        if self.is_between_iterations() && most > 0 && self.is_quick() {
            let (calls, end) = (colony.ant_calls(0..ants), colony.end_calls());
            let mut made = 0;
            while made == 0 || (made < most && Instant::now() < until) {
                colony.run(&calls)?;
                colony.choose_best()?;
                colony.run(&end)?;
                made += 1;
                // The iteration that reaches a target is the last one.
                if let Some(target) = stop.cost
                    && join(colony.state()?.best_cost) <= target.saturating_add(self.slack)
                {
                    break;
                }
            }
            let took = began.elapsed().as_secs_f64();
            self.pace.submitted(took);
            self.pace.measured(took / f64::from(made));
            return Ok(true);
        }
        let ended = self.part_of_iteration(colony, until)?;
        let took = began.elapsed().as_secs_f64();
        self.pace.submitted(took);
        self.pace.batching.seconds += took;
        if ended {
            self.pace.batching.end_iteration();
            let seconds = std::mem::take(&mut self.pace.batching.seconds);
            self.pace.measured(seconds);
        }
        Ok(ended)
    }

    /// Whether iterations take so little that they are not interrupted.
    pub(super) fn is_quick(&self) -> bool {
        self.pace.iteration_seconds.is_some_and(|seconds| seconds < QUICK.as_secs_f64())
    }

    /// Goes on with an iteration until it ends, which is told, or is interrupted: range after range of ants, so that those of the first
    /// ones have their solutions when time ends.
    fn part_of_iteration(&mut self, colony: &mut Colony, until: Instant) -> Result<bool> {
        let ants = colony.plan().units as u32;
        let fewest = if colony.plan().synchronous() { ants } else { 4 * rayon::current_num_threads() as u32 };
        while self.pace.batching.done < ants {
            let began = Instant::now();
            let calls = colony.ant_calls(self.pace.batching.range(ants, fewest));
            self.pace.batching.calls_done += colony.run_until(&calls[self.pace.batching.calls_done..], until)?;
            self.pace.batching.range_seconds += began.elapsed().as_secs_f64();
            if self.pace.batching.calls_done < calls.len() {
                return Ok(false);
            }
            let was_short = std::mem::take(&mut self.pace.batching.range_seconds) < RANGE.as_secs_f64();
            self.pace.batching.end_range(was_short, fewest);
            if Instant::now() >= until {
                return Ok(false);
            }
        }
        if self.pace.batching.calls_done == 0 {
            // What follows may write another solution in the place of one that was not copied yet.
            self.keep_claimed(colony)?;
            colony.choose_best()?;
        }
        let calls = colony.end_calls();
        self.pace.batching.calls_done += colony.run_until(&calls[self.pace.batching.calls_done..], until)?;
        Ok(self.pace.batching.calls_done >= calls.len())
    }

    /// Keeps the best solution of the iteration under way, as far as its ants have them and there is time to look, if it is better than
    /// all before.
    pub(super) fn keep_under_way(&mut self, colony: &mut Colony) -> Result<()> {
        self.keep_finished(colony)?;
        let range = self.pace.batching.done as usize..self.pace.batching.end as usize;
        let searched = !range.is_empty() && self.pace.batching.calls_done >= colony.construct_calls();
        if colony.plan().construct().is_none() || !searched {
            return Ok(());
        }
        let until = Instant::now() + LOOK;
        let (problem, n) = (&self.problem, self.problem.len());
        let solutions = &colony.solutions()?[range.start * n..range.end * n];
        // What is being made may be none yet.
        let cost = |solution| if Instant::now() < until { problem.cost(solution).ok() } else { None };
        let costs: Vec<Option<u64>> = solutions.par_chunks(n).map(cost).collect();
        let of_ants = costs.iter().enumerate().filter_map(|(ant, cost)| Some((cost.as_ref()?, ant)));
        let Some((&cost, ant)) = of_ants.min() else { return Ok(()) };
        if cost < self.kept.cost.min(self.claim.cost) {
            self.keep_solution(solutions[ant * n..(ant + 1) * n].to_vec(), cost);
            self.note_gain(cost, self.progress.iteration + 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Solver, Target};
    use super::*;
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::Settings;

    /// Wherever the end of an iteration is cut, the best solution is one, and costs what is told.
    #[test]
    fn a_run_may_end_between_the_last_calls_of_an_iteration() {
        let instance = generate(Kind::Uniform, 200, 3).unwrap();
        for (algorithm, set) in [("mmas", ("ants", "4")), ("lk", ("steps", "300"))] {
            let settings = Settings::named(algorithm).unwrap().with(set.0, set.1).unwrap();
            let (mut gains, mut cut) = (0, 0);
            for (iterations, parts) in (0..6).flat_map(|it| (1..9).map(move |parts| (it, parts))) {
                let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
                let run = &mut solver.runs[0];
                let mut colony = run.colony.take().unwrap();
                let ants = colony.plan().units as u32;
                let (all, end) = (colony.ant_calls(0..ants), colony.end_calls());
                for _ in 0..iterations {
                    colony.run(&all).unwrap();
                    colony.choose_best().unwrap();
                    colony.run(&end).unwrap();
                    run.note(&colony.state().unwrap());
                }
                colony.run(&all).unwrap();
                (run.pace.batching.done, run.pace.batching.end) = (ants, ants);
                let known = run.claim.cost;
                if (0..parts).any(|_| run.part_of_iteration(&mut colony, Instant::now()).unwrap()) {
                    continue;
                }
                run.colony = Some(colony);
                let solution = solver.solution().unwrap();
                assert_eq!(instance.tour_cost(&solution.permutation).unwrap(), solution.cost);
                assert!(solution.cost <= known, "{algorithm}: {} after {known}", solution.cost);
                cut += 1;
                gains += u32::from(solution.cost < known);
            }
            assert!(
                cut > 6 && (gains > 1 || algorithm == "lk"),
                "{algorithm}: {cut} were cut, {gains} had found something"
            );
        }
    }
}
