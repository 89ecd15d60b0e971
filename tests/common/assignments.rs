//! Assignments of every kind that searches tell apart.
#![allow(dead_code, reason = "each test file uses a part of it")]

use myrmex::qap::Instance;

/// Matrices of every symmetry: both, the first, the second, none; with diagonals; and none with costs of placing.
pub fn instances(n: usize) -> Vec<Instance> {
    let made = |skews: [u32; 2]| {
        let matrix = |skew: u32, seed: u32| -> Vec<u32> {
            let entry = |i: u32, j: u32| {
                let word = (i * j + seed).wrapping_mul(0x9E37_79B1) ^ (i + j).wrapping_mul(0x85EB_CA6B);
                (word >> 22) % 97 + skew * (i * 3 + j) % 5
            };
            (0..n * n).map(|index| entry((index / n) as u32, (index % n) as u32)).collect()
        };
        let name = format!("{n} facilities, skewed {skews:?}");
        Instance::from_matrices(name, n, matrix(skews[0], 3), matrix(skews[1], 77)).unwrap()
    };
    let placed =
        made([1, 1]).with_placing_costs((0..n * n).map(|at| (at as u32).wrapping_mul(2_654_435_761) >> 19).collect());
    let mut all = [[0, 0], [1, 0], [0, 1], [1, 1]].map(made).to_vec();
    all.push(placed.unwrap().with_name("with costs of placing"));
    all
}

/// More locations than facilities, in the form that kernels know: the last facilities stand for locations that stay empty.
pub fn with_empty(facilities: usize, locations: usize) -> Instance {
    let matrix = |side: usize, seed: u32| -> Vec<f64> {
        (0..(side * side) as u32).map(|at| f64::from((at + seed).wrapping_mul(2_654_435_761) >> 24) - 30.0).collect()
    };
    let placing = matrix(locations, 5)[..facilities * locations].to_vec();
    let sizes = [facilities, locations];
    let instance =
        Instance::from_matrices_f64("some empty", sizes, matrix(facilities, 1), matrix(locations, 9), Some(placing));
    instance.unwrap().in_kernel_form().unwrap()
}

/// Facilities of three kinds, those of a kind alike, and some without flows, in the form that kernels know; symmetric or not.
pub fn with_alike(facilities: usize, skew: u32) -> Instance {
    let kinds = |i: usize, j: usize| match [i % 4, j % 4] {
        [3, _] | [_, 3] => 0,
        [a, b] => (3 * a.min(b) + a.max(b)) as u32 * 7 + skew * (a < b) as u32 + 1,
    };
    let flows = (0..facilities * facilities).map(|at| kinds(at / facilities, at % facilities)).collect();
    let apart = |i: u32, j: u32| (i.max(j) * 40 + i.min(j) + skew * u32::from(i < j)).wrapping_mul(2_654_435_761) >> 22;
    let side = facilities as u32;
    let distances = (0..side * side).map(|at| apart(at / side, at % side)).collect();
    let instance = Instance::from_matrices(format!("{facilities} alike, skewed {skew}"), facilities, flows, distances);
    instance.unwrap().in_kernel_form().unwrap()
}
