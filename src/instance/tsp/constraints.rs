//! What a solution keeps to besides visiting each city once: an open path, its ends, fixed edges.

use std::collections::HashSet;

use super::cities::Called;
use super::instance::Instance;
use crate::error::{Error, Flaw, Result};
use crate::text::quote;

/// What a solution keeps to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// Whether solutions are open paths, and where these begin and end.
    pub open: bool,
    pub start: Option<u32>,
    pub end: Option<u32>,
    /// Edges that each solution has; with asymmetric distances from the first city to the second.
    pub fixed: Vec<[u32; 2]>,
}

impl Instance {
    /// The same instance, whose solutions are open paths through all cities (Hamiltonian paths) instead of closed tours: a path
    /// begins at `start` and ends at `end`, cities counted from 0; `None` keeps the end of an open path, and leaves the choice to the solver where
    /// there is none yet.
    ///
    /// ```
    /// use myrmex::tsp::{Kind, generate};
    ///
    /// let instance = generate(Kind::Uniform, 5, 1)?.open_path(Some(2), None)?;
    /// assert!(instance.tour_cost(&[2, 0, 1, 3, 4]).is_ok());
    /// assert!(instance.tour_cost(&[0, 1, 2, 3, 4]).is_err());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for a city that does not exist, for a start that is the end too (unless there is no other city), where fixed edges
    /// leave no such path, and where closed tours are told from a city ([`Instance::closed_from`]).
    pub fn open_path(self, start: Option<u32>, end: Option<u32>) -> Result<Self> {
        let (start, end) = (start.or(self.constraints.start), end.or(self.constraints.end));
        let n = self.len();
        if let Some(first) = self.first_city {
            return refuse(format!("closed tours that begin and end at {first} were asked for, and are no open paths"));
        }
        for (what, city) in [("start", start), ("end", end)] {
            if let Some(city) = city.filter(|&city| city as usize >= n) {
                return refuse(format!("the {what} {city} does not exist; cities go from 0 to {}", n - 1));
            }
        }
        if start.is_some() && start == end && n > 1 {
            return refuse("a path cannot begin and end at the same city: that is a closed tour".into());
        }
        let fixed = self.constraints.fixed.clone();
        self.constrained(Constraints { open: true, start, end, fixed }, &|_, city| city.to_string())
    }

    /// The same instance, whose closed tours are told from `city` on, counted from 0: it is where they begin and end. What is sought stays the
    /// same.
    ///
    /// ```
    /// use std::time::Duration;
    /// use myrmex::tsp::{Kind, generate};
    ///
    /// let instance = generate(Kind::Uniform, 9, 1)?.closed_from(4)?;
    /// let solution = myrmex::solve(&instance, Duration::from_millis(100))?;
    /// assert_eq!(solution.permutation[0], 4);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for a city that does not exist, and where solutions are open paths.
    pub fn closed_from(mut self, city: u32) -> Result<Self> {
        if city as usize >= self.len() {
            return refuse(format!("the start {city} does not exist; cities go from 0 to {}", self.len() - 1));
        }
        if self.is_open() {
            return refuse("an open path was asked for: it does not lead back to where it begins".into());
        }
        self.first_city = Some(city);
        Ok(self)
    }

