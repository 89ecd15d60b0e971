//! Selective pheromone memory (Skinderowicz 2016, section 3.2): the Rust side of `shaders/pheromone/selective.wgsl`.
//!
//! A city's memory is a few records and a count of all records ever added. A record holds a city in its upper 16 bits and in
//! the lower ones the level of the trail to it, its logarithm above the first trail in 1/2048 octave.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::fixed::{exp2_mantissa, log2_fixed, mul_high};
use crate::wgsl::constant;

/// A record that belongs to no city.
pub const EMPTY: u32 = u32::MAX;

/// The most records of a city.
pub const MOST_RECORDS: u32 = constant!("construct/rows_selective", "MOST_RECORDS");

/// The memory of one city.
#[derive(Clone, Copy)]
pub struct Records<'a>(&'a [AtomicU32]);

impl<'a> Records<'a> {
    /// The memory of `city` in a buffer of `pitch` words a city.
    pub fn of(records: &'a [AtomicU32], city: u32, pitch: usize) -> Self {
        Self(&records[city as usize * pitch..][..pitch])
    }

    fn slots(self) -> &'a [AtomicU32] {
        &self.0[..self.0.len() - 1]
    }

    /// The slot of the record of the edge to `other`: the last one where there are two.
    #[inline(always)]
    pub fn slot(self, other: u32) -> Option<usize> {
        self.slots().iter().rposition(|record| record.load(Relaxed) >> 16 == other)
    }

    /// The level in a slot, 0 without one.
    #[inline(always)]
    pub fn level(self, slot: Option<usize>) -> u32 {
        slot.map_or(0, |slot| self.0[slot].load(Relaxed) & 0xFFFF)
    }

    /// Writes a level to its slot, or over the oldest record.
    pub fn keep(self, other: u32, slot: Option<usize>, level: u32) {
        let slots = self.slots().len();
        let place = slot.unwrap_or_else(|| self.0[slots].fetch_add(1, Relaxed) as usize % slots);
        self.0[place].store(other << 16 | level, Relaxed);
    }
}

/// 2³¹ · 2^(−level/2048).
fn power_below(level: u32) -> u32 {
    let exponent = 15_872 - (level >> 2).min(15_872);
    let mantissa = exp2_mantissa(exponent & 511);
    let octave = exponent >> 9;
    if octave < 15 { mantissa >> (15 - octave) } else { mantissa << (octave - 15) }
}

/// −2048 · log2(z / 2³¹), rounded.
fn levels_below(tables: &[u32], z: u32) -> u32 {
    const ONE: u32 = 31 << 16;
    (ONE - log2_fixed(tables, z.max(1)).min(ONE) + 16) >> 5
}

/// The level of (1 − rate)·trail + rate·first, with the rate · 2³².
pub fn worn_level(tables: &[u32], level: u32, rate: u32) -> u32 {
    let z = (rate.wrapping_neg() >> 1) + mul_high(rate, power_below(level));
    level - levels_below(tables, z).min(level)
}

/// The level of (1 − rate)·trail + rate·best, where `best` is the level of the best tour's deposit.
pub fn raised_level(tables: &[u32], level: u32, best: u32, rate: u32) -> u32 {
    let below = best - level.min(best);
    let z = (rate >> 1) + mul_high(rate.wrapping_neg(), power_below(below));
    best - levels_below(tables, z).min(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::fixed::tables;

    fn exact(level: f64, rate: f64, target: f64) -> f64 {
        2048.0 * ((1.0 - rate) * (level / 2048.0).exp2() + rate * (target / 2048.0).exp2()).log2()
    }

    #[test]
    fn levels_follow_the_trail_they_stand_for() {
        let tables = tables();
        for rate in [0.01, 0.1, 0.2, 0.5] {
            let fixed = (rate * 4294967296.0) as u32;
            for level in (0..30_000).step_by(7) {
                let worn = f64::from(worn_level(&tables, level, fixed));
                assert!((worn - exact(f64::from(level), rate, 0.0)).abs() < 4.0, "{level} {rate} {worn}");
                let best = 24_000.max(level);
                let raised = f64::from(raised_level(&tables, level, best, fixed));
                assert!(
                    (raised - exact(f64::from(level), rate, f64::from(best))).abs() < 4.0,
                    "{level} {rate} {raised}"
                );
            }
        }
    }

    #[test]
    fn the_oldest_record_gives_way() {
        let words: Vec<AtomicU32> = [EMPTY, EMPTY, EMPTY, 0].into_iter().map(AtomicU32::new).collect();
        let records = Records::of(&words, 0, 4);
        for other in 0..4 {
            records.keep(other, records.slot(other), other + 10);
        }
        assert_eq!(records.slot(0), None);
        assert_eq!(records.level(records.slot(3)), 13);
        assert_eq!(records.slot(3), Some(0));
        records.keep(3, records.slot(3), 99);
        assert_eq!((records.level(records.slot(3)), records.level(records.slot(2)), records.level(None)), (99, 12, 0));
    }
}
