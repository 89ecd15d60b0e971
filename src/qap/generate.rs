//! Random instances: Manhattan distances on a grid, flows that differ by orders of magnitude, as in real layouts
//! (Taillard 1995, section 3.2).

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::instance::Instance;
use crate::error::Result;

/// The side of the square that locations lie in.
const SIDE: f64 = 100.0;

/// An instance of `n` facilities: locations at random in a square of side 100, Manhattan distances; flows are 10^x for x
/// uniform in −10 to 5, rounded down, so that most are 0 and a few are great. Both matrices are symmetric.
///
/// # Errors
/// [`crate::Error::Instance`] as for [`Instance::from_matrices`].
pub fn generate(n: usize, seed: u64) -> Result<Instance> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let places: Vec<[f64; 2]> = (0..n).map(|_| [0; 2].map(|_| (random.random::<f64>() * SIDE).floor())).collect();
    let mut flows = vec![0; n * n];
    let mut distances = vec![0; n * n];
    for i in 0..n {
        for j in 0..i {
            let flow = libm::exp10(random.random::<f64>() * 15.0 - 10.0) as u32;
            let distance = (places[i][0] - places[j][0]).abs() + (places[i][1] - places[j][1]).abs();
            for at in [i * n + j, j * n + i] {
                flows[at] = flow;
                distances[at] = distance as u32;
            }
        }
    }
    Instance::from_matrices(format!("layout{n}"), n, flows, distances)
}
