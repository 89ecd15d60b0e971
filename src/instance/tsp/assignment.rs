//! The assignment problem as a way to tours with asymmetric distances: each city is assigned the city that follows it, at the least cost in
//! all. That gives cycles through all cities, which are patched to one tour (Karp 1979; Karp and Steele 1985).

use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::instance::share;

/// An assignment of rows (cities that are left) to columns (cities that are entered), with dual variables: no reduced cost is negative,
/// those of assigned pairs are 0.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub rows: Vec<i64>,
    pub columns: Vec<i64>,
    /// The row that each column is assigned to.
    row_of: Vec<usize>,
}

const FREE: usize = usize::MAX;
/// Columns of a row that are looked at first where cycles are patched; further ones seldom have to be.
const NEAR: usize = 48;
/// Cities that are looked at then whatever their place.
const DEAR: usize = 48;

impl Assignment {
    /// An optimal assignment of `n` rows, a row's own column left out: shortest augmenting paths, O(n³) at worst (Tomizawa 1971; Jonker
    /// and Volgenant 1987).
    pub fn new(n: usize, cost: impl Fn(usize, usize) -> i64) -> Self {
        let mut assignment = Self { rows: vec![0; n], columns: vec![0; n], row_of: vec![FREE; n] };
        for row in 0..n {
            assignment.assign(row, &cost);
        }
        assignment
    }

    /// Assigns a row that has no column, so that the assignment stays the best for all rows that have one.
    fn assign(&mut self, first: usize, cost: &impl Fn(usize, usize) -> i64) {
        let n = self.rows.len();
        // The shortest path of alternating edges from the row to a column that is free.
        let mut least = vec![i64::MAX; n];
        let mut before = vec![FREE; n];
        let mut done: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = (0..n).collect();
        let (mut row, mut through, mut length) = (first, FREE, 0);
        let end = loop {
            for &column in &open {
                if column != row {
                    let there = length + cost(row, column) - self.rows[row] - self.columns[column];
                    if there < least[column] {
                        (least[column], before[column]) = (there, through);
                    }
                }
            }
            // A free one ends the search, also where many are as near.
            let rank = |column: usize| (self.row_of[column] != FREE, column);
            let nearest = open
                .iter()
                .enumerate()
                .min_by(|&(_, &a), &(_, &b)| least[a].cmp(&least[b]).then_with(|| rank(a).cmp(&rank(b))));
            // Two cities at least: each row has a column.
            let Some((at, &column)) = nearest.filter(|&(_, &column)| least[column] < i64::MAX) else { return };
            open.swap_remove(at);
            length = least[column];
            if self.row_of[column] == FREE {
                break column;
            }
            done.push(column);
            (row, through) = (self.row_of[column], column);
        };
        self.rows[first] += length;
        for &column in &done {
            let behind = length - least[column];
            self.rows[self.row_of[column]] += behind;
            self.columns[column] -= behind;
        }
        let mut column = end;
        while before[column] != FREE {
            let previous = before[column];
            self.row_of[column] = self.row_of[previous];
            column = previous;
        }
        self.row_of[column] = first;
    }

    /// The tour that its cycles are patched to: the smallest cycle and the one with which that costs least become one, until one is left.
    pub fn patched(&self, cost: impl Fn(usize, usize) -> i64 + Sync) -> Vec<u32> {
        self.patched_by(NEAR, DEAR, cost)
    }

