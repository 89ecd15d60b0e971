//! Instances from matrices with signs and decimals.

use rayon::prelude::*;

use super::given::{Given, Source};
use super::instance::{Instance, MAX_DISTANCE};
use crate::error::{Error, Result};
use crate::instance::share;

mod counted;
#[cfg(test)]
mod tests;

use counted::{Counted, Range, any_tour, starts_of};

/// Weights with decimals are to be less when scaled, so that windows of Lin-Kernighan search take them (`algorithm::windows::FARTHEST`).
pub(super) const FAR_LIMIT: f64 = (1u64 << 29) as f64;
/// Search and crossover count tours that cost less in ones (`algorithm::windows::MOST_COST`).
const COUNTED_COST: i128 = 1 << 31;
/// Floating-point numbers hold every whole number up to this one.
const MOST_WHOLE: i64 = 1 << 53;

/// Rows, and columns, of a matrix that are looked at together.
const BLOCK: usize = 64;

/// Whether a matrix is that of the ways back, too: block by block, since a column lies in as many lines of a cache as it has rows.
pub(super) fn is_symmetric(weights: &[u32], cities: usize) -> bool {
    let blocks = || (0..cities).step_by(BLOCK);
    let within = |begin: usize| begin..(begin + BLOCK).min(cities);
    blocks().all(|rows| {
        blocks().take_while(|&columns| columns <= rows).all(|columns| {
            within(rows).all(|i| within(columns).all(|j| weights[i * cities + j] == weights[j * cities + i]))
        })
    })
}

impl Instance {
    /// A matrix of `cities` × `cities` whole weights, row-major; its diagonal is ignored. Weights may be negative, or great ones that lie near each other: each is
    /// then counted from the least one, exactly, which adds the same to every closed tour, since all have as many edges. [`Instance::length`] and
    /// the length of a solution are of the weights as given.
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let three = Instance::from_matrix_i64(3, vec![0, -5, 2, -5, 0, 1, 2, 1, 0])?;
    /// assert_eq!((three.tour_cost(&[0, 1, 2])?, three.length(&[0, 1, 2])?), (13, -2.0));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city, a wrong length, and weights that lie more than 2³¹ − 1 apart:
    /// [`Instance::from_matrix_f64`] rounds such.
    pub fn from_matrix_i64(cities: usize, mut weights: Vec<i64>) -> Result<Self> {
        check_length(cities, weights.len())?;
        fill_diagonal(cities, &mut weights);
        let all = || weights.par_iter().with_min_len(share::ENTRIES).copied();
        let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        // Where tours would cost so much that the search counts them in a larger unit, what all have in common would take the digits of what they differ by.
        let is_far = i128::from(low) * cities as i128 >= COUNTED_COST && high / 2 < low;
        let shift = if low < 0 || high > i64::from(MAX_DISTANCE) || is_far { low } else { 0 };
        let range = i128::from(high) - i128::from(shift);
        if range as f64 >= FAR_LIMIT && low > -MOST_WHOLE && high < MOST_WHOLE {
            // Weights that no good tour has may be counted as less.
            let floats = Self::from_matrix_f64(cities, weights.iter().map(|&weight| weight as f64).collect())?;
            if floats.edge_error() == 0.0 && floats.scale() == 1.0 {
                return Ok(floats);
            }
        }
        if range > i128::from(MAX_DISTANCE) {
            return Err(Error::Instance(format!(
                "weights lie between {low} and {high}, more than {MAX_DISTANCE} apart: divide them all by the same number; where large \
                 ones stand for ways that are not there, make them smaller: longer than a tour is enough"
            )));
        }
        let whole = all().map(|weight| (weight - shift) as u32).collect();
        let this = Self::from_matrix(format!("{cities} cities"), cities, whole)?;
        if shift == 0 {
            return Ok(this);
        }
        let given = Given { scale: 1.0, shift, error: 0.0, source: Source::Whole };
        Ok(this.with_given(given))
    }

