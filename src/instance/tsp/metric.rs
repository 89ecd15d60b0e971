//! TSPLIB95's distance functions, in 64-bit floating point.

use glam::DVec3;

use super::space::Space;

/// How the distance between two cities comes about (TSPLIB95, section 2; Reinelt 1991).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metric {
    /// Rounded Euclidean distance in the plane.
    Euc2d,
    /// Rounded Euclidean distance in space.
    Euc3d,
    /// Euclidean distance in the plane, rounded up.
    Ceil2d,
    /// Rounded sum of the differences of coordinates.
    Man2d,
    /// Greatest rounded difference of coordinates.
    Max2d,
    /// Pseudo-Euclidean distance.
    Att,
    /// Kilometres on the idealised sphere between latitudes and longitudes in degrees and minutes (DDD.MM).
    Geo,
    /// Great-circle distances on a sphere of radius [`EARTH_RADIUS`], by haversines (Sinnott 1984), rounded to whole metres; TSPLIB has
    /// no keyword for it. Places are points of the sphere in space, see [`super::Instance::from_lon_lat`].
    Haversine,
    /// A matrix.
    Explicit,
}

/// The metrics with their TSPLIB keywords.
const KEYWORDS: [(Metric, &str); 8] = [
    (Metric::Euc2d, "EUC_2D"),
    (Metric::Euc3d, "EUC_3D"),
    (Metric::Ceil2d, "CEIL_2D"),
    (Metric::Man2d, "MAN_2D"),
    (Metric::Max2d, "MAX_2D"),
    (Metric::Att, "ATT"),
    (Metric::Geo, "GEO"),
    (Metric::Explicit, "EXPLICIT"),
];

/// The mean radius of the earth in metres (R₁ of GRS 80, Moritz 2000), with which [`Metric::Haversine`] measures.
pub const EARTH_RADIUS: f64 = 6_371_008.8;

/// TSPLIB's value of π, on which the published optima rest.
#[expect(clippy::approx_constant, reason = "TSPLIB95 defines it so")]
const GEO_PI: f64 = 3.141592;
/// TSPLIB's radius of the earth in kilometres.
pub(super) const GEO_RADIUS: f64 = 6378.388;

impl Metric {
    /// The keyword of EDGE_WEIGHT_TYPE; `HAVERSINE` for the metric that TSPLIB does not have.
    pub fn keyword(self) -> &'static str {
        KEYWORDS.iter().find(|(metric, _)| *metric == self).map_or("HAVERSINE", |(_, keyword)| keyword)
    }

    /// The metric of a keyword.
    pub fn from_keyword(keyword: &str) -> Option<Self> {
        KEYWORDS.iter().find(|(_, known)| *known == keyword).map(|(metric, _)| *metric)
    }

    /// All keywords, for messages.
    pub fn keywords() -> String {
        KEYWORDS.map(|(_, keyword)| keyword).join(", ")
    }

    /// Coordinates of a city: 2 or 3; 0 for a matrix.
    pub fn dimensions(self) -> usize {
        match self {
            Self::Explicit => 0,
            Self::Euc3d | Self::Haversine => 3,
            _ => 2,
        }
    }

    /// Whether distances grow with the Euclidean distance, so that a k-d tree finds the nearest cities.
    pub(super) fn is_euclidean(self) -> bool {
        matches!(self, Self::Euc2d | Self::Euc3d | Self::Ceil2d | Self::Att | Self::Haversine)
    }

    /// The distance between two cities as TSPLIB95 computes it; saturated at 2³² − 1, and 0 for [`Metric::Explicit`].
    #[inline(always)]
    pub fn distance(self, a: DVec3, b: DVec3) -> u32 {
        let d = a - b;
        match self {
            Self::Euc2d => nint((d.x * d.x + d.y * d.y).sqrt()),
            Self::Euc3d => nint((d.x * d.x + d.y * d.y + d.z * d.z).sqrt()),
            Self::Ceil2d => (d.x * d.x + d.y * d.y).sqrt().ceil() as u32,
            Self::Man2d => nint(d.x.abs() + d.y.abs()),
            Self::Max2d => nint(d.x.abs()).max(nint(d.y.abs())),
            Self::Att => {
                let real = ((d.x * d.x + d.y * d.y) / 10.0).sqrt();
                let rounded = nint(real);
                if f64::from(rounded) < real { rounded.saturating_add(1) } else { rounded }
            }
            Self::Geo => geo(a, b),
            Self::Haversine => nint(great_circle(a, b)),
            Self::Explicit => 0,
        }
    }
}

