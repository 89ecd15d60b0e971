//! Instances from matrices with signs and decimals.

use rayon::prelude::*;

use super::given::{Given, Source};
use super::instance::{Instance, MAX_DISTANCE};
use super::points;
use crate::error::{Error, Result};

/// Weights with decimals are to be less when scaled, so that windows of Lin-Kernighan search take them (`algorithm::windows::FARTHEST`).
const FAR_LIMIT: f64 = (1u64 << 29) as f64;
/// And the sum of each row's least: tours cost less than 2³¹ with some room.
const SUM_LIMIT: f64 = (1u64 << 29) as f64;
/// Floating-point numbers hold every whole number up to this one.
const MOST_WHOLE: i64 = 1 << 53;
/// Beyond 2⁵² they count no ones.
const MOST_COUNTED: f64 = (1u64 << 52) as f64;
/// Differences between ways and ways back are noise where those of all cities, of each the greatest, are together up to such a part of all shortest ways.
const NOISE: f64 = 1e-3;
/// Looks at weights that a search for a tour may take.
const MOST_LOOKS: usize = 1 << 25;

/// Scales that are tried to make weights whole.
const POWERS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

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
        let all = || weights.par_iter().copied();
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
    /// Where weights are rounded so, and those of the two directions differ by no more than arithmetic in single precision leaves (each city's greatest
    /// difference, together a thousandth of each city's shortest way at most), both directions count as the mean of the two, and half of the greatest
    /// difference is added to the error: distances that are symmetric but for noise are solved as such.
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
        if let Some((at, weight)) = weights.par_iter().enumerate().find_first(is_wrong) {
            let (from, to) = (at / cities, at % cities);
            return Err(Error::Instance(format!(
                "the weight from city {from} to city {to} is {weight}; a way that is not there has the weight inf, or one longer than any tour"
            )));
        }
        let diagonal = fill_diagonal(cities, &mut weights);
        let there = || weights.par_iter().filter(|weight| weight.is_finite());
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
        let all_there = weights.par_iter().all(|weight| weight.is_finite());
        let high = if all_there { range } else { f64::INFINITY };
        if cities > 1 && !(cities as f64 * greatest.abs().max(least.abs())).is_finite() {
            let message = "tours may be longer than floating-point numbers hold: divide all weights by the same number";
            return Err(Error::Instance(message.into()));
        }
        let counts = |scale: f64| -low * scale < MOST_COUNTED;
        let whole_as_given = POWERS
            .into_iter()
            .take_while(|scale| high * scale < FAR_LIMIT && counts(*scale))
            .any(|scale| weights.par_iter().all(|weight| (weight * scale).round() / scale == *weight));
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
        let all = || weights.par_iter().map(|weight| weight.min(most));
        let back = |at: usize| weights[at % cities * cities + at / cities].min(most);
        let nearest = |row: &[f64]| row.iter().map(|weight| weight.min(most) - low).fold(f64::INFINITY, f64::min);
        let nearest: Vec<f64> = weights.par_chunks(cities).map(nearest).collect();
        let sum: f64 = if cities > 1 { nearest.iter().sum() } else { 0.0 };
        let fits = |scale: f64| high * scale < FAR_LIMIT && sum * scale < SUM_LIMIT && counts(scale);
        let is_whole = |scale: f64| all().all(|weight| (weight * scale).round() / scale == weight);
        let whole = POWERS
            .into_iter()
            .take_while(|&scale| high * scale <= f64::from(MAX_DISTANCE) && counts(scale))
            .find(|&scale| is_whole(scale));
        // By how much a way and its way back differ at most, where that is no more than noise: then both count as what lies in the middle.
        let noise = match whole {
            None => noise(cities, sum, |at| (weights[at].min(most) - back(at)).abs()),
            Some(_) => None,
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
    pub(super) fn counted_as_constrained(mut self) -> Result<Self> {
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
        let Self { matrix, given, .. } = Self::counted(cities, weights, diagonal, low, [cap, high])?;
        (self.matrix, self.given, self.kept_neighbours) = (matrix, given, Default::default());
        Ok(self)
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

/// The greatest difference between a way and its way back, each by its place in a matrix, where there is one but all together are too small to be meant:
/// what rounding in single precision leaves. `nearest` is the sum of each city's shortest way.
fn noise(cities: usize, nearest: f64, differs: impl Fn(usize) -> f64 + Sync) -> Option<f64> {
    let most_of = |city: usize| (0..cities).map(|other| differs(city * cities + other)).fold(0.0, f64::max);
    let of_each: Vec<f64> = (0..cities).into_par_iter().map(most_of).collect();
    let most = of_each.iter().copied().fold(0.0, f64::max);
    (most > 0.0 && of_each.iter().sum::<f64>() <= NOISE * nearest).then_some(most)
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
    let known = (0..starts_of(cities)).into_par_iter().map(|start| nearest_neighbours(cities, start, weights, low));
    let known = known.reduce(|| f64::INFINITY, f64::min);
    let all = || weights.par_iter().map(|weight| weight - low);
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
mod tests {
    use super::*;

    /// In floating point 0.1 + 0.2 + 0.3 is 0.6000000000000001.
    #[test]
    fn lengths_have_the_decimals_that_weights_have() {
        let three =
            |a: f64, b: f64, c: f64| Instance::from_matrix_f64(3, vec![0.0, a, b, a, 0.0, c, b, c, 0.0]).unwrap();
        assert_eq!(three(0.1, 0.3, 0.2).length(&[0, 1, 2]).unwrap(), 0.6);
        assert_eq!(three(-0.1, 0.3, -0.7).length(&[0, 1, 2]).unwrap(), -0.5);
        let thirds = three(1.0 / 3.0, 1.0 / 7.0, 2.0 / 3.0);
        assert_eq!(thirds.length(&[0, 1, 2]).unwrap(), 1.0 / 3.0 + 2.0 / 3.0 + 1.0 / 7.0);
    }

    /// Where there are digits for all, none is counted as less: costs tell lengths.
    #[test]
    fn equal_weights_and_great_ones_keep_their_digits() {
        let equal = Instance::from_matrix_f64(3, vec![1.5; 9]).unwrap();
        assert_eq!((equal.scale(), equal.tour_cost(&[0, 1, 2]).unwrap(), equal.length_of(45)), (10.0, 45, 4.5));
        let far = Instance::from_matrix_f64(3, vec![0.0, 0.25, 1e6, 0.25, 0.0, 0.5, 1e6, 0.5, 0.0]).unwrap();
        assert_eq!((far.scale(), far.edge_error(), far.distance(0, 2)), (100.0, 0.0, 100_000_000));
        // Beyond that ways that are not there take no digits from the others.
        let farther = Instance::from_matrix_f64(3, vec![0.0, 0.25, 1e9, 0.25, 0.0, 0.5, 1e9, 0.5, 0.0]).unwrap();
        assert_eq!(
            (farther.scale(), farther.edge_error(), farther.length(&[0, 1, 2]).unwrap()),
            (100.0, 0.0, 1e9 + 0.75)
        );
        assert!(farther.distance(0, 2) < 10_000);
    }

    /// Where ends or fixed edges leave no solution without great weights, these tell which solution is the best.
    #[test]
    fn what_constraints_force_into_a_solution_is_counted_as_it_is() {
        let symmetric = |n: usize, upper: &[f64]| {
            let at = |a: usize, b: usize| (0..a).map(|row| n - 1 - row).sum::<usize>() + b - a - 1;
            let weight = |i: usize| (i / n != i % n).then(|| upper[at((i / n).min(i % n), (i / n).max(i % n))]);
            Instance::from_matrix_f64(n, (0..n * n).map(|i| weight(i).unwrap_or_default()).collect()).unwrap()
        };
        let best = |instance: Instance| {
            let form = crate::instance::problem::Problem::from(instance.clone()).form_apart(false).unwrap();
            instance.length(&form.solution(form.best_of_few())).unwrap()
        };
        let whole = [1e9, 2e9, 1.0, 2.0, 2.0, 1.0, 1.0, 15e8, 1.0, 6e8];
        let ways = symmetric(5, &whole).open_path(Some(0), Some(1)).unwrap();
        assert_eq!(best(ways), 600_000_004.0);
        let decimals = [1e5, 7e5, 0.875, 1.875, 1.625, 0.75, 0.25, 5e5, 0.125, 1e5];
        assert_eq!(best(symmetric(5, &decimals).open_path(Some(0), Some(1)).unwrap()), 100_002.625);
        // A path that begins elsewhere needs none of them: they take no digits from the others.
        let free = symmetric(5, &decimals).open_path(Some(3), None).unwrap();
        assert_eq!((free.edge_error(), free.most_counted().is_some(), best(free) < 10.0), (0.0, true, true));
    }

    #[test]
    fn negative_weights_are_shifted_exactly() {
        // Both directions of an asymmetric matrix, the diagonal ignored.
        let weights = vec![-99, -7, 2, 4, 0, i64::from(i32::MAX) - 7, -3, 1, 77];
        let instance = Instance::from_matrix_i64(3, weights).unwrap();
        assert!(!instance.is_symmetric());
        assert_eq!(instance.length(&[0, 1, 2]).unwrap(), -7.0 + 2_147_483_640.0 - 3.0);
        assert_eq!(instance.length(&[0, 2, 1]).unwrap(), 2.0 + 1.0 + 4.0);
        assert_eq!(instance.cost_of(7.0), instance.tour_cost(&[0, 2, 1]).unwrap());
        // Great weights that lie close together.
        let far = 1 << 40;
        let instance = Instance::from_matrix_i64(2, vec![0, far, far + 5, 0]).unwrap();
        assert_eq!(instance.length(&[0, 1]).unwrap(), (2 * far + 5) as f64);
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        let spread = vec![0, far, 2 * far, 3 * far, 0, 4 * far, 5 * far, 6 * far, 0];
        assert!(message(Instance::from_matrix_i64(3, spread)).contains("apart"));
        assert!(message(Instance::from_matrix_i64(2, vec![0, i64::MIN, i64::MAX, 0])).contains("divide them all"));
        assert!(message(Instance::from_matrix_i64(2, vec![0, 1, 2])).contains("2 x 2"));
        // What needs no shift is the same instance as before.
        let plain = Instance::from_matrix_i64(2, vec![9, 1, 2, 9]).unwrap();
        assert_eq!((plain.tour_cost(&[0, 1]).unwrap(), plain.length(&[0, 1]).unwrap()), (3, 3.0));
    }

    #[test]
    fn decimals_are_kept_or_told() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        let long = vec![0.0, 1e308, 1e308, 1e308, 0.0, 1e308, 1.0, 1e308, 0.0];
        assert!(message(Instance::from_matrix_f64(3, long)).contains("longer than floating-point numbers hold"));
        let error = message(Instance::from_matrix_f64(2, vec![0.0, 1.0, f64::NEG_INFINITY, 0.0]));
        assert!(error.contains("from city 1 to city 0"), "{error}");
        let n = 40;
        let weights: Vec<f64> = (0..n * n).map(|at| ((at * 7919) % 1000) as f64 / 7.0 - 20.0).collect();
        let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
        assert!(instance.edge_error() > 0.0 && instance.edge_error() < 1e-4);
        let tour: Vec<u32> = (0..n as u32).rev().collect();
        let sum: f64 = (0..n).map(|a| weights[((a + 1) % n) * n + a]).sum();
        assert!((instance.length(&tour).unwrap() - sum).abs() < 1e-9);
        let told = instance.length_of(instance.tour_cost(&tour).unwrap());
        assert!((told - sum).abs() <= n as f64 * instance.edge_error() + 1e-9, "{told} {sum}");
        // Small ones and great ones.
        for size in [1e-12, 1e300] {
            let instance = Instance::from_matrix_f64(2, vec![0.0, size, 2.0 * size / 3.0, 0.0]).unwrap();
            assert!(instance.tour_cost(&[0, 1]).unwrap() > 10_000_000);
        }
        assert_eq!(Instance::from_matrix_f64(2, vec![0.0; 4]).unwrap().length(&[0, 1]).unwrap(), 0.0);
    }

    /// All tours of a few cities, the best of them first.
    fn best_by_weights(n: usize, weights: &[f64]) -> f64 {
        let mut rest: Vec<usize> = (1..n).collect();
        let mut best = f64::INFINITY;
        permutations(&mut rest, 0, &mut |order| {
            let around = [0].into_iter().chain(order.iter().copied()).chain([0]).collect::<Vec<usize>>();
            best = best.min(around.windows(2).map(|edge| weights[edge[0] * n + edge[1]]).sum());
        });
        best
    }

    fn permutations(items: &mut Vec<usize>, from: usize, look: &mut impl FnMut(&[usize])) {
        if from == items.len() {
            return look(items);
        }
        for next in from..items.len() {
            items.swap(from, next);
            permutations(items, from + 1, look);
            items.swap(from, next);
        }
    }

    /// Ways that are not there, of whatever weight, take no digits from the others, and the best tour is the best of the weights as given.
    #[test]
    fn ways_that_are_not_there_take_no_digits() {
        let n = 7;
        for (seed, absent) in (1usize..).zip([1e6, 1e9, 1e12, 1e300, 4e9]) {
            for least in [0.0, -35.0] {
                let weight = |at: usize| match (at * 7919 + seed * 104_729) % 1009 {
                    word if word % 5 == 0 => absent,
                    word => (word as f64 + 10.0 * least) / 10.0,
                };
                let weights: Vec<f64> = (0..n * n).map(weight).collect();
                let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
                assert_eq!((instance.scale(), instance.edge_error()), (10.0, 0.0), "{absent} {least}");
                let mut best = (u64::MAX, 0.0);
                permutations(&mut (1..n).collect(), 0, &mut |order| {
                    let tour: Vec<u32> = [0].into_iter().chain(order.iter().map(|&city| city as u32)).collect();
                    let cost = instance.tour_cost(&tour).unwrap();
                    if cost < best.0 {
                        best = (cost, instance.length(&tour).unwrap());
                    }
                });
                assert!((best.1 - best_by_weights(n, &weights)).abs() < 1e-6, "{absent} {least}: {best:?}");
            }
        }
    }

    /// Infinite weights are ways that are not there: the best tour is the best of those without, and one that takes such a way is infinitely long.
    #[test]
    fn infinite_weights_are_ways_that_are_not_there() {
        let n = 7;
        for (seed, least) in (1usize..9).flat_map(|seed| [0.0, -35.0, 1e-3].map(|least| (seed, least))) {
            let weight = |at: usize| match (at * 7919 + seed * 104_729) % 1009 {
                word if word % 4 == 0 => f64::INFINITY,
                word if least == 1e-3 => word as f64 / 7.0,
                word => (word as f64 + 10.0 * least) / 10.0,
            };
            let weights: Vec<f64> = (0..n * n).map(weight).collect();
            let instance = Instance::from_matrix_f64(n, weights.clone()).unwrap();
            let mut best = (u64::MAX, 0.0);
            permutations(&mut (1..n).collect(), 0, &mut |order| {
                let tour: Vec<u32> = [0].into_iter().chain(order.iter().map(|&city| city as u32)).collect();
                let cost = instance.tour_cost(&tour).unwrap();
                if cost < best.0 {
                    best = (cost, instance.length(&tour).unwrap());
                }
            });
            let wanted = best_by_weights(n, &weights);
            assert!(best.1 == wanted || (best.1 - wanted).abs() < 1e-6, "{seed} {least}: {best:?} {wanted}");
        }
        let ring = |n: usize, way: f64| {
            let weight =
                |at: usize| if [1, n - 1].contains(&((at / n + n - at % n) % n)) { way } else { f64::INFINITY };
            Instance::from_matrix_f64(n, (0..n * n).map(weight).collect()).unwrap()
        };
        for (n, way) in [(6, 0.7), (11, 1.0 / 3.0), (9, 2f64.sqrt())] {
            let around: Vec<u32> = (0..n as u32).collect();
            let across: Vec<u32> = [2, 1, 0].into_iter().chain(3..n as u32).collect();
            assert!((ring(n, way).length(&around).unwrap() - n as f64 * way).abs() < 1e-9);
            assert_eq!(ring(n, way).length(&across).unwrap(), f64::INFINITY);
            assert_eq!(ring(n, way).way(0, 3), f64::INFINITY);
        }
        let none = Instance::from_matrix_f64(2, vec![0.0, f64::INFINITY, f64::INFINITY, 0.0]).unwrap_err().to_string();
        assert!(none.contains("no way at all"), "{none}");
        let wrong = vec![0.0, f64::INFINITY, f64::NAN, 0.0];
        let wrong = Instance::from_matrix_f64(2, wrong).unwrap_err().to_string();
        assert!(wrong.contains("from city 1 to city 0 is NaN"), "{wrong}");
        // Ends that leave none but such ways: the fewest of them are taken.
        let path = ring(5, 0.7).open_path(Some(0), Some(2)).unwrap();
        let form = crate::instance::problem::Problem::from(path.clone()).form_apart(false).unwrap();
        let best = form.solution(form.best_of_few());
        let missing = best.windows(2).filter(|way| path.way(way[0] as usize, way[1] as usize).is_infinite()).count();
        assert_eq!(missing, 1, "{best:?}");
    }

    /// What single precision leaves between the two directions does not make distances asymmetric, and what is meant does.
    #[test]
    fn noise_between_directions_is_no_asymmetry() {
        let places = super::super::generate::generate(super::super::generate::Kind::Uniform, 60, 1).unwrap();
        let way = |a: usize, b: usize| places.coords()[a].distance(places.coords()[b]) / 1_000.0;
        let all = |change: &dyn Fn(usize, usize) -> f64| {
            let weights = (0..3600).map(|at| way(at / 60, at % 60) * change(at / 60, at % 60)).collect();
            Instance::from_matrix_f64(60, weights).unwrap()
        };
        let (exact, noisy) = (all(&|_, _| 1.0), all(&|a, b| 1.0 + 1e-7 * ((a * 60 + b) % 7) as f64));
        let meant = all(&|a, b| if a < b { 1.0 } else { 1.01 });
        let one = all(&|a, b| if (a, b) == (7, 3) { 3.0 } else { 1.0 });
        assert_eq!([&exact, &noisy, &meant, &one].map(Instance::is_symmetric), [true, true, false, false]);
        let tour: Vec<u32> = (0..60).collect();
        for instance in [&exact, &noisy] {
            let (length, told) = (instance.length(&tour).unwrap(), instance.tour_cost(&tour).unwrap());
            assert!((length - instance.length_of(told)).abs() <= 60.0 * instance.edge_error());
        }
        assert!(noisy.edge_error() > 10.0 * exact.edge_error());
        // Decimals are as they are meant.
        let decimals = Instance::from_matrix_f64(3, vec![0.0, 100.0, 200.0, 100.01, 0.0, 150.0, 200.0, 150.0, 0.0]);
        assert!(!decimals.unwrap().is_symmetric());
    }

    #[test]
    fn whole_ways_that_are_not_there_take_no_digits_either() {
        let weight = |at: usize| if at % 5 == 3 { 1_000_000_000_000 } else { (at * 7919 % 97) as i64 };
        let weights: Vec<i64> = (0..64).map(weight).collect();
        let instance = Instance::from_matrix_i64(8, weights.clone()).unwrap();
        assert_eq!((instance.scale(), instance.edge_error()), (1.0, 0.0));
        assert!(instance.distance_matrix().iter().all(|&distance| distance < 1000));
        let tour: Vec<u32> = (0..8).collect();
        let sum: i64 = (0..8).map(|a| weights[a * 8 + (a + 1) % 8]).sum();
        assert_eq!(instance.length(&tour).unwrap(), sum as f64);
    }
}
