//! Distances in a larger unit, so that Lin-Kernighan search and crossover, which count in 31 bits, take them.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::instance::Instance;
use super::metric::Metric;
use crate::error::Result;

/// The most that distances, and tours, may come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub distance: u64,
    /// `None` where tours may cost as much as they like.
    pub tour: Option<u64>,
}

/// The most bits that may be taken off.
const MOST_BITS: u32 = 30;
/// Cities whose nearest other place is looked at, which is to be so many units away of all but one in ten of them; fewer where each takes long.
const LOOKED_AT: usize = 200;
const LEAST_LOOKED_AT: usize = 20;
const DISTANCES_LOOKED_AT: usize = 1 << 24;
const UNITS_APART: u64 = 256;
/// From so many cities on a look at all that a tour costs comes first.
const MANY_CITIES: usize = 1 << 17;

/// Half of a unit of 2^`bits`.
fn half(bits: u32) -> u64 {
    (1 << bits) >> 1
}

impl Instance {
    /// How many bits are to be taken off distances so that they fit; 0 where they do, `None` where too little of the short ones would be left.
    pub(crate) fn bits_too_many(&self, most: Most) -> Option<u32> {
        let (longest, tour) = self.sizes_below(most);
        let fits = |bits: &u32| {
            (longest + half(*bits)) >> bits <= most.distance && most.tour.is_none_or(|most| tour >> bits < most)
        };
        let bits = (0..=MOST_BITS).find(fits)?;
        // The edges of a tour are no shorter than the ways to the nearest places, but for cities in one place. To look at some of many cities takes long.
        let may_be_apart = || self.len() < MANY_CITIES || tour >= (UNITS_APART << bits) * self.len() as u64 * 9 / 10;
        (bits == 0 || may_be_apart() && self.are_apart(UNITS_APART << bits)).then_some(bits)
    }

    /// About the longest distance and the cost of a simple tour; of a matrix whose tours cannot be too long no tour is made for that.
    fn sizes_below(&self, most: Most) -> (u64, u64) {
        if self.metric() != Metric::Explicit {
            return self.sizes();
        }
        let longest = u64::from(self.matrix.iter().copied().max().unwrap_or(0));
        let all = longest.saturating_mul(self.len() as u64);
        if most.tour.is_none_or(|most| all < most) { (longest, all) } else { self.sizes() }
    }

    /// Whether nearly all cities, of some of them, have the nearest other place so far away, or farther.
    fn are_apart(&self, least: u64) -> bool {
        let n = self.len();
        let many = (DISTANCES_LOOKED_AT / n.max(1)).clamp(LEAST_LOOKED_AT, LOOKED_AT);
        let looked_at: Vec<usize> = (0..n).step_by(n.div_ceil(many).max(1)).collect();
        let nearest = |&city: &usize| {
            let others = (0..n).filter(|other| *other != city);
            others.map(|other| self.distance(city, other)).filter(|distance| *distance > 0).min()
        };
        let near = looked_at.par_iter().filter_map(nearest).filter(|nearest| u64::from(*nearest) < least).count();
        10 * near <= looked_at.len()
    }

    /// The same cities with distances in a unit of 2^`bits`, rounded, and the same constraints. What they are called is left out.
    ///
    /// # Errors
    /// Those of [`Instance::from_matrix`], which shorter weights do not have.
    pub(crate) fn in_larger_unit(&self, bits: u32) -> Result<Self> {
        let unit = f64::from(1u32 << bits);
        let (metric, whole) = match self.metric() {
            // Rounded up they would be half a unit longer.
            Metric::Ceil2d => (Metric::Euc2d, false),
            metric => (metric, matches!(metric, Metric::Man2d | Metric::Max2d)),
        };
        let place = |p: &DVec3| if whole { (*p / unit).round() } else { *p / unit };
        let weight = |&weight: &u32| ((u64::from(weight) + half(bits)) >> bits) as u32;
        let mut larger = match metric {
            Metric::Explicit => Self::from_matrix(self.name(), self.len(), self.matrix.iter().map(weight).collect())?,
            _ => Self::of_coords(self.name().to_owned(), metric, self.coords.iter().map(place).collect()),
        };
        larger.constraints = Arc::clone(&self.constraints);
        larger.nearly = self.nearly;
        Ok(larger)
    }
}