/// TSPLIB's rounding of what is not negative: halves go up.
#[inline]
fn nint(x: f64) -> u32 {
    (x + 0.5) as u32
}

/// The angle that a coordinate in degrees and minutes (DDD.MM) stands for.
pub(super) fn radians(x: f64) -> f64 {
    let degrees = x.trunc();
    GEO_PI * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0
}

fn geo(a: DVec3, b: DVec3) -> u32 {
    let (latitude_a, longitude_a) = (radians(a.x), radians(a.y));
    let (latitude_b, longitude_b) = (radians(b.x), radians(b.y));
    let q1 = libm::cos(longitude_a - longitude_b);
    let q2 = libm::cos(latitude_a - latitude_b);
    let q3 = libm::cos(latitude_a + latitude_b);
    let cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    (GEO_RADIUS * libm::acos(cosine.clamp(-1.0, 1.0)) + 1.0) as u32
}

/// The way along a great circle between two points of a sphere around the origin, by its chord: that is twice the radius times the square
/// root of the haversine.
pub(super) fn great_circle(a: DVec3, b: DVec3) -> f64 {
    let diameter = 2.0 * a.length();
    diameter * libm::asin((a.distance(b) / diameter).min(1.0))
}

/// Whether latitudes (x) and longitudes (y) are degrees and minutes (DDD.MM) on the globe; else the city, counted from 0, and what it has
/// instead. TSPLIB's own ali535 has three coordinates in a thousand with 60 minutes and more, and is taken; decimal degrees have four in ten.
pub(super) fn check_globe(places: &[DVec3]) -> Result<(), (usize, String)> {
    let all = || places.iter().enumerate();
    if let Some((city, p)) = all().find(|(_, p)| p.x.abs() > 90.0 || p.y.abs() > 180.0) {
        return Err((
            city,
            format!("latitude {} and longitude {}, which is off the globe (90 and 180 degrees)", p.x, p.y),
        ));
    }
    let minutes = |x: f64| (x.fract().abs() * 1e5).round() / 1e3;
    let odd = |p: &DVec3| [p.x, p.y].into_iter().filter(|x| minutes(*x) >= 60.0).count();
    let count: usize = places.iter().map(odd).sum();
    match all().find(|(_, p)| odd(p) > 0) {
        Some((city, p)) if 50 * count > places.len() => {
            let x = if minutes(p.x) >= 60.0 { p.x } else { p.y };
            let minutes = minutes(x);
            Err((
                city,
                format!(
                    "{x} for degrees and minutes (DDD.MM), but there are no {minutes} minutes; decimal degrees are for the metric 'globe'"
                ),
            ))
        }
        _ => Ok(()),
    }
}

/// How distances come from the coordinates of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distances {
    /// As the file says.
    #[default]
    Stated,
    /// Euclidean in the unit of the coordinates, see [`super::Instance::from_points`].
    Plane,
    /// Along great circles between decimal degrees, see [`super::Instance::from_lon_lat`]. The longitude comes first, except in TSPLIB files
    /// of type GEO.
    Globe,
}

/// What is told of a weight that is chosen where there is none to choose.
pub(super) const NO_CHOICE: &str = "a weight is chosen by the name of a column of a table of ways (from, to), or of a member of JSON; there are no such here: leave --weight out";
/// What is told of a metric where there are weights.
pub(super) const NOTHING_TO_MEASURE: &str = "weights have no coordinates to measure; leave the metric out";

/// How a file is read that does not tell all by itself.
///
/// ```
/// use myrmex::{Problem, tsp::{Distances, Reading}};
///
/// let ways = "from,to,minutes,km\nA,B,10,7\nB,C,20,9\nC,A,15,8\n";
/// let by_km = Problem::parse(ways, "ways.csv", Reading::default().weighed_by("km"))?;
/// assert_eq!(by_km.length(&[0, 1, 2])?, 24.0);
/// assert!(Problem::parse(ways, "ways.csv", Distances::Stated).is_err());
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading<'a> {
    /// How distances come from coordinates.
    pub distances: Distances,
    /// Which column of a table of ways, or member of a JSON object, has the weights, where several may.
    pub weight: Option<&'a str>,
}

impl<'a> Reading<'a> {
    /// The same with weights from this column of a table of ways, or this member of a JSON object.
    #[must_use]
    pub fn weighed_by(self, name: &'a str) -> Self {
        Self { weight: Some(name), ..self }
    }
}

impl From<Distances> for Reading<'_> {
    fn from(distances: Distances) -> Self {
        Self { distances, weight: None }
    }
}

