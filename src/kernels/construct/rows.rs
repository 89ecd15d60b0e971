//! Where a step's options and weights come from: the twins of `shaders/construct/rows_*.wgsl`.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::Params;
use crate::algorithm::acs::{HEURISTIC_WEIGHT, far_place, trail_place};
use crate::algorithm::fixed::{heuristic_fall, log2_distance, log2_near, long_linear, short_linear};
use crate::algorithm::selective::{Records, worn_level};
use crate::kernels::pheromone::local_update::worn;
use crate::kernels::shared::distances::Distances;
use crate::kernels::shared::state::State;

/// Visited cities, a bit each; the bits behind the last city are set.
pub(super) struct Visited(Vec<u32>);

impl Visited {
    pub(super) fn new(cities: usize) -> Self {
        let mut words = vec![0; cities.div_ceil(32)];
        let padding = words.len() * 32 - cities;
        if let Some(last) = words.last_mut() {
            *last = !(u32::MAX >> padding);
        }
        Self(words)
    }

    #[inline(always)]
    pub(super) fn mark(&mut self, city: u32) {
        self.0[city as usize >> 5] |= 1 << (city & 31);
    }

    #[inline(always)]
    pub(super) fn is_free(&self, city: u32) -> bool {
        self.word_of(city) >> (city & 31) & 1 == 0
    }

    /// The word that has a city's bit.
    #[inline(always)]
    pub(super) fn word_of(&self, city: u32) -> u32 {
        self.0[city as usize >> 5]
    }

    /// The unvisited cities, by index.
    #[inline(always)]
    pub(super) fn free(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut bits = !word;
            std::iter::from_fn(move || {
                let found = (bits != 0).then(|| index as u32 * 32 + bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                found
            })
        })
    }
}

/// The options of steps.
pub(super) trait Rows: Sync {
    /// Whether all cities are options: a roulette wheel's items are pairs of them, and deviates lie in pairs.
    const FULL: bool = false;
    /// Indices of options.
    fn span(&self) -> u32;
    /// The city of an option.
    fn city(&self, city: u32, index: u32) -> u32;
    /// All options: city in the upper, weight in the lower 16 bits; `None` where a step has to make them.
    fn row(&self, _city: u32) -> Option<&[u32]> {
        None
    }
    /// The weight of an option.
    fn weight(&self, city: u32, index: u32) -> u32;
    /// The weight of an option for a roulette wheel.
    fn long_weight(&self, city: u32, index: u32) -> u64 {
        long_linear(self.weight(city, index))
    }
    /// Where an ant without options goes, if that city is unvisited: to a neighbour in the best tour.
    fn shortcut(&self, _city: u32, _visited: &Visited) -> Option<u32> {
        None
    }
    /// Else where it goes without a look at all cities.
    fn nearby(&self, _city: u32, _visited: &Visited) -> Option<u32> {
        None
    }
    /// An ant without options goes to the unvisited city of least burden.
    fn burden(&self, city: u32, other: u32) -> u32;
    /// After a step from `city` to `next`: updates the trail at `city`.
    fn walked(&self, _city: u32, _next: u32, _step: u32) {}
    /// After a step to `city` from `previous`: updates the trail at `city`.
    fn walked_back(&self, _previous: u32, _city: u32, _step: u32) {}
}

/// Candidate lists with trails on their edges alone.
pub(super) struct CandidateRows<'a, const FROM: u8> {
    pub choice: &'a [u32],
    pub distances: Distances<'a, FROM>,
    pub links: &'a [u32],
    pub params: Params,
}

impl<const FROM: u8> Rows for CandidateRows<'_, FROM> {
    #[inline(always)]
    fn span(&self) -> u32 {
        self.params.candidates
    }

    #[inline(always)]
    fn city(&self, city: u32, index: u32) -> u32 {
        self.choice[(city * self.params.candidates + index) as usize] >> 16
    }

    #[inline(always)]
    fn row(&self, city: u32) -> Option<&[u32]> {
        let k = self.params.candidates as usize;
        Some(&self.choice[city as usize * k..][..k])
    }

    #[inline(always)]
    fn weight(&self, city: u32, index: u32) -> u32 {
        self.choice[(city * self.params.candidates + index) as usize] & 0xFFFF
    }

    fn shortcut(&self, city: u32, visited: &Visited) -> Option<u32> {
        let links = &self.links[2 * city as usize..][..2];
        let usable = if self.params.directed == 1 { &links[1..] } else { links };
        let free = usable.iter().copied().filter(|&link| visited.is_free(link));
        free.min_by_key(|&link| self.burden(city, link))
    }

    fn nearby(&self, city: u32, visited: &Visited) -> Option<u32> {
        let count = self.params.nearby as usize;
        let pairs = &self.distances.behind()[city as usize * count.div_ceil(2)..][..count.div_ceil(2)];
        let listed = pairs.iter().flat_map(|&pair| [pair & 0xFFFF, pair >> 16]).take(count);
        listed.into_iter().find(|&other| visited.is_free(other))
    }

    #[inline(always)]
    fn burden(&self, city: u32, other: u32) -> u32 {
        self.distances.between(city, other)
    }
}

