//! A colony between two iterations, apart from any device.

use serde::{Deserialize, Serialize};

use super::Colony;
use crate::algorithm::fixed::{self, TABLE_WORDS};
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::kernels::plan::Plan;
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS, SEARCH_AT};
use crate::kernels::shared::state::{STATE_WORDS, State};
use crate::kernels::{Buffer, BufferPlan};

/// What a colony goes on from, on any device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// What its plan follows from besides the phase: the cost of the solution that the phase began with, and whether ants of Focused ACO
    /// copy that one.
    pub(crate) reference_cost: u64,
    pub(crate) begun: bool,
    /// Whether E-sets grow to blocks of AB-cycles.
    grows: bool,
    /// The first order of the windows, which without coordinates is the solution that the phase began with; else nothing.
    #[serde(skip)]
    order: Vec<u32>,
    /// The buffers that outlive an iteration, with their contents; the solutions too where the next phase is to begin with them.
    buffers: Vec<Buffer>,
    #[serde(skip)]
    contents: Vec<Vec<u32>>,
}

impl Saved {
    /// All words, in an order that does not change; the lists are as long as the buffers.
    pub(crate) fn words(&self) -> impl Iterator<Item = &Vec<u32>> {
        std::iter::once(&self.order).chain(&self.contents)
    }

    /// The same, to be filled: as many lists as there were.
    pub(crate) fn words_mut(&mut self) -> impl Iterator<Item = &mut Vec<u32>> {
        self.contents.resize_with(self.buffers.len(), Vec::new);
        std::iter::once(&mut self.order).chain(&mut self.contents)
    }

    fn contents(&self, buffer: Buffer) -> Option<&Vec<u32>> {
        self.buffers.iter().position(|&known| known == buffer).and_then(|at| self.contents.get(at))
    }

    /// Checks that it is of a colony with this plan.
    fn check(&self, plan: &Plan) -> Result<()> {
        let sizes = plan.buffers();
        let words = |buffer: &Buffer| sizes.iter().find(|known| known.name == *buffer).map_or(0, |known| known.words);
        let known = self.buffers == plan.lasting() || self.buffers == with_solutions(plan);
        let fits = known && self.buffers.iter().zip(&self.contents).all(|(it, has)| words(it) == has.len() as u64);
        let ordered = self.order.len() == if matches!(plan, Plan::Windows(_)) { plan.cities } else { 0 };
        let words = |message: &str| Err(Error::Checkpoint(format!("{message}; make it again with this version")));
        if !fits || !ordered || self.contents.len() != self.buffers.len() {
            return words("it does not hold what its recipe needs");
        }
        // Kernels of the CUDA backend trust cities that they read.
        let indices = self.buffers.iter().zip(&self.contents).all(|(buffer, has)| are_sound(*buffer, has, plan));
        // Ants of an Ant Colony System weigh trails by what they are above the first one.
        let floor = self.contents(Buffer::State).map_or(0, |state| State::from_words(state).trail_min);
        let above = !plan.construct().is_some_and(|plan| plan.is_acs())
            || self.contents(Buffer::Trails).is_none_or(|trails| trails.iter().all(|trail| *trail >= floor.max(LEAST)));
        if indices && above && is_permutation(&self.order) {
            Ok(())
        } else {
            words("what it goes on from is no solution")
        }
    }
}

/// The least number whose logarithm [`fixed::log2_near`] knows.
const LEAST: u32 = 256;

