//! Fixed-point arithmetic that every backend repeats bit for bit, and the tables it reads.
//!
//! WGSL leaves the last bits of `log2`, `exp2` and divisions to the driver, so every decision of an ant is made with
//! integers. The twins of these functions are in `shaders/shared/`; `tests/fixed_point.rs` holds both against each other.
//!
//! | quantity | unit |
//! |---|---|
//! | trail | 2³⁰ ≙ the upper trail limit that belongs to the nearest-neighbour tour |
//! | logarithm of a trail | 1/65,536 octave |
//! | selection weight, and the deviate added to it | 1/512 octave, 16 bits |
//! | Gumbel deviate as it is drawn | 1/32,768 octave |

use std::sync::LazyLock;

use crate::wgsl::constant;

/// Selection weight units in an octave (a factor of two in probability).
pub const WEIGHT_UNITS: u32 = constant!("shared/heuristic", "WEIGHT_UNITS");
/// The greatest selection weight: with the greatest deviate it is less than 2^16.
pub const MOST_WEIGHT: u32 = constant!("shared/heuristic", "MOST_WEIGHT");
/// Weight of the nearest candidate's heuristic; candidates more than 48 octaves less attractive share weight 0.
pub const HEURISTIC_TOP: u32 = 48 * WEIGHT_UNITS;
/// The upper trail limit that belongs to the nearest-neighbour tour's cost.
pub const TRAIL_ONE: u32 = 1 << 30;

/// Cells in the Gumbel table: two halves of the unit interval, 32 leading-zero classes, 32 mantissa steps.
pub const GUMBEL_CELLS: usize = constant!("shared/log2", "GUMBEL_CELLS") as usize;
/// Entries of the logarithm table: log2(1 + i/256) for i in 0..=256, in 1/65,536 octave.
pub const LOG2_CELLS: usize = 257;
/// Words in the table buffer: the Gumbel cells, then the logarithm's.
pub const TABLE_WORDS: usize = GUMBEL_CELLS + LOG2_CELLS;
/// Where the table buffer has the deviates of an iteration.
pub const DEVIATES: usize = constant!("shared/deviates", "DEVIATES") as usize;

/// Octaves added to every Gumbel deviate so that it is positive (the smallest is −log2 33 = −5.04).
const GUMBEL_OFFSET: f64 = 6.0;
const KEY_UNITS: f64 = 32768.0;

/// The tables that kernels read: [`GUMBEL_CELLS`] words, then [`LOG2_CELLS`] words.
///
/// They come from a software logarithm (`libm`), so that each machine makes the same table; they are made once.
pub fn tables() -> Vec<u32> {
    static KEPT: LazyLock<Vec<u32>> = LazyLock::new(make_tables);
    KEPT.clone()
}

fn make_tables() -> Vec<u32> {
    let mut table = Vec::with_capacity(TABLE_WORDS);
    for half in 0..2u32 {
        for class in 0..32u32 {
            for cell in 0..32u32 {
                let low = gumbel_real(half, class, cell);
                let high = gumbel_real(half, class, cell + 1);
                let value = (low * KEY_UNITS + 0.5) as u32;
                let difference = (libm::fabs(high - low) * KEY_UNITS + 0.5) as u32;
                table.push(value << 11 | difference.min(2047));
            }
        }
    }
    table.extend((0..LOG2_CELLS).map(|i| (libm::log2(1.0 + i as f64 / 256.0) * 65536.0 + 0.5) as u32));
    table
}

/// −log2(−log2 u) + 6 at the lower edge of a cell, where u (lower half) or 1 − u (upper half) is the folded word / 2³².
fn gumbel_real(half: u32, class: u32, cell: u32) -> f64 {
    let word = if class == 31 { 0.0 } else { libm::exp2(30.0 - f64::from(class)) * (1.0 + f64::from(cell) / 32.0) };
    let part = (word + 0.5) / 4294967296.0;
    let minus_log2 = if half == 0 { -libm::log2(part) } else { -libm::log1p(-part) / std::f64::consts::LN_2 };
    -libm::log2(minus_log2) + GUMBEL_OFFSET
}

/// A Gumbel deviate in 1/32,768 octave from a random word: adding it to log-weights and taking the maximum draws
/// proportionally to the weights (weighted reservoir sampling, Efraimidis and Spirakis 2006). Error below 2·10⁻⁴ octave.
#[inline(always)]
pub fn gumbel(table: &[u32], word: u32) -> u32 {
    let half = word >> 31;
    let folded = if half == 1 { !word } else { word };
    let zeros = folded.leading_zeros();
    let class = zeros - 1;
    // Two shifts: a shift by 32 or more is undefined in WGSL and folded == 0 would ask for 33.
    let mantissa = (folded << class) << 2;
    let entry = table[((half << 10) | (class << 5) | (mantissa >> 27)) as usize];
    let step = ((entry & 2047) * ((mantissa >> 11) & 0xFFFF)) >> 16;
    if half == 1 { (entry >> 11) - step } else { (entry >> 11) + step }
}