/// How distances come from whole coordinates, and how Euclidean ones are rounded to whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rounding {
    /// To the nearest.
    Nearest,
    /// To the nearest; some may be longer than 1.5 million.
    NearestFar,
    /// Up.
    Up,
    /// Up; some may be longer than 1.5 million.
    UpFar,
    /// To the nearest; coordinates are counted in thousandths.
    Thousandths,
    /// Not at all: sums of the differences of whole coordinates.
    Manhattan,
    /// Not at all: the greater of the differences of whole coordinates.
    Maximum,
    /// As [`Space`] says: from places in space, near but not exact for most metrics.
    Space(Space),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(metric: Metric, a: (f64, f64), b: (f64, f64)) -> u32 {
        metric.distance(DVec3::new(a.0, a.1, 0.0), DVec3::new(b.0, b.1, 0.0))
    }

    #[test]
    fn roundings_differ_as_the_standard_says() {
        let (a, b) = ((0.0, 0.0), (1.5, 2.0));
        assert_eq!(distance(Metric::Euc2d, a, b), 3, "2.5 goes up");
        assert_eq!(distance(Metric::Ceil2d, (0.0, 0.0), (1.0, 1.0)), 2);
        assert_eq!(distance(Metric::Man2d, a, b), 4);
        assert_eq!(distance(Metric::Max2d, a, b), 2);
        assert_eq!(distance(Metric::Att, (0.0, 0.0), (10.0, 0.0)), 4, "3.16 is rounded to 3 and then raised");
        assert_eq!(Metric::Euc3d.distance(DVec3::ZERO, DVec3::new(2.0, 3.0, 6.0)), 7);
    }

    #[test]
    fn coincident_places_on_the_globe_are_one_kilometre_apart() {
        assert_eq!(distance(Metric::Geo, (48.08, 11.35), (48.08, 11.35)), 1);
        let quarter = distance(Metric::Geo, (0.0, 0.0), (0.0, 90.0));
        assert_eq!(quarter, 10_020);
    }

    /// Paris to New York; a quarter and half of the equator; neighbours less than a metre apart.
    #[test]
    fn great_circles_are_measured_along_the_sphere() {
        let place = |lon: f64, lat: f64| super::super::globe::on_sphere(lon, lat) * EARTH_RADIUS;
        let far = |a: (f64, f64), b: (f64, f64)| great_circle(place(a.0, a.1), place(b.0, b.1));
        assert!((far((2.3522, 48.8566), (-74.006, 40.7128)) - 5_837_248.97).abs() < 0.01);
        let quarter = EARTH_RADIUS * std::f64::consts::FRAC_PI_2;
        assert!((far((0.0, 0.0), (90.0, 0.0)) - quarter).abs() < 1e-6);
        assert!((far((0.0, 0.0), (180.0, 0.0)) - 2.0 * quarter).abs() < 0.2);
        assert!((far((179.9, 10.0), (-179.9, 10.0)) - far((0.0, 10.0), (0.2, 10.0))).abs() < 1e-6);
        assert!((far((8.0, 50.0), (8.0, 50.000_001)) - quarter / 90e6).abs() < 1e-6);
        assert_eq!(Metric::Haversine.distance(place(0.0, 0.0), place(90.0, 0.0)), quarter.round() as u32);
    }

    #[test]
    fn places_off_the_globe_and_odd_minutes_are_told() {
        let check =
            |places: &[(f64, f64)]| check_globe(&places.iter().map(|p| DVec3::new(p.0, p.1, 0.0)).collect::<Vec<_>>());
        assert!(check(&[(90.0, -180.0), (-33.59, 0.59)]).is_ok());
        let (city, why) = check(&[(1.0, 1.0), (33.0, 180.5)]).unwrap_err();
        assert!(city == 1 && why.contains("180.5") && why.contains("off the globe"), "{why}");
        let (city, why) = check(&[(1.0, 1.0), (1.0, 1.0), (-33.6, 1.0)]).unwrap_err();
        assert!(city == 2 && why.contains("no 60 minutes"), "{why}");
        // Few in many are as in ali535.
        let mut many = vec![(48.31, -24.1); 300];
        many[7] = (48.31, -24.8);
        assert!(check(&many).is_ok());
    }

    #[test]
    fn keywords_lead_back_to_their_metrics() {
        for (metric, keyword) in KEYWORDS {
            assert_eq!(Metric::from_keyword(keyword), Some(metric));
            assert_eq!(metric.keyword(), keyword);
        }
        assert_eq!(Metric::from_keyword("XRAY1"), None);
    }
}
