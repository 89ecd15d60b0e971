//! By how much an exchange of two facilities may change the cost of an assignment.

use rayon::prelude::*;

use crate::instance::share;

/// Up to so many locations each line is compared with all others, which takes n³ steps.
const COMPARED: usize = 512;
/// Up to so many the bound by places is tried, which takes memory for all of them.
const LISTED: usize = 1000;
/// Sorted lines are cut into so many pieces at most.
const PIECES: usize = 64;

/// No exchange of two facilities changes the cost of any assignment by more than this, for entries from 0 up. Bounds are tried in the order of
/// the time that they take: the first below `enough` is the answer, and otherwise the least of all.
pub(super) fn greatest_change<T: Copy + Into<f64> + Sync>(n: usize, flows: &[T], distances: &[T], enough: f64) -> f64 {
    let matrices = [flows, distances].map(|entries| Matrix::of(n, entries));
    let mut change = by_differences(&matrices, Lines::spread);
    if change >= enough && n <= COMPARED {
        change = by_differences(&matrices, Lines::compared);
    }
    if change >= enough && n <= LISTED {
        change = change.min(by_places(n, &matrices));
    }
    change
}

/// A bound by norms of differences of lines.
///
/// An exchange of r and s adds Σₖ (aₖᵣ − aₖₛ)(b_φ(k)φ(s) − b_φ(k)φ(r)), the same along rows, and a term of the four
/// entries at r and s; Hölder's inequality bounds the sums by norms of differences of columns and rows.
fn by_differences<T: Copy + Into<f64>>(matrices: &[Matrix<'_, T>; 2], norms: impl Fn(&Lines) -> Norms) -> f64 {
    let [flows, distances] = matrices.each_ref().map(|matrix| matrix.of_lines(&norms));
    let sum = |a: &Norms, b: &Norms| (a.sum * b.greatest).min(a.greatest * b.sum).min(a.length * b.length);
    let corners = matrices[0].corner * matrices[1].corner;
    sum(flows.columns(), distances.columns()) + sum(&flows.rows, &distances.rows) + corners
}

/// A bound by places: no more changes than what both facilities cost where they come to, each at most the sum of its sorted flows times the
/// sorted distances there.
///
/// All these sums would take n³ steps. Of lines in pieces, for each of which its length stands (Cauchy and Schwarz), sums have no more than
/// [`PIECES`] products and are hardly greater; the greatest of them are then found of whole lines.
fn by_places<T: Copy + Into<f64>>(n: usize, matrices: &[Matrix<'_, T>; 2]) -> f64 {
    let sorted = matrices.each_ref().map(|matrix| matrix.of_lines(Lines::sorted));
    let cut = sorted.each_ref().map(|lines| lines.map(Lines::in_pieces));
    let at_most = |[flows, distances]: &[Both<Lines>; 2], facility: usize, location: usize| {
        dot(flows.rows.line(facility), distances.rows.line(location))
            + dot(flows.columns().line(facility), distances.columns().line(location))
    };
    let of = |at: usize| (at_most(&cut, at / n, at % n), at / n, at % n);
    let mut places: Vec<(f64, usize, usize)> =
        (0..n * n).into_par_iter().with_min_len(share::rows(PIECES)).map(of).collect();
    let sort = |places: &mut Vec<(f64, usize, usize)>| places.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    sort(&mut places);
    if n > PIECES {
        let whole = |place: &mut (f64, usize, usize)| place.0 = place.0.min(at_most(&sorted, place.1, place.2));
        places[..n * PIECES].par_iter_mut().with_min_len(share::rows(n)).for_each(whole);
        sort(&mut places);
    }
    let mut most = 0.0f64;
    for (first, (cost, facility, location)) in places.iter().enumerate() {
        if 2.0 * cost <= most {
            break;
        }
        let other = places[first + 1..].iter().find(|place| place.1 != *facility && place.2 != *location);
        most = most.max(cost + other.map_or(0.0, |place| place.0));
    }
    most
}

/// What there is of rows and of columns.
struct Both<L> {
    rows: L,
    /// None where they are the same as the rows.
    columns: Option<L>,
}

impl<L> Both<L> {
    fn columns(&self) -> &L {
        self.columns.as_ref().unwrap_or(&self.rows)
    }

    fn map<M>(&self, of: impl Fn(&L) -> M) -> Both<M> {
        Both { rows: of(&self.rows), columns: self.columns.as_ref().map(of) }
    }
}

struct Matrix<'a, T> {
    n: usize,
    entries: &'a [T],
    is_symmetric: bool,
    /// The greatest sum of the four entries where two lines meet, those on the diagonal less the others.
    corner: f64,
}

impl<'a, T: Copy + Into<f64>> Matrix<'a, T> {
    fn of(n: usize, entries: &'a [T]) -> Self {
        let at = |i: usize, j: usize| -> f64 { entries[i * n + j].into() };
        let pairs = || (0..n).flat_map(|r| (0..r).map(move |s| (r, s)));
        let is_symmetric = pairs().all(|(r, s)| at(r, s) == at(s, r));
        let corner = pairs().map(|(r, s)| (at(r, r) + at(s, s) - at(r, s) - at(s, r)).abs()).fold(0.0, f64::max);
        Self { n, entries, is_symmetric, corner }
    }

    /// What `of` makes of its rows and of its columns, which take memory one after the other.
    fn of_lines<M>(&self, of: impl Fn(&Lines) -> M) -> Both<M> {
        let (n, entries) = (self.n, self.entries);
        let rows = of(&Lines { length: n, entries: entries.iter().map(|entry| (*entry).into()).collect() });
        let turned = || (0..n * n).map(|at| entries[at % n * n + at / n].into()).collect();
        let columns = (!self.is_symmetric).then(|| of(&Lines { length: n, entries: turned() }));
        Both { rows, columns }
    }
}

/// Lines, all of the same length.
struct Lines {
    length: usize,
    entries: Vec<f64>,
}

/// The greatest norms of a difference of two lines of a matrix.
#[derive(Clone, Copy)]
struct Norms {
    sum: f64,
    length: f64,
    greatest: f64,
}

impl Norms {
    const NONE: Self = Self { sum: 0.0, length: 0.0, greatest: 0.0 };

    /// What `choose` takes of each.
    fn with(self, other: Self, choose: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            sum: choose(self.sum, other.sum),
            length: choose(self.length, other.length),
            greatest: choose(self.greatest, other.greatest),
        }
    }
}

