//! Iterations on a backend that interrupts calls, the CPU: a turn ends in time however long an iteration takes, and the next one goes
//! on with it.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{Run, SUBMISSION, Stop};
use crate::colony::Colony;
use crate::error::Result;

/// Iterations that take less are not interrupted, which costs a little.
const QUICK: Duration = Duration::from_millis(4);
/// The least time that a turn takes, so that each one gets on.
const LEAST: Duration = Duration::from_millis(1);
/// How long solutions that are under way are looked at when a run ends.
const LOOK: Duration = Duration::from_millis(50);

impl Run {
    /// Up to `most` iterations that are quick, or a part of one; whether the turn ends between two iterations.
    pub(super) fn iterations_until(&mut self, colony: &mut Colony, most: u32, stop: &Stop) -> Result<bool> {
        let began = Instant::now();
        let until = began + stop.room(SUBMISSION, self.started).max(LEAST);
        let ants = colony.ant_calls(0..colony.plan().units as u32);
        let calls = [ants.as_slice(), &colony.end_calls()].concat();
        // The host chooses between these two parts, where it does.
        let parts = if colony.plan().best_on_host() { [ants.len(), calls.len()] } else { [calls.len(); 2] };
        if self.iteration_seconds.is_some_and(|seconds| seconds < QUICK.as_secs_f64()) && most > 0 {
            let mut made = 0;
            while made == 0 || (made < most && Instant::now() < until) {
                colony.run(&calls[..parts[0]])?;
                colony.choose_best()?;
                colony.run(&calls[parts[0]..])?;
                made += 1;
            }
            let took = began.elapsed().as_secs_f64();
            self.longest_submission = self.longest_submission.max(took);
            self.measured(took / f64::from(made));
            return Ok(true);
        }
        for end in parts {
            let first = self.batching.calls_done;
            if first < end {
                self.batching.calls_done += colony.run_until(&calls[first..end], until)?;
                if self.batching.calls_done < end {
                    break;
                }
            }
            if end == parts[0] {
                colony.choose_best()?;
            }
        }
        let took = began.elapsed().as_secs_f64();
        self.longest_submission = self.longest_submission.max(took);
        self.batching.seconds += took;
        if self.batching.calls_done < calls.len() {
            return Ok(false);
        }
        let seconds = std::mem::take(&mut self.batching.seconds);
        self.batching.calls_done = 0;
        self.measured(seconds);
        Ok(true)
    }

    /// Keeps the best solution of the iteration under way, as far as its ants have them and there is time to look, if it is better than
    /// all before.
    pub(super) fn keep_under_way(&mut self, colony: &mut Colony) -> Result<()> {
        if colony.plan().construct().is_none() || self.batching.calls_done < colony.construct_calls() {
            return Ok(());
        }
        let until = Instant::now() + LOOK;
        let (problem, solutions) = (&self.problem, colony.solutions()?);
        let costs = solutions.par_chunks(problem.len()).map(|solution| match Instant::now() < until {
            true => problem.cost(solution),
            false => Ok(u64::MAX),
        });
        let costs: Vec<u64> = costs.collect::<Result<_>>()?;
        let Some((ant, &cost)) = costs.iter().enumerate().min_by_key(|(_, cost)| **cost) else { return Ok(()) };
        if cost < self.kept_cost.min(self.own_cost) {
            let n = problem.len();
            self.keep_solution(solutions[ant * n..(ant + 1) * n].to_vec(), cost);
            self.note_gain(cost, self.progress.iteration + 1);
        }
        Ok(())
    }
}
