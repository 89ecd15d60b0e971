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
    /// together: a standard deviation above 1.5 times the mean (Taillard 1995 calls this the flow dominance). Entries are counted from the least one, or down
    /// from the greatest one if most are near that, and the diagonal as 0. So it does not depend on what all entries have in common, nor on their sign; and facilities
    /// that stand for empty locations have no part in it.
    pub fn is_structured(&self) -> bool {
        self.parts().iter().any(Part::is_dominant)
    }

    /// What its matrices look like.
    pub fn structure(&self) -> Structure {
        let parts = self.parts();
        if parts.iter().any(Part::is_dominant) {
            Structure::Dominant
        } else if parts.iter().any(Part::has_distances_of_places) {
            Structure::Places
        } else {
            Structure::Random
        }
    }

    /// How its matrices came about.
    pub(super) fn making(&self) -> Making {
        self.making.unwrap_or_else(|| match self.given.as_deref() {
            Some(given) => Making {
                left: 0,
                taken: [given.shifts.flows[0], given.shifts.distances[0]],
                rounded: given.error > 0.0,
                compared: self.is_compared_as_given(),
            },
            None => Making::default(),
        })
    }

    /// Flows between the facilities that were given, and distances.
    fn parts(&self) -> [Part<'_>; 2] {
        let (Making { left, taken, rounded, .. }, n) = (self.making(), self.locations());
        let facilities = self.len() - left;
        let of = |entries, side, taken| Part { entries, n, side, taken, off_by: if rounded { 2 } else { 0 } };
        [of(self.flows(), facilities, taken[0]), of(self.distances(), n, taken[1])]
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
}

/// How the matrices of an instance in the form for kernels came about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Making {
    /// So many facilities, the last ones, stand for locations that none of the instance's own is for.
    pub left: usize,
    /// What was taken off flows and distances beside the diagonal.
    pub taken: [i64; 2],
    pub rounded: bool,
    /// Whether few assignments are compared by what was given ([`Instance::is_compared_as_given`]).
    pub compared: bool,
}

/// The first lines and columns of a matrix of n.
struct Part<'a> {
    entries: &'a [u32],
    n: usize,
    side: usize,
    /// What was taken off entries beside the diagonal, in the unit of what is counted.
    taken: i64,
    /// Sums of two entries may be off by so much beside a third one.
    off_by: i64,
}

