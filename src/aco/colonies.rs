//! Several colonies in a ring: how many, how often they exchange their bests, and their seeds.

use super::config::Config;
use crate::error::{Error, Result};

/// The most colonies.
const MAX_COLONIES: usize = 256;
/// Iterations between exchanges when not asked for; `docs/family.md` has the measurements.
const DEFAULT_EXCHANGE: u32 = 50;

impl Config {
    /// Colonies that this asks for.
    pub(crate) fn colony_count(&self) -> usize {
        self.colonies.unwrap_or(1)
    }

    /// Iterations between exchanges of several colonies' bests; `None`: there are none.
    pub fn exchange_period(&self) -> Option<u32> {
        let wanted = self.exchange.unwrap_or(DEFAULT_EXCHANGE);
        (wanted > 0 && self.colony_count() > 1).then_some(wanted)
    }
}

/// The seed of a colony, counted from 0, of a run with `seed`: the first one's is the run's, the others' are words of SplitMix64
/// (Steele, Lea and Flood 2014).
pub(crate) fn seed(seed: u64, colony: usize) -> u64 {
    if colony == 0 {
        return seed;
    }
    let mut word = seed.wrapping_add((colony as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Checks what `config` says of colonies.
pub(super) fn check(config: &Config) -> Result<()> {
    let count = config.colony_count();
    if !(1..=MAX_COLONIES).contains(&count) {
        return Err(Error::Config(format!("colonies must lie in 1 to {MAX_COLONIES}, not {count}")));
    }
    if count == 1 && config.exchange.is_some() {
        return Err(Error::Config(
            "one colony has none to exchange bests with: ask for at least 2 colonies, or leave 'exchange' out".into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_by_run_and_colony() {
        let mut seeds: Vec<u64> = (0..64).flat_map(|run| (0..64).map(move |colony| seed(run, colony))).collect();
        assert_eq!(seeds[64], 1);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 64 * 64);
    }
}
