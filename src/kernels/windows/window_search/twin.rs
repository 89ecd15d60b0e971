//! The CPU twin of the search of windows.

use rayon::prelude::*;

use crate::algorithm::choices::Breadth;
use crate::algorithm::random::Stream;
use crate::backend::TwinCall;
use crate::kernels::lin_kernighan::chained::{Chained, ChainedProgress, Effort, Journey};
use crate::kernels::lin_kernighan::twin::Search;
use crate::kernels::shared::array_tour::{ArrayTour, Ground};
use crate::kernels::shared::distances::{MATRIX, Measure};
use crate::kernels::shared::progress::PROGRESS_WORDS;
use crate::kernels::shared::queue::Queue;
use crate::kernels::shared::state::{State, join};
use crate::kernels::windows::window_order::{FIXED, LABEL, OUTSIDE, UNSETTLED, Where, removed_words, window_words};
use crate::kernels::windows::window_search::Params;

/// Where neighbours are found.
#[derive(Clone, Copy)]
enum Near<'a> {
    /// Their places in each order, and how far they are.
    Placed(&'a [[u32; 2]]),
    /// Which they are, where each city lies in each order, and which lies at each place.
    Listed { cities: &'a [u32], places: &'a [u32], order: &'a [u32] },
}

impl<'a> Near<'a> {
    fn of(near_index: &'a [u32], listed: u32, order: &'a [u32]) -> Self {
        match near_index.split_at(listed as usize) {
            ([], placed) => Self::Placed(bytemuck::cast_slice(placed)),
            (cities, places) => Self::Listed { cities, places, order },
        }
    }
}

/// The cities of a window by their labels.
struct WindowGround<'a, const FROM: u8> {
    here: Where,
    all: usize,
    near: Near<'a>,
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
        let row = self.here.place(city as usize);
        match self.near {
            Near::Placed(table) => {
                let [place, apart] = table[row * self.ranks + rank];
                Some([self.here.label(place as usize)? as u32, apart])
            }
            Near::Listed { cities, places, order } => {
                let other = cities[order[row] as usize * self.ranks + rank] as usize;
                let label = self.here.label(places[self.here.order * self.all + other] as usize)? as u32;
                Some([label, if label == city { u32::MAX } else { self.distance(city, label) }])
            }
        }
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
    let progress: &mut [ChainedProgress] =
        bytemuck::cast_slice_mut(&mut progress[range.start * PROGRESS_WORDS..range.end * PROGRESS_WORDS]);
    let (clock, measure) = (call.clock(), Measure::<FROM>::of(call));
    let Params { steps, kick_length, rebuild_length, .. } = params;
    let effort = Effort { steps, kick_length, rebuild_length };
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
                near: Near::of(near_index, params.listed, order),
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
            let mut chained = Chained { search, journey };
            let mut left = |city: u32| head[2 + city as usize / 32] |= 1 << (city % 32);
            if !chained.run(&effort, stream, &mut left, clock) {
                let Chained { search: Search { queue, steps, .. }, journey } = chained;
                *kept = Some(Kept { tour, queue, steps, journey });
                return false;
            }
            let (tour, gain) = (&chained.search.tour, chained.journey.gain);
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