impl Part<'_> {
    fn at(&self, row: usize, column: usize) -> i64 {
        self.entries[row * self.n + column].into()
    }

    /// The least and the greatest entry beside the diagonal.
    fn range(&self) -> [i64; 2] {
        self.beside().fold([i64::MAX, 0], |[least, greatest], entry| [least.min(entry), greatest.max(entry)])
    }

    /// The entries beside the diagonal.
    fn beside(&self) -> impl Iterator<Item = i64> {
        let all = (0..self.side).flat_map(|row| (0..self.side).map(move |column| (row, column)));
        all.filter(|(row, column)| row != column).map(|(row, column)| self.at(row, column))
    }

    fn is_dominant(&self) -> bool {
        let [least, greatest] = self.range();
        let sums = |from: i64| {
            let sizes = self.beside().map(|entry| (entry - from).abs() as f64);
            sizes.fold([0.0, 0.0], |[sum, squares], size| [sum + size, squares + size * size])
        };
        let [up, down] = [sums(least), sums(greatest)];
        let [sum, squares] = if down[0] < up[0] { down } else { up };
        squares * (self.side * self.side) as f64 > (1.0 + 1.5 * 1.5) * sum * sum
    }

    /// Whether few of some triples, a few for each pair, or for many of the pairs where there are very many, break the triangle inequality. Entries are taken
    /// as they were given, but from the least one where that is negative or more than half of what they differ by: any are distances if enough is added.
    fn has_distances_of_places(&self) -> bool {
        const BY_WAY_OF: usize = 16;
        const PAIRS: usize = 1 << 16;
        let n = self.side;
        if n < 3 {
            return n == self.n;
        }
        let [least, greatest] = self.range();
        let given = least.saturating_add(self.taken);
        let common = if given < 0 || 2 * given > greatest - least { 0 } else { given };
        let at = |i: usize, j: usize| self.at(i, j) - least + common;
        let (mut all, mut broken) = (0, 0);
        // An odd step meets all columns, whatever power of two the size has.
        let step = if n * n <= PAIRS { 1 } else { (n * n / PAIRS) | 1 };
        for (i, j) in (0..n * n).step_by(step).map(|at| (at / n, at % n)) {
            for k in (0..BY_WAY_OF).map(|turn| (7 * i + 13 * j + 31 * turn) % n) {
                if i != j && k != i && k != j {
                    all += 1;
                    broken += usize::from(at(i, j) > at(i, k) + at(k, j) + self.off_by);
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

    fn drawn(side: usize, seed: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| {
            let word = (((i.max(j) * side + i.min(j)) * 31 + seed) as u32).wrapping_mul(2_654_435_761);
            f64::from((word ^ word >> 15).wrapping_mul(0x85EB_CA6B) >> 8) / f64::from(1 << 24)
        };
        (0..side * side).map(|at| if at / side == at % side { 0.0 } else { entry(at / side, at % side) }).collect()
    }

    fn beside(side: usize, matrix: &[f64], of: impl Fn(f64) -> f64) -> Vec<f64> {
        let entries = matrix.iter().enumerate();
        entries.map(|(at, entry)| if at / side == at % side { 0.0 } else { of(*entry) }).collect()
    }

    /// The structure, which that of the form for kernels is, too.
    fn structure_of(sizes: [usize; 2], flows: &[f64], distances: &[f64]) -> Structure {
        let made = Instance::from_matrices_f64("", sizes, flows.to_vec(), distances.to_vec(), None).unwrap();
        assert_eq!(made.in_kernel_form().unwrap().structure(), made.structure());
        made.structure()
    }

    #[test]
    fn empty_locations_do_not_change_the_structure() {
        let hundredths = |side: usize, seed| beside(side, &drawn(side, seed), |x| (100.0 * x).floor());
        let (random, apart) = (hundredths(60, 1), hundredths(100, 2));
        let negative: Vec<f64> = beside(60, &random, |x| x - 30.0);
        for locations in [100, 60] {
            let apart = if locations == 100 { apart.clone() } else { hundredths(60, 2) };
            for flows in [&random, &negative] {
                assert_eq!(structure_of([60, locations], flows, &apart), Structure::Random, "{locations}");
            }
        }
        let dominant = beside(60, &random, |x| if x > 94.0 { x } else { 0.0 });
        assert_eq!(structure_of([60, 100], &dominant, &apart), Structure::Dominant);
        let places: Vec<f64> = (0..3600i32).map(|at| f64::from((at / 60 - at % 60).abs())).collect();
        assert_eq!(structure_of([60, 100], &places, &apart), Structure::Places);
    }

    /// The same problem with the other sign of both matrices, or with more in all entries of one, has the same structure.
    #[test]
    fn common_parts_and_signs_do_not_change_the_structure() {
        let n = 30;
        let grid = |at: usize| ((at / n / 6).abs_diff(at % n / 6) + (at / n % 6).abs_diff(at % n % 6)) as f64;
        let grid: Vec<f64> = (0..n * n).map(grid).collect();
        let few = beside(n, &drawn(n, 3), |x| if x > 0.9 { (x * 1000.0).floor() } else { 0.0 });
        let [random, others] = [4, 5].map(|seed| beside(n, &drawn(n, seed), |x| (x * 100.0).floor()));
        let greatest = |matrix: &[f64]| matrix.iter().copied().fold(0.0, f64::max);
        for (flows, distances, expected) in [(&few, &grid, Structure::Dominant), (&random, &others, Structure::Random)]
        {
            let turned = [beside(n, flows, |x| -x), beside(n, distances, |x| greatest(distances) - x)];
            let other = [beside(n, flows, |x| greatest(flows) - x), beside(n, distances, |x| -x)];
            let more = [beside(n, flows, |x| x + 77.0), beside(n, distances, |x| x + 1000.0)];
            for [flows, distances] in [[flows.clone(), distances.clone()], turned, other, more] {
                assert_eq!(structure_of([n, n], &flows, &distances), expected);
            }
        }
        // Distances of places keep the little that they have in common, also where they are rounded.
        for distances in [&grid, &beside(n, &grid, |x| x / 3.0)] {
            assert_eq!(structure_of([n, n], &random, distances), Structure::Places);
        }
    }
}