    /// The same instance with the ends that a person gives. `open` says whether solutions are open paths; without it the ends do:
    ///
    /// - one city as start and end: closed tours that begin there ([`Instance::closed_from`]),
    /// - any other end: an open path ([`Instance::open_path`]),
    /// - no end: nothing changes.
    ///
    /// ```
    /// use myrmex::tsp::{Kind, generate};
    ///
    /// let instance = generate(Kind::Uniform, 5, 1)?;
    /// assert_eq!(instance.clone().with_ends(None, Some(3), Some(3))?.first_city(), Some(3));
    /// assert_eq!(instance.clone().with_ends(None, None, Some(3))?.path_end(), Some(3));
    /// assert!(instance.with_ends(Some(false), None, Some(3)).is_err());
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] as the two have it, and for closed tours where the instance has open paths, or that do not begin where they end.
    pub fn with_ends(self, open: Option<bool>, start: Option<u32>, end: Option<u32>) -> Result<Self> {
        let returns = start.filter(|_| start == end);
        match (open, returns) {
            (Some(false), _) if self.is_open() => refuse("closed tours were asked for, and the problem is an open path".into()),
            (None | Some(false), Some(city)) => self.closed_from(city),
            (None | Some(false), None) if start.is_none() && end.is_none() => Ok(self),
            (Some(false), None) => refuse("a closed tour ends where it begins: give one city as start and end, or neither".into()),
            (Some(true), Some(_)) if self.len() > 1 => refuse(
                "a path that does not lead back cannot begin and end at the same city: leave 'open' out for a closed tour told from there".into(),
            ),
            _ => self.open_path(start, end),
        }
    }

    /// The city that closed tours are told from, where one is asked for ([`Instance::closed_from`]).
    pub fn first_city(&self) -> Option<u32> {
        self.first_city
    }

    /// The same instance, each of whose solutions has these edges, cities counted from 0, besides those that were fixed before. With
    /// asymmetric distances an edge leads from its first city to its second.
    ///
    /// # Errors
    /// [`Error::Instance`] for a city that does not exist, an edge from a city to itself or given twice, and for edges that no tour
    /// (or open path) has together.
    pub fn with_fixed_edges(self, edges: &[[u32; 2]]) -> Result<Self> {
        let all = self.fixed_and(edges.to_vec());
        self.with_fixed_edges_called(&all, &|_, city| city.to_string())
    }

    /// The same with edges from words such as `Depot=Harbour`: two cities as [`Instance::city_called`] knows them.
    ///
    /// # Errors
    /// As [`Instance::with_fixed_edges`], and [`Error::Config`] for other words.
    pub fn with_fixed_edges_between<T: AsRef<str>>(self, words: &[T]) -> Result<Self> {
        let mut edges = Vec::with_capacity(words.len());
        let known = Called::of(&self);
        for word in words {
            let word = word.as_ref();
            let cities = |(from, to): (&str, &str)| Ok([known.city(from.trim())?, known.city(to.trim())?]);
            // A name may have the sign, too.
            let mut found = word.match_indices('=').map(|(at, _)| cities((&word[..at], &word[at + 1..])));
            let Some(first) = found.next() else {
                let message = format!("expected two cities with a sign between, as in 3=7, not {}", quote(word));
                return Err(Error::Config(message));
            };
            let edge: Result<[u32; 2]> = found.fold(first, |first, next| first.or(next));
            edges.push(edge?);
        }
        let all = self.fixed_and(edges);
        self.with_fixed_edges_called(&all, &Self::city_label)
    }

    /// The edges that are fixed, and of these the others.
    fn fixed_and(&self, edges: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
        let before = &self.constraints.fixed;
        let known: HashSet<[u32; 2]> = before.iter().copied().collect();
        let is_known = |&[a, b]: &[u32; 2]| known.contains(&[a, b]) || self.is_symmetric() && known.contains(&[b, a]);
        let more = edges.into_iter().filter(|edge| !is_known(edge));
        before.iter().copied().chain(more).collect()
    }

    /// The same instance with these fixed edges alone; `label` is what errors call a city.
    pub(super) fn with_fixed_edges_called(
        self,
        edges: &[[u32; 2]],
        label: &dyn Fn(&Self, u32) -> String,
    ) -> Result<Self> {
        let n = self.len();
        for &[a, b] in edges {
            if let Some(city) = [a, b].into_iter().find(|&city| city as usize >= n) {
                return refuse(format!("the fixed edge {a} - {b} has city {city}; cities go from 0 to {}", n - 1));
            }
            if a == b {
                let city = label(&self, a);
                return refuse(format!("the fixed edge {city} - {city} leads from a city to itself"));
            }
        }
        let constraints = Constraints { fixed: edges.to_vec(), ..Constraints::clone(&self.constraints) };
        self.constrained(constraints, label)
    }

    fn constrained(mut self, constraints: Constraints, label: &dyn Fn(&Self, u32) -> String) -> Result<Self> {
        self.constraints = constraints.into();
        self.chains_called(&|city| label(&self, city))?;
        self.counted_as_constrained()
    }

    /// Whether solutions are open paths.
    pub fn is_open(&self) -> bool {
        self.constraints.open
    }

    /// Where an open path begins, if that is given.
    pub fn path_start(&self) -> Option<u32> {
        self.constraints.start
    }

    /// Where an open path ends, if that is given.
    pub fn path_end(&self) -> Option<u32> {
        self.constraints.end
    }

    /// The edges that each solution has.
    pub fn fixed_edges(&self) -> &[[u32; 2]] {
        &self.constraints.fixed
    }

    /// Whether solutions are closed tours that may have any edge.
    pub(crate) fn is_free(&self) -> bool {
        *self.constraints == Constraints::default()
    }

    /// Checks that a permutation of all cities keeps to the ends, to the fixed edges, and to the pairs that kernels know.
    pub(super) fn check_constraints(&self, tour: &[u32]) -> Result<()> {
        let Constraints { open, start, end, ref fixed } = *self.constraints;
        let n = tour.len();
        for (begins, wanted, found) in [(true, start, tour[0]), (false, end, tour[n - 1])] {
            if let Some(expected) = wanted.filter(|&wanted| wanted != found) {
                return Err(Error::Tour(Flaw::Ends { begins, found, expected }));
            }
        }
        if fixed.is_empty() && self.kernel_form.paired == 0 {
            return Ok(());
        }
        let mut place = vec![0; n];
        tour.iter().enumerate().for_each(|(at, &city)| place[city as usize] = at);
        let follows = |a: u32, b: u32| {
            let (a, b) = (place[a as usize], place[b as usize]);
            b == a + 1 || (b == 0 && a == n - 1 && !open)
        };
        let has = |a: u32, b: u32| follows(a, b) || (self.is_symmetric() && follows(b, a));
        let pairs = (0..self.kernel_form.paired as u32).step_by(2).map(|a| [a, a + 1]);
        match fixed.iter().copied().chain(pairs).find(|&[a, b]| !has(a, b)) {
            Some(edge) => Err(Error::Tour(Flaw::Parted { edge })),
            None => Ok(()),
        }
    }
}

