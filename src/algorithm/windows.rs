//! Windowed Lin-Kernighan search of one tour: its parameters, nothing left open.
//!
//! Each window is a compact piece of the plane (Karp 1977, partitioning; windows follow space-filling curves, Platzman and Bartholdi
//! 1989), searched by chained Lin-Kernighan with local kicks (Martin, Otto and Felten 1991; Applegate, Cook and Rohe 2003).

use serde::Serialize;

use super::range;
use super::value::{Value, named_values};
use crate::error::Result;

/// Parameters of the windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WindowsParams {
    /// Windows that are searched in an iteration, 1 to 8192.
    pub windows: usize,
    /// Cities of a window, 8 to 4096; all cities when there are fewer.
    pub window_size: u32,
    /// Steps of the search of a window in an iteration, at least 1: a city looked at is one, each move tried another, a kick four and half of one more for each city it rebuilds.
    pub steps: u32,
    /// The most cities of each of the three segments that a double-bridge kick moves, 1 to 1000; a third of the window at most.
    pub kick_length: u32,
    /// Cities that one kick of 16 ruins and rebuilds, 0 to 4000; 0: none does.
    pub rebuild_length: u32,
    /// Nearest cities of each quadrant that come first in neighbour lists, 0 to 2.
    pub quadrants: u32,
    /// Random words are drawn from it.
    pub seed: u64,
}

/// The most windows: their conflicts are kept in workgroup memory.
const MAX_WINDOWS: u32 = 8192;
/// The fewest windows of a tour for which it pays that their gains are all compatible at first.
const FEWEST_EARLY: usize = 100;
/// Steps a city along the first tour, about: more gain little before windows move.
const STEPS_A_CITY: u32 = 24;
/// The longest distance in a matrix by which windows count what a kick adds in 31 bits.
pub(crate) const FARTHEST: u32 = (1 << 29) - 1;
/// Tours that are searched have to cost less, or what a window has of one: gains within it are counted in 31 bits.
pub(crate) const MOST_COST: u64 = 1 << 31;

impl WindowsParams {
    /// The fewest cities of a window.
    pub(crate) const LEAST_SIZE: u32 = 8;

    /// Iterations at the beginning in which windows follow each other along the first tour without overlap, so that all gains are
    /// compatible: enough to look at every city. None where there are few windows in the tour, or less than half as many as are
    /// searched: there the gains that are not compatible cost less than a better first tour saves.
    pub(crate) fn early(&self, cities: usize) -> u32 {
        let in_tour = cities / self.window_size as usize;
        if in_tour < FEWEST_EARLY || 2 * in_tour < self.windows {
            return 0;
        }
        let rounds = (STEPS_A_CITY * self.window_size).div_ceil(self.steps);
        rounds.saturating_mul(in_tour.div_ceil(self.windows) as u32)
    }

    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::whole("windows", u32::try_from(self.windows).unwrap_or(u32::MAX), 1, MAX_WINDOWS)?;
        range::whole("window_size", self.window_size, Self::LEAST_SIZE, 4096)?;
        range::whole("steps", self.steps, 1, 1 << 24)?;
        range::whole("kick_length", self.kick_length, 1, 1000)?;
        range::whole("rebuild_length", self.rebuild_length, 0, 4000)?;
        range::whole("quadrants", self.quadrants, 0, range::MAX_QUADRANTS)
    }

    /// By name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        named_values![
            windows = self.windows,
            window_size = self.window_size,
            steps = self.steps,
            kick_length = self.kick_length,
            rebuild_length = self.rebuild_length,
            quadrants = self.quadrants,
        ]
    }
}
