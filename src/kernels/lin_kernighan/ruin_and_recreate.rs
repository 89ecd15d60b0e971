//! The twin of kicks that ruin and rebuild a stretch: `shaders/lin_kernighan/ruin_and_recreate.wgsl`.

use crate::algorithm::fixed::mul_high;
use crate::algorithm::random::Stream;
use crate::kernels::lin_kernighan::twin::Search;
use crate::kernels::shared::array_tour::{ArrayTour, Ground};
use crate::wgsl::constant;

/// One kick of so many rebuilds.
pub(in crate::kernels) const REBUILDS: u32 = constant!("lin_kernighan/chained", "REBUILDS");
/// Words of a kick's random numbers in their stream.
pub(in crate::kernels) const REBUILD_WORDS: u32 = constant!("lin_kernighan/ruin_and_recreate", "REBUILD_WORDS");
/// A weight of 1, and the greatest factor for edges that are not in the tour, both in 1/256.
const UNIT: u32 = constant!("lin_kernighan/ruin_and_recreate", "UNIT");
const FACTORS: u32 = constant!("lin_kernighan/ruin_and_recreate", "FACTORS");
/// The longest stretch that is taken, in 1/1024.
const LONGEST: u32 = constant!("lin_kernighan/ruin_and_recreate", "LONGEST");

/// A stretch of a tour, and which of its cities have their new place.
struct Stretch<'t, 'a, G> {
    tour: &'t ArrayTour<'a, G>,
    first: usize,
    visited: Vec<bool>,
    /// All offsets below are visited.
    low: usize,
}

impl<G: Ground> Stretch<'_, '_, G> {
    fn offset(&self, city: u32) -> usize {
        let count = self.tour.cities.len();
        let offset = self.tour.position[city as usize] as usize + count - self.first;
        if offset >= count { offset - count } else { offset }
    }

    fn is_unvisited(&self, city: u32) -> bool {
        self.visited.get(self.offset(city)) == Some(&false)
    }

    /// The edges at a city that must stay lead there.
    fn fixed_ends(&self, city: u32) -> impl Iterator<Item = u32> {
        let ends = [false, true].map(|forward| self.tour.step_from(city, forward));
        ends.into_iter().filter(move |&end| self.tour.ground.is_fixed(city, end))
    }

    /// Whether a city may follow one that no edge which must stay leads on from.
    fn is_free(&self, city: u32) -> bool {
        self.is_unvisited(city) && self.fixed_ends(city).count() < 2
    }

    fn next(&mut self, city: u32, factor: u32, word: u32) -> u32 {
        if let Some(end) = self.fixed_ends(city).find(|&end| self.is_unvisited(end)) {
            return end;
        }
        if let Some(next) = self.drawn(city, factor, word) {
            return next;
        }
        while self.visited.get(self.low) == Some(&true) {
            self.low += 1;
        }
        let count = self.tour.cities.len();
        let mut rest = (self.low..self.visited.len()).map(|offset| self.tour.cities[(self.first + offset) % count]);
        // Paths of edges that must stay are visited whole: the end of one is unvisited if any of it is.
        rest.find(|&city| self.is_free(city)).unwrap_or(u32::MAX)
    }

    /// Draws among the unvisited neighbours of `city`.
    fn drawn(&self, city: u32, factor: u32, word: u32) -> Option<u32> {
        let ground = &self.tour.ground;
        let free: Vec<[u32; 2]> = (0..ground.ranks())
            .filter_map(|rank| ground.near(city, rank))
            .filter(|&[to, _]| self.is_free(to))
            .map(|[to, apart]| [to, apart.max(1)])
            .collect();
        let nearest = free.iter().map(|&[_, apart]| apart).min()?;
        let shift = if nearest >= 1 << 23 { 8 } else { 0 };
        let links = [false, true].map(|forward| self.tour.step_from(city, forward));
        let weight = |[to, apart]: [u32; 2]| {
            let share = (nearest >> shift) * UNIT / (apart >> shift);
            (share * share * if links.contains(&to) { UNIT } else { factor } / UNIT).max(1)
        };
        let mut left = mul_high(word, free.iter().map(|&entry| weight(entry)).sum());
        for entry in free {
            if left < weight(entry) {
                return Some(entry[0]);
            }
            left -= weight(entry);
        }
        None
    }
}

/// Rebuilds a stretch of `length` cities and lets the ends of new edges wait. What that adds to the tour's length, wrapping, and
/// the tour before; `None` where nothing happens.
pub(in crate::kernels) fn rebuild<G: Ground>(
    search: &mut Search<'_, G>,
    length: usize,
    stream: Stream,
    number: u32,
) -> Option<(u32, Vec<u32>)> {
    let tour = &mut search.tour;
    let count = tour.cities.len();
    let words = number.wrapping_mul(REBUILD_WORDS);
    let first = mul_high(stream.word(words), count as u32) as usize;
    let factor = 2 + mul_high(stream.word(words.wrapping_add(1)), FACTORS);
    let at = |position: usize| tour.cities[position % count];
    let (before, behind) = (at(first + count - 1), at(first + length));
    if tour.ground.is_fixed(before, at(first)) || tour.ground.is_fixed(at(first + length - 1), behind) {
        return None;
    }
    let mut rebuild_length = Stretch { tour, first, visited: vec![false; length], low: 0 };
    let mut new = vec![before];
    for step in 0..length {
        let next = rebuild_length.next(new[step], factor, stream.word(words.wrapping_add(2 + step as u32)));
        let offset = rebuild_length.offset(next);
        rebuild_length.visited[offset] = true;
        new.push(next);
    }
    new.push(behind);
    let (mut cost, mut size) = (0u32, 0u32);
    let mut ends = Vec::new();
    for (step, edge) in new.windows(2).enumerate() {
        let apart = tour.distance(edge[0], edge[1]);
        let gone = tour.distance(at(first + step + count - 1), at(first + step));
        cost = cost.wrapping_add(apart.wrapping_sub(gone));
        size = size.wrapping_add(apart >> 10);
        if tour.step_from(edge[0], true) != edge[1] && tour.step_from(edge[0], false) != edge[1] {
            ends.extend(edge);
        }
    }
    if size >= LONGEST {
        return None;
    }
    let saved = tour.cities.to_vec();
    for (step, &city) in new[1..=length].iter().enumerate() {
        let position = (first + step) % count;
        tour.cities[position] = city;
        tour.position[city as usize] = position as u32;
    }
    ends.sort_unstable();
    ends.into_iter().for_each(|city| search.queue.enqueue(city));
    Some((cost, saved))
}

/// Takes the tour back that [`rebuild`] has saved.
pub(in crate::kernels) fn restore<G: Ground>(tour: &mut ArrayTour<'_, G>, saved: &[u32]) {
    tour.cities.copy_from_slice(saved);
    for (position, &city) in saved.iter().enumerate() {
        tour.position[city as usize] = position as u32;
    }
}
