//! 2-opt with neighbour lists and don't-look bits: twin of `shaders/tsp/two_opt.wgsl`.

use std::collections::VecDeque;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use serde::Serialize;

use super::compose::compose;
use super::plan::Plan;
use super::state::{PROGRESS_WORDS, Progress, State};
use super::{Buffer, Buffers, KernelError, dispatches_for};
use crate::backend::{Access, KernelSpec, TwinCall};

/// The kernel's name.
pub const NAME: &str = "two_opt";

/// Workgroup memory beside the tour and the queue: moves, flags, the queue's end, gains.
const FIXED_BYTES: u32 = 64 * 16 + 32 + 64 * 8;

/// Cities evaluated in a round, and their directions.
const ROUND: usize = 32;
pub(crate) const ENTRIES: u32 = 64;

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub cities: u32,
    pub pairs: u32,
    pub words: u32,
    pub budget: u32,
    pub max_rounds: u32,
    pub max_moves: u32,
    pub padding: [u32; 2],
}

/// Where tour and work queue lie during a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMemory {
    /// Both in workgroup memory: 6 bytes a city.
    Workgroup,
    /// The tour in workgroup memory, 4 bytes a city, the queue in storage.
    QueueInStorage,
    /// Both in storage.
    Storage,
}

impl SearchMemory {
    /// The fastest that a workgroup with `bytes` of memory can hold.
    ///
    /// With `crowded`, workgroups share a processor's memory. On an H200, where Vulkan has 100 KiB of it and a workgroup
    /// costs 1 KiB more than it asks for, a queue in storage pays once fewer than five would fit (`docs/kernels.md`).
    pub fn choose(cities: usize, bytes: u32, crowded: bool) -> Self {
        const FIFTH_OF_100_KIB: u32 = (100 << 10) / 5 - (1 << 10);
        let fits = |memory: Self, limit| memory.workgroup_bytes(cities) <= limit;
        match () {
            () if fits(Self::Workgroup, if crowded { bytes.min(FIFTH_OF_100_KIB) } else { bytes }) => Self::Workgroup,
            () if fits(Self::QueueInStorage, bytes) => Self::QueueInStorage,
            () => Self::Storage,
        }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(self, cities: usize) -> u32 {
        let words = match self {
            Self::Workgroup => cities + cities.div_ceil(2),
            Self::QueueInStorage => cities,
            Self::Storage => 0,
        };
        ((words + cities.div_ceil(32)) * 4) as u32 + FIXED_BYTES
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Workgroup => &[],
            Self::QueueInStorage => &["QUEUE_IN_STORAGE"],
            Self::Storage => &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"],
        }
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        pairs: plan.neighbour_pairs() as u32,
        words: plan.words() as u32,
        budget: plan.loop_budget,
        max_rounds: max_rounds(plan),
        max_moves: max_moves(plan),
        padding: [0; 2],
    };
    let mut bindings = vec![
        (buffers.get(Buffer::Neighbours), Access::Read),
        (buffers.get(Buffer::Distances), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Progress), Access::Write),
        (buffers.get(Buffer::Queues), Access::Write),
        (buffers.get(Buffer::Tours), Access::Write),
    ];
    let mut constants =
        vec![("LANES", plan.search_lanes), ("WORDS", params.words), ("HALF", params.cities.div_ceil(2))];
    match buffers.find(Buffer::Positions) {
        Some(positions) => bindings.push((positions, Access::Write)),
        None => constants.push(("CITIES", params.cities)),
    }
    let mut flags = plan.search_memory.flags().to_vec();
    // Entries of two lanes and more; lanes come in multiples of the entries then.
    if plan.search_lanes > ENTRIES {
        flags.push("SPLIT");
    }
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/two_opt", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: plan.search_memory.workgroup_bytes(plan.cities),
        units_per_workgroup: 1,
        twin,
    })
}

/// Rounds after which a tour's search ends: as many as sixteen looks at each city take.
fn max_rounds(plan: &Plan) -> u32 {
    16 * plan.words() as u32 + 64
}

/// Moves after which a tour's search ends.
fn max_moves(plan: &Plan) -> u32 {
    2 * plan.cities as u32
}

/// Dispatches after which the search of every ant has ended.
pub fn dispatches(plan: &Plan) -> u32 {
    let lanes = u64::from(plan.search_lanes);
    let cities = plan.cities as u64;
    let round = 64u64.div_ceil(lanes) * (plan.neighbour_pairs() as u64 + 2) + 68;
    let reversal = (cities / 4 + 1).div_ceil(lanes) + 1;
    let total = u64::from(max_rounds(plan)) * round + u64::from(max_moves(plan)) * reversal;
    let entry = cities.div_ceil(lanes) * 7 + 8;
    dispatches_for(plan, total, entry + round + 64 * reversal)
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([neighbours, distances, state], [progress, _, tours]) = call.buffers();
    let state = State::from_words(state);
    let cities = params.cities as usize;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    tours.par_chunks_mut(cities).zip(progress).for_each(|(tour, progress)| {
        let mut search = Search::new(&params, neighbours, distances, tour);
        (progress.rounds, progress.moves) = search.improve();
        progress.search_done = state.iteration + 1;
    });
}