    /// The same by lists of so many columns and cities, which change how long it takes.
    fn patched_by(&self, columns: usize, cities: usize, cost: impl Fn(usize, usize) -> i64 + Sync) -> Vec<u32> {
        let n = self.rows.len();
        // What a patch adds is the same by reduced costs, of which none is negative.
        let reduced = |row: usize, column: usize| cost(row, column) - self.rows[row] - self.columns[column];
        let mut next = vec![0; n];
        self.row_of.iter().enumerate().for_each(|(column, &row)| next[row] = column);
        let mut before = self.row_of.clone();
        let (mut cycle_of, mut cycles) = (vec![FREE; n], Vec::new());
        for first in 0..n {
            let mut city = first;
            let mut cities = Vec::new();
            while cycle_of[city] == FREE {
                cycle_of[city] = cycles.len();
                cities.push(city);
                city = next[city];
            }
            if !cities.is_empty() {
                cycles.push(cities);
            }
        }
        let near = if cycles.len() > 1 { near(n, columns, &reduced) } else { Vec::new() };
        // Reduced costs of the ways that cycles have: an optimal assignment has none.
        let mut taken = vec![0; n];
        let by_size =
            |(index, cities): (usize, &Vec<usize>)| (std::cmp::Reverse(cities.len()), std::cmp::Reverse(index));
        let mut waiting: BinaryHeap<_> = cycles.iter().enumerate().map(by_size).collect();
        while let Some((size, index)) = waiting.pop() {
            // One that has grown waits by its new size.
            if cycles[index.0].len() != size.0 || size.0 == n {
                continue;
            }
            // The cities whose ways cost the most are looked at in any case, and bound what the others may save.
            let dear = dear(&taken, n.min(cities));
            let most_taken = dear.last().map_or(0, |&city| taken[city]);
            let mut best = (i64::MAX, (FREE, FREE));
            for &a in &cycles[index.0] {
                // The way from a to the city behind b, and that from b to the city behind a, instead of theirs.
                let look = |best: &mut (i64, (usize, usize)), to: usize, there: i64| {
                    let b = before[to];
                    if cycle_of[b] != index.0 {
                        let added = there + reduced(b, next[a]) - taken[a] - taken[b];
                        *best = (*best).min((added, (a, b)));
                    }
                };
                dear.iter().map(|&city| next[city]).filter(|&to| to != a).for_each(|to| {
                    look(&mut best, to, reduced(a, to));
                });
                let ended = near[a].iter().any(|&(there, to)| {
                    look(&mut best, to as usize, there);
                    // Those behind add more in any case.
                    there - taken[a] - most_taken > best.0
                });
                if !ended && near[a].len() + 1 < n {
                    (0..n).filter(|to| *to != a).for_each(|to| look(&mut best, to, reduced(a, to)));
                }
            }
            let (_, (a, b)) = best;
            if a == FREE {
                break;
            }
            next.swap(a, b);
            for city in [a, b] {
                before[next[city]] = city;
                taken[city] = reduced(city, next[city]);
            }
            let into = cycle_of[b];
            let moved = std::mem::take(&mut cycles[index.0]);
            moved.iter().for_each(|&city| cycle_of[city] = into);
            cycles[into].extend(moved);
            waiting.push(by_size((into, &cycles[into])));
        }
        let mut tour = Vec::with_capacity(n);
        let mut city = 0;
        for _ in 0..n {
            tour.push(city as u32);
            city = next[city];
        }
        tour
    }
}

/// So many cities whose ways cost the most, the cheapest of these last.
fn dear(taken: &[i64], count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..taken.len()).collect();
    if count < all.len() {
        all.select_nth_unstable_by_key(count, |&city| std::cmp::Reverse(taken[city]));
        all.truncate(count);
    }
    all.sort_unstable_by_key(|&city| std::cmp::Reverse(taken[city]));
    all
}

