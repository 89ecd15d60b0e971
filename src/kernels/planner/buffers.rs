//! Which buffers a plan needs, and how long they are.

use crate::algorithm::choices::Memory;
use crate::algorithm::fixed;
use crate::backend::BufferId;
use crate::kernels::construct::deviates::Ring;
use crate::kernels::eax::recombine::kept_words;
use crate::kernels::lin_kernighan::chained_search;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, SearchMemory, WindowsPlan, weight_pitch};
use crate::kernels::qap::matrices;
use crate::kernels::shared::progress::PROGRESS_WORDS;
use crate::kernels::shared::state::STATE_WORDS;
use crate::kernels::two_opt::queue_words;
use crate::kernels::{Buffer, BufferPlan, Buffers};

impl Buffers {
    /// As a backend without buffers will number those of `plan`.
    pub(crate) fn numbered(plan: &Plan) -> Self {
        let mut buffers = Self::default();
        plan.buffers().iter().enumerate().for_each(|(index, buffer)| buffers.insert(buffer.name, BufferId(index)));
        buffers
    }
}

impl Plan {
    /// Each buffer that this plan needs, with its length.
    pub fn buffers(&self) -> Vec<BufferPlan> {
        match self {
            Self::Construct(plan) => plan.buffers(),
            Self::Windows(plan) => plan.buffers(),
            Self::Chained(plan) => plan.buffers(),
            Self::Eax(plan) => plan.buffers(),
        }
    }

    /// Bytes of all buffers together.
    pub fn total_bytes(&self) -> u64 {
        self.buffers().iter().map(|buffer| buffer.words * 4).sum()
    }
}

impl ConstructPlan {
    pub(crate) fn buffers(&self) -> Vec<BufferPlan> {
        let system = &self.system;
        let [n, m, k] = [self.cities, self.units, system.candidates].map(|x| x as u64);
        let words = |buffer| match buffer {
            Buffer::Distances if system.memory == Memory::Candidates => {
                self.distance_words() + n * self.nearby().div_ceil(2) as u64
            }
            Buffer::Distances if !self.is_assignment() => self.distance_words(),
            Buffer::Neighbours if self.walks_neighbours() => n * self.neighbour_pairs() as u64 * 4,
            Buffer::Heuristic if self.is_acs() => n * (k + self.nearby() as u64),
            Buffer::Heuristic if system.memory == Memory::Candidates => n * k,
            Buffer::Nearest if self.weighs_matrix() && !self.is_assignment() => n,
            Buffer::Tables if self.memetic().is_some() => 0,
            Buffer::Tables => match Ring::of(self) {
                Some(ring) => fixed::DEVIATES as u64 + u64::from(ring.words()),
                None => fixed::TABLE_WORDS as u64,
            },
            Buffer::Trails if self.memetic().is_some() => 0,
            Buffer::Trails => match system.memory {
                Memory::Candidates => n * k,
                Memory::Matrix if self.is_acs() => n * (k + n),
                Memory::Matrix => n * n,
                Memory::Selective => 0,
            },
            Buffer::Records if system.memory == Memory::Selective => n * u64::from(self.record_pitch()),
            Buffer::Choice if system.memory == Memory::Candidates => n * k,
            Buffer::Choice if self.weighs_matrix() && !self.is_assignment() => {
                if system.full {
                    1
                } else {
                    n * k
                }
            }
            Buffer::Weights if self.weighs_matrix() => n * weight_pitch(self.cities) as u64,
            Buffer::State => STATE_WORDS as u64,
            Buffer::Progress => m * PROGRESS_WORDS as u64,
            Buffer::VisitedKept if self.memetic().is_none() => m * self.visited_words() as u64,
            Buffer::Queues if self.walks_neighbours() => m * queue_words(system.local_search, self.cities) as u64,
            Buffer::Tours => m * n,
            Buffer::Positions if self.walks_neighbours() && self.search_memory == SearchMemory::Storage => m * n,
            Buffer::Costs => m * 2,
            Buffer::Bests => 3 * n,
            Buffer::Links if !self.is_assignment() => 2 * n,
            Buffer::Matrices => (self.problems * matrices::length_of(self)) as u64,
            // The CPU twin keeps its tables to itself.
            Buffer::Memory if !self.unbounded_calls => self.exchange.map_or(0, |plan| m * plan.layout.words as u64),
            Buffer::Units if self.has_units() || self.memetic().is_some() => m * n,
            Buffer::UnitCosts if self.has_units() || self.memetic().is_some() => m * 2,
            Buffer::Ranks if self.memetic().is_some() => 2 * m,
            Buffer::Survivors if self.memetic().is_some() => 4 * m,
            Buffer::Thresholds if self.has_units() => n,
            Buffer::Amounts if self.weighs_matrix() => m,
            Buffer::IndependentSet if self.best_on_host() => 1,
            _ => 0,
        };
        let all = Buffer::ALL.iter().map(|&name| BufferPlan { name, words: words(name) });
        all.filter(|plan| plan.words > 0).collect()
    }
}

