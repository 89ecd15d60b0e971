//! Distances between cities, for the twins: from a matrix, or from whole coordinates; the Rust side of `shaders/shared/distance.wgsl` and
//! `shaders/shared/site.wgsl`.

use super::space::{self, in_space};
use crate::backend::TwinCall;
use crate::instance::tsp::{Instance, Rounding, Space, WholeCoordinates};

/// Where distances come from.
pub(in crate::kernels) const MATRIX: u8 = 0;
pub(in crate::kernels) const NEAREST: u8 = 1;
pub(in crate::kernels) const UP: u8 = 2;
pub(in crate::kernels) const THOUSANDTHS: u8 = 3;
pub(in crate::kernels) const MANHATTAN: u8 = 4;
pub(in crate::kernels) const MAXIMUM: u8 = 5;
pub(in crate::kernels) const SPACE: u8 = 6;
/// How many these are.
pub(in crate::kernels) const SOURCES: usize = 7;

/// Twins for all that distances may come from, in the order of these numbers: `twins!(FROM => twin::<FROM>)`.
macro_rules! twins {
    ($from:ident => $twin:expr) => {{
        use $crate::kernels::shared::distances::{MANHATTAN, MATRIX, MAXIMUM, NEAREST, SPACE, THOUSANDTHS, UP};
        use $crate::kernels::shared::distances::twins;
        let all: [$crate::backend::Twin; $crate::kernels::shared::distances::SOURCES] = [
            twins!(@one $from MATRIX $twin),
            twins!(@one $from NEAREST $twin),
            twins!(@one $from UP $twin),
            twins!(@one $from THOUSANDTHS $twin),
            twins!(@one $from MANHATTAN $twin),
            twins!(@one $from MAXIMUM $twin),
            twins!(@one $from SPACE $twin),
        ];
        all
    }};
    (@one $from:ident $which:ident $twin:expr) => {{
        const $from: u8 = $which;
        $twin
    }};
}
pub(in crate::kernels) use twins;

/// A shader's flags for coordinates that are rounded so; `None`: a matrix.
pub(in crate::kernels) fn flags(rounding: Option<Rounding>) -> &'static [&'static str] {
    match rounding {
        Some(Rounding::Nearest) => &["COORDINATES"],
        Some(Rounding::NearestFar) => &["COORDINATES", "FAR"],
        Some(Rounding::Up) => &["COORDINATES", "CEILING"],
        Some(Rounding::UpFar) => &["COORDINATES", "CEILING", "FAR"],
        Some(Rounding::Thousandths) => &["COORDINATES", "THOUSANDTHS"],
        Some(Rounding::Manhattan) => &["COORDINATES", "MANHATTAN"],
        Some(Rounding::Maximum) => &["COORDINATES", "MAXIMUM"],
        Some(Rounding::Space(Space { sphere: None, .. })) => &["COORDINATES", "SPACE"],
        Some(Rounding::Space(Space { sphere: Some(_), .. })) => &["COORDINATES", "SPACE", "SPHERE"],
        None => &[],
    }
}

/// A shader's constants for distances that come so; `gap`: a city is the gap of an open path, for which a matrix has zeros of its own.
pub(in crate::kernels) fn constants(rounding: Option<Rounding>, gap: bool) -> Vec<(&'static str, u32)> {
    let mut constants = match rounding {
        Some(Rounding::Space(space)) => space::constants(space),
        _ => Vec::new(),
    };
    constants.extend((gap && rounding.is_some()).then_some(("GAP", 1)));
    constants
}

/// One of all twins.
pub(in crate::kernels) fn choose<T: Copy>(rounding: Option<Rounding>, twins: [T; SOURCES]) -> T {
    twins[usize::from(match rounding {
        Some(Rounding::Nearest | Rounding::NearestFar) => NEAREST,
        Some(Rounding::Up | Rounding::UpFar) => UP,
        Some(Rounding::Thousandths) => THOUSANDTHS,
        Some(Rounding::Manhattan) => MANHATTAN,
        Some(Rounding::Maximum) => MAXIMUM,
        Some(Rounding::Space(_)) => SPACE,
        None => MATRIX,
    })]
}

