//! A lower bound on the cost of every tour: the one of Held and Karp (1970, 1971), by subgradient ascent over 1-trees.
//!
//! A 1-tree is a spanning tree with one more edge at one of its leaves, so each tour is one. Whatever is added to all distances at a city, its
//! penalty, makes every tour longer by twice as much; so the least 1-tree with penalties, less twice their sum, costs no more than any
//! tour. Penalties rise at cities with many edges of the 1-tree and fall at its leaves, with momentum (Volgenant and Jonker 1982) and
//! steps by the distance to a tour's cost (Held, Wolfe and Crowder 1974).
//!
//! The ascent looks at near cities alone, where a least 1-tree is found quickly but proves nothing. In the end, and now and then on the way,
//! one over all pairs of cities is made with the penalties found: that is the bound. Pairs that it takes and the near ones did not have
//! join them. Where cities lie in clusters penalties have a long way to go, and steps that become short too soon never get there: so the ascent
//! begins again from no penalties, with more patience, until that gains little. Everything is counted in whole numbers, so no rounding can make
//! the bound too high.

use std::cell::Cell;
use std::time::Duration;

use rayon::prelude::*;
use web_time::Instant;

use super::instance::Instance;
use crate::error::{Error, Result};
use crate::instance::share;

mod ascent;

use ascent::{Ascent, PATIENCE};

/// Parts of 1 that penalties are counted in.
const PARTS: i64 = 1 << 10;
/// The most cities: a least 1-tree takes steps by their square.
const MOST_CITIES: usize = 65_536;
/// The most rounds of ascent and proof of an attempt.
const ROUNDS: usize = 12;
/// The most attempts, each with so many times the patience of the one before, and the part of the way from the bound to a tour's cost that one has to
/// gain for another to follow.
const ATTEMPTS: usize = 5;
const MORE_PATIENCE: u32 = 4;
const ATTEMPT_GAIN: i64 = 1000;
/// From so many cities on the steps over all pairs are shared by threads.
const SHARED: usize = 8_192;
/// The first pass over all pairs of cities is made when the ascent has taken as long as that is expected to; between two passes it has so many
/// times as long as one took.
const NANOSECONDS_A_PAIR: u64 = 4;
const ASCENT_A_PASS: u32 = 3;
/// The last pass before an end that is known has so many times as long as the one before took.
const ROOM: f64 = 1.5;
/// Up to so many cities a pass takes less than 50 ms.
const QUICK: usize = 3_000;
/// So many leaves look for their second edges between two looks whether to go on.
const LEAVES: usize = 256;

