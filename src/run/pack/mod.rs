//! Many small tours at a time on one device: chained Lin-Kernighan search of each, in the same dispatches for all. Each ends as it would alone,
//! with the same tour.

use std::mem;

use web_time::Instant;

use super::devices::open;
use super::{Found, SUBMISSION, Solution, Stop, Target};
use crate::backend::Backend;
use crate::colony::{Walked, Walks};
use crate::error::Result;
use crate::instance::problem::Problem;
use crate::settings::Settings;

#[cfg(test)]
mod tests;
mod tour;

use tour::{Kind, Tour};

/// Tours of a pack.
const TOURS: usize = 256;
/// Walks of a submission before the time that one takes is known: on a software adapter, on a GPU.
const FIRST_WALKS: [u32; 2] = [8, 1024];

/// A problem, and what it came with.
pub(super) struct Taken<K> {
    pub index: usize,
    pub key: K,
    pub problem: Problem,
    pub settings: Settings,
    /// When a worker took it.
    pub started: Instant,
}

/// A problem that is over, or is left to a solver of its own.
pub(super) enum Outcome<K> {
    Over { index: usize, key: K, found: Box<Found> },
    Left(Box<Taken<K>>),
}

/// A problem of a pack.
type Member<K> = (Taken<K>, Tour);

/// The tours that a worker collects until there are enough of a kind.
pub(super) struct Packs<K> {
    device: Box<dyn Backend>,
    waiting: Vec<(Kind, Vec<Member<K>>)>,
    /// Walks of a submission.
    at_once: u32,
    stop: Stop,
}

impl<K> Packs<K> {
    /// Packs on a GPU, where `stop` asks for one round, and for no cost or length; `None`: each problem has a solver of its own.
    ///
    /// # Errors
    /// What the device reports.
    pub fn on(target: &Target, stop: &Stop) -> Result<Option<Self>> {
        let apart = stop.target.is_some() || stop.length.is_some() || stop.rounds != Some(1);
        if apart || matches!(target, Target::Cpu) {
            return Ok(None);
        }
        Ok(Some(Self::of(open(target.clone())?, stop)))
    }

    /// Packs on a device.
    fn of(device: Box<dyn Backend>, stop: &Stop) -> Self {
        let at_once = FIRST_WALKS[usize::from(device.capabilities().wide)];
        Self { device, waiting: Vec::new(), at_once, stop: stop.clone() }
    }

    /// Takes a problem, and searches the pack that is complete with it. What does not suit a pack is left at once.
    pub fn take(&mut self, taken: Taken<K>) -> Vec<Outcome<K>> {
        let begun = Tour::begun(&taken.problem, &taken.settings, self.device.capabilities(), taken.started);
        let Some((kind, tour)) = begun else { return vec![Outcome::Left(Box::new(taken))] };
        let known = self.waiting.iter().position(|(known, _)| *known == kind);
        let at = known.unwrap_or_else(|| {
            self.waiting.push((kind, Vec::new()));
            self.waiting.len() - 1
        });
        let members = &mut self.waiting[at].1;
        members.push((taken, tour));
        match members.len() < TOURS {
            true => Vec::new(),
            false => {
                let (kind, members) = self.waiting.swap_remove(at);
                self.search(kind, members)
            }
        }
    }

    /// Searches the packs that are not complete.
    pub fn finish(&mut self) -> Vec<Outcome<K>> {
        let waiting = mem::take(&mut self.waiting);
        waiting.into_iter().flat_map(|(kind, members)| self.search(kind, members)).collect()
    }

    /// Searches the tours of a pack. Where the device refuses or fails, all of them are left.
    fn search(&mut self, kind: Kind, mut members: Vec<Member<K>>) -> Vec<Outcome<K>> {
        let (started, count) = (Instant::now(), members.len());
        match self.walk(kind, &mut members) {
            Ok(found) => {
                log::debug!("{count} tours of up to {} cities: {:.3} s", kind.room, started.elapsed().as_secs_f64());
                let (backend, device) = (self.device.name(), &self.device.capabilities().device);
                let over = members.into_iter().zip(found).map(|((taken, tour), solution)| {
                    let Taken { index, key, problem, settings, .. } = taken;
                    let found = Found {
                        problem,
                        settings,
                        recipe: tour.recipe,
                        backend,
                        device: device.clone(),
                        solution,
                        failure: None,
                    };
                    Outcome::Over { index, key, found: Box::new(found) }
                });
                over.collect()
            }
            Err(error) => {
                log::info!("{count} tours get solvers of their own: {error}");
                members.into_iter().map(|(taken, _)| Outcome::Left(Box::new(taken))).collect()
            }
        }
    }

    fn walk(&mut self, kind: Kind, members: &mut [Member<K>]) -> Result<Vec<Solution>> {
        members.iter_mut().for_each(|(_, tour)| tour.begin());
        let Some((_, first)) = members.first() else { return Ok(Vec::new()) };
        let steps = members.iter().map(|(_, tour)| tour.plan.steps).max().unwrap_or(first.plan.steps);
        let plan = first.plan.for_many(members.len(), kind.room, steps, self.device.capabilities())?;
        let all: Vec<Walked<'_>> = members.iter().map(|(_, tour)| tour.walked()).collect::<Result<_>>()?;
        let mut walks = Walks::new(self.device.fresh()?, &all, plan)?;
        let mut longest: f64 = 0.0;
        loop {
            members.iter_mut().for_each(|(_, tour)| tour.look(&self.stop));
            if members.iter().all(|(_, tour)| tour.ended.is_some()) {
                break;
            }
            // Between submissions each walk has ended an iteration or not begun one.
            let (mut next, all) = (0, walks.units().end);
            while next < all && !members.iter().all(|(_, tour)| tour.ended.is_some() || self.is_late(tour)) {
                let end = next.saturating_add(self.at_once).min(all);
                let submitted = Instant::now();
                walks.run(next..end)?;
                let took = submitted.elapsed();
                longest = longest.max(took.as_secs_f64());
                if took < SUBMISSION / 2 {
                    self.at_once = self.at_once.saturating_mul(2);
                }
                next = end;
            }
            let costs = walks.costs()?;
            for ((_, tour), costs) in members.iter_mut().zip(costs.chunks(kind.walks)) {
                if tour.ended.is_none() {
                    tour.note(costs, next == all, &self.stop);
                }
            }
            walks.end_iteration(|tour| members[tour].1.ended.is_some())?;
        }
        let tours = walks.tours()?;
        let device = &self.device.capabilities().device;
        let all = members.iter().zip(tours.chunks(kind.walks * kind.room));
        all.map(|((_, tour), tours)| tour.solution(tours, kind.room, longest, device)).collect()
    }

    /// Whether time is up for a tour, or a token is set.
    fn is_late(&self, tour: &Tour) -> bool {
        let since = self.stop.clock.unwrap_or(tour.clock.began);
        self.stop.is_cancelled() || self.stop.time.is_some_and(|limit| since.elapsed() >= limit)
    }
}
