//! Windows of a tour as instances of their own: the cities around a centre, with the paths outside as edges that stay.
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

/// Of the cities that are asked for, the part that a window has at least where others are in its way.
const LEAST_PART: usize = 2;

/// A tour that windows are cut out of, none with a city of another.
pub(crate) struct Cuts<'a> {
    instance: &'a Instance,
    neighbours: &'a Neighbours,
    tour: &'a [u32],
    /// Where each city lies in the tour.
    positions: Vec<u32>,
    /// Whether a window has a city.
    taken: Vec<bool>,
}

/// A window of a tour, in the form that kernels know.
pub(crate) struct Window {
    normal: Normal,
    /// The window's cities in the tour's order: where each lies in the tour.
    places: Vec<u32>,
    /// What the window's part of the tour costs in that form.
    cost: u64,
}

/// The cities around a centre, as the window grows.
struct Growth<'a> {
    cuts: &'a Cuts<'a>,
    inside: Vec<bool>,
    /// Cities in the order in which they came.
    cities: Vec<u32>,
    /// Cities with an edge of the tour that may go: so many nodes the window has in the form for kernels.
    nodes: usize,
}

impl Growth<'_> {
    /// The cities before and behind one in the tour.
    fn beside(&self, city: u32) -> [u32; 2] {
        let tour = self.cuts.tour;
        let (at, n) = (self.cuts.positions[city as usize] as usize, tour.len());
        [tour[if at == 0 { n - 1 } else { at - 1 }], tour[if at + 1 == n { 0 } else { at + 1 }]]
    }

    /// Edges of the tour at a city that may go: both ends lie inside, and it is no pair.
    fn free_edges(&self, city: u32) -> usize {
        let form = self.cuts.instance.kernel_form;
        let is_free = |&other: &u32| self.inside[other as usize] && !form.is_pair(city, other) && other != city;
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

impl<'a> Cuts<'a> {
    /// Of a tour of `instance`.
    pub fn of(instance: &'a Instance, neighbours: &'a Neighbours, tour: &'a [u32]) -> Self {
        let n = tour.len();
        let mut positions = vec![0; n];
        tour.iter().zip(0..).for_each(|(&city, at)| positions[city as usize] = at);
        Self { instance, neighbours, tour, positions, taken: vec![false; n] }
    }

    /// Whether a window has the city already.
    pub fn is_taken(&self, city: u32) -> bool {
        self.taken[city as usize]
    }

    /// The window that grows from `centre`, breadth first along the edges to neighbours and those of the tour, until `size` cities have edges
    /// that may go; `None` where windows before leave it less than half of that. In instances with the gap of an open path that stays
    /// where it is.
    ///
    /// # Errors
    /// What the window's instance refuses.
    pub fn cut(&mut self, centre: u32, size: usize) -> Result<Option<Window>> {
        let n = self.tour.len();
        let mut seen = self.taken.clone();
        if seen[centre as usize] {
            return Ok(None);
        }
        if let Some(gap) = self.instance.kernel_form.gap {
            seen[gap as usize] = true;
        }
        let (inside, cities) = (vec![false; n], Vec::with_capacity(size + size / 8));
        let mut growth = Growth { cuts: self, inside, cities, nodes: 0 };
        let mut queue = VecDeque::from([centre]);
        seen[centre as usize] = true;
        while let Some(city) = queue.pop_front()
            && growth.nodes < size
        {
            growth.set(city, true);
            growth.cities.push(city);
            for &near in self.neighbours.row(city as usize).iter().chain(&growth.beside(city)) {
                if !std::mem::replace(&mut seen[near as usize], true) {
                    queue.push_back(near);
                }
            }
        }
        growth.shrink(size);
        let Growth { inside, cities, nodes, .. } = growth;
        // The first one has what there is.
        if nodes < size / LEAST_PART && self.taken.contains(&true) {
            return Ok(None);
        }
        let cities = cities.into_iter().filter(|&city| inside[city as usize]);
        let mut places: Vec<u32> = cities.map(|city| self.positions[city as usize]).collect();
        places.sort_unstable();
        for &place in &places {
            self.taken[self.tour[place as usize] as usize] = true;
        }
        Window::of(self.instance, self.tour, places).map(Some)
    }
}

impl Window {
    /// The window of the cities at these places of a tour, in rising order.
    fn of(instance: &Instance, tour: &[u32], places: Vec<u32>) -> Result<Self> {
        let cities: Vec<u32> = places.iter().map(|&place| tour[place as usize]).collect();
        let count = cities.len() as u32;
        let stays = |&index: &u32| {
            let (here, next) = (index as usize, ((index + 1) % count) as usize);
            let follows = (places[here] as usize + 1) % tour.len() == places[next] as usize;
            !follows || instance.kernel_form.is_pair(cities[here], cities[next])
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
        Ok(Self { normal, places, cost })
    }

    /// The window's instance, in the form that kernels know.
    pub fn instance(&self) -> &Instance {
        self.normal.instance()
    }

    /// What the window's part of the tour costs, in that form: a tour of the window gains what it costs less.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Where the window's cities lie in the tour, in rising order.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// What a tour of the window, in the form that kernels know, changes of the tour: the edges that it has not and those that it has
    /// instead, by the places of their ends.
    pub fn changes(&self, own: &[u32]) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
        let cities = self.normal.solution(own);
        let count = cities.len();
        let mut kept = vec![false; count];
        let mut added = Vec::new();
        for (at, &city) in cities.iter().enumerate() {
            let (here, next) = (city as usize, cities[(at + 1) % count] as usize);
            if next == (here + 1) % count {
                kept[here] = true;
            } else if here == (next + 1) % count {
                kept[next] = true;
            } else {
                added.push([self.places[here], self.places[next]]);
            }
        }
        let removed = (0..count).filter(|&index| !kept[index]);
        let removed = removed.map(|index| [self.places[index], self.places[(index + 1) % count]]).collect();
        (removed, added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};

    const NEAR: usize = 8;

    #[test]
    fn windows_beside_each_other_share_no_city() {
        let instance = generate(Kind::Clustered, 1000, 3).unwrap();
        let (tour, neighbours) = (instance.greedy_tour(), instance.neighbours(NEAR));
        let mut cuts = Cuts::of(&instance, &neighbours, &tour);
        let mut had = vec![0; 1000];
        let mut windows = 0;
        for centre in (0..1000).step_by(10) {
            let was_taken = cuts.is_taken(centre);
            let window = cuts.cut(centre, 150).unwrap();
            assert!(!was_taken || window.is_none());
            let Some(window) = window else { continue };
            windows += 1;
            assert!((75..=150).contains(&window.instance().len()), "{}", window.instance().len());
            window.places().iter().for_each(|&place| had[place as usize] += 1);
        }
        assert!(windows >= 5 && had.iter().all(|count| *count <= 1), "{windows} windows");
    }

    #[test]
    fn a_window_of_all_cities_is_the_instance() {
        let instance = generate(Kind::Uniform, 100, 3).unwrap();
        let tour = instance.greedy_tour();
        let window = Cuts::of(&instance, &instance.neighbours(NEAR), &tour).cut(4, 100).unwrap().unwrap();
        assert_eq!((window.instance().len(), window.cost()), (100, instance.tour_cost(&tour).unwrap()));
        let own = window.normal.tour(&(0..100).collect::<Vec<_>>()).unwrap();
        assert_eq!((window.places().len(), window.changes(&own)), (100, (Vec::new(), Vec::new())));
    }
}
