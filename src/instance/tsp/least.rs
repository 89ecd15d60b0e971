//! The best tour of few cities, by dynamic programming over sets of them (Bellman 1962; Held and Karp 1962): what is left to visit depends
//! on which cities were visited and on the last one alone.

use std::cmp::Ordering;

use super::instance::{Instance, KernelForm};

/// The most parts of which all orders are gone through: of those that may be passed in both directions, and of those that are passed in one.
/// That takes about a millisecond, and with one direction a tenth of a second, where search is little quicker and may miss the best; twice as long where
/// a proof has to know what rounding changes, or ways differ from those back.
const MOST_PARTS: usize = 13;
const MOST_DIRECTED: usize = 18;

/// What a way that is not there counts as, so that sums of some are finite and tell how many they are.
const NO_WAY: f64 = 1e306;

/// What ways are added up in.
trait Sum: Copy + PartialOrd {
    /// More than any way.
    const NONE: Self;

    fn plus(self, other: Self) -> Self;
}

impl Sum for f64 {
    const NONE: Self = Self::INFINITY;

    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// The second number decides where the first ones are the same.
impl Sum for [f64; 2] {
    const NONE: Self = [f64::INFINITY; 2];

    fn plus(self, other: Self) -> Self {
        [self[0] + other[0], self[1] + other[1]]
    }
}

impl Instance {
    /// The parts of which a tour of an instance in the form for kernels consists, each as its ends: pairs of cities, and other cities.
    pub(in crate::instance) fn parts(&self) -> Vec<[u32; 2]> {
        let KernelForm { paired, .. } = self.kernel_form;
        let pairs = (0..paired as u32).step_by(2).map(|city| [city, city + 1]);
        pairs.chain((paired as u32..self.len() as u32).map(|city| [city, city])).collect()
    }

    /// Whether a tour has one direction: distances are asymmetric, or cities are two nodes each for that.
    fn is_directed(&self) -> bool {
        self.kernel_form.doubled || !self.is_symmetric()
    }

    /// Whether there are so few parts that all their orders are gone through.
    pub(in crate::instance) fn has_few_orders(&self) -> bool {
        self.parts().len() <= if self.is_directed() { MOST_DIRECTED } else { MOST_PARTS }
    }

    /// A tour that costs the least of all.
    pub(in crate::instance) fn best_of_parts(&self) -> Vec<u32> {
        self.best_of_parts_by(|from, to| self.own_way(from, to))
    }

    fn own_way(&self, from: u32, to: u32) -> f64 {
        f64::from(self.distance(from as usize, to as usize))
    }

    /// A tour that is the shortest by other ways; infinite where there is none: then a tour with as few of these as can be.
    pub(in crate::instance) fn shortest_of_parts(&self, apart: impl Fn(u32, u32) -> f64) -> Vec<u32> {
        self.best_of_parts_by(|from, to| apart(from, to).min(NO_WAY))
    }

    /// Of the tours that cost the least one that is the longest by other ways.
    pub(in crate::instance) fn longest_of_least(&self, apart: impl Fn(u32, u32) -> f64) -> Vec<u32> {
        self.best_of_parts_by(|from, to| [self.own_way(from, to), -apart(from, to)])
    }

    /// A tour whose ways between parts are the least together, `apart` being the way from where one is left to where another one is entered. It takes
    /// steps by p² · 2ᵖ and as much memory as p · 2ᵖ sums, p the number of parts.
    fn best_of_parts_by<S: Sum>(&self, apart: impl Fn(u32, u32) -> S) -> Vec<u32> {
        let parts = self.parts();
        let ([first, leave], others) = (parts[0], &parts[1..]);
        // A pair of cities is passed in either direction. The first one has one: a tour costs as much backwards. Cities that are two nodes each
        // are all passed in its direction, since no edge joins two nodes that are left, or two that are entered.
        let both = !self.kernel_form.doubled;
        let ways: Vec<(usize, [u32; 2])> = (others.iter().enumerate())
            .flat_map(|(part, &[a, b])| [Some((part, [a, b])), (both && a != b).then_some((part, [b, a]))])
            .flatten()
            .collect();
        // What it costs to come to the end of each way when a set of parts was passed, set by set.
        let (count, full) = (ways.len(), (1 << others.len()) - 1);
        let mut costs = vec![S::NONE; count * (full + 1)];
        for (way, &(part, [enter, _])) in ways.iter().enumerate() {
            costs[(1 << part) * count + way] = apart(leave, enter);
        }
        // From the end of each way to the beginning of each.
        let pairs = ways.iter().flat_map(|&(_, [_, from])| ways.iter().map(move |&(_, [to, _])| (from, to)));
        let between: Vec<S> = pairs.map(|(from, to)| apart(from, to)).collect();
        // Sets grow with their numbers.
        for set in 1..=full {
            for (last, apart) in between.chunks_exact(count).enumerate() {
                let cost = costs[set * count + last];
                if cost == S::NONE {
                    continue;
                }
                for (next, (&(part, _), apart)) in ways.iter().zip(apart).enumerate() {
                    if set >> part & 1 == 0 {
                        let (entry, sum) = (&mut costs[(set | 1 << part) * count + next], cost.plus(*apart));
                        *entry = if sum < *entry { sum } else { *entry };
                    }
                }
            }
        }
        // From the end to the beginning.
        let (mut tour, mut set, mut to) = (Vec::with_capacity(self.len()), full, first);
        while set > 0 {
            let cost_by = |way: usize| costs[set * count + way].plus(apart(ways[way].1[1], to));
            // A set that is not empty has a way to its end. Where the first number is infinite the second one may be NaN, and does not decide.
            let order = |&a: &usize, &b: &usize| cost_by(a).partial_cmp(&cost_by(b)).unwrap_or(Ordering::Equal);
            let Some(way) = (0..count).min_by(order) else { break };
            let (part, [enter, from]) = ways[way];
            tour.push(from);
            tour.extend((enter != from).then_some(enter));
            (set, to) = (set & !(1 << part), enter);
        }
        tour.extend((leave != first).then_some(leave));
        tour.push(first);
        tour.reverse();
        tour
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, generate};
    use super::*;

