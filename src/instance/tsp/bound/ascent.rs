//! The subgradient ascent of a lower bound, over near pairs of cities.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::PARTS;
use crate::instance::tsp::Instance;

/// Near cities that the ascent looks at, and how many of these in each quadrant around a city.
const NEAR: usize = 12;
const IN_QUADRANT: usize = 2;
/// Shares of the way from the value to a tour's cost that a step goes: at first, at first in later rounds, and at last.
const FIRST_SHARE: f64 = 2.0;
const NEXT_SHARE: f64 = 0.3;
const LAST_SHARE: f64 = 0.002;
/// So many steps, in the first attempt, that gain less than this part of the way to the tour's cost make steps shorter.
pub const PATIENCE: u32 = 60;
const LEAST_GAIN: i64 = 20_000;

/// Near pairs of cities, both ways.
pub struct Graph {
    /// Of each city the others with their distances in parts.
    near: Vec<Vec<(u32, i64)>>,
}

impl Graph {
    /// The nearest of each city, and those of a tour, which joins them all.
    fn new(instance: &Instance, tour: &[u32]) -> Self {
        let n = instance.len();
        let mut graph = Self { near: vec![Vec::new(); n] };
        let neighbours = instance.quadrant_neighbours(NEAR, IN_QUADRANT);
        let near = (0..n).flat_map(|city| neighbours.row(city).iter().map(move |&other| [city as u32, other]));
        let around = tour.iter().zip(tour.iter().cycle().skip(1)).map(|(&a, &b)| [a, b]);
        let edges: Vec<[u32; 2]> = near.chain(around).collect();
        graph.add(instance, &edges);
        graph
    }

    /// Adds pairs; whether there was one that it did not have.
    pub fn add(&mut self, instance: &Instance, edges: &[[u32; 2]]) -> bool {
        let mut is_new = false;
        for &[a, b] in edges {
            if self.near[a as usize].iter().all(|(other, _)| *other != b) {
                let distance = PARTS * i64::from(instance.distance(a as usize, b as usize));
                self.near[a as usize].push((b, distance));
                self.near[b as usize].push((a, distance));
                is_new = true;
            }
        }
        is_new
    }
}

/// An ascent over near pairs.
pub struct Ascent {
    pub graph: Graph,
    penalties: Vec<i64>,
    pub best_penalties: Vec<i64>,
    pub steps: u32,
    patience: u32,
    /// Of the last 1-tree by how much the degree of each city is above 2, and of the one before.
    excess: Vec<i64>,
    before: Vec<i64>,
    /// Room for a tree.
    heap: BinaryHeap<Reverse<(i64, u32, u32)>>,
    nearest: Vec<i64>,
    parent: Vec<u32>,
    done: Vec<bool>,
}

impl Ascent {
    pub fn new(instance: &Instance, tour: &[u32]) -> Self {
        let n = instance.len();
        Self {
            graph: Graph::new(instance, tour),
            penalties: vec![0; n],
            best_penalties: vec![0; n],
            steps: 0,
            patience: PATIENCE,
            excess: vec![0; n],
            before: vec![0; n],
            heap: BinaryHeap::new(),
            nearest: vec![0; n],
            parent: vec![0; n],
            done: vec![false; n],
        }
    }

    /// Begins from no penalties, with so much patience.
    pub fn begin(&mut self, patience: u32) {
        self.best_penalties.fill(0);
        self.patience = patience;
    }

    /// Rises from the best penalties so far; the value reached, in parts, among near pairs. `above` is the cost of a tour, in parts: a step
    /// goes a share of the way from the value to it (Held, Wolfe and Crowder 1974), which is halved when too little is gained for long. The
    /// first round begins with long steps.
    /// `look` is shown the best penalties after each step.
    pub fn rise(&mut self, round: usize, above: i64, goes_on: &impl Fn() -> bool, look: &impl Fn(&[i64])) -> i64 {
        self.penalties.clone_from(&self.best_penalties);
        let mut value = self.value();
        self.before.clone_from(&self.excess);
        let (mut best, mut since) = (value, 0);
        let mut share = if round == 0 { FIRST_SHARE } else { NEXT_SHARE };
        while share > LAST_SHARE && goes_on() {
            let squares: i64 = self.excess.iter().map(|excess| excess * excess).sum();
            if squares == 0 {
                return best;
            }
            let step = ((share * (above - value) as f64 / squares as f64) as i64).max(1);
            for ((penalty, excess), before) in self.penalties.iter_mut().zip(&self.excess).zip(&self.before) {
                *penalty += step * (7 * excess + 3 * before) / 10;
            }
            self.before.clone_from(&self.excess);
            value = self.value();
            self.steps = self.steps.saturating_add(1);
            since += 1;
            if value > best {
                if value - best > (above - best) / LEAST_GAIN {
                    since = 0;
                }
                best = value;
                self.best_penalties.clone_from(&self.penalties);
            }
            if since >= self.patience {
                (share, since) = (0.5 * share, 0);
            }
            look(&self.best_penalties);
        }
        best
    }

    /// The value of the least 1-tree among near pairs with the present penalties, in parts; its degrees less 2 in `excess`.
    fn value(&mut self) -> i64 {
        let (n, penalties) = (self.penalties.len(), &self.penalties);
        self.done.fill(false);
        self.nearest.fill(i64::MAX);
        self.excess.fill(-2);
        self.heap.clear();
        self.nearest[0] = 0;
        self.heap.push(Reverse((0, 0, 0)));
        let mut sum = 0;
        let mut joined = 0;
        while let Some(Reverse((weight, city, parent))) = self.heap.pop() {
            let at = city as usize;
            if self.done[at] {
                continue;
            }
            self.done[at] = true;
            self.parent[at] = parent;
            if joined > 0 {
                sum += weight;
                self.excess[at] += 1;
                self.excess[parent as usize] += 1;
            }
            joined += 1;
            for &(other, distance) in &self.graph.near[at] {
                let to = other as usize;
                let weight = distance + penalties[at] + penalties[to];
                if !self.done[to] && weight < self.nearest[to] {
                    self.nearest[to] = weight;
                    self.heap.push(Reverse((weight, other, city)));
                }
            }
            if joined == n {
                break;
            }
        }
        // The second edge of the leaf where it is dearest.
        let mut extra: Option<(i64, usize, usize)> = None;
        for leaf in (0..n).filter(|&city| self.excess[city] == -1) {
            let is_tree = |other: usize| {
                leaf != 0 && self.parent[leaf] as usize == other || other != 0 && self.parent[other] as usize == leaf
            };
            let others = self.graph.near[leaf].iter().filter(|(other, _)| !is_tree(*other as usize));
            let second =
                others.map(|&(other, distance)| (distance + penalties[leaf] + penalties[other as usize], other)).min();
            if let Some((weight, other)) = second
                && extra.is_none_or(|known| (weight, leaf) > (known.0, known.1))
            {
                extra = Some((weight, leaf, other as usize));
            }
        }
        if let Some((weight, leaf, other)) = extra {
            sum += weight;
            self.excess[leaf] += 1;
            self.excess[other] += 1;
        }
        sum - 2 * penalties.iter().sum::<i64>()
    }
}
