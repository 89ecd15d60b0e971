//! The form in which kernels know an instance: a closed tour, symmetric where the algorithm asks for that, with edges that stay.
//!
//! - *Fixed edges.* Cities that fixed edges join are a chain. Its inner cities drop out. Its two ends stay as a pair, an edge that no
//!   tour loses; with asymmetric distances, where a chain has one direction, the whole chain becomes one city.
//! - *Open paths.* A city that is at distance 0 from all others, the gap, lies between the ends of the path. Ends that are given are
//!   joined to it by fixed edges.
//! - *Coincident cities*, where they are many, are a chain too, and become one city.
//! - *Asymmetric distances* become symmetric by the two-node transformation of Jonker and Volgenant (1983), see [`super::doubled`].
//!
//! Costs in this form differ from those of the instance by a constant, [`Normal::offset`].

use std::borrow::Cow;
use std::sync::Arc;

use glam::DVec3;

use super::chains::GAP;
use super::constraints::Constraints;
use super::doubled::doubled;
use super::instance::{Instance, KernelForm};
use super::metric::Metric;
use super::piles::Piles;
use crate::error::Result;

/// An instance in the form that kernels know, with the way back.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    instance: Instance,
    /// What the instance itself says; solutions are checked against it.
    original: Instance,
    /// Of each city, or with symmetric distances of each pair and each other city, those of the instance in order, or in one place.
    chains: Arc<[Vec<u32>]>,
    /// Leading chains that have two ends.
    paired: usize,
    /// Whether each city has two nodes, where it is entered and where it is left.
    doubled: bool,
    offset: i64,
}

/// An instance with a city for each place of another one.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    instance: Instance,
    /// The cities in each place.
    chains: Arc<[Vec<u32>]>,
    offset: i64,
}

impl Instance {
    fn apart(&self, a: u32, b: u32) -> u32 {
        if a == GAP || b == GAP { 0 } else { self.distance(a as usize, b as usize) }
    }

    /// An instance with a city for each place, where many cities lie in one place with another one and nothing is said of edges.
    pub(crate) fn gathered(&self) -> Option<Normal> {
        if !self.is_free() || self.metric() == Metric::Explicit {
            return None;
        }
        if self.gathered.get().is_none() {
            // Threads that find nothing here all make it: none waits for another one, whose parts a pool of threads may hold up.
            let _ = self.gathered.set(self.gather());
        }
        let Gathered { instance, chains, offset } = self.gathered.get()?.clone()?;
        let instance = instance.with_name(self.name());
        Some(Normal { instance, original: self.clone(), chains, paired: 0, doubled: false, offset })
    }

    /// Whether no good tour comes several times to a place: rounded distances do not keep to the triangle inequality, so that a way by another place may be
    /// shorter where they are short. Of many cities only three places, all tours of which are tried, are looked at.
    fn are_far_apart(&self, places: &[Vec<u32>]) -> bool {
        let apart = |a: &Vec<u32>, b: &Vec<u32>| u64::from(self.distance(a[0] as usize, b[0] as usize));
        match places {
            [_] | [_, _] => true,
            [a, b, c] => {
                let ways = [apart(a, b), apart(b, c), apart(c, a)];
                let all: u64 = ways.iter().sum();
                // By TSPLIB's formula for the globe a way within a place is a kilometre.
                let within = u64::from(self.metric() == Metric::Geo);
                ways.iter().all(|way| 2 * way + within <= all)
            }
            _ if self.len() > FEW_CITIES => true,
            _ => {
                let nearest = |place: &Vec<u32>| {
                    let others = places.iter().filter(|other| !std::ptr::eq(*other, place));
                    others.map(|other| apart(place, other)).min()
                };
                let sum: u64 = places.iter().filter_map(nearest).sum();
                sum >= FAR_APART * places.len() as u64
            }
        }
    }

