//! Chained Lin-Kernighan search of whole tours: its parameters, nothing left open (Martin, Otto and Felten 1991; Applegate, Cook and Rohe
//! 2003).

use serde::Serialize;

use super::range;
use super::value::{Value, named_values};
use crate::error::Result;

/// Parameters of chained Lin-Kernighan search.
///
/// Each walk searches a tour of its own: a kick, looks at the cities around it, and back where the tour has not become shorter. Walks do not
/// exchange anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChainedParams {
    /// Walks, 1 to 8192.
    pub walks: usize,
    /// Steps of each walk in an iteration, at least 1: a city looked at is one, each move tried another, a kick four and half of one more for each city it rebuilds.
    pub steps: u32,
    /// The most cities of each of the three segments that a double-bridge kick moves, 1 to 1000; a third of the tour at most.
    pub kick_length: u32,
    /// Cities that one kick of 16 ruins and rebuilds, 0 to 4000; 0: none does.
    pub rebuild_length: u32,
    /// Nearest cities of each quadrant that come first in neighbour lists, 0 to 2.
    pub quadrants: u32,
    /// Random words are drawn from it.
    pub seed: u64,
}

/// The most walks.
const MAX_WALKS: u32 = 8192;

/// How a tour of so many cities is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kicks {
    pub steps: u32,
    pub kick_length: u32,
    pub rebuild_length: u32,
}

impl ChainedParams {
    /// What kicks do in a tour of so many cities.
    pub(crate) fn kicks(&self, cities: usize) -> Kicks {
        let cities = cities as u32;
        Kicks {
            steps: self.steps,
            kick_length: self.kick_length.min(cities.saturating_sub(2) / 3).max(1),
            rebuild_length: self.rebuild_length.min(cities.saturating_sub(4)),
        }
    }

    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::whole("walks", u32::try_from(self.walks).unwrap_or(u32::MAX), 1, MAX_WALKS)?;
        range::whole("steps", self.steps, 1, 1 << 24)?;
        range::whole("kick_length", self.kick_length, 1, 1000)?;
        range::whole("rebuild_length", self.rebuild_length, 0, 4000)?;
        range::whole("quadrants", self.quadrants, 0, range::MAX_QUADRANTS)
    }

    /// By name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        named_values![
            walks = self.walks,
            steps = self.steps,
            kick_length = self.kick_length,
            rebuild_length = self.rebuild_length,
            quadrants = self.quadrants,
        ]
    }
}
