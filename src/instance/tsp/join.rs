//! Windows that were improved side by side, in one tour.
//!
//! Each window's new tour alone is one of the whole. Two of them together can leave sub-tours; these are merged as edge assembly crossover
//! merges those of a child: the cheapest exchange of an edge of each (Nagata and Kobayashi 2013, section 3.1).

use std::cmp::Ordering;

use super::instance::Instance;
use super::neighbours::Neighbours;
use super::placed::PlacedTour;
use super::window::Window;

/// No place: an end that is open.
const NONE: u32 = u32::MAX;

/// A tour that takes over what windows of it have gained, one after the other.
pub(crate) struct Join<'a> {
    instance: &'a Instance,
    neighbours: &'a Neighbours,
    /// The tour as it was.
    tour: &'a PlacedTour,
    /// The places beside each place of it in the tour as it is now.
    beside: Vec<[u32; 2]>,
    /// Places that have others beside them than they had: in between the tour is as it was.
    changed: Vec<u32>,
    /// What to put back where a window is not taken over.
    before: Vec<(u32, [u32; 2])>,
}

/// An exchange that merges two sub-tours: (a, b) and (c, d) go, (a, c) and (b, d) come.
#[derive(Clone, Copy)]
struct Exchange {
    cost: i64,
    edges: [[u32; 2]; 2],
}

impl<'a> Join<'a> {
    /// Of a tour of `instance`.
    pub fn of(instance: &'a Instance, neighbours: &'a Neighbours, tour: &'a PlacedTour) -> Self {
        let n = tour.len() as u32;
        let mut beside: Vec<[u32; 2]> = (0..n).map(|place| [place.wrapping_sub(1), place + 1]).collect();
        if let [first, .., last] = &mut beside[..] {
            (first[0], last[1]) = (n - 1, 0);
        }
        Self { instance, neighbours, tour, beside, changed: Vec::new(), before: Vec::new() }
    }

    /// Takes over a window's tour, in the form that kernels know; how much shorter the whole tour is then. Not where its edges are none of the
    /// tour any more, nor where it takes more than it gains to merge the sub-tours that it leaves together with the windows before.
    pub fn take(&mut self, window: &Window, own: &[u32]) -> Option<u64> {
        self.before.clear();
        let (removed, added) = window.changes(own);
        let places = |edges: Vec<[u32; 2]>| edges.into_iter().map(|edge| edge.map(|city| self.tour.place(city)));
        let (removed, added): (Vec<_>, Vec<_>) = (places(removed).collect(), places(added).collect());
        let near: Vec<u32> = window.cities().map(|city| self.tour.place(city)).collect();
        let changed = removed.into_iter().all(|[a, b]| self.change(a, b, NONE) && self.change(b, a, NONE))
            && added.into_iter().all(|[a, b]| self.change(a, NONE, b) && self.change(b, NONE, a));
        let whole = changed && self.merge_sub_tours(&near).is_some();
        let gained = whole.then(|| self.gained()).and_then(|gained| u64::try_from(gained).ok());
        let gained = gained.filter(|gained| *gained > 0);
        match gained {
            Some(_) => self.changed = self.all_changed(),
            None => {
                while let Some((place, beside)) = self.before.pop() {
                    self.beside[place as usize] = beside;
                }
            }
        }
        gained
    }

    /// How much shorter the changes of the window that is being taken over make the tour: every edge has two ends that change.
    fn gained(&self) -> i64 {
        let mut first = self.before.clone();
        // Of several changes of a place the first knows what was beside it before.
        first.sort_by_key(|(place, _)| *place);
        first.dedup_by_key(|(place, _)| *place);
        let to = |place: u32, beside: [u32; 2]| -> i64 {
            let [here, there] = [place, beside[0]].map(|place| self.tour.city(place) as usize);
            let beyond = self.tour.city(beside[1]) as usize;
            i64::from(self.instance.distance(here, there)) + i64::from(self.instance.distance(here, beyond))
        };
        let each = first.iter().map(|&(place, beside)| to(place, beside) - to(place, self.beside[place as usize]));
        each.sum::<i64>() / 2
    }

