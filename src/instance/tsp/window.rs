//! A window of a tour as an instance of its own: the cities around a centre, with the paths outside as edges that stay.
//!
//! Tours of the window are tours of the whole, so a search of the window alone improves the tour of all cities (Karp 1977, partitioning;
//! LKH 2 improves parts of a tour in the same way, Helsgaun 2009).

use std::collections::VecDeque;

use glam::DVec3;

use super::instance::Instance;
use super::metric::Metric;
use super::neighbours::Neighbours;
use super::normal::Normal;
use crate::error::Result;

/// A window of a tour, in the form that kernels know.
pub(crate) struct Window {
    normal: Normal,
    /// The whole tour as it was when the window was cut. It begins in the window.
    tour: Vec<u32>,
    /// The window's cities in the tour's order: where each lies in the tour.
    places: Vec<u32>,
    /// What the window's part of the tour costs in that form.
    cost: u64,
}

/// The cities around a centre, as the window grows.
struct Growth<'a> {
    instance: &'a Instance,
    tour: &'a [u32],
    /// Where each city lies in the tour.
    positions: Vec<u32>,
    inside: Vec<bool>,
    /// Cities in the order in which they came.
    cities: Vec<u32>,
    /// Cities with an edge of the tour that may go: so many nodes the window has in the form for kernels.
    nodes: usize,
}

impl Growth<'_> {
    /// The cities before and behind one in the tour.
    fn beside(&self, city: u32) -> [u32; 2] {
        let (at, n) = (self.positions[city as usize] as usize, self.tour.len());
        [self.tour[if at == 0 { n - 1 } else { at - 1 }], self.tour[if at + 1 == n { 0 } else { at + 1 }]]
    }

    /// Edges of the tour at a city that may go: both ends lie inside, and it is no pair.
    fn free_edges(&self, city: u32) -> usize {
        let is_free = |&other: &u32| {
            self.inside[other as usize] && !self.instance.kernel_form.is_pair(city, other) && other != city
        };
        self.beside(city).iter().filter(|other| is_free(other)).count()
    }

    /// Cities with free edges among these.
    fn nodes_among(&self, cities: &[u32]) -> usize {
        cities.iter().filter(|&&city| self.inside[city as usize] && self.free_edges(city) > 0).count()
    }

    /// Puts a city inside, or takes it out again.
    fn set(&mut self, city: u32, inside: bool) {
        let [before, behind] = self.beside(city);
        let near = if before == behind { vec![city, before] } else { vec![city, before, behind] };
        let nodes = self.nodes_among(&near);
        self.inside[city as usize] = inside;
        self.nodes = self.nodes + self.nodes_among(&near) - nodes;
    }

    /// Takes cities that came late out again until there are `size` nodes, as far as one at a time goes.
    fn shrink(&mut self, size: usize) {
        for at in (0..self.cities.len()).rev() {
            if self.nodes <= size {
                return;
            }
            let city = self.cities[at];
            let whole = |city: u32| self.free_edges(city) == 2;
            if whole(city) && self.beside(city).into_iter().all(whole) {
                self.set(city, false);
            }
        }
    }
}

impl Window {
    /// The window of `tour` that grows from `centre`, breadth first along the edges to `neighbours` and those of the tour, until `size`
    /// cities have edges that may go. In instances with the gap of an open path that stays where it is.
    ///
    /// # Errors
    /// What the window's instance refuses.
    pub fn cut(instance: &Instance, tour: &[u32], neighbours: &Neighbours, centre: u32, size: usize) -> Result<Self> {
        let n = tour.len();
        let mut positions = vec![0; n];
        tour.iter().zip(0..).for_each(|(&city, at)| positions[city as usize] = at);
        let (inside, cities) = (vec![false; n], Vec::with_capacity(size + size / 8));
        let mut growth = Growth { instance, tour, positions, inside, cities, nodes: 0 };
        let mut seen = vec![false; n];
        if let Some(gap) = instance.kernel_form.gap {
            seen[gap as usize] = true;
        }
        let mut queue = VecDeque::from([centre]);
        seen[centre as usize] = true;
        while let Some(city) = queue.pop_front()
            && growth.nodes < size
        {
            growth.set(city, true);
            growth.cities.push(city);
            for &near in neighbours.row(city as usize).iter().chain(&growth.beside(city)) {
                if !std::mem::replace(&mut seen[near as usize], true) {
                    queue.push_back(near);
                }
            }
        }
        growth.shrink(size);
        let inside = growth.inside;
        Self::of(instance, tour, &inside)
    }

