//! Meetings of ranks: whether they go on, and what migrates.

use std::ops::ControlFlow::{Break, Continue};
use std::time::Duration;

use super::{BestHead, Decision, Ended, Group, Here, Message, Run, Standing};
use crate::error::{Error, Result};
use crate::run::devices::Failure;
use crate::run::migration::{Best, NextMigration, pairs};
use crate::run::{Progress, Solver, Stop};

/// The rules that a rank looks at by itself. Whether nothing is gained any more is decided at meetings.
pub(in crate::run) fn own_rules(stop: &Stop) -> Stop {
    Stop { stagnation: None, stagnation_time: None, ..stop.clone() }
}

/// Whether this ends all ranks wherever they are: they all make the same number of iterations.
fn is_sudden(ended: &Ended) -> bool {
    *ended != Ended::Iterations
}

impl Group {
    /// Whether another rank wishes to end; looked at between two turns.
    ///
    /// # Errors
    /// [`Error::Rank`] where a rank has left, or does not answer any more.
    fn is_called(&mut self) -> Result<bool> {
        self.take_in(Duration::ZERO);
        self.check()?;
        Ok(self.arrived.iter().any(|(_, message, _)| matches!(message, Message::Wish(_) | Message::Summons)))
    }

    /// Tells that the run is to end: rank 0 summons the others, these tell rank 0.
    fn call(&mut self, ended: Ended) {
        if self.called.is_some() {
            return;
        }
        self.called = Some(ended);
        match self.rank() {
            0 => self.send_to_others(&Message::Summons),
            _ => self.send(0, &Message::Wish(ended), &[]),
        }
    }

    /// Of a rank but the first: tells how far it has come, and waits for what all do next; `ends` says why its own run would end meanwhile.
    fn tell(&mut self, here: Here, ends: impl Fn() -> Option<Ended>) -> Result<Decision> {
        self.send(0, &Message::Here(here), &[]);
        let decision = |arrived| match arrived {
            (_, Message::Decision(decision), _) => Break(decision),
            other => Continue(other),
        };
        self.wait(decision, |group| {
            if let Some(ended) = ends() {
                group.call(ended);
            }
        })
    }