impl WindowsPlan {
    pub(super) fn buffers(&self) -> Vec<BufferPlan> {
        let window = &self.window;
        let [n, m, orders] = [self.cities, self.units, window.orders].map(|x| x as u64);
        let distances = match window.rounding {
            Some(_) => (Buffer::Coordinates, orders * n * 2),
            None => (Buffer::Distances, n * n),
        };
        let bits = n.div_ceil(32);
        let all = [
            distances,
            (Buffer::Order, orders * n),
            (Buffer::OrderIndex, orders * n),
            (Buffer::NearIndex, window.near_words(self.cities)),
            (Buffer::State, STATE_WORDS as u64),
            (Buffer::Progress, m * PROGRESS_WORDS as u64),
            (Buffer::Bests, n),
            (Buffer::Positions, n),
            (Buffer::Unsettled, bits),
            (Buffer::Windows, m * window.words() as u64),
            (Buffer::RemovedEdges, m * window.removed_words() as u64),
            (Buffer::Conflicts, m * m.div_ceil(32)),
            (Buffer::IndependentSet, m.div_ceil(32)),
            (Buffer::RemovedBits, bits),
            (Buffer::Ties, 2 * n),
            (Buffer::Paths, 1 + bits + 2 * n),
            (Buffer::Hops, 8 * n),
        ];
        all.map(|(name, words)| BufferPlan { name, words }).to_vec()
    }
}

impl ChainedPlan {
    /// Cities of several tours lie one behind the other.
    pub(crate) fn buffers(&self) -> Vec<BufferPlan> {
        let [n, m, tours] = [self.cities, self.units, self.tours].map(|x| x as u64);
        let all = [
            (Buffer::Distances, tours * self.distance_words()),
            (Buffer::Neighbours, tours * n * self.neighbour_pairs() as u64 * 4),
            (Buffer::State, STATE_WORDS as u64),
            (Buffer::Progress, m * PROGRESS_WORDS as u64),
            (Buffer::Queues, m * chained_search::kept_words(self.cities) as u64),
            (Buffer::Tours, m * n),
            (Buffer::Costs, m * 2),
            (Buffer::Heads, tours * chained_search::HEAD_WORDS as u64),
        ];
        // The best of several tours the host finds.
        let best = [(Buffer::Bests, 3 * n), (Buffer::Links, 2 * n)];
        let best = best.into_iter().filter(|_| self.tours == 1);
        all.into_iter().chain(best).map(|(name, words)| BufferPlan { name, words }).collect()
    }
}

impl EaxPlan {
    fn buffers(&self) -> Vec<BufferPlan> {
        let [n, m] = [self.cities, self.units].map(|x| x as u64);
        let walks = m * u64::from(self.recombine.pair_walks);
        let all = [
            (Buffer::Distances, self.distance_words()),
            (Buffer::Neighbours, n * self.neighbour_pairs() as u64 * 4),
            (Buffer::Trails, n * self.neighbours as u64 + self.individuals as u64 + 1),
            (Buffer::State, STATE_WORDS as u64),
            (Buffer::Progress, walks * PROGRESS_WORDS as u64),
            (Buffer::Tours, m * n),
            (Buffer::Positions, m * n),
            (Buffer::Costs, m * 2),
            (Buffer::Bests, 3 * n),
            (Buffer::Links, 2 * n),
            (Buffer::Offspring, walks * kept_words(self.cities) as u64),
            (Buffer::EdgeOverlap, 2),
        ];
        all.map(|(name, words)| BufferPlan { name, words }).to_vec()
    }
}
