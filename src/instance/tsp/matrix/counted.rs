//! How weights with signs and decimals are counted in whole numbers: from which one on, up to which, and how finely.

use rayon::prelude::*;

use super::super::instance::MAX_DISTANCE;
use super::super::points;
use super::FAR_LIMIT;
use crate::instance::share;

/// And the sum of each row's least: tours cost less than 2³¹ with some room.
const SUM_LIMIT: f64 = (1u64 << 29) as f64;
/// Beyond 2⁵² they count no ones.
const MOST_COUNTED: f64 = (1u64 << 52) as f64;
/// What is counted from the least weight is as much as this, or whole.
const LEAST_COUNTED: f64 = (1u64 << 16) as f64;
/// Differences between ways and ways back are noise where the squares of both differ by no more than such a part of the greatest square: distances of points
/// are roots of sums in which single precision leaves so much.
const NOISE: f64 = 4e-6;
/// And where those of all cities, of each the greatest, are together up to such a part of all shortest ways.
const NOISE_OF_ALL: f64 = 1e-3;
/// Looks at weights that a search for a tour may take.
const MOST_LOOKS: usize = 1 << 25;

/// Scales that are tried to make weights whole.
const POWERS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// From which weight on weights are counted, and up to which.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub low: f64,
    /// What lies farther above the low one is counted as that.
    pub cap: f64,
    /// How far the greatest lies above the low one.
    pub high: f64,
}

/// How weights are counted.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub range: Range,
    pub scale: f64,
    /// By how much a weight differs at most from what is counted.
    pub error: f64,
    /// By how much a way and its way back differ at most, where that is no more than noise: then both count as what lies in the middle.
    pub noise: Option<f64>,
}

impl Range {
    /// That of weights, the greatest of which that is finite is known, above the low one.
    pub fn above(low: f64, greatest: f64, cities: usize, weights: &[f64]) -> Self {
        let all_there = weights.par_iter().with_min_len(share::ENTRIES).all(|weight| weight.is_finite());
        let high = if all_there { greatest - low } else { f64::INFINITY };
        let range = Self { low, cap: high, high };
        match range.whole(weights, FAR_LIMIT) {
            Some(_) => range,
            None => Self { cap: high.min(longer_than_needed(cities, weights, low)), ..range },
        }
    }

    /// Whether weights lie near each other beside the low one; far ones that no tour needs aside.
    pub fn is_near(self, cities: usize) -> bool {
        let needed = if self.cap < self.high { self.cap / cities as f64 } else { self.high };
        needed < self.low
    }

    /// The greatest weight that is counted as it is.
    pub fn most(self) -> f64 {
        if self.cap < self.high { self.cap + self.low } else { f64::INFINITY }
    }

    /// Whether the low one has all digits when it is scaled.
    fn keeps(self, scale: f64) -> bool {
        self.low.abs() * scale < MOST_COUNTED
    }

    /// The least power of ten that makes all weights whole, so that what is counted lies below `limit`.
    fn whole(self, weights: &[f64], limit: f64) -> Option<f64> {
        let all = || weights.par_iter().with_min_len(share::ENTRIES).map(|weight| weight.min(self.most()));
        let is_whole = |scale: f64| all().all(|weight| (weight * scale).round() / scale == weight);
        let counted = |scale: &f64| self.cap * scale < limit && self.keeps(*scale);
        POWERS.into_iter().take_while(counted).find(|&scale| is_whole(scale))
    }

    /// How the weights are counted, those of the diagonal like one beside them.
    pub fn counted(self, cities: usize, weights: &[f64]) -> Counted {
        let (Self { low, cap, .. }, most) = (self, self.most());
        let back = |at: usize| weights[at % cities * cities + at / cities].min(most);
        let nearest = |row: &[f64]| row.iter().map(|weight| weight.min(most) - low).fold(f64::INFINITY, f64::min);
        let nearest: Vec<f64> = weights.par_chunks(cities).with_min_len(share::rows(cities)).map(nearest).collect();
        let sum: f64 = if cities > 1 { nearest.iter().sum() } else { 0.0 };
        let whole = self.whole(weights, f64::from(MAX_DISTANCE) + 1.0);
        let noise = match whole {
            None if low >= 0.0 => {
                let there = weights.par_iter().with_min_len(share::ENTRIES).copied();
                let there = there.filter(|weight| weight.is_finite() && *weight < most);
                noise(cities, there.reduce(|| 0.0, f64::max), sum, |at| [weights[at].min(most), back(at)])
            }
            _ => None,
        };
        let fits = |scale: f64| cap * scale < FAR_LIMIT && sum * scale < SUM_LIMIT && self.keeps(scale);
        let scale = whole.unwrap_or_else(|| if cap > 0.0 { points::greatest(-300..=300, fits) } else { 1.0 });
        let error = if whole.is_some() { 0.0 } else { 0.5 / scale + noise.unwrap_or_default() / 2.0 };
        Counted { range: self, scale, error, noise }
    }
}

