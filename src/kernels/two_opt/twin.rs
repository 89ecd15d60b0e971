//! The CPU twin of local search along neighbour lists.

use rayon::prelude::*;

use super::Params;
use super::segments::Segment;
use super::slices::{SLICES, Slices};
use crate::aco::config::LocalSearch;
use crate::backend::{Twin, TwinCall};
use crate::kernels::array_tour::{ArrayTour, Whole};
use crate::kernels::distances::MATRIX;
use crate::kernels::state::{PROGRESS_WORDS, Progress, State};

const TWO_OPT: u8 = 0;
const TWO_HALF_OPT: u8 = 1;
const INSERTION: u8 = 2;
const OR_OPT: u8 = 3;

/// The twin for a local search.
pub(super) fn of(search: LocalSearch) -> Twin {
    match search {
        LocalSearch::TwoHalfOpt => twin::<TWO_HALF_OPT>,
        LocalSearch::Insertion => twin::<INSERTION>,
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
    let progress: &mut [Progress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    tours.par_chunks_mut(cities).zip(progress).for_each(|(tour, progress)| {
        let ground = Whole::<MATRIX>::new(neighbours, distances, cities, 2 * params.pairs as usize);
        let mut search =
            Search::<MOVES> { params: &params, tour: ArrayTour::new(ground, tour), waiting: Slices::new(cities) };
        match state.iteration.is_multiple_of(params.all_period) {
            true => (0..params.cities).for_each(|city| search.waiting.insert(city)),
            false => search.let_changed_wait(links),
        }
        (progress.rounds, progress.moves) = search.improve();
        progress.search_done = state.iteration + 1;
    });
}

/// An improving move, as found at the start of a round.
#[derive(Clone, Copy)]
pub(super) enum Move {
    /// The edges (city, next) and (neighbour, after) give way to (city, neighbour) and (next, after).
    Reversal { city: u32, forward: bool, neighbour: u32, next: u32, after: u32 },
    /// `city` leaves its neighbours `before` and `after` and goes between `one` and `other`.
    Insertion { city: u32, one: u32, other: u32, before: u32, after: u32 },
    /// The segment goes between two cities, its first one beside `one`.
    Segment { segment: Segment, one: u32, other: u32 },
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
    pub fn let_wait(&mut self, cities: &[u32]) {
        cities.iter().for_each(|&city| self.waiting.insert(city));
    }

    /// Lets those cities wait that may have a move which the tour of `links` did not have: they do not lie between the same two as
    /// there, or are nearer to such a city than to a neighbour in the tour.
    fn let_changed_wait(&mut self, links: &[[u32; 2]]) {
        let tour = &self.tour;
        let changed: Vec<bool> = links.iter().zip(0..).map(|(&known, city)| !tour.lies_between(city, known)).collect();
        for city in 0..self.params.cities {
            let [before, after] = [false, true].map(|forward| tour.step_from(city, forward));
            let far = tour.distance(city, before).max(tour.distance(city, after));
            let near = |&[other, apart]: &[u32; 2]| apart < far && changed[other as usize];
            if changed[city as usize] || tour.ground.neighbours(city).iter().any(near) {
                self.waiting.insert(city);
            }
        }
    }

    /// Looks at cities until none waits; returns the rounds and moves made.
    fn improve(&mut self) -> (u32, u32) {
        let (mut rounds, mut moved) = (0, 0);
        let mut moves = Vec::with_capacity(2 * SLICES);
        let mut round = Vec::with_capacity(SLICES);
        while rounds < self.params.max_rounds && moved < self.params.max_moves {
            self.waiting.take_round(&mut round);
            if round.is_empty() {
                break;
            }
            moves.clear();
            for &city in &round {
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
        // Insertions go along the tour; their two kinds take the places of the directions.
        let along = MOVES == INSERTION || forward;
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
        best.found
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
        let between = Move::Insertion { city: neighbour, one: city, other: next, before: prior, after };
        best.offer(removed.saturating_add(self.tour.distance(prior, neighbour)), added, between);
        if after != city {
            let added = self.tour.distance(before, next) + self.tour.distance(city, after);
            let between = Move::Insertion { city, one: neighbour, other: after, before, after: next };
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
            let between = Move::Insertion { city: neighbour, one: city, other: next, before: prior, after };
            best.offer(removed.saturating_add(self.tour.distance(neighbour, after)), added, between);
        }
        if !forward && prior != city {
            let before = self.tour.step_from(city, false);
            let added = self.tour.distance(before, next) + self.tour.distance(prior, city);
            let between = Move::Insertion { city, one: prior, other: neighbour, before, after: next };
            best.offer(removed.saturating_add(self.tour.distance(before, city)), added, between);
        }
    }

    /// Applies a move if its edges still stand; queues its cities again.
    fn apply(&mut self, found: Move) -> bool {
        match found {
            Move::Reversal { city, forward, neighbour, next, after } => {
                if self.tour.step_from(city, forward) != next || self.tour.step_from(neighbour, forward) != after {
                    self.let_wait(&[city]);
                    return false;
                }
                let (first, last) = if forward { (next, neighbour) } else { (city, after) };
                self.tour.reverse(first, last);
                self.let_wait(&[city, next, neighbour, after]);
            }
            Move::Segment { segment, one, other } => return self.insert_segment(segment, one, other),
            Move::Insertion { city, one, other, before, after } => {
                let leaves = (self.tour.step_from(city, false), self.tour.step_from(city, true));
                let onwards = self.tour.step_from(one, true) == other;
                let first = match self.params.directed == 1 {
                    true => (leaves == (before, after) && onwards).then_some(one),
                    false if leaves != (before, after) && leaves != (after, before) => None,
                    false if onwards => Some(one),
                    false => (self.tour.step_from(other, true) == one).then_some(other),
                };
                let Some(first) = first else {
                    self.let_wait(&[city, one]);
                    return false;
                };
                self.insert(self.tour.position[city as usize] as usize, self.tour.position[first as usize] as usize);
                self.let_wait(&[before, after, city, one, other]);
            }
        }
        true
    }

    /// Moves the city at a position behind the one at another, past the cities on the shorter side.
    fn insert(&mut self, place: usize, behind: usize) {
        let cities = self.tour.cities.len();
        let ahead = (behind + cities - place) % cities;
        let forward = ahead * 2 < cities;
        let length = if forward { ahead } else { cities - 1 - ahead };
        let city = self.tour.cities[place];
        let mut at = place;
        for _ in 0..length {
            let next = match forward {
                true if at + 1 == cities => 0,
                true => at + 1,
                false if at == 0 => cities - 1,
                false => at - 1,
            };
            self.put(at, self.tour.cities[next]);
            at = next;
        }
        self.put(at, city);
    }

    fn put(&mut self, position: usize, city: u32) {
        self.tour.cities[position] = city;
        self.tour.position[city as usize] = position as u32;
    }
}
