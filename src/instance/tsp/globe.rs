//! Instances from degrees on the globe.

use glam::{DVec2, DVec3};

use super::extent::simple_tour;
use super::given::{Given, Source};
use super::instance::Instance;
use super::metric::{EARTH_RADIUS, Metric};
use super::points::{TOUR_LIMIT, check, greatest};
use crate::error::{Error, Result};

/// On the globe: distances from a city to the next, about, of which rounding leaves enough.
const UNITS_AN_EDGE: f64 = 1000.0;
/// Of so many cities or fewer the estimate for many is far too long.
const FEW: usize = 13;

impl Instance {
    /// Cities on the globe, each as longitude and latitude in decimal degrees (the order of GeoJSON): great-circle distances on a sphere
    /// of radius [`super::EARTH_RADIUS`], by haversines, in whole metres.
    ///
    /// Where tours would cost 2³¹ or more (some 8,000 cities all over the world) distances are in tens or hundreds of metres, and where cities
    /// lie less than a kilometre from the next in decimetres, centimetres or millimetres: [`Instance::scale`] is then 0.1 or 0.01, or 10, 100 or
    /// 1000, and [`Instance::edge_error`], 0.5 / scale, says how exact they are. The earth is no
    /// sphere: true distances differ by up to 0.6%. [`Instance::length`] is in metres, not rounded.
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let cities = Instance::from_lon_lat(&[[13.405, 52.52], [2.3522, 48.8566], [-0.1276, 51.5072]])?;
    /// assert_eq!(cities.distance(0, 1), 877_465);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city or more than 2²⁴; [`Error::City`] for a place that is not on the globe: latitudes lie in −90 to 90,
    /// longitudes in −180 to 360.
    pub fn from_lon_lat<P: Copy + Into<[f64; 2]>>(places: &[P]) -> Result<Self> {
        let places: Vec<[f64; 2]> = places.iter().map(|&place| place.into()).collect();
        check(&places.iter().map(|&[lon, lat]| DVec3::new(lon, lat, 0.0)).collect::<Vec<_>>())?;
        if let Some((city, message)) = off_globe(&places) {
            return Err(Error::City { city, message });
        }
        let degrees: Vec<DVec2> = places.iter().copied().map(DVec2::from_array).collect();
        let mut given = Given { scale: 1.0, shift: 0, error: 0.5, source: Source::Degrees(degrees) };
        let size = given.surface();
        given.scale = on_globe_scale(places.len(), size);
        given.error = if places.iter().all(|place| *place == places[0]) { 0.0 } else { 0.5 / given.scale };
        let coords = places.iter().map(|&[lon, lat]| on_sphere(lon, lat) * (EARTH_RADIUS * given.scale)).collect();
        let name = format!("{} places", places.len());
        Ok(Self::of_coords(name, Metric::Haversine, coords).with_given(given))
    }
}

/// Distances on the globe to a metre, for so many cities that cover an area of this size in metres: as many as make it about a thousand from
/// a city to the next, as far as a tour costs less than [`TOUR_LIMIT`].
fn on_globe_scale(cities: usize, size: DVec3) -> f64 {
    let tour = |scale: f64| simple_tour(cities, size * scale);
    // A tour of few cities is hardly longer than the way around all.
    let likely = |scale: f64| if cities <= FEW { 2.0 * scale * size.element_sum() } else { tour(scale) };
    // Cities that all lie in one place have any scale.
    let fine = |scale: &f64| size == DVec3::ZERO || likely(*scale) >= UNITS_AN_EDGE * cities as f64;
    let needed = [1.0, 10.0, 100.0].into_iter().find(fine).unwrap_or(1000.0);
    greatest(-9..=3, |scale| scale <= needed && tour(scale) < TOUR_LIMIT)
}

/// The number of the first place, longitude and latitude, that is not on the globe, and what is wrong with it.
pub(super) fn off_globe(places: &[[f64; 2]]) -> Option<(usize, String)> {
    let is_on = |[lon, lat]: [f64; 2]| (-90.0..=90.0).contains(&lat) && (-180.0..=360.0).contains(&lon);
    let (city, [lon, lat]) = places.iter().copied().enumerate().find(|(_, place)| !is_on(*place))?;
    Some((city, format!("has longitude {lon} and latitude {lat}, which is off the globe; the longitude comes first")))
}

/// A place on the unit sphere.
pub(super) fn on_sphere(lon: f64, lat: f64) -> DVec3 {
    let (lon, lat) = (lon.to_radians(), lat.to_radians());
    DVec3::new(libm::cos(lat) * libm::cos(lon), libm::cos(lat) * libm::sin(lon), libm::sin(lat))
}

#[cfg(test)]
mod tests {
    use super::super::points::tests::square;
    use super::*;

    /// Places metres apart, in a city, in a country.
    #[test]
    fn places_that_lie_close_are_not_counted_in_metres() {
        for (side, scale) in [(2e-5, 1000.0), (3e-4, 100.0), (0.003, 10.0), (0.1, 1.0), (0.0, 1.0)] {
            let places: Vec<[f64; 2]> = square(40, side, 13.4).into_iter().map(|[x, y]| [x, y + 39.1]).collect();
            let instance = Instance::from_lon_lat(&places).unwrap();
            // Nothing is rounded where nothing is apart.
            let error = if side == 0.0 { 0.0 } else { 0.5 / scale };
            assert_eq!((instance.scale(), instance.edge_error()), (scale, error), "{side}");
            let order: Vec<u32> = (0..40).collect();
            let cost = instance.tour_cost(&order).unwrap();
            let length = instance.length(&order).unwrap();
            assert!((length - instance.length_of(cost)).abs() <= 40.0 * instance.edge_error(), "{side}");
            // Some hundredths of a percent.
            assert!((length - instance.length_of(cost)).abs() <= 1e-3 * length, "{side}");
        }
    }

    #[test]
    fn few_places_that_lie_close_are_not_counted_in_metres() {
        let places =
            [[168.861, -59.435], [168.863, -59.437], [168.8635, -59.438], [168.858, -59.431], [168.865, -59.441]];
        let instance = Instance::from_lon_lat(&places).unwrap();
        assert_eq!(instance.scale(), 10.0);
        let far = places.map(|[lon, lat]| [lon * 1.1, lat * 1.1]);
        assert_eq!(Instance::from_lon_lat(&[places, far].concat()).unwrap().scale(), 1.0);
    }

    /// At 180 degrees and at 0 longitudes begin again: places on both sides lie as close as others.
    #[test]
    fn places_on_both_sides_of_a_meridian_lie_close() {
        let beside = |least: f64, meridian: f64| {
            let places = square(40, 2e-5, -1e-5).into_iter();
            let places: Vec<[f64; 2]> =
                places.map(|[x, y]| [(meridian + x - least).rem_euclid(360.0) + least, y]).collect();
            Instance::from_lon_lat(&places).unwrap()
        };
        for instance in [beside(-180.0, 0.0), beside(-180.0, 180.0), beside(0.0, 0.0)] {
            assert_eq!(instance.scale(), 1000.0);
            let along: Vec<f64> = instance.layout().unwrap().iter().map(|p| p.x).collect();
            assert!(along.iter().all(|x| (x - along[0]).abs() < 2.1e-5), "{along:?}");
        }
    }
}
