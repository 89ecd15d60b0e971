//! Nearest neighbours and the nearest-neighbour tour.

use std::num::NonZero;
use std::sync::{Arc, PoisonError};

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;

use super::instance::Instance;

/// For each city its nearest other cities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    k: usize,
    ids: Arc<[u32]>,
}

impl Neighbours {
    /// Neighbours of a city.
    pub fn k(&self) -> usize {
        self.k
    }

    /// All neighbours, row-major cities × k.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The neighbours of `city`, nearest first, by (distance, index).
    ///
    /// # Panics
    /// When there is no such city.
    pub fn row(&self, city: usize) -> &[u32] {
        &self.ids[city * self.k..(city + 1) * self.k]
    }
}

/// Below this share of the cities a k-d tree is asked, above it all cities are looked at.
const TREE_SHARE: usize = 4;
/// Widens a radius by more than what rounding can change in a squared distance.
const WIDER: f64 = 1.0 + 1e-12;

impl Instance {
    /// The `k` nearest other cities of each city (all others when `k` is larger).
    ///
    /// Which cities belong to a row is decided by (unrounded distance, index) with Euclidean metrics and by (distance,
    /// index) with the others, so that ties at the k-th place do not depend on the search structure.
    pub fn neighbours(&self, k: usize) -> Neighbours {
        let n = self.len();
        let k = k.min(n - 1);
        // Not held while searching: a thread that waits for others' rows may come by here again.
        let kept = || self.kept_neighbours.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(neighbours) = kept().as_ref().filter(|neighbours| neighbours.k == k) {
            return neighbours.clone();
        }
        let rows: Vec<Vec<u32>> = match self.metric().is_euclidean() && k < n / TREE_SHARE {
            true => self.rows_by_tree(k).unwrap_or_else(|| self.rows_by_selection(k)),
            false => self.rows_by_selection(k),
        };
        let neighbours = Neighbours { k, ids: rows.concat().into() };
        *kept() = Some(neighbours.clone());
        neighbours
    }

    fn by_distance(&self, city: usize, mut row: Vec<u32>) -> Vec<u32> {
        row.sort_unstable_by_key(|&other| (self.distance(city, other as usize), other));
        row
    }

