//! The CPU twin of tour construction. Strategy and tabu list change no result, so there is one for all of them.

use rayon::prelude::*;

use super::rows::{CandidateRows, FullRows, MatrixRows, Rows, SelectiveRows, TrailRows, Visited};
use super::{Params, Rows as Form};
use crate::aco::config::Selection;
use crate::aco::fixed::{WEIGHT_TO_KEY, gumbel, log2_fixed, mul_high, share_of};
use crate::aco::random::Stream;
use crate::backend::{Twin, TwinCall, atomics};
use crate::kernels::distances::{self, Distances, MATRIX, NEAREST, THOUSANDTHS, UP};
use crate::kernels::state::{PROGRESS_WORDS, Progress, State};
use crate::problem::Rounding;

/// Counter of the random word that draws an ant's first city.
const FIRST_CITY: u32 = u32::MAX;
/// The ant whose stream gives all others their first cities, when these are to differ.
const ALL_ANTS: u32 = u32::MAX;
/// Options looked at together: their random words are made in one vector loop.
const BLOCK: usize = 32;

const WRS: u8 = 0;
const I_ROULETTE: u8 = 1;
const RWM: u8 = 2;

/// The twin for a form and a selection.
pub(super) fn of(form: Form, selection: Selection, rounding: Option<Rounding>) -> Twin {
    match selection {
        Selection::Wrs => with::<WRS>(form, rounding),
        Selection::IRoulette => with::<I_ROULETTE>(form, rounding),
        Selection::Rwm => with::<RWM>(form, rounding),
    }
}

fn candidates<const SELECTION: u8, const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, choice, distances, links], written) = call.buffers();
    let distances = Distances::<FROM> { words: distances, cities: params.cities as usize };
    let rows = CandidateRows { choice, distances, links, params };
    ants::<SELECTION>(call, tables, state, written, &rows);
}

fn with<const SELECTION: u8>(form: Form, rounding: Option<Rounding>) -> Twin {
    match form {
        Form::Candidates => distances::choose(
            rounding,
            [
                candidates::<SELECTION, MATRIX>,
                candidates::<SELECTION, NEAREST>,
                candidates::<SELECTION, UP>,
                candidates::<SELECTION, THOUSANDTHS>,
            ],
        ),
        Form::Matrix => |call| {
            let params = call.params();
            let ([tables, state, choice, weights], written) = call.buffers();
            ants::<SELECTION>(call, tables, state, written, &MatrixRows { choice, weights, params });
        },
        Form::Full => |call| {
            let params = call.params();
            let ([tables, state, weights], written) = call.buffers();
            ants::<SELECTION>(call, tables, state, written, &FullRows { weights, params });
        },
        Form::Trails => |call| {
            let params: Params = call.params();
            let ([tables, state, heuristic, distances], [progress, kept, tours, trails]) = call.buffers();
            let known = State::from_words(state);
            let floor_log2 = log2_fixed(tables, known.trail_min);
            let (trails, relaxed) = (atomics(trails), params.local_rate > 0);
            let rows = TrailRows { heuristic, trails, distances, tables, state: known, floor_log2, relaxed, params };
            ants::<SELECTION>(call, tables, state, [progress, kept, tours], &rows);
        },
        Form::Selective => |call| {
            let params: Params = call.params();
            let ([tables, state, heuristic, distances], [progress, kept, tours, records]) = call.buffers();
            let (records, relaxed) = (atomics(records), params.local_rate > 0);
            let rows = SelectiveRows { heuristic, records, distances, tables, relaxed, params };
            ants::<SELECTION>(call, tables, state, [progress, kept, tours], &rows);
        },
    }
}

/// The twin for assignments and a selection; `cunning` ants take over a part of their units' bests.
pub(super) fn of_assignments(cunning: bool, selection: Selection) -> Twin {
    match (cunning, selection) {
        (true, Selection::Wrs) => cunning_ants::<WRS>,
        (true, Selection::IRoulette) => cunning_ants::<I_ROULETTE>,
        (true, Selection::Rwm) => cunning_ants::<RWM>,
        (false, Selection::Wrs) => fresh_ants::<WRS>,
        (false, Selection::IRoulette) => fresh_ants::<I_ROULETTE>,
        (false, Selection::Rwm) => fresh_ants::<RWM>,
    }
}

