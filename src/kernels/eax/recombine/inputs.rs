//! What a crossover reads: distances, neighbours, edge counts and tours. Twin of `shaders/eax/entropy.wgsl` and
//! `shaders/eax/edge_counts.wgsl`.

use crate::kernels::shared::distances::Distances;
use crate::kernels::shared::pairs::is_pair;

/// What all individuals read.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Ground<'a, const FROM: u8> {
    pub cities: usize,
    pub individuals: usize,
    pub ranks: usize,
    /// Words of a city's neighbours.
    pub pitch: usize,
    pub neighbours: &'a [u32],
    pub distances: Distances<'a, FROM>,
    pub trails: &'a [u32],
    pub paired: u32,
}

impl<const FROM: u8> Ground<'_, FROM> {
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        self.distances.between(a, b)
    }

    /// Whether the edge between two cities stays in every tour.
    #[inline]
    pub fn is_pair(&self, a: u32, b: u32) -> bool {
        is_pair(a, b, self.paired)
    }

    /// The neighbour at a rank, and its distance.
    #[inline]
    pub fn near(&self, city: u32, rank: usize) -> [u32; 2] {
        let at = city as usize * self.pitch + 2 * rank;
        [self.neighbours[at], self.neighbours[at + 1]]
    }

    /// In how many tours an edge is; `None` where it has no trail.
    fn trail(&self, a: u32, b: u32) -> Option<u32> {
        let at = |city: u32, other: u32| {
            let rank = (0..self.ranks).find(|&rank| self.near(city, rank)[0] == other)?;
            Some(self.trails[city as usize * self.ranks + rank])
        };
        at(a, b).or_else(|| at(b, a))
    }

    fn entropy(&self, count: u32) -> u32 {
        self.trails[self.cities * self.ranks + (count as usize).min(self.individuals)]
    }

    /// What the entropy loses, wrapping, when an edge goes from a tour.
    pub fn loss_without(&self, a: u32, b: u32) -> u32 {
        let count = self.trail(a, b).unwrap_or(1);
        self.entropy(count).wrapping_sub(self.entropy(count.max(1) - 1))
    }

    /// What it loses when one comes.
    pub fn loss_with(&self, a: u32, b: u32) -> u32 {
        let count = self.trail(a, b).unwrap_or(0);
        self.entropy(count).wrapping_sub(self.entropy(count + 1))
    }
}

/// A tour with the position of each city.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Tour<'a> {
    pub cities: &'a [u32],
    pub positions: &'a [u32],
}

impl Tour<'_> {
    pub fn turned(&self, position: usize) -> usize {
        if position >= self.cities.len() { position - self.cities.len() } else { position }
    }

    pub fn before(&self, position: usize) -> usize {
        if position == 0 { self.cities.len() - 1 } else { position - 1 }
    }

    pub fn position(&self, city: u32) -> usize {
        self.positions[city as usize] as usize
    }
}
