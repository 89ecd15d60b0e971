//! Tour construction by weighted reservoir sampling over candidate lists: twin of `shaders/tsp/construct.wgsl`.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::compose::compose;
use super::plan::Plan;
use super::state::{PROGRESS_WORDS, Progress, State};
use super::{Buffers, KernelError, dispatches_for};
use crate::aco::fixed::{WEIGHT_TO_KEY, gumbel, mul_high};
use crate::aco::random::Stream;
use crate::backend::{Access, KernelSpec, TwinCall};

/// The kernel's name.
pub const NAME: &str = "construct";

/// Candidates that fit beside a 23-bit key in one word; longer lists take a second reduction.
pub const NARROW_CANDIDATES: usize = 512;

/// Counter of the random word that draws an ant's first city.
const FIRST_CITY: u32 = u32::MAX;

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub seed: [u32; 2],
    pub cities: u32,
    pub candidates: u32,
    pub words: u32,
    pub budget: u32,
    pub padding: [u32; 2],
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: plan.cities as u32,
        candidates: plan.candidates as u32,
        words: plan.words() as u32,
        budget: plan.loop_budget,
        padding: [0; 2],
    };
    let wide = plan.candidates > NARROW_CANDIDATES;
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/construct", if wide { &["WIDE"] } else { &[] })?,
        constants: vec![("LANES", plan.construct_lanes), ("WORDS", params.words)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.choice, Access::Read),
            (buffers.distances, Access::Read),
            (buffers.tables, Access::Read),
            (buffers.state, Access::Read),
            (buffers.links, Access::Read),
            (buffers.progress, Access::Write),
            (buffers.visited_kept, Access::Write),
            (buffers.tours, Access::Write),
        ],
        workgroup_bytes: params.words * 4 + 48,
        twin,
    })
}

/// Dispatches after which every ant has a whole tour, however its fallbacks fall.
pub fn dispatches(plan: &Plan) -> u32 {
    let lanes = plan.construct_lanes as usize;
    let step = plan.candidates.div_ceil(lanes) + 2 + plan.words().div_ceil(lanes) * 33 + 2;
    let entry = plan.words().div_ceil(lanes) * 2 + 2;
    dispatches_for(plan, (plan.cities * step) as u64, (entry + step) as u64)
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([choice, distances, tables, state, links], [progress, _, tours]) = call.buffers();
    let state = State::from_words(state);
    let seed = u64::from(params.seed[0]) | u64::from(params.seed[1]) << 32;
    let cities = params.cities as usize;
    let first = range.start;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    let colony = Colony { choice, distances, tables, links, cities, candidates: params.candidates as usize };
    tours.par_chunks_mut(cities).zip(progress).enumerate().for_each(|(i, (tour, progress))| {
        colony.construct(Stream::new(seed, state.iteration, (first + i) as u32), tour);
        progress.construct_done = state.iteration + 1;
    });
}

struct Colony<'a> {
    choice: &'a [u32],
    distances: &'a [u32],
    tables: &'a [u32],
    links: &'a [u32],
    cities: usize,
    candidates: usize,
}

/// Candidates looked at together: their random words are made in one vector loop.
const BLOCK: usize = 32;

impl Colony<'_> {
    fn construct(&self, stream: Stream, tour: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("bmi2")
        {
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { self.construct_avx2(stream, tour) };
        }
        self.construct_here(stream, tour);
    }

    /// The same code, compiled for processors with AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,lzcnt,bmi1,bmi2")]
    fn construct_avx2(&self, stream: Stream, tour: &mut [u32]) {
        self.construct_here(stream, tour);
    }

    #[inline(always)]
    fn construct_here(&self, stream: Stream, tour: &mut [u32]) {
        let mut visited = vec![0u64; self.cities.div_ceil(64)];
        let padding = visited.len() * 64 - self.cities;
        if let Some(last) = visited.last_mut() {
            *last = !(u64::MAX >> padding);
        }
        let mut city = mul_high(stream.word(FIRST_CITY), self.cities as u32);
        for (step, place) in tour.iter_mut().enumerate() {
            if step > 0 {
                city = match self.draw(stream, step as u32, city, &visited) {
                    Some(next) => next,
                    None => self.fall_back(city, &visited),
                };
            }
            visited[city as usize >> 6] |= 1 << (city & 63);
            *place = city;
        }
    }

    /// Weighted reservoir sampling over the unvisited candidates of `city`.
    #[inline(always)]
    fn draw(&self, stream: Stream, step: u32, city: u32, visited: &[u64]) -> Option<u32> {
        let row = &self.choice[city as usize * self.candidates..][..self.candidates];
        let counter = step.wrapping_mul(self.candidates as u32);
        // Key above slot, the slot inverted so that the lower one wins a tie.
        let mut best = 0u64;
        for (block, entries) in row.chunks(BLOCK).enumerate() {
            let base = (block * BLOCK) as u32;
            let (mut slots, mut count) = ([0u32; BLOCK], 0);
            // Without branches: whether a candidate is visited cannot be predicted.
            for (k, &entry) in entries.iter().enumerate() {
                let other = entry >> 16;
                slots[count] = k as u32;
                count += (visited[other as usize >> 6] >> (other & 63) & 1 ^ 1) as usize;
            }
            let mut words = [0u32; BLOCK];
            for (word, &slot) in words.iter_mut().zip(&slots).take(count.next_multiple_of(8)) {
                *word = stream.word(counter.wrapping_add(base + slot));
            }
            for (&slot, &word) in slots[..count].iter().zip(&words) {
                let weight = entries[slot as usize & (BLOCK - 1)] & 0xFFFF;
                let key = (weight << WEIGHT_TO_KEY) + gumbel(self.tables, word);
                best = best.max(u64::from(key) << 32 | u64::from(!(base + slot)));
            }
        }
        (best > 0).then(|| row[!(best as u32) as usize] >> 16)
    }

    /// The city's unvisited neighbour in the best tour since the restart, the nearer of two; without one the nearest
    /// unvisited city, the lowest index on a tie. At least one city is unvisited.
    #[cold]
    fn fall_back(&self, city: u32, visited: &[u64]) -> u32 {
        let row = &self.distances[city as usize * self.cities..][..self.cities];
        let links = self.links[2 * city as usize..][..2].iter();
        let free = |link: &&u32| visited[**link as usize >> 6] >> (**link & 63) & 1 == 0;
        if let Some(&link) = links.filter(free).min_by_key(|link| row[**link as usize]) {
            return link;
        }
        let (mut near, mut who) = (u32::MAX, u32::MAX);
        for (index, &word) in visited.iter().enumerate() {
            let mut bits = !word;
            while bits != 0 {
                let other = index * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if row[other] < near {
                    near = row[other];
                    who = other as u32;
                }
            }
        }
        who
    }
}
