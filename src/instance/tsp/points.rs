//! Instances from coordinates in any unit.

use std::collections::HashSet;

use glam::DVec3;
use rayon::prelude::*;

use super::extent::{extent, simple_tour};
use super::given::{Given, Source};
use super::instance::{Instance, check_count};
use super::matrix::FAR_LIMIT;
use super::metric::Metric;
use super::whole::{MATRIX_CITIES, WHOLE_SPAN};
use crate::error::{Error, Result};
use crate::instance::share;

/// Simple tours are to cost less, so that windows of Lin-Kernighan search take them (`algorithm::windows::MOST_COST`).
pub(super) const TOUR_LIMIT: f64 = (1u64 << 31) as f64;
/// More cities are taken by windows alone, which cost less where they have so many cities, whatever the tour costs.
const MOST_AT_ONCE: usize = 65_536;
const LEAST_WINDOW_CITIES: f64 = 1000.0;
/// Points are counted more finely where the nearest city is less than so many times as far as rounding may move them.
const FINE_STEPS: f64 = 10.0;
/// The powers of ten that a scale may be.
const POWERS: std::ops::RangeInclusive<i32> = -300..=300;
/// What coordinates may span, so that squares and their sums are numbers, too.
const SPANS: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

impl Instance {
    /// Cities in the plane, in any unit: distances are Euclidean and not rounded to the unit. A point is `[x, y]`, `(x, y)`, or a vector of
    /// [`glam`].
    ///
    /// Coordinates are scaled by a power of ten to whole numbers that span less than 2²² = 4,194,304 (with more than about 200,000 cities
    /// so much along all axes together that 1,000 distances are less than 2³¹), which is what devices are quick with, and distances of these are rounded. Up to 5,792 cities may span more, with
    /// distances below 2²⁹: where half of them have the nearest one within ten times what rounding may change. So an edge
    /// differs by at most [`Instance::edge_error`] = 1.92 / [`Instance::scale`] from its true length: less than 5 · 10⁻⁶ of the span, with more than about 200,000 cities
    /// less than 2 · 10⁻⁵. Where all coordinates have so few decimals that they are whole when scaled it is 0.5 / scale. [`Instance::length`] and
    /// the length of a solution are sums of true lengths.
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let square = Instance::from_points(&[[0.0, 0.0], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5]])?;
    /// assert_eq!(square.length(&[0, 2, 1, 3])?, 2.0);
    /// assert_eq!(square.tour_cost(&[0, 2, 1, 3])?, 2_000_000);
    /// assert_eq!((square.scale(), square.edge_error()), (1e6, 0.5e-6));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city or more than 2²⁴; [`Error::City`] for coordinates that are not finite, and for a city so far from all others
    /// that it leaves these no digits.
    pub fn from_points<P: Copy + Into<[f64; 2]>>(points: &[P]) -> Result<Self> {
        let point = |&point: &P| {
            let [x, y] = point.into();
            DVec3::new(x, y, 0.0)
        };
        Self::scaled(Metric::Euc2d, points.iter().map(point).collect())
    }

    /// The same in space, where an edge differs by at most 2.24 / [`Instance::scale`].
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let corners = Instance::from_points_3d(&[[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [1.5, 2.0, 0.0], [1.5, 2.0, 1.0]])?;
    /// assert_eq!(corners.distance(0, 2) as f64 / corners.scale(), 2.5);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Instance::from_points`].
    pub fn from_points_3d<P: Copy + Into<[f64; 3]>>(points: &[P]) -> Result<Self> {
        Self::scaled(Metric::Euc3d, points.iter().map(|&point| DVec3::from_array(point.into())).collect())
    }

    fn scaled(metric: Metric, points: Vec<DVec3>) -> Result<Self> {
        check(&points)?;
        let size = extent(&points);
        if !size.is_finite() {
            return Err(Error::Instance("the coordinates span more than floating-point numbers hold".into()));
        }
        // Distances are roots of squares.
        let span = size.max_element();
        if span != 0.0 && !SPANS.contains(&span) {
            let [least, most] = [SPANS.start(), SPANS.end()];
            let message = format!(
                "the coordinates span {span:e}, and distances are known of {least:e} to {most:e}: give them in another unit"
            );
            return Err(Error::Instance(message));
        }
        // Of more cities than crossover takes at once windows are counted, where these can be large enough.
        let in_windows =
            |size: DVec3| points.len() > MOST_AT_ONCE && size.element_sum() * LEAST_WINDOW_CITIES < TOUR_LIMIT;
        let is_short = |scale: f64| simple_tour(points.len(), size * scale) < TOUR_LIMIT || in_windows(size * scale);
        // A city moves by half a unit along each axis at most.
        let moves = (metric.dimensions() as f64).sqrt();
        // Cities that all lie in one place have any scale.
        let usual = match size == DVec3::ZERO {
            true => 1.0,
            false => greatest(POWERS, |scale| size.max_element() * scale + 1.0 < WHOLE_SPAN && is_short(scale)),
        };
        let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let counted = |scale: f64| {
            let coords: Vec<DVec3> =
                points.par_iter().with_min_len(share::ENTRIES).map(|p| ((*p - low) * scale).round()).collect();
            let is_exact = |(p, whole): (&DVec3, &DVec3)| {
                let apart = ((*p - low) * scale - *whole).abs().to_array();
                // Decimals far from the origin have binary fractions that are further from them.
                let noise = 4.0 * f64::EPSILON * scale * p.abs().max_element();
                // What is counted as nothing is nothing, but for that.
                let most = |whole: f64| if whole == 0.0 { noise } else { noise.clamp(1e-6, 1e-3) };
                apart.into_iter().zip(whole.to_array()).all(|(apart, whole)| apart <= most(whole))
            };
            let is_exact = points.par_iter().with_min_len(share::ENTRIES).zip(&coords).all(is_exact);
            (scale, coords, is_exact)
        };
        let (scale, coords, is_exact) = match counted(usual) {
            // Devices take the distances of few cities from a matrix, which leaves most of them more digits where some lie far away.
            (_, _, false) if points.len() <= MATRIX_CITIES && nearest(&points) < FINE_STEPS * (moves + 0.5) / usual => {
                counted(greatest(POWERS, |scale| size.length() * scale + 1.0 < FAR_LIMIT && is_short(scale)))
            }
            usual => usual,
        };
        if !is_exact {
            check_apart(&points, &coords)?;
        }
        let moved = if is_exact { 0.0 } else { moves };
        let error = if size == DVec3::ZERO { 0.0 } else { (moved + 0.5) / scale };
        let given = Given { scale, shift: 0, error, source: Source::Points(points) };
        let name = format!("{} points", coords.len());
        Ok(Self::of_coords(name, metric, coords).with_given(given))
    }

    /// What distances come from: `matrix`, `asymmetric matrix`, `longitudes and latitudes`, `points in the plane`, `points in space`, or TSPLIB's word
    /// for its own kinds ([`Metric::keyword`]).
    pub fn distances_from(&self) -> &'static str {
        match self.metric() {
            Metric::Explicit if self.is_symmetric() => "matrix",
            Metric::Explicit => "asymmetric matrix",
            Metric::Haversine => "longitudes and latitudes",
            Metric::Euc2d if self.given.is_some() => "points in the plane",
            Metric::Euc3d if self.given.is_some() => "points in space",
            metric => metric.keyword(),
        }
    }
}