/// A cost that no tour is below.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LowerBound {
    /// The bound.
    pub cost: u64,
    /// The same in the unit of what was given, which whole distances may differ from: no tour is shorter.
    pub length: f64,
    /// Steps of the ascent.
    pub steps: u32,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Instance {
    /// A cost that no tour is below (Held and Karp 1970), better the longer it may take. Where `limit` is over before the first pass over all
    /// pairs of cities it is half of what the two nearest cities of each are away, 13 to 25% below a tour. It ends by itself when it no longer
    /// rises, typically at 0.7% below the optimum; cities in clusters take longer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use myrmex::tsp::{Kind, generate, known_cost};
    ///
    /// let lattice = generate(Kind::Lattice, 100, 1)?;
    /// let bound = lattice.lower_bound(Duration::from_secs(10))?;
    /// assert!(bound.cost <= known_cost(Kind::Lattice, &lattice).unwrap());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for asymmetric instances, open paths, fixed edges, and for more than 65,536 cities.
    pub fn lower_bound(&self, limit: Duration) -> Result<LowerBound> {
        let began = Instant::now();
        self.lower_bound_until(began.checked_add(limit), |_| began.elapsed() < limit)
    }

    /// The same for as long as `goes_on` says so, which is asked in every step, and between those of a pass over all pairs, and told the bound so
    /// far.
    ///
    /// # Errors
    /// As [`Instance::lower_bound`].
    pub fn lower_bound_while(&self, goes_on: impl Fn(u64) -> bool) -> Result<LowerBound> {
        self.lower_bound_until(None, goes_on)
    }

    /// The same where it is known when `goes_on` will say no, if it does not before: a last pass over all pairs of cities is begun so that it is over
    /// then.
    ///
    /// # Errors
    /// As [`Instance::lower_bound`].
    pub fn lower_bound_until(&self, end: Option<Instant>, goes_on: impl Fn(u64) -> bool) -> Result<LowerBound> {
        let (began, n) = (Instant::now(), self.len());
        self.check_lower_bound()?;
        if n < 3 {
            let tour: Vec<u32> = (0..n as u32).collect();
            let cost = self.tour_cost(&tour)?;
            return Ok(LowerBound { cost, length: self.bound_in_unit(cost), steps: 0, seconds: 0.0 });
        }
        let tour = self.greedy_tour();
        let above = PARTS * self.tour_cost(&tour)? as i64;
        let mut ascent = Ascent::new(self, &tour);
        // What is known at once: each city has two edges.
        let best = Cell::new(self.two_nearest());
        // Costs are whole: a bound between two is the greater one.
        let whole = || (best.get().max(0) as u64).div_ceil(PARTS as u64);
        let goes_on = || goes_on(whole());
        // A pass that is over at once is made at the end in any case.
        let is_quick = n <= QUICK;
        let prove = |penalties: &[i64]| {
            let tree = self.least_one_tree(penalties, &|| is_quick || goes_on())?;
            best.set(best.get().max(tree.0));
            Some(tree)
        };
        // On the way there are passes, too, which take a fourth of the time, and a last one before the end.
        let expected = Duration::from_nanos(NANOSECONDS_A_PAIR * (n * n) as u64);
        let (since, wait, took) = (Cell::new(Instant::now()), Cell::new(expected), Cell::new(expected));
        let end = Cell::new(end);
        let look = |penalties: &[i64]| {
            let began = Instant::now();
            let is_last = end.get().is_some_and(|end| began + took.get().mul_f64(ROOM) >= end);
            if is_last || began.duration_since(since.get()) >= wait.get() {
                prove(penalties);
                since.set(Instant::now());
                took.set(since.get().duration_since(began));
                wait.set(if is_last { Duration::MAX } else { ASCENT_A_PASS * took.get() });
                end.set(end.get().filter(|_| !is_last));
            }
        };
        for attempt in 0..ATTEMPTS as u32 {
            let before = best.get();
            ascent.begin(PATIENCE * MORE_PATIENCE.pow(attempt));
            for round in 0..ROUNDS {
                let reached = ascent.rise(round, above, &goes_on, &look);
                let Some((value, edges)) = prove(&ascent.best_penalties) else { break };
                // What was reached among near cities is at least what holds among all.
                let is_proven = reached - value < PARTS;
                if is_proven || !goes_on() || !ascent.graph.add(self, &edges) {
                    break;
                }
            }
            let best = best.get();
            let gains = attempt == 0 || best - before > (above - best) / ATTEMPT_GAIN;
            if !gains || !goes_on() {
                break;
            }
        }
        let cost = whole();
        let length = self.bound_in_unit(cost);
        Ok(LowerBound { cost, length, steps: ascent.steps, seconds: began.elapsed().as_secs_f64() })
    }

    /// What a bound on costs is for lengths.
    fn bound_in_unit(&self, cost: u64) -> f64 {
        let bound = self.length_of(cost) - self.edge_error() * self.len() as f64;
        // Of negative weights nothing costs zero.
        if self.length_of(0) == 0.0 { bound.max(0.0) } else { bound }
    }

    /// Whether lower bounds are for this instance.
    ///
    /// # Errors
    /// As [`Instance::lower_bound`].
    pub fn check_lower_bound(&self) -> Result<()> {
        match self.len() {
            _ if !self.is_symmetric() => Err(Error::Config("lower bounds are for symmetric instances".into())),
            // A path may cost less than any tree with one more edge.
            _ if !self.is_free() => Err(Error::Config(
                "lower bounds are for closed tours without fixed edges: there is none for this problem".into(),
            )),
            n if n > MOST_CITIES => Err(Error::Config(format!(
                "lower bounds take steps by the square of the cities, at most {MOST_CITIES}, and there are {n}"
            ))),
            _ => Ok(()),
        }
    }

    /// What the two edges of each city cost at least, in parts: half of it, since each edge has two ends.
    fn two_nearest(&self) -> i64 {
        let near = self.neighbours(2);
        let of = |city: usize| {
            near.row(city).iter().map(|&other| i64::from(self.distance(city, other as usize))).sum::<i64>()
        };
        PARTS / 2 * (0..self.len()).map(of).sum::<i64>()
    }

    /// The value of the least 1-tree over all pairs of cities, in parts, and its edges; `None` where it was not to go on before that was found.
    fn least_one_tree(&self, penalties: &[i64], goes_on: &impl Fn() -> bool) -> Option<(i64, Vec<[u32; 2]>)> {
        let n = self.len();
        let reduced = |a: usize, b: usize| PARTS * i64::from(self.distance(a, b)) + penalties[a] + penalties[b];
        // Prim: of each city that is not in the tree yet the nearest one that is.
        let mut nearest: Vec<(i64, u32, u32)> = (1..n).map(|city| (reduced(0, city), 0, city as u32)).collect();
        let mut tree = Vec::with_capacity(n);
        let mut sum = 0;
        while !nearest.is_empty() {
            if !goes_on() {
                return None;
            }
            let least =
                |entries: &[(i64, u32, u32)]| entries.iter().map(|it| (it.0, it.2)).enumerate().min_by_key(|it| it.1);
            let at = least(&nearest).map_or(0, |(at, _)| at);
            let (weight, from, city) = nearest.swap_remove(at);
            sum += weight;
            tree.push([from, city]);
            let update = |entry: &mut (i64, u32, u32)| {
                let weight = reduced(city as usize, entry.2 as usize);
                if weight < entry.0 {
                    (entry.0, entry.1) = (weight, city);
                }
            };
            match nearest.len() >= SHARED {
                true => nearest.par_iter_mut().with_min_len(2048).for_each(update),
                false => nearest.iter_mut().for_each(update),
            }
        }
        let mut degree = vec![0u32; n];
        tree.iter().flatten().for_each(|&city| degree[city as usize] += 1);
        let other = |[a, b]: [u32; 2], city: u32| if a == city { b } else { a };
        let mut neighbour = vec![0; n];
        tree.iter().for_each(|&edge| edge.iter().for_each(|&city| neighbour[city as usize] = other(edge, city)));
        // At each leaf the second edge; the dearest of these proves most.
        let second = |leaf: usize| {
            let others = (0..n).filter(|&city| city != leaf && city != neighbour[leaf] as usize);
            others.map(|city| (reduced(leaf, city), [leaf as u32, city as u32])).min()
        };
        let leaves: Vec<usize> = (0..n).filter(|&city| degree[city] == 1).collect();
        let mut extra = None;
        for some in leaves.chunks(LEAVES) {
            if !goes_on() {
                return None;
            }
            extra = extra.max(some.par_iter().with_min_len(share::rows(n)).filter_map(|&leaf| second(leaf)).max());
        }
        // Three cities and more leave a leaf two others.
        if let Some((weight, edge)) = extra {
            sum += weight;
            tree.push(edge);
        }
        Some((sum - 2 * penalties.iter().sum::<i64>(), tree))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate, known_cost};

    const LONG: Duration = Duration::from_secs(20);

    /// The optimum of a few cities by trying every tour.
    fn optimum(instance: &Instance) -> u64 {
        fn best(instance: &Instance, tour: &mut Vec<u32>, from: usize) -> u64 {
            if from == tour.len() {
                return instance.tour_cost(tour).unwrap();
            }
            let each = (from..tour.len()).map(|other| {
                tour.swap(from, other);
                let cost = best(instance, tour, from + 1);
                tour.swap(from, other);
                cost
            });
            each.min().unwrap()
        }
        best(instance, &mut (0..instance.len() as u32).collect(), 1)
    }

    #[test]
    fn no_tour_is_below_the_bound() {
        let mut tight = 0;
        for seed in 0..40 {
            let n = 3 + seed as usize % 6;
            let instance = match seed % 3 {
                0 => generate(Kind::Uniform, n, seed).unwrap(),
                1 => generate(Kind::Clustered, n, seed).unwrap(),
                _ => {
                    // Distances without any geometry.
                    let word = |a: usize, b: usize| (a.min(b) * 7919 + a.max(b) * 104_729 + seed as usize * 31) % 97;
                    let weights = (0..n * n).map(|at| word(at / n, at % n) as u32).collect();
                    Instance::from_matrix("random", n, weights).unwrap()
                }
            };
            let (bound, optimum) = (instance.lower_bound(LONG).unwrap().cost, optimum(&instance));
            assert!(bound <= optimum, "{}: {bound} above {optimum}", instance.name());
            tight += usize::from(bound as f64 >= 0.99 * optimum as f64);
        }
        assert!(tight > 25, "only {tight} of 40 bounds say much");
    }

    #[test]
    fn bounds_are_near_and_never_above_what_is_known() {
        for (kind, least) in [(Kind::Lattice, 0.999), (Kind::Circle, 0.999)] {
            let instance = generate(kind, 150, 1).unwrap();
            let (bound, known) = (instance.lower_bound(LONG).unwrap(), known_cost(kind, &instance).unwrap());
            assert!(bound.cost <= known && bound.cost as f64 >= least * known as f64, "{bound:?} of {known}");
        }
        // However early it ends it is one.
        let instance = generate(Kind::Lattice, 150, 1).unwrap();
        let early = instance.lower_bound(Duration::ZERO).unwrap();
        assert!(early.cost > 0 && early.cost <= 15_000 && early.steps == 0);
        // Passes over all pairs of many cities are not waited for: one ends between any two of them.
        let many = generate(Kind::Clustered, 30_000, 1).unwrap();
        let asked = Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 100
        };
        assert!(many.least_one_tree(&vec![0; 30_000], &goes_on).is_none() && asked.get() == 100);
        let bound = many.lower_bound(Duration::ZERO).unwrap();
        let tour = many.tour_cost(&many.greedy_tour()).unwrap();
        assert!(bound.cost < tour && bound.cost > tour / 2, "{} of {tour}", bound.cost);
    }

    #[test]
    fn what_has_no_bound_is_refused() {
        let skewed = Instance::from_matrix("skewed", 3, vec![0, 1, 2, 3, 0, 4, 5, 6, 0]).unwrap();
        assert!(skewed.lower_bound(LONG).unwrap_err().to_string().contains("symmetric"));
        let two = Instance::from_matrix("two", 2, vec![0, 5, 5, 0]).unwrap();
        assert_eq!(two.lower_bound(LONG).unwrap().cost, 10);
    }

    #[test]
    fn clusters_far_apart_are_worth_more_patience() {
        let instance = generate(Kind::Clustered, 245, 9).unwrap();
        let bound = instance.lower_bound(LONG).unwrap().cost;
        // The best tour known.
        assert!((5_937_000..=5_997_219).contains(&bound), "{bound}");
    }
}
