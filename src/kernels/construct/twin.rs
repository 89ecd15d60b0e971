//! The CPU twin of construction. Strategy and visited set change no result, so that one twin is enough for all of them.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Level, Simd};
use rayon::prelude::*;

use super::rows::{CandidateRows, FullRows, MatrixRows, Rows, SelectiveRows, TrailRows, Visited};
use super::{Params, Rows as Form};
use crate::algorithm::choices::Selection;
use crate::algorithm::fixed::{DEVIATES, log2_near, mul_high, share_of};
use crate::algorithm::random::{FIRST_CITY, NO_ANT, Stream};
use crate::backend::{Twin, TwinCall, atomics};
use crate::instance::tsp::Rounding;
use crate::kernels::shared::distances::{self, Distances, twins};
use crate::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS};
use crate::kernels::shared::state::{State, join};

/// Options looked at between two looks at the clock.
const LOOK_EVERY: usize = 1 << 17;
/// Options looked at together: their keys are made in one vector loop.
const BLOCK: usize = 32;

/// The twin for a form and a selection.
pub(super) fn of(form: Form, selection: Selection, rounding: Option<Rounding>) -> Twin {
    match selection {
        Selection::Wrs | Selection::IRoulette => with::<false>(form, rounding),
        Selection::Rwm => with::<true>(form, rounding),
    }
}

fn candidates<const WHEEL: bool, const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, choice, distances, links], written) = call.buffers();
    let distances = Distances::<FROM>::new(call, distances, params.cities as usize);
    let rows = CandidateRows { choice, distances, links, params };
    ants::<WHEEL>(call, tables, state, written, &rows);
}

fn with<const WHEEL: bool>(form: Form, rounding: Option<Rounding>) -> Twin {
    match form {
        Form::Candidates => distances::choose(rounding, twins!(FROM => candidates::<WHEEL, FROM>)),
        Form::Matrix => |call| {
            let params = call.params();
            let ([tables, state, choice, weights], written) = call.buffers();
            ants::<WHEEL>(call, tables, state, written, &MatrixRows { choice, weights, params });
        },
        Form::Full => |call| {
            let params = call.params();
            let ([tables, state, weights], written) = call.buffers();
            ants::<WHEEL>(call, tables, state, written, &FullRows { weights, params });
        },
        Form::Trails => |call| {
            let params: Params = call.params();
            let ([tables, state, heuristic, distances], [progress, kept, tours, trails]) = call.buffers();
            let known = State::from_words(state);
            let floor_log2 = log2_near(known.trail_min);
            let (trails, relaxed) = (atomics(trails), params.local_rate > 0);
            let rows = TrailRows { heuristic, trails, distances, tables, state: known, floor_log2, relaxed, params };
            ants::<WHEEL>(call, tables, state, [progress, kept, tours], &rows);
        },
        Form::Selective => |call| {
            let params: Params = call.params();
            let ([tables, state, heuristic, distances], [progress, kept, tours, records]) = call.buffers();
            let (records, relaxed) = (atomics(records), params.local_rate > 0);
            let rows = SelectiveRows { heuristic, records, distances, tables, relaxed, params };
            ants::<WHEEL>(call, tables, state, [progress, kept, tours], &rows);
        },
    }
}

/// The twin for assignments and a selection; `cunning` ants take over a part of their units' bests.
pub(super) fn of_assignments(cunning: bool, selection: Selection) -> Twin {
    match (cunning, selection == Selection::Rwm) {
        (true, true) => cunning_ants::<true>,
        (true, false) => cunning_ants::<false>,
        (false, true) => fresh_ants::<true>,
        (false, false) => fresh_ants::<false>,
    }
}

fn cunning_ants<const WHEEL: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, weights, thresholds, units], written) = call.buffers();
    let rows = FullRows { weights, params };
    assignments::<WHEEL>(call, tables, state, written, &rows, Some((thresholds, units)));
}

fn fresh_ants<const WHEEL: bool>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, weights], written) = call.buffers();
    assignments::<WHEEL>(call, tables, state, written, &FullRows { weights, params }, None);
}

