//! The CPU twin of the search of windows.

use rayon::prelude::*;

use crate::algorithm::choices::Breadth;
use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::backend::{Clock, TwinCall};
use crate::kernels::lin_kernighan::DEPTH;
use crate::kernels::lin_kernighan::twin::{LOOK_EVERY, Search};
use crate::kernels::shared::array_tour::{ArrayTour, Ground, Span};
use crate::kernels::shared::distances::{MATRIX, Measure};
use crate::kernels::shared::progress::PROGRESS_WORDS;
use crate::kernels::shared::queue::Queue;
use crate::kernels::shared::state::{State, join};
use crate::kernels::windows::WindowProgress;
use crate::kernels::windows::window_order::{
    FIXED, JOURNAL, LABEL, OUTSIDE, UNSETTLED, Where, removed_words, window_words,
};
use crate::kernels::windows::window_search::ruin_and_recreate::{REBUILD_WORDS, REBUILDS, rebuild, restore};
use crate::kernels::windows::window_search::{KICK_STEPS, Params};

/// The cities of a window by their labels.
struct WindowGround<'a, const FROM: u8> {
    here: Where,
    all: usize,
    near_index: &'a [[u32; 2]],
    ranks: usize,
    /// Coordinates; with a matrix the city of each label.
    coordinates: Vec<[i32; 2]>,
    distances: &'a [u32],
    measure: Measure<FROM>,
    fixed_ends: Vec<[u32; 2]>,
}

impl<const FROM: u8> Ground for WindowGround<'_, FROM> {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.coordinates[a as usize], self.coordinates[b as usize]);
        if FROM == MATRIX {
            return self.distances[a[0] as usize * self.all + b[0] as usize];
        }
        self.measure.between(a, b)
    }

    #[inline]
    fn ranks(&self) -> usize {
        self.ranks
    }

    #[inline]
    fn near(&self, city: u32, rank: usize) -> Option<[u32; 2]> {
        let [place, apart] = self.near_index[self.here.place(city as usize) * self.ranks + rank];
        Some([self.here.label(place as usize)? as u32, apart])
    }

    #[inline]
    fn is_fixed(&self, a: u32, b: u32) -> bool {
        self.fixed_ends[a as usize].contains(&b)
    }
}

pub(in crate::kernels) fn twin<const FROM: u8>(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([state, near_index, distances, order, positions], [progress, windows, removed]) = call.buffers();
    let state = State::from_words(state);
    let cities = params.cities as usize;
    let (words, removed_words) = (window_words(cities), removed_words(cities));
    let windows = windows[range.start * words..range.end * words].par_chunks(words);
    let removed = removed[range.start * removed_words..range.end * removed_words].par_chunks_mut(removed_words);
    let progress: &mut [WindowProgress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    let (clock, measure) = (call.clock(), Measure::<FROM>::of(call));
    windows.zip(removed).zip(progress).enumerate().for_each(|(index, ((window, removed), progress))| {
        let number = (range.start + index) as u32;
        let (here, window) = Where::of(window, cities, params.all as usize);
        let coordinate = |label: usize| match FROM {
            MATRIX => [order[here.place(label)] as i32, 0],
            _ => [0, 1].map(|axis| distances[2 * here.place(label) + axis] as i32),
        };
        let stream = Stream::new(join(params.seed), state.iteration, number);
        let (head, list) = removed.split_at_mut(2 + cities.div_ceil(32));
        let work = |kept: &mut Option<Kept>| {
            let ground = WindowGround::<FROM> {
                here,
                all: params.all as usize,
                near_index: bytemuck::cast_slice(near_index),
                ranks: params.neighbours as usize,
                coordinates: (0..cities).map(coordinate).collect(),
                distances,
                measure,
                fixed_ends: fixed_ends(window),
            };
            let Kept { mut tour, queue, steps, journey } = kept.take().unwrap_or_else(|| {
                head[2..].fill(0);
                Kept::new(window)
            });
            // No path of a window is long.
            let mut search = Search::new(ArrayTour::new(ground, &mut tour), Breadth::Wide, u32::MAX);
            (search.queue, search.steps) = (queue, steps);
            let mut ant = Ant { search, journey };
            if !ant.run(&params, stream, &mut head[2..], clock) {
                let Ant { search: Search { queue, steps, .. }, journey } = ant;
                *kept = Some(Kept { tour, queue, steps, journey });
                return false;
            }
            let (tour, gain) = (&ant.search.tour, ant.journey.gain);
            let city_of = |label: u32| order[here.place(label as usize)];
            let count = if gain > 0 { write_removed(tour, window, city_of, positions, list) } else { 0 };
            head[..2].copy_from_slice(&[gain, count]);
            progress.search_done = state.iteration + 1;
            true
        };
        clock.unit(number, || None, work);
    });
}

/// What a search keeps when its call is interrupted.
struct Kept {
    tour: Vec<u32>,
    queue: Queue,
    steps: u32,
    journey: Journey,
}

impl Kept {
    /// A search that begins with its unsettled cities.
    fn new(window: &[u32]) -> Self {
        let mut queue = Queue::new(window.len());
        let mut unsettled: Vec<u32> =
            window.iter().filter(|word| *word & UNSETTLED != 0).map(|word| word & LABEL).collect();
        unsettled.sort_unstable();
        unsettled.into_iter().for_each(|label| queue.enqueue(label));
        let tour = window.iter().map(|word| word & LABEL).collect();
        Self { tour, queue, steps: 0, journey: Journey::default() }
    }
}

/// The two ends of the edges at each city that must stay.
fn fixed_ends(window: &[u32]) -> Vec<[u32; 2]> {
    let n = window.len();
    let mut ends = vec![[OUTSIDE; 2]; n];
    for (i, word) in window.iter().enumerate() {
        let next = window[if i + 1 == n { 0 } else { i + 1 }];
        if word & FIXED != 0 {
            ends[(word & LABEL) as usize][1] = next & LABEL;
            ends[(next & LABEL) as usize][0] = word & LABEL;
        }
    }
    ends
}

struct Ant<'a, G> {
    search: Search<'a, G>,
    journey: Journey,
}

