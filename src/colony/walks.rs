//! Walks through several small tours at a time: what a colony of chained Lin-Kernighan search does for one, in the same dispatches for all.

use std::ops::Range;

use rayon::prelude::*;

use super::broken;
use super::buffers::{distances, listed, neighbours, searched};
use crate::backend::{Backend, BufferId, Call, KernelId, KernelTiming};
use crate::error::Result;
use crate::instance::tsp::Instance;
use crate::kernels::lin_kernighan::chained_search::{self, Head};
use crate::kernels::plan::ChainedPlan;
use crate::kernels::shared::state::{State, join, split};
use crate::kernels::{Buffer, BufferPlan, Buffers};

/// A tour of many.
pub(crate) struct Walked<'a> {
    pub instance: &'a Instance,
    /// The plan of a colony that searches it alone.
    pub plan: &'a ChainedPlan,
    /// The tour that its walks begin with.
    pub start: &'a [u32],
}

/// Walks through tours whose cities lie in the buffers one behind the other.
pub(crate) struct Walks {
    backend: Box<dyn Backend>,
    plan: ChainedPlan,
    buffers: Buffers,
    kernel: KernelId,
    heads: Vec<Head>,
    state: State,
}

impl Walks {
    /// Sets up walks through `tours` on `backend`, which has neither buffers nor kernels. `plan` is one for as many tours.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn new(mut backend: Box<dyn Backend>, tours: &[Walked<'_>], plan: ChainedPlan) -> Result<Self> {
        let mut first = 0;
        let heads: Vec<Head> = tours
            .iter()
            .map(|tour| {
                let head = Head { first, ..Head::of(tour.plan) };
                first += head.cities;
                head
            })
            .collect();
        let state: State = bytemuck::Zeroable::zeroed();
        let mut buffers = Buffers::default();
        for BufferPlan { name, words } in plan.buffers() {
            let mut contents = contents(name, tours, &plan, &heads, &state);
            contents.resize(words as usize, 0);
            buffers.insert(name, backend.buffer_with(name.name(), contents)?);
        }
        let spec = chained_search::spec(&plan, &buffers).map_err(|message| broken(backend.as_ref(), &message))?;
        let kernel = backend.kernel(spec)?;
        backend.rehearse()?;
        Ok(Self { backend, plan, buffers, kernel, heads, state })
    }

    /// All walks.
    pub fn units(&self) -> Range<u32> {
        0..self.plan.units as u32
    }

    /// An iteration of some walks.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn run(&mut self, units: Range<u32>) -> Result<()> {
        let dispatches = chained_search::dispatches(&self.plan, self.state.iteration == 0);
        let call = Call { kernel: self.kernel, units };
        self.backend.run(&vec![call; dispatches as usize])
    }

    /// Time spent in each kernel.
    pub fn timings(&self) -> Vec<KernelTiming> {
        self.backend.timings()
    }

    /// Ends an iteration, of which all walks have had their part: the walks of tours that are `over` make no further steps.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn end_iteration(&mut self, over: impl Fn(usize) -> bool) -> Result<()> {
        self.state.iteration += 1;
        self.backend.write(self.buffers.get(Buffer::State), self.state.words())?;
        let mut closed = false;
        for (tour, head) in self.heads.iter_mut().enumerate() {
            if head.cities > 0 && over(tour) {
                (head.cities, closed) = (0, true);
            }
        }
        match closed {
            true => self.backend.write(self.buffers.get(Buffer::Heads), bytemuck::cast_slice(&self.heads)),
            false => Ok(()),
        }
    }

    /// What the tour of each walk costs, those of one tour behind one another.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn costs(&mut self) -> Result<Vec<u64>> {
        let words = self.read(Buffer::Costs, 2)?;
        Ok(words.chunks(2).map(|cost| join([cost[0], cost[1]])).collect())
    }

    /// The tour of each walk, in room for the largest.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn tours(&mut self) -> Result<Vec<u32>> {
        self.read(Buffer::Tours, self.plan.cities)
    }

    /// So many words of each walk.
    fn read(&mut self, buffer: Buffer, words: usize) -> Result<Vec<u32>> {
        let id: BufferId = self.buffers.get(buffer);
        self.backend.read(id, 0..self.plan.units * words)
    }
}

/// The first contents of a buffer, without what fills it up.
fn contents(name: Buffer, tours: &[Walked<'_>], plan: &ChainedPlan, heads: &[Head], state: &State) -> Vec<u32> {
    let of_each =
        |words: &(dyn Fn(&Walked<'_>) -> Vec<u32> + Sync)| tours.par_iter().map(words).collect::<Vec<_>>().concat();
    match name {
        Buffer::Distances => of_each(&|tour| distances(tour.instance, tour.plan)),
        Buffer::Neighbours => of_each(&|tour| {
            let own = tour.plan;
            let near = listed(tour.instance, own.quadrants, own.neighbours);
            let near = searched(tour.instance, own.rounding, near);
            neighbours(tour.instance, own, (own.neighbours, own.neighbour_pairs()), &near)
        }),
        Buffer::Heads => bytemuck::cast_slice(heads).to_vec(),
        Buffer::State => state.words().to_vec(),
        Buffer::Costs => of_each(&|tour| split(tour.plan.reference_cost).repeat(plan.walks)),
        Buffer::Tours => of_each(&|tour| {
            let mut walk = tour.start.to_vec();
            walk.resize(plan.cities, 0);
            walk.repeat(plan.walks)
        }),
        _ => Vec::new(),
    }
}