/// Builds the assignments of a call's ants, from `donors`, thresholds and units' bests, where there are any.
fn assignments<const WHEEL: bool>(
    call: &TwinCall<'_>,
    tables: &[u32],
    state: &[u32],
    [progress, _, tours]: [&mut [u32]; 3],
    rows: &FullRows<'_>,
    donors: Option<(&[u32], &[u32])>,
) {
    let params: Params = call.params();
    let range = call.range();
    let state = State::from_words(state);
    let tag = state.iteration + 1;
    let seed = join(params.seed);
    let n = params.cities as usize;
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let tours = tours[range.start * n..range.end * n].par_chunks_mut(n);
    let clock = call.clock();
    let build = |ant: usize, assignment: &mut [u32], progress: &mut ConstructProgress| {
        let stream = Stream::new(seed, state.iteration, ant as u32);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&facility| (stream.turned().word(facility as u32), facility));
        let mut builder = Builder::<WHEEL, _> { stream, tables, params: &params, rows, visited: Visited::new(n) };
        let mut own_count = n;
        if let Some((thresholds, units)) = donors.filter(|_| state.iteration > 0) {
            let word = stream.word(FIRST_CITY);
            own_count = 1 + thresholds[..n - 1].partition_point(|&threshold| threshold <= word);
            for &facility in &order[own_count..] {
                assignment[facility] = units[ant * n + facility];
                builder.visited.mark(assignment[facility]);
            }
        }
        for (step, &facility) in order[..own_count].iter().enumerate() {
            // A location is free at each step.
            let location = builder.choose(step as u32, facility as u32).unwrap_or_default();
            builder.visited.mark(location);
            assignment[facility] = location;
        }
        progress.begun = tag;
        progress.step = n as u32;
        progress.done = tag;
        true
    };
    tours.zip(progress).enumerate().for_each(|(i, (assignment, progress))| {
        let progress = ConstructProgress::of_mut(progress);
        if progress.done != tag {
            let ant = range.start + i;
            clock.unit(ant as u32, || (), |()| build(ant, assignment, progress));
        }
    });
}

/// Builds the tours of a call's ants, or makes one step of each where all ants step together.
fn ants<const WHEEL: bool>(
    call: &TwinCall<'_>,
    tables: &[u32],
    state: &[u32],
    [progress, _, tours]: [&mut [u32]; 3],
    rows: &impl Rows,
) {
    let params: Params = call.params();
    let range = call.range();
    let state = State::from_words(state);
    let tag = state.iteration + 1;
    let seed = join(params.seed);
    let cities = params.cities as usize;
    let first = range.start;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let clock = call.clock();
    let steps_a_look = (LOOK_EVERY / rows.span() as usize).max(1);
    tours.par_chunks_mut(cities).zip(progress).enumerate().for_each(|(i, (tour, progress))| {
        let progress = ConstructProgress::of_mut(progress);
        if progress.done == tag {
            return;
        }
        let ant = (first + i) as u32;
        // As on other devices the progress tells how far the ant has come.
        let work = |(): &mut ()| {
            let mut builder = Builder::<WHEEL, _> {
                stream: Stream::new(seed, state.iteration, ant),
                tables,
                params: &params,
                rows,
                visited: Visited::new(cities),
            };
            let placed = if progress.begun == tag { progress.step as usize } else { 0 };
            if placed == 0 {
                tour[0] = builder.first_city(seed, state.iteration, ant);
            }
            for &city in &tour[..placed.max(1)] {
                builder.visited.mark(city);
            }
            progress.begun = tag;
            let end = cities.min(placed.max(1).saturating_add(params.most_steps as usize));
            let mut from = placed.max(1);
            while from < end {
                let to = end.min(from + steps_a_look);
                builder.steps(tour, from, to);
                from = to;
                if from < end && clock.is_up() {
                    progress.step = from as u32;
                    return false;
                }
            }
            progress.step = end as u32;
            if end == cities {
                progress.done = tag;
            }
            true
        };
        clock.unit(ant, || (), work);
    });
}

struct Builder<'a, const WHEEL: bool, R> {
    stream: Stream,
    tables: &'a [u32],
    params: &'a Params,
    rows: &'a R,
    visited: Visited,
}

