//! By how much an exchange of two facilities may change the cost of an assignment.

use rayon::prelude::*;

use crate::instance::share;

/// Another bound, in time n³, of entries from 0 up: no more changes than what both facilities cost where they come to, each at most the
/// sum of its sorted flows times the sorted distances there.
pub(super) fn greatest_change_by_place<T: Copy + Into<f64> + Sync>(n: usize, flows: &[T], distances: &[T]) -> f64 {
    let sorted = |matrix: &[T], columns: bool| -> Vec<Vec<f64>> {
        let line = |i: usize| {
            let mut line: Vec<f64> =
                (0..n).map(|k| matrix[if columns { k * n + i } else { i * n + k }].into()).collect();
            line.sort_by(f64::total_cmp);
            line
        };
        (0..n).map(line).collect()
    };
    let [flows, distances] = [flows, distances].map(|m| [sorted(m, false), sorted(m, true)]);
    let at_most = |facility: usize, location: usize| -> f64 {
        (0..2).map(|side| dot(&flows[side][facility], &distances[side][location])).sum()
    };
    let of = |index: usize| (at_most(index / n, index % n), index / n, index % n);
    let mut places: Vec<(f64, usize, usize)> =
        (0..n * n).into_par_iter().with_min_len(share::rows(n)).map(of).collect();
    places.par_sort_by(|a, b| b.0.total_cmp(&a.0));
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

/// No exchange of two facilities changes the cost of any assignment by more than this.
///
/// An exchange of r and s adds Σₖ (aₖᵣ − aₖₛ)(b_φ(k)φ(s) − b_φ(k)φ(r)), the same along rows, and a term of the four
/// entries at r and s; Hölder's inequality bounds the sums by norms of differences of columns and rows.
pub(super) fn greatest_change<T: Copy + Into<f64>>(n: usize, flows: &[T], distances: &[T]) -> f64 {
    let [flows, distances] = [flows, distances].map(|matrix| {
        let column = differences(n, |line, k| matrix[k * n + line]);
        let row = differences(n, |line, k| matrix[line * n + k]);
        let corner = (0..n).flat_map(|r| (0..r).map(move |s| (r, s))).map(|(r, s)| {
            let at = |i: usize, j: usize| -> f64 { matrix[i * n + j].into() };
            (at(r, r) + at(s, s) - at(r, s) - at(s, r)).abs()
        });
        (column, row, corner.fold(0.0, f64::max))
    });
    let sum = |a: Norms, b: Norms| (a.sum * b.greatest).min(a.greatest * b.sum).min(a.length * b.length);
    sum(flows.0, distances.0) + sum(flows.1, distances.1) + flows.2 * distances.2
}

/// The greatest norms of a difference of two lines of a matrix.
#[derive(Clone, Copy)]
struct Norms {
    sum: f64,
    length: f64,
    greatest: f64,
}

impl Norms {
    /// The greater of each.
    fn greater(self, other: Self) -> Self {
        Self {
            sum: self.sum.max(other.sum),
            length: self.length.max(other.length),
            greatest: self.greatest.max(other.greatest),
        }
    }
}

fn differences<T: Into<f64>>(n: usize, entry: impl Fn(usize, usize) -> T) -> Norms {
    let lines: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n).into()).collect();
    let line = |line: usize| &lines[line * n..(line + 1) * n];
    let none = || Norms { sum: 0.0, length: 0.0, greatest: 0.0 };
    // Beyond a size where all pairs of lines take long, a bound by single lines does.
    if n > 512 {
        let of_one = |one: usize| {
            let Norms { sum, length, greatest } = norms(line(one), None);
            Norms { sum: 2.0 * sum, length: 2.0 * length, greatest }
        };
        return (0..n).map(of_one).fold(none(), Norms::greater);
    }
    let with_those_before =
        |one: usize| (0..one).map(|other| norms(line(one), Some(line(other)))).fold(none(), Norms::greater);
    (0..n).into_par_iter().with_min_len(share::rows(n * n)).map(with_those_before).reduce(none, Norms::greater)
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
    Norms { sum: sums.iter().sum(), length: square.sqrt(), greatest: most.into_iter().fold(0.0, f64::max) }
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

    /// Every exchange in random assignments stays within the bound.
    #[test]
    fn no_exchange_changes_the_cost_by_more_than_the_bound() {
        let instance = crate::instance::qap::generate(9, 5).unwrap();
        let bound = greatest_change(9, instance.flows(), instance.distances());
        let mut locations: Vec<u32> = (0..9).collect();
        let mut most = 0;
        for turn in 0..2000usize {
            let before = instance.cost(&locations).unwrap();
            locations.swap(turn * 7 % 9, (turn * 5 + turn / 9 + 1) % 9);
            most = most.max(before.abs_diff(instance.cost(&locations).unwrap()));
        }
        let by_place = greatest_change_by_place(9, instance.flows(), instance.distances());
        assert!(most as f64 <= by_place && by_place < 20.0 * most as f64, "{most} {by_place}");
        assert!(most as f64 <= bound && bound < 20.0 * most as f64, "{most} {bound}");
    }
}
