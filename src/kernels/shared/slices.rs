//! The cities that wait for a look, in slices: twin of `shaders/shared/array_tour/slices.wgsl`.

use crate::wgsl::constant;

/// Slices of the cities: a round takes a city of each.
pub(in crate::kernels) const SLICES: usize = constant!("shared/array_tour/slices", "SLICES") as usize;

/// Words of a slice.
pub(in crate::kernels) fn slice_words(cities: usize) -> usize {
    cities.div_ceil(32 * SLICES)
}

/// Words of all slices.
pub(in crate::kernels) fn waiting_words(cities: usize) -> usize {
    SLICES * slice_words(cities)
}

/// The cities that wait, a bit each: city c lies in slice c % 32, where it is bit c / 32.
pub(in crate::kernels) struct Slices {
    words: Vec<u32>,
    /// Words of a slice.
    slice: usize,
    /// For each slice the bit behind the one taken last.
    heads: [usize; SLICES],
    waiting: usize,
}

impl Slices {
    pub fn new(cities: usize) -> Self {
        Self { words: vec![0; waiting_words(cities)], slice: slice_words(cities), heads: [0; SLICES], waiting: 0 }
    }

    /// Lets a city wait.
    #[inline]
    pub fn insert(&mut self, city: u32) {
        let city = city as usize;
        let word = &mut self.words[city % SLICES * self.slice + city / (32 * SLICES)];
        let bit = 1 << (city / SLICES % 32);
        self.waiting += usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// Takes the next city of each slice, by turns.
    pub fn take_round(&mut self, round: &mut Vec<u32>) {
        round.clear();
        if self.waiting > 0 {
            round.extend((0..SLICES).filter_map(|slice| self.take_of(slice)));
        }
    }

    #[inline]
    fn take_of(&mut self, slice: usize) -> Option<u32> {
        let words = &mut self.words[slice * self.slice..][..self.slice];
        let head = &mut self.heads[slice];
        let mut at = if *head / 32 == words.len() { 0 } else { *head / 32 };
        let mut left = words[at] & (u32::MAX << (*head % 32));
        for _ in 0..words.len() {
            if left != 0 {
                break;
            }
            at = if at + 1 == words.len() { 0 } else { at + 1 };
            left = words[at];
        }
        if left == 0 {
            return None;
        }
        let bit = left.trailing_zeros() as usize;
        words[at] &= !(1 << bit);
        self.waiting -= 1;
        *head = at * 32 + bit + 1;
        Some(((at * 32 + bit) * SLICES + slice) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_take_turns() {
        for cities in [1, 31, 33, 1024, 1025, 2100] {
            let mut waiting = Slices::new(cities);
            let mut round = Vec::new();
            // Twice, so that heads begin in the middle.
            for _ in 0..2 {
                (0..cities as u32).chain(0..cities as u32).for_each(|city| waiting.insert(city));
                waiting.take_round(&mut round);
                let first: Vec<u32> = (0..cities.min(SLICES) as u32).collect();
                assert_eq!(round.iter().map(|city| city % SLICES as u32).collect::<Vec<_>>(), first);
                // What is let wait again comes behind all others of its slice.
                let again = round[0];
                waiting.insert(again);
                let mut taken = round.clone();
                let mut last = again;
                while !round.is_empty() {
                    waiting.take_round(&mut round);
                    taken.extend(&round);
                    last = round.iter().copied().find(|city| city % SLICES as u32 == 0).unwrap_or(last);
                }
                assert_eq!(last, again);
                taken.sort_unstable();
                let mut expected: Vec<u32> = (0..cities as u32).chain([again]).collect();
                expected.sort_unstable();
                assert_eq!(taken, expected);
            }
        }
    }
}
