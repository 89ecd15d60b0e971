//! Edge assembly crossover of a population of tours: its parameters, nothing left open (Nagata and Kobayashi 2013).

use serde::Serialize;

use super::choices::choice;
use super::range;
use super::value::{Value, named_values};
use crate::error::{Error, Result};

/// Parameters of edge assembly crossover.
///
/// Each individual is a tour. In a generation it is crossed as parent A with another one, B: AB-cycles, along which edges of both
/// take turns, make E-sets; exchanging the edges of one leaves sub-tours, which are merged. Of the children the individual is
/// replaced by the one that gains most for what is lost of the edges' entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EaxParams {
    /// Individuals, 2 to 65,536.
    pub population: usize,
    /// Children of a pair of parents in a generation, 1 to 1000; its walks share them evenly.
    pub children: u32,
    /// Improving children after which a pair makes no more in a generation, 1 to 1000; each walk needs its share of them.
    pub accept_after: u32,
    /// Walks of a pair, 1 to 16. Each is a chain of dependent reads, and a generation lasts as long as the longest.
    pub pair_walks: u32,
    /// Those of them, none to all, whose E-sets grow by further AB-cycles while they leave several sub-tours (Block2).
    pub block_walks: u32,
    /// Whether E-sets are single AB-cycles, or grow.
    pub strategy: Strategy,
    /// Whether the best tour of the run is crossed beside the population, as parent A alone: it gains from all and gives them nothing, so
    /// that they stay different.
    pub incumbent: bool,
    /// Nearest cities of each quadrant that come first in neighbour lists, 0 to 2.
    pub quadrants: u32,
    /// Random words are drawn from it.
    pub seed: u64,
}

choice! {
    /// How E-sets are made.
    Strategy {
        /// Of a single AB-cycle (EAX-single)
        Single = "single",
        /// Of AB-cycles that lie beside each other, in the spirit of the Block2 strategy
        Block2 = "block2",
    }
}

/// The most walks of a pair.
pub(crate) const MOST_WALKS: u32 = 16;

impl EaxParams {
    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::whole("population", u32::try_from(self.population).unwrap_or(u32::MAX), 2, 65_536)?;
        range::whole("children", self.children, 1, 1000)?;
        range::whole("accept_after", self.accept_after, 1, 1000)?;
        range::whole("pair_walks", self.pair_walks, 1, MOST_WALKS)?;
        if self.block_walks > self.pair_walks {
            return Err(Error::Config(format!(
                "block_walks must be {} at most, as many as walks of a pair: ask for fewer, or for more 'pair_walks'",
                self.pair_walks
            )));
        }
        range::whole("quadrants", self.quadrants, 0, range::MAX_QUADRANTS)
    }

    /// By name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        named_values![
            population = self.population,
            children = self.children,
            accept_after = self.accept_after,
            e_sets = self.strategy,
            pair_walks = self.pair_walks,
            block_walks = self.block_walks,
            quadrants = self.quadrants,
        ]
    }
}

/// The entropy of an edge that so many of `population` tours have, from none to all, in units of 2⁻²⁴: −p ln p with p their share
/// (Nagata and Kobayashi 2013, selection by entropy).
pub(crate) fn entropies(population: usize) -> Vec<u32> {
    let entropy = |count: usize| match count {
        0 => 0,
        _ => {
            let share = count as f64 / population as f64;
            (-share * share.ln() * f64::from(1 << 24)).round() as u32
        }
    };
    (0..=population).map(entropy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None without tours, and none with all of them; in between whole numbers that fall again beyond a share of 1/e.
    #[test]
    fn entropy_vanishes_at_both_ends() {
        let entropies = entropies(256);
        assert_eq!((entropies.len(), entropies[0], entropies[256]), (257, 0, 0));
        let greatest = entropies.iter().zip(0..).max().map(|(_, count)| count);
        assert_eq!(greatest, Some(94));
    }
}