impl<const WHEEL: bool, R: Rows> Builder<'_, WHEEL, R> {
    fn first_city(&self, seed: u64, iteration: u32, ant: u32) -> u32 {
        let cities = self.params.cities;
        if self.params.stride == 0 {
            return mul_high(self.stream.word(FIRST_CITY), cities);
        }
        let offset = mul_high(Stream::new(seed, iteration, NO_ANT).word(FIRST_CITY), cities);
        (offset + (ant % cities) * self.params.stride % cities) % cities
    }

    fn steps(&mut self, tour: &mut [u32], from: usize, to: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Level::new().as_avx2() {
            return avx2.vectorize(|| self.steps_here(tour, from, to));
        }
        self.steps_here(tour, from, to);
    }

    #[inline(always)]
    fn steps_here(&mut self, tour: &mut [u32], from: usize, to: usize) {
        let mut city = tour[from - 1];
        let mut previous = (from > 1).then(|| tour[from - 2]);
        for (step, place) in tour.iter_mut().enumerate().take(to).skip(from) {
            let partner = city ^ 1;
            // From one end of an edge that stays to the other, but where the ant has come along it.
            let must = city < self.params.paired && previous != Some(partner);
            let next = match self.choose(step as u32, city) {
                _ if must => partner,
                Some(next) => next,
                None => self.beyond(city),
            };
            self.visited.mark(next);
            *place = next;
            self.walked(previous, city, next, step as u32);
            (previous, city) = (Some(city), next);
        }
        if to == tour.len() {
            self.walked(previous, city, tour[0], to as u32);
            self.rows.walked_back(city, tour[0], to as u32);
        }
    }

    /// After a step from `city` to `next`: what happens to the trails at `city`, of the edges to both of its tour neighbours.
    #[inline(always)]
    fn walked(&self, previous: Option<u32>, city: u32, next: u32, step: u32) {
        if let Some(previous) = previous {
            self.rows.walked_back(previous, city, step - 1);
        }
        self.rows.walked(city, next, step);
    }

    #[inline(always)]
    fn choose(&self, step: u32, city: u32) -> Option<u32> {
        let greedy = self.params.greedy > 0 && self.stream.rule(step) < self.params.greedy;
        match (greedy, WHEEL) {
            (true, _) => self.greediest(city),
            (_, true) => self.roulette(step, city),
            (_, false) => self.reservoir(step, city),
        }
    }

    /// The city of the free option of greatest `of`, which is half a word; the higher city among equals.
    #[inline(always)]
    fn greatest(&self, city: u32, of: impl Fn(u32) -> u32) -> Option<u32> {
        let key = |index: u32| of(index) << 16 | self.rows.city(city, index);
        let top = match R::FULL {
            true => self.visited.free().map(key).max(),
            false => (0..self.rows.span()).filter(|&k| self.visited.is_free(self.rows.city(city, k))).map(key).max(),
        };
        top.map(|top| top & 0xFFFF)
    }

    /// The free option of greatest weight.
    fn greediest(&self, city: u32) -> Option<u32> {
        self.greatest(city, |index| self.rows.weight(city, index))
    }

    /// The free option of greatest key, which is weight plus deviate.
    #[inline(always)]
    fn reservoir(&self, step: u32, city: u32) -> Option<u32> {
        let first = self.row_of(step) as usize;
        let ring = &self.tables[DEVIATES..];
        if let Some(row) = self.rows.row(city) {
            return self.packed_reservoir(row, &ring[first..]);
        }
        self.greatest(city, |index| {
            let at = first + index as usize;
            let deviate = if R::FULL { ring[at >> 1] >> ((at & 1) * 16) & 0xFFFF } else { ring[at] >> 16 };
            self.rows.weight(city, index) + deviate
        })
    }

    /// The same where all options lie in a row. It has no branches, since the processor cannot predict whether an option is visited.
    #[inline(always)]
    fn packed_reservoir(&self, row: &[u32], deviates: &[u32]) -> Option<u32> {
        let mut top = 0;
        for (entries, deviates) in row.chunks(BLOCK).zip(deviates.chunks(BLOCK)) {
            let mut words = [u32::MAX; BLOCK];
            for (word, &entry) in words.iter_mut().zip(entries) {
                *word = self.visited.word_of(entry >> 16);
            }
            for ((&entry, &deviate), &word) in entries.iter().zip(deviates).zip(&words) {
                let key = entry.rotate_left(16) + deviate;
                top = top.max(if word >> (entry >> 16 & 31) & 1 == 0 { key } else { 0 });
            }
        }
        (top > 0).then_some(top & 0xFFFF)
    }

    /// Where in the ring of deviates the row of a step begins (`shaders/construct/deviates_row.wgsl`).
    #[inline(always)]
    fn row_of(&self, step: u32) -> u32 {
        let place = self.stream.place(step) >> self.params.ring_shift;
        if R::FULL { place & !7 } else { place }
    }

    /// A roulette wheel whose sectors are classes of items (see `shaders/construct/wheel.wgsl`).
    fn roulette(&self, step: u32, city: u32) -> Option<u32> {
        let (span, classes) = (self.rows.span(), self.params.classes);
        let each = if R::FULL { 2 } else { 1 };
        let items = span.div_ceil(each);
        let weight = |index: u32| match index < span && self.visited.is_free(self.rows.city(city, index)) {
            true => self.rows.long_weight(city, index),
            false => 0,
        };
        let mut sums = [0u64; 256];
        for index in 0..span {
            sums[((index / each) & (classes - 1)) as usize] += weight(index);
        }
        let total: u64 = sums.iter().sum();
        if total == 0 {
            return None;
        }
        let mut rest = share_of(total, self.stream.turned().word(u32::MAX - step));
        let class = sums.iter().position(|&sum| {
            let ends = rest < sum;
            rest -= if ends { 0 } else { sum };
            ends
        })?;
        let options = (class as u32..items).step_by(classes as usize).flat_map(|item| item * each..(item + 1) * each);
        for index in options {
            let weight = weight(index);
            if rest < weight {
                return Some(self.rows.city(city, index));
            }
            rest -= weight;
        }
        None
    }

    /// Where to go when every option is visited. At least one city is unvisited.
    #[cold]
    fn beyond(&self, city: u32) -> u32 {
        let shortcut = self.rows.shortcut(city, &self.visited);
        let nearby = || self.rows.nearby(city, &self.visited);
        let least = || self.visited.free().min_by_key(|&other| self.rows.burden(city, other));
        shortcut.or_else(nearby).or_else(least).unwrap_or(city)
    }
}
