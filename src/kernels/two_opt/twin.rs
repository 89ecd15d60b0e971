//! The CPU twin of local search along neighbour lists.

use rayon::prelude::*;

use super::changes::{Change, Segment};
use super::{Params, SearchProgress};
use crate::algorithm::choices::LocalSearch;
use crate::backend::{Clock, Twin, TwinCall};
use crate::kernels::shared::array_tour::{ArrayTour, Whole};
use crate::kernels::shared::distances::{Distances, MATRIX};
use crate::kernels::shared::progress::{PROGRESS_WORDS, search_of};
use crate::kernels::shared::slices::{SLICES, Slices};
use crate::kernels::shared::state::State;
use crate::wgsl::constant;

const TWO_OPT: u8 = 0;
const TWO_HALF_OPT: u8 = 1;
const NODE_INSERTION: u8 = 2;
const OR_OPT: u8 = 3;

/// Rounds between two looks at the clock.
const LOOK_EVERY: u32 = 4;

/// The most cities of a segment.
const SEGMENT: usize = constant!("two_opt/moves_or_opt", "SEGMENT") as usize;

/// The twin for a local search.
pub(super) fn of(search: LocalSearch) -> Twin {
    match search {
        LocalSearch::TwoHalfOpt | LocalSearch::TwoHalfOptAll => twin::<TWO_HALF_OPT>,
        LocalSearch::Insertion => twin::<NODE_INSERTION>,
        LocalSearch::OrOpt => twin::<OR_OPT>,
        _ => twin::<TWO_OPT>,
    }
}

fn twin<const MOVES: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([neighbours, distances, state, links], [progress, _, tours]) = call.buffers();
    let links: &[[u32; 2]] = bytemuck::cast_slice(links);
    let state = State::from_words(state);
    let cities = params.cities as usize;
    let tours = &mut tours[range.start * cities..range.end * cities];
    let progress = progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS].par_chunks_mut(PROGRESS_WORDS);
    let (clock, distances) = (call.clock(), Distances::<MATRIX>::new(call, distances, cities));
    tours.par_chunks_mut(cities).zip(progress).enumerate().for_each(|(index, (tour, progress))| {
        let work = |kept: &mut Option<Kept>| {
            let ground = Whole::new(neighbours, distances, 2 * params.pairs as usize);
            let mut search =
                Search::<MOVES> { params: &params, tour: ArrayTour::new(ground, tour), waiting: Slices::new(cities) };
            let mut done = (0, 0);
            match kept.take() {
                Some(kept) => (search.waiting, done) = (kept.waiting, kept.done),
                None if state.iteration.is_multiple_of(params.all_period) => {
                    (0..params.cities).for_each(|city| search.waiting.insert(city));
                }
                None => search.let_changed_wait(links),
            }
            if !search.improve(&mut done, clock) {
                *kept = Some(Kept { waiting: search.waiting, done });
                return false;
            }
            let progress: &mut SearchProgress = search_of(progress);
            (progress.rounds, progress.moves) = done;
            progress.done = state.iteration + 1;
            true
        };
        clock.unit((range.start + index) as u32, || None, work);
    });
}

/// What a search keeps beside the tour when its call is interrupted.
struct Kept {
    waiting: Slices,
    /// Rounds and moves.
    done: (u32, u32),
}

/// An improving move, as found at the start of a round.
#[derive(Clone, Copy)]
pub(super) enum Move {
    /// The edges (city, next) and (neighbour, after) are replaced by (city, neighbour) and (next, after).
    Reversal { city: u32, forward: bool, neighbour: u32, next: u32, after: u32 },
    /// The segment moves between two cities; its first city is next to `one` then.
    Segment { segment: Segment, one: u32, other: u32 },
}

impl Move {
    /// `city`, which comes after `before`, moves between `one` and `other`.
    fn insertion(city: u32, [one, other]: [u32; 2], before: u32) -> Self {
        Self::Segment { segment: Segment { begin: city, end: city, count: 1, before }, one, other }
    }
}