/// One of two weights in a word.
#[inline(always)]
fn weight_at(weights: &[u32], pitch: u32, city: u32, other: u32) -> u32 {
    weights[city as usize * pitch as usize + (other >> 1) as usize] >> ((other & 1) * 16) & 0xFFFF
}

/// Candidate lists with trails on all edges.
pub(super) struct MatrixRows<'a> {
    pub choice: &'a [u32],
    pub weights: &'a [u32],
    pub params: Params,
}

impl Rows for MatrixRows<'_> {
    #[inline(always)]
    fn span(&self) -> u32 {
        self.params.candidates
    }

    #[inline(always)]
    fn city(&self, city: u32, index: u32) -> u32 {
        self.choice[(city * self.params.candidates + index) as usize] >> 16
    }

    #[inline(always)]
    fn row(&self, city: u32) -> Option<&[u32]> {
        let k = self.params.candidates as usize;
        Some(&self.choice[city as usize * k..][..k])
    }

    #[inline(always)]
    fn weight(&self, city: u32, index: u32) -> u32 {
        self.choice[(city * self.params.candidates + index) as usize] & 0xFFFF
    }

    #[inline(always)]
    fn burden(&self, city: u32, other: u32) -> u32 {
        0xFFFF - weight_at(self.weights, self.params.pitch, city, other)
    }
}

/// All cities.
pub(super) struct FullRows<'a> {
    pub weights: &'a [u32],
    pub params: Params,
}

impl Rows for FullRows<'_> {
    const FULL: bool = true;

    #[inline(always)]
    fn span(&self) -> u32 {
        self.params.cities
    }

    #[inline(always)]
    fn city(&self, _city: u32, index: u32) -> u32 {
        index
    }

    #[inline(always)]
    fn weight(&self, city: u32, index: u32) -> u32 {
        weight_at(self.weights, self.params.pitch, city, index)
    }

    fn burden(&self, _city: u32, _other: u32) -> u32 {
        // Not asked for: while a city is unvisited there are options.
        0
    }
}

/// Candidate lists with trails that change during construction.
pub(super) struct TrailRows<'a> {
    pub heuristic: &'a [u32],
    pub trails: &'a [AtomicU32],
    pub distances: &'a [u32],
    pub tables: &'a [u32],
    pub state: State,
    /// log2 of the first trail, by [`log2_near`].
    pub floor_log2: u32,
    pub relaxed: bool,
    pub params: Params,
}

/// The unvisited city of greatest weight among the nearest that are no candidates, the higher city among equals; `more` is the trail's part
/// of the weight.
fn heaviest_nearby(
    lists: &[u32],
    params: &Params,
    city: u32,
    visited: &Visited,
    more: impl Fn(u32) -> u32,
) -> Option<u32> {
    let (cities, count) = (params.cities as usize, params.nearby as usize);
    let row = &lists[cities * params.candidates as usize + city as usize * count..][..count];
    let free = row.iter().filter(|&entry| visited.is_free(entry >> 16));
    let key = |&entry: &u32| ((entry & HEURISTIC_WEIGHT) + more(entry >> 16)) << 16 | entry >> 16;
    free.map(key).max().map(|key| key & 0xFFFF)
}