    fn gather(&self) -> Option<Gathered> {
        let chains = Piles::places(self.coords())?;
        if !self.are_far_apart(&chains) {
            return None;
        }
        // By TSPLIB's formula for the globe cities in one place are a kilometre apart.
        let offset = chains.iter().map(|chain| self.chain_length(chain)).sum();
        let places = chains.iter().map(|cities| self.coords()[cities[0] as usize]).collect();
        let instance = Self::of_coords(self.name().to_owned(), self.metric(), places).in_frame_of(self);
        Some(Gathered { instance, chains: chains.into(), offset })
    }

    /// The form for kernels; `symmetric` says whether the algorithm takes symmetric distances only.
    ///
    /// # Errors
    /// [`Error::Instance`] where asymmetric distances are too long to be made symmetric.
    pub(crate) fn normal(&self, symmetric: bool) -> Result<Normal> {
        let double = symmetric && !self.is_symmetric();
        let mut normal = if self.is_free() {
            let chains = if double { (0..self.len() as u32).map(|city| vec![city]).collect() } else { Vec::new() };
            let instance = self.clone();
            Normal { instance, original: self.clone(), chains: chains.into(), paired: 0, doubled: false, offset: 0 }
        } else {
            let chains = self.chains()?;
            if self.is_symmetric() { self.paired(chains)? } else { self.contracted(chains)? }
        };
        // A chain of all cities is the one tour.
        if double && normal.instance.len() > 1 {
            let (instance, offset) = doubled(&normal.instance)?;
            normal = Normal { instance, doubled: true, offset: normal.offset + offset, ..normal };
        }
        Ok(normal)
    }

    /// The length of a chain.
    fn chain_length(&self, chain: &[u32]) -> i64 {
        chain.windows(2).map(|edge| i64::from(self.apart(edge[0], edge[1]))).sum()
    }

    /// Symmetric distances: chains become pairs of cities.
    fn paired(&self, mut chains: Vec<Vec<u32>>) -> Result<Normal> {
        chains.sort_by_key(|chain| chain.len() == 1);
        let paired = chains.iter().filter(|chain| chain.len() > 1).count();
        let ends =
            |chain: &Vec<u32>| if chain.len() > 1 { vec![chain[0], chain[chain.len() - 1]] } else { chain.clone() };
        let nodes: Vec<u32> = chains.iter().flat_map(ends).collect();
        let offset = chains[..paired]
            .iter()
            .map(|chain| self.chain_length(chain) - i64::from(self.apart(chain[0], chain[chain.len() - 1])));
        let offset = offset.sum();
        let gap = nodes.iter().position(|&city| city == GAP).map(|at| at as u32);
        let mut instance = if self.metric() == Metric::Explicit {
            let row = |&a: &u32| nodes.iter().map(move |&b| self.apart(a, b));
            Self::from_matrix(self.name(), nodes.len(), nodes.iter().flat_map(row).collect())?
        } else {
            // The gap lies where the first city lies: no search for near cities goes far because of it.
            let place = |&city: &u32| self.coords()[if city == GAP { 0 } else { city as usize }];
            let places: Vec<DVec3> = nodes.iter().map(place).collect();
            Self::of_coords(self.name().to_owned(), self.metric(), places).in_frame_of(self)
        };
        instance.kernel_form = KernelForm { paired: 2 * paired, gap, doubled: false };
        Ok(Normal { instance, original: self.clone(), chains: chains.into(), paired, doubled: false, offset })
    }

    /// Asymmetric distances: each chain becomes a city, entered where the chain begins and left where it ends.
    fn contracted(&self, chains: Vec<Vec<u32>>) -> Result<Normal> {
        let mut offset = chains.iter().map(|chain| self.chain_length(chain)).sum();
        if let [whole] = &chains[..] {
            // A lone city has no way back to itself.
            offset += i64::from(self.apart(whole[whole.len() - 1], whole[0]));
        }
        let row = |from: &Vec<u32>| {
            let last = from[from.len() - 1];
            chains.iter().map(move |to| self.apart(last, to[0])).collect::<Vec<u32>>()
        };
        let matrix = chains.iter().flat_map(row).collect();
        let instance = Self::from_matrix(self.name(), chains.len(), matrix)?;
        Ok(Normal { instance, original: self.clone(), chains: chains.into(), paired: 0, doubled: false, offset })
    }
}