/// For each row the columns of least reduced cost, the least first.
fn near(n: usize, count: usize, reduced: &(impl Fn(usize, usize) -> i64 + Sync)) -> Vec<Vec<(i64, u32)>> {
    let of_row = |row: usize| {
        let mut all: Vec<(i64, u32)> =
            (0..n).filter(|column| *column != row).map(|column| (reduced(row, column), column as u32)).collect();
        if all.len() > count {
            all.select_nth_unstable(count);
            all.truncate(count);
        }
        all.sort_unstable();
        all
    };
    (0..n).into_par_iter().with_min_len(share::rows(n)).map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(n: usize, seed: u32) -> Vec<i64> {
        let word = |i: u32| (i ^ seed).wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B) >> 20;
        (0..(n * n) as u32).map(|i| i64::from(word(i))).collect()
    }

    /// The least cost of all assignments, by trying them.
    fn least(costs: &[i64], n: usize, row: usize, taken: u32) -> i64 {
        if row == n {
            return 0;
        }
        let free = (0..n).filter(|&column| column != row && taken >> column & 1 == 0);
        let all = free.map(|column| costs[row * n + column] + least(costs, n, row + 1, taken | 1 << column));
        all.min().unwrap_or(1 << 40)
    }

    #[test]
    fn assignments_are_the_best_and_duals_prove_it() {
        for seed in 0..40 {
            for n in 2..7 {
                // Also where many are alike.
                let costs: Vec<i64> =
                    costs(n, seed).into_iter().map(|cost| if seed % 2 == 0 { cost } else { cost % 3 }).collect();
                let found = Assignment::new(n, |row, column| costs[row * n + column]);
                let duals = found.rows.iter().sum::<i64>() + found.columns.iter().sum::<i64>();
                assert_eq!(duals, least(&costs, n, 0, 0), "n {n}, seed {seed}");
                for row in 0..n {
                    for column in (0..n).filter(|&column| column != row) {
                        assert!(costs[row * n + column] >= found.rows[row] + found.columns[column]);
                    }
                }
            }
        }
    }

    #[test]
    fn patched_cycles_are_tours() {
        for seed in 0..20 {
            let n = 2 + seed as usize;
            let costs = costs(n, seed);
            let cost = |row: usize, column: usize| costs[row * n + column];
            let mut tour = Assignment::new(n, cost).patched(cost);
            tour.sort_unstable();
            assert!(tour.into_iter().eq(0..n as u32));
        }
    }

    /// The same patches, by a look at all pairs of cities.
    fn patched_by_all(assignment: &Assignment, cost: impl Fn(usize, usize) -> i64) -> Vec<u32> {
        let n = assignment.rows.len();
        let mut next = vec![0; n];
        assignment.row_of.iter().enumerate().for_each(|(column, &row)| next[row] = column);
        let cycle = |next: &[usize], first: usize| {
            let behind = |&city: &usize| Some(next[city]).filter(|&city| city != first);
            std::iter::successors(Some(first), behind).collect::<Vec<_>>()
        };
        // A cycle's number is that of the one which another has joined.
        let mut number: Vec<usize> = (0..n).map(|city| cycle(&next, city).into_iter().min().unwrap()).collect();
        loop {
            let all = (0..n).map(|city| cycle(&next, city));
            let Some(smallest) = all.min_by_key(|all| (all.len(), number[all[0]])).filter(|all| all.len() < n) else {
                break;
            };
            let others = |&a: &usize| (0..n).filter(|b| !smallest.contains(b)).map(move |b| (a, b));
            let added =
                |(a, b): (usize, usize)| cost(a, next[b]) + cost(b, next[a]) - cost(a, next[a]) - cost(b, next[b]);
            let (a, b) = smallest.iter().flat_map(others).min_by_key(|&pair| (added(pair), pair)).unwrap();
            next.swap(a, b);
            let into = number[b];
            smallest.into_iter().for_each(|city| number[city] = into);
        }
        std::iter::successors(Some(0), |&city| Some(next[city])).take(n).map(|city| city as u32).collect()
    }

    /// Lists of near columns find what a look at all pairs finds.
    #[test]
    fn patches_are_the_cheapest() {
        let length = |tour: &[u32], costs: &[i64], n: usize| -> i64 {
            (0..n).map(|at| costs[tour[at] as usize * n + tour[(at + 1) % n] as usize]).sum()
        };
        for seed in 0..12 {
            // Almost symmetric, so that most cycles have two or three cities; more than lists have columns.
            let n = 40 + 15 * seed as usize;
            let place = |city: usize| [costs(n, seed)[city] % 1000, costs(n, seed + 99)[city] % 1000];
            let places: Vec<_> = (0..n).map(place).collect();
            let apart = |a: usize, b: usize| (0..2).map(|axis| (places[a][axis] - places[b][axis]).abs()).sum::<i64>();
            let more = costs(n, seed + 7);
            let all: Vec<i64> = (0..n * n).map(|at| apart(at / n, at % n) * 10 + more[at] % 97).collect();
            let cost = |row: usize, column: usize| all[row * n + column];
            let assignment = Assignment::new(n, cost);
            let expected = patched_by_all(&assignment, cost);
            for (columns, cities) in [(NEAR, DEAR), (2, 1), (1, 3)] {
                let found = assignment.patched_by(columns, cities, cost);
                let lengths = [&found, &expected].map(|tour| length(tour, &all, n));
                assert_eq!(found, expected, "n {n}, {columns} columns, {cities} cities: {lengths:?}");
            }
        }
    }
}
