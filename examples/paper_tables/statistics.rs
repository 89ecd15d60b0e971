//! Friedman's test.
#![allow(dead_code, reason = "not every test needs it")]

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Statistic, corrected for ties, and p-value for `blocks` of values, one for each treatment.
pub fn friedman(blocks: &[Vec<f64>]) -> Option<(f64, f64)> {
    let treatments = blocks.first()?.len();
    if blocks.len() < 2 || treatments < 2 {
        return None;
    }
    let mut sums = vec![0.0; treatments];
    let mut ties = 0.0;
    for block in blocks {
        for (sum, value) in sums.iter_mut().zip(block) {
            let below = block.iter().filter(|other| *other < value).count() as f64;
            let equal = block.iter().filter(|other| *other == value).count() as f64;
            *sum += below + (equal + 1.0) / 2.0;
            // Each of t equal values adds (t³ − t)/t.
            ties += equal * equal - 1.0;
        }
    }
    let (n, k) = (blocks.len() as f64, treatments as f64);
    let spread: f64 = sums.iter().map(|sum| (sum - n * (k + 1.0) / 2.0).powi(2)).sum();
    let scale = n * k * (k + 1.0) / 12.0 - ties / (12.0 * (k - 1.0));
    if scale <= 0.0 {
        // All values of each block are equal: nothing speaks for a difference.
        return Some((0.0, 1.0));
    }
    let statistic = spread / scale;
    Some((statistic, ChiSquared::new(k - 1.0).ok()?.sf(statistic)))
}
