//! A tour under local search as an array: the Rust side of `shaders/shared/array_tour.wgsl`.

use crate::algorithm::choices::LocalSearch;
use crate::backend::{Access, BufferId, Capabilities};
use crate::kernels::plan::{ConstructPlan, SearchMemory};
use crate::kernels::shared::distances::Distances;
use crate::kernels::shared::pairs::is_pair;
use crate::kernels::shared::slices::waiting_words;
use crate::kernels::{Buffer, Buffers};

impl SearchMemory {
    /// The fastest that a device can hold for so many ants at a time.
    ///
    /// Where processors' memory is not known, tours are not held in words. Through Vulkan a workgroup has 48 KiB on an H200. There a queue in
    /// storage pays from some size on between pr2392, three of whose tours fit with a queue, and fl3795
    /// (`docs/results/2026-11-kernel-lin_kernighan.md`).
    pub fn choose(search: LocalSearch, cities: usize, ants: usize, device: &Capabilities) -> Self {
        /// The most bytes of a workgroup whose queue is in its memory.
        const CROWDED: u32 = 19 << 10;
        let fits = |memory: Self, limit| memory.workgroup_bytes(search, cities) <= limit;
        let roomy = device.processors.is_some_and(|it| it.hold(ants, Self::Words.workgroup_bytes(search, cities)));
        let bytes = device.workgroup_bytes;
        let queues = search == LocalSearch::LinKernighan;
        let crowded = queues && device.wide && device.processors.is_none();
        match () {
            () if roomy && fits(Self::Words, bytes) => Self::Words,
            () if fits(Self::Workgroup, if crowded { bytes.min(CROWDED) } else { bytes }) => Self::Workgroup,
            () if queues && fits(Self::QueueInStorage, bytes) => Self::QueueInStorage,
            () => Self::Storage,
        }
    }

    /// Bytes of workgroup memory of a search.
    pub fn workgroup_bytes(self, search: LocalSearch, cities: usize) -> u32 {
        let tour = match self {
            Self::Words => 2 * cities,
            Self::Workgroup | Self::QueueInStorage => cities,
            Self::Storage => 0,
        };
        let queue = match (search, self) {
            (LocalSearch::LinKernighan, Self::Words | Self::Workgroup) => cities.div_ceil(32) + cities.div_ceil(2),
            (LocalSearch::LinKernighan, _) => cities.div_ceil(32),
            _ => 2 * waiting_words(cities),
        };
        /// Bytes for what moves change, flags, heads and cities of slices, gains; a Lin-Kernighan search takes less.
        const REST: u32 = 64 * 12 + 40 + 2 * 32 * 4 + 64 * 8;
        (tour + queue) as u32 * 4 + REST
    }

    pub(in crate::kernels) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Words => &["TOUR_IN_WORDS"],
            Self::Workgroup => &[],
            Self::QueueInStorage => &["QUEUE_IN_STORAGE"],
            Self::Storage => &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"],
        }
    }
}

type Bindings = Vec<(BufferId, Access)>;
type Constants = Vec<(&'static str, u32)>;

/// Bindings and constants of a kernel that includes `shaders/shared/array_tour.wgsl`.
pub(in crate::kernels) fn on_array_tour(plan: &ConstructPlan, buffers: &Buffers) -> (Bindings, Constants) {
    let mut bindings = vec![
        (buffers.get(Buffer::Neighbours), Access::Read),
        (buffers.get(Buffer::Distances), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Progress), Access::Write),
        (buffers.get(Buffer::Queues), Access::Write),
        (buffers.get(Buffer::Tours), Access::Write),
    ];
    let mut constants = vec![("LANES", plan.search_lanes)];
    match buffers.find(Buffer::Positions) {
        Some(positions) => bindings.push((positions, Access::Write)),
        None => constants.push(("CITIES", plan.array_cities as u32)),
    }
    bindings.push((buffers.get(Buffer::Links), Access::Read));
    (bindings, constants)
}

/// The distances and neighbours of a tour's cities.
pub(in crate::kernels) trait Ground {
    /// The distance between two cities.
    fn distance(&self, a: u32, b: u32) -> u32;
    /// Neighbours of a city.
    fn ranks(&self) -> usize;
    /// A city's neighbour at a rank, the nearest first, with its distance; `None` where the tour does not have that city.
    fn near(&self, city: u32, rank: usize) -> Option<[u32; 2]>;
    /// Whether an edge of the tour must stay.
    fn is_fixed(&self, a: u32, b: u32) -> bool;
}

/// All cities of an instance: distances and neighbour lists; PAIRED where some edges stay.
pub(in crate::kernels) struct Whole<'a, const FROM: u8, const PAIRED: bool = false> {
    distances: Distances<'a, FROM>,
    neighbours: &'a [[u32; 2]],
    ranks: usize,
    paired: u32,
}

