//! Populations of several small assignment problems at a time: what a colony of the memetic algorithm does for one, in the same dispatches
//! for all.

use std::ops::Range;

use rayon::prelude::*;

use super::iteration::{self, Ants, Stage};
use super::{Maker, broken};
use crate::backend::{Backend, Call, KernelTiming};
use crate::error::Result;
use crate::instance::qap::Instance;
use crate::kernels::plan::{ConstructPlan, Plan};
use crate::kernels::qap::matrices;
use crate::kernels::shared::state::{State, join};
use crate::kernels::{Buffer, BufferPlan, Buffers};

/// Populations that lie in the buffers one behind the other, all of them in the same iteration.
pub(crate) struct Populations {
    backend: Box<dyn Backend>,
    plan: ConstructPlan,
    buffers: Buffers,
    construct: Ants,
    finish: Vec<Stage>,
    end: Vec<Stage>,
    /// The problems whose populations these are, as they were numbered at first, and their matrices.
    problems: Vec<(usize, Vec<u32>)>,
    state: State,
}

impl Populations {
    /// Sets up populations for `instances` on `backend`, which has neither buffers nor kernels. `plan` is one for as many problems.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn new(mut backend: Box<dyn Backend>, instances: &[&Instance], plan: ConstructPlan) -> Result<Self> {
        let problems: Vec<(usize, Vec<u32>)> =
            instances.par_iter().enumerate().map(|(index, instance)| (index, matrices::words(instance))).collect();
        let state: State = bytemuck::Zeroable::zeroed();
        let mut buffers = Buffers::default();
        // The host finds the best of each problem.
        for BufferPlan { name, words } in plan.buffers().into_iter().filter(|buffer| buffer.name != Buffer::Bests) {
            let id = match name {
                Buffer::Matrices => backend.buffer_with(name.name(), of_all(&problems))?,
                Buffer::State => backend.buffer_with(name.name(), state.words().to_vec())?,
                _ => backend.buffer(name.name(), words as usize)?,
            };
            buffers.insert(name, id);
        }
        let mut maker = Maker::default();
        let whole = Plan::Construct(Box::new(plan.clone()));
        let stages = iteration::construct(&mut maker, &whole, &buffers).and_then(|construct| {
            let finish = iteration::finish(&mut maker, &whole, &buffers)?;
            Ok((construct, finish, iteration::succeed(&mut maker, &plan, &buffers)?))
        });
        let (construct, finish, end) = stages.map_err(|message| broken(backend.as_ref(), &message))?;
        for spec in maker.specs {
            backend.kernel(spec)?;
        }
        backend.rehearse()?;
        Ok(Self { backend, plan, buffers, construct, finish, end, problems, state })
    }

    /// The individuals of all problems.
    pub fn units(&self) -> Range<u32> {
        0..(self.problems.len() * self.plan.ants()) as u32
    }

    /// Gives some individuals children, searched and with their costs.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn run(&mut self, units: Range<u32>) -> Result<()> {
        let mut calls = self.construct.calls(units.clone(), false);
        calls.extend(self.calls(&self.finish, &units));
        self.backend.run(&calls)
    }

    /// Time spent in each kernel.
    pub fn timings(&self) -> Vec<KernelTiming> {
        self.backend.timings()
    }

    /// Ends an iteration, in which all individuals have had a child: those survive that cost least. The populations of problems that are
    /// `over` go, and others take their places.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn end_iteration(&mut self, over: impl Fn(usize) -> bool) -> Result<()> {
        self.backend.run(&self.calls(&self.end, &self.units()))?;
        self.state.iteration += 1;
        self.backend.write(self.buffers.get(Buffer::State), self.state.words())?;
        let stays: Vec<bool> = self.problems.iter().map(|(problem, _)| !over(*problem)).collect();
        if stays.iter().all(|stays| *stays) {
            return Ok(());
        }
        for (buffer, words) in [(Buffer::Units, self.plan.cities), (Buffer::UnitCosts, 2)] {
            let words = words * self.plan.ants();
            let all = self.backend.read(self.buffers.get(buffer), 0..words * self.problems.len())?;
            let left = all.chunks(words).zip(&stays).filter(|(_, stays)| **stays).flat_map(|(own, _)| own);
            self.backend.write(self.buffers.get(buffer), &left.copied().collect::<Vec<u32>>())?;
        }
        let mut stays = stays.into_iter();
        self.problems.retain(|_| stays.next() == Some(true));
        self.backend.write(self.buffers.get(Buffer::Matrices), &of_all(&self.problems))
    }

    /// What the last children of each problem cost of those before unit `done`, with the number of the problem. It has none where it had to
    /// wait.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn costs(&mut self, done: u32) -> Result<Vec<(usize, Vec<u64>)>> {
        let words = self.backend.read(self.buffers.get(Buffer::Costs), 0..2 * done as usize)?;
        let costs: Vec<u64> = words.chunks(2).map(|cost| join([cost[0], cost[1]])).collect();
        let mut of_problems = costs.chunks(self.plan.ants());
        let all = self.problems.iter().map(|(problem, _)| (*problem, of_problems.next().unwrap_or_default().to_vec()));
        Ok(all.collect())
    }

    /// The last children of problems, one of each.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn children(&mut self, wanted: &[(usize, usize)]) -> Result<Vec<Vec<u32>>> {
        let (n, ants) = (self.plan.cities, self.plan.ants());
        let place = |(problem, child): &(usize, usize)| {
            let slot = self.problems.iter().position(|(known, _)| known == problem).unwrap_or_default();
            (slot * ants + child) * n
        };
        let places: Vec<usize> = wanted.iter().map(place).collect();
        let tours = self.buffers.get(Buffer::Tours);
        if places.len() <= FEW {
            return places.into_iter().map(|place| self.backend.read(tours, place..place + n)).collect();
        }
        let all = self.backend.read(tours, 0..self.problems.len() * ants * n)?;
        Ok(places.into_iter().map(|place| all[place..place + n].to_vec()).collect())
    }

    fn calls(&self, stages: &[Stage], units: &Range<u32>) -> Vec<Call> {
        stages.iter().flat_map(|stage| stage.calls(units.clone(), self.plan.cities as u32)).collect()
    }
}

/// Children that are read one by one; of more all are read at once.
const FEW: usize = 8;

fn of_all(problems: &[(usize, Vec<u32>)]) -> Vec<u32> {
    problems.iter().flat_map(|(_, matrices)| matrices).copied().collect()
}
