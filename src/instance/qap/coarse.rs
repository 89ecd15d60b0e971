//! Whether rounding is coarse beside what assignments differ by.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::given::{Given, Origin};
use super::instance::Instance;

/// So many random assignments are looked at, and in each so many exchanges of two facilities.
const ORDERS: usize = 16;
const EXCHANGES: usize = 16;
/// Rounding may decide where it changes half of the exchanges by more than such a part of what all but the least quarter of them change.
const COARSE: f64 = 0.01;
/// Sums of floating-point numbers are off by less than such a part of the sum of their sizes.
const NOISE: f64 = 1e-14;

impl Instance {
    /// Whether rounding changes much of what exchanges of two facilities change in random assignments, the same ones each time. What all assignments have in
    /// common has no part in that, and a few entries that dwarf all others have little, since most exchanges do not move them.
    pub(in crate::instance) fn is_counted_coarsely(&self) -> bool {
        let Some(Given { source: Some(origin), error, .. }) = self.given.as_deref() else { return false };
        let n = self.locations();
        let free = |side: usize| -> Vec<usize> {
            (0..n).filter(|number| self.fixed().iter().all(|pair| pair[side] as usize != *number)).collect()
        };
        let [facilities, mut locations] = [free(0), free(1)];
        // Those that stand for empty locations come last.
        let own = facilities.partition_point(|facility| *facility < self.len());
        if *error == 0.0 || own == 0 || facilities.len() < 2 {
            return false;
        }
        let mut at = vec![0; n];
        self.fixed().iter().for_each(|&[facility, location]| at[facility as usize] = location as usize);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut changes = Vec::new();
        for _ in 0..ORDERS {
            locations.shuffle(&mut random);
            facilities.iter().zip(&locations).for_each(|(facility, location)| at[*facility] = *location);
            for _ in 0..EXCHANGES {
                let first = random.random_range(0..own);
                let second = (first + random.random_range(1..facilities.len())) % facilities.len();
                let pair = [facilities[first], facilities[second]];
                let before = self.cost_of_two(origin, &at, pair);
                at.swap(pair[0], pair[1]);
                let after = self.cost_of_two(origin, &at, pair);
                let change = after.given - before.given;
                if change.abs() > NOISE * (before.size + after.size) {
                    let counted = (i128::from(after.counted) - i128::from(before.counted)) as f64 / self.scale();
                    changes.push([change.abs(), (change - counted).abs()]);
                }
            }
        }
        if changes.is_empty() {
            return false;
        }
        let quantile = |which: usize, quarters: usize| {
            let mut all: Vec<f64> = changes.iter().map(|change| change[which]).collect();
            let at = all.len() * quarters / 4;
            *all.select_nth_unstable_by(at, f64::total_cmp).1
        };
        quantile(1, 2) > COARSE * quantile(0, 1)
    }

    /// What two facilities cost: by themselves, and by what they exchange with each other and with all others.
    fn cost_of_two(&self, origin: &Origin, at: &[usize], [r, s]: [usize; 2]) -> Sum {
        let (m, n) = (self.len(), self.locations());
        let mut sum = Sum { given: 0.0, size: 0.0, counted: 0 };
        let mut pair = |i: usize, j: usize| {
            let away = at[i] * n + at[j];
            let flow = if i < m && j < m { origin.flows[i * m + j] } else { 0.0 };
            sum.add(flow * origin.distances[away]);
            sum.counted += u64::from(self.flows()[i * n + j]) * u64::from(self.distances()[away]);
        };
        for k in (0..n).filter(|k| ![r, s].contains(k)) {
            [[r, k], [k, r], [s, k], [k, s]].into_iter().for_each(|[i, j]| pair(i, j));
        }
        [[r, r], [r, s], [s, r], [s, s]].into_iter().for_each(|[i, j]| pair(i, j));
        // Costs of placing that are counted as less say only where a facility must not be.
        if let (false, Some(given), Some(counted)) = (self.counts_less(), &origin.placing, self.placing_costs()) {
            for place in [r, s].into_iter().filter(|facility| *facility < m).map(|facility| facility * n + at[facility])
            {
                sum.add(given[place]);
                sum.counted += u64::from(counted[place]);
            }
        }
        sum
    }
}

/// A cost as it was given, the sum of its parts without their signs, and the cost as it is counted.
struct Sum {
    given: f64,
    size: f64,
    counted: u64,
}

impl Sum {
    fn add(&mut self, cost: f64) {
        self.given += cost;
        self.size += cost.abs();
    }
}

#[cfg(test)]
mod tests {
    use crate::Problem;
    use crate::instance::qap::Instance;

    fn drawn(side: usize, seed: usize) -> Vec<f64> {
        let entry = |at: usize| {
            let word = ((at * 31 + seed) as u32).wrapping_mul(2_654_435_761);
            f64::from((word ^ word >> 15).wrapping_mul(0x85EB_CA6B)) / 2f64.powi(32)
        };
        (0..side * side).map(|at| if at / side == at % side { 0.0 } else { entry(at) }).collect()
    }

    fn is_coarse(sizes: [usize; 2], of: impl Fn(&mut [f64], &mut [f64])) -> bool {
        let [mut flows, mut distances] = [drawn(sizes[0], 1), drawn(sizes[1], 2)];
        of(&mut flows, &mut distances);
        let made = Instance::from_matrices_f64("made", sizes, flows, distances, None).unwrap();
        let fixed = made.clone().with_fixed(&[[2, 3]]).unwrap();
        assert_eq!(fixed.is_counted_coarsely(), made.is_counted_coarsely());
        Problem::from(made).is_coarse()
    }

    #[test]
    fn one_entry_that_dwarfs_all_others_is_told() {
        for sizes in [[12, 12], [10, 14], [40, 40]] {
            assert!(!is_coarse(sizes, |_, _| ()), "{sizes:?}");
            assert!(!is_coarse(sizes, |_, distances| distances[1] = 50.0), "{sizes:?}");
            assert!(is_coarse(sizes, |_, distances| distances[1] = 3e4), "{sizes:?}");
            assert!(is_coarse(sizes, |flows, _| flows[1] = 3e4), "{sizes:?}");
        }
    }

    /// Neither a common part nor costs near 0 have to do with it.
    #[test]
    fn rounding_is_seen_beside_differences_of_costs() {
        let n = 12;
        let add = |matrix: &mut [f64], more: f64| {
            (0..n * n).filter(|at| at / n != at % n).for_each(|at| matrix[at] += more);
        };
        assert!(!is_coarse([n, n], |_, distances| add(distances, 1e4)));
        let both = |flows: &mut [f64], distances: &mut [f64]| {
            add(flows, 100.0);
            add(distances, -300.0);
        };
        assert!(!is_coarse([n, n], both));
        assert!(!is_coarse([n, n], |_, distances| distances.fill(0.0)));
        // The costs of assignments are near 0 on average.
        let mean = |matrix: &[f64]| matrix.iter().sum::<f64>() / (n * n - n) as f64;
        assert!(!is_coarse([n, n], |flows, _| add(flows, -mean(flows))));
    }
}