pub(super) fn refuse<T>(message: String) -> Result<T> {
    Err(Error::Instance(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_told_by_what_cities_are_called() {
        let cities = || Instance::from_points(&[[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]).unwrap();
        let named = || cities().with_city_names(["Depot", "Mill", "a=b", "Shop"]).unwrap();
        let fixed = |instance: Instance, words: &[&str]| {
            instance
                .with_fixed_edges_between(words)
                .map(|it| it.fixed_edges().to_vec())
                .map_err(|error| error.to_string())
        };
        assert_eq!(fixed(cities(), &["1=3", " 2 = 4 "]).unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(fixed(named(), &["Depot=a=b", "a=b=Shop"]).unwrap(), [[0, 2], [2, 3]]);
        let before = cities().with_fixed_edges(&[[0, 1]]).unwrap();
        assert_eq!(fixed(before, &["2=3"]).unwrap(), [[0, 1], [1, 2]]);
        assert!(fixed(named(), &["Depot=Bar"]).unwrap_err().contains("there is no city 'Bar'"));
        assert!(fixed(cities(), &["5"]).unwrap_err().contains("as in 3=7, not '5'"));
        assert!(fixed(cities(), &["1=1"]).unwrap_err().contains("leads from a city to itself"));
        let three = fixed(named(), &["Depot=Mill", "Depot=Shop", "Depot=a=b"]).unwrap_err();
        assert!(three.contains("too many at city 1 ('Depot')"), "{three}");
    }
}
