//! Orders of the cities along space-filling curves.

use glam::DVec2;
use rayon::prelude::*;

use super::instance::Instance;
use super::metric::Metric;

/// Cells along a side of the curve's square: 2 to this.
const BITS: u32 = 16;

/// Where the curve's square begins left of and below the cities, as a share of their extent, for each order: a border between
/// the square's quarters, which far parts of the curve may touch, runs elsewhere in each.
const SHIFTS: [[f64; 2]; 4] = [[0.0, 0.0], [0.37, 0.61], [0.71, 0.23], [0.89, 0.83]];

impl Instance {
    /// The cities in `count` orders (up to 4) along Hilbert curves (Hilbert 1891), each laid differently, so that stretches of
    /// an order are compact pieces of the plane. `None` for a matrix.
    pub fn space_filling_orders(&self, count: usize) -> Option<Vec<Vec<u32>>> {
        let spots: Vec<DVec2> = match self.metric() {
            Metric::Haversine => self.layout()?,
            _ => self.coords().iter().map(|p| p.truncate()).collect(),
        };
        let low = spots.iter().copied().reduce(DVec2::min)?;
        let high = spots.iter().copied().reduce(DVec2::max)?;
        let extent = (high - low).max_element().max(f64::MIN_POSITIVE);
        let order = |shift: &[f64; 2]| {
            let scale = f64::from(1 << BITS) / (2.0 * extent);
            let cell = |p: DVec2| {
                let place = (p - low + DVec2::from_array(*shift) * extent) * scale;
                [place.x as u32, place.y as u32].map(|cell| cell.min((1 << BITS) - 1))
            };
            // Sorted as one number, the place along the curve above the city.
            let keyed = |(city, &p): (usize, &DVec2)| u64::from(hilbert(cell(p))) << 32 | city as u64;
            let mut keyed: Vec<u64> = spots.par_iter().enumerate().map(keyed).collect();
            keyed.par_sort_unstable();
            keyed.into_par_iter().map(|key| key as u32).collect()
        };
        Some(SHIFTS[..count.min(SHIFTS.len())].iter().map(order).collect())
    }
}

/// How far along the curve a cell lies.
fn hilbert([mut x, mut y]: [u32; 2]) -> u32 {
    let mut along = 0u32;
    for bit in (0..BITS).rev() {
        let (right, up) = (x >> bit & 1, y >> bit & 1);
        along = along << 2 | ((3 * right) ^ up);
        // In the lower half both are swapped, in its right quarter turned around too. A processor would not foresee branches.
        let lower = up.wrapping_sub(1);
        let turned = lower & right.wrapping_neg();
        let swapped = lower & (x ^ y);
        (x, y) = (x ^ swapped ^ turned, y ^ swapped ^ turned);
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};

    #[test]
    fn the_curve_visits_neighbouring_cells() {
        let mut cells: Vec<[u32; 2]> = (0..64u32).flat_map(|x| (0..64u32).map(move |y| [x, y])).collect();
        cells.sort_by_key(|&cell| hilbert(cell));
        for pair in cells.windows(2) {
            assert_eq!(pair[0][0].abs_diff(pair[1][0]) + pair[0][1].abs_diff(pair[1][1]), 1, "{pair:?}");
        }
    }

    #[test]
    fn orders_hold_each_city_once_and_differ() {
        let instance = generate(Kind::Clustered, 500, 1).unwrap();
        let orders = instance.space_filling_orders(4).unwrap();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..500));
        }
        assert!(orders[1..].iter().all(|order| *order != orders[0]));
    }
}