/// log2(`x`) in 1/65,536 octave for x ≥ 1; `table` as [`tables`] makes it.
#[inline]
pub fn log2_fixed(table: &[u32], x: u32) -> u32 {
    let exponent = 31 - x.leading_zeros();
    let mantissa = (x << (31 - exponent)) << 1;
    let cell = GUMBEL_CELLS + (mantissa >> 24) as usize;
    let low = table[cell];
    let step = ((table[cell + 1] - low) * ((mantissa >> 8) & 0xFFFF)) >> 16;
    (exponent << 16) + low + step
}

/// The same of a number's upper 24 bits, for `x` of 256 and more, within 1/1,000 octave; without a table.
#[inline(always)]
pub fn log2_near(x: u32) -> u32 {
    let x = x & 0xFFFF_FF00;
    let exponent = 31 - x.leading_zeros();
    let mantissa = (x << (31 - exponent) << 1) >> 16;
    let bow = (mantissa * (65_536 - mantissa)) >> 16;
    let bend = 27_713 - ((10_435 * mantissa) >> 16);
    (exponent << 16) + mantissa + ((bow * bend) >> 16)
}

/// `a` · `share` / 2¹⁶, with a share of less than 2¹⁶.
#[inline(always)]
pub fn share_16(a: u32, share: u32) -> u32 {
    (a >> 16) * share + (((a & 0xFFFF) * share) >> 16)
}

/// The upper 32 bits of the product.
#[inline(always)]
pub fn mul_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// The upper trail limit of a tour of cost `cost`: `TRAIL_ONE · reference / cost`, saturated, never 0.
/// Both costs are shifted right by `shift` first so that they fit in 32 bits.
pub fn trail_limit(reference: u64, cost: u64, shift: u32) -> u32 {
    let cost = (cost >> shift).max(1);
    let limit = (u128::from(reference >> shift) << 30) / u128::from(cost);
    u32::try_from(limit).unwrap_or(u32::MAX).max(1)
}

/// The shift for [`trail_limit`] that brings `reference` below 2³¹.
pub fn cost_shift(reference: u64) -> u32 {
    33u32.saturating_sub(reference.leading_zeros())
}

/// log2 of a distance above that of 1/10, which stands for 0 as in ACOTSP; in 1/65,536 octave.
#[inline]
pub fn log2_distance(table: &[u32], distance: u32) -> u32 {
    if distance == 0 { 0 } else { log2_fixed(table, distance) + 217_706 }
}

/// How far the heuristic weight falls when log2 of the distance rises by `octaves` (1/65,536), in 1/512 octave; `beta` is
/// β · 256.
#[inline]
pub fn heuristic_fall(octaves: u32, beta: u32) -> u32 {
    (beta * (octaves >> 4)) >> 11
}

/// Heuristic part of a selection weight, β·log2(nearest/d) below [`HEURISTIC_TOP`], never below 0; `beta` is β · 256.
#[inline]
pub fn heuristic_weight(table: &[u32], distance: u32, log2_nearest: u32, beta: u32) -> u32 {
    let octaves = log2_distance(table, distance).saturating_sub(log2_nearest);
    HEURISTIC_TOP - heuristic_fall(octaves, beta).min(HEURISTIC_TOP)
}

/// 2^(fraction/512) · 32,768 for a fraction below 512; a cubic, within 1.5·10⁻⁴.
#[inline(always)]
pub fn exp2_mantissa(fraction: u32) -> u32 {
    let cubic = 7406 + ((2572 * fraction) >> 9);
    let square = 22_790 + ((cubic * fraction) >> 9);
    32_768 + ((square * fraction) >> 9)
}

/// Octaves of a block, and bits of a short weight that tell one (`shaders/construct/linear.wgsl`).
const BLOCK_OCTAVES: u32 = constant!("construct/linear", "BLOCK_OCTAVES");
const BLOCK_BITS: u32 = constant!("construct/linear", "BLOCK_BITS");
/// As many weights, or fewer, are added up in a word of 32 bits, each in units of its block.
pub const MOST_IN_CLASS: u32 = 256;
const _: () = {
    assert!(MOST_IN_CLASS as u64 * (2047 << (BLOCK_OCTAVES - 1)) <= u32::MAX as u64);
    assert!(3 * BLOCK_OCTAVES > 37 && BLOCK_OCTAVES <= 1 << BLOCK_BITS && BLOCK_BITS + 2 + 10 == 16);
};

/// 2^(weight/512) for roulette wheels in 16 bits: from the top the block of the octave, the octave in its block, and 10 bits of the mantissa; scaled so
/// that the octave `top_octave` of the greatest weight becomes the 37th, and the octaves of weights below the first count as 0.
#[inline(always)]
pub fn short_linear(weight: u32, top_octave: u32) -> u32 {
    match ((weight >> 9) + 37).checked_sub(top_octave) {
        Some(octave) => {
            let place = octave + octave / BLOCK_OCTAVES * ((1 << BLOCK_BITS) - BLOCK_OCTAVES);
            (place << 10) + ((exp2_mantissa(weight & 511) + 16) >> 5) - 1024
        }
        None => 0,
    }
}

