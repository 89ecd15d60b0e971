//! The tour of greedy edges.

use std::num::NonZero;

use glam::DVec3;
use kiddo::{ImmutableKdTree, SquaredEuclidean};

use super::instance::{Instance, KernelForm};
use super::piles::Piles;

/// Neighbours that are looked at for edges, and for edges between ends of paths.
const NEAR: usize = 10;
const NEAR_ENDS: usize = 6;
/// So few ends of paths are joined whatever lies between.
const FEW: usize = 50;

/// Paths that grow together.
struct Paths {
    links: Vec<[u32; 2]>,
    /// Union-find over paths.
    root: Vec<u32>,
    count: usize,
}

const NONE: u32 = u32::MAX;

impl Paths {
    fn find(&mut self, mut city: u32) -> u32 {
        while self.root[city as usize] != city {
            let up = self.root[self.root[city as usize] as usize];
            self.root[city as usize] = up;
            city = up;
        }
        city
    }

    fn is_end(&self, city: u32) -> bool {
        self.links[city as usize][1] == NONE
    }

    /// Joins two ends of different paths; whether they are that.
    fn join(&mut self, a: u32, b: u32) -> bool {
        if !self.is_end(a) || !self.is_end(b) {
            return false;
        }
        let (left, right) = (self.find(a), self.find(b));
        if left == right {
            return false;
        }
        self.root[left as usize] = right;
        for (city, other) in [(a, b), (b, a)] {
            let links = &mut self.links[city as usize];
            links[usize::from(links[0] != NONE)] = other;
        }
        self.count -= 1;
        true
    }

    fn join_by_length(&mut self, length: &impl Fn(u32, u32) -> u64, mut edges: Vec<(u32, u32)>) {
        edges.sort_by_cached_key(|&(a, b)| (length(a, b), a, b));
        for (a, b) in edges {
            self.join(a, b);
        }
    }

    /// The ends of paths, the gap of an open path left out.
    fn ends(&self, instance: &Instance) -> Vec<u32> {
        let gap = instance.kernel_form.gap;
        (0..self.links.len() as u32).filter(|&city| self.is_end(city) && gap != Some(city)).collect()
    }

