//! Range checks that every set of parameters shares.

use crate::error::{Error, Result};

/// The most cities that lists take from each quadrant first.
pub(crate) const MAX_QUADRANTS: u32 = 2;

/// `value` between 0 and 1, both excluded.
pub(crate) fn open_unit(name: &str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::Config(format!("{name} must lie between 0 and 1, both excluded, not {value}")))
}

/// A rate between 0 and 1, both excluded, that is counted in so many parts: one that is less than a part would be another one.
pub(crate) fn rate(name: &str, value: f64, parts: f64) -> Result<()> {
    open_unit(name, value)?;
    if value * parts >= 1.0 {
        return Ok(());
    }
    // Rounded to two digits it is still a part.
    Err(Error::Config(format!("{name} must be at least {:.1e}, a step of its counting, not {value}", 1.05 / parts)))
}

/// The parts of a trail's evaporation.
pub(crate) const PARTS: f64 = 4_294_967_296.0;

/// `value` in 0 to `top`.
pub(crate) fn closed(name: &str, value: f64, top: f64) -> Result<()> {
    if (0.0..=top).contains(&value) {
        return Ok(());
    }
    Err(Error::Config(format!("{name} must lie in 0 to {top}, not {value}")))
}

/// `value` in `least` to `most`.
pub(crate) fn whole(name: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::Config(format!("{name} must lie in {least} to {most}, not {value}")))
}

/// The exponents that every ant system has.
pub(crate) fn exponents(alpha: f64, beta: f64) -> Result<()> {
    closed("alpha", alpha, 8.0)?;
    closed("beta", beta, 16.0)
}

/// An exponent as weights are counted with it, in steps of 1/256.
pub(crate) fn exponent(asked: f64) -> f64 {
    (asked * 256.0).round() / 256.0
}

/// A share in (0, 1) times 2³², at least 1.
pub(crate) fn share_fixed(share: f64) -> u32 {
    ((share * PARTS) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_rate_that_is_told_is_one() {
        for parts in [PARTS, 65_536.0] {
            assert!(rate("x", 1.0 / parts, parts).is_ok());
            let told = rate("x", 0.9 / parts, parts).unwrap_err().to_string();
            let least: f64 = told.split([' ', ',']).find_map(|word| word.parse().ok()).unwrap();
            assert!(rate("x", least, parts).is_ok(), "{told}");
        }
        assert!(rate("x", 1.0, PARTS).is_err() && rate("x", 0.0, PARTS).is_err());
    }
}
