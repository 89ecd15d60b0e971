//! Distances between cities, for the twins: from a matrix, or from whole coordinates; the Rust side of `shaders/tsp/distance.wgsl` and
//! `shaders/tsp/euclidean.wgsl`.

use crate::problem::Rounding;

/// Where distances come from.
pub(super) const MATRIX: u8 = 0;
pub(super) const NEAREST: u8 = 1;
pub(super) const UP: u8 = 2;
pub(super) const THOUSANDTHS: u8 = 3;

/// A shader's flags for coordinates that are rounded so; `None`: a matrix.
pub(super) fn flags(rounding: Option<Rounding>) -> &'static [&'static str] {
    match rounding {
        Some(Rounding::Nearest) => &["SPOTS"],
        Some(Rounding::NearestFar) => &["SPOTS", "FAR"],
        Some(Rounding::Up) => &["SPOTS", "CEILING"],
        Some(Rounding::UpFar) => &["SPOTS", "CEILING", "FAR"],
        Some(Rounding::Thousandths) => &["SPOTS", "THOUSANDTHS"],
        None => &[],
    }
}

/// One of four twins, for a matrix and for coordinates of each rounding.
pub(super) fn choose<T>(rounding: Option<Rounding>, [matrix, nearest, up, thousandths]: [T; 4]) -> T {
    match rounding {
        Some(Rounding::Nearest | Rounding::NearestFar) => nearest,
        Some(Rounding::Up | Rounding::UpFar) => up,
        Some(Rounding::Thousandths) => thousandths,
        None => matrix,
    }
}

/// The Euclidean distance of spots that lie so far apart.
#[inline(always)]
pub(super) fn euclidean<const FROM: u8>(a: [i32; 2], b: [i32; 2]) -> u32 {
    let apart = [0, 1].map(|axis| i64::from(a[axis] - b[axis]));
    if FROM == THOUSANDTHS {
        let square = apart[0] * apart[0] + apart[1] * apart[1];
        let near = ((square as f64).sqrt() / 1000.0).round() as i64;
        let reaches = |half: i64| half <= 0 || square >= half * half;
        let (low, high) = (1000 * near - 500, 1000 * near + 500);
        return (near + i64::from(reaches(high)) - i64::from(!reaches(low))) as u32;
    }
    // Below 2⁴⁷: both the square and its rounded root are exact.
    let root = ((apart[0] * apart[0] + apart[1] * apart[1]) as f64).sqrt();
    if FROM == UP { root.ceil() as u32 } else { (root + 0.5) as u32 }
}

/// The same, for a rounding.
pub(crate) fn rounded(rounding: Rounding, a: [i32; 2], b: [i32; 2]) -> u32 {
    match rounding {
        Rounding::Nearest | Rounding::NearestFar => euclidean::<NEAREST>(a, b),
        Rounding::Up | Rounding::UpFar => euclidean::<UP>(a, b),
        Rounding::Thousandths => euclidean::<THOUSANDTHS>(a, b),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// On both sides of each half, near and far, and against square roots that are exact enough elsewhere.
    #[test]
    fn thousandths_are_rounded_at_the_half() {
        let along = |thousandths: i32| euclidean::<THOUSANDTHS>([0, 0], [thousandths, 0]);
        assert_eq!([0, 1, 499, 500, 501, 1499, 1500].map(along), [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(
            [999_998_499, 999_998_500, 999_999_499, 999_999_500].map(along),
            [999_998, 999_999, 999_999, 1_000_000]
        );
        // 300² + 400² = 500²
        assert_eq!(euclidean::<THOUSANDTHS>([300, 0], [0, 400]), 1);
        assert_eq!(euclidean::<THOUSANDTHS>([300, 0], [0, 399]), 0);
        for i in 0..100_000i32 {
            let [x, y] = [i.wrapping_mul(1_640_531_527) >> 2, i.wrapping_mul(974_711) >> 2];
            let root = f64::from(x).hypot(f64::from(y)) / 1000.0;
            assert!(
                (f64::from(euclidean::<THOUSANDTHS>([x / 2, y / 2], [x / 2 - x, y / 2 - y])) - root).abs()
                    <= 0.5 + 1e-9
            );
        }
    }
}