impl<'a, const FROM: u8, const PAIRED: bool> Whole<'a, FROM, PAIRED> {
    /// A row of `neighbours` holds `ranks` pairs of (city, distance).
    pub fn new(neighbours: &'a [u32], distances: Distances<'a, FROM>, ranks: usize) -> Self {
        Self { distances, neighbours: bytemuck::cast_slice(neighbours), ranks, paired: 0 }
    }

    /// The same with so many leading cities joined two and two by edges that stay.
    pub fn with_pairs(self, paired: u32) -> Self {
        Self { paired, ..self }
    }

    /// The neighbours of a city with their distances, nearest first.
    #[inline]
    pub fn neighbours(&self, city: u32) -> &'a [[u32; 2]] {
        &self.neighbours[city as usize * self.ranks..][..self.ranks]
    }
}

impl<const FROM: u8, const PAIRED: bool> Ground for Whole<'_, FROM, PAIRED> {
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
    fn is_fixed(&self, a: u32, b: u32) -> bool {
        PAIRED && is_pair(a, b, self.paired)
    }
}

/// A tour as an array with the position of each city.
pub(in crate::kernels) struct ArrayTour<'a, G> {
    pub cities: &'a mut [u32],
    pub position: Vec<u32>,
    pub ground: G,
}

impl<'a, G: Ground> ArrayTour<'a, G> {
    /// The tour of these cities.
    pub fn new(ground: G, cities: &'a mut [u32]) -> Self {
        let mut position = vec![0; cities.len()];
        for (at, &city) in cities.iter().enumerate() {
            position[city as usize] = at as u32;
        }
        Self { cities, position, ground }
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

    /// Whether a city lies between these two, in either direction.
    #[inline]
    pub fn lies_between(&self, city: u32, [one, other]: [u32; 2]) -> bool {
        let here = [self.step_from(city, false), self.step_from(city, true)];
        here == [one, other] || here == [other, one]
    }

    /// The distance between two cities.
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        self.ground.distance(a, b)
    }

    /// The positions of the path from one city on to another, or of the rest of the tour where that is shorter.
    #[inline]
    pub fn shorter_span(&self, first: u32, last: u32) -> Span {
        let count = self.cities.len();
        let [first, last] = [first, last].map(|city| self.position[city as usize] as usize);
        let length = (if last < first { last + count } else { last }) - first + 1;
        match length * 2 > count {
            true => Span { first: if last + 1 == count { 0 } else { last + 1 }, length: count - length },
            false => Span { first, length },
        }
    }

    /// Reverses the path from one city on to another, or the rest of the tour where that is shorter; the span that was
    /// reversed.
    pub fn reverse(&mut self, first: u32, last: u32) -> Span {
        let span = self.shorter_span(first, last);
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
        if end < count {
            let path = &mut self.cities[span.first..=end];
            path.reverse();
            for (at, &city) in (span.first as u32..).zip(&*path) {
                self.position[city as usize] = at;
            }
            return;
        }
        let (mut left, mut right) = (span.first, end - count);
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
pub(in crate::kernels) struct Span {
    pub first: usize,
    pub length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, CpuBackend, Processors};

    #[test]
    fn tours_lie_in_words_where_all_ants_run_so() {
        let (search, chains) = (LocalSearch::TwoOpt, LocalSearch::LinKernighan);
        let told = Some(Processors { count: 132, workgroup_bytes: 228 << 10 });
        let device = |processors, bytes| Capabilities {
            wide: true,
            workgroup_bytes: bytes,
            processors,
            ..CpuBackend::new().capabilities().clone()
        };
        let choose = |search, cities, ants, device: &_| SearchMemory::choose(search, cities, ants, device);
        let big = device(told, 227 << 10);
        assert_eq!(choose(search, 2392, 800, &big), SearchMemory::Words);
        assert_eq!(choose(search, 5915, 800, &big), SearchMemory::Workgroup);
        assert_eq!(choose(search, 5915, 264, &big), SearchMemory::Words);
        assert_eq!(choose(chains, 5915, 264, &big), SearchMemory::Words);
        assert_eq!(choose(chains, 60_000, 1, &big), SearchMemory::Storage);
        let small = device(None, 48 << 10);
        assert_eq!(choose(search, 2392, 1, &small), SearchMemory::Workgroup);
        assert_eq!(choose(search, 9000, 1, &small), SearchMemory::Workgroup);
        assert_eq!(choose(search, 12_000, 1, &small), SearchMemory::Storage);
        assert_eq!(choose(chains, 2392, 1, &small), SearchMemory::Workgroup);
        assert_eq!(choose(chains, 9000, 1, &small), SearchMemory::QueueInStorage);
    }
}
