//! Instances from matrices with signs and decimals.

use super::given::{Given, Source};
use super::instance::{Instance, MAX_DISTANCE};
use super::points::greatest;
use crate::error::{Error, Result};

/// Weights with decimals are to be less when scaled, so that windows of Lin-Kernighan search take them (`algorithm::windows::FARTHEST`).
const FAR_LIMIT: f64 = (1u64 << 29) as f64;
/// And the sum of each row's least: tours cost less than 2³¹ with some room.
const SUM_LIMIT: f64 = (1u64 << 29) as f64;

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
    pub fn from_matrix_i64(cities: usize, weights: Vec<i64>) -> Result<Self> {
        check_length(cities, weights.len())?;
        let all = || off_diagonal(cities).map(|at| weights[at]);
        let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
        let shift = if low < 0 || high > i64::from(MAX_DISTANCE) { low } else { 0 };
        let range = i128::from(high) - i128::from(shift);
        if range > i128::from(MAX_DISTANCE) {
            return Err(Error::Instance(format!(
                "weights lie between {low} and {high}, more than {MAX_DISTANCE} apart; give them as f64, which rounds them"
            )));
        }
        let mut whole = vec![0; cities * cities];
        off_diagonal(cities).for_each(|at| whole[at] = (weights[at] - shift) as u32);
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
    /// Weights are scaled by a power of ten and rounded: by the smallest (from 1 on) that makes all of them whole, so that nothing is lost, or
    /// where none does by the greatest with which they are below 2²⁹ and tours cost less than 2³¹. Then a weight differs by at most
    /// [`Instance::edge_error`] = 0.5 / [`Instance::scale`] from what was given. [`Instance::length`] and the length of a solution
    /// are sums of the weights as given.
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
    /// [`Error::Instance`] for no city, a wrong length, and weights that are not finite.
    pub fn from_matrix_f64(cities: usize, weights: Vec<f64>) -> Result<Self> {
        check_length(cities, weights.len())?;
        if let Some(at) = off_diagonal(cities).find(|&at| !weights[at].is_finite()) {
            let (from, to, weight) = (at / cities, at % cities, weights[at]);
            return Err(Error::Instance(format!(
                "the weight from city {from} to city {to} is {weight}, which is not finite; give a way that is not there a weight \
                 longer than any tour"
            )));
        }
        let all = || off_diagonal(cities).map(|at| weights[at]);
        let low = all().fold(0.0, f64::min);
        let high = all().fold(0.0, |high: f64, weight| high.max(weight - low));
        if !high.is_finite() {
            return Err(Error::Instance("the weights lie further apart than floating-point numbers hold".into()));
        }
        let nearest = |city: usize| {
            let row = (0..cities).filter(|&other| other != city).map(|other| weights[city * cities + other] - low);
            row.fold(f64::INFINITY, f64::min)
        };
        let sum: f64 = if cities > 1 { (0..cities).map(nearest).sum() } else { 0.0 };
        // Beyond 2⁵² floating-point numbers count no ones.
        let counts = |scale: f64| -low * scale < (1u64 << 52) as f64;
        let fits = |scale: f64| high * scale < FAR_LIMIT && sum * scale < SUM_LIMIT && counts(scale);
        let is_whole = |scale: f64| all().all(|weight| (weight * scale).round() / scale == weight);
        let powers = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].into_iter();
        let whole = powers
            .take_while(|&scale| high * scale <= f64::from(MAX_DISTANCE) && counts(scale))
            .find(|&scale| is_whole(scale));
        let scale = whole.unwrap_or_else(|| if high > 0.0 { greatest(-300..=300, fits) } else { 1.0 });
        let shift = (low * scale).round();
        let mut scaled = vec![0; cities * cities];
        off_diagonal(cities).for_each(|at| scaled[at] = ((weights[at] * scale).round() - shift) as u32);
        let error = if whole.is_some() { 0.0 } else { 0.5 / scale };
        let this = Self::from_matrix(format!("{cities} cities"), cities, scaled)?;
        let given = Given { scale, shift: shift as i64, error, source: Source::Weights(weights) };
        Ok(this.with_given(given))
    }
}

fn check_length(cities: usize, entries: usize) -> Result<()> {
    super::instance::check_count(cities)?;
    match cities.checked_mul(cities) {
        Some(expected) if expected == entries => Ok(()),
        _ => Err(Error::Instance(format!("{cities} cities need {cities} x {cities} weights, not {entries}"))),
    }
}

/// The places of a matrix that are not on its diagonal.
fn off_diagonal(cities: usize) -> impl Iterator<Item = usize> {
    (0..cities * cities).filter(move |at| at / cities != at % cities)
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
        assert!(message(Instance::from_matrix_i64(2, vec![0, -1, i64::from(i32::MAX), 0])).contains("apart"));
        assert!(message(Instance::from_matrix_i64(2, vec![0, i64::MIN, i64::MAX, 0])).contains("f64"));
        assert!(message(Instance::from_matrix_i64(2, vec![0, 1, 2])).contains("2 x 2"));
        // What needs no shift is the same instance as before.
        let plain = Instance::from_matrix_i64(2, vec![9, 1, 2, 9]).unwrap();
        assert_eq!((plain.tour_cost(&[0, 1]).unwrap(), plain.length(&[0, 1]).unwrap()), (3, 3.0));
    }

    #[test]
    fn decimals_are_kept_or_told() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        let error = message(Instance::from_matrix_f64(2, vec![0.0, 1.0, f64::INFINITY, 0.0]));
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
}
