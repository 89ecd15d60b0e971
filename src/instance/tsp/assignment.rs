//! The assignment problem as a way to tours with asymmetric distances: each city is assigned the city that follows it, at the least cost in
//! all. That gives cycles through all cities, which are patched to one tour (Karp 1979; Karp and Steele 1985).

use std::collections::BinaryHeap;

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
    pub fn patched(&self, cost: impl Fn(usize, usize) -> i64) -> Vec<u32> {
        let n = self.rows.len();
        let mut next = vec![0; n];
        self.row_of.iter().enumerate().for_each(|(column, &row)| next[row] = column);
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
        let by_size =
            |(index, cities): (usize, &Vec<usize>)| (std::cmp::Reverse(cities.len()), std::cmp::Reverse(index));
        let mut waiting: BinaryHeap<_> = cycles.iter().enumerate().map(by_size).collect();
        while let Some((size, index)) = waiting.pop() {
            // One that has grown waits by its new size.
            if cycles[index.0].len() != size.0 || size.0 == n {
                continue;
            }
            let others = |&a: &usize| (0..n).filter(|&b| cycle_of[b] != index.0).map(move |b| (a, b));
            let added =
                |(a, b): (usize, usize)| cost(a, next[b]) + cost(b, next[a]) - cost(a, next[a]) - cost(b, next[b]);
            let Some((a, b)) = cycles[index.0].iter().flat_map(others).min_by_key(|&pair| (added(pair), pair)) else {
                break;
            };
            next.swap(a, b);
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
}
