//! Nearest neighbours, quadrant neighbours and the nearest-neighbour tour.

use std::sync::{Arc, PoisonError};

use glam::DVec3;
use rayon::prelude::*;

use super::instance::{Instance, KernelForm};
use super::near::nearer;
use super::piles::Piles;
use super::tree::Tree;
use crate::instance::share;

/// For each city its nearest other cities, or the nearest in each quadrant and others.
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

    /// The first `k` of each row, which has as many.
    pub(crate) fn first(&self, k: usize) -> Self {
        let rows = self.ids.chunks(self.k.max(1));
        Self { k, ids: rows.flat_map(|row| &row[..k]).copied().collect() }
    }

    /// The same, each row by a distance that may differ a little, and the city.
    pub(crate) fn sorted_by(&self, distance: impl Fn(usize, usize) -> u32 + Sync) -> Self {
        let mut ids = self.ids.to_vec();
        ids.par_chunks_mut(self.k.max(1)).with_min_len(share::rows(self.k)).enumerate().for_each(|(city, row)| {
            row.sort_unstable_by_key(|&other| (distance(city, other as usize), other));
        });
        Self { k: self.k, ids: ids.into() }
    }

    /// The neighbours of `city`, nearest first, by (distance, index).
    ///
    /// # Panics
    /// When there is no such city.
    pub fn row(&self, city: usize) -> &[u32] {
        &self.ids[city * self.k..(city + 1) * self.k]
    }
}

/// Below this share of the cities that have coordinates a k-d tree is asked, above it all cities are looked at.
const TREE_SHARE: usize = 4;
/// Quadrants are looked through among so many times the neighbours of a row: at first, and at most.
const FIRST_LOOK: usize = 2;
const LAST_LOOK: usize = 16;

impl Instance {
    /// The `k` nearest other cities of each city (all others when `k` is larger).
    ///
    /// Which cities belong to a row is decided by (unrounded distance, index) with Euclidean metrics and by (distance,
    /// index) with the others, so that ties at the k-th place do not depend on the search structure.
    pub fn neighbours(&self, k: usize) -> Neighbours {
        let n = self.len();
        let k = k.min(self.most_neighbours());
        self.kept_or(k, 0, || match !self.coords().is_empty() && k < n / TREE_SHARE {
            true => self.rows_by_tree(k).unwrap_or_else(|| self.rows_by_selection(k)),
            false => self.rows_by_selection(k),
        })
    }

