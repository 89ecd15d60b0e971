//! A first tour improved by Lin-Kernighan search on the host, the same for every device.

use super::twin::{Search, Step};
use super::{LONG, NEIGHBOURS};
use crate::algorithm::choices::Breadth;
use crate::instance::tsp::{Instance, KernelForm};
use crate::kernels::shared::array_tour::{ArrayTour, Ground};
use crate::kernels::shared::distances::measure;

/// From so many cities on the nearest of each quadrant come first in neighbour lists: all near cities of a cluster lie within it, and
/// search does not leave a bad tour between clusters (Johnson and McGeoch 1997). Windows that have to mend that later take longer than these
/// lists; with fewer cities crossover follows so soon that they do not pay.
const MANY_CITIES: usize = 12_000;
const QUADRANTS: usize = 2;

/// All cities of an instance on the host.
struct Host<D> {
    /// Rows of (city, distance).
    near: Vec<[u32; 2]>,
    ranks: usize,
    distance: D,
    form: KernelForm,
}

impl<D: Fn(usize, usize) -> u32> Ground for Host<D> {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        (self.distance)(a as usize, b as usize)
    }

    #[inline]
    fn ranks(&self) -> usize {
        self.ranks
    }

    #[inline]
    fn near(&self, city: u32, rank: usize) -> Option<[u32; 2]> {
        Some(self.near[city as usize * self.ranks + rank])
    }

    #[inline]
    fn is_fixed(&self, a: u32, b: u32) -> bool {
        self.form.is_pair(a, b)
    }
}

/// Searches the whole of `tour` once, as local search `lk` with wide chains does: each city is looked at in the order of the tour, and those
/// whose edges change again. Edges that stay do.
pub(crate) fn improve(instance: &Instance, tour: &mut [u32]) {
    let (rounding, exact) =
        instance.rounding_and_error().map_or((None, true), |(rounding, error)| (Some(rounding), error == 0.0));
    let distance = measure(instance, rounding);
    let lists = match instance.len() < MANY_CITIES {
        true => instance.neighbours(NEIGHBOURS),
        false => instance.quadrant_neighbours(NEIGHBOURS, QUADRANTS),
    };
    // A search ends where cities are too far: they follow each other by the distances that it takes.
    let lists = if exact { lists } else { lists.sorted_by(&distance) };
    let near = (0..instance.len()).flat_map(|city| lists.row(city).iter().map(move |&other| (city, other)));
    let near = near.map(|(city, other)| [other, distance(city, other as usize)]).collect();
    let ground = Host { near, ranks: lists.k(), distance, form: instance.kernel_form };
    let order = tour.to_vec();
    let mut search = Search::<_, Step>::new(ArrayTour::new(ground, tour), Breadth::Wide, LONG);
    order.into_iter().for_each(|city| search.queue.enqueue(city));
    while let Some(city) = search.queue.dequeue() {
        search.look(city);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Kind, generate};

    /// The greedy tour before and after.
    fn improved(instance: &Instance) -> (u64, u64, Vec<u32>) {
        let mut tour = instance.greedy_tour();
        let before = instance.tour_cost(&tour).unwrap();
        improve(instance, &mut tour);
        (before, instance.tour_cost(&tour).unwrap(), tour)
    }

    #[test]
    fn tours_become_much_shorter() {
        for (kind, cities) in [(Kind::Uniform, 2000), (Kind::Clustered, 13_000), (Kind::Lattice, 900)] {
            let instance = generate(kind, cities, 5).unwrap();
            let (before, after, tour) = improved(&instance);
            assert!(25 * after < 24 * before, "{kind:?}: {after} after {before}");
            assert_eq!(improved(&instance).2, tour);
        }
    }

    #[test]
    fn matrices_and_few_cities_are_taken() {
        for cities in 3..40 {
            let instance = generate(Kind::Uniform, cities, 1).unwrap();
            let matrix = (0..cities * cities).map(|i| instance.distance(i / cities, i % cities)).collect();
            let given = Instance::from_matrix("given", cities, matrix).unwrap();
            let [(before, after, _), (_, of_matrix, _)] = [improved(&instance), improved(&given)];
            assert!(after <= before && of_matrix <= before, "{cities}");
        }
    }

    #[test]
    fn edges_that_stay_do() {
        let instance = generate(Kind::Uniform, 300, 2).unwrap();
        let fixed: Vec<[u32; 2]> = (0..40).map(|i| [2 * i, 2 * i + 151]).collect();
        let open = instance.clone().with_fixed_edges(&fixed).unwrap();
        let form = Problem::from(open).form(true).unwrap();
        let Problem::Tsp(own) = form.problem() else { panic!("it is a tour") };
        let (before, after, tour) = improved(own);
        assert!(after < before);
        let mut position = vec![0; tour.len()];
        tour.iter().enumerate().for_each(|(at, &city)| position[city as usize] = at);
        let pairs = (0..own.kernel_form.paired as u32).step_by(2);
        assert!(own.kernel_form.paired >= 80);
        for city in pairs {
            let apart = position[city as usize].abs_diff(position[city as usize + 1]);
            assert!(apart == 1 || apart == tour.len() - 1, "{city}");
        }
    }
}