    /// The window of the cities that are inside.
    fn of(instance: &Instance, tour: &[u32], inside: &[bool]) -> Result<Self> {
        let first = tour.iter().position(|&city| inside[city as usize]).unwrap_or(0);
        let tour = [&tour[first..], &tour[..first]].concat();
        let places: Vec<u32> =
            (0u32..).zip(&tour).filter(|(_, city)| inside[**city as usize]).map(|(at, _)| at).collect();
        let cities: Vec<u32> = places.iter().map(|&place| tour[place as usize]).collect();
        let count = cities.len() as u32;
        let stays = |&index: &u32| {
            let (here, next) = (index as usize, ((index + 1) % count) as usize);
            let path = places.get(here + 1).map_or(tour.len() as u32, |&next| next) - places[here] > 1;
            path || instance.kernel_form.is_pair(cities[here], cities[next])
        };
        let fixed: Vec<[u32; 2]> = (0..count).filter(stays).map(|index| [index, (index + 1) % count]).collect();
        let part = if instance.metric() == Metric::Explicit {
            let row = |&a: &u32| cities.iter().map(move |&b| instance.distance(a as usize, b as usize));
            Instance::from_matrix(instance.name(), cities.len(), cities.iter().flat_map(row).collect())?
        } else {
            let coords: Vec<DVec3> = cities.iter().map(|&city| instance.coords()[city as usize]).collect();
            Instance::of_coords(instance.name().to_owned(), instance.metric(), coords)
        };
        let part = if fixed.is_empty() { part } else { part.with_fixed_edges(&fixed)? };
        let normal = part.normal(true)?;
        let own = normal.tour(&(0..count).collect::<Vec<_>>())?;
        let cost = normal.instance().tour_cost(&own)?;
        Ok(Self { normal, tour, places, cost })
    }

    /// The window's instance, in the form that kernels know.
    pub fn instance(&self) -> &Instance {
        self.normal.instance()
    }

    /// What the window's part of the tour costs, in that form: a tour of the window gains what it costs less.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The whole tour as it was when the window was cut.
    pub fn tour(&self) -> &[u32] {
        &self.tour
    }

    /// The window's cities.
    pub fn cities(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|&place| self.tour[place as usize])
    }

    /// The whole tour with a tour of the window, in the form that kernels know, in place of what it had there.
    pub fn merged(&self, own: &[u32]) -> Vec<u32> {
        let cities = self.normal.solution(own);
        let count = self.places.len();
        // The path behind a city of the window, up to the next one.
        let path = |index: usize| {
            let end = self.places.get(index + 1).map_or(self.tour.len(), |&next| next as usize);
            &self.tour[self.places[index] as usize + 1..end]
        };
        let mut merged = Vec::with_capacity(self.tour.len());
        for (at, &city) in cities.iter().enumerate() {
            let (here, next) = (city as usize, cities[(at + 1) % count] as usize);
            merged.push(self.tour[self.places[here] as usize]);
            if next == (here + 1) % count {
                merged.extend(path(here));
            } else if here == (next + 1) % count {
                merged.extend(path(next).iter().rev());
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};

    const NEAR: usize = 8;

    /// The window's part of the tour, in the form that kernels know.
    fn own(window: &Window) -> Vec<u32> {
        window.normal.tour(&(0..window.places.len() as u32).collect::<Vec<_>>()).unwrap()
    }

    /// What a window's tour gains, the whole tour gains: here the two cities behind the first one that has three free ones change places.
    fn exchanged(window: &Window) -> Vec<u32> {
        let form = window.instance().kernel_form;
        let mut own = own(window);
        let free = |edge: &[u32]| !form.is_pair(edge[0], edge[1]);
        let at = own.windows(4).position(|four| four.windows(2).all(free)).unwrap();
        own.swap(at + 1, at + 2);
        own
    }

    #[test]
    fn what_a_window_gains_the_whole_tour_gains() {
        let plane = generate(Kind::Clustered, 600, 3).unwrap();
        let matrix = Instance::from_matrix("matrix", 600, plane.distance_matrix()).unwrap();
        let fixed = plane.clone().with_fixed_edges(&[[3, 4], [4, 17], [9, 200]]).unwrap().in_kernel_form(true).unwrap();
        let open = plane.clone().open_path(Some(5), None).unwrap().in_kernel_form(true).unwrap();
        for instance in [plane, matrix, fixed, open] {
            let tour = instance.greedy_tour();
            let (cost, neighbours) = (instance.tour_cost(&tour).unwrap(), instance.neighbours(NEAR));
            for (centre, size) in [(0, 20), (77, 101), (300, 250), (598, 500)] {
                let window = Window::cut(&instance, &tour, &neighbours, centre, size).unwrap();
                assert_eq!(window.instance().len(), size, "{} {centre}", instance.name());
                let same = window.merged(&own(&window));
                assert_eq!(instance.tour_cost(&same).unwrap(), cost);
                let own = exchanged(&window);
                let changed = window.instance().tour_cost(&own).unwrap();
                let whole = instance.tour_cost(&window.merged(&own)).unwrap();
                assert_eq!(whole.wrapping_sub(cost), changed.wrapping_sub(window.cost()), "{centre} {size}");
                assert_ne!(changed, window.cost());
            }
        }
    }

    #[test]
    fn a_window_of_all_cities_is_the_instance() {
        let instance = generate(Kind::Uniform, 100, 3).unwrap();
        let tour = instance.greedy_tour();
        let window = Window::cut(&instance, &tour, &instance.neighbours(NEAR), 4, 100).unwrap();
        assert_eq!((window.instance().len(), window.cost()), (100, instance.tour_cost(&tour).unwrap()));
        assert_eq!(window.cities().count(), 100);
        assert_eq!(instance.tour_cost(&window.merged(&own(&window))).unwrap(), window.cost());
    }
}