/// How far a search has come.
#[derive(Default)]
struct Journey {
    /// What the tour has gained up to the last kick.
    gain: u32,
    kicks: u32,
    /// What the tour has grown by since, wrapping.
    cost: u32,
    /// Whether there was a kick that changed the tour.
    kicked: bool,
    /// What was reversed since.
    journal: Vec<Span>,
    /// The tour before the last kick, where that has rebuilt a stretch.
    saved: Option<Vec<u32>>,
}

impl<G: Ground> Ant<'_, G> {
    /// Searches on; whether the search has ended. Cities that there were no steps left to look at get a bit in `left`.
    fn run(&mut self, params: &Params, stream: Stream, left: &mut [u32], clock: Clock<'_>) -> bool {
        let mut turns = 0u32;
        loop {
            turns += 1;
            if turns.is_multiple_of(LOOK_EVERY) && clock.is_up() {
                return false;
            }
            let Journey { kicked, saved, journal, .. } = &self.journey;
            let full = *kicked && saved.is_none() && journal.len() + DEPTH > JOURNAL;
            let out = full || self.search.steps >= params.steps;
            let next = if out { None } else { self.search.queue.dequeue() };
            if let Some(city) = next {
                self.search.steps += 1;
                if self.search.look(city) {
                    self.journey.cost = self.journey.cost.wrapping_sub(self.search.gain);
                    if self.journey.kicked {
                        self.journey.journal.extend(&self.search.spans);
                    }
                }
                continue;
            }
            while let Some(city) = self.search.queue.dequeue() {
                if self.journey.kicks == 0 {
                    left[city as usize / 32] |= 1 << (city % 32);
                }
            }
            let fell = self.journey.cost >= 1 << 31;
            if self.journey.kicked && !fell {
                match self.journey.saved.take() {
                    Some(saved) => restore(&mut self.search.tour, &saved),
                    None => self.take_back(),
                }
            }
            if fell {
                self.journey.gain = self.journey.gain.wrapping_sub(self.journey.cost);
            }
            if self.search.steps >= params.steps {
                return true;
            }
            self.journey.journal.clear();
            let kicks = self.journey.kicks;
            let chance = stream.turned().word(kicks.wrapping_mul(REBUILD_WORDS).wrapping_add(REBUILD_WORDS - 1));
            let kick = if params.rebuild_length > 0 && chance.is_multiple_of(REBUILDS) {
                self.search.steps += params.rebuild_length / 2;
                self.rebuild(params, stream.turned(), kicks)
            } else {
                self.journey.saved = None;
                self.kick(params, stream, kicks)
            };
            (self.journey.kicked, self.journey.cost) = (kick.is_some(), kick.unwrap_or(0));
            self.journey.kicks += 1;
            self.search.steps += KICK_STEPS;
        }
    }

    /// Takes back everything in the journal.
    fn take_back(&mut self) {
        while let Some(span) = self.journey.journal.pop() {
            self.search.tour.reverse_span(span);
        }
    }

    /// Rebuilds a stretch; what that adds to the tour's length, wrapping.
    fn rebuild(&mut self, params: &Params, stream: Stream, number: u32) -> Option<u32> {
        let (cost, saved) = rebuild(&mut self.search, params.rebuild_length as usize, stream, number)?;
        self.journey.saved = Some(saved);
        Some(cost)
    }

    /// Exchanges the first and the last of three stretches; what that adds to the tour's length, wrapping.
    fn kick(&mut self, params: &Params, stream: Stream, number: u32) -> Option<u32> {
        let count = params.cities as usize;
        let draw = |i: u32, range: u32| mul_high(stream.word(4 * number + i), range) as usize;
        let first = draw(0, params.cities);
        let [a, b, c] = [1, 2, 3].map(|i| 1 + draw(i, params.kick_length));
        let ring = |at: usize| if at >= count { at - count } else { at };
        let tour = &mut self.search.tour;
        let at = |position: usize| tour.cities[ring(position)];
        let [before, a_first, a_last, b_first] = [at(first + count - 1), at(first), at(first + a - 1), at(first + a)];
        let [b_last, c_first, c_last, behind] =
            [at(first + a + b - 1), at(first + a + b), at(first + a + b + c - 1), at(first + a + b + c)];
        let gone = [(before, a_first), (a_last, b_first), (b_last, c_first), (c_last, behind)];
        let made = [(before, c_first), (c_last, b_first), (b_last, a_first), (a_last, behind)];
        if gone.iter().any(|&(u, v)| tour.ground.is_fixed(u, v)) {
            return None;
        }
        let sum =
            |edges: [(u32, u32); 4]| edges.iter().fold(0u32, |sum, &(u, v)| sum.wrapping_add(tour.distance(u, v)));
        let cost = sum(made).wrapping_sub(sum(gone));
        for (first, length) in [(first, a + b + c), (first, c), (ring(first + c), b), (ring(first + c + b), a)] {
            let span = Span { first, length };
            tour.reverse_span(span);
            self.journey.journal.push(span);
        }
        for city in [before, a_first, a_last, b_first, b_last, c_first, c_last, behind] {
            self.search.queue.enqueue(city);
        }
        Some(cost)
    }
}

