//! What the twins of local searches on whole tours stand on: the Rust side of `shaders/tsp/array_tour.wgsl`.

use std::collections::VecDeque;

use super::distances::Distances;

/// Where a tour lies: distances and neighbours of its cities.
pub(super) trait Ground {
    /// The distance between two cities.
    fn distance(&self, a: u32, b: u32) -> u32;
    /// Neighbours of a city.
    fn ranks(&self) -> usize;
    /// A city's neighbour at a rank, the nearest first, with its distance; `None` where the tour does not have that city.
    fn near(&self, city: u32, rank: usize) -> Option<[u32; 2]>;
    /// Whether an edge of the tour must stay.
    fn is_fixed(&self, a: u32, b: u32) -> bool;
}

/// All cities of an instance: distances and neighbour lists.
pub(super) struct Whole<'a, const FROM: u8> {
    distances: Distances<'a, FROM>,
    neighbours: &'a [[u32; 2]],
    ranks: usize,
}

impl<'a, const FROM: u8> Whole<'a, FROM> {
    /// A row of `neighbours` holds `ranks` pairs of (city, distance).
    pub fn new(neighbours: &'a [u32], distances: &'a [u32], cities: usize, ranks: usize) -> Self {
        let distances = Distances { words: distances, cities };
        Self { distances, neighbours: bytemuck::cast_slice(neighbours), ranks }
    }

    /// The neighbours of a city with their distances, nearest first.
    #[inline]
    pub fn neighbours(&self, city: u32) -> &'a [[u32; 2]] {
        &self.neighbours[city as usize * self.ranks..][..self.ranks]
    }
}

impl<const FROM: u8> Ground for Whole<'_, FROM> {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        self.distances.between(a, b)
    }

    #[inline]
    fn ranks(&self) -> usize {
        self.ranks
    }

    #[inline]
    fn near(&self, city: u32, rank: usize) -> Option<[u32; 2]> {
        Some(self.neighbours[city as usize * self.ranks + rank])
    }

    #[inline]
    fn is_fixed(&self, _: u32, _: u32) -> bool {
        false
    }
}

/// A tour as an array with the position of each city, and a first-in first-out work queue that don't-look bits guard.
pub(super) struct ArrayTour<'a, G> {
    pub cities: &'a mut [u32],
    pub position: Vec<u32>,
    pub ground: G,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

impl<'a, G: Ground> ArrayTour<'a, G> {
    /// The tour with an empty queue.
    pub fn new(ground: G, cities: &'a mut [u32]) -> Self {
        let mut position = vec![0; cities.len()];
        for (at, &city) in cities.iter().enumerate() {
            position[city as usize] = at as u32;
        }
        let (queue, queued) = (VecDeque::new(), vec![false; cities.len()]);
        Self { cities, position, ground, queue, queued }
    }

    /// Cities that wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Puts a city at the queue's end unless it is queued.
    #[inline]
    pub fn enqueue(&mut self, city: u32) {
        if !std::mem::replace(&mut self.queued[city as usize], true) {
            self.queue.push_back(city);
        }
    }

    /// Takes the city at the queue's head.
    #[inline]
    pub fn dequeue(&mut self) -> Option<u32> {
        let city = self.queue.pop_front()?;
        self.queued[city as usize] = false;
        Some(city)
    }

    /// The city after this one, or before it.
    #[inline]
    pub fn step_from(&self, city: u32, forward: bool) -> u32 {
        let at = self.position[city as usize] as usize;
        let last = self.cities.len() - 1;
        if forward {
            self.cities[if at == last { 0 } else { at + 1 }]
        } else {
            self.cities[if at == 0 { last } else { at - 1 }]
        }
    }

    /// The distance between two cities.
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        self.ground.distance(a, b)
    }

    /// Positions between two cities, the shorter way along the tour.
    #[inline]
    pub fn apart(&self, a: u32, b: u32) -> u32 {
        let apart = self.position[a as usize].abs_diff(self.position[b as usize]);
        apart.min(self.cities.len() as u32 - apart)
    }

    /// Reverses the path from one city on to another, or the rest of the tour where that is shorter; the span that was
    /// reversed.
    pub fn reverse(&mut self, first: u32, last: u32) -> Span {
        let count = self.cities.len();
        let [first, last] = [first, last].map(|city| self.position[city as usize] as usize);
        let mut span = Span { first, length: (if last < first { last + count } else { last }) - first + 1 };
        if span.length * 2 > count {
            span = Span { first: if last + 1 == count { 0 } else { last + 1 }, length: count - span.length };
        }
        self.reverse_span(span);
        span
    }

    /// Reverses the cities at some positions; doing it again takes it back.
    pub fn reverse_span(&mut self, span: Span) {
        let count = self.cities.len();
        if span.length < 2 {
            return;
        }
        let end = span.first + span.length - 1;
        let (mut left, mut right) = (span.first, if end >= count { end - count } else { end });
        for _ in 0..span.length / 2 {
            self.cities.swap(left, right);
            self.position[self.cities[left] as usize] = left as u32;
            self.position[self.cities[right] as usize] = right as u32;
            left = if left + 1 == count { 0 } else { left + 1 };
            right = if right == 0 { count - 1 } else { right - 1 };
        }
    }
}

/// Positions that follow each other, over the array's end where need be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub first: usize,
    pub length: usize,
}
