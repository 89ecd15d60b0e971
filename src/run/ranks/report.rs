//! What rank 0 knows of the runs of other ranks: on the way the best solution, at the end everything that is told of a run.

use std::ops::ControlFlow::{Break, Continue};

use super::{Ended, Group, Message, Report, Run};
use crate::error::{Error, Result};
use crate::run::Solver;
use crate::run::migration::{Best, seed};

impl Solver {
    /// The runs elsewhere, as far as they are known here, with the numbers of their colonies.
    pub(in crate::run) fn elsewhere(&self) -> impl Iterator<Item = (usize, &Run)> {
        self.group.iter().flat_map(|group| &group.others).map(|(colony, run)| (*colony, run))
    }

    /// The run elsewhere whose solution costs less than this one of a colony; at the same cost the colony of the lower number counts.
    pub(in crate::run) fn better_elsewhere(&self, cost: u64, colony: usize) -> Option<&Run> {
        let best = self.elsewhere().min_by_key(|(colony, run)| (run.kept.cost, *colony))?;
        Some(best).filter(|(number, run)| (run.kept.cost, *number) < (cost, colony)).map(|(_, run)| run)
    }

    /// All runs that are known here, in the order of their colonies.
    pub(in crate::run) fn known_runs(&self) -> Vec<&Run> {
        let own = self.runs.iter().enumerate().map(|(run, it)| (self.devices.number_of(run), it));
        let mut all: Vec<_> = own.chain(self.elsewhere()).collect();
        all.sort_by_key(|(colony, _)| *colony);
        all.into_iter().map(|(_, run)| run).collect()
    }

    /// Keeps the best solution of all, which another rank has sent, beside this rank's own.
    pub(super) fn keep_elsewhere(&mut self, group: &mut Group, colony: usize, best: Best) -> Result<()> {
        let cost = self.form.problem().cost(&best.solution)?;
        let mut run = match group.others.pop() {
            Some((_, run)) => run,
            None => {
                let (solution, cost) = (self.runs[0].kept.solution.clone(), self.runs[0].kept.cost);
                let problem = self.form.problem();
                let mut run = Run::of(self.clock, problem, self.recipe.clone(), String::new(), None, solution, cost);
                // Those of this rank count.
                run.progress.iteration = u32::MAX;
                run.history.trace.clear();
                run.kept.incumbent = self.kept.clone();
                run
            }
        };
        if cost < run.kept.cost {
            run.note_gain(cost, best.iteration);
            run.keep_solution(best.solution, cost);
            run.claim.cost = cost;
        }
        group.others.push((colony, run));
        Ok(())
    }

    /// After the last meeting: each rank tells rank 0 what is known of its runs. With `failed` nothing more is asked of its devices.
    pub(super) fn close(&mut self, ended: Ended, failed: bool) -> Result<()> {
        let Some(mut group) = self.group.take() else { return Ok(()) };
        let closed = match group.rank() {
            0 => self.hear_reports(&mut group),
            _ => {
                self.report(&mut group, failed);
                Ok(())
            }
        };
        group.over = Some(ended);
        self.group = Some(group);
        closed
    }

    fn report(&mut self, group: &mut Group, failed: bool) {
        if !failed && let Err(failure) = self.own_solution() {
            // What the host has a copy of is known all the same.
            log::warn!("{}", failure.error);
        }
        let best = (0..self.runs.len()).min_by_key(|&run| (self.runs[run].kept.cost, run)).unwrap_or_default();
        let runs = self.runs.iter().map(|run| run.state_with(None)).collect();
        let report = Report { best, runs, devices: self.devices.own_shares() };
        group.send(0, &Message::Report(report), &self.runs[best].kept.solution);
    }

    fn hear_reports(&mut self, group: &mut Group) -> Result<()> {
        let mut others = Vec::new();
        let mut heard = Ok(());
        for _ in 1..group.count() {
            if heard.is_err() {
                break;
            }
            let report = |arrived| match arrived {
                (from, Message::Report(report), words) => Break((from, report, words)),
                other => Continue(other),
            };
            heard = group.wait(report, |_| {}).and_then(|(rank, report, words)| {
                self.take_report(rank, report, &words, &mut others).map_err(|error| Error::Rank {
                    rank,
                    machine: group.machines.get(rank).cloned().unwrap_or_default(),
                    message: error.to_string(),
                })
            });
        }
        if heard.is_ok() {
            // They say more than what was known before.
            group.others.clear();
        }
        group.others.extend(others);
        // The first in time.
        let lost = self.devices.shares(0).into_iter().filter_map(|share| share.device_lost);
        self.lost = lost.min_by(|one, other| one.seconds.total_cmp(&other.seconds)).or(self.lost.take());
        heard
    }

    fn take_report(
        &mut self,
        rank: usize,
        report: Report,
        words: &[u32],
        others: &mut Vec<(usize, Run)>,
    ) -> Result<()> {
        self.devices.note(rank, report.devices);
        for (own, mut state) in report.runs.into_iter().enumerate() {
            let colony = self.devices.number_among(rank, own);
            if own == report.best {
                state.kept = words.to_vec();
                let cost = self.form.problem().cost(words)?;
                if cost != state.kept_cost {
                    let told = state.kept_cost;
                    return Err(Error::Fault(format!("it sends a solution that costs {cost} as one of {told}")));
                }
                self.kept.offer(words, cost);
            }
            let recipe = self.recipe.clone().with_seed(seed(self.recipe.seed, colony));
            let run = Run::told(self.clock, self.form.problem(), recipe, state)?;
            others.push((colony, run));
        }
        Ok(())
    }
}