impl Lines {
    fn line(&self, line: usize) -> &[f64] {
        &self.entries[line * self.length..][..self.length]
    }

    fn count(&self) -> usize {
        self.entries.len() / self.length
    }

    /// In time n²: no two lines lie farther apart than both together from their middle, or from 0.
    fn spread(&self) -> Norms {
        let n = self.count();
        let [mut low, mut high, mut middle] =
            [f64::INFINITY, f64::NEG_INFINITY, 0.0].map(|least| vec![least; self.length]);
        for line in self.entries.chunks(self.length) {
            for (at, entry) in line.iter().enumerate() {
                (low[at], high[at]) = (low[at].min(*entry), high[at].max(*entry));
                middle[at] += entry / n as f64;
            }
        }
        let greatest = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
        let both_from = |place: Option<&[f64]>| {
            let from = |line: usize| norms(self.line(line), place);
            let (first, second) = (0..n).map(from).fold((Norms::NONE, Norms::NONE), |(first, second), next| {
                (first.with(next, f64::max), second.with(first.with(next, f64::min), f64::max))
            });
            first.with(second, |first, second| first + second)
        };
        Norms { greatest, ..both_from(Some(&middle)).with(both_from(None), f64::min) }
    }

    /// In time n³: the norms themselves.
    fn compared(&self) -> Norms {
        let n = self.count();
        let with_those_before = |one: usize| {
            let differences = (0..one).map(|other| norms(self.line(one), Some(self.line(other))));
            differences.fold(Norms::NONE, |all, next| all.with(next, f64::max))
        };
        let all = (0..n).into_par_iter().with_min_len(share::rows(n * n)).map(with_those_before);
        all.reduce(|| Norms::NONE, |all, next| all.with(next, f64::max))
    }

    fn sorted(&self) -> Self {
        let mut entries = self.entries.clone();
        let lines = entries.par_chunks_mut(self.length).with_min_len(share::rows(self.length));
        lines.for_each(|line| line.sort_unstable_by(f64::total_cmp));
        Self { length: self.length, entries }
    }

    /// The lengths of the pieces of lines.
    fn in_pieces(&self) -> Self {
        let size = self.length.div_ceil(PIECES);
        let length = |piece: &[f64]| {
            let most = piece.iter().copied().fold(0.0, f64::max);
            // Squares of very great or small entries are no numbers.
            let square = |entry: &f64| if most > 0.0 { (entry / most).powi(2) } else { 0.0 };
            most * piece.iter().map(square).sum::<f64>().sqrt()
        };
        let pieces = |line: &[f64]| line.chunks(size).map(length).collect::<Vec<_>>();
        let entries = self.entries.chunks(self.length).flat_map(pieces).collect();
        Self { length: self.length.div_ceil(size), entries }
    }
}

/// Sums go in so many lanes, which processors add side by side.
const LANES: usize = 8;

/// The norms of a line, or of its difference to another one.
fn norms(one: &[f64], other: Option<&[f64]>) -> Norms {
    let (mut sums, mut squares, mut most) = ([0.0; LANES], [0.0; LANES], [0.0f64; LANES]);
    let mut add = |lane: usize, difference: f64| {
        sums[lane] += difference;
        squares[lane] += difference * difference;
        most[lane] = most[lane].max(difference);
    };
    match other {
        Some(other) => {
            for (ones, others) in one.chunks(LANES).zip(other.chunks(LANES)) {
                for (lane, (a, b)) in ones.iter().zip(others).enumerate() {
                    add(lane, (a - b).abs());
                }
            }
        }
        None => one.chunks(LANES).for_each(|ones| ones.iter().enumerate().for_each(|(lane, entry)| add(lane, *entry))),
    }
    let square: f64 = squares.iter().sum();
    let (sum, greatest) = (sums.iter().sum::<f64>(), most.into_iter().fold(0.0, f64::max));
    // Where squares are too great or too small for floating point, no more than the greatest counts for all.
    let length = if (1e-290..1e300).contains(&square) { square.sqrt() } else { sum.sqrt() * greatest.sqrt() };
    Norms { sum, length, greatest }
}

