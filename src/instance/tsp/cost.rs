//! Whether a tour is one, and what it costs.

use rayon::prelude::*;

use super::instance::Instance;
use crate::error::{Error, Flaw, Result};

/// Edges of a tour that one processor measures at a time.
const EDGES_AT_ONCE: usize = 1 << 16;

impl Instance {
    /// The cost of a closed tour, or of an open path where the instance asks for one ([`Instance::open_path`]); cities counted from 0.
    ///
    /// # Errors
    /// [`Error::Tour`] when `tour` does not hold each city once, or does not keep to the instance's ends and fixed edges.
    pub fn tour_cost(&self, tour: &[u32]) -> Result<u64> {
        let n = self.len();
        self.check_tour(tour)?;
        let edge = |a: u32, b: u32| u64::from(self.distance(a as usize, b as usize));
        let path = |tour: &[u32]| tour.windows(2).map(|pair| edge(pair[0], pair[1])).sum::<u64>();
        // Parts that begin with the city where the one before ends.
        let open = match n {
            0..EDGES_AT_ONCE => path(tour),
            _ => {
                let begins = (0..n).into_par_iter().step_by(EDGES_AT_ONCE);
                begins.map(|begin| path(&tour[begin..n.min(begin + EDGES_AT_ONCE + 1)])).sum()
            }
        };
        // A lone city has no edge, not even to itself.
        Ok(if n > 1 && !self.is_open() { open + edge(tour[n - 1], tour[0]) } else { open })
    }

    /// Checks that it is one: distances may take long.
    ///
    /// # Errors
    /// As [`Instance::tour_cost`].
    pub(crate) fn check_tour(&self, tour: &[u32]) -> Result<()> {
        let n = self.len();
        if tour.len() != n {
            return Err(Error::Tour(Flaw::Length { found: tour.len(), expected: n }));
        }
        let mut seen = vec![false; n];
        for &city in tour {
            match seen.get_mut(city as usize) {
                None => return Err(Error::Tour(Flaw::Unknown { number: city, below: n })),
                Some(true) => return Err(Error::Tour(Flaw::Twice { number: city })),
                Some(seen) => *seen = true,
            }
        }
        self.check_constraints(tour)
    }
}