    /// The least cost of all orders of the cities that have one.
    fn least(instance: &Instance) -> u64 {
        fn orders(instance: &Instance, tour: &mut Vec<u32>, at: usize, least: &mut u64) {
            if at == tour.len() {
                *least = instance.tour_cost(tour).map_or(*least, |cost| cost.min(*least));
            }
            for other in at..tour.len() {
                tour.swap(at, other);
                orders(instance, tour, at + 1, least);
                tour.swap(at, other);
            }
        }
        let mut least = u64::MAX;
        orders(instance, &mut (0..instance.len() as u32).collect(), 0, &mut least);
        least
    }

    fn asymmetric(n: usize, seed: u32) -> Instance {
        let entry = |at: u32| (at + seed).wrapping_mul(2_654_435_761) >> 20;
        Instance::from_matrix("ways", n, (0..(n * n) as u32).map(entry).collect()).unwrap()
    }

    /// As cities and as two nodes each.
    #[test]
    fn with_one_direction_more_parts_are_few() {
        for n in [14, 18] {
            let instance = asymmetric(n, 5);
            let least = [false, true].map(|symmetric| {
                let normal = instance.normal(symmetric).unwrap();
                assert!(normal.instance().has_few_orders());
                assert_eq!(
                    (normal.instance().has_few_parts(), normal.instance().kernel_form.doubled),
                    (symmetric, symmetric)
                );
                instance.tour_cost(&normal.solution(&normal.instance().best_of_parts())).unwrap()
            });
            assert_eq!(least[0], least[1]);
        }
        assert!(!asymmetric(19, 5).has_few_orders());
        let [few, many] = [13, 14].map(|n| generate(Kind::Uniform, n, 1).unwrap().has_few_orders());
        assert!(few && !many);
    }

    #[test]
    fn no_order_costs_less() {
        for n in 1..=7 {
            for seed in 1..=3 {
                for instance in [generate(Kind::Uniform, n, seed.into()).unwrap(), asymmetric(n, seed)] {
                    let mut kinds = vec![instance.clone(), instance.clone().open_path(None, None).unwrap()];
                    if n > 3 {
                        kinds.push(instance.clone().open_path(Some(2), Some(0)).unwrap());
                        kinds.push(instance.clone().with_fixed_edges(&[[0, 1], [2, 3]]).unwrap());
                        let around: Vec<[u32; 2]> = (0..n as u32).map(|city| [city, (city + 1) % n as u32]).collect();
                        kinds.push(instance.clone().with_fixed_edges(&around).unwrap());
                        kinds.push(instance.clone().with_fixed_edges(&around[1..]).unwrap());
                        kinds.push(instance.with_fixed_edges(&[[3, 1]]).unwrap().open_path(Some(2), None).unwrap());
                    }
                    for (kind, instance) in kinds.into_iter().enumerate() {
                        for symmetric in [false, true] {
                            let normal = instance.normal(symmetric).unwrap();
                            let own = normal.instance().best_of_parts();
                            let tour = normal.solution(&own).into_owned();
                            let found = instance.tour_cost(&tour).unwrap();
                            assert_eq!(found, least(&instance), "{n} cities, seed {seed}, kind {kind}: {tour:?}");
                            assert_eq!(
                                normal.cost(normal.instance().tour_cost(&own).unwrap()),
                                found,
                                "{n} {seed} {kind}"
                            );
                        }
                    }
                }
            }
        }
    }
}
