//! Distances between cities, for the twins: from a matrix, or from whole coordinates; the Rust side of `shaders/tsp/distance.wgsl` and
//! `shaders/tsp/euclidean.wgsl`.

use crate::problem::Rounding;

/// Where distances come from.
pub(super) const MATRIX: u8 = 0;
pub(super) const NEAREST: u8 = 1;
pub(super) const UP: u8 = 2;

/// A shader's flags for coordinates that are rounded so; `None`: a matrix.
pub(super) fn flags(rounding: Option<Rounding>) -> &'static [&'static str] {
    match rounding {
        Some(Rounding::Nearest) => &["SPOTS"],
        Some(Rounding::Up) => &["SPOTS", "CEILING"],
        None => &[],
    }
}

/// One of three twins, for a matrix and for coordinates rounded to the nearest whole number and up.
pub(super) fn choose<T>(rounding: Option<Rounding>, [matrix, nearest, up]: [T; 3]) -> T {
    match rounding {
        Some(Rounding::Nearest) => nearest,
        Some(Rounding::Up) => up,
        None => matrix,
    }
}

/// The Euclidean distance of spots that lie so far apart.
#[inline(always)]
pub(super) fn euclidean<const FROM: u8>(a: [i32; 2], b: [i32; 2]) -> u32 {
    let apart = [0, 1].map(|axis| i64::from(a[axis] - b[axis]));
    // Below 2⁴⁷: both the square and its rounded root are exact.
    let root = ((apart[0] * apart[0] + apart[1] * apart[1]) as f64).sqrt();
    if FROM == UP { root.ceil() as u32 } else { (root + 0.5) as u32 }
}

/// The words of a matrix, or of coordinates; more may follow.
#[derive(Clone, Copy)]
pub(super) struct Distances<'a, const FROM: u8> {
    pub words: &'a [u32],
    pub cities: usize,
}

impl<'a, const FROM: u8> Distances<'a, FROM> {
    #[inline(always)]
    pub fn between(self, a: u32, b: u32) -> u32 {
        let (a, b) = (a as usize, b as usize);
        if FROM == MATRIX {
            return self.words[a * self.cities + b];
        }
        let spot = |city: usize| [0, 1].map(|axis| self.words[2 * city + axis] as i32);
        euclidean::<FROM>(spot(a), spot(b))
    }

    /// What follows.
    pub fn behind(self) -> &'a [u32] {
        &self.words[if FROM == MATRIX { self.cities * self.cities } else { 2 * self.cities }..]
    }
}
