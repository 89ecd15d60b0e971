//! What moves change in the tour: twin of `shaders/two_opt/changes.wgsl`.

use super::twin::Move;
use crate::kernels::shared::array_tour::{ArrayTour, Ground, Span};

/// A segment of the tour: its first city, which comes after `before`, and its last.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub begin: u32,
    pub end: u32,
    pub count: usize,
    pub before: u32,
}

/// What a move changes: a span of positions, in which it reverses parts.
pub(super) struct Change {
    /// The city that the move was found from.
    pub city: u32,
    pub gain: u32,
    span: Span,
    /// When a segment moves: its length, whether it passes the cities behind it, and whether its direction changes.
    segment: Option<(usize, bool, bool)>,
}

impl Change {
    /// What a move that was found from a city changes in a tour.
    #[inline]
    pub fn of<G: Ground>(tour: &ArrayTour<'_, G>, city: u32, found: Move, gain: u32) -> Self {
        let count = tour.cities.len();
        let at = |city: u32| tour.position[city as usize] as usize;
        match found {
            Move::Reversal { city: from, forward, neighbour, next, after } => {
                let [first, last] = if forward { [next, neighbour] } else { [from, after] };
                Self { city, gain, span: tour.shorter_span(first, last), segment: None }
            }
            Move::Segment { segment, one, other } => {
                let forward = tour.step_from(segment.begin, false) == segment.before;
                let onwards = tour.step_from(one, true) == other;
                let [first, last] = if forward { [segment.begin, segment.end] } else { [segment.end, segment.begin] };
                let others = count - segment.count;
                let ahead = (at(if onwards { one } else { other }) + count - at(last)) % count;
                let upwards = ahead * 2 <= others;
                let passed = if upwards { ahead } else { others - ahead };
                let first = if upwards { at(first) } else { (at(first) + count - passed) % count };
                let span = Span { first, length: segment.count + passed };
                Self { city, gain, span, segment: Some((segment.count, upwards, forward == onwards)) }
            }
        }
    }

    /// Whether both change edges of the same part of a tour of so many cities.
    #[inline]
    pub fn overlaps(&self, other: &Self, count: usize) -> bool {
        // Positions from the first span to the other, and from there back to the first.
        let [mine, its] = [self.span.first, other.span.first];
        let onwards = its.wrapping_sub(mine).wrapping_add(if its < mine { count } else { 0 });
        let back = if onwards == 0 { 0 } else { count - onwards };
        (onwards <= self.span.length) | (back <= other.span.length)
    }

    /// The positions at both ends of the edges that are removed.
    pub fn cities(&self, count: usize) -> impl Iterator<Item = usize> {
        let Span { first, length } = self.span;
        let middle = self.segment.map(|(moved, upwards, _)| first + if upwards { moved } else { length - moved });
        [Some(first), middle, Some(first + length)]
            .into_iter()
            .flatten()
            .flat_map(move |edge| [edge + count - 1, edge])
            .map(move |at| at % count)
    }

    /// The spans to reverse, one after the other.
    pub fn turns(&self, count: usize) -> [Span; 3] {
        let Span { first, length } = self.span;
        let span = |first: usize, length| Span { first: first % count, length };
        let Some((moved, upwards, turned)) = self.segment else {
            return [span(first, length), span(first, 0), span(first, 0)];
        };
        let passed = length - moved;
        [
            span(first, length),
            span(if upwards { first } else { first + moved }, passed),
            span(if upwards { first + passed } else { first }, if turned { moved } else { 0 }),
        ]
    }
}
