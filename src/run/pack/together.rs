//! What searches the problems of a pack together: walks through tours, or populations of assignments.

use std::collections::HashMap;
use std::ops::Range;

use super::Kind;
use super::member::Member;
use crate::backend::{Backend, Capabilities, KernelTiming};
use crate::colony::{Populations, Walked, Walks};
use crate::error::Result;

/// The search of a pack's problems, all of them in the same iteration.
pub(super) trait Together {
    /// What an iteration is made of that can be submitted apart.
    fn units(&self) -> Range<u32>;

    /// An iteration of some units.
    fn run(&mut self, units: Range<u32>) -> Result<()>;

    /// What the solutions of the last iteration cost, by problem: of those before unit `done`, and not of problems that are over. Where a problem
    /// has none it had to wait.
    fn costs(&mut self, done: u32) -> Result<Vec<(usize, Vec<u64>)>>;

    /// Keeps solutions of the last iteration that are better than all before: of the problem, the number of its solution.
    fn keep(&mut self, better: &[(usize, usize)]) -> Result<()>;

    /// Ends an iteration, of which all units have had their part; problems that are `over` have no further ones.
    fn end_iteration(&mut self, over: &dyn Fn(usize) -> bool) -> Result<()>;

    /// The solutions that were kept.
    fn kept(&mut self) -> Result<HashMap<usize, Vec<u32>>>;

    /// Time spent in each kernel.
    fn timings(&self) -> Vec<KernelTiming>;
}

/// The search of a pack.
///
/// # Errors
/// What the device refuses.
pub(super) fn set_up(
    kind: &Kind,
    members: &[&Member],
    device: Box<dyn Backend>,
    capabilities: &Capabilities,
) -> Result<Box<dyn Together>> {
    match kind {
        Kind::Walks { room, walks, .. } => {
            let all: Vec<Walked<'_>> = members
                .iter()
                .map(|member| member.tour().map(|(instance, plan)| Walked { instance, plan, start: &member.start }))
                .collect::<Result<_>>()?;
            let steps = all.iter().map(|tour| tour.plan.steps).max().unwrap_or_default();
            let plan = members[0].tour()?.1.for_many(all.len(), *room, steps, capabilities)?;
            let cities = all.iter().map(|tour| tour.plan.cities).collect();
            let colony = Walks::new(device, &all, plan)?;
            Ok(Box::new(WalksTogether { colony, walks: *walks, room: *room, cities, best: HashMap::new() }))
        }
        Kind::Populations(plan) => {
            let instances = members.iter().map(|member| Ok(member.assignment()?.0)).collect::<Result<Vec<_>>>()?;
            let colony = Populations::new(device, &instances, plan.for_many(instances.len(), capabilities)?)?;
            Ok(Box::new(PopulationsTogether { colony, best: HashMap::new() }))
        }
    }
}

/// A walk keeps its best tour itself.
struct WalksTogether {
    colony: Walks,
    walks: usize,
    room: usize,
    /// The cities of each tour.
    cities: Vec<usize>,
    /// The best walk of each tour.
    best: HashMap<usize, usize>,
}

impl Together for WalksTogether {
    fn units(&self) -> Range<u32> {
        self.colony.units()
    }

    fn run(&mut self, units: Range<u32>) -> Result<()> {
        self.colony.run(units)
    }

    /// Walks that had no part in an iteration cost what they did.
    fn costs(&mut self, _: u32) -> Result<Vec<(usize, Vec<u64>)>> {
        Ok(self.colony.costs()?.chunks(self.walks).map(<[u64]>::to_vec).enumerate().collect())
    }

    fn keep(&mut self, better: &[(usize, usize)]) -> Result<()> {
        self.best.extend(better.iter().copied());
        Ok(())
    }

    fn end_iteration(&mut self, over: &dyn Fn(usize) -> bool) -> Result<()> {
        self.colony.end_iteration(over)
    }

    fn kept(&mut self) -> Result<HashMap<usize, Vec<u32>>> {
        let tours = self.colony.tours()?;
        let tour = |(&tour, &walk): (&usize, &usize)| {
            let first = (tour * self.walks + walk) * self.room;
            (tour, tours[first..][..self.cities[tour]].to_vec())
        };
        Ok(self.best.iter().map(tour).collect())
    }

    fn timings(&self) -> Vec<KernelTiming> {
        self.colony.timings()
    }
}

/// Children are read as soon as they are the best, since the next ones take their place.
struct PopulationsTogether {
    colony: Populations,
    /// The best assignment of each problem.
    best: HashMap<usize, Vec<u32>>,
}

impl Together for PopulationsTogether {
    fn units(&self) -> Range<u32> {
        self.colony.units()
    }

    fn run(&mut self, units: Range<u32>) -> Result<()> {
        self.colony.run(units)
    }

    fn costs(&mut self, done: u32) -> Result<Vec<(usize, Vec<u64>)>> {
        self.colony.costs(done)
    }

    fn keep(&mut self, better: &[(usize, usize)]) -> Result<()> {
        let children = self.colony.children(better)?;
        self.best.extend(better.iter().map(|(problem, _)| *problem).zip(children));
        Ok(())
    }

    fn end_iteration(&mut self, over: &dyn Fn(usize) -> bool) -> Result<()> {
        self.colony.end_iteration(over)
    }

    fn kept(&mut self) -> Result<HashMap<usize, Vec<u32>>> {
        Ok(std::mem::take(&mut self.best))
    }

    fn timings(&self) -> Vec<KernelTiming> {
        self.colony.timings()
    }
}
