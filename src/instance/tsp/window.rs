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
use super::placed::PlacedTour;
use crate::error::{Error, Result};

/// Of the cities that are asked for, the part that a window has at least where others are in its way.
const LEAST_PART: usize = 2;

/// What is added to a city of a window behind which the tour stays as it is: along a path outside, or an edge that stays.
const STAYS: u32 = 1 << 31;

/// A tour that windows are cut out of, none with a city of another.
pub(crate) struct Cuts<'a> {
    instance: &'a Instance,
    neighbours: &'a Neighbours,
    tour: &'a PlacedTour,
    /// Whether a window has a city.
    taken: Vec<bool>,
}

/// A window of a tour, in the form that kernels know.
pub(crate) struct Window {
    normal: Normal,
    /// The window's cities in the tour's order, with STAYS where what follows stays.
    cities: Vec<u32>,
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
        let (at, n) = (tour.place(city), tour.len() as u32);
        [if at == 0 { n - 1 } else { at - 1 }, if at + 1 == n { 0 } else { at + 1 }].map(|place| tour.city(place))
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
    pub fn of(instance: &'a Instance, neighbours: &'a Neighbours, tour: &'a PlacedTour) -> Self {
        Self { instance, neighbours, tour, taken: vec![false; tour.len()] }
    }

    /// Leaves a window's cities to it.
    pub fn take(&mut self, window: &Window) {
        window.cities().for_each(|city| self.taken[city as usize] = true);
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
        let mut places: Vec<u32> = cities.map(|city| self.tour.place(city)).collect();
        places.sort_unstable();
        let form = self.instance.kernel_form;
        let follows = places.iter().cycle().skip(1);
        let cities = places.iter().zip(follows).map(|(&place, &next)| {
            let [here, behind] = [place, next].map(|place| self.tour.city(place));
            let stays = (place as usize + 1) % n != next as usize || form.is_pair(here, behind);
            if stays { here | STAYS } else { here }
        });
        let window = Window::of(self.instance, cities.collect())?;
        self.take(&window);
        Ok(Some(window))
    }
}

impl Window {
    /// The window of `instance` that [`Window::words`] describe.
    ///
    /// # Errors
    /// What the window's instance refuses; [`Error::Checkpoint`] for what is none of the instance's windows.
    pub fn from_words(instance: &Instance, words: &[u32]) -> Result<Self> {
        let mut seen = vec![false; instance.len()];
        let is_new =
            |&word: &u32| seen.get_mut((word & !STAYS) as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        if words.len() < 3 || !words.iter().all(is_new) {
            return Err(Error::Checkpoint(
                "its window is none of the instance; take an earlier checkpoint, or begin the run again".into(),
            ));
        }
        Self::of(instance, words.to_vec())
    }

    fn of(instance: &Instance, words: Vec<u32>) -> Result<Self> {
        let cities: Vec<u32> = words.iter().map(|word| word & !STAYS).collect();
        let count = cities.len() as u32;
        let fixed = (0..count).filter(|&index| words[index as usize] & STAYS != 0);
        let fixed: Vec<[u32; 2]> = fixed.map(|index| [index, (index + 1) % count]).collect();
        let part = if instance.metric() == Metric::Explicit {
            let row = |&a: &u32| cities.iter().map(move |&b| instance.distance(a as usize, b as usize));
            Instance::from_matrix(instance.name(), cities.len(), cities.iter().flat_map(row).collect())?
        } else {
            let coords: Vec<DVec3> = cities.iter().map(|&city| instance.coords()[city as usize]).collect();
            Instance::of_coords(instance.name().to_owned(), instance.metric(), coords).in_frame_of(instance)
        };
        let part = if fixed.is_empty() { part } else { part.with_fixed_edges(&fixed)? };
        let normal = part.normal(true)?;
        let own = normal.tour(&(0..count).collect::<Vec<_>>())?;
        let cost = normal.instance().tour_cost(&own)?;
        Ok(Self { normal, cities: words, cost })
    }

    /// What makes it once more: its cities in the tour's order, and what stays behind them.
    pub fn words(&self) -> &[u32] {
        &self.cities
    }

    /// The window's instance, in the form that kernels know.
    pub fn instance(&self) -> &Instance {
        self.normal.instance()
    }

    /// What the window's part of the tour costs, in that form: a tour of the window gains what it costs less.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The window's cities, in the tour's order.
    pub fn cities(&self) -> impl Iterator<Item = u32> {
        self.cities.iter().map(|word| word & !STAYS)
    }

    /// What a tour of the window, in the form that kernels know, changes of the tour: the edges that it has not and those that it has
    /// instead.
    pub fn changes(&self, own: &[u32]) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
        let order = self.normal.solution(own);
        let (count, city) = (order.len(), |index: usize| self.cities[index] & !STAYS);
        let mut kept = vec![false; count];
        let mut added = Vec::new();
        for (at, &here) in order.iter().enumerate() {
            let (here, next) = (here as usize, order[(at + 1) % count] as usize);
            if next == (here + 1) % count {
                kept[here] = true;
            } else if here == (next + 1) % count {
                kept[next] = true;
            } else {
                added.push([city(here), city(next)]);
            }
        }
        let removed = (0..count).filter(|&index| !kept[index]);
        let removed = removed.map(|index| [city(index), city((index + 1) % count)]).collect();
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
        let (tour, neighbours) = (PlacedTour::of(instance.greedy_tour()), instance.neighbours(NEAR));
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
            window.cities().for_each(|city| had[city as usize] += 1);
            let again = Window::from_words(&instance, window.words()).unwrap();
            assert_eq!((again.cost(), again.words()), (window.cost(), window.words()));
        }
        assert!(windows >= 5 && had.iter().all(|count| *count <= 1), "{windows} windows");
    }

    #[test]
    fn what_is_no_window_is_refused() {
        let instance = generate(Kind::Uniform, 100, 3).unwrap();
        for words in [vec![], vec![1, 2], vec![1, 2, 3, 2], vec![1, 2, 100 | STAYS], vec![1, 2, 1 | STAYS]] {
            assert!(matches!(Window::from_words(&instance, &words), Err(Error::Checkpoint(_))), "{words:?}");
        }
        assert!(Window::from_words(&instance, &[1, 2 | STAYS, 3, 4]).is_ok());
    }

    #[test]
    fn a_window_of_all_cities_is_the_instance() {
        let instance = generate(Kind::Uniform, 100, 3).unwrap();
        let tour = PlacedTour::of(instance.greedy_tour());
        let window = Cuts::of(&instance, &instance.neighbours(NEAR), &tour).cut(4, 100).unwrap().unwrap();
        assert_eq!((window.instance().len(), window.cost()), (100, instance.tour_cost(tour.tour()).unwrap()));
        let own = window.normal.tour(&(0..100).collect::<Vec<_>>()).unwrap();
        assert_eq!((window.cities().count(), window.changes(&own)), (100, (Vec::new(), Vec::new())));
    }
}