/// Of so few cities those in one place are gathered where the nearest other place is at least so far away on average: they are solved as well apart.
const FEW_CITIES: usize = 2_000;
const FAR_APART: u64 = 50;

/// Of so few pairs and other cities all orders are tried.
const FEW_PARTS: usize = 6;

impl Instance {
    /// Whether an instance in the form for kernels that has edges that stay, or a gap, has so few parts that all tours are tried: with asymmetric
    /// distances as many as can be, since a search of so few often ends where all its tours are one.
    pub(in crate::instance) fn has_few_parts(&self) -> bool {
        match self.kernel_form {
            KernelForm { doubled: true, .. } => self.has_few_orders(),
            form => form != KernelForm::default() && self.parts().len() <= FEW_PARTS,
        }
    }

    /// The cities of an order, each behind its partner where that comes first.
    pub(in crate::instance) fn with_pairs_together(&self, order: Vec<u32>) -> Vec<u32> {
        let form = self.kernel_form;
        if form.paired == 0 {
            return order;
        }
        let mut placed = vec![false; order.len()];
        let mut tour = Vec::with_capacity(order.len());
        for city in order {
            for city in std::iter::once(city).chain(form.partner(city)) {
                if !std::mem::replace(&mut placed[city as usize], true) {
                    tour.push(city);
                }
            }
        }
        tour
    }
}

impl Instance {
    /// The instance in the form that kernels know, for tests that look inside.
    ///
    /// # Errors
    /// [`crate::Error::Instance`] where asymmetric distances are too long to be made symmetric.
    #[doc(hidden)]
    pub fn in_kernel_form(&self, symmetric: bool) -> Result<Self> {
        self.normal(symmetric).map(|normal| normal.instance)
    }
}

impl Normal {
    /// Whether cities in one place are one here.
    pub fn is_gathered(&self) -> bool {
        self.original.is_free() && self.original.is_symmetric() && self.instance.len() < self.original.len()
    }