    fn rows_by_selection(&self, k: usize) -> Vec<Vec<u32>> {
        let n = self.len();
        let euclidean = self.metric().is_euclidean();
        let row = |city: usize| {
            let key = |other: usize| match euclidean {
                true => self.coords()[city].distance_squared(self.coords()[other]),
                false => f64::from(self.distance(city, other)),
            };
            let mut others: Vec<(f64, u32)> =
                (0..n).filter(|&other| other != city).map(|other| (key(other), other as u32)).collect();
            if k < others.len() && k > 0 {
                others.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            others.truncate(k);
            self.by_distance(city, others.into_iter().map(|(_, other)| other).collect())
        };
        (0..n).into_par_iter().map(row).collect()
    }

    /// `None` when the tree refuses the points.
    fn rows_by_tree(&self, k: usize) -> Option<Vec<Vec<u32>>> {
        let points: Vec<[f64; 3]> = self.coords().iter().map(|p| p.to_array()).collect();
        let tree = ImmutableKdTree::new_from_slice(&points).ok()?;
        // The city itself is among them, or as many others at distance 0; and one more, which tells whether the last one has a tie.
        let asked = NonZero::new(k + 2)?;
        let row = |city: usize| {
            let nearest = tree.query(&points[city]).nearest_n::<SquaredEuclidean<f64>>(asked).execute();
            let radius = nearest.get(k).map_or(0.0, |last| last.distance) * WIDER;
            let tied = nearest.get(k + 1).is_none_or(|next| next.distance <= radius);
            let found: Vec<usize> = match tied {
                true => {
                    let inside = tree.query(&points[city]).within::<SquaredEuclidean<f64>>(radius).unsorted().execute();
                    inside.iter().map(|found| found.item as usize).collect()
                }
                false => nearest.iter().map(|found| found.item as usize).collect(),
            };
            let here = self.coords()[city];
            let mut others: Vec<(f64, u32)> = found
                .into_iter()
                .filter(|&other| other != city)
                .map(|other| (here.distance_squared(self.coords()[other]), other as u32))
                .collect();
            others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others.truncate(k);
            self.by_distance(city, others.into_iter().map(|(_, other)| other).collect())
        };
        // In an order in which the tree's same parts are asked for, which is twice as fast.
        let order = self.space_filling_orders(1)?.remove(0);
        let mut rows = vec![Vec::new(); self.len()];
        let found: Vec<(u32, Vec<u32>)> = order.into_par_iter().map(|city| (city, row(city as usize))).collect();
        for (city, row) in found {
            rows[city as usize] = row;
        }
        Some(rows)
    }

    /// The tour that goes from `start` always to the nearest unvisited city, the lowest index on a tie.
    ///
    /// # Panics
    /// When there is no city `start`.
    pub fn nearest_neighbour_tour(&self, start: usize) -> Vec<u32> {
        let n = self.len();
        let near = self.neighbours(10);
        let mut visited = vec![false; n];
        let mut left: Vec<u32> = (0..n as u32).collect();
        let mut tour = Vec::with_capacity(n);
        let mut city = start;
        loop {
            visited[city] = true;
            tour.push(city as u32);
            if tour.len() == n {
                return tour;
            }
            let row = near.row(city);
            let last = row.last().map_or(0, |&last| self.distance(city, last as usize));
            let listed = row.iter().map(|&other| other as usize).find(|&other| !visited[other]);
            city = match listed {
                // A city as far as the last one may tie with cities outside the list.
                Some(other) if self.distance(city, other) < last || near.k() == n - 1 => other,
                _ => {
                    left.retain(|&other| !visited[other as usize]);
                    let nearest = left.iter().min_by_key(|&&other| (self.distance(city, other as usize), other));
                    nearest.map_or(city, |&other| other as usize)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::tsp::{Kind, Metric, generate};

    fn instances() -> Vec<Instance> {
        let mut list: Vec<Instance> =
            [(Kind::Uniform, 300), (Kind::Clustered, 250), (Kind::Lattice, 256), (Kind::Circle, 90)]
                .into_iter()
                .map(|(kind, n)| generate(kind, n, 3).unwrap())
                .collect();
        let piled: Vec<DVec2> = (0..200).map(|i| DVec2::new((i % 3) as f64, (i % 2) as f64)).collect();
        list.push(Instance::from_coords("piled", Metric::Euc2d, &piled).unwrap());
        list.push(Instance::from_coords("one place", Metric::Ceil2d, &[DVec2::ONE; 60]).unwrap());
        list.push(Instance::from_coords("grid", Metric::Man2d, &piled).unwrap());
        list.push(Instance::from_matrix("matrix", 300, list[0].distance_matrix()).unwrap());
        list
    }

    #[test]
    fn tree_and_selection_agree_even_with_ties() {
        for instance in instances() {
            for k in [1, 5, 10, 40] {
                let brute = instance.rows_by_selection(k.min(instance.len() - 1));
                assert_eq!(instance.neighbours(k).ids(), brute.concat(), "{} k={k}", instance.name());
            }
            let all = instance.neighbours(usize::MAX);
            assert_eq!(all.k(), instance.len() - 1);
        }
    }

    #[test]
    fn the_nearest_neighbour_tour_is_exact() {
        for instance in instances() {
            let n = instance.len();
            let tour = instance.nearest_neighbour_tour(7);
            instance.tour_cost(&tour).unwrap();
            let mut left: Vec<usize> = (0..n).filter(|&city| city != 7).collect();
            for pair in tour.windows(2) {
                let here = pair[0] as usize;
                let best = left.iter().copied().min_by_key(|&other| (instance.distance(here, other), other)).unwrap();
                assert_eq!(pair[1] as usize, best, "{}", instance.name());
                left.retain(|&other| other != best);
            }
        }
    }
}
