//! Orders of the cities along space-filling curves.

use glam::DVec3;
use rayon::prelude::*;

use super::instance::Instance;
use super::metric::Metric;
use crate::instance::share;

/// Cells along a side of the curve's square, or of its cube: 2 to this.
const BITS: u32 = 16;
const BITS_IN_SPACE: u32 = 10;

/// Where the curve's square begins left of, below and before the cities, as a share of their extent, for each order: a border between
/// the square's quarters, which far parts of the curve may touch, runs elsewhere in each.
const SHIFTS: [DVec3; 4] =
    [DVec3::ZERO, DVec3::new(0.37, 0.61, 0.47), DVec3::new(0.71, 0.23, 0.79), DVec3::new(0.89, 0.83, 0.13)];

impl Instance {
    /// The cities in `count` orders (up to 4) along Hilbert curves (Hilbert 1891), each laid differently, so that stretches of
    /// an order are compact pieces of the plane, or of space. `None` for a matrix.
    pub fn space_filling_orders(&self, count: usize) -> Option<Vec<Vec<u32>>> {
        let laid: Vec<DVec3>;
        let spots = match self.metric() {
            Metric::Haversine => {
                laid = self.layout()?.into_iter().map(|p| p.extend(0.0)).collect();
                &laid[..]
            }
            _ => self.coords(),
        };
        let low = spots.iter().copied().reduce(DVec3::min)?;
        let size = spots.iter().copied().reduce(DVec3::max)? - low;
        let extent = size.max_element().max(f64::MIN_POSITIVE);
        let bits = if size.z > 0.0 { BITS_IN_SPACE } else { BITS };
        let order = |&shift: &DVec3| {
            let scale = f64::from(1 << bits) / (2.0 * extent);
            let along = |p: DVec3| {
                let place = (p - low + shift * extent) * scale;
                let [x, y, z] = place.to_array().map(|place| (place as u32).min((1 << bits) - 1));
                if size.z > 0.0 { hilbert_in_space([x, y, z]) } else { hilbert([x, y]) }
            };
            // Sorted as one number, the place along the curve above the city.
            let keyed = |(city, &p): (usize, &DVec3)| u64::from(along(p)) << 32 | city as u64;
            let mut keyed: Vec<u64> = spots.par_iter().with_min_len(share::ENTRIES).enumerate().map(keyed).collect();
            keyed.par_sort_unstable();
            keyed.into_par_iter().with_min_len(share::ENTRIES).map(|key| key as u32).collect()
        };
        Some(SHIFTS[..count.min(SHIFTS.len())].iter().map(order).collect())
    }
}

/// How far along the curve a cell lies.
fn hilbert([x, y]: [u32; 2]) -> u32 {
    let (mut along, mut turn) = (0, 0);
    for low in (0..BITS).step_by(BITS_AT_ONCE).rev() {
        let [x, y] = [x, y].map(|place| (place >> low) as usize % CELLS);
        let (there, next) = PARTS[turn][x * CELLS + y];
        along = along << (2 * BITS_AT_ONCE) | u32::from(there);
        turn = usize::from(next);
    }
    along
}

/// Bits of each coordinate that are looked up at once, and the cells along a side that they tell.
const BITS_AT_ONCE: usize = 4;
const CELLS: usize = 1 << BITS_AT_ONCE;

/// How far along the curve a cell of a part of the square lies, and how the curve is turned within it: bit 0, x and y are swapped, bit 1, both
/// are counted from the other side; for each turn of the part.
static PARTS: [[(u8, u8); CELLS * CELLS]; 4] = {
    let mut parts = [[(0, 0); CELLS * CELLS]; 4];
    let mut at = 0;
    while at < 4 * CELLS * CELLS {
        let (mut turn, cell) = (at / (CELLS * CELLS), at % (CELLS * CELLS));
        let (x, y) = (cell / CELLS, cell % CELLS);
        let (mut along, mut bit) = (0, BITS_AT_ONCE);
        while bit > 0 {
            bit -= 1;
            let (x, y) = (x >> bit & 1, y >> bit & 1);
            let (x, y) = if turn & 1 == 1 { (y, x) } else { (x, y) };
            let (right, up) = (x ^ turn >> 1, y ^ turn >> 1);
            along = along << 2 | ((3 * right) ^ up);
            // In the lower half both are swapped, in its right quarter turned around too.
            if up == 0 {
                turn ^= 1 | right << 1;
            }
        }
        parts[at / (CELLS * CELLS)][cell] = (along as u8, turn as u8);
        at += 1;
    }
    parts
};

/// How far along the curve in space a cell lies (Skilling 2004, "Programming the Hilbert curve").
fn hilbert_in_space(mut cell: [u32; 3]) -> u32 {
    // From the greatest cube to the smallest one, each is turned and mirrored to where its curve begins.
    for bit in (1..BITS_IN_SPACE).rev() {
        let below = (1 << bit) - 1;
        for axis in 0..3 {
            if cell[axis] >> bit & 1 == 1 {
                cell[0] ^= below;
            } else {
                let swapped = (cell[0] ^ cell[axis]) & below;
                cell[0] ^= swapped;
                cell[axis] ^= swapped;
            }
        }
    }
    // Each bit of the three is a number in Gray's code, which depends on those above it.
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    let turned = (1..BITS_IN_SPACE).filter(|bit| cell[2] >> bit & 1 == 1).fold(0, |all, bit| all ^ ((1 << bit) - 1));
    let digits = (0..BITS_IN_SPACE).rev().flat_map(|bit| cell.map(|axis| (axis ^ turned) >> bit & 1));
    digits.fold(0, |along, digit| along << 1 | digit)
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
    fn the_curve_in_space_visits_neighbouring_cells() {
        let all = |side: u32| (0..side.pow(3)).map(move |i| [i % side, i / side % side, i / side / side]);
        let mut cells: Vec<[u32; 3]> = all(32).collect();
        cells.sort_by_key(|&cell| hilbert_in_space(cell));
        for pair in cells.windows(2) {
            assert_eq!((0..3).map(|axis| pair[0][axis].abs_diff(pair[1][axis])).sum::<u32>(), 1, "{pair:?}");
        }
    }

    #[test]
    fn orders_hold_each_city_once_and_differ() {
        let plane = generate(Kind::Clustered, 500, 1).unwrap();
        let cube: Vec<DVec3> =
            (0..500).map(|i| DVec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) * 100.0).collect();
        let cube = Instance::from_coords_3d("cube", &cube).unwrap();
        for instance in [&plane, &cube] {
            let orders = instance.space_filling_orders(4).unwrap();
            for order in &orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..500));
            }
            assert!(orders[1..].iter().all(|order| *order != orders[0]));
        }
        // Of a grid of 8 × 8 × 8 that lacks a few, hardly an edge of the first order is longer than one step.
        let order = cube.space_filling_orders(1).unwrap().remove(0);
        assert!(cube.tour_cost(&order).unwrap() < 60_000);
    }
}