    /// A matrix of `cities` × `cities` weights in any unit, row-major; its diagonal is ignored. Weights may be negative, as in
    /// [`Instance::from_matrix_i64`].
    ///
    /// A way that is not there has the weight [`f64::INFINITY`], or any that is longer than all tours. Where there are no digits for all, weights that are
    /// longer than any tour of all others, n times the greatest of these, count as just that, so that they take no digits from the others: which tours
    /// are best stays the same, and a tour that has them costs less than its length says, which may be infinite. (Where ends or fixed edges leave no
    /// solution without such ways, as far as is found, only the greatest weight counts as less.)
    ///
    /// Weights are scaled by a power of ten and rounded: by the smallest (from 1 on) that makes all of them whole, so that nothing is lost, or
    /// where none does by the greatest with which they are below 2²⁹ and tours cost less than 2³¹. Then a weight differs by at most
    /// [`Instance::edge_error`] = 0.5 / [`Instance::scale`] from what was given. [`Instance::length`] and the length of a solution
    /// are sums of the weights as given.
    ///
    /// Weights that lie near each other beside how far they are from zero, so that rounding, or the larger unit in which a search counts tours of 2³¹ and more,
    /// would take what they differ by, are counted from the least one, as those with signs are.
    ///
    /// Where weights are rounded so, none is negative, and those of the two directions differ by no more than arithmetic in single precision leaves in distances
    /// (their squares by four millionths of the greatest square, and each city's greatest difference, together, by a thousandth of each city's shortest way), both
    /// directions count as the mean of the two, and half of the greatest difference is added to the error: distances that are symmetric but for noise are
    /// solved as such.
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let three = Instance::from_matrix_f64(3, vec![0.0, 0.25, 1.5, 0.25, 0.0, 3.0, 1.5, 3.0, 0.0])?;
    /// assert_eq!((three.tour_cost(&[0, 1, 2])?, three.length(&[0, 1, 2])?), (475, 4.75));
    /// assert_eq!((three.scale(), three.edge_error()), (100.0, 0.0));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city, a wrong length, weights that are no numbers or infinite downwards, two cities or more without any way, and weights
    /// such that a tour may be longer than `f64` holds.
    pub fn from_matrix_f64(cities: usize, mut weights: Vec<f64>) -> Result<Self> {
        check_length(cities, weights.len())?;
        let is_wrong = |(at, weight): &(usize, &f64)| {
            at / cities != at % cities && (weight.is_nan() || **weight == f64::NEG_INFINITY)
        };
        if let Some((at, weight)) = weights.par_iter().with_min_len(share::ENTRIES).enumerate().find_first(is_wrong) {
            let (from, to) = (at / cities, at % cities);
            return Err(Error::Instance(format!(
                "the weight from city {from} to city {to} is {weight}; a way that is not there has the weight inf, or one longer than any tour"
            )));
        }
        let diagonal = fill_diagonal(cities, &mut weights);
        let there = || weights.par_iter().with_min_len(share::ENTRIES).filter(|weight| weight.is_finite());
        let (least, greatest) = there()
            .map(|&weight| (weight, weight))
            .reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |one, other| (one.0.min(other.0), one.1.max(other.1)));
        if cities > 1 && greatest == f64::NEG_INFINITY {
            return Err(Error::Instance("there is no way at all: every weight is infinite".into()));
        }
        let range = (greatest - least.min(0.0)).max(0.0);
        if !range.is_finite() {
            return Err(Error::Instance("the weights lie further apart than floating-point numbers hold".into()));
        }
        if cities > 1 && !any_tour(cities, range.max(greatest.abs()).max(least.abs())).is_finite() {
            let message = "tours may be longer than floating-point numbers hold: divide all weights by the same number";
            return Err(Error::Instance(message.into()));
        }
        let above = |low: f64| Range::above(low, greatest, cities, &weights);
        let from_zero = above(least.min(0.0)).counted(cities, &weights);
        // Those that lie near each other, far from zero, have more digits when the least one is taken from all.
        // Each city of a tour has a way no shorter than its shortest one, where there is any.
        let shortest = |row: &[f64]| row.iter().copied().fold(f64::INFINITY, f64::min);
        let may_be_near = |row: &[f64]| shortest(row) < 2.0 * least || shortest(row) >= greatest;
        let rows = weights.par_chunks(cities).with_min_len(share::rows(cities));
        let costs_much = least * from_zero.scale * cities as f64 >= COUNTED_COST as f64;
        let is_finer = |counted: &Counted| match costs_much {
            true => counted.error <= from_zero.error,
            false => counted.error < from_zero.error,
        };
        if least > 0.0 && (from_zero.error > 0.0 || costs_much) && rows.all(may_be_near) {
            let range = above(least);
            let counted = range.is_near(cities).then(|| range.counted(cities, &weights));
            if let Some(from_least) = counted.filter(|counted| counted.tells() && is_finer(counted)) {
                return Self::counted(cities, weights, diagonal, from_least);
            }
        }
        Self::counted(cities, weights, diagonal, from_zero)
    }

    /// The instance of weights, those of the diagonal like one beside them.
    fn counted(cities: usize, mut weights: Vec<f64>, diagonal: Vec<f64>, counted: Counted) -> Result<Self> {
        let Counted { range, scale, error, noise } = counted;
        let (shift, most) = ((range.low * scale).round(), range.most());
        let back = |at: usize| weights[at % cities * cities + at / cities].min(most);
        let middle = |(at, weight): (usize, f64)| match noise {
            Some(_) => weight / 2.0 + back(at) / 2.0,
            None => weight,
        };
        let all = weights.par_iter().with_min_len(share::ENTRIES).map(|weight| weight.min(most)).enumerate();
        let scaled = all.map(|it| ((middle(it) * scale).round() - shift) as u32).collect();
        let this = Self::from_matrix(format!("{cities} cities"), cities, scaled)?;
        for (city, entry) in diagonal.into_iter().enumerate() {
            weights[city * cities + city] = entry;
        }
        let given = Given { scale, shift: shift as i64, error, source: Source::Weights { weights, most } };
        Ok(this.with_given(given))
    }

    /// The same with weights counted as ends and fixed edges let them be. Where every solution that is found has weights that are counted as less than they
    /// are, these may decide which solution is the best: then the greatest alone is counted as less.
    pub(super) fn counted_as_constrained(self) -> Result<Self> {
        let Some(most) = self.most_counted().filter(|_| !self.is_free()) else { return Ok(self) };
        if self.has_solution_up_to(most)? {
            return Ok(self);
        }
        let Some(Source::Weights { weights, .. }) = self.given.as_deref().map(|given| &given.source) else {
            return Ok(self);
        };
        let (cities, mut weights) = (self.len(), weights.clone());
        let diagonal = fill_diagonal(cities, &mut weights);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        // Counted from the same one as before.
        let low = if self.given.as_deref().is_some_and(|given| given.shift > 0) { least } else { least.min(0.0) };
        let greatest = |below: f64| weights.iter().map(|it| it - low).filter(|it| *it < below).fold(0.0, f64::max);
        let high = if weights.contains(&f64::INFINITY) { f64::INFINITY } else { greatest(f64::INFINITY) };
        let range = Range { low, cap: high.min(any_tour(cities, greatest(high))), high };
        let counted = range.counted(cities, &weights);
        Ok(self.with_matrix_of(Self::counted(cities, weights, diagonal, counted)?))
    }

    /// The greatest weight that is counted as it is, where others are counted as less than they are.
    pub(in crate::instance) fn most_counted(&self) -> Option<f64> {
        match self.given.as_deref().map(|given| &given.source) {
            Some(Source::Weights { most, .. }) => Some(*most).filter(|most| most.is_finite()),
            _ => None,
        }
    }

    /// The weight that all have in common, where they are counted from the least one; else 0.
    pub(in crate::instance) fn in_common(&self) -> f64 {
        match self.given.as_deref() {
            Some(Given { shift, source: Source::Weights { weights, .. }, .. }) if *shift != 0 => {
                let n = self.len();
                let ways = weights.par_iter().with_min_len(share::ENTRIES).enumerate();
                let ways = ways.filter(|(at, _)| at / n != at % n).map(|(_, weight)| *weight);
                ways.reduce(|| f64::INFINITY, f64::min)
            }
            _ => 0.0,
        }
    }

    /// Whether a solution without greater weights is found, by going to the nearest city on and on.
    fn has_solution_up_to(&self, most: f64) -> Result<bool> {
        let form = self.normal(false)?;
        let own = form.instance();
        Ok((0..starts_of(own.len())).any(|start| {
            let tour = own.with_pairs_together(own.nearest_neighbour_tour(start));
            let solution = form.solution(&tour);
            let back = (!self.is_open()).then(|| [solution[solution.len() - 1], solution[0]]);
            let mut ways = solution.windows(2).map(|way| [way[0], way[1]]).chain(back);
            ways.all(|[from, to]| from == to || self.way(from as usize, to as usize) <= most)
        }))
    }
}

fn check_length(cities: usize, entries: usize) -> Result<()> {
    super::instance::check_count(cities)?;
    match cities.checked_mul(cities) {
        Some(expected) if expected == entries => Ok(()),
        _ => Err(Error::Instance(format!("{cities} cities need {cities} x {cities} weights, not {entries}"))),
    }
}

/// Gives each entry of the diagonal, which counts for nothing, the value of one beside it, so that what is asked of all entries is asked of no other;
/// what the diagonal was.
fn fill_diagonal<T: Copy + Default>(cities: usize, weights: &mut [T]) -> Vec<T> {
    let mut fill = |city: usize| {
        let at = city * cities + city;
        let beside = match city {
            _ if cities < 2 => T::default(),
            0 => weights[at + 1],
            _ => weights[at - 1],
        };
        std::mem::replace(&mut weights[at], beside)
    };
    (0..cities).map(&mut fill).collect()
}
