//! Parameters of the cunning Ant System (Tsutsui 2006; Tsutsui and Fujimoto 2011, section 3).

use serde::Serialize;

use super::range;
use super::value::{Value, named_values};
use crate::error::Result;

/// Parameters of the cunning Ant System.
///
/// Each of m units keeps its best solution. In an iteration an ant of each unit, the cunning ant, takes over a part of it, of
/// the donor, and constructs the rest by the trails; the better of both stays. All units' bests deposit.
///
/// The evaporation rate ρ is the share of a trail that *vanishes* in an iteration (the paper's ρ is what stays).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CasParams {
    /// Trail exponent α in 0..=8, kept in steps of 1/256.
    pub alpha: f64,
    /// Evaporation rate ρ in (0, 1).
    pub evaporation: f64,
    /// The mean share γ in (0, 1) of a solution that an ant constructs itself.
    pub gamma: f64,
    /// Probability in (0, 1) of rebuilding the best solution once the trails have converged; sets the lower trail limit as in
    /// a MAX-MIN Ant System.
    pub p_best: f64,
    /// All units restart when so many iterations, from one look to the next, have not improved the best of them; 0: they never do.
    pub stagnation: u32,
}

impl CasParams {
    /// Defaults by instance: `structured` ones have flows or distances of very different sizes, as real layouts do (Tsutsui and Fujimoto
    /// 2011, table 4).
    pub fn for_instance(structured: bool) -> Self {
        Self { alpha: 1.0, evaporation: 0.5, gamma: if structured { 0.5 } else { 0.4 }, p_best: 0.05, stagnation: 0 }
    }

    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::exponents(self.alpha, 0.0)?;
        range::rate("evaporation", self.evaporation, range::PARTS)?;
        range::open_unit("gamma", self.gamma)?;
        range::open_unit("p_best", self.p_best)
    }

    /// By name.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, Value)> {
        named_values![
            alpha = self.alpha,
            evaporation = self.evaporation,
            gamma = self.gamma,
            p_best = self.p_best,
            stagnation = self.stagnation,
        ]
    }

    /// (1 − ρ) · 2³².
    pub fn persistence_fixed(&self) -> u32 {
        u32::MAX - range::share_fixed(self.evaporation) + 1
    }

    /// What a unit deposits, as a share of the level that belongs to its cost, times 2³²: all units together deposit what
    /// vanishes of the mean of their levels.
    pub fn deposit_fixed(&self, units: usize) -> u32 {
        (range::share_fixed(self.evaporation) / units as u32).max(1)
    }

    /// For each count below n the random word from which on an ant draws locations for more than so many facilities.
    ///
    /// The share l/n is drawn with density ((1−γ)/γ) (1−l/n)^((1−2γ)/γ) for γ ≤ ½ and the mirror image of that for 1 − γ
    /// otherwise, of mean γ (Tsutsui 2006, section 3.2); an ant constructs ⌈l⌉ places, at least 1.
    pub fn thresholds(&self, n: usize) -> Vec<u32> {
        let below = |share: f64| match self.gamma <= 0.5 {
            true => 1.0 - libm::pow(1.0 - share, (1.0 - self.gamma) / self.gamma),
            false => libm::pow(share, self.gamma / (1.0 - self.gamma)),
        };
        let word = |count: usize| (below(count as f64 / n as f64) * 4294967296.0).min(4294967295.0) as u32;
        (1..n).map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean share that ants construct is γ, up to the rounding up to whole places.
    #[test]
    fn thresholds_give_the_mean() {
        for gamma in [0.2, 0.4, 0.5, 0.7] {
            let params = CasParams { gamma, ..CasParams::for_instance(false) };
            params.validate().unwrap();
            let n = 200;
            let thresholds = params.thresholds(n);
            assert!(thresholds.is_sorted());
            let beyond = |threshold: &u32| 1.0 - f64::from(*threshold) / 4294967296.0;
            let mean = (1.0 + thresholds.iter().map(beyond).sum::<f64>()) / n as f64;
            assert!((mean - gamma).abs() < 1.0 / n as f64, "{gamma}: {mean}");
        }
    }

    #[test]
    fn ranges_are_told() {
        let wrong = CasParams { gamma: 1.0, ..CasParams::for_instance(true) };
        assert!(wrong.validate().unwrap_err().to_string().contains("gamma"));
    }
}