/// An improving move of a city in one direction, as found at the start of a round.
#[derive(Clone, Copy)]
struct Move {
    city: u32,
    forward: bool,
    neighbour: u32,
    next: u32,
    after: u32,
}

struct Search<'a> {
    params: &'a Params,
    neighbours: &'a [[u32; 2]],
    distances: &'a [u32],
    tour: &'a mut [u32],
    position: Vec<u32>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

impl<'a> Search<'a> {
    /// A search with every city queued.
    fn new(params: &'a Params, neighbours: &'a [u32], distances: &'a [u32], tour: &'a mut [u32]) -> Self {
        let mut position = vec![0; tour.len()];
        for (at, &city) in tour.iter().enumerate() {
            position[city as usize] = at as u32;
        }
        let queue = (0..params.cities).collect();
        let queued = vec![true; tour.len()];
        Self { params, neighbours: bytemuck::cast_slice(neighbours), distances, tour, position, queue, queued }
    }

    #[inline]
    fn enqueue(&mut self, city: u32) {
        if !std::mem::replace(&mut self.queued[city as usize], true) {
            self.queue.push_back(city);
        }
    }

    #[inline]
    fn step_from(&self, city: u32, forward: bool) -> u32 {
        let at = self.position[city as usize] as usize;
        let last = self.tour.len() - 1;
        if forward {
            self.tour[if at == last { 0 } else { at + 1 }]
        } else {
            self.tour[if at == 0 { last } else { at - 1 }]
        }
    }

    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        self.distances[a as usize * self.tour.len() + b as usize]
    }

    /// Empties the queue; returns the rounds and moves made.
    fn improve(&mut self) -> (u32, u32) {
        let (mut rounds, mut moved) = (0, 0);
        let mut moves = Vec::with_capacity(2 * ROUND);
        while !self.queue.is_empty() && rounds < self.params.max_rounds && moved < self.params.max_moves {
            moves.clear();
            for _ in 0..self.queue.len().min(ROUND) {
                let Some(city) = self.queue.pop_front() else { break };
                self.queued[city as usize] = false;
                moves.extend(self.best_move(city, true));
                moves.extend(self.best_move(city, false));
            }
            rounds += 1;
            for &found in &moves {
                moved += u32::from(self.apply(found));
            }
        }
        (rounds, moved)
    }

    #[inline]
    fn best_move(&self, city: u32, forward: bool) -> Option<Move> {
        let k = self.params.pairs as usize * 2;
        let next = self.step_from(city, forward);
        let to_next = self.distance(city, next);
        let (mut best_gain, mut best) = (0, None);
        for &[neighbour, distance] in &self.neighbours[city as usize * k..][..k] {
            if distance >= to_next {
                break;
            }
            let after = self.step_from(neighbour, forward);
            let removed = to_next + self.distance(neighbour, after);
            let added = distance + self.distance(next, after);
            if removed > added && removed - added > best_gain {
                best_gain = removed - added;
                best = Some(Move { city, forward, neighbour, next, after });
            }
        }
        best
    }

    /// Applies a move if its edges still stand; queues its cities again.
    fn apply(&mut self, found: Move) -> bool {
        let Move { city, forward, neighbour, next, after } = found;
        if self.step_from(city, forward) != next || self.step_from(neighbour, forward) != after {
            self.enqueue(city);
            return false;
        }
        let (first, last) = if forward { (next, neighbour) } else { (city, after) };
        self.reverse(self.position[first as usize] as usize, self.position[last as usize] as usize);
        for city in [city, next, neighbour, after] {
            self.enqueue(city);
        }
        true
    }

    /// Reverses the path between two positions, or the rest of the tour where that is shorter.
    fn reverse(&mut self, first: usize, last: usize) {
        let cities = self.tour.len();
        let mut length = (if last < first { last + cities } else { last }) - first + 1;
        let (mut left, mut right) = (first, last);
        if length * 2 > cities {
            left = if last + 1 == cities { 0 } else { last + 1 };
            right = if first == 0 { cities - 1 } else { first - 1 };
            length = cities - length;
        }
        for _ in 0..length / 2 {
            self.tour.swap(left, right);
            self.position[self.tour[left] as usize] = left as u32;
            self.position[self.tour[right] as usize] = right as u32;
            left = if left + 1 == cities { 0 } else { left + 1 };
            right = if right == 0 { cities - 1 } else { right - 1 };
        }
    }
}
