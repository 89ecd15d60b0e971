//! What the matrices of an instance look like.

use serde::Serialize;

use super::instance::Instance;

/// What the matrices of an instance look like: defaults differ by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Structure {
    /// None is to be seen: entries as if drawn at random.
    Random,
    /// One of the matrices keeps to the triangle inequality but for one triple in fifty, as distances between places do.
    Places,
    /// The entries of one differ very much ([`Instance::is_structured`]).
    Dominant,
}

impl Instance {
    /// Whether the entries of one of the matrices differ so much, as those of real layouts do, that local optima lie close
    /// together: a standard deviation above 1.5 times the mean (Taillard 1995 calls this the flow dominance).
    pub fn is_structured(&self) -> bool {
        let spread = |matrix: &[u32]| {
            let count = matrix.len() as f64;
            let mean = matrix.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            let square = matrix.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / count;
            square > (1.0 + 1.5 * 1.5) * mean * mean
        };
        spread(self.flows()) || spread(self.distances())
    }

    /// What its matrices look like.
    pub fn structure(&self) -> Structure {
        if self.is_structured() {
            Structure::Dominant
        } else if self.has_distances_of_places(self.flows()) || self.has_distances_of_places(self.distances()) {
            Structure::Places
        } else {
            Structure::Random
        }
    }

    /// For each facility the first one that may stand for it, and it for that one, wherever both are: to exchange two of a class changes
    /// nothing. `None` where no two are alike but empty ones.
    pub fn classes(&self) -> Option<Vec<u32>> {
        let n = self.locations();
        let filled = n - self.empty_facilities();
        let (mut first, mut classes): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::with_capacity(n));
        for facility in 0..n {
            let known = first.iter().copied().find(|&known| self.are_alike(known, facility));
            first.extend(known.is_none().then_some(facility));
            classes.push(known.unwrap_or(facility) as u32);
        }
        let alike = (0..filled).any(|facility| classes[facility] as usize != facility);
        alike.then_some(classes)
    }

    /// Whether two facilities have the same flows to and from all others and to each other, and costs of placing that differ by a constant.
    pub(super) fn are_alike(&self, u: usize, v: usize) -> bool {
        let n = self.locations();
        let at = |i: usize, j: usize| self.flows()[i * n + j];
        let placed = self.placing_costs().is_none_or(|costs| {
            let apart = |location: usize| i64::from(costs[u * n + location]) - i64::from(costs[v * n + location]);
            (0..n).all(|location| apart(location) == apart(0))
        });
        let others = (0..n).filter(|&k| k != u && k != v);
        placed
            && at(u, u) == at(v, v)
            && at(u, v) == at(v, u)
            && others.into_iter().all(|k| at(u, k) == at(v, k) && at(k, u) == at(k, v))
    }

    /// Whether few of some triples, a few for each pair, or for many of the pairs where there are very many, break the triangle inequality.
    fn has_distances_of_places(&self, matrix: &[u32]) -> bool {
        const BY_WAY_OF: usize = 16;
        const PAIRS: usize = 1 << 16;
        let n = self.locations();
        let at = |i: usize, j: usize| u64::from(matrix[i * n + j]);
        let (mut all, mut broken) = (0, 0);
        // An odd step meets all columns, whatever power of two the size has.
        let step = if n * n <= PAIRS { 1 } else { (n * n / PAIRS) | 1 };
        for (i, j) in (0..n * n).step_by(step).map(|at| (at / n, at % n)) {
            for k in (0..BY_WAY_OF).map(|turn| (7 * i + 13 * j + 31 * turn) % n) {
                if i != j && k != i && k != j {
                    all += 1;
                    broken += usize::from(at(i, j) > at(i, k) + at(k, j));
                }
            }
        }
        50 * broken <= all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_told_apart() {
        let n = 20;
        let matrix = |of: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
            (0..n * n).map(|at| if at / n == at % n { 0 } else { of(at / n, at % n) }).collect()
        };
        let random = matrix(&|i, j| (i.max(j) * 20 + i.min(j)).wrapping_mul(2_654_435_761) >> 26);
        let places = matrix(&|i, j| (i / 5).abs_diff(j / 5) + (i % 5).abs_diff(j % 5));
        let dominant = matrix(&|i, j| if (i + j) % 9 == 0 { 1000 } else { 1 });
        let structure =
            |a: &[u32], b: &[u32]| Instance::from_matrices("", 20, a.to_vec(), b.to_vec()).unwrap().structure();
        assert_eq!(structure(&random, &random), Structure::Random);
        assert_eq!(structure(&random, &places), Structure::Places);
        assert_eq!(structure(&places, &random), Structure::Places);
        assert_eq!(structure(&dominant, &places), Structure::Dominant);
        // So many that a part of the pairs has to tell.
        let n = 600;
        let made = |of: &dyn Fn(u32, u32) -> u32| -> Vec<u32> { (0..n * n).map(|at| of(at / n, at % n)).collect() };
        let random = made(&|i, j| if i == j { 0 } else { (i.max(j) * n + i.min(j)).wrapping_mul(2_654_435_761) >> 26 });
        let places = made(&|i, j| (i / 30).abs_diff(j / 30) + (i % 30).abs_diff(j % 30));
        let structure = |a: &[u32]| Instance::from_matrices("", 600, a.to_vec(), random.clone()).unwrap().structure();
        assert_eq!([structure(&random), structure(&places)], [Structure::Random, Structure::Places]);
    }
}