fn cunning_ants<const SELECTION: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, weights, thresholds, units], written) = call.buffers();
    let rows = FullRows { weights, params };
    assignments::<SELECTION>(call, tables, state, written, &rows, Some((thresholds, units)));
}

fn fresh_ants<const SELECTION: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([tables, state, weights], written) = call.buffers();
    assignments::<SELECTION>(call, tables, state, written, &FullRows { weights, params }, None);
}

/// Builds the assignments of a call's ants, from `donors`, thresholds and units' bests, where there are any.
fn assignments<const SELECTION: u8>(
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
    let seed = u64::from(params.seed[0]) | u64::from(params.seed[1]) << 32;
    let n = params.cities as usize;
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    let tours = tours[range.start * n..range.end * n].par_chunks_mut(n);
    tours.zip(progress).enumerate().for_each(|(i, (assignment, progress))| {
        if progress.construct_done == tag {
            return;
        }
        let ant = range.start + i;
        let stream = Stream::new(seed, state.iteration, ant as u32);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&facility| (stream.turned().word(facility as u32), facility));
        let mut builder = Builder::<SELECTION, _> { stream, tables, params: &params, rows, visited: Visited::new(n) };
        let mut anew = n;
        if let Some((thresholds, units)) = donors.filter(|_| state.iteration > 0) {
            let word = stream.word(FIRST_CITY);
            anew = 1 + thresholds[..n - 1].partition_point(|&threshold| threshold <= word);
            for &facility in &order[anew..] {
                assignment[facility] = units[ant * n + facility];
                builder.visited.mark(assignment[facility]);
            }
        }
        for (step, &facility) in order[..anew].iter().enumerate() {
            // A location is free at each step.
            let location = builder.choose(step as u32, facility as u32).unwrap_or_default();
            builder.visited.mark(location);
            assignment[facility] = location;
        }
        progress.construct_begun = tag;
        progress.step = n as u32;
        progress.construct_done = tag;
    });
}

/// Builds the tours of a call's ants, or makes one step of each where all ants step together.
fn ants<const SELECTION: u8>(
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
    let seed = u64::from(params.seed[0]) | u64::from(params.seed[1]) << 32;
    let cities = params.cities as usize;
    let first = range.start;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    tours.par_chunks_mut(cities).zip(progress).enumerate().for_each(|(i, (tour, progress))| {
        if progress.construct_done == tag {
            return;
        }
        let ant = (first + i) as u32;
        let mut builder = Builder::<SELECTION, _> {
            stream: Stream::new(seed, state.iteration, ant),
            tables,
            params: &params,
            rows,
            visited: Visited::new(cities),
        };
        let placed = if progress.construct_begun == tag { progress.step as usize } else { 0 };
        if placed == 0 {
            tour[0] = builder.first_city(seed, state.iteration, ant);
        }
        for &city in &tour[..placed.max(1)] {
            builder.visited.mark(city);
        }
        let end = cities.min(placed.max(1).saturating_add(params.most_steps as usize));
        builder.steps(tour, placed.max(1), end);
        progress.construct_begun = tag;
        progress.step = end as u32;
        if end == cities {
            progress.construct_done = tag;
        }
    });
}

struct Builder<'a, const SELECTION: u8, R> {
    stream: Stream,
    tables: &'a [u32],
    params: &'a Params,
    rows: &'a R,
    visited: Visited,
}