    /// The instance in this form.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The solution of the instance that a tour in this form stands for.
    pub fn solution<'a>(&self, tour: &'a [u32]) -> Cow<'a, [u32]> {
        if self.chains.is_empty() {
            return Cow::Borrowed(tour);
        }
        let mut cities: Vec<u32> = Vec::with_capacity(self.original.len() + 1);
        for (chain, forward) in self.chains_along(tour) {
            let chain = self.chains[chain].iter().copied();
            if forward { cities.extend(chain) } else { cities.extend(chain.rev()) }
        }
        if let Some(gap) = cities.iter().position(|&city| city == GAP) {
            cities.rotate_left(gap);
            cities.remove(0);
            let Constraints { start, end, .. } = *self.original.constraints;
            let (first, last) = (cities[0], cities[cities.len() - 1]);
            let turned = start.is_some_and(|start| start != first) || end.is_some_and(|end| end != last);
            let free = start.is_none() && end.is_none() && first > last;
            if self.original.is_symmetric() && (turned || free) {
                cities.reverse();
            }
        }
        Cow::Owned(cities)
    }

    /// The best tour in this form of few parts, by lengths as they were given.
    pub fn best_of_few(&self) -> Vec<u32> {
        let best = |back: bool| self.instance.shortest_of_parts(|from, to| self.given_way(from, to, back));
        if !self.original.may_differ_back() {
            return best(false);
        }
        // A part is passed in one direction alone, and in the other one when all tours are turned.
        let told = |tour: &[u32]| self.original.in_shorter_direction(self.solution(tour).into_owned());
        let length = |tour: &Vec<u32>| self.original.length(&told(tour)).unwrap_or(f64::INFINITY);
        let both = [best(false), best(true)];
        if length(&both[1]) < length(&both[0]) { both[1].clone() } else { both[0].clone() }
    }

    /// Of the tours of few parts in this form that cost the least the longest, by lengths as they were given.
    pub fn longest_of_least(&self) -> Vec<u32> {
        self.instance.longest_of_least(|from, to| self.given_way(from, to, false))
    }

    /// The way that was given from where a part is left to where another one is entered, and through that one; or `back`. It is 0 where a path is open.
    fn given_way(&self, from: u32, to: u32, back: bool) -> f64 {
        let way = |a: u32, b: u32| match (a, b) {
            (GAP, _) | (_, GAP) => 0.0,
            (a, b) if back => self.original.way(b as usize, a as usize),
            (a, b) => self.original.way(a as usize, b as usize),
        };
        if self.chains.is_empty() {
            return way(from, to);
        }
        let twos = if self.doubled { self.instance.len() } else { 2 * self.paired };
        // A pair is passed forwards from its first node on, and backwards from its second one.
        let part = |node: u32| match node as usize {
            at if at < twos => (&self.chains[at / 2], at.is_multiple_of(2)),
            at => (&self.chains[at - twos / 2], true),
        };
        let ((left, left_first), (chain, forward)) = (part(from), part(to));
        let single = from as usize >= twos;
        let last = if left_first && !single { left[0] } else { left[left.len() - 1] };
        let first = if forward { chain[0] } else { chain[chain.len() - 1] };
        let through = chain.windows(2).map(|pair| if forward { way(pair[0], pair[1]) } else { way(pair[1], pair[0]) });
        // Ways that are not there are as many in all tours.
        way(last, first) + through.filter(|way| way.is_finite()).sum::<f64>()
    }

    /// The chains in the order in which a tour visits them, and whether it does so from first city to last.
    fn chains_along(&self, tour: &[u32]) -> Vec<(usize, bool)> {
        let n = tour.len();
        let twos = if self.doubled { n } else { 2 * self.paired };
        if twos == 0 {
            return tour.iter().map(|&city| (city as usize, true)).collect();
        }
        // It does not begin within a pair.
        let first = usize::from((tour[0] as usize) < twos && tour[1] != tour[0] ^ 1);
        let mut found = Vec::with_capacity(n);
        let mut at = 0;
        while at < n {
            let city = tour[(first + at) % n] as usize;
            if city < twos {
                found.push((city / 2, city.is_multiple_of(2)));
                at += 2;
            } else {
                found.push((city - twos / 2, true));
                at += 1;
            }
        }
        if self.doubled && found.first().is_some_and(|&(_, forward)| !forward) {
            found.reverse();
            found.iter_mut().for_each(|(_, forward)| *forward = true);
        }
        found
    }

    /// The tour in this form that stands for a solution of the instance.
    ///
    /// # Errors
    /// [`Error::Tour`] when it is no solution.
    pub fn tour(&self, solution: &[u32]) -> Result<Vec<u32>> {
        self.original.tour_cost(solution)?;
        if self.chains.is_empty() {
            return Ok(solution.to_vec());
        }
        // Each city's chain, and whether it is the first or the last there.
        let mut home = vec![None; self.original.len()];
        let mut gap = None;
        for (index, chain) in self.chains.iter().enumerate() {
            for (at, &city) in chain.iter().enumerate() {
                let ends = (at == 0, at + 1 == chain.len());
                match city {
                    GAP => gap = Some((index, ends)),
                    _ => home[city as usize] = Some((index, ends)),
                }
            }
        }
        let places = gap.into_iter().chain(solution.iter().filter_map(|&city| home[city as usize]));
        let mut tour = Vec::with_capacity(self.instance.len());
        for (chain, (is_first, is_last)) in places {
            let chain = chain as u32;
            if self.doubled {
                if is_first {
                    tour.push(2 * chain);
                }
                if is_last {
                    tour.push(2 * chain + 1);
                }
            } else if (chain as usize) < self.paired {
                // A chain has two ends at least.
                if is_first || is_last {
                    tour.push(2 * chain + u32::from(is_last));
                }
            } else if is_first {
                tour.push(chain + self.paired as u32);
            }
        }
        Ok(tour)
    }

    /// The cost of the instance for a cost in this form.
    pub fn cost(&self, cost: u64) -> u64 {
        cost.saturating_add_signed(self.offset)
    }

    /// The cost in this form for a cost of the instance; `None` when no tour costs so little.
    pub fn own_cost(&self, cost: u64) -> Option<u64> {
        cost.checked_add_signed(-self.offset)
    }
}