    /// Edges from each end to the nearest ends of other paths.
    fn edges_between_ends(&mut self, instance: &Instance) -> Vec<(u32, u32)> {
        let ends = self.ends(instance);
        if instance.coords().is_empty() {
            return self.edges_in_matrix(instance, &ends);
        }
        let points: Vec<[f64; 3]> = ends.iter().map(|&end| instance.coords()[end as usize].to_array()).collect();
        let asked = NonZero::new(NEAR_ENDS.min(ends.len())).unwrap_or(NonZero::<usize>::MIN);
        let tree = match ImmutableKdTree::new_from_slice(&points) {
            Ok(tree) if ends.len() > FEW => tree,
            // Few, or all in one place.
            _ => {
                let all = ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b)));
                return all.filter(|(a, b)| a < b).collect();
            }
        };
        let mut edges = Vec::new();
        for (index, &end) in ends.iter().enumerate() {
            let near = tree.query(&points[index]).nearest_n::<SquaredEuclidean<f64>>(asked).execute();
            let path = self.find(end);
            for found in near {
                let other = ends[found.item as usize];
                if self.find(other) != path {
                    edges.push((end.min(other), end.max(other)));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The same by a look at all pairs of ends.
    fn edges_in_matrix(&mut self, instance: &Instance, ends: &[u32]) -> Vec<(u32, u32)> {
        let paths: Vec<u32> = ends.iter().map(|&end| self.find(end)).collect();
        let mut edges = Vec::new();
        for (&end, &path) in ends.iter().zip(&paths) {
            let others = ends.iter().zip(&paths).filter(|(_, other)| **other != path);
            let mut others: Vec<(u32, u32)> =
                others.map(|(&other, _)| (instance.distance(end as usize, other as usize), other)).collect();
            if others.len() > NEAR_ENDS {
                others.select_nth_unstable(NEAR_ENDS);
                others.truncate(NEAR_ENDS);
            }
            edges.extend(others.into_iter().map(|(_, other)| (end.min(other), end.max(other))));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

impl Instance {
    /// The tour of greedy edges (Bentley 1992): the shortest edge that joins two ends of different paths, again and again; at
    /// first among near cities, then among the ends that are left. Many cities in one place follow each other. Without coordinates,
    /// the nearest-neighbour tour.
    pub fn greedy_tour(&self) -> Vec<u32> {
        let n = self.len();
        let matrix = self.coords().is_empty() && self.kernel_form.paired == 0;
        if matrix || n < 8 {
            return self.nearest_neighbour_tour(0);
        }
        let piles = match self.kernel_form == KernelForm::default() {
            true => Piles::of_more_than(NEAR, self.coords()),
            false => Piles::default(),
        };
        if !piles.is_empty() {
            return self.greedy_tour_of_piles(&piles);
        }
        let length = |a: u32, b: u32| u64::from(self.distance(a as usize, b as usize));
        let form = self.kernel_form;
        let near = self.neighbours(NEAR);
        let mut paths = Paths { links: vec![[NONE; 2]; n], root: (0..n as u32).collect(), count: n };
        for city in (0..form.paired as u32).step_by(2) {
            paths.join(city, city + 1);
        }
        let cities = (0..n as u32).filter(|&city| form.gap != Some(city));
        let edges = cities.flat_map(|a| near.row(a as usize).iter().map(move |&b| (a.min(b), a.max(b))));
        let mut edges: Vec<(u32, u32)> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        paths.join_by_length(&length, edges);
        // The gap joins the ends of the last path, where it is none of them.
        let alone = usize::from(form.gap.is_some_and(|gap| form.partner(gap).is_none()));
        while paths.count > 1 + alone {
            let before = paths.count;
            let edges = paths.edges_between_ends(self);
            paths.join_by_length(&length, edges);
            if paths.count == before {
                // Each end's nearest ends are all its own path's, or cities in one place.
                let ends = paths.ends(self);
                for pair in ends.windows(2) {
                    paths.join(pair[0], pair[1]);
                }
            }
        }
        if let (Some(gap), Some(&end)) = (form.gap, paths.ends(self).last()) {
            paths.join(gap, end);
        }
        let first = (0..n as u32).find(|&city| paths.is_end(city)).unwrap_or(0);
        let (mut tour, mut before, mut city) = (Vec::with_capacity(n), NONE, first);
        while tour.len() < n {
            tour.push(city);
            let [a, b] = paths.links[city as usize];
            let next = if a == before { b } else { a };
            (before, city) = (city, next);
        }
        tour
    }
}

impl Instance {
    /// The tour through one city of each pile and all others, in which the other cities of a pile follow that one.
    fn greedy_tour_of_piles(&self, piles: &Piles) -> Vec<u32> {
        let first = |city: &u32| piles.holding(*city).is_none_or(|pile| pile[0] == *city);
        let firsts: Vec<u32> = (0..self.len() as u32).filter(first).collect();
        let places: Vec<DVec3> = firsts.iter().map(|&city| self.coords()[city as usize]).collect();
        let Ok(sparse) = Self::with_coords(self.name().to_owned(), self.metric(), places) else {
            return self.nearest_neighbour_tour(0);
        };
        let cities = sparse.greedy_tour().into_iter().map(|index| firsts[index as usize]);
        cities.flat_map(|city| piles.holding(city).map_or_else(|| vec![city], <[u32]>::to_vec)).collect()
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::instance::tsp::{Kind, Metric, generate};

    #[test]
    fn greedy_tours_are_tours_and_shorter_than_nearest_neighbours() {
        for (kind, n) in [(Kind::Uniform, 3000), (Kind::Clustered, 2000), (Kind::Lattice, 400), (Kind::Circle, 90)] {
            let instance = generate(kind, n, 5).unwrap();
            let greedy = instance.tour_cost(&instance.greedy_tour()).unwrap();
            let nearest = instance.tour_cost(&instance.nearest_neighbour_tour(0)).unwrap();
            assert!(greedy <= nearest, "{kind:?}: {greedy} > {nearest}");
        }
    }

    #[test]
    fn cities_in_one_place_and_few_cities_have_tours() {
        for n in 1..30 {
            let spots: Vec<DVec2> = (0..n).map(|i| DVec2::new(f64::from(i / 12), 0.0)).collect();
            let instance = Instance::from_coords("", Metric::Euc2d, &spots).unwrap();
            instance.tour_cost(&instance.greedy_tour()).unwrap();
        }
        let instance = Instance::from_coords("", Metric::Euc2d, &[DVec2::ONE; 300]).unwrap();
        assert_eq!(instance.tour_cost(&instance.greedy_tour()).unwrap(), 0);
    }
}