    /// Of rank 0: waits until all have told how far they have come, and summons them where one wishes to end.
    fn hear(&mut self, here: Here, ends: impl Fn() -> Option<Ended>) -> Result<Vec<Here>> {
        let mut all = vec![Some(here)];
        all.resize_with(self.count(), || None);
        while all.iter().any(Option::is_none) {
            let here = |arrived| match arrived {
                (from, Message::Here(here), _) => Break((from, here)),
                other => Continue(other),
            };
            let (from, here) = self.wait(here, |group| {
                if let Some(ended) = group.wish().or_else(&ends) {
                    group.call(ended);
                }
            })?;
            all[from] = Some(here);
        }
        while let Some(ended) = self.wish() {
            self.call(ended);
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// Why another rank wishes to end, if one does.
    fn wish(&mut self) -> Option<Ended> {
        self.find(|arrived| match arrived {
            (_, Message::Wish(ended), _) => Break(ended),
            other => Continue(other),
        })
    }

    /// The migrant for a colony that another rank sends: `None` where that could not give it.
    fn migrant(&mut self, colony: usize) -> Result<Option<Best>> {
        let migrant = |arrived| match arrived {
            (_, Message::Migrant { taker, found }, words) if taker == colony => Break((found, words)),
            other => Continue(other),
        };
        let (found, words) = self.wait(migrant, |_| {})?;
        Ok(found.map(|found| found.with(words)))
    }

    /// The best solution of all, as [`Group::migrant`], and the colony that has it.
    fn best(&mut self) -> Result<Option<(usize, Best)>> {
        let best = |arrived| match arrived {
            (_, Message::Best { giver, found }, words) => Break((giver, found, words)),
            other => Continue(other),
        };
        let (giver, found, words) = self.wait(best, |_| {})?;
        Ok(found.map(|found| (giver, found.with(words))))
    }
}

impl Solver {
    /// Why the run ends: of one process what this says; of several what all agree on, where this one ends or another one wishes to.
    ///
    /// # Errors
    /// [`Error::Rank`] where another rank has failed, or does not answer any more; as [`Solver::run`].
    pub(in crate::run) fn agreed(&mut self, own: Option<Ended>, stop: &Stop) -> Result<Option<Ended>> {
        let Some(group) = &mut self.group else { return Ok(own) };
        if group.over.is_some() {
            return Ok(group.over);
        }
        if own.is_none() && !group.is_called()? {
            return Ok(None);
        }
        // A rank that has made its iterations is between two.
        let whole = own == Some(Ended::Iterations);
        self.come_together(own, None, whole, stop).map_err(|failure| *failure.error)
    }

    /// Whether all ranks have ended the run, where there are several.
    pub(in crate::run) fn has_ended(&self) -> bool {
        self.group.as_ref().is_some_and(|group| group.over.is_some())
    }

    /// Tells the other ranks that this one has failed, so that all end; rank 0 gets to know what is known here.
    pub(in crate::run) fn tell_failure(&mut self, error: &Error, stop: &Stop) {
        let Some(group) = self.group.as_mut().filter(|group| group.over.is_none()) else { return };
        match error {
            // From rank 0 the others know it.
            Error::Rank { .. } => group.left = true,
            _ => {
                let stop = Stop { cost: None, ..stop.clone() };
                let told = self.come_together(Some(Ended::Failed), Some(error.to_string()), false, &stop);
                if let Err(failure) = told {
                    log::debug!("the other ranks were not told: {}", failure.error);
                }
            }
        }
    }

    /// Meets the other ranks where all have come to the iteration for that; why all end, if they do.
    pub(in crate::run) fn meet_if_due(&mut self, stop: &Stop) -> Result<Option<Ended>, Failure> {
        let iteration = self.own_progress().iteration;
        let due = self.migration.is_some_and(|migration| migration.is_due(iteration, self.clock.seconds()));
        let stagnates = self.stagnates_in(stop).is_some_and(|last| iteration >= last);
        if due || stagnates { self.come_together(None, None, true, stop) } else { Ok(None) }
    }

    /// Meets the other ranks: this one's run has `ended`, or it is `whole`, in the iteration of a meeting, or it was summoned.
    fn come_together(
        &mut self,
        ended: Option<Ended>,
        failure: Option<String>,
        whole: bool,
        stop: &Stop,
    ) -> Result<Option<Ended>, Failure> {
        let failed = failure.is_some();
        let decision = self.decision(Here { ended, failure, whole, colonies: self.standings() }, stop)?;
        let seconds = self.clock.seconds();
        let own = self.own_progress();
        let before = self.known.filter(|before| before.cost <= decision.cost);
        let best_seconds = before.map_or(seconds, |before| before.best_seconds);
        self.known = Some(Progress { cost: decision.cost, best_iteration: decision.iteration, best_seconds, ..own });
        self.exchange(&decision)?;
        let Some(ended) = decision.ended else { return Ok(None) };
        self.close(ended, failed)?;
        match (decision.failure, failed) {
            (Some((rank, message)), false) => {
                let machine = self.group.as_ref().and_then(|group| group.machines.get(rank).cloned());
                Err(Error::Rank { rank, machine: machine.unwrap_or_default(), message }.into())
            }
            _ => Ok(Some(ended)),
        }
    }

    /// How far this rank's colonies have come.
    fn standings(&self) -> Vec<Standing> {
        let standing = |run: &Run| {
            let Progress { cost, best_iteration: iteration, .. } = run.progress;
            Standing { gives: run.gives(), cost, iteration }
        };
        self.runs.iter().map(standing).collect()
    }

    /// What all ranks do next: rank 0 says so.
    fn decision(&mut self, here: Here, stop: &Stop) -> Result<Decision> {
        let (own, rules, clock) = (self.own_progress(), own_rules(stop), self.clock);
        let due = |migration: NextMigration| migration.is_due(own.iteration, clock.seconds());
        let due = here.whole && self.migration.is_some_and(due);
        let ends = || rules.ended(&own, &clock).filter(is_sudden);
        let Some(group) = &mut self.group else { return Err(Error::Fault("there are no other ranks".into())) };
        if let Some(ended) = here.ended.filter(is_sudden) {
            group.call(ended);
        }
        if group.rank() > 0 {
            return group.tell(here, ends);
        }
        let all = group.hear(here, ends)?;
        let decision = self.judge(all, due, stop);
        Ok(self.tell_others(decision))
    }

    /// Of rank 0: tells each rank what it has to know of a decision; what this one has to.
    fn tell_others(&mut self, mut decision: Decision) -> Decision {
        let Some(group) = &mut self.group else { return decision };
        let mut parts = vec![Vec::new(); group.count()];
        for pair in std::mem::take(&mut decision.pairs) {
            let (giver, taker) = (self.devices.rank_of(pair.0), self.devices.rank_of(pair.1));
            parts[giver].push(pair);
            if taker != giver {
                parts[taker].push(pair);
            }
        }
        for (rank, pairs) in parts.iter_mut().enumerate().skip(1) {
            let part = Decision { pairs: std::mem::take(pairs), ..decision.clone() };
            group.send(rank, &Message::Decision(part), &[]);
        }
        Decision { pairs: parts.swap_remove(0), ..decision }
    }

    /// What follows from what all ranks have told.
    fn judge(&self, all: Vec<Here>, due: bool, stop: &Stop) -> Decision {
        let failure = all.iter().enumerate().find_map(|(rank, here)| Some((rank, here.failure.clone()?)));
        let called = self.group.as_ref().and_then(|group| group.called);
        let failed = failure.as_ref().map(|_| Ended::Failed);
        // By the clock some ranks have made their iterations before others, which go on.
        let is_whole = !matches!(self.migration, Some(NextMigration::Seconds { .. }))
            || all.iter().all(|here| here.ended.is_some());
        let ends = |here: &Here| here.ended.filter(|ended| is_whole || is_sudden(ended));
        let mut ended = failed.or_else(|| all.iter().find_map(ends)).or(called);
        let migrates = due && ended.is_none() && all.iter().all(|here| here.whole);
        let mut standings: Vec<(usize, Standing)> = Vec::new();
        for (rank, here) in all.into_iter().enumerate() {
            let number = |own| self.devices.number_among(rank, own);
            standings.extend(here.colonies.into_iter().enumerate().map(|(own, standing)| (number(own), standing)));
        }
        standings.sort_by_key(|(colony, _)| *colony);
        let best = standings.iter().min_by_key(|(colony, standing)| (standing.cost, *colony));
        let own = self.own_progress();
        let (colony, cost) = best.map_or((0, own.cost), |(colony, standing)| (*colony, standing.cost));
        // Who finds the same later gains nothing.
        let as_good = standings.iter().filter(|(_, standing)| standing.cost == cost);
        let iteration = as_good.map(|(_, standing)| standing.iteration).min().unwrap_or(own.best_iteration);
        let known = self.known.filter(|before| before.cost <= cost);
        if ended.is_none() {
            let rules = Stop {
                stagnation: stop.stagnation,
                stagnation_time: stop.stagnation_time,
                begun: stop.begun,
                ..Stop::default()
            };
            let best_seconds = known.map_or(self.clock.seconds(), |before| before.best_seconds);
            ended = rules.ended(&Progress { cost, best_iteration: iteration, best_seconds, ..own }, &self.clock);
        }
        // The end brings it anyway.
        let wanted = (ended.is_none() && cost < own.cost).then_some(colony);
        let pairs = if migrates && self.group.as_ref().is_some_and(|group| group.moves) {
            let gives: Vec<u64> = standings.iter().map(|(_, standing)| standing.gives).collect();
            pairs(&gives, self.recipe.migration.map(|migration| migration.topology))
        } else {
            Vec::new()
        };
        Decision { ended, failure, migrates, pairs, cost, iteration, wanted }
    }

    /// Hands over what the decision asks for: the best solution to rank 0, migrants to their takers.
    fn exchange(&mut self, decision: &Decision) -> Result<(), Failure> {
        let Some(mut group) = self.group.take() else { return Ok(()) };
        let exchanged = self.exchange_in(&mut group, decision);
        self.group = Some(group);
        exchanged
    }

    fn exchange_in(&mut self, group: &mut Group, decision: &Decision) -> Result<(), Failure> {
        let mut failed = Ok(());
        if let Some(colony) = decision.wanted
            && let Some(own) = self.own_colony(colony)
        {
            let (found, words) = BestHead::split(self.give(own, &mut failed));
            group.send(0, &Message::Best { giver: colony, found }, &words);
        }
        let mut here = Vec::new();
        for &(giver, taker) in &decision.pairs {
            let Some(own) = self.own_colony(giver) else { continue };
            let best = self.give(own, &mut failed);
            if self.own_colony(taker).is_some() {
                here.push((taker, best));
            } else {
                let (found, words) = BestHead::split(best);
                group.send(self.devices.rank_of(taker), &Message::Migrant { taker, found }, &words);
            }
        }
        if group.rank() == 0
            && decision.wanted.is_some()
            && let Some((colony, best)) = group.best()?
        {
            self.keep_elsewhere(group, colony, best)?;
        }
        for &(giver, taker) in &decision.pairs {
            let Some(own) = self.own_colony(taker) else { continue };
            let best = match self.own_colony(giver) {
                Some(_) => here.iter_mut().find(|(colony, _)| *colony == taker).and_then(|(_, best)| best.take()),
                None => group.migrant(taker)?,
            };
            if let Some(best) = best {
                let taken = self.runs[own].take(best);
                failed = failed.and(taken.map_err(|error| self.failure(own, error)));
            }
        }
        if decision.migrates
            && let Some(migration) = &mut self.migration
        {
            migration.goes_on(self.clock.seconds());
        }
        failed
    }

    /// Which of this rank's runs a colony of all is, if it is one.
    fn own_colony(&self, colony: usize) -> Option<usize> {
        (0..self.runs.len()).find(|&own| self.devices.number_of(own) == colony)
    }

    /// What a run gives; nothing where it cannot.
    fn give(&mut self, own: usize, failed: &mut Result<(), Failure>) -> Option<Best> {
        let given = self.runs[own].give().map_err(|error| self.failure(own, error));
        given.map_err(|failure| *failed = Err(failure)).ok()
    }
}