/// What distances from coordinates depend on beside these.
#[derive(Clone, Copy, Default)]
pub(in crate::kernels) struct Measure<const FROM: u8> {
    space: Space,
}

impl<const FROM: u8> Measure<FROM> {
    /// That of a call's constants.
    pub fn of(call: &TwinCall<'_>) -> Self {
        Self { space: if FROM == SPACE { space::of_constants(call.constants) } else { Space::default() } }
    }

    /// The distance of two cities. The gap of an open path is at distance 0 from all.
    #[inline(always)]
    pub fn between(&self, a: [i32; 2], b: [i32; 2]) -> u32 {
        if (a[0] | b[0]) < 0 {
            return 0;
        }
        match FROM {
            MANHATTAN => a[0].abs_diff(b[0]) + a[1].abs_diff(b[1]),
            MAXIMUM => a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])),
            SPACE => in_space(&self.space, a, b),
            _ => euclidean::<FROM>(a, b),
        }
    }

    /// About how long an edge is.
    pub fn roughly(a: [i32; 2], b: [i32; 2]) -> u32 {
        match FROM {
            SPACE => {
                let (a, b) = (space::place(a), space::place(b));
                (0..3).map(|axis| a[axis].abs_diff(b[axis])).sum()
            }
            _ => a[0].abs_diff(b[0]) + a[1].abs_diff(b[1]),
        }
    }
}

/// The Euclidean distance of two points.
#[inline(always)]
fn euclidean<const FROM: u8>(a: [i32; 2], b: [i32; 2]) -> u32 {
    let apart = [0, 1].map(|axis| i64::from(a[axis] - b[axis]));
    let square = apart[0] * apart[0] + apart[1] * apart[1];
    let root = (square as f64).sqrt();
    // In a sum with 2⁵² the last bit counts ones: it is rounded to the nearest whole number.
    let nearest = |value: f64| (value + (1u64 << 52) as f64).to_bits() as u32;
    match FROM {
        THOUSANDTHS => {
            // The distance, or one less where it lies about halfway between whole numbers.
            let near = i64::from(nearest(root * 0.001 - 1.0 / (1 << 20) as f64));
            let half = 1000 * near + 500;
            (near + i64::from(square >= half * half)) as u32
        }
        // The square is below 2⁴⁵, so that a root which is no whole number lies 2⁻²⁴ and more from these; it may lie 2⁻²⁶ from a half.
        UP => nearest(root + (0.5 - 1.0 / (1 << 25) as f64)),
        _ => nearest(root),
    }
}

/// The distance of two cities, for a rounding.
pub(crate) fn rounded(rounding: Rounding, a: [i32; 2], b: [i32; 2]) -> u32 {
    match rounding {
        Rounding::Nearest | Rounding::NearestFar => Measure::<NEAREST>::default().between(a, b),
        Rounding::Up | Rounding::UpFar => Measure::<UP>::default().between(a, b),
        Rounding::Thousandths => Measure::<THOUSANDTHS>::default().between(a, b),
        Rounding::Manhattan => Measure::<MANHATTAN>::default().between(a, b),
        Rounding::Maximum => Measure::<MAXIMUM>::default().between(a, b),
        Rounding::Space(space) => Measure::<SPACE> { space }.between(a, b),
    }
}

/// Distances as kernels measure them where they are rounded so.
pub(crate) fn measure(instance: &Instance, rounding: Option<Rounding>) -> impl Fn(usize, usize) -> u32 + Sync {
    let spots = rounding.and_then(|_| instance.whole_coordinates());
    move |a, b| match &spots {
        Some(WholeCoordinates { places, rounding, .. }) => rounded(*rounding, places[a], places[b]),
        None => instance.distance(a, b),
    }
}

