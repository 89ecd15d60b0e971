//! Ends of runs at a length in the unit of what was given, which costs tell nearly where distances or entries are rounded.

use super::{Ended, Proof, Solver, Stop};
use crate::error::Result;

/// By how much sums of the same numbers in different orders may differ, as a share of them: a tour may begin at any of its cities.
const SUMMED: f64 = 1e-12;

impl Solver {
    /// The rules of `stop` with costs in the form that kernels know. A length becomes a cost where one tells the other exactly. What is proved by
    /// now is a target, at which a turn ends too.
    pub(super) fn own_stop(&self, stop: &Stop) -> Stop {
        let problem = self.form.original();
        if !self.form.is_exact() {
            // A solution is measured for that.
            let length = stop.cost.map(|cost| problem.length_of(cost));
            let target = stop.target.into_iter().chain(length).reduce(f64::max);
            return Stop { cost: None, target, ..stop.clone() };
        }
        let exact = stop.target.filter(|_| problem.costs_tell_lengths());
        let asked = exact.and_then(|length| self.cost_of(length));
        let proved = self.proved_cost(stop).filter(|cost| *cost > 0);
        let cost = stop.cost.into_iter().chain(asked).chain(proved).max();
        Stop {
            cost: cost.and_then(|cost| self.form.own_cost(cost)),
            target: stop.target.filter(|_| exact.is_none()),
            ..stop.clone()
        }
    }

    /// The cost that stands for a length, where there is one: lengths may be below all costs.
    fn cost_of(&self, length: f64) -> Option<u64> {
        let problem = self.form.original();
        Some(problem.cost_of(length)).filter(|cost| problem.length_of(*cost) <= length + SUMMED * length.abs())
    }

    /// What no solution is known to cost less than, where `stop` asks for proofs: what these say, or what it costs where it costs nothing in the
    /// form that kernels know, which of asymmetric distances has taken off what each city costs at least.
    fn proved_cost(&self, stop: &Stop) -> Option<u64> {
        if !self.form.is_exact() {
            return None;
        }
        let exact = self.form.original().length_error() == 0.0;
        let proved = stop.proofs.iter().map(Proof::cost).max();
        // A proof that knows nothing says 0, which rounded costs may come to as well.
        proved.map(|cost| if exact { cost.max(self.form.cost(0)) } else { cost }).filter(|cost| exact || *cost > 0)
    }

    /// Whether no solution can be better than the best one so far.
    pub(super) fn is_proved(&self, stop: &Stop) -> bool {
        self.proved_cost(stop).is_some_and(|least| self.progress().cost <= least)
    }

    /// Why a run ended: what was asked for counts more than what was proved, which is a target of turns, too.
    pub(super) fn proved(&self, ended: Ended, stop: &Stop) -> Ended {
        let told = self.form.is_exact();
        let costs = |cost: u64| if told { self.progress().cost <= cost } else { self.salvage().cost <= cost };
        let reaches = |length: f64| match told && self.form.original().costs_tell_lengths() {
            true => self.cost_of(length).is_some_and(|target| self.progress().cost <= target),
            false => self.salvage().length <= length + SUMMED * length.abs(),
        };
        let asked = || stop.cost.is_some_and(costs) || stop.target.is_some_and(reaches);
        match ended {
            Ended::Target | Ended::Optimal if asked() => Ended::Target,
            Ended::Target if self.is_proved(stop) => Ended::Optimal,
            other => other,
        }
    }

    /// Whether the best solution is as short as `stop` asks for. It is measured when it is new and its cost lets it be so short.
    pub(super) fn is_short_enough(&mut self, stop: &Stop) -> Result<Option<Ended>> {
        let Some(length) = stop.target else { return Ok(None) };
        let (problem, cost) = (self.form.original(), self.progress().cost);
        let rounding = 2 * (self.form.unit() - 1) * self.form.problem().len() as u64;
        let may_be = problem.cost_of(length + problem.length_error()).saturating_add(1).saturating_add(rounding);
        if cost > may_be || self.measured == Some((cost, length)) {
            return Ok(None);
        }
        self.measured = Some((cost, length));
        let found = self.solution_of(Ended::Target)?.length;
        Ok((found <= length + SUMMED * length.abs()).then_some(Ended::Target))
    }
}
