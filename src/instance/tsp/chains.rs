//! Chains of cities that fixed edges join.

use super::constraints::{Constraints, refuse};
use super::instance::Instance;
use crate::error::Result;

/// A city of a chain that is none of the instance: the gap of an open path.
pub(super) const GAP: u32 = u32::MAX;

/// The edges that each tour has, as far as they are joined; the gap of a path is the city behind all others.
struct Links<'a> {
    cities: u32,
    directed: bool,
    /// What errors call a city.
    label: &'a dyn Fn(u32) -> String,
    /// The cities that edges join to each; with asymmetric distances how many of its edges lead from it, how many to it, and where to.
    beside: Vec<Vec<u32>>,
    out: Vec<u8>,
    into: Vec<u8>,
    after: Vec<Option<u32>>,
}

impl<'a> Links<'a> {
    fn new(cities: u32, nodes: usize, directed: bool, label: &'a dyn Fn(u32) -> String) -> Self {
        let (beside, counts) = (vec![Vec::new(); nodes], vec![0; nodes]);
        Self { cities, directed, label, beside, out: counts.clone(), into: counts, after: vec![None; nodes] }
    }

    fn named(&self, city: u32) -> String {
        if city == self.cities { "the path's ends".into() } else { format!("city {}", (self.label)(city)) }
    }

    fn named_edge(&self, [a, b]: [u32; 2]) -> String {
        format!("the edge from {} to {}", self.named(a), self.named(b))
    }

    /// Joins two cities.
    ///
    /// # Errors
    /// [`crate::Error::Instance`] for an edge that no tour has beside those before.
    fn join(&mut self, [a, b]: [u32; 2]) -> Result<()> {
        if self.beside[a as usize].contains(&b) {
            let edge = self.named_edge([a, b]);
            return refuse(match self.directed && self.after[a as usize] != Some(b) {
                true => format!("{edge} and the one back close a circle that leaves out other cities"),
                false => format!("{edge} is fixed twice"),
            });
        }
        self.beside[a as usize].push(b);
        self.beside[b as usize].push(a);
        self.out[a as usize] += 1;
        self.into[b as usize] += 1;
        self.after[a as usize] = Some(b);
        match [a, b].into_iter().find(|&city| self.has_too_many(city as usize)) {
            Some(city) => refuse(self.too_many([a, b], city)),
            None => Ok(()),
        }
    }

    fn has_too_many(&self, city: usize) -> bool {
        self.beside[city].len() > 2 || self.directed && (self.out[city] > 1 || self.into[city] > 1)
    }

    /// What is wrong with the edge that is one too many at a city.
    fn too_many(&self, [a, b]: [u32; 2], city: u32) -> String {
        let begins = a == self.cities;
        if !begins && b != self.cities {
            let (edge, city) = (self.named_edge([a, b]), self.named(city));
            return format!("{edge} is one fixed edge too many at {city}: a tour enters and leaves a city once");
        }
        let end = self.named(if begins { b } else { a });
        match (self.directed, begins) {
            (false, true) => format!("the path begins at {end}, where it has one edge: fix no more there"),
            (false, false) => format!("the path ends at {end}, where it has one edge: fix no more there"),
            (true, true) => format!("the path begins at {end}: no fixed edge can lead to it"),
            (true, false) => format!("the path ends at {end}: no fixed edge can lead from it"),
        }
    }

    /// Whether a chain begins with a city.
    fn is_first(&self, city: u32) -> bool {
        if self.directed { self.into[city as usize] == 0 } else { self.beside[city as usize].len() < 2 }
    }

    /// The chain that begins with a city, all of whose cities are seen then.
    fn chain(&self, first: u32, seen: &mut [bool]) -> Vec<u32> {
        let (mut chain, mut city) = (vec![first], first);
        seen[first as usize] = true;
        // A circle has no first city: there the edges alone say which way it goes.
        let leads = |city: u32, next: u32| !self.directed || self.after[city as usize] == Some(next);
        while let Some(&next) =
            self.beside[city as usize].iter().find(|&&next| !seen[next as usize] && leads(city, next))
        {
            seen[next as usize] = true;
            chain.push(next);
            city = next;
        }
        chain
    }
}

impl Instance {
    /// The chains of cities that fixed edges join, single cities among them, in an order that depends on the cities' numbers alone;
    /// the gap of an open path counts as a city.
    ///
    /// # Errors
    /// [`crate::Error::Instance`] when no tour has all these edges.
    pub(super) fn chains(&self) -> Result<Vec<Vec<u32>>> {
        self.chains_called(&|city| city.to_string())
    }

    /// The same; `label` is what errors call a city.
    pub(super) fn chains_called(&self, label: &dyn Fn(u32) -> String) -> Result<Vec<Vec<u32>>> {
        let n = self.len() as u32;
        let Constraints { open, start, end, ref fixed } = *self.constraints;
        let nodes = n + u32::from(open);
        let to_gap = start.map(|start| [n, start]).into_iter().chain(end.map(|end| [end, n]));
        // A lone city is start and end: one edge to the gap is enough.
        let to_gap = to_gap.take(if n == 1 { 1 } else { 2 });
        let mut links = Links::new(n, nodes as usize, !self.is_symmetric(), label);
        fixed.iter().copied().chain(to_gap).try_for_each(|edge| links.join(edge))?;
        let mut seen = vec![false; nodes as usize];
        let mut chains = Vec::new();
        for city in 0..nodes {
            if !seen[city as usize] && links.is_first(city) {
                chains.push(links.chain(city, &mut seen));
            }
        }
        if let Some(city) = (0..nodes).find(|&city| !seen[city as usize]) {
            let circle = links.chain(city, &mut seen);
            // All edges of a tour may be fixed.
            let is_tour = chains.is_empty() && circle.len() == nodes as usize;
            if !is_tour && open && circle.len() == n as usize {
                return refuse("the fixed edges close a circle through all cities, which no open path has".into());
            }
            if !is_tour && circle.contains(&n) {
                return refuse(
                    "the fixed edges lead from the path's start to its end and leave out other cities".into(),
                );
            }
            if !is_tour {
                let city = links.named(city);
                return refuse(format!("the fixed edges at {city} close a circle that leaves out other cities"));
            }
            chains.push(circle);
        }
        chains.iter_mut().flatten().filter(|city| **city == n).for_each(|city| *city = GAP);
        Ok(chains)
    }
}