/// The best move so far.
pub(super) struct Best {
    gain: u32,
    found: Option<Move>,
}

impl Best {
    #[inline(always)]
    pub fn offer(&mut self, removed: u32, added: u32, found: Move) {
        if removed > added && removed - added > self.gain {
            self.gain = removed - added;
            self.found = Some(found);
        }
    }
}

pub(super) struct Search<'a, const MOVES: u8> {
    params: &'a Params,
    pub tour: ArrayTour<'a, Whole<'a, MATRIX>>,
    waiting: Slices,
}

impl<const MOVES: u8> Search<'_, MOVES> {
    /// Lets those cities wait that may have a move which the tour in `links` did not have: cities whose tour neighbours have changed, and
    /// cities that are nearer to one of these than to a tour neighbour.
    fn let_changed_wait(&mut self, links: &[[u32; 2]]) {
        let tour = &self.tour;
        let changed: Vec<bool> = links.iter().zip(0..).map(|(&known, city)| !tour.lies_between(city, known)).collect();
        let waits = |city: u32| {
            let beside = [false, true].map(|forward| tour.step_from(city, forward));
            // Nearest first: behind the tour neighbours none is nearer than these.
            let mut met = 0;
            for &[other, apart] in tour.ground.neighbours(city) {
                if changed[other as usize] {
                    return beside.iter().any(|&beside| tour.distance(city, beside) > apart);
                }
                met += usize::from(beside.contains(&other));
                if met == beside.len() {
                    return false;
                }
            }
            false
        };
        for city in 0..self.params.cities {
            if changed[city as usize] || waits(city) {
                self.waiting.insert(city);
            }
        }
    }

    /// Looks at cities until none waits, and counts rounds and moves; whether the search has ended.
    fn improve(&mut self, (rounds, moved): &mut (u32, u32), clock: Clock<'_>) -> bool {
        let mut changes = Vec::with_capacity(2 * SLICES);
        let mut round = Vec::with_capacity(SLICES);
        while *rounds < self.params.max_rounds && *moved < self.params.max_moves {
            self.waiting.take_round(&mut round);
            if round.is_empty() {
                break;
            }
            changes.clear();
            for &city in &round {
                for forward in [true, false] {
                    let best = self.best_move(city, forward);
                    changes.extend(best.found.map(|found| Change::of(&self.tour, city, found, best.gain)));
                }
            }
            *rounds += 1;
            *moved += self.make(&changes);
            if rounds.is_multiple_of(LOOK_EVERY) && clock.is_up() {
                return false;
            }
        }
        true
    }

    /// Makes each move that overlaps with no better one; returns how many. The cities of the others wait again.
    fn make(&mut self, changes: &[Change]) -> u32 {
        let count = self.tour.cities.len();
        // A bit for each move that is not made. There are no branches, which the processor could not predict.
        let mut give_way = 0_u64;
        for (one, rank) in changes.iter().zip(0..) {
            for (other, after) in changes[rank + 1..].iter().zip(rank + 1..) {
                let loser = if other.gain > one.gain { rank } else { after };
                give_way |= u64::from(one.overlaps(other, count)) << loser;
            }
        }
        // Moves that are made do not overlap, so each meets the tour as it was at the start of the round.
        for (change, rank) in changes.iter().zip(0..) {
            if give_way >> rank & 1 == 1 {
                self.waiting.insert(change.city);
            } else {
                change.cities(count).for_each(|at| self.waiting.insert(self.tour.cities[at]));
                change.turns(count).into_iter().for_each(|span| self.tour.reverse_span(span));
            }
        }
        changes.len() as u32 - give_way.count_ones()
    }

    #[inline]
    fn best_move(&self, city: u32, forward: bool) -> Best {
        // Insertions follow the tour's direction; `forward` says which of two kinds.
        let along = MOVES == NODE_INSERTION || forward;
        let next = self.tour.step_from(city, along);
        let to_next = self.tour.distance(city, next);
        let mut best = Best { gain: 0, found: None };
        for &[neighbour, apart] in self.tour.ground.neighbours(city) {
            if apart >= to_next {
                break;
            }
            match MOVES {
                TWO_OPT => {
                    let after = self.tour.step_from(neighbour, forward);
                    let removed = to_next + self.tour.distance(neighbour, after);
                    let added = apart + self.tour.distance(next, after);
                    best.offer(removed, added, Move::Reversal { city, forward, neighbour, next, after });
                }
                OR_OPT => self.offer_or_opt(&mut best, (city, forward, next), to_next - apart, neighbour),
                TWO_HALF_OPT => self.offer_two_half_opt(&mut best, (city, forward, next), to_next - apart, neighbour),
                _ => self.offer_insertion(&mut best, (city, forward, next), to_next - apart, neighbour),
            }
        }
        best
    }

    #[inline]
    fn offer_two_half_opt(
        &self,
        best: &mut Best,
        (city, forward, next): (u32, bool, u32),
        shorter: u32,
        neighbour: u32,
    ) {
        let before = self.tour.step_from(city, !forward);
        let after = self.tour.step_from(neighbour, forward);
        let prior = self.tour.step_from(neighbour, !forward);
        let removed = shorter.saturating_add(self.tour.distance(neighbour, after));
        let reversal = Move::Reversal { city, forward, neighbour, next, after };
        best.offer(removed, self.tour.distance(next, after), reversal);
        let added = self.tour.distance(prior, after) + self.tour.distance(neighbour, next);
        let between = Move::insertion(neighbour, [city, next], prior);
        best.offer(removed.saturating_add(self.tour.distance(prior, neighbour)), added, between);
        if after != city {
            let added = self.tour.distance(before, next) + self.tour.distance(city, after);
            let between = Move::insertion(city, [neighbour, after], before);
            best.offer(removed.saturating_add(self.tour.distance(city, before)), added, between);
        }
    }

    #[inline]
    fn offer_insertion(&self, best: &mut Best, (city, forward, next): (u32, bool, u32), shorter: u32, neighbour: u32) {
        let after = self.tour.step_from(neighbour, true);
        let prior = self.tour.step_from(neighbour, false);
        let removed = shorter.saturating_add(self.tour.distance(prior, neighbour));
        if forward && neighbour != next {
            let added = self.tour.distance(prior, after) + self.tour.distance(neighbour, next);
            let between = Move::insertion(neighbour, [city, next], prior);
            best.offer(removed.saturating_add(self.tour.distance(neighbour, after)), added, between);
        }
        if !forward && prior != city {
            let before = self.tour.step_from(city, false);
            let added = self.tour.distance(before, next) + self.tour.distance(prior, city);
            let between = Move::insertion(city, [prior, neighbour], before);
            best.offer(removed.saturating_add(self.tour.distance(before, city)), added, between);
        }
    }

    /// The reversal, then segments that begin with `city` and lead away from `next`, on either side of the neighbour.
    #[inline]
    fn offer_or_opt(&self, best: &mut Best, (city, forward, next): (u32, bool, u32), shorter: u32, neighbour: u32) {
        let tour = &self.tour;
        let beside = [tour.step_from(neighbour, forward), tour.step_from(neighbour, !forward)];
        let opened = beside.map(|other| tour.distance(neighbour, other));
        let reversal = Move::Reversal { city, forward, neighbour, next, after: beside[0] };
        best.offer(shorter.saturating_add(opened[0]), tour.distance(next, beside[0]), reversal);
        let mut end = city;
        for count in 1..=SEGMENT {
            let beyond = tour.step_from(end, !forward);
            if end == neighbour || beyond == next {
                break;
            }
            let segment = Segment { begin: city, end, count, before: next };
            let left = shorter.saturating_add(tour.distance(end, beyond));
            let closed = tour.distance(next, beyond);
            // The edge behind the segment is removed, too.
            for (other, opened) in beside.into_iter().zip(opened).filter(|(other, _)| *other != end) {
                let added = closed + tour.distance(end, other);
                best.offer(left.saturating_add(opened), added, Move::Segment { segment, one: neighbour, other });
            }
            end = beyond;
        }
    }
}
