//! Many small problems at a time on one device, in the same dispatches for all: chained Lin-Kernighan search of tours, the memetic algorithm
//! for assignments. Each ends as it would alone, with the same solution.

use std::{fmt, mem};

use web_time::Instant;

use super::devices::open;
use super::panics::caught;
use super::{Found, SUBMISSION, Solution, Stop, Target};
use crate::backend::{Backend, KernelTiming};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::Rounding;
use crate::kernels::plan::ConstructPlan;
use crate::settings::Settings;

mod member;
#[cfg(test)]
mod tests;
mod together;

use member::Member;
use together::set_up;

/// Tours of a pack.
const TOURS: usize = 256;
/// Assignments of a pack.
const ASSIGNMENTS: usize = 64;
/// Walks or individuals of a submission before the time that one takes is known: on a software adapter, on a GPU.
const FIRST_UNITS: [u32; 2] = [8, 1024];

/// A problem, and what it came with.
#[derive(Debug)]
pub(super) struct Taken<K> {
    pub index: usize,
    pub key: K,
    pub problem: Problem,
    pub settings: Settings,
    /// Since when its time counts, from when a worker took it; of one that has waited for others in vain since it begins.
    pub started: Option<Instant>,
}

/// A problem that is over, or is left to a solver of its own.
#[derive(Debug)]
pub(super) enum Outcome<K> {
    Over { index: usize, key: K, found: Box<Found> },
    Left(Box<Taken<K>>),
}

/// What the problems of a pack have in common.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Walks through tours.
    Walks {
        /// Cities that a walk has room for.
        room: usize,
        rounding: Rounding,
        /// Walks of a tour.
        walks: usize,
        neighbours: usize,
    },
    /// Populations of assignments: their plan, but for the cost of the first one.
    Populations(Box<ConstructPlan>),
}

impl Kind {
    /// The most problems of a pack.
    fn most(&self) -> usize {
        match self {
            Self::Walks { .. } => TOURS,
            Self::Populations(_) => ASSIGNMENTS,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Walks { room, .. } => write!(f, "tours of up to {room} cities"),
            Self::Populations(plan) => write!(f, "assignments of {} facilities", plan.cities),
        }
    }
}

/// Problems of a kind.
type Waiting<K> = Vec<(Taken<K>, Member)>;

/// The problems that a worker collects until there are enough of a kind.
pub(super) struct Packs<K> {
    device: Box<dyn Backend>,
    waiting: Vec<(Kind, Waiting<K>)>,
    /// Walks or individuals of a submission.
    at_once: u32,
    stop: Stop,
}

impl<K> Packs<K> {
    /// Packs on a GPU, where `stop` says after how many rounds problems end, and asks for no cost or length; `None`: each problem has a solver of its
    /// own.
    ///
    /// # Errors
    /// What the device reports.
    pub fn on(target: &Target, stop: &Stop) -> Result<Option<Self>> {
        let apart = stop.cost.is_some() || stop.target.is_some() || stop.rounds.is_none();
        if apart || matches!(target, Target::Cpu) {
            return Ok(None);
        }
        Ok(Some(Self::of(open(target.clone())?, stop)))
    }

    /// Packs on a device.
    fn of(device: Box<dyn Backend>, stop: &Stop) -> Self {
        let at_once = FIRST_UNITS[usize::from(device.capabilities().wide)];
        Self { device, waiting: Vec::new(), at_once, stop: stop.clone() }
    }

    /// Takes a problem, and searches the pack that is complete with it. What does not suit a pack is left at once.
    pub fn take(&mut self, taken: Taken<K>) -> Vec<Outcome<K>> {
        let (device, started) = (self.device.capabilities(), taken.started.unwrap_or_else(Instant::now));
        // A panic is a fault that its own solver tells.
        let begun = || Ok(Member::begun(&taken.problem, &taken.settings, device, &self.stop, started));
        let Ok(Some((kind, member))) = caught(Error::Fault, begun) else { return vec![Outcome::Left(Box::new(taken))] };
        let known = self.waiting.iter().position(|(known, _)| *known == kind);
        let at = known.unwrap_or_else(|| {
            self.waiting.push((kind, Vec::new()));
            self.waiting.len() - 1
        });
        let (kind, waiting) = &mut self.waiting[at];
        waiting.push((taken, member));
        match waiting.len() < kind.most() {
            true => Vec::new(),
            false => {
                let (kind, waiting) = self.waiting.swap_remove(at);
                self.search(&kind, waiting)
            }
        }
    }