    /// The lists that were asked for last, or others, which are kept in their place.
    fn kept_or(&self, k: usize, each: usize, rows: impl FnOnce() -> Vec<u32>) -> Neighbours {
        // Not held while searching: a thread that waits for others' rows may come by here again.
        let kept = || self.kept_neighbours.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, neighbours)) = kept().as_ref().filter(|(in_each, lists)| (*in_each, lists.k) == (each, k)) {
            return neighbours.clone();
        }
        let neighbours = Neighbours { k, ids: rows().into() };
        *kept() = Some((each, neighbours.clone()));
        neighbours
    }

    /// The most neighbours that a list has: a city's partner and the gap of an open path are none.
    pub(crate) fn most_neighbours(&self) -> usize {
        (self.len() - 1).saturating_sub(self.most_closed())
    }

    /// So many of the others a city may not have as neighbours at most.
    pub(super) fn most_closed(&self) -> usize {
        let form = self.kernel_form;
        usize::from(form.paired > 0) + usize::from(form.gap.is_some())
    }

    fn by_distance(&self, city: usize, mut row: Vec<u32>) -> Vec<u32> {
        row.sort_unstable_by_key(|&other| (self.distance(city, other as usize), other));
        row
    }

    /// `k` other cities of each city (all others when `k` is larger): the `each` nearest in each of the four quadrants around it, then
    /// the nearest that are left (Johnson and McGeoch 1997, Helsgaun 2000).
    ///
    /// Quadrants are looked through among a city's 16 `k` nearest others alone; one without enough cities there has fewer. A quadrant
    /// holds the axis at which it begins, counterclockwise, and the first one holds cities in the same place. What is nearest is
    /// decided by (unrounded distance, index). For other metrics than Euclidean ones in the plane, and with `each` 0, the same as
    /// [`Instance::neighbours`].
    ///
    /// # Panics
    /// When quadrants are asked for more cities than a row holds, which is less than all others.
    pub fn quadrant_neighbours(&self, k: usize, each: usize) -> Neighbours {
        let in_plane = self.metric().is_euclidean() && self.metric().dimensions() == 2;
        if each == 0 || !in_plane || k >= self.most_neighbours() {
            return self.neighbours(k);
        }
        assert!(each.saturating_mul(4) <= k, "{each} cities in each quadrant are more than {k} neighbours");
        self.kept_or(k, each, || self.rows_by_quadrants(k, each))
    }

    fn rows_by_quadrants(&self, k: usize, each: usize) -> Vec<u32> {
        let n = self.len();
        let most = LAST_LOOK.saturating_mul(k).min(n - 1);
        let order = self.order();
        let tree = Tree::new(self.coords(), &order, most + self.most_closed());
        let low = self.coords().iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = self.coords().iter().copied().reduce(DVec3::max).unwrap_or_default();
        let row = |city: usize| {
            let mut looked = FIRST_LOOK.saturating_mul(k).min(most);
            loop {
                let mut near = match &tree {
                    Some(tree) if looked < n / TREE_SHARE => self.nearest_in(tree, city, looked),
                    _ => self.nearest_of_all(city, looked),
                };
                near.sort_unstable_by(nearer);
                let (row, counts) = self.row_by_quadrants(city, &near, k, each);
                let here = self.coords()[city];
                let apart = near.last().is_some_and(|&(apart, _)| apart > 0.0);
                // At the border of all cities quadrants are empty, but for cities in the same place, which come before all others.
                let empty = [here.x == high.x && apart, here.y == high.y, here.x == low.x, here.y == low.y];
                let full = counts.iter().zip(empty).all(|(&count, empty)| empty || count == each);
                if full || looked == most {
                    return self.by_distance(city, row);
                }
                looked = (2 * looked).min(most);
            }
        };
        self.rows(k, &order, row)
    }

    /// The `k` cities of a row among more that are near, sorted by how near they are, and how many each quadrant has.
    fn row_by_quadrants(&self, city: usize, near: &[(f64, u32)], k: usize, each: usize) -> (Vec<u32>, [usize; 4]) {
        let here = self.coords()[city];
        let mut counts = [0; 4];
        let (mut row, mut others) = (Vec::with_capacity(k), Vec::with_capacity(near.len()));
        for &(_, other) in near {
            let count = &mut counts[quadrant(self.coords()[other as usize] - here)];
            if *count < each {
                *count += 1;
                row.push(other);
            } else {
                others.push(other);
            }
        }
        others.truncate(k - row.len());
        row.extend(others);
        (row, counts)
    }

    fn rows_by_selection(&self, k: usize) -> Vec<u32> {
        let row = |city: usize| {
            let others = self.nearest_of_all(city, k);
            self.by_distance(city, others.into_iter().map(|(_, other)| other).collect())
        };
        let rows: Vec<Vec<u32>> =
            (0..self.len()).into_par_iter().with_min_len(share::rows(self.len())).map(row).collect();
        rows.concat()
    }

    /// `None` when the tree refuses the points.
    fn rows_by_tree(&self, k: usize) -> Option<Vec<u32>> {
        let (order, places) = (self.order(), self.tree_places());
        let tree = Tree::new(&places, &order, k + self.most_closed())?;
        let euclidean = self.metric().is_euclidean();
        let row = |city: usize| {
            if !euclidean {
                return self.nearest_by_distance(&tree, &places, city, k);
            }
            let others = self.nearest_in(&tree, city, k);
            self.by_distance(city, others.into_iter().map(|(_, other)| other).collect())
        };
        Some(self.rows(k, &order, row))
    }

    /// The cities in an order in which a tree's same parts are asked for, which takes half as long.
    fn order(&self) -> Vec<u32> {
        let orders = self.space_filling_orders(1);
        orders.map_or_else(|| (0..self.len() as u32).collect(), |orders| orders.concat())
    }

    /// The rows of `k` of all cities, made in `order`.
    fn rows(&self, k: usize, order: &[u32], row: impl Fn(usize) -> Vec<u32> + Sync) -> Vec<u32> {
        let pitch = k.max(1);
        let mut found = vec![0; order.len() * k];
        found
            .par_chunks_mut(pitch)
            .with_min_len(share::rows(8 * pitch))
            .zip(order)
            .for_each(|(found, &city)| found.copy_from_slice(&row(city as usize)));
        let mut rows = vec![0; order.len() * k];
        for (found, &city) in found.chunks(pitch).zip(order) {
            rows[city as usize * k..][..k].copy_from_slice(found);
        }
        rows
    }

    /// The tour that goes from `start` always to the nearest unvisited city, the lowest index on a tie; from one end of a pair to the
    /// other.
    ///
    /// # Panics
    /// When there is no city `start`.
    pub fn nearest_neighbour_tour(&self, start: usize) -> Vec<u32> {
        let n = self.len();
        let near = self.neighbours(10);
        let form = self.kernel_form;
        let piles =
            if form != KernelForm::default() { Piles::default() } else { Piles::of_more_than(10, self.coords()) };
        let mut visited = vec![false; n];
        let mut left: Vec<u32> = (0..n as u32).collect();
        let mut tour = Vec::with_capacity(n);
        let mut city = start;
        loop {
            visited[city] = true;
            tour.push(city as u32);
            if let Some(partner) = form.partner(city as u32).filter(|&partner| !visited[partner as usize]) {
                city = partner as usize;
                continue;
            }
            // Nothing is nearer than the others in the same place.
            for &other in piles.holding(city as u32).unwrap_or_default() {
                if !std::mem::replace(&mut visited[other as usize], true) {
                    tour.push(other);
                    city = other as usize;
                }
            }
            if tour.len() == n {
                return tour;
            }
            let row = near.row(city);
            let last = row.last().map_or(0, |&last| self.distance(city, last as usize));
            let listed = row.iter().map(|&other| other as usize).find(|&other| !visited[other]);
            city = match listed {
                // A city as far as the last one may tie with cities outside the list.
                Some(other) if self.distance(city, other) < last || near.k() == self.most_neighbours() => other,
                _ => {
                    left.retain(|&other| !visited[other as usize]);
                    let nearest = left.iter().min_by_key(|&&other| (self.distance(city, other as usize), other));
                    nearest.map_or(city, |&other| other as usize)
                }
            };
        }
    }
}

