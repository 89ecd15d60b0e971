//! Counter-based random words, the Rust side of `shaders/shared/random.wgsl`.

use crate::wgsl::constant;

/// The number of the word that draws where an ant begins; its steps take words from 0 on.
pub const FIRST_CITY: u32 = constant!("shared/random", "FIRST_CITY");
/// The stream that belongs to no ant: for what all ants of an iteration share.
pub const NO_ANT: u32 = constant!("shared/random", "NO_ANT");

/// The two keys of a stream of random words, one stream for each ant of each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    first: u32,
    second: u32,
}

/// PCG's output permutation (O'Neill 2014) as a hash.
fn pcg_hash(word: u32) -> u32 {
    let state = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let mixed = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (mixed >> 22) ^ mixed
}

impl Stream {
    /// The stream of `ant` in `iteration` (both counted from 0) under `seed`.
    pub fn new(seed: u64, iteration: u32, ant: u32) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        Self {
            first: pcg_hash(low ^ pcg_hash(iteration ^ pcg_hash(ant.wrapping_add(0x51ED_270B)))),
            second: pcg_hash(high ^ pcg_hash(ant ^ pcg_hash(iteration.wrapping_add(0x2545_F491)))),
        }
    }

    /// Another stream of the same ant and iteration: the same keys in the other order.
    #[inline(always)]
    pub fn turned(self) -> Self {
        Self { first: self.second, second: self.first }
    }

    /// A word whose upper bits are random enough for an index of the ring of deviates (`shaders/construct/deviates_row.wgsl`).
    #[inline(always)]
    pub fn place(self, counter: u32) -> u32 {
        self.quick_mix(counter).wrapping_mul(0x9E37_79B1)
    }

    /// Another such word, for the rule that a step takes (`shaders/construct/selection.wgsl`).
    #[inline(always)]
    pub fn rule(self, counter: u32) -> u32 {
        self.quick_mix(counter).wrapping_mul(0x846C_A68B)
    }

    #[inline(always)]
    fn quick_mix(self, counter: u32) -> u32 {
        let word = counter.wrapping_mul(self.first | 1).wrapping_add(self.second);
        word ^ (word >> 16)
    }

    /// Word `counter` of the stream.
    #[inline(always)]
    pub fn word(self, counter: u32) -> u32 {
        let mut word = counter.wrapping_mul(0x9E37_79B1).wrapping_add(self.first);
        word = (word ^ (word >> 16)).wrapping_mul(0x7FEB_352D);
        word = (word ^ (word >> 15)).wrapping_add(self.second);
        word = (word ^ (word >> 13)).wrapping_mul(0x846C_A68B);
        word ^ (word >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_iteration_and_ant() {
        let base = Stream::new(1, 0, 0);
        for other in [Stream::new(2, 0, 0), Stream::new(1 << 32 | 1, 0, 0), Stream::new(1, 1, 0), Stream::new(1, 0, 1)]
        {
            assert_ne!(base, other);
        }
    }

    /// Rules are taken as often as they should be, as unevenly, and neither by the rule of the step before nor by the place.
    #[test]
    fn rules_are_independent() {
        const RATE: f64 = 0.05;
        let below = |word: u32| f64::from(u8::from(f64::from(word) < RATE * 4_294_967_296.0));
        let (streams, steps) = (2_000, 1_000);
        let (mut taken, mut squares, mut again, mut here) = (0.0, 0.0, 0.0, 0.0);
        for ant in 0..streams {
            let stream = Stream::new(3, 1, ant);
            let rules: Vec<f64> = (1..=steps).map(|step| below(stream.rule(step))).collect();
            let sum: f64 = rules.iter().sum();
            taken += sum;
            squares += (sum - RATE * f64::from(steps)).powi(2);
            again += rules.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            here += rules.iter().zip(1..).map(|(rule, step)| rule * f64::from(stream.place(step) >> 31)).sum::<f64>();
        }
        let draws = f64::from(streams) * f64::from(steps);
        assert!((taken / draws / RATE - 1.0).abs() < 0.02, "{taken} of {draws}");
        assert!((squares / (draws * RATE * (1.0 - RATE)) - 1.0).abs() < 0.15, "variance {squares}");
        assert!((again / draws / (RATE * RATE) - 1.0).abs() < 0.08, "twice {again} of {draws}");
        assert!((here / taken - 0.5).abs() < 0.01, "{here} of {taken} in the upper half");
    }

    /// Each of the 32 bits is set half the time, over counters of one stream and over streams at one counter.
    #[test]
    fn bits_are_balanced() {
        let draws = 1 << 16;
        let mut along = [0u32; 32];
        let mut across = [0u32; 32];
        for i in 0..draws {
            let (a, b) = (Stream::new(7, 3, 5).word(i), Stream::new(7, i, 5).word(9));
            for bit in 0..32 {
                along[bit] += a >> bit & 1;
                across[bit] += b >> bit & 1;
            }
        }
        let deviation = 5.0 * (f64::from(draws) / 4.0).sqrt();
        for count in along.into_iter().chain(across) {
            assert!((f64::from(count) - f64::from(draws) / 2.0).abs() < deviation, "{count} of {draws}");
        }
    }
}