/// Whether what kernels take for solutions, and for numbers of cities, facilities or locations, in a buffer is that.
fn are_sound(buffer: Buffer, contents: &[u32], plan: &Plan) -> bool {
    let n = plan.cities;
    let is_below = |number: u32| (number as usize) < n;
    match buffer {
        // None of them has been made yet, or each is one.
        Buffer::Units => contents.iter().all(|word| *word == 0) || contents.chunks(n).all(is_permutation),
        Buffer::Tours | Buffer::Positions | Buffer::Bests if plan.construct().is_none() => {
            contents.chunks(n).all(is_permutation)
        }
        Buffer::Tours | Buffer::Positions | Buffer::Bests | Buffer::Links => {
            contents.iter().all(|&number| is_below(number))
        }
        // Of candidates the upper half is the city.
        Buffer::Choice | Buffer::Heuristic => contents.iter().all(|entry| is_below(entry >> 16)),
        Buffer::State => contents.len() >= STATE_WORDS && State::from_words(contents).is_sound(),
        Buffer::Tables => {
            let (known, drawn) = contents.split_at(contents.len().min(TABLE_WORDS));
            known == fixed::tables() && drawn.iter().all(|word| [word & 0xFFFF, word >> 16].iter().all(is_deviate))
        }
        Buffer::Progress => {
            let unit = |words: &[u32]| {
                bytemuck::pod_read_unaligned::<ConstructProgress>(bytemuck::cast_slice(&words[..SEARCH_AT]))
            };
            contents.chunks(PROGRESS_WORDS).all(|words| unit(words).step as usize <= n)
        }
        // Costs, trails, weights, counts and bits.
        _ => true,
    }
}

/// Whether a key of it and the greatest weight has 16 bits, so that no carry reaches the option that goes with it.
fn is_deviate(drawn: &u32) -> bool {
    *drawn <= 0xFFFF - fixed::MOST_WEIGHT
}

/// Whether these are the numbers below their count, each once.
fn is_permutation(numbers: &[u32]) -> bool {
    let mut seen = vec![false; numbers.len()];
    numbers.iter().all(|&number| seen.get_mut(number as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

/// The buffers that outlive an iteration, and the solutions.
fn with_solutions(plan: &Plan) -> Vec<Buffer> {
    let lasting = plan.lasting();
    Buffer::ALL.iter().copied().filter(|buffer| *buffer == Buffer::Tours || lasting.contains(buffer)).collect()
}

impl Colony {
    /// What the colony goes on from; between two iterations.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn save(&mut self) -> Result<Saved> {
        self.save_buffers(self.plan.lasting())
    }

    /// The same with the solutions of the last iteration, for a phase that is to begin with them.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn save_with_solutions(&mut self) -> Result<Saved> {
        self.save_buffers(with_solutions(&self.plan))
    }

    fn save_buffers(&mut self, saved: Vec<Buffer>) -> Result<Saved> {
        let plan = &self.plan;
        let order = match plan {
            Plan::Windows(plan) => self.backend.read(self.buffers.get(Buffer::Order), 0..plan.cities)?,
            _ => Vec::new(),
        };
        let sizes = plan.buffers();
        let planned = |buffer: &Buffer| sizes.iter().find(|known| known.name == *buffer);
        let read =
            |BufferPlan { name, words }: &BufferPlan| self.backend.read(self.buffers.get(*name), 0..*words as usize);
        let contents = saved.iter().filter_map(planned).map(read).collect::<Result<_>>()?;
        Ok(Saved {
            reference_cost: plan.reference_cost,
            begun: plan.construct().is_some_and(|plan| plan.begun),
            grows: self.grows,
            order,
            buffers: saved,
            contents,
        })
    }

    /// A colony that goes on from what another one has saved, with the same phase on any backend, which has neither buffers nor kernels.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] when it is of another phase; what the backend refuses.
    pub fn restored(backend: Box<dyn Backend>, problem: &Problem, plan: Plan, saved: &Saved) -> Result<Self> {
        saved.check(&plan)?;
        let none = Vec::new();
        let start = match plan {
            Plan::Windows(_) => &saved.order,
            Plan::Eax(_) => saved.contents(Buffer::Tours).unwrap_or(&none),
            Plan::Construct(_) | Plan::Chained(_) => saved.contents(Buffer::Bests).unwrap_or(&none),
        };
        let first = start.get(..plan.cities).unwrap_or(&none);
        if first.len() != plan.cities || !is_permutation(first) {
            return Err(Error::Checkpoint(
                "what it goes on from is no solution; make it again with this version".into(),
            ));
        }
        let start = if matches!(plan, Plan::Eax(_)) { start } else { first };
        let mut colony = Self::new(backend, problem, plan, start)?;
        for (&buffer, contents) in saved.buffers.iter().zip(&saved.contents) {
            colony.backend.write(colony.buffers.get(buffer), contents)?;
        }
        colony.grows = saved.grows;
        Ok(colony)
    }
}
