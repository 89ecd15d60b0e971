//! Parameters of the Ant System and its elitist and rank-based forms (Dorigo and Stützle 2004, sections 3.3.1 to 3.3.3).

use serde::Serialize;

use super::fixed::TRAIL_ONE;
use super::range;
use super::value::{Value, named_values};
use crate::error::{Error, Result};

/// Which ants deposit, and how much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Weighting {
    /// Every ant 1/cost (Ant System).
    Every,
    /// Every ant 1/cost, and the best tour so far this many times its 1/cost (Elitist Ant System).
    Elitist(f64),
    /// The best ants of the iteration, the r-th of them (w − r)/cost, and the best tour so far w/cost (Rank-based Ant
    /// System), for this w, 2 to 64.
    Ranked(u32),
}

/// Parameters of the Ant System.
///
/// The evaporation rate ρ is the share of a trail that *vanishes* in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AntSystemParams {
    /// Trail exponent α in 0..=8, kept in steps of 1/256.
    pub alpha: f64,
    /// Heuristic exponent β in 0..=16.
    pub beta: f64,
    /// Evaporation rate ρ in (0, 1).
    pub evaporation: f64,
    /// Which ants deposit, and how much.
    pub weighting: Weighting,
}

impl Default for AntSystemParams {
    /// ACOTSP's defaults: α 1, β 2, ρ 0.5, every ant deposits.
    fn default() -> Self {
        Self { alpha: 1.0, beta: 2.0, evaporation: 0.5, weighting: Weighting::Every }
    }
}

/// The least rate of evaporation: the first trails of the Ant System are in proportion to it, and not below the least trail.
const LEAST_EVAPORATION: f64 = 1e-6;
/// The most ants with ranks: each ant is compared with all others.
const MAX_RANKED_ANTS: usize = 16_384;

impl AntSystemParams {
    /// Trails never fall below this: 2⁻²⁰ of the level that a trail has when every ant uses its edge.
    pub const TRAIL_MIN: u32 = TRAIL_ONE >> 20;

    /// Checks each range.
    ///
    /// # Errors
    /// [`Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self, ants: usize) -> Result<()> {
        range::exponents(self.alpha, self.beta)?;
        range::rate("evaporation", self.evaporation, range::PARTS)?;
        if self.evaporation < LEAST_EVAPORATION {
            return Err(Error::Config(format!(
                "evaporation must be {LEAST_EVAPORATION} at least, not {}: first trails are that share of later ones, and trails are counted no finer",
                self.evaporation
            )));
        }
        match self.weighting {
            Weighting::Every => Ok(()),
            Weighting::Elitist(weight) => range::closed("the elitist weight", weight, 1e6),
            Weighting::Ranked(2..=64) if ants <= MAX_RANKED_ANTS => Ok(()),
            Weighting::Ranked(2..=64) => {
                Err(Error::Config(format!("ranks need at most {MAX_RANKED_ANTS} ants, not {ants}")))
            }
            Weighting::Ranked(ranks) => Err(Error::Config(format!("ranks must lie in 2 to 64, not {ranks}"))),
        }
    }

    /// By name.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, Value)> {
        let mut all = named_values![alpha = self.alpha, beta = self.beta, evaporation = self.evaporation];
        match self.weighting {
            Weighting::Every => {}
            Weighting::Elitist(elitist) => all.extend(named_values![elitist = elitist]),
            Weighting::Ranked(ranks) => all.extend(named_values![ranks = ranks]),
        }
        all
    }

    /// How many times 1/cost all depositors of an iteration leave together.
    fn total(&self, ants: usize) -> f64 {
        let ants = ants as f64;
        match self.weighting {
            Weighting::Every => ants,
            Weighting::Elitist(weight) => ants + weight,
            Weighting::Ranked(ranks) => f64::from(ranks * (ranks + 1) / 2),
        }
    }

    /// The deposit of weight 1, as a share of `TRAIL_ONE · reference / cost`, times 2³².
    ///
    /// A trail whose edge every depositor uses settles at `TRAIL_ONE · reference / cost`.
    pub fn deposit_fixed(&self, ants: usize) -> u32 {
        range::share_fixed((self.evaporation / self.total(ants)).min(0.999_999))
    }

    /// The deposit of the best tour so far, in the same unit; 0 when it does not deposit.
    pub fn best_deposit_fixed(&self, ants: usize) -> u32 {
        let weight = match self.weighting {
            Weighting::Every => return 0,
            Weighting::Elitist(weight) => weight,
            Weighting::Ranked(ranks) => f64::from(ranks),
        };
        range::share_fixed((self.evaporation * weight / self.total(ants)).min(0.999_999))
    }

    /// Ranks that deposit, the best tour so far included; 0 when every ant does.
    pub fn ranks(&self) -> u32 {
        match self.weighting {
            Weighting::Ranked(ranks) => ranks,
            _ => 0,
        }
    }

    /// The first trail: ants / reference for the Ant System, (total weight) / (ρ · reference) for its other forms.
    pub fn first_trail(&self) -> u32 {
        match self.weighting {
            Weighting::Every => super::fixed::mul_high(TRAIL_ONE, range::share_fixed(self.evaporation)),
            _ => TRAIL_ONE,
        }
    }

    /// (1 − ρ) · 2³².
    pub fn persistence_fixed(&self) -> u32 {
        u32::MAX - range::share_fixed(self.evaporation) + 1
    }
}
