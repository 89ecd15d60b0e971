//! TSPLIB95's distance functions, in 64-bit floating point.

use glam::DVec3;

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

/// TSPLIB's value of π, on which the published optima rest.
#[expect(clippy::approx_constant, reason = "TSPLIB95 defines it so")]
const GEO_PI: f64 = 3.141592;
/// TSPLIB's radius of the earth in kilometres.
pub(super) const GEO_RADIUS: f64 = 6378.388;

impl Metric {
    /// The keyword of EDGE_WEIGHT_TYPE.
    pub fn keyword(self) -> &'static str {
        KEYWORDS.iter().find(|(metric, _)| *metric == self).map_or("", |(_, keyword)| keyword)
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
            Self::Euc3d => 3,
            _ => 2,
        }
    }

    /// Whether distances grow with the Euclidean distance, so that a k-d tree finds the nearest cities.
    pub(super) fn is_euclidean(self) -> bool {
        matches!(self, Self::Euc2d | Self::Euc3d | Self::Ceil2d | Self::Att)
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

/// How Euclidean distances are rounded to whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
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

    #[test]
    fn keywords_lead_back_to_their_metrics() {
        for (metric, keyword) in KEYWORDS {
            assert_eq!(Metric::from_keyword(keyword), Some(metric));
            assert_eq!(metric.keyword(), keyword);
        }
        assert_eq!(Metric::from_keyword("XRAY1"), None);
    }
}