    /// The tour as it is now, from the first city of the earlier one on.
    pub fn tour(&self) -> PlacedTour {
        self.tour.reordered(self.stretches(&self.changed))
    }

    /// The places that windows have changed, with those of the one that is being taken over.
    fn all_changed(&self) -> Vec<u32> {
        let own = self.before.iter().map(|(place, _)| *place);
        let mut all: Vec<u32> = self.changed.iter().copied().chain(own).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Stretches of the tour as it was, one behind the other as the tour around the first place has them now, where nothing has changed
    /// beside other places than these.
    fn stretches(&self, changed: &[u32]) -> Vec<[u32; 2]> {
        let n = self.tour.len() as u32;
        let is_parted = |&place: &u32| !self.beside[place as usize].contains(&(place - 1));
        // The first place is a stretch of its own: the tour goes on from there as it does beside it.
        let parted = changed.iter().copied().filter(|&place| place > 1).filter(is_parted);
        let firsts: Vec<u32> = [0, 1].into_iter().filter(|&place| place < n).chain(parted).collect();
        let mut found = vec![[0, 0]];
        let (mut last, mut here) = (0, self.beside[0][1]);
        while here != 0 {
            let at = firsts.partition_point(|&first| first <= here) - 1;
            let ends = [firsts[at], firsts.get(at + 1).copied().unwrap_or(n) - 1];
            let [begin, end] = if here == ends[0] { ends } else { [ends[1], ends[0]] };
            let from = match begin.cmp(&end) {
                Ordering::Less => end - 1,
                Ordering::Equal => last,
                Ordering::Greater => end + 1,
            };
            found.push([begin, end]);
            let [a, b] = self.beside[end as usize];
            (last, here) = (end, if a == from { b } else { a });
        }
        found
    }

    /// The places of a sub-tour, from one of them on.
    fn around(&self, first: u32) -> impl Iterator<Item = u32> {
        let (mut last, mut here) = (first, self.beside[first as usize][1]);
        std::iter::once(first).chain(std::iter::from_fn(move || {
            let place = (here != first).then_some(here)?;
            let [a, b] = self.beside[here as usize];
            (last, here) = (here, if a == last { b } else { a });
            Some(place)
        }))
    }

    /// Puts `new` where `old` is beside a place; whether it was there.
    fn change(&mut self, place: u32, old: u32, new: u32) -> bool {
        let beside = self.beside[place as usize];
        let Some(side) = beside.iter().position(|&other| other == old) else { return false };
        self.before.push((place, beside));
        self.beside[place as usize][side] = new;
        true
    }

    /// Merges sub-tours until there is one, `None` where it cannot be done. Each of them has a place among `near`, and edges are looked for there.
    fn merge_sub_tours(&mut self, near: &[u32]) -> Option<()> {
        let n = self.tour.len();
        let around = self.stretches(&self.all_changed());
        if around.into_iter().map(|[a, b]| a.abs_diff(b) as usize + 1).sum::<usize>() == n {
            return Some(());
        }
        let mut of = vec![NONE; n];
        let mut sizes = Vec::new();
        for &first in near {
            if of[first as usize] == NONE {
                let number = sizes.len() as u32;
                sizes.push(self.around(first).map(|place| of[place as usize] = number).count());
            }
        }
        let mut left = sizes.len();
        while left > 1 {
            let alive = sizes.iter().enumerate().filter(|(_, size)| **size > 0);
            let (smallest, _) = alive.min_by_key(|(_, size)| **size)?;
            let places = near.iter().copied().filter(|&place| of[place as usize] == smallest as u32);
            let best = places.filter_map(|place| self.cheapest(place, &of)).min_by_key(|exchange| exchange.cost)?;
            let [[a, b], [c, d]] = best.edges;
            let other = of[c as usize];
            let small: Vec<u32> = self.around(a).collect();
            small.into_iter().for_each(|place| of[place as usize] = other);
            for (place, old, new) in [(a, b, c), (b, a, d), (c, d, a), (d, c, b)] {
                self.change(place, old, new);
            }
            sizes[other as usize] += std::mem::take(&mut sizes[smallest]);
            left -= 1;
        }
        Some(())
    }

    /// The cheapest exchange of an edge at a place with an edge at a neighbour's in another sub-tour; the first of equal ones.
    fn cheapest(&self, place: u32, of: &[u32]) -> Option<Exchange> {
        let form = self.instance.kernel_form;
        let city = |place: u32| self.tour.city(place);
        let stays = |a: u32, b: u32| form.is_pair(city(a), city(b));
        let distance = |a: u32, b: u32| i64::from(self.instance.distance(city(a) as usize, city(b) as usize));
        let others = self.neighbours.row(city(place) as usize).iter().map(|&near| self.tour.place(near));
        let others = others.filter(|&other| of[other as usize] != of[place as usize] && of[other as usize] != NONE);
        let mut best: Option<Exchange> = None;
        for other in others {
            for next in self.beside[place as usize].into_iter().filter(|&next| !stays(place, next)) {
                for beyond in self.beside[other as usize].into_iter().filter(|&beyond| !stays(other, beyond)) {
                    let added = distance(place, other) + distance(next, beyond);
                    let cost = added - distance(place, next) - distance(other, beyond);
                    if best.is_none_or(|best| cost < best.cost) {
                        best = Some(Exchange { cost, edges: [[place, next], [other, beyond]] });
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::super::window::Cuts;
    use super::*;
    use crate::instance::tsp::{Kind, Metric, generate};

    const NEAR: usize = 8;

    /// Windows of a tour around these cities.
    fn windows(
        instance: &Instance,
        neighbours: &Neighbours,
        tour: &PlacedTour,
        centres: &[u32],
        size: usize,
    ) -> Vec<Window> {
        let mut cuts = Cuts::of(instance, neighbours, tour);
        centres.iter().filter_map(|&centre| cuts.cut(centre, size).unwrap()).collect()
    }

    /// Another tour of a window, by 2-opt from its greedy edges on; edges that stay are never exchanged.
    fn own(window: &Window) -> (Vec<u32>, u64) {
        let instance = window.instance();
        let (mut own, n) = (instance.greedy_tour(), instance.len());
        let stays = |a: u32, b: u32| instance.kernel_form.is_pair(a, b);
        let distance = |a: u32, b: u32| instance.distance(a as usize, b as usize);
        let mut gained = true;
        while std::mem::take(&mut gained) {
            for (i, j) in (0..n - 2).flat_map(|i| (i + 2..n).map(move |j| (i, j))) {
                let (a, b, c, d) = (own[i], own[i + 1], own[j], own[(j + 1) % n]);
                if a == d
                    || stays(a, b)
                    || stays(c, d)
                    || distance(a, c) + distance(b, d) >= distance(a, b) + distance(c, d)
                {
                    continue;
                }
                own[i + 1..=j].reverse();
                gained = true;
            }
        }
        let cost = instance.tour_cost(&own).unwrap();
        (own, cost)
    }

    /// A plane instance, one with a matrix, one with edges that stay, an open path, and all other ways to measure distances.
    fn instances() -> Vec<Instance> {
        let plane = generate(Kind::Clustered, 600, 3).unwrap();
        let matrix = Instance::from_matrix("matrix", 600, plane.distance_matrix()).unwrap();
        let fixed = plane.clone().with_fixed_edges(&[[3, 4], [4, 17], [9, 200]]).unwrap().in_kernel_form(true).unwrap();
        let open = plane.clone().open_path(Some(5), None).unwrap().in_kernel_form(true).unwrap();
        let small: Vec<[f64; 2]> = plane.coords().iter().map(|p| [p.x / 20_000.0, p.y / 40_000.0]).collect();
        let globe = Instance::from_lon_lat(&small).unwrap().in_kernel_form(true).unwrap();
        let decimals = Instance::from_points(&small).unwrap().in_kernel_form(true).unwrap();
        // Of degrees the decimals are minutes.
        let minutes: Vec<DVec2> = small.into_iter().map(DVec2::from).map(|p| p.trunc() + 0.59 * p.fract()).collect();
        let geo = Instance::from_coords("geo", Metric::Geo, &minutes).unwrap();
        let places: Vec<DVec2> = plane.coords().iter().map(|p| p.truncate()).collect();
        let others = [Metric::Ceil2d, Metric::Man2d, Metric::Max2d, Metric::Att];
        let others = others.map(|metric| Instance::from_coords("other", metric, &places).unwrap());
        [vec![plane, matrix, fixed, open, globe, decimals, geo], others.to_vec()].concat()
    }

    #[test]
    fn what_a_window_gains_the_whole_tour_gains() {
        for instance in instances() {
            let tour = PlacedTour::of(instance.nearest_neighbour_tour(0));
            let (before, neighbours) = (instance.tour_cost(tour.tour()).unwrap(), instance.neighbours(NEAR));
            for (centre, size) in [(0, 20), (77, 101), (300, 250), (598, 500)] {
                let window = windows(&instance, &neighbours, &tour, &[centre], size).remove(0);
                assert_eq!(window.instance().len(), size, "{} {centre}", instance.name());
                let (own, cost) = own(&window);
                assert_ne!(cost, window.cost());
                let mut join = Join::of(&instance, &neighbours, &tour);
                let gain = window.cost().saturating_sub(cost);
                assert_eq!(join.take(&window, &own), Some(gain).filter(|gain| *gain > 0), "{centre} {size}");
                assert_eq!(instance.tour_cost(join.tour().tour()).unwrap(), before - gain);
            }
        }
    }
    #[test]
    fn windows_that_leave_sub_tours_together_are_joined() {
        let mut merged = 0;
        for (number, instance) in instances().into_iter().enumerate() {
            let neighbours = instance.neighbours(NEAR);
            for round in 0..8 {
                let tour = PlacedTour::of(instance.nearest_neighbour_tour(40 * round + 7));
                let before = instance.tour_cost(tour.tour()).unwrap();
                let centres: Vec<u32> = (0..60).map(|at| (at * 97 + 13 * round as u32) % 600).collect();
                let windows = windows(&instance, &neighbours, &tour, &centres, 60);
                assert!(windows.len() > 4);
                let mut join = Join::of(&instance, &neighbours, &tour);
                let (mut last, mut gains) = (before, 0);
                for window in &windows {
                    let (own, cost) = own(window);
                    let Some(gain) = window.cost().checked_sub(cost) else { continue };
                    let gained = join.take(window, &own);
                    let now = join.tour();
                    (0..now.len() as u32).for_each(|city| assert_eq!(now.city(now.place(city)), city));
                    let now = instance.tour_cost(now.tour()).unwrap();
                    assert_eq!(last - now, gained.unwrap_or(0), "instance {number}, round {round}");
                    assert_eq!(join.around(0).map(|place| tour.city(place)).collect::<Vec<_>>(), join.tour().tour());
                    merged += u32::from(gained.is_some_and(|gained| gained != gain));
                    (last, gains) = (now, gains + gain);
                }
                assert!(gains > 0 && before - last > gains / 2, "instance {number}: {} of {gains}", before - last);
            }
        }
        assert!(merged > 10, "{merged} windows left sub-tours");
    }

    #[test]
    fn a_window_is_taken_over_once() {
        let instance = generate(Kind::Uniform, 100, 3).unwrap();
        let (tour, neighbours) = (PlacedTour::of(instance.nearest_neighbour_tour(0)), instance.neighbours(NEAR));
        let windows = windows(&instance, &neighbours, &tour, &[4, 60], 30);
        let mut join = Join::of(&instance, &neighbours, &tour);
        let (own, cost) = own(&windows[0]);
        assert!(join.take(&windows[0], &own) == Some(windows[0].cost() - cost));
        // Its edges of the earlier tour are gone.
        let before = join.tour();
        assert!(join.take(&windows[0], &own).is_none() && join.tour().tour() == before.tour());
    }
}