/// The sum of products of two lines.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (ones, others) in ones.zip(others) {
        for lane in 0..LANES {
            sums[lane] += ones[lane] * others[lane];
        }
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every exchange in random assignments stays within the bounds.
    #[test]
    fn no_exchange_changes_the_cost_by_more_than_the_bounds() {
        let instance = crate::instance::qap::generate(9, 5).unwrap();
        let mut locations: Vec<u32> = (0..9).collect();
        let mut most = 0;
        for turn in 0..2000usize {
            let before = instance.cost(&locations).unwrap();
            locations.swap(turn * 7 % 9, (turn * 5 + turn / 9 + 1) % 9);
            most = most.max(before.abs_diff(instance.cost(&locations).unwrap()));
        }
        let matrices = [instance.flows(), instance.distances()].map(|matrix| Matrix::of(9, matrix));
        let bounds = [
            by_differences(&matrices, Lines::spread),
            by_differences(&matrices, Lines::compared),
            by_places(9, &matrices),
        ];
        for bound in bounds {
            assert!(most as f64 <= bound && bound < 20.0 * most as f64, "{most} {bounds:?}");
        }
        let of = |enough: f64| greatest_change(9, instance.flows(), instance.distances(), enough);
        assert_eq!([of(f64::INFINITY), of(0.0)], [bounds[0], bounds[1].min(bounds[2])]);
    }

    fn matrix(n: usize, seed: usize, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let number = |at: usize| f64::from(((at + 7919 * seed) as u32).wrapping_mul(2_654_435_761) >> 8);
        (0..n * n).map(|at| of(number(at) / f64::from(1u32 << 24))).collect()
    }

    /// What takes less time proves as much: sums of lines in pieces as those of whole lines, and the middle of lines at least what each
    /// proves by itself.
    #[test]
    fn bounds_that_take_less_time_are_hardly_greater() {
        for (n, power) in [(60, 1), (150, 1), (150, 9), (201, 3)] {
            let entries = [matrix(n, 1, |x| x.powi(power)), matrix(n, 2, |x| x)];
            let matrices = entries.each_ref().map(|entries| Matrix::of(n, entries));
            let sorted = matrices.each_ref().map(|matrix| matrix.of_lines(Lines::sorted));
            let cost = |facility: usize, location: usize| {
                let [flows, distances] = &sorted;
                dot(flows.rows.line(facility), distances.rows.line(location))
                    + dot(flows.columns().line(facility), distances.columns().line(location))
            };
            // Two of the greatest are apart, or next to those that are.
            let mut all: Vec<_> = (0..n * n).map(|at| (cost(at / n, at % n), at / n, at % n)).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            let pairs = (0..n).flat_map(|a| (a + 1..2 * n).map(move |b| (a, b)));
            let apart = pairs.filter(|(a, b)| all[*a].1 != all[*b].1 && all[*a].2 != all[*b].2);
            let most = apart.map(|(a, b)| all[a].0 + all[b].0).fold(0.0, f64::max);
            let found = by_places(n, &matrices);
            assert!((found / most - 1.0).abs() < 1e-9, "{n} {power}: {found} {most}");
            for matrix in &matrices {
                matrix.of_lines(|lines| {
                    let (spread, compared) = (lines.spread(), lines.compared());
                    let alone = (0..n).map(|line| norms(lines.line(line), None).length).fold(0.0, f64::max);
                    assert!(compared.length <= spread.length && spread.length < 2.0 * compared.length.min(alone));
                    assert!(compared.sum <= spread.sum && compared.greatest == spread.greatest);
                });
            }
        }
    }

    /// Where lines are not compared with one another their middle leaves a third of what each of them proves by itself.
    #[test]
    fn many_lines_are_bounded_by_their_middle() {
        let n = COMPARED + 1;
        let entries = [matrix(n, 1, |x| x), matrix(n, 2, |x| x)];
        let found = greatest_change(n, &entries[0], &entries[1], 0.0);
        let matrices = entries.each_ref().map(|entries| Matrix::of(n, entries));
        assert!(found == by_differences(&matrices, Lines::spread) && found < n as f64, "{found}");
    }

    /// Squares of entries, and what lies between them, may be no numbers.
    #[test]
    fn very_great_and_small_entries_have_bounds() {
        let n = 150;
        for (great, small) in [(1e200, 1e-200), (1e-200, 1e200), (1e-170, 1e-120)] {
            let bound = greatest_change(n, &matrix(n, 1, |x| x * great), &matrix(n, 2, |x| x * small), 0.0);
            let plain = greatest_change(n, &matrix(n, 1, |x| x), &matrix(n, 2, |x| x), 0.0);
            assert!(bound >= plain * great * small * 0.99 && bound < 50.0 * plain * great * small, "{bound} {plain}");
        }
    }
}