pub(super) fn check(points: &[DVec3]) -> Result<()> {
    check_count(points.len())?;
    match points.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        Some((city, p)) => {
            let wrong = p.to_array().into_iter().find(|coordinate| !coordinate.is_finite()).unwrap_or_default();
            Err(Error::City { city, message: format!("has the coordinate {wrong}, which is not finite") })
        }
        None => Ok(()),
    }
}

/// How far a city is from the nearest one elsewhere: half of some cities are nearer.
fn nearest(points: &[DVec3]) -> f64 {
    let looked_at = points.iter().step_by(points.len().div_ceil(NEAREST_LOOKED_AT).max(1));
    let from = |place: &DVec3| {
        let apart = points.iter().map(|other| place.distance(*other)).filter(|apart| *apart > 0.0);
        apart.fold(f64::INFINITY, f64::min)
    };
    let mut all: Vec<f64> = looked_at.map(from).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// Cities that are looked at for how far the nearest one is.
const NEAREST_LOOKED_AT: usize = 128;

/// Cities that are looked at for whether they lie apart.
const LOOKED_AT: usize = 4096;

/// Checks that rounding leaves at least half of the places that there were: else a tour of what is left would say nothing about most cities.
fn check_apart(points: &[DVec3], coords: &[DVec3]) -> Result<()> {
    let places = |all: &[DVec3]| {
        // -0 is 0.
        let words = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
        all.iter().take(LOOKED_AT).map(words).collect::<HashSet<_>>().len()
    };
    let (given, left) = (places(points), places(coords));
    if 2 * left >= given {
        return Ok(());
    }
    let median = |axis: fn(&DVec3) -> f64| {
        let mut all: Vec<f64> = points.iter().map(axis).collect();
        let middle = all.len() / 2;
        *all.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    let middle = DVec3::new(median(|p| p.x), median(|p| p.y), median(|p| p.z));
    let far = |at: &usize| (points[*at] - middle).abs().max_element();
    let farthest = (0..points.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or_default();
    Err(Error::City {
        city: farthest,
        message: format!(
            "lies {:e} away from most others, beside which these lie in one place ({left} places are left of {given}): leave it out, or solve \
             the others alone",
            far(&farthest)
        ),
    })
}

/// The greatest power of ten of `exponents` that `fits`; the least of them if none does.
pub(super) fn greatest(exponents: std::ops::RangeInclusive<i32>, fits: impl Fn(f64) -> bool) -> f64 {
    // Multiplied out, which gives the same bits everywhere, and exact ones up to 10²².
    let power = |exponent: i32| {
        let whole = (0..exponent.unsigned_abs()).fold(1.0, |power: f64, _| power * 10.0);
        if exponent < 0 { 1.0 / whole } else { whole }
    };
    let least = power(*exponents.start());
    exponents.rev().map(power).find(|scale| fits(*scale)).unwrap_or(least)
}

#[cfg(test)]
pub(super) mod tests {
    use glam::DVec2;

    use super::*;

    /// Scattered numbers in 0 to 1.
    fn scattered(i: u64) -> f64 {
        let word = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (word >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn square(n: u64, side: f64, from: f64) -> Vec<[f64; 2]> {
        (0..n).map(|i| [from + side * scattered(2 * i + 1), from + side * scattered(2 * i + 2)]).collect()
    }

    #[test]
    fn edges_differ_by_no_more_than_is_said() {
        for (side, from) in [(1.0, 0.0), (1e-9, 0.0), (3e15, -1e15), (4.2, 5e6), (1234.5, 0.0)] {
            let points = square(200, side, from);
            let instance = Instance::from_points(&points).unwrap();
            let whole = instance.whole_coordinates().expect("devices are quick with them");
            assert!(whole.exact && whole.places.iter().flatten().all(|x| (0..1 << 22).contains(x)));
            assert!(instance.edge_error() <= 5e-6 * side, "{} of {side}", instance.edge_error());
            let mut worst: f64 = 0.0;
            for (a, p) in points.iter().enumerate() {
                for (b, q) in points.iter().enumerate() {
                    let length = (p[0] - q[0]).hypot(p[1] - q[1]);
                    worst = worst.max((f64::from(instance.distance(a, b)) / instance.scale() - length).abs());
                }
            }
            assert!(worst <= instance.edge_error(), "{worst} with {side}");
            assert!(worst > 0.2 * instance.edge_error(), "the bound says little: {worst} with {side}");
        }
    }

    #[test]
    fn many_cities_have_tours_that_windows_take() {
        let instance = Instance::from_points(&square(1_000_000, 1.0, 0.0)).unwrap();
        assert_eq!(instance.scale(), 1e6);
        let (longest, tour) = Instance::from_points(&square(1_000_000, 4.1, 0.0)).unwrap().sizes();
        assert!(tour < 1 << 31 && longest < 1 << 29, "{longest} {tour}");
        // Their tours cost more, but windows do not.
        assert_eq!(Instance::from_points(&square(3_200_000, 1.0, 0.0)).unwrap().scale(), 1e6);
        let world: Vec<[f64; 2]> =
            (0..20_000).map(|i| [360.0 * scattered(2 * i + 1) - 180.0, 170.0 * scattered(2 * i + 2) - 85.0]).collect();
        let world = Instance::from_lon_lat(&world).unwrap();
        assert_eq!((world.scale(), world.edge_error()), (0.1, 5.0));
        let order = world.space_filling_orders(1).unwrap().remove(0);
        assert!(world.tour_cost(&order).unwrap() < 1 << 31);
        let length = world.length(&order).unwrap();
        assert!((length - world.length_of(world.tour_cost(&order).unwrap())).abs() < 20_000.0 * 5.0);
    }

    #[test]
    fn targets_in_the_users_unit_are_costs() {
        let instance = Instance::from_points(&square(50, 0.9, 0.0)).unwrap();
        assert_eq!((instance.scale(), instance.cost_of(7.7), instance.cost_of(-1.0)), (1e6, 7_700_000, 0));
        assert_eq!(instance.length_of(7_700_000), 7.7);
        let plain = Instance::from_coords("", Metric::Euc2d, &[DVec2::ZERO, DVec2::X * 5.0]).unwrap();
        assert_eq!((plain.cost_of(10.0), plain.cost_of(9.9), plain.length(&[1, 0]).unwrap()), (10, 9, 10.0));
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        assert!(message(Instance::from_points::<[f64; 2]>(&[])).contains("no city"));
        assert!(message(Instance::from_points(&[[0.0, 0.0], [f64::NAN, 1.0]])).contains("city 1"));
        assert!(message(Instance::from_points(&[[f64::MAX, 0.0], [f64::MIN, 1.0]])).contains("span"));
        // Beside one city far away the others would lie in one place.
        let grid =
            |far: f64| (0..60).map(|at| [f64::from(at % 8), f64::from(at / 8)]).chain([[far, 0.0]]).collect::<Vec<_>>();
        let apart = message(Instance::from_points(&grid(1e12)));
        assert!(apart.contains("city 60") && apart.contains("2 places are left of 61"), "{apart}");
        assert_eq!(Instance::from_points(&grid(1e5)).unwrap().len(), 61);
        assert_eq!(Instance::from_points(&[[0.5, 0.5]; 9]).unwrap().len(), 9);
        assert!(message(Instance::from_lon_lat(&[[52.5, 13.4], [48.8, 91.0]])).contains("longitude comes first"));
        assert!(message(Instance::from_lon_lat(&[[361.0, 1.0]])).contains("city 0"));
        assert_eq!(Instance::from_points(&[[3.5, 1.0]; 5]).unwrap().length(&[0, 1, 2, 3, 4]).unwrap(), 0.0);
        assert_eq!(Instance::from_points(&[[3.5, 1.0]]).unwrap().length(&[0]).unwrap(), 0.0);
    }

    /// In floating point 36 times 0.1 is not 3.6, and 0.3 - 0.2 is not 0.1.
    #[test]
    fn lengths_have_the_decimals_that_points_have() {
        for (step, length, from) in [(0.1, 3.6, 0.0), (0.7, 25.2, 5e6), (1e4, 360_000.0, -3e5)] {
            let row = |y: u32| (0..18).map(move |x| [from + f64::from(x) * step, f64::from(y) * step]);
            let points: Vec<[f64; 2]> = row(0).chain(row(1).rev()).collect();
            let order: Vec<u32> = (0..36).collect();
            let lengths = Instance::from_points(&points).unwrap().length(&order).unwrap();
            assert_eq!(lengths, length);
        }
        let alone = [Instance::from_points(&[[0.3, 0.7]]), Instance::from_lon_lat(&[[13.4, 52.5]])];
        assert!(alone.map(|one| one.unwrap().length(&[0]).unwrap()).iter().all(|length| length.is_sign_positive()));
    }

    /// Their squares are no numbers.
    #[test]
    fn spans_without_distances_are_refused() {
        let of_side = |side: f64| Instance::from_points(&square(40, side, 0.0));
        for side in [1e-151, 1e151, 1e-300, 1e300] {
            let message = of_side(side).unwrap_err().to_string();
            assert!(message.contains("1e-150 to 1e150: give them in another unit"), "{message}");
        }
        for side in [1e-149, 1e149] {
            let instance = of_side(side).unwrap();
            let length = instance.length(&(0..40).collect::<Vec<_>>()).unwrap();
            assert!(length > 4.0 * side && length.is_finite(), "{length}");
        }
    }

    /// 200 points in the unit square: rounded distances are 0 or 1, and every tour costs about the same.
    #[test]
    fn rounding_that_leaves_little_is_refused() {
        let points = square(200, 1.0, 0.0);
        let coords: Vec<DVec2> = points.iter().copied().map(DVec2::from_array).collect();
        for metric in [Metric::Euc2d, Metric::Ceil2d, Metric::Man2d, Metric::Att] {
            let message = Instance::from_coords("", metric, &coords).unwrap_err().to_string();
            assert!(message.contains(metric.keyword()) && message.contains("from_points"), "{message}");
        }
        // Enough room, whole numbers, one place: as TSPLIB says.
        let spread = |by: f64| coords.iter().map(|p| *p * by).collect::<Vec<_>>();
        assert!(Instance::from_coords("", Metric::Euc2d, &spread(30.0)).is_ok());
        assert!(Instance::from_coords("", Metric::Euc2d, &spread(3.0)).is_err());
        let whole: Vec<DVec2> = spread(3.0).iter().map(|p| p.round()).collect();
        assert!(Instance::from_coords("", Metric::Euc2d, &whole).is_ok());
        assert!(Instance::from_coords("", Metric::Euc2d, &[DVec2::splat(0.5); 9]).is_ok());
    }

    /// One city far away leaves digits to the others, as a matrix does.
    #[test]
    fn a_city_far_away_leaves_digits_to_others() {
        for (cities, far) in [(8, 1e5), (100, 1e5), (300, 1e4)] {
            let mut points: Vec<[f64; 2]> = (0..cities)
                .map(|i: u32| {
                    [0, 1].map(|k| f64::from((2 * i + k).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24))
                })
                .collect();
            let alone = Instance::from_points(&points).unwrap();
            points.push([far, far]);
            let instance = Instance::from_points(&points).unwrap();
            assert!(instance.edge_error() < 1e-5 * far.hypot(far), "{cities}: {}", instance.edge_error());
            let nearest = (1..cities as usize).map(|b| instance.way(0, b)).fold(f64::INFINITY, f64::min);
            assert!(instance.edge_error() < nearest, "{cities}: {} {nearest}", instance.edge_error());
            assert!(instance.whole_coordinates().is_none());
            // Tours of the others are told apart.
            let order: Vec<u32> = (0..cities).collect();
            let with: Vec<u32> = (0..=cities).collect();
            let [own, all] = [alone.length(&order).unwrap(), instance.length(&with).unwrap()];
            let told = instance.length_of(instance.tour_cost(&with).unwrap());
            assert!((told - all).abs() <= f64::from(cities + 1) * instance.edge_error() && all > own);
        }
        // Cities that are spread evenly have the scale that devices are quick with.
        let points: Vec<[f64; 2]> = (0..900).map(|i| [f64::from(i % 30) + 0.3, f64::from(i / 30) / 3.0]).collect();
        assert_eq!(Instance::from_points(&points).unwrap().scale(), 1e5);
    }
}
