//! Coordinates in whole numbers, from which devices take distances without a matrix.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::instance::Instance;
use super::metric::{Metric, Rounding};
use super::space::Frame;
use crate::instance::share;

/// Coordinates in whole numbers, counted from the lowest.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeCoordinates {
    /// Where each city lies; in space see [`super::Space`].
    pub places: Vec<[i32; 2]>,
    /// In which parts coordinates are counted, and how distances are rounded.
    pub rounding: Rounding,
    /// Whether these distances are always [`Instance::distance`].
    pub exact: bool,
    /// By how much a distance may differ from [`Instance::distance`] at most: 0 where it is exact. Elsewhere 1 where coordinates in the plane
    /// have finer decimals, and more in space, where places are counted in parts of what all of them span.
    pub error: f64,
}

/// How coordinates in the plane are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPlane {
    /// The lowest coordinates, which count as 0.
    low: DVec3,
    rounding: Rounding,
    /// So many to one of the given unit.
    parts: f64,
    exact: bool,
}

/// Where devices take distances from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counting {
    InPlane(InPlane),
    InSpace,
    Matrix,
}

/// Coordinates that span less are whole where they are given so; in thousandths they may span less than this from corner to corner.
pub(super) const WHOLE_SPAN: f64 = (1 << 22) as f64;
const PARTS_SPAN: f64 = 1e6;
/// Distances below this take a step less on devices (`shaders/shared/euclidean.wgsl`).
const NEAR_SPAN: f64 = 1.5e6;
/// Where the gap of an open path lies: no city has a first coordinate below 0, by which kernels know it (`shaders/shared/site.wgsl`).
const GAP_PLACE: [i32; 2] = [-1, -1];
/// Up to so many cities a matrix fits in 128 MiB, which any device lets a kernel read, and distances from it are exact.
pub(super) const MATRIX_CITIES: usize = 5792;

impl Instance {
    /// Coordinates in whole numbers, where devices take distances from these; `None` for a matrix, and for few cities whose distances
    /// would be near and not exact: a matrix has exact ones. Also for coordinates with decimals by [`Metric::Man2d`] and
    /// [`Metric::Max2d`], and for distances that could be longer than windows take.
    pub fn whole_coordinates(&self) -> Option<WholeCoordinates> {
        let InPlane { low, rounding, parts, exact } = match self.counting() {
            Counting::InPlane(plane) => plane,
            Counting::InSpace => return self.in_space(),
            Counting::Matrix => return None,
        };
        let spot = |p: &DVec3| ((*p - low) * parts).round().truncate().to_array().map(|coordinate| coordinate as i32);
        let places = self.coords.par_iter().with_min_len(share::ENTRIES).map(spot).collect();
        Some(self.with_gap(WholeCoordinates { places, rounding, exact, error: error_of(exact) }))
    }

    /// How they are rounded, and by how much a distance may differ then, without the coordinates themselves.
    pub(crate) fn rounding_and_error(&self) -> Option<(Rounding, f64)> {
        match self.counting() {
            Counting::InPlane(plane) => Some((plane.rounding, error_of(plane.exact))),
            Counting::InSpace => self.frame_in_use().map(|frame| (Rounding::Space(frame.space()), frame.error())),
            Counting::Matrix => None,
        }
    }

    /// Where devices take distances from: found once, since it takes a look at all cities.
    fn counting(&self) -> Counting {
        *self.counting.get_or_init(|| self.count().unwrap_or(Counting::Matrix))
    }

