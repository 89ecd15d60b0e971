//! Parameters of a memetic algorithm for assignments (Merz and Freisleben 2000; Benlic and Hao 2015).

use serde::Serialize;

use super::range;
use super::value::{Value, named_values};
use crate::error::Result;

/// Parameters of a memetic algorithm: a population whose children come from a crossover and are searched.
///
/// In an iteration each individual has a child with another one; of both as many survive as there are individuals, those of least cost, no
/// two of the same unless there are too few.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemeticParams {
    /// The most random exchanges of a child's facilities, as a share of these (empty ones do not count), in 0..=1; as many as that are as
    /// likely as fewer.
    pub mutation: f64,
    /// The population begins again when so many iterations, from one look to the next, have not improved its best; 0: it never does.
    pub stagnation: u32,
}

impl Default for MemeticParams {
    /// Measured (`docs/results/2026-11-memetic.md`).
    fn default() -> Self {
        Self { mutation: 0.05, stagnation: 20 }
    }
}

impl MemeticParams {
    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::closed("mutation", self.mutation, 1.0)
    }

    /// The most random exchanges of a child among `n` facilities.
    pub(crate) fn exchanges(&self, n: usize) -> u32 {
        (self.mutation * n as f64) as u32
    }

    /// Parents that differ in no more facilities hardly differ.
    pub(crate) fn few(n: usize) -> u32 {
        n as u32 / 20
    }

    /// The exchanges that a child of such parents is given besides.
    pub(crate) fn more(n: usize) -> u32 {
        n.div_ceil(10) as u32
    }

    /// By name.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, Value)> {
        named_values![mutation = self.mutation, stagnation = self.stagnation]
    }
}
