//! Random instances: Manhattan distances on a grid, flows that differ by orders of magnitude, as in real layouts
//! (Taillard 1995, section 3.2).

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::instance::{Instance, MAX_FACILITIES};
use crate::error::{Error, Result};

/// The side of the square that locations lie in.
const SIDE: f64 = 100.0;
/// No flow is greater.
const GREATEST_FLOW: u32 = 100_000;

/// An instance of `n` facilities: locations at random in a square of side 100, Manhattan distances; flows are 10^x for x
/// uniform in −10 to 5, rounded down, so that most are 0 and a few are great. Both matrices are symmetric. Of so many facilities that
/// an exchange of two could change the cost by more than 2³¹ − 1 (about 700) flows are divided by 10, or by 100 and so on.
///
/// # Errors
/// [`Error::Config`] for no facility, more than 32,767, or more than there is memory for.
pub fn generate(n: usize, seed: u64) -> Result<Instance> {
    if !(1..=MAX_FACILITIES).contains(&n) {
        return Err(Error::Config(format!("an instance has 1 to {MAX_FACILITIES} facilities, not {n}")));
    }
    let mut divisor = 1;
    loop {
        match divided(n, seed, divisor) {
            Err(Error::Instance(_)) if divisor < GREATEST_FLOW => divisor *= 10,
            result => return result,
        }
    }
}

/// The instance with flows divided by `divisor`.
fn divided(n: usize, seed: u64, divisor: u32) -> Result<Instance> {
    let empty = || {
        let mut matrix = Vec::new();
        let room = matrix.try_reserve_exact(n * n);
        room.map_err(|_| Error::Config(format!("there is no memory for matrices of {n} facilities")))?;
        matrix.resize(n * n, 0);
        Ok(matrix)
    };
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let places: Vec<[f64; 2]> = (0..n).map(|_| [0; 2].map(|_| (random.random::<f64>() * SIDE).floor())).collect();
    let [mut flows, mut distances] = [empty()?, empty()?];
    for i in 0..n {
        for j in 0..i {
            let flow = libm::exp10(random.random::<f64>() * 15.0 - 10.0) as u32 / divisor;
            let distance = (places[i][0] - places[j][0]).abs() + (places[i][1] - places[j][1]).abs();
            for at in [i * n + j, j * n + i] {
                flows[at] = flow;
                distances[at] = distance as u32;
            }
        }
    }
    Instance::from_matrices(format!("layout{n}"), n, flows, distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_facilities_have_smaller_flows() {
        let greatest = |n| generate(n, 1).unwrap().flows().iter().copied().max().unwrap();
        assert!(greatest(100) > GREATEST_FLOW / 10);
        assert!(greatest(1200) <= GREATEST_FLOW / 10);
    }
}