impl Counted {
    /// Whether digits are left of what lies above a low weight with many of them.
    pub fn tells(self) -> bool {
        self.error == 0.0 || self.range.cap * self.scale >= LEAST_COUNTED
    }
}

/// The greatest difference between a way and its way back, `both` by their place in a matrix, where there is one but each is too small to be meant, and all
/// together: what rounding in single precision leaves. `nearest` is the sum of each city's shortest way.
fn noise(cities: usize, greatest: f64, nearest: f64, both: impl Fn(usize) -> [f64; 2] + Sync) -> Option<f64> {
    let of_pair = |[there, back]: [f64; 2]| {
        let squares = (there / greatest).powi(2) - (back / greatest).powi(2);
        if squares.abs() <= NOISE { (there - back).abs() } else { f64::INFINITY }
    };
    let most_of = |city: usize| (0..cities).map(|other| of_pair(both(city * cities + other))).fold(0.0, f64::max);
    let of_each: Vec<f64> = (0..cities).into_par_iter().with_min_len(share::rows(cities)).map(most_of).collect();
    let most = of_each.iter().copied().fold(0.0, f64::max);
    (most > 0.0 && of_each.iter().sum::<f64>() <= NOISE_OF_ALL * nearest).then_some(most)
}

/// From how many cities a search for a tour begins.
pub(super) fn starts_of(cities: usize) -> usize {
    cities.min((MOST_LOOKS / (cities * cities).max(1)).max(1))
}

/// A whole number that no tour of so many cities is longer than whose weights go up to this; sums of decimals are not exact.
pub(super) fn any_tour(cities: usize, greatest: f64) -> f64 {
    (cities as f64 * greatest * (1.0 + 1e-9)).ceil() + 1.0
}

/// A whole number that no weight need exceed: what is longer may be counted as this long, and the best closed tours stay the best. No weight is negative.
/// It is longer than any tour of the weights below it, of which there is one; or than any tour without the greatest weight, so that tours with fewer of
/// these are still shorter.
fn longer_than_needed(cities: usize, weights: &[f64], low: f64) -> f64 {
    let starts = (0..starts_of(cities)).into_par_iter().with_min_len(share::rows(cities * cities));
    let known = starts.map(|start| nearest_neighbours(cities, start, weights, low)).reduce(|| f64::INFINITY, f64::min);
    let all = || weights.par_iter().with_min_len(share::ENTRIES).map(|weight| weight - low);
    let greatest = |which: &(dyn Fn(f64) -> bool + Sync)| all().filter(|&it| which(it)).reduce(|| 0.0, f64::max);
    let up_to = |limit: f64| greatest(&|weight| weight <= limit);
    let high = greatest(&|_| true);
    let mut enough = up_to(known);
    while let next = up_to(any_tour(cities, enough))
        && next > enough
    {
        enough = next;
    }
    any_tour(cities, enough).min(any_tour(cities, greatest(&|weight| weight < high)))
}

/// The length of the tour that goes from `start` to the nearest city that has not been visited, on and on, and back.
fn nearest_neighbours(cities: usize, start: usize, weights: &[f64], low: f64) -> f64 {
    let mut left: Vec<usize> = (0..cities).filter(|&city| city != start).collect();
    let (mut at, mut length) = (start, 0.0);
    while !left.is_empty() {
        let row = &weights[at * cities..][..cities];
        let nearest = (0..left.len()).min_by(|&a, &b| (row[left[a]] - low).total_cmp(&(row[left[b]] - low)));
        at = left.swap_remove(nearest.unwrap_or_default());
        length += row[at] - low;
    }
    if at == start { length } else { length + weights[at * cities + start] - low }
}
