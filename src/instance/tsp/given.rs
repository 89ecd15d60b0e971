//! What whole distances were made of: points in a user's unit, degrees, weights with decimals or signs.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use rayon::slice::ParallelSliceMut;

use super::constraints::Constraints;
use super::extent::extent;
use super::instance::Instance;
use super::metric::{EARTH_RADIUS, Metric, great_circle};
use crate::error::Result;
use crate::instance::share;

/// What was given, and how whole distances stand for it: one is `given · scale − shift`, rounded.
#[derive(Debug)]
pub(super) struct Given {
    pub scale: f64,
    pub shift: i64,
    /// By how much an edge may differ at most, in the user's unit.
    pub error: f64,
    pub source: Source,
}

#[derive(Debug)]
pub(super) enum Source {
    /// Cities in the plane (z = 0) or in space.
    Points(Vec<DVec3>),
    /// Longitudes (x) and latitudes (y).
    Degrees(Vec<DVec2>),
    /// A matrix. Weights above `most`, which no good tour has, count as that.
    Weights { weights: Vec<f64>, most: f64 },
    /// Whole weights, of which nothing but the shift differs.
    Whole,
}

/// What an instance was made of, as the constructors take it: what another process, or a file, needs to make it again (see
/// [`Instance::origin`]).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Origin<'a> {
    /// For [`Instance::from_points`], or with `in_space` for [`Instance::from_points_3d`]; z is 0 in the plane.
    Points {
        /// The points.
        points: &'a [DVec3],
        /// Whether they lie in space.
        in_space: bool,
    },
    /// Longitudes and latitudes, for [`Instance::from_lon_lat`].
    Degrees(&'a [DVec2]),
    /// For [`Instance::from_coords`], or with [`Metric::Euc3d`] for [`Instance::from_coords_3d`].
    Coordinates(Metric, &'a [DVec3]),
    /// For [`Instance::from_matrix_f64`].
    Weights(&'a [f64]),
    /// For [`Instance::from_matrix_i64`].
    WholeWeights(Vec<i64>),
}

impl Given {
    /// Whether scaled points are whole, so that nothing of where they lie is lost.
    fn is_exact(&self) -> bool {
        self.error <= 0.5 / self.scale
    }

    /// What distances are to be divided by that the source has, of whole points those of these.
    fn divisor(&self) -> f64 {
        match &self.source {
            Source::Points(_) if !self.is_exact() => 1.0,
            Source::Weights { .. } => 1.0,
            Source::Points(_) | Source::Degrees(_) | Source::Whole => self.scale,
        }
    }

    /// Width and height of what degrees cover, in whole distances.
    pub fn surface(&self) -> DVec3 {
        let places: Vec<DVec3> = self.map().into_iter().map(|p| p.extend(0.0)).collect();
        extent(&places) * (EARTH_RADIUS.to_radians() * self.scale)
    }

    /// Degrees as on a map that is true to scale along its middle latitude.
    pub fn map(&self) -> Vec<DVec2> {
        let Source::Degrees(degrees) = &self.source else { return Vec::new() };
        let degrees = together(degrees);
        let latitudes = || degrees.iter().map(|p| p.y);
        let (low, high) = (latitudes().fold(90.0, f64::min), latitudes().fold(-90.0, f64::max));
        let narrow = libm::cos((0.5 * (low + high)).to_radians());
        degrees.iter().map(|p| DVec2::new(p.x * narrow, p.y)).collect()
    }
}

/// The places with their longitudes counted from 0 or from -180, where that halves what they span: places on both sides of a meridian at
/// which longitudes begin again lie side by side.
fn together(places: &[DVec2]) -> Cow<'_, [DVec2]> {
    let from = |least: f64| move |p: &DVec2| DVec2::new((p.x - least).rem_euclid(360.0) + least, p.y);
    let span = |longitudes: &dyn Fn(&DVec2) -> DVec2| extent_of(places.iter().map(|p| longitudes(p).x));
    let whole = span(&|p| *p);
    match [0.0, -180.0].into_iter().find(|least| 2.0 * span(&from(*least)) < whole) {
        Some(least) => places.iter().map(from(least)).collect(),
        None => places.into(),
    }
}

/// The greatest of some numbers less the least.
fn extent_of(numbers: impl Iterator<Item = f64>) -> f64 {
    let [low, high] = numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    high - low
}

impl Instance {
    /// The same instance, whose whole distances were made of `given`.
    pub(super) fn with_given(mut self, given: Given) -> Self {
        self.given = Some(Arc::new(given));
        self
    }

    /// The length of a solution in the unit of what was given: of [`Instance::from_points`] the sum of distances without any rounding,
    /// of [`Instance::from_lon_lat`] metres, of matrices the sum of their weights; elsewhere the cost.
    ///
    /// # Errors
    /// As [`Instance::tour_cost`].
    pub fn length(&self, tour: &[u32]) -> Result<f64> {
        Ok(self.length_at(tour, self.tour_cost(tour)?))
    }

    /// The same of a tour that is known to be one, with its cost.
    pub(crate) fn length_at(&self, tour: &[u32], cost: u64) -> f64 {
        let Some(given) = &self.given else { return cost as f64 };
        let around = tour.iter().zip(tour.iter().cycle().skip(1)).map(|(&a, &b)| [a as usize, b as usize]);
        let edges = around.take(self.edges());
        let sum = || edges.clone().map(|edge| self.unscaled(given, edge)).sum::<f64>() / given.divisor();
        let sum = match &given.source {
            Source::Points(_) | Source::Degrees(_) => sum(),
            Source::Weights { weights, most } => {
                // Where nothing was lost a sum of decimals would tell more digits than there are.
                let more = |[a, b]: [usize; 2]| weights[a * self.len() + b] > *most;
                if given.error > 0.0 || edges.clone().any(more) { sum() } else { self.length_of(cost) }
            }
            Source::Whole => self.length_of(cost),
        };
        // The sum of no edges is -0.
        sum + 0.0
    }

    /// About the length of a tour of this cost, in the unit of what was given: within [`Instance::edge_error`] for each edge, but of a tour with
    /// weights that count as less ([`Instance::from_matrix_f64`]).
    pub fn length_of(&self, cost: u64) -> f64 {
        match &self.given {
            Some(given) => (i128::from(cost) + self.shifts(given)) as f64 / given.scale,
            None => cost as f64,
        }
    }

    /// The greatest cost whose [`Instance::length_of`] is `length` or less: what a target in the user's unit is as a cost.
    pub fn cost_of(&self, length: f64) -> u64 {
        // Decimals have no exact binary form: 7.7 times 10⁶ may come out a little below 7,700,000.
        let whole = |scale: f64| (length * scale * (1.0 + f64::EPSILON * 4.0 * length.signum())).floor();
        match &self.given {
            // A conversion from floating point stays within the type.
            Some(given) => {
                (whole(given.scale) as i128).saturating_sub(self.shifts(given)).clamp(0, u64::MAX.into()) as u64
            }
            None => whole(1.0) as u64,
        }
    }

    /// The way from one city to another in the unit of what was given, not rounded to a whole distance: what [`Instance::length`] adds up.
    ///
    /// Cities are below [`Instance::len`], as for [`Instance::distance`].
    pub fn way(&self, from: usize, to: usize) -> f64 {
        match &self.given {
            Some(given) => self.unscaled(given, [from, to]) / given.divisor(),
            None => f64::from(self.distance(from, to)),
        }
    }

    /// The same in the unit that sums are made in.
    fn unscaled(&self, given: &Given, [a, b]: [usize; 2]) -> f64 {
        let coords = self.coords();
        match &given.source {
            // Whole coordinates have sums without what binary fractions leave of decimals.
            Source::Points(_) if given.is_exact() => coords[a].distance(coords[b]),
            Source::Points(points) => points[a].distance(points[b]),
            Source::Degrees(_) => great_circle(coords[a], coords[b]),
            Source::Weights { weights, .. } => weights[a * self.len() + b],
            Source::Whole => (i128::from(self.distance(a, b)) + i128::from(given.shift)) as f64,
        }
    }

    /// What all edges of a tour were shifted by.
    fn shifts(&self, given: &Given) -> i128 {
        i128::from(given.shift) * self.edges() as i128
    }

    /// Edges of a solution: of a closed tour as many as cities, of an open path one less; a lone city has none.
    fn edges(&self) -> usize {
        if self.len() > 1 && !self.is_open() { self.len() } else { self.len() - 1 }
    }

    /// By how much a distance may differ at most from what was given, in the unit of what was given; 0 where distances were given whole,
    /// and with TSPLIB's metrics, which are whole by definition.
    pub fn edge_error(&self) -> f64 {
        self.given.as_ref().map_or(0.0, |given| given.error)
    }

    /// Whether ways of a matrix that counts as symmetric differ from those back, as they were given, by more than the last digits of numbers do.
    pub(in crate::instance) fn differs_back(&self) -> bool {
        let differs = |a: usize, b: usize| {
            let [there, back] = [self.way(a, b), self.way(b, a)];
            there != back && (there - back).abs() > 1e-12 * (there.abs() + self.edge_error())
        };
        self.may_differ_back() && (0..self.len()).any(|a| (0..a).any(|b| differs(a, b)))
    }

    /// Whether this is a matrix that counts as symmetric and was rounded for that.
    pub(super) fn may_differ_back(&self) -> bool {
        self.metric() == Metric::Explicit && self.is_symmetric() && self.edge_error() > 0.0
    }

    /// A solution in the direction in which it is shorter, by what was given, where it has none that was asked for.
    pub(in crate::instance) fn in_shorter_direction(&self, mut tour: Vec<u32>) -> Vec<u32> {
        let Constraints { start, end, .. } = *self.constraints;
        if !self.may_differ_back() || self.is_open() && (start.is_some() || end.is_some()) {
            return tour;
        }
        let pairs = tour.iter().zip(tour.iter().cycle().skip(1)).take(self.edges());
        let [there, back] = pairs.fold([0.0, 0.0], |[there, back], (&a, &b)| {
            let (a, b) = (a as usize, b as usize);
            [there + self.way(a, b), back + self.way(b, a)]
        });
        if back < there {
            tour.reverse();
        }
        tour
    }

    /// Whether ways of a matrix that differ a little from those back count as the mean of both ([`Instance::from_matrix_f64`]).
    pub fn counts_means(&self) -> bool {
        // Rounding alone changes half a unit.
        self.metric() == Metric::Explicit && self.edge_error() > 0.75 / self.scale()
    }

    /// How many cities lie apart from each other as given, but in the place of another one once rounded.
    pub(crate) fn merged_by_rounding(&self) -> usize {
        if self.edge_error() == 0.0 {
            return 0;
        }
        let places = |points: &[DVec3]| {
            let mut places: Vec<[u64; 3]> = points.iter().map(|point| point.to_array().map(f64::to_bits)).collect();
            match places.len() {
                0..share::ENTRIES => places.sort_unstable(),
                _ => places.par_sort_unstable(),
            }
            places.dedup();
            places.len()
        };
        if let Some(merged) = self.merged.get() {
            return *merged;
        }
        // Others that ask for the same may not wait for it: threads that share it out take up their work meanwhile.
        let merged = places(&self.points()).saturating_sub(places(self.coords()));
        *self.merged.get_or_init(|| merged)
    }

    /// Whole distances to one of the user's unit: a power of ten; 1 where distances were given whole.
    pub fn scale(&self) -> f64 {
        self.given.as_ref().map_or(1.0, |given| given.scale)
    }

    /// The cities' coordinates as they were given, z = 0 where there are two (of degrees x is the longitude, but with
    /// [`super::Metric::Geo`] the latitude); empty for a matrix.
    pub fn points(&self) -> Vec<DVec3> {
        match self.given.as_ref().map(|given| &given.source) {
            Some(Source::Points(points)) => points.clone(),
            Some(Source::Degrees(degrees)) => degrees.iter().map(|p| p.extend(0.0)).collect(),
            _ => self.coords().to_vec(),
        }
    }

    /// What the instance was made of, ends, fixed edges and names aside. From it the constructors make an instance with the same distances.
    ///
    /// ```
    /// use myrmex::tsp::{Instance, Origin};
    ///
    /// let three = Instance::from_matrix_i64(3, vec![0, -5, 2, -5, 0, 1, 2, 1, 0])?;
    /// assert!(matches!(three.origin(), Origin::WholeWeights(weights) if weights == [0, -5, 2, -5, 0, 1, 2, 1, 0]));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn origin(&self) -> Origin<'_> {
        match (self.given.as_deref(), self.metric()) {
            (Some(Given { source: Source::Points(points), .. }), metric) => {
                Origin::Points { points, in_space: metric == Metric::Euc3d }
            }
            (Some(Given { source: Source::Degrees(degrees), .. }), _) => Origin::Degrees(degrees),
            (Some(Given { source: Source::Weights { weights, .. }, .. }), _) => Origin::Weights(weights),
            (given, Metric::Explicit) => {
                let (shift, cities) = (given.map_or(0, |given| given.shift), self.len());
                let weight = |(at, whole): (usize, u32)| match at / cities == at % cities {
                    true => 0,
                    false => i64::from(whole) + shift,
                };
                Origin::WholeWeights(self.distance_matrix().into_iter().enumerate().map(weight).collect())
            }
            (_, metric) => Origin::Coordinates(metric, self.coords()),
        }
    }

    /// Longitude and latitude of each city in decimal degrees, where distances are measured on the globe.
    pub fn lon_lat(&self) -> Option<Vec<DVec2>> {
        match (self.metric(), self.given.as_ref().map(|given| &given.source)) {
            (_, Some(Source::Degrees(degrees))) => Some(degrees.clone()),
            (Metric::Geo, _) => {
                let decimal = |x: f64| x.trunc() + x.fract() / 0.6;
                Some(self.coords().iter().map(|p| DVec2::new(decimal(p.y), decimal(p.x))).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Kind, generate};
    use super::*;

    /// The instance that the constructors make of an origin.
    fn made(origin: Origin<'_>) -> Result<Instance> {
        match origin {
            Origin::Points { points, in_space: true } => {
                Instance::from_points_3d(&points.iter().map(|p| p.to_array()).collect::<Vec<_>>())
            }
            Origin::Points { points, .. } => {
                Instance::from_points(&points.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>())
            }
            Origin::Degrees(degrees) => {
                Instance::from_lon_lat(&degrees.iter().map(|p| p.to_array()).collect::<Vec<_>>())
            }
            Origin::Coordinates(Metric::Euc3d, coords) => Instance::from_coords_3d("again", coords),
            Origin::Coordinates(metric, coords) => {
                Instance::from_coords("again", metric, &coords.iter().map(|p| p.truncate()).collect::<Vec<_>>())
            }
            Origin::Weights(weights) => Instance::from_matrix_f64(weights.len().isqrt(), weights.to_vec()),
            Origin::WholeWeights(weights) => Instance::from_matrix_i64(weights.len().isqrt(), weights),
        }
    }

    #[test]
    fn lengths_beyond_all_costs_are_the_least_and_the_greatest() {
        let negative = Instance::from_matrix_i64(3, vec![0, -5, 2, -5, 0, 1, 2, 1, 0]).unwrap();
        for (length, cost) in [(f64::INFINITY, u64::MAX), (1e300, u64::MAX), (-1e300, 0), (f64::NEG_INFINITY, 0)] {
            assert_eq!(negative.cost_of(length), cost, "{length}");
        }
    }

    #[test]
    fn an_instance_is_made_again_from_its_origin() {
        let cities = generate(Kind::Uniform, 30, 1).unwrap();
        let flat: Vec<[f64; 2]> = cities.coords().iter().map(|p| [p.x * 1e-7, p.y * 1e-7]).collect();
        let space: Vec<[f64; 3]> = flat.iter().map(|&[x, y]| [x, y, x * y]).collect();
        let whole: Vec<i64> = (0..900).map(|at| at * 7919 % 101 - 50).collect();
        let places: Vec<DVec3> = cities.coords().iter().map(|p| DVec3::new(p.x, p.y, p.x)).collect();
        let globe: Vec<DVec2> = flat.iter().map(|&[x, y]| DVec2::new((x * 80.0).trunc(), (y * 80.0).trunc())).collect();
        let all = [
            Instance::from_points(&flat),
            Instance::from_points_3d(&space),
            Instance::from_lon_lat(&flat),
            Instance::from_coords_3d("space", &places),
            Instance::from_coords("globe", Metric::Geo, &globe),
            Instance::from_matrix_i64(30, whole.clone()),
            Instance::from_matrix_i64(30, whole.iter().map(|weight| weight.abs()).collect()),
            Instance::from_matrix_f64(30, whole.iter().map(|&weight| weight as f64 / 7.0).collect()),
            Ok(cities),
        ];
        let tour: Vec<u32> = (0..30).collect();
        for instance in all.map(Result::unwrap) {
            let again = made(instance.origin()).unwrap();
            assert_eq!(again.distance_matrix(), instance.distance_matrix(), "{}", instance.name());
            assert_eq!(again.length(&tour).unwrap(), instance.length(&tour).unwrap(), "{}", instance.name());
            assert_eq!((again.scale(), again.edge_error()), (instance.scale(), instance.edge_error()));
            assert_eq!((again.points(), again.metric()), (instance.points(), instance.metric()));
        }
    }
}