impl TrailRows<'_> {
    /// The index of the trail of an edge that is no candidate edge.
    #[inline(always)]
    fn far_place(&self, city: u32, other: u32) -> usize {
        let Params { cities, candidates, .. } = self.params;
        far_place(city, other, cities, candidates)
    }

    fn wear(&self, city: u32, other: u32) {
        let Params { cities, candidates, local_rate, .. } = self.params;
        let trail = &self.trails[trail_place(self.heuristic, city, other, cities, candidates)];
        trail.store(worn(trail.load(Relaxed), self.state.trail_min, local_rate), Relaxed);
    }

    #[inline(always)]
    fn trail_weight(&self, place: usize) -> u32 {
        (log2_near(self.trails[place].load(Relaxed)) - self.floor_log2) >> 7
    }
}

impl Rows for TrailRows<'_> {
    #[inline(always)]
    fn span(&self) -> u32 {
        self.params.candidates
    }

    #[inline(always)]
    fn city(&self, city: u32, index: u32) -> u32 {
        self.heuristic[(city * self.params.candidates + index) as usize] >> 16
    }

    #[inline(always)]
    fn weight(&self, city: u32, index: u32) -> u32 {
        let place = (city * self.params.candidates + index) as usize;
        (self.heuristic[place] & HEURISTIC_WEIGHT) + self.trail_weight(place)
    }

    fn long_weight(&self, city: u32, index: u32) -> u64 {
        long_linear(short_linear(self.weight(city, index), self.params.top_octave))
    }

    fn nearby(&self, city: u32, visited: &Visited) -> Option<u32> {
        heaviest_nearby(self.heuristic, &self.params, city, visited, |other| {
            self.trail_weight(self.far_place(city, other))
        })
    }

    fn burden(&self, city: u32, other: u32) -> u32 {
        let distance = self.distances[city as usize * self.params.cities as usize + other as usize];
        let octaves = log2_distance(self.tables, distance);
        heuristic_fall(octaves, self.params.beta) + 0x1_0000 - self.trail_weight(self.far_place(city, other))
    }

    fn walked(&self, city: u32, next: u32, step: u32) {
        if self.relaxed && step.is_multiple_of(self.params.period) {
            self.wear(city, next);
        }
    }

    fn walked_back(&self, previous: u32, city: u32, step: u32) {
        if self.params.directed == 0 {
            self.walked(city, previous, step);
        }
    }
}

/// Candidate lists with trails in a selective memory.
pub(super) struct SelectiveRows<'a> {
    pub heuristic: &'a [u32],
    pub records: &'a [AtomicU32],
    pub distances: &'a [u32],
    pub tables: &'a [u32],
    pub relaxed: bool,
    pub params: Params,
}

impl SelectiveRows<'_> {
    #[inline(always)]
    fn level(&self, city: u32, other: u32) -> u32 {
        let records = Records::of(self.records, city, self.params.pitch as usize);
        records.level(records.slot(other))
    }
}

impl Rows for SelectiveRows<'_> {
    #[inline(always)]
    fn span(&self) -> u32 {
        self.params.candidates
    }

    #[inline(always)]
    fn city(&self, city: u32, index: u32) -> u32 {
        self.heuristic[(city * self.params.candidates + index) as usize] >> 16
    }

    #[inline(always)]
    fn weight(&self, city: u32, index: u32) -> u32 {
        let entry = self.heuristic[(city * self.params.candidates + index) as usize];
        (entry & HEURISTIC_WEIGHT) + (self.level(city, entry >> 16) >> 2)
    }

    fn long_weight(&self, city: u32, index: u32) -> u64 {
        long_linear(short_linear(self.weight(city, index), self.params.top_octave))
    }

    fn nearby(&self, city: u32, visited: &Visited) -> Option<u32> {
        heaviest_nearby(self.heuristic, &self.params, city, visited, |other| self.level(city, other) >> 2)
    }

    fn burden(&self, city: u32, other: u32) -> u32 {
        let distance = self.distances[city as usize * self.params.cities as usize + other as usize];
        let octaves = log2_distance(self.tables, distance);
        heuristic_fall(octaves, self.params.beta) + 0x1_0000 - (self.level(city, other) >> 2)
    }

    fn walked(&self, city: u32, next: u32, step: u32) {
        if self.relaxed && step.is_multiple_of(self.params.period) {
            let records = Records::of(self.records, city, self.params.pitch as usize);
            let slot = records.slot(next);
            records.keep(next, slot, worn_level(self.tables, records.level(slot), self.params.local_rate << 16));
        }
    }

    fn walked_back(&self, previous: u32, city: u32, step: u32) {
        if self.params.directed == 0 {
            self.walked(city, previous, step);
        }
    }
}