/// A short linear weight as a number: 2¹⁰ to 2⁴⁸.
#[inline(always)]
pub fn long_linear(short: u32) -> u64 {
    let place = short >> 10;
    u64::from(short & 1023 | 1024) << (place - (place >> BLOCK_BITS) * ((1 << BLOCK_BITS) - BLOCK_OCTAVES))
}

/// floor(total · word / 2³²) for total below 2⁶⁴.
#[inline(always)]
pub fn share_of(total: u64, word: u32) -> u64 {
    ((u128::from(total) * u128::from(word)) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gumbel_is_within_two_ten_thousandths_of_an_octave() {
        let table = tables();
        let mut worst = 0.0f64;
        for i in 0..2_000_003u64 {
            let word = (i * 2147) as u32 ^ if i % 3 == 0 { 0xFFFF_0000 } else { 0 };
            let u = (f64::from(word) + 0.5) / 4294967296.0;
            let exact = -(-libm::log2(u)).log2() + GUMBEL_OFFSET;
            let got = f64::from(gumbel(&table, word)) / KEY_UNITS;
            worst = worst.max((got - exact).abs());
        }
        assert!(worst < 2.5e-4, "worst error {worst} octaves");
        for word in [0, 1, 2, 3, u32::MAX, u32::MAX - 1, 1 << 31, (1 << 31) - 1] {
            assert!(gumbel(&table, word) > 0, "{word}");
        }
        assert!(MOST_WEIGHT + (gumbel(&table, u32::MAX) >> 6) < 1 << 16);
    }

    #[test]
    fn gumbel_never_falls_as_the_word_grows() {
        let table = tables();
        let mut last = 0;
        for i in 0..=u16::MAX {
            let now = gumbel(&table, u32::from(i) << 16);
            assert!(now >= last, "{i}");
            last = now;
        }
    }

    #[test]
    fn log2_is_exact_at_powers_of_two_and_close_elsewhere() {
        let table = tables();
        for e in 0..32 {
            assert_eq!(log2_fixed(&table, 1 << e), e << 16);
            assert!(e < 8 || log2_near(1 << e) == e << 16);
        }
        for i in 1..500_000u32 {
            let x = i.wrapping_mul(8581) | 1;
            let error = f64::from(log2_fixed(&table, x)) / 65536.0 - f64::from(x).log2();
            assert!(error.abs() < 2.5e-5, "{x}: {error}");
            let x = x.max(256);
            let error = f64::from(log2_near(x)) / 65536.0 - f64::from(x & 0xFFFF_FF00).log2();
            assert!(error.abs() < 1.0 / 1000.0, "{x}: {error}");
        }
    }

    #[test]
    fn trail_limits_follow_the_cost() {
        assert_eq!(trail_limit(1000, 1000, 0), TRAIL_ONE);
        assert_eq!(trail_limit(1000, 500, 0), 2 * TRAIL_ONE);
        assert_eq!(trail_limit(1000, 10, 0), u32::MAX);
        assert_eq!(trail_limit(0, 0, 0), 1);
        assert_eq!(trail_limit(1 << 40, 1 << 40, cost_shift(1 << 40)), TRAIL_ONE);
        assert_eq!(cost_shift((1 << 31) - 1), 0);
        assert_eq!(cost_shift(1 << 31), 1);
    }

    #[test]
    fn heuristic_weights_fall_with_distance() {
        let table = tables();
        let weight = |d, nearest, beta: u32| heuristic_weight(&table, d, log2_distance(&table, nearest), beta * 256);
        assert_eq!(weight(7, 7, 2), HEURISTIC_TOP);
        assert_eq!(weight(14, 7, 2), HEURISTIC_TOP - 2 * WEIGHT_UNITS);
        assert_eq!(weight(u32::MAX, 0, 5), 0);
        assert!(weight(1, 0, 1).abs_diff(HEURISTIC_TOP - 1701) <= 1, "1/10 stands for 0");
    }

    #[test]
    fn powers_of_two_are_close_and_rise() {
        let mut last = 0;
        for fraction in 0..512 {
            let exact = 32_768.0 * 2f64.powf(f64::from(fraction) / 512.0);
            let got = exp2_mantissa(fraction);
            assert!((f64::from(got) / exact - 1.0).abs() < 1.5e-4, "{fraction}: {got}");
            assert!(got > last);
            last = got;
        }
        let mut last = 0;
        for weight in 0..=65_535 {
            let short = short_linear(weight, 127);
            let now = long_linear(short);
            assert!(now >= last.max(1) && short < 1 << 16);
            last = now;
            let octave = f64::from(weight) / 512.0 - 127.0 + 47.0;
            if octave >= 10.0 {
                assert!((now as f64 / octave.exp2() - 1.0).abs() < 7e-4, "{weight}: {now}");
            } else {
                assert_eq!(now, 1 << 10);
            }
        }
        assert_eq!(long_linear(short_linear(61 * 512, 61)), 1 << 47);
        assert_eq!(long_linear(short_linear(60 * 512, 61)), 1 << 46);
        assert_eq!(long_linear(short_linear(0, 61)), 1 << 10);
    }
}