/// Writes the cuts in the order of the colony's tour; how many.
fn write_removed<G: Ground>(
    tour: &ArrayTour<'_, G>,
    window: &[u32],
    city_of: impl Fn(u32) -> u32,
    positions: &[u32],
    removed: &mut [u32],
) -> u32 {
    let n = window.len();
    let at = |i: usize| window[if i >= n { i - n } else { i }];
    let stays = |i: usize| {
        let (a, b) = (at(i) & LABEL, at(i + 1) & LABEL);
        at(i) & FIXED != 0 || tour.step_from(a, true) == b || tour.step_from(a, false) == b
    };
    let tied_to = |city: u32, other: u32, other_stays: bool, forward: bool| {
        let (back, forth) = (tour.step_from(city, false), tour.step_from(city, true));
        match other_stays {
            true => city_of(if back == other { forth } else { back }),
            false => city_of(if forward { forth } else { back }),
        }
    };
    let mut count = 0;
    for i in (0..n).filter(|&i| !stays(i)) {
        let before = if i == 0 { n - 1 } else { i - 1 };
        let (city, next) = (at(i) & LABEL, at(i + 1) & LABEL);
        removed[3 * count..3 * count + 3].copy_from_slice(&[
            positions[city_of(city) as usize],
            tied_to(city, at(before) & LABEL, stays(before), true),
            tied_to(
                next,
                at(if i + 2 >= n { i + 2 - n } else { i + 2 }) & LABEL,
                stays(if i + 1 >= n { 0 } else { i + 1 }),
                false,
            ),
        ]);
        count += 1;
    }
    count as u32
}
