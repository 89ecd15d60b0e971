//! Or-opt moves on the CPU: twin of `shaders/tsp/two_opt/moves_or_opt.wgsl` and `shaders/tsp/two_opt/insert_segment.wgsl`.

use super::twin::{Best, Move, Search};
use crate::kernels::array_tour::Span;

/// The most cities of a segment.
const SEGMENT: usize = 3;

/// Cities that follow each other, from one between `before` and them to the one before `beyond`.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    begin: u32,
    end: u32,
    count: usize,
    before: u32,
    beyond: u32,
}

impl<const MOVES: u8> Search<'_, MOVES> {
    /// The reversal, then segments that begin with `city` and lead away from `next`, on either side of the neighbour.
    #[inline]
    pub fn offer_or_opt(&self, best: &mut Best, (city, forward, next): (u32, bool, u32), shorter: u32, neighbour: u32) {
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
            let segment = Segment { begin: city, end, count, before: next, beyond };
            let left = shorter.saturating_add(tour.distance(end, beyond));
            let closed = tour.distance(next, beyond);
            // The edge behind the segment goes with it.
            for (other, opened) in beside.into_iter().zip(opened).filter(|(other, _)| *other != end) {
                let added = closed + tour.distance(end, other);
                best.offer(left.saturating_add(opened), added, Move::Segment { segment, one: neighbour, other });
            }
            end = beyond;
        }
    }

    /// Moves a segment between two cities if its edges still stand; queues its cities again.
    pub fn insert_segment(&mut self, segment: Segment, one: u32, other: u32) -> bool {
        let Segment { begin, end, count, before, beyond } = segment;
        let cities = self.tour.cities.len();
        let at = |tour: &[u32], city: u32| tour[city as usize] as usize;
        let forward = self.tour.step_from(begin, false) == before;
        let onwards = self.tour.step_from(one, true) == other;
        let ends = if forward { [begin, end] } else { [end, begin] };
        let [first, last] = ends.map(|city| at(&self.tour.position, city));
        let whole = (last + cities - first) % cities + 1 == count;
        let closed = self.tour.step_from(begin, !forward) == before && self.tour.step_from(end, forward) == beyond;
        if !whole || !closed || !(onwards || self.tour.step_from(other, true) == one) {
            self.let_wait(&[begin, one]);
            return false;
        }
        let others = cities - count;
        let ahead = (at(&self.tour.position, if onwards { one } else { other }) + cities - last) % cities;
        let upwards = ahead * 2 <= others;
        let passed = if upwards { ahead } else { others - ahead };
        let from = if upwards { first } else { (first + cities - passed) % cities };
        let mut reverse = |first: usize, length| self.tour.reverse_span(Span { first: first % cities, length });
        reverse(from, count + passed);
        reverse(if upwards { from } else { from + count }, passed);
        if forward == onwards {
            reverse(if upwards { from + passed } else { from }, count);
        }
        self.let_wait(&[before, beyond, begin, end, one, other]);
        true
    }
}