/// The words of a matrix, or of coordinates; more may follow.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Distances<'a, const FROM: u8> {
    words: &'a [u32],
    cities: usize,
    measure: Measure<FROM>,
}

impl<'a, const FROM: u8> Distances<'a, FROM> {
    /// Those of a call.
    pub fn new(call: &TwinCall<'_>, words: &'a [u32], cities: usize) -> Self {
        Self { words, cities, measure: Measure::of(call) }
    }

    #[inline(always)]
    pub fn between(self, a: u32, b: u32) -> u32 {
        let (a, b) = (a as usize, b as usize);
        if FROM == MATRIX {
            return self.words[a * self.cities + b];
        }
        let coordinate = |city: usize| [0, 1].map(|axis| self.words[2 * city + axis] as i32);
        self.measure.between(coordinate(a), coordinate(b))
    }

    /// The words behind the distances.
    pub fn behind(self) -> &'a [u32] {
        &self.words[if FROM == MATRIX { self.cities * self.cities } else { 2 * self.cities }..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to the longest that there are: beside whole numbers (k² and k² ± 1), beside halves (k² + k and k² + k + 1), anywhere.
    #[test]
    fn roots_are_rounded_exactly() {
        let check = |[x, y]: [i32; 2]| {
            let square = [x, y].map(i128::from).iter().map(|it| it * it).sum::<i128>();
            // Nothing lies below 0 but the gap of an open path.
            let ends = ([(-x).max(0), (-y).max(0)], [x.max(0), y.max(0)]);
            let [near, up] = [euclidean::<NEAREST>, euclidean::<UP>].map(|of| i128::from(of(ends.0, ends.1)));
            assert!(
                (2 * near - 1).max(0).pow(2) <= 4 * square && 4 * square < (2 * near + 1).pow(2),
                "{x} {y}: {near}"
            );
            assert!((up - 1).max(0).pow(2) < square.max(1) && square <= up * up, "{x} {y}: {up}");
        };
        let longest = (1 << 22) - 1;
        for b in 0..2047 {
            [b * b, b * b - 1, longest - b].into_iter().for_each(|k| check([k, b]));
            [[b, 1], [longest - b, 0], [longest - b, 1], [longest - b, longest]].into_iter().for_each(check);
            check([b.wrapping_mul(1_640_531_527) & longest, b.wrapping_mul(974_711) & longest]);
        }
        // 20² + 21² = 29²
        for k in 0..longest / 21 {
            [[20 * k, 21 * k], [20 * k, 21 * k + 1], [20 * k, 21 * k - 1]].into_iter().for_each(check);
        }
    }

    #[test]
    fn the_gap_of_a_path_is_near_all() {
        let (gap, far) = ([-1, -1], [9000, 7]);
        let space = Rounding::Space(Space { add: 1, ..Space::default() });
        let all =
            [Rounding::Nearest, Rounding::Up, Rounding::Thousandths, Rounding::Manhattan, Rounding::Maximum, space];
        for rounding in all {
            assert_eq!([rounded(rounding, gap, far), rounded(rounding, far, gap)], [0, 0]);
            assert_ne!(rounded(rounding, [0, 0], far), 0);
        }
    }

    #[test]
    fn along_axes_distances_are_sums_and_maxima() {
        let most = (1 << 22) - 1;
        for (a, b, sum, greater) in [
            ([3, 9], [5, 2], 9, 7),
            ([0, most], [most, 0], 2 * most, most),
            ([most, most], [0, most - 1], most + 1, most),
            ([4, 4], [4, 4], 0, 0),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(rounded(Rounding::Manhattan, a, b), sum.cast_unsigned());
                assert_eq!(rounded(Rounding::Maximum, a, b), greater.cast_unsigned());
            }
        }
    }

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
                (f64::from(euclidean::<THOUSANDTHS>([x.max(0), y.max(0)], [(-x).max(0), (-y).max(0)])) - root).abs()
                    <= 0.5 + 1e-9
            );
        }
    }
}
