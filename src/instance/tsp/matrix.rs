//! Instances from matrices with signs and decimals.

use rayon::prelude::*;

use super::given::{Given, Source};
use super::instance::{Instance, MAX_DISTANCE};
use super::points;
use crate::error::{Error, Result};
use crate::instance::share;

/// Weights with decimals are to be less when scaled, so that windows of Lin-Kernighan search take them (`algorithm::windows::FARTHEST`).
const FAR_LIMIT: f64 = (1u64 << 29) as f64;
/// And the sum of each row's least: tours cost less than 2³¹ with some room.
const SUM_LIMIT: f64 = (1u64 << 29) as f64;
/// Floating-point numbers hold every whole number up to this one.
const MOST_WHOLE: i64 = 1 << 53;
/// Beyond 2⁵² they count no ones.
const MOST_COUNTED: f64 = (1u64 << 52) as f64;
/// Differences between ways and ways back are noise where the squares of both differ by no more than such a part of the greatest square: distances of points
/// are roots of sums in which single precision leaves so much.
const NOISE: f64 = 4e-6;
/// And where those of all cities, of each the greatest, are together up to such a part of all shortest ways.
const NOISE_OF_ALL: f64 = 1e-3;
/// Looks at weights that a search for a tour may take.
const MOST_LOOKS: usize = 1 << 25;

/// Scales that are tried to make weights whole.
const POWERS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

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
    /// A matrix of `cities` × `cities` whole weights, row-major; its diagonal is ignored. Weights may be negative: each is then counted
    /// from the least one, exactly, which adds the same to every closed tour, since all have as many edges. [`Instance::length`] and
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
        let shift = if low < 0 || high > i64::from(MAX_DISTANCE) { low } else { 0 };
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
        let low = least.min(0.0);
        let range = (greatest - low).max(0.0);
        if !range.is_finite() {
            return Err(Error::Instance("the weights lie further apart than floating-point numbers hold".into()));
        }
        let all_there = weights.par_iter().with_min_len(share::ENTRIES).all(|weight| weight.is_finite());
        let high = if all_there { range } else { f64::INFINITY };
        if cities > 1 && !any_tour(cities, range.max(greatest.abs()).max(least.abs())).is_finite() {
            let message = "tours may be longer than floating-point numbers hold: divide all weights by the same number";
            return Err(Error::Instance(message.into()));
        }
        let counts = |scale: f64| -low * scale < MOST_COUNTED;
        let whole_as_given =
            POWERS.into_iter().take_while(|scale| high * scale < FAR_LIMIT && counts(*scale)).any(|scale| {
                weights
                    .par_iter()
                    .with_min_len(share::ENTRIES)
                    .all(|weight| (weight * scale).round() / scale == *weight)
            });
        let cap = match whole_as_given {
            true => high,
            false => high.min(longer_than_needed(cities, &weights, low)),
        };
        Self::counted(cities, weights, diagonal, low, [cap, high])
    }

    /// The instance of weights, those of the diagonal like one beside them; what lies more than the cap above the least one, `low`, is counted as that.
    fn counted(
        cities: usize,
        mut weights: Vec<f64>,
        diagonal: Vec<f64>,
        low: f64,
        [cap, high]: [f64; 2],
    ) -> Result<Self> {
        let counts = |scale: f64| -low * scale < MOST_COUNTED;
        let most = if cap < high { cap + low } else { f64::INFINITY };
        let high = cap;
        let all = || weights.par_iter().with_min_len(share::ENTRIES).map(|weight| weight.min(most));
        let back = |at: usize| weights[at % cities * cities + at / cities].min(most);
        let nearest = |row: &[f64]| row.iter().map(|weight| weight.min(most) - low).fold(f64::INFINITY, f64::min);
        let nearest: Vec<f64> = weights.par_chunks(cities).with_min_len(share::rows(cities)).map(nearest).collect();
        let sum: f64 = if cities > 1 { nearest.iter().sum() } else { 0.0 };
        let fits = |scale: f64| high * scale < FAR_LIMIT && sum * scale < SUM_LIMIT && counts(scale);
        let is_whole = |scale: f64| all().all(|weight| (weight * scale).round() / scale == weight);
        let whole = POWERS
            .into_iter()
            .take_while(|&scale| high * scale <= f64::from(MAX_DISTANCE) && counts(scale))
            .find(|&scale| is_whole(scale));
        // By how much a way and its way back differ at most, where that is no more than noise: then both count as what lies in the middle.
        let noise = match whole {
            None if low >= 0.0 => {
                let there = weights
                    .par_iter()
                    .with_min_len(share::ENTRIES)
                    .copied()
                    .filter(|weight| weight.is_finite() && *weight < most);
                let greatest = there.reduce(|| 0.0, f64::max);
                noise(cities, greatest, sum, |at| [weights[at].min(most), back(at)])
            }
            _ => None,
        };
        let scale = whole.unwrap_or_else(|| if high > 0.0 { points::greatest(-300..=300, fits) } else { 1.0 });
        let shift = (low * scale).round();
        let counted = |(at, weight): (usize, f64)| match noise {
            Some(_) => weight / 2.0 + back(at) / 2.0,
            None => weight,
        };
        let scaled = all().enumerate().map(|it| ((counted(it) * scale).round() - shift) as u32).collect();
        let error = if whole.is_some() { 0.0 } else { 0.5 / scale + noise.unwrap_or_default() / 2.0 };
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
        let low = weights.iter().copied().fold(0.0, f64::min);
        let greatest = |below: f64| weights.iter().map(|it| it - low).filter(|it| *it < below).fold(0.0, f64::max);
        let high = if weights.contains(&f64::INFINITY) { f64::INFINITY } else { greatest(f64::INFINITY) };
        let cap = high.min(any_tour(cities, greatest(high)));
        Ok(self.with_matrix_of(Self::counted(cities, weights, diagonal, low, [cap, high])?))
    }

    /// The greatest weight that is counted as it is, where others are counted as less than they are.
    pub(in crate::instance) fn most_counted(&self) -> Option<f64> {
        match self.given.as_deref().map(|given| &given.source) {
            Some(Source::Weights { most, .. }) => Some(*most).filter(|most| most.is_finite()),
            _ => None,
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
fn starts_of(cities: usize) -> usize {
    cities.min((MOST_LOOKS / (cities * cities).max(1)).max(1))
}

/// A whole number that no tour of so many cities is longer than whose weights go up to this; sums of decimals are not exact.
fn any_tour(cities: usize, greatest: f64) -> f64 {
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

#[cfg(test)]
mod tests;