    fn count(&self) -> Option<Counting> {
        let low = self.coords.iter().copied().reduce(DVec3::min)?;
        let high = self.coords.iter().copied().reduce(DVec3::max)?;
        let span = (high - low).max_element();
        // On one thread: others that ask for the same may wait for it, and one that waits for others begins other work.
        let multiples = |of: f64| self.coords.iter().all(|p| (p.x / of).fract() == 0.0 && (p.y / of).fract() == 0.0);
        let across = (high - low).length();
        let in_plane = matches!(self.metric(), Metric::Euc2d | Metric::Ceil2d | Metric::Man2d | Metric::Max2d);
        let (rounding, parts, exact) = match self.metric() {
            metric if in_plane && span < WHOLE_SPAN && multiples(1.0) => {
                let rounding = match (metric, across < NEAR_SPAN) {
                    (Metric::Man2d, _) => Rounding::Manhattan,
                    (Metric::Max2d, _) => Rounding::Maximum,
                    (Metric::Ceil2d, true) => Rounding::Up,
                    (Metric::Ceil2d, false) => Rounding::UpFar,
                    (_, true) => Rounding::Nearest,
                    (_, false) => Rounding::NearestFar,
                };
                (rounding, 1.0, true)
            }
            Metric::Euc2d if across < PARTS_SPAN => {
                let exact = multiples(0.125);
                (Rounding::Thousandths, 1000.0, self.may_be_near(exact).then_some(exact)?)
            }
            _ => return Some(Counting::InSpace),
        };
        Some(Counting::InPlane(InPlane { low, rounding, parts, exact }))
    }

    /// Whether distances are exact, or cities so many that near ones do.
    fn may_be_near(&self, exact: bool) -> bool {
        exact || self.nearly || self.len() > MATRIX_CITIES
    }

    /// Places in space, for metrics that have those.
    fn in_space(&self) -> Option<WholeCoordinates> {
        let frame = self.frame_in_use()?;
        let places = frame.places(self);
        let (exact, error) = (frame.is_exact(), frame.error());
        Some(self.with_gap(WholeCoordinates { places, rounding: Rounding::Space(frame.space()), exact, error }))
    }

    /// How places in space are counted, where devices take distances from them.
    fn frame_in_use(&self) -> Option<Frame> {
        // Exact ones are found in space alone.
        if !self.may_be_near(self.metric() == Metric::Euc3d) {
            return None;
        }
        self.frame().filter(|frame| self.may_be_near(frame.is_exact()))
    }

    /// How places in space are counted.
    pub(super) fn frame(&self) -> Option<Frame> {
        *self.frame.get_or_init(|| Frame::of(self))
    }

    /// The same, whose distances devices count as those of many cities, for tests.
    #[doc(hidden)]
    pub fn as_of_many(mut self) -> Self {
        self.nearly = true;
        (self.gathered, self.counting) = Default::default();
        self
    }

    /// The same, which has some of the cities of another instance, in the frame of that: what is compiled for one serves both.
    pub(super) fn in_frame_of(mut self, whole: &Self) -> Self {
        // Else these cities would make it.
        whole.frame();
        self.frame = whole.frame.clone();
        self.nearly = whole.nearly;
        self.counting = Arc::default();
        self
    }

    fn with_gap(&self, mut spots: WholeCoordinates) -> WholeCoordinates {
        if let Some(gap) = self.kernel_form.gap {
            spots.places[gap as usize] = GAP_PLACE;
        }
        spots
    }
}

/// By how much a distance between places in the plane may differ.
fn error_of(exact: bool) -> f64 {
    if exact { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    /// Distances are found with a step more where some may be longer than roots in 32 bits are near enough for.
    #[test]
    fn long_distances_are_told_from_short_ones() {
        let rounding = |metric, across: f64| {
            let places = [DVec2::ZERO, DVec2::new(across * 0.6, across * 0.8), DVec2::ONE, DVec2::X];
            Instance::from_coords("spots", metric, &places).unwrap().whole_coordinates().unwrap().rounding
        };
        for (metric, near, far) in [
            (Metric::Euc2d, Rounding::Nearest, Rounding::NearestFar),
            (Metric::Ceil2d, Rounding::Up, Rounding::UpFar),
            (Metric::Man2d, Rounding::Manhattan, Rounding::Manhattan),
            (Metric::Max2d, Rounding::Maximum, Rounding::Maximum),
        ] {
            assert_eq!(rounding(metric, 1_499_995.0), near);
            assert_eq!(rounding(metric, 1_500_005.0), far);
        }
    }
}
