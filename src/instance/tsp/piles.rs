//! Places where many cities lie: without care each of them would look at all others there.

use glam::DVec3;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::instance::share;

/// Cities in one place, more than some number, each list by rising index; and where each city's is.
#[derive(Default)]
pub(super) struct Piles {
    piles: Vec<Vec<u32>>,
    /// Of each city; [`NONE`] where it lies in none. Empty where there are none at all.
    of: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Ends of keys for each city, so that few other places share one.
const SPREAD: usize = 4;
/// Fewer copies than one of so many cities do a search no harm.
const FEW_COPIES: usize = 100;

impl Piles {
    /// The places of more than `most` cities, at least 1.
    pub(super) fn of_more_than(most: usize, coords: &[DVec3]) -> Self {
        let mut keys = keys_of_more_than(most, coords);
        keys.par_sort_unstable();
        if !keys.windows(most + 1).any(|window| window[0].0 == window[most].0) {
            return Self::default();
        }
        let (mut piles, mut of) = (Vec::new(), vec![NONE; coords.len()]);
        for same_key in keys.chunk_by(|a, b| a.0 == b.0).filter(|cities| cities.len() > most) {
            // Other places may have the same key.
            let mut left: Vec<u32> = same_key.iter().map(|(_, city)| *city).collect();
            while let Some(&first) = left.first() {
                let place = coords[first as usize];
                let (pile, others): (Vec<u32>, Vec<u32>) =
                    left.iter().partition(|city| coords[**city as usize] == place);
                left = others;
                if pile.len() > most {
                    pile.iter().for_each(|city| of[*city as usize] = piles.len() as u32);
                    piles.push(pile);
                }
            }
        }
        Self { piles, of }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.piles.is_empty()
    }

    /// The cities of an instance by place, each list and all of them by rising index, where more than one city in [`FEW_COPIES`] lies
    /// where another one lies, but not all in one place.
    pub(super) fn places(coords: &[DVec3]) -> Option<Vec<Vec<u32>>> {
        let piles = Self::of_more_than(1, coords);
        let copies = piles.piles.iter().map(|pile| pile.len() - 1).sum::<usize>();
        if copies == 0 || copies < coords.len() / FEW_COPIES || copies + 1 == coords.len() {
            return None;
        }
        let place = |city: u32| match piles.holding(city) {
            None => Some(vec![city]),
            Some(pile) => (pile[0] == city).then(|| pile.to_vec()),
        };
        Some((0..coords.len() as u32).filter_map(place).collect())
    }

    /// All cities of the pile that a city lies in.
    pub(super) fn holding(&self, city: u32) -> Option<&[u32]> {
        let pile = *self.of.get(city as usize).filter(|pile| **pile != NONE)?;
        Some(&self.piles[pile as usize])
    }
}

/// The key and city of each that may lie in one place with as many others as `most`. Most cities do not, which is told by how many keys end alike
/// before any are put in order.
fn keys_of_more_than(most: usize, coords: &[DVec3]) -> Vec<(u64, u32)> {
    let keys: Vec<u64> = coords.par_iter().with_min_len(share::ENTRIES).map(key).collect();
    let ends = SPREAD * coords.len().next_power_of_two();
    let end = |key: u64| key as usize & (ends - 1);
    let mut counts = vec![0u8; ends];
    for &key in &keys {
        let count = &mut counts[end(key)];
        *count = count.saturating_add(1);
    }
    let least = u8::try_from(most + 1).unwrap_or(u8::MAX);
    let cities = keys.into_iter().zip(0..).filter(|&(key, _)| counts[end(key)] >= least);
    cities.collect()
}

/// The same for the same place; both zeros are one.
fn key(place: &DVec3) -> u64 {
    xxh3_64(bytemuck::bytes_of(&place.to_array().map(|x| x + 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cities_are_listed_by_place_where_many_lie_together() {
        let at = |xs: &[u32]| -> Vec<DVec3> { xs.iter().map(|&x| DVec3::new(f64::from(x), 1.0, 0.0)).collect() };
        assert_eq!(Piles::places(&at(&[4, 7, 4, 2, 7, 4])), Some(vec![vec![0, 2, 5], vec![1, 4], vec![3]]));
        assert_eq!(Piles::places(&at(&[4, 4, 7, 7])), Some(vec![vec![0, 1], vec![2, 3]]));
        assert_eq!([Piles::places(&at(&[4, 7, 2])), Piles::places(&at(&[4, 4, 4]))], [None, None]);
        let mut many = at(&(0..400).collect::<Vec<_>>());
        for (city, expected) in [(300, false), (301, false), (302, false), (303, true)] {
            many[city] = many[5];
            assert_eq!(Piles::places(&many).is_some(), expected, "{city}");
        }
    }

    #[test]
    fn places_of_many_cities_are_found() {
        let place =
            |i: usize| if i.is_multiple_of(3) { DVec3::new(-0.0, 5.0, 0.0) } else { DVec3::new(i as f64, 0.0, 0.0) };
        let mut coords: Vec<DVec3> = (0..30).map(place).collect();
        coords[6] = DVec3::new(0.0, 5.0, 0.0);
        let piles = Piles::of_more_than(9, &coords);
        let expected: Vec<u32> = (0..10).map(|i| 3 * i).collect();
        assert_eq!(piles.holding(27), Some(&expected[..]));
        assert_eq!(piles.holding(28), None);
        assert!(Piles::of_more_than(10, &coords).is_empty() && Piles::of_more_than(10, &coords).holding(27).is_none());
    }
}