    /// Searches the packs that are not complete.
    pub fn finish(&mut self) -> Vec<Outcome<K>> {
        let waiting = mem::take(&mut self.waiting);
        waiting.into_iter().flat_map(|(kind, waiting)| self.search(&kind, waiting)).collect()
    }

    /// Searches the problems of a pack. Where the device refuses or fails, all of them are left.
    fn search(&mut self, kind: &Kind, waiting: Waiting<K>) -> Vec<Outcome<K>> {
        let started = Instant::now();
        let (taken, mut members): (Vec<Taken<K>>, Vec<Member>) = waiting.into_iter().unzip();
        // A panic is a fault in one of them, which their own solvers tell.
        match caught(Error::Fault, || self.search_together(kind, &mut members)) {
            Ok(found) => {
                log::debug!("{} {kind}: {:.3} s", found.len(), started.elapsed().as_secs_f64());
                let over = taken.into_iter().zip(found).map(|(taken, solution)| {
                    let Taken { index, key, problem, settings, .. } = taken;
                    let found = Found { problem, settings, solution, failure: None };
                    Outcome::Over { index, key, found: Box::new(found) }
                });
                over.collect()
            }
            Err(error) => {
                log::info!("{} {kind} get solvers of their own: {error}", taken.len());
                taken.into_iter().map(|taken| Outcome::Left(Box::new(Taken { started: None, ..taken }))).collect()
            }
        }
    }

    fn search_together(&mut self, kind: &Kind, members: &mut [Member]) -> Result<Vec<Solution>> {
        members.iter_mut().for_each(Member::begin);
        let mut longest: f64 = 0.0;
        loop {
            let mut active: Vec<&mut Member> = members.iter_mut().collect();
            for member in &mut active {
                member.next_round(self.device.capabilities())?;
                member.look(&self.stop);
            }
            active.retain(|member| !member.rests());
            let Some(first) = active.first() else { break };
            let kind = first.kind_of_round(kind);
            longest = longest.max(self.search_round(&kind, &mut active)?);
        }
        members.iter_mut().map(|member| member.solution(longest, self.device.as_ref())).collect()
    }

    /// Searches until each of the problems has ended, or come to its next round; seconds of the longest submission.
    fn search_round(&mut self, kind: &Kind, members: &mut [&mut Member]) -> Result<f64> {
        let (capabilities, stop) = (self.device.capabilities(), &self.stop);
        let all: Vec<&Member> = members.iter().map(|member| &**member).collect();
        let mut together = set_up(kind, &all, self.device.fresh()?, capabilities)?;
        let mut longest: f64 = 0.0;
        while !members.iter().all(|member| member.rests()) {
            // Between submissions each unit has ended an iteration or not begun one.
            let (mut next, all) = (0, together.units().end);
            while next < all && !members.iter().all(|member| member.rests() || member.is_late(stop)) {
                let end = next.saturating_add(self.at_once).min(all);
                let submitted = Instant::now();
                together.run(next..end)?;
                let took = submitted.elapsed();
                longest = longest.max(took.as_secs_f64());
                // The last units of an iteration may be few.
                if took < SUBMISSION / 2 && end - next == self.at_once {
                    self.at_once = self.at_once.saturating_mul(2);
                } else if took > SUBMISSION * 2 {
                    self.at_once = (self.at_once / 2).max(1);
                }
                next = end;
            }
            let mut better = Vec::new();
            for (problem, costs) in together.costs(next)? {
                let member = &mut members[problem];
                if !member.rests()
                    && let Some(unit) = member.note(&costs, next == all, stop)
                {
                    better.push((problem, unit));
                }
            }
            together.keep(&better)?;
            // Those that end now make no step more.
            members.iter_mut().for_each(|member| member.look(stop));
            if next == all {
                together.end_iteration(&|problem| members[problem].rests())?;
            }
        }
        for KernelTiming { name, calls, ms } in together.timings() {
            log::trace!("{name}: {calls} calls, {ms:.3} ms");
        }
        for (problem, best) in together.kept()? {
            members[problem].keep(best);
        }
        Ok(longest)
    }
}