/// The quadrant, counted counterclockwise, that a city lies in which is so far away.
fn quadrant(away: DVec3) -> usize {
    match (away.x, away.y) {
        (0.0, 0.0) => 0,
        (x, y) if x > 0.0 && y >= 0.0 => 0,
        (x, y) if x <= 0.0 && y > 0.0 => 1,
        (x, _) if x < 0.0 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::instance::tsp::{Kind, Metric, generate};

    fn instances() -> Vec<Instance> {
        let mut list: Vec<Instance> =
            [(Kind::Uniform, 300), (Kind::Clustered, 250), (Kind::Lattice, 256), (Kind::Circle, 90)]
                .into_iter()
                .map(|(kind, n)| generate(kind, n, 3).unwrap())
                .collect();
        let piled: Vec<DVec2> = (0..200).map(|i| DVec2::new((i % 3) as f64, (i % 2) as f64)).collect();
        list.push(Instance::from_coords("piled", Metric::Euc2d, &piled).unwrap());
        list.push(Instance::from_coords("one place", Metric::Ceil2d, &[DVec2::ONE; 60]).unwrap());
        let heaps: Vec<DVec2> = (0..240).map(|i| DVec2::new(if i % 5 < 3 { 7.0 } else { i as f64 }, 0.0)).collect();
        list.push(Instance::from_coords("heaps", Metric::Euc2d, &heaps).unwrap());
        for metric in [Metric::Man2d, Metric::Max2d, Metric::Geo] {
            let grid = piled.iter().map(|p| p.extend(0.0)).collect();
            list.push(Instance::of_coords("grid".into(), metric, grid));
            // Decimals that files are not taken with, and places that lie beyond the poles.
            let spread = list[0].coords().iter().map(|p| *p / 1e4).collect();
            list.push(Instance::of_coords("spread".into(), metric, spread));
        }
        list.push(Instance::from_matrix("matrix", 300, list[0].distance_matrix()).unwrap());
        list
    }

    #[test]
    fn tree_and_selection_agree_even_with_ties() {
        for instance in instances().iter().flat_map(|instance| [vec![instance.clone()], with_pairs(instance)].concat())
        {
            let form = instance.kernel_form;
            for k in [1, 5, 10, 40] {
                let brute = instance.rows_by_selection(k.min(instance.most_neighbours()));
                assert_eq!(instance.neighbours(k).ids(), brute, "{} k={k} {form:?}", instance.name());
                let closed = |city: usize, other: u32| form.is_closed_to(city as u32, other) || city == other as usize;
                let near = instance.neighbours(k);
                assert!((0..instance.len()).all(|city| !near.row(city).iter().any(|&other| closed(city, other))));
            }
            let all = instance.neighbours(usize::MAX);
            assert_eq!(all.k(), instance.most_neighbours());
        }
    }

    /// The same places as those of an instance in the form for kernels, with pairs of cities and with the gap of an open path.
    fn with_pairs(instance: &Instance) -> Vec<Instance> {
        let n = instance.len();
        let forms = [(20, None), (0, Some(n as u32 - 1)), (n / 2 * 2, Some(0)), (4, Some(2))];
        let of_form = |(paired, gap): (usize, Option<u32>)| {
            // The gap lies where another city lies.
            let mut places = instance.coords().to_vec();
            if let Some(gap) = gap {
                places[gap as usize] = places[n / 2];
            }
            let mut made = Instance::of_coords(instance.name().to_owned(), instance.metric(), places);
            made.kernel_form = KernelForm { paired, gap, doubled: false };
            made
        };
        match instance.coords().is_empty() {
            true => Vec::new(),
            false => forms.map(of_form).to_vec(),
        }
    }

    /// All other cities, the nearest first.
    fn by_distance(instance: &Instance, city: usize) -> Vec<u32> {
        let spots = instance.coords();
        let key = |other: u32| spots[city].distance_squared(spots[other as usize]);
        let mut near: Vec<u32> = (0..instance.len() as u32).filter(|&other| other as usize != city).collect();
        near.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        near
    }

    /// The definition, word for word, of the cities that are near: axes belong to the quadrant that they begin, the same place to the first one.
    fn chosen(instance: &Instance, city: usize, near: &[u32], (k, each): (usize, usize)) -> Vec<u32> {
        let spots = instance.coords();
        let inside = |quadrant: usize, other: u32| {
            let (x, y) = (spots[other as usize].x - spots[city].x, spots[other as usize].y - spots[city].y);
            match quadrant {
                0 => x > 0.0 && y >= 0.0 || x == 0.0 && y == 0.0,
                1 => x <= 0.0 && y > 0.0,
                2 => x < 0.0 && y <= 0.0,
                _ => x >= 0.0 && y < 0.0,
            }
        };
        let mut row: Vec<u32> = Vec::new();
        for quadrant in 0..4 {
            row.extend(near.iter().copied().filter(|&other| inside(quadrant, other)).take(each));
        }
        let rest: Vec<u32> = near.iter().copied().filter(|other| !row.contains(other)).collect();
        row.extend(rest.into_iter().take(k - row.len()));
        row.sort_by_key(|&other| (instance.distance(city, other as usize), other));
        row
    }

    #[test]
    fn quadrant_neighbours_are_those_of_the_definition() {
        let mut list = instances();
        // Enough cities for the tree to be asked, at first and last.
        list.extend([Kind::Uniform, Kind::Clustered].map(|kind| generate(kind, 1000, 5).unwrap()));
        let towers: Vec<DVec2> =
            list[list.len() - 1].coords().iter().flat_map(|p| vec![p.truncate(); 1 + p.x as usize % 3]).collect();
        list.push(Instance::from_coords("towers", Metric::Euc2d, &towers).unwrap());
        let grid: Vec<DVec2> = (0..900).map(|i| DVec2::new(f64::from(i % 30), f64::from(i / 30))).collect();
        list.push(Instance::from_coords("grid", Metric::Att, &grid).unwrap());
        let mut differ = 0;
        for instance in list.iter().filter(|instance| instance.metric().is_euclidean()) {
            let sorted: Vec<Vec<u32>> = (0..instance.len()).map(|city| by_distance(instance, city)).collect();
            for (k, each) in [(4, 1), (5, 1), (10, 1), (8, 2), (10, 2), (32, 2), (10, 0)] {
                let near = instance.quadrant_neighbours(k, each);
                for (city, sorted) in sorted.iter().enumerate() {
                    let row = near.row(city);
                    let defined = chosen(instance, city, &sorted[..sorted.len().min(16 * k)], (k, each));
                    assert_eq!(row, defined, "{} k={k} each={each}", instance.name());
                    let mut once = row.to_vec();
                    once.sort_unstable();
                    once.dedup();
                    assert!(once.len() == k && !row.contains(&(city as u32)), "{}", instance.name());
                    let keys = row.iter().map(|&other| (instance.distance(city, other as usize), other));
                    assert!(keys.is_sorted(), "{}", instance.name());
                }
                let nearest = instance.neighbours(k);
                assert!(each > 0 || near == nearest);
                differ += usize::from(near != nearest);
            }
        }
        assert!(differ > 20, "{differ}");
    }

    #[test]
    fn where_there_are_no_quadrants_neighbours_are_the_nearest() {
        let space: Vec<DVec3> =
            (0..50).map(|i| DVec3::new(f64::from(i), f64::from(i * i % 7), f64::from(i % 3))).collect();
        let mut list = vec![Instance::from_coords_3d("space", &space).unwrap()];
        list.extend(instances().into_iter().filter(|instance| !instance.metric().is_euclidean()));
        assert_eq!(list.len(), 8);
        for instance in list {
            assert_eq!(instance.quadrant_neighbours(10, 2), instance.neighbours(10), "{}", instance.name());
        }
        // All others, however few.
        let few = generate(Kind::Uniform, 6, 1).unwrap();
        assert_eq!(few.quadrant_neighbours(10, 2), few.neighbours(5));
    }

    #[test]
    fn a_quadrant_holds_the_axis_at_which_it_begins() {
        let places = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (0, 0)];
        let quadrants = places.map(|(x, y)| quadrant(DVec3::new(f64::from(x), f64::from(y), 0.0)));
        assert_eq!(quadrants, [0, 0, 1, 1, 2, 2, 3, 3, 0]);
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
