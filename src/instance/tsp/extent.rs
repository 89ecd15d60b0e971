//! How large an instance is, told without much work: extents, about the longest distance and the cost of a tour.

use glam::DVec3;

use super::instance::Instance;
use super::metric::Metric;
use super::points::TOUR_LIMIT;

impl Instance {
    /// About the longest distance and the cost of a simple tour that has the fixed edges, told without much work. Of coordinates on the globe
    /// both are far too low, but neither is great there.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        let (longest, tour) = self.sizes_of_any_tour();
        let fixed = self.fixed_edges().iter().map(|&[a, b]| u64::from(self.distance(a as usize, b as usize)));
        (longest, tour + fixed.sum::<u64>())
    }

    /// The same whatever edges a tour is to have.
    fn sizes_of_any_tour(&self) -> (u64, u64) {
        if self.metric() == Metric::Explicit {
            // Whatever ends and edges a solution is to have.
            let made = || {
                let longest = self.matrix.iter().copied().max().unwrap_or(0);
                let tour = self.nearest_neighbour_tour(0);
                let edges = tour.iter().zip(tour.iter().cycle().skip(1));
                let cost = edges.map(|(&a, &b)| u64::from(self.distance(a as usize, b as usize))).sum();
                (longest.into(), cost)
            };
            // Not within the cell: who waits for other threads' shares of this may begin work that asks for the same.
            let known = self.sizes.get().copied().unwrap_or_else(made);
            return *self.sizes.get_or_init(|| known);
        }
        let size = match (self.metric(), &self.given) {
            (Metric::Haversine, Some(given)) => given.surface(),
            _ => extent(&self.coords),
        };
        (size.element_sum() as u64, simple_tour(self.len(), size) as u64)
    }

    /// About the longest distance, where a simple tour would cost too much for Lin-Kernighan search to count a whole tour.
    pub(crate) fn farthest(&self) -> Option<u64> {
        if self.metric() == Metric::Explicit {
            return None;
        }
        let (longest, tour) = self.sizes();
        (tour >= TOUR_LIMIT as u64).then_some(longest)
    }
}

/// How far places lie apart along each axis.
pub(super) fn extent(places: &[DVec3]) -> DVec3 {
    let low = places.iter().copied().reduce(DVec3::min).unwrap_or_default();
    places.iter().copied().reduce(DVec3::max).unwrap_or_default() - low
}

/// About the cost of a simple tour of cities in a box: a space-filling curve is a quarter longer than a good tour, and that at most as long
/// as of cities in a grid, in the box or on its sides.
pub(super) fn simple_tour(cities: usize, size: DVec3) -> f64 {
    let n = cities as f64;
    let sides = size.x * size.y + size.y * size.z + size.z * size.x;
    1.25 * ((n * sides).sqrt() + (n * n * size.x * size.y * size.z).cbrt()) + 4.0 * size.element_sum()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use rayon::prelude::*;

    use super::*;

    /// Sizes take the work of all threads: one that waits for the others begins work that asks for the same.
    #[test]
    fn threads_that_ask_at_the_same_time_do_not_wait_for_one_another() {
        let n: usize = 400;
        let weights: Vec<u32> = (0..n * n).map(|at| ((at % n).abs_diff(at / n) * 7919 % 9973) as u32).collect();
        let (sender, done) = mpsc::channel();
        std::thread::spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            for _ in 0..20 {
                let instance = Instance::from_matrix("matrix", n, weights.clone()).unwrap();
                let all: Vec<_> = pool.install(|| (0..16).into_par_iter().map(|_| instance.sizes()).collect());
                assert!(all.iter().all(|sizes| *sizes == all[0] && sizes.0 > 0));
            }
            sender.send(()).unwrap();
        });
        assert!(done.recv_timeout(Duration::from_secs(60)).is_ok(), "they do");
    }
}
