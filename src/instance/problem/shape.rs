//! What an instance is, as far as ant systems and plans depend on it.

use crate::instance::{qap, tsp};

/// What an instance is, as far as ant systems and plans depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a solution is.
    pub kind: ShapeKind,
    /// Cities, or facilities.
    pub size: usize,
    /// About the longest distance, where a tour may cost 2³¹ or more: windows of it have fewer cities then.
    pub farthest: Option<u64>,
}

/// What a solution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// A closed tour.
    Tour {
        /// Whether the way from a city to another may cost something else than the way back.
        directed: bool,
        /// How distances come about, where that is from coordinates in whole numbers.
        rounding: Option<tsp::Rounding>,
        /// So many leading cities are joined two and two by edges that stay in every tour.
        paired: usize,
        /// Whether a city is at distance 0 from all others: between the ends of an open path.
        gap: bool,
        /// Whether all pairs are the two nodes of a city, where it is entered and where it is left: an asymmetric instance made
        /// symmetric.
        doubled: bool,
    },
    /// An assignment.
    Assignment {
        /// What the matrices look like.
        structure: qap::Structure,
        /// Whether neither flows nor distances are symmetric.
        asymmetric: bool,
        /// So many of the last facilities stand for locations that stay empty; to exchange two of them changes nothing.
        empty: usize,
        /// Whether some of the others are alike ([`qap::Instance::classes`]).
        alike: bool,
    },
}

impl Shape {
    /// That of asymmetric distances made symmetric.
    pub(crate) fn doubled(&self) -> Self {
        let size = 2 * self.size;
        let kind = ShapeKind::Tour { directed: false, rounding: None, paired: size, gap: false, doubled: true };
        Self { size, kind, farthest: None }
    }

    /// Whether each city has two nodes: an asymmetric instance made symmetric.
    pub(crate) fn is_doubled(&self) -> bool {
        matches!(self.kind, ShapeKind::Tour { doubled: true, .. })
    }

    /// Whether distances are Euclidean ones between places in the plane, so that cities have neighbours by quadrants.
    pub(crate) fn has_quadrants(&self) -> bool {
        use tsp::Rounding::{Nearest, NearestFar, Thousandths, Up, UpFar};
        let ShapeKind::Tour { rounding, .. } = self.kind else { return false };
        matches!(rounding, Some(Nearest | NearestFar | Up | UpFar | Thousandths))
    }

    /// That of a window of a tour: the paths outside are pairs of cities that stay together.
    pub(crate) fn of_window(&self, cities: usize) -> Self {
        let rounding = match self.kind {
            ShapeKind::Tour { rounding, .. } => rounding,
            ShapeKind::Assignment { .. } => None,
        };
        let kind = ShapeKind::Tour { directed: false, rounding, paired: 2, gap: false, doubled: false };
        Self { size: cities.min(self.size), kind, farthest: None }
    }

    /// The most neighbours that a city has in a list: all others but those that it is joined to and the gap of an open path.
    pub(crate) fn most_neighbours(&self) -> usize {
        let closed = match self.kind {
            ShapeKind::Tour { paired, gap, .. } => usize::from(paired > 0) + usize::from(gap),
            ShapeKind::Assignment { .. } => 0,
        };
        self.size.saturating_sub(1 + closed)
    }
}