impl<const SELECTION: u8, R: Rows> Builder<'_, SELECTION, R> {
    fn first_city(&self, seed: u64, iteration: u32, ant: u32) -> u32 {
        let cities = self.params.cities;
        if self.params.stride == 0 {
            return mul_high(self.stream.word(FIRST_CITY), cities);
        }
        let offset = mul_high(Stream::new(seed, iteration, ALL_ANTS).word(FIRST_CITY), cities);
        (offset + (ant % cities) * self.params.stride % cities) % cities
    }

    fn steps(&mut self, tour: &mut [u32], from: usize, to: usize) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("bmi2")
        {
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { self.steps_avx2(tour, from, to) };
        }
        self.steps_here(tour, from, to);
    }

    /// The same code, compiled for processors with AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,lzcnt,bmi1,bmi2")]
    fn steps_avx2(&mut self, tour: &mut [u32], from: usize, to: usize) {
        self.steps_here(tour, from, to);
    }

    #[inline(always)]
    fn steps_here(&mut self, tour: &mut [u32], from: usize, to: usize) {
        let mut city = tour[from - 1];
        for (step, place) in tour.iter_mut().enumerate().take(to).skip(from) {
            let next = match self.choose(step as u32, city) {
                Some(next) => next,
                None => self.beyond(city),
            };
            self.visited.mark(next);
            *place = next;
            self.rows.walked(city, next, step as u32);
            city = next;
        }
        if to == tour.len() {
            self.rows.walked(city, tour[0], to as u32);
        }
    }

    #[inline(always)]
    fn choose(&self, step: u32, city: u32) -> Option<u32> {
        let greedy = self.params.greedy > 0 && self.stream.turned().word(step) < self.params.greedy;
        if SELECTION == RWM && !greedy { self.roulette(step, city) } else { self.reservoir(step, city, greedy) }
    }

    /// The option of greatest key: weight and deviate, or the weight alone when `greedy`.
    #[inline(always)]
    fn reservoir(&self, step: u32, city: u32, greedy: bool) -> Option<u32> {
        let span = self.rows.span();
        let counter = step.wrapping_mul(span);
        if span as usize > super::NARROW_OPTIONS {
            return self.long_reservoir(counter, city, greedy);
        }
        // Key above index, the index inverted so that the lower one wins a tie.
        let mut best = 0u64;
        for base in (0..span).step_by(BLOCK) {
            let (mut slots, mut count) = ([0u32; BLOCK], 0);
            // Without branches: whether an option is visited cannot be predicted.
            for k in base..span.min(base + BLOCK as u32) {
                slots[count] = k;
                count += usize::from(self.visited.is_free(self.rows.city(city, k)));
            }
            let mut words = [0u32; BLOCK];
            if !greedy {
                for (word, &slot) in words.iter_mut().zip(&slots).take(count.next_multiple_of(8)) {
                    *word = self.stream.word(counter.wrapping_add(slot));
                }
            }
            for (&slot, &word) in slots[..count].iter().zip(&words) {
                let key = (self.rows.weight(city, slot) << WEIGHT_TO_KEY) + self.deviate(word, greedy);
                best = best.max(u64::from(key) << 32 | u64::from(!slot));
            }
        }
        (best > 0).then(|| self.rows.city(city, !(best as u32)))
    }

    /// What is added to the weight of an option with this word.
    #[inline(always)]
    fn deviate(&self, word: u32, greedy: bool) -> u32 {
        match SELECTION {
            _ if greedy => 1,
            I_ROULETTE => (log2_fixed(self.tables, word.max(1)) >> 1) + 1,
            _ => gumbel(self.tables, word),
        }
    }

    /// The same in a long row, where four options share the word that has the first bytes of theirs.
    #[inline(always)]
    fn long_reservoir(&self, counter: u32, city: u32, greedy: bool) -> Option<u32> {
        let (mut best, mut who) = (0, None);
        let (mut quad, mut bytes) = (u32::MAX, 0);
        for index in 0..self.rows.span() {
            let other = self.rows.city(city, index);
            if !self.visited.is_free(other) {
                continue;
            }
            if index >> 2 != quad {
                quad = index >> 2;
                bytes = self.stream.word(counter.wrapping_add(quad));
            }
            let weight = self.rows.weight(city, index) << WEIGHT_TO_KEY;
            let first = bytes << (24 - (index & 3) * 8) & 0xFF00_0000;
            // The greatest word with this first byte bounds the deviate.
            let most = first | 0x00FF_FFFF;
            let bound = match SELECTION {
                _ if greedy => 1,
                I_ROULETTE => (33 - most.leading_zeros()) << 15,
                _ => (most.leading_ones() + 7) << 15,
            };
            if weight + 1 + bound < best {
                continue;
            }
            let word = first | self.stream.turned().word(counter.wrapping_add(index)) >> 8;
            let key = weight + self.deviate(word, greedy);
            if key > best {
                (best, who) = (key, Some(other));
            }
        }
        who
    }

    /// A roulette wheel whose sectors are classes of items (see `shaders/construct/wheel.wgsl`).
    fn roulette(&self, step: u32, city: u32) -> Option<u32> {
        let (span, classes) = (self.rows.span(), self.params.classes);
        let each = if R::PAIRED { 2 } else { 1 };
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
