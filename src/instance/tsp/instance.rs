//! A travelling salesman instance.

use std::sync::{Arc, Mutex, OnceLock};

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::constraints::Constraints;
use super::given::Given;
use super::matrix::is_symmetric;
use super::metric::{Metric, check_globe};
use super::neighbours::Neighbours;
use super::normal::Gathered;
use super::odd::Odd;
use super::space::Frame;
use super::whole::Counting;
use crate::error::{Error, Result};
use crate::instance::share;
use crate::text::clean;

/// The most cities an instance may have.
pub(super) const MAX_CITIES: usize = 1 << 24;
/// The longest distance between two cities.
pub(super) const MAX_DISTANCE: u32 = i32::MAX as u32;

/// A travelling salesman instance: cities with coordinates and a metric, or a matrix, which may be asymmetric.
#[derive(Clone)]
pub struct Instance {
    name: String,
    comment: String,
    metric: Metric,
    cities: usize,
    /// One for each city, z = 0 in the plane; empty for a matrix.
    pub(super) coords: Arc<[DVec3]>,
    /// Row-major cities × cities; empty with coordinates.
    pub(super) matrix: Arc<[u32]>,
    display: Option<Arc<[DVec2]>>,
    symmetric: bool,
    /// What a solution keeps to, as a person asks for it.
    pub(super) constraints: Arc<Constraints>,
    /// The city that closed tours are told from, where somebody asks for one.
    pub(super) first_city: Option<u32>,
    /// The same in the form that kernels know.
    pub(crate) kernel_form: KernelForm,
    /// What the cities are called, one name each, where that is known.
    pub(super) names: Option<Arc<[String]>>,
    /// What the file that it came from numbers them by, where it has a column for that.
    pub(super) ids: Option<Arc<[String]>>,
    /// What whole distances were made of; `None`: they were given so.
    pub(super) given: Option<Arc<Given>>,
    /// Whether devices count distances nearly where they can, however few cities there are.
    pub(super) nearly: bool,
    /// How places are counted where distances come from places in space; made when it is first asked for. A window has that of the whole.
    pub(super) frame: Arc<OnceLock<Option<Frame>>>,
    /// Where devices take distances from; made when it is first asked for.
    pub(super) counting: Arc<OnceLock<Counting>>,
    /// What [`Instance::sizes`] tells of a matrix; made when it is first asked for.
    pub(super) sizes: Arc<OnceLock<(u64, u64)>>,
    /// The same with a city for each place, `None` where that is no use; made when it is first asked for.
    pub(super) gathered: Arc<OnceLock<Option<Gathered>>>,
    /// What [`Instance::merged_by_rounding`] tells; made when it is first asked for.
    pub(super) merged: Arc<OnceLock<usize>>,
    /// What [`Instance::odd`] tells; made when it is first asked for.
    pub(super) odd: Arc<OnceLock<Odd>>,
    /// The neighbours asked for last, and how many of each quadrant came first.
    pub(super) kept_neighbours: Arc<Mutex<Option<(usize, Neighbours)>>>,
}

/// Marks of an instance that [`super::normal`] has made for the kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelForm {
    /// So many leading cities are joined two and two, 0 with 1, 2 with 3: these edges stay in every tour.
    pub paired: usize,
    /// A city that is at distance 0 from all others: between the ends of an open path.
    pub gap: Option<u32>,
    /// Whether all pairs are the two nodes of a city, where it is entered and where it is left: an asymmetric instance made symmetric.
    pub doubled: bool,
}

impl KernelForm {
    /// Whether the edge between two cities stays in every tour.
    pub fn is_pair(self, a: u32, b: u32) -> bool {
        a ^ 1 == b && (a as usize) < self.paired
    }

    /// The city that is joined to `city`.
    pub fn partner(self, city: u32) -> Option<u32> {
        ((city as usize) < self.paired).then_some(city ^ 1)
    }

    /// Whether an edge is never one to add: it is there already, or leads to the gap.
    pub fn is_closed_to(self, city: u32, other: u32) -> bool {
        self.is_pair(city, other) || self.gap == Some(other)
    }
}

/// What it is, without its cities.
impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("Instance");
        told.field("name", &self.name).field("metric", &self.metric).field("cities", &self.cities);
        told.field("symmetric", &self.symmetric).finish_non_exhaustive()
    }
}

impl Instance {
    /// Cities in the plane, or on the globe for [`Metric::Geo`] (x: latitude, y: longitude, DDD.MM).
    ///
    /// ```
    /// use myrmex::{glam::DVec2, tsp::{Instance, Metric}};
    ///
    /// let places = [(0.0, 0.0), (30.0, 0.0), (30.0, 40.0)].map(|(x, y)| DVec2::new(x, y));
    /// assert_eq!(Instance::from_coords("three", Metric::Euc2d, &places)?.tour_cost(&[0, 1, 2])?, 120);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city or more than 2²⁴, for cities that could be more than 2³¹ − 1 apart, and for a metric that does not go with
    /// two coordinates. Also where TSPLIB's rounding would leave little of the distances: [`Instance::from_points`] keeps them.
    /// [`Error::City`] for coordinates that are not finite, and for places off the globe.
    pub fn from_coords(name: impl Into<String>, metric: Metric, coords: &[DVec2]) -> Result<Self> {
        if metric.dimensions() != 2 {
            return Err(Error::Instance(format!("{} does not go with two coordinates", metric.keyword())));
        }
        Self::with_coords(name.into(), metric, coords.iter().map(|p| p.extend(0.0)).collect())
    }

    /// Cities in space, with [`Metric::Euc3d`].
    ///
    /// ```
    /// use myrmex::{glam::DVec3, tsp::Instance};
    ///
    /// let two = Instance::from_coords_3d("two", &[DVec3::ZERO, DVec3::new(2.0, 3.0, 6.0)])?;
    /// assert_eq!(two.distance(0, 1), 7);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Instance::from_coords`].
    pub fn from_coords_3d(name: impl Into<String>, coords: &[DVec3]) -> Result<Self> {
        Self::with_coords(name.into(), Metric::Euc3d, coords.to_vec())
    }

    pub(super) fn with_coords(name: String, metric: Metric, coords: Vec<DVec3>) -> Result<Self> {
        check_count(coords.len())?;
        if let Some((city, p)) = coords.iter().enumerate().find(|(_, p)| !p.is_finite()) {
            return Err(Error::City { city, message: format!("has coordinate {p}, which is not finite") });
        }
        let low = coords.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = coords.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let extent = (high - low).element_sum();
        if metric != Metric::Geo && extent >= f64::from(MAX_DISTANCE) {
            return Err(Error::Instance(format!(
                "coordinates span {extent:e}, so distances could pass {MAX_DISTANCE}; scale them down"
            )));
        }
        match metric {
            Metric::Geo => {
                check_globe(&coords).map_err(|(city, why)| Error::City { city, message: format!("has {why}") })?
            }
            _ if is_swamped(&coords) => {
                return Err(Error::Instance(format!(
                    "{} rounds distances to whole numbers, and most of these cities are less than 1 apart: multiply the coordinates, or \
                     take the points as they are: the metric 'plane', in the library Instance::from_points",
                    metric.keyword()
                )));
            }
            _ => {}
        }
        Ok(Self::of_coords(name, metric, coords))
    }

    /// An instance with coordinates that are known to be usable.
    pub(super) fn of_coords(name: String, metric: Metric, coords: Vec<DVec3>) -> Self {
        let cities = coords.len();
        Self { coords: coords.into(), ..Self::bare(&name, metric, cities) }
    }

    /// An instance of so many cities with neither places nor weights.
    fn bare(name: &str, metric: Metric, cities: usize) -> Self {
        Self {
            name: clean(name),
            comment: String::new(),
            metric,
            cities,
            coords: Arc::new([]),
            matrix: Arc::new([]),
            display: None,
            symmetric: true,
            constraints: Arc::default(),
            first_city: None,
            kernel_form: KernelForm::default(),
            names: None,
            ids: None,
            given: None,
            nearly: false,
            frame: Arc::default(),
            counting: Arc::default(),
            sizes: Arc::default(),
            gathered: Arc::default(),
            merged: Arc::default(),
            odd: Arc::default(),
            kept_neighbours: Arc::default(),
        }
    }

    /// A matrix of `cities` × `cities` weights, row-major; its diagonal is ignored.
    ///
    /// ```
    /// use myrmex::tsp::Instance;
    ///
    /// let one_way = Instance::from_matrix("one way", 3, vec![0, 1, 9, 9, 0, 1, 1, 9, 0])?;
    /// assert_eq!((one_way.tour_cost(&[0, 1, 2])?, one_way.is_symmetric()), (3, false));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Instance`] for no city, a wrong length, or a weight above 2³¹ − 1.
    pub fn from_matrix(name: impl Into<String>, cities: usize, mut weights: Vec<u32>) -> Result<Self> {
        check_count(cities)?;
        if cities.checked_mul(cities) != Some(weights.len()) {
            let entries = weights.len();
            return Err(Error::Instance(format!("{cities} cities need {cities} x {cities} weights, not {entries}")));
        }
        (0..cities).for_each(|city| weights[city * cities + city] = 0);
        if let Some(index) = weights.iter().position(|&weight| weight > MAX_DISTANCE) {
            let [j, i] = [(index / cities).min(index % cities), (index / cities).max(index % cities)];
            return Err(Error::Instance(format!(
                "a weight between cities {j} and {i} (counted from 0) passes {MAX_DISTANCE}: divide all by the same number, or give \
                 them to Instance::from_matrix_f64, which does"
            )));
        }
        let symmetric = is_symmetric(&weights, cities);
        Ok(Self { matrix: weights.into(), symmetric, ..Self::bare(&name.into(), Metric::Explicit, cities) })
    }

    /// The same instance with the weights of another one.
    pub(super) fn with_matrix_of(self, other: Self) -> Self {
        let Self { matrix, symmetric, given, sizes, gathered, odd, kept_neighbours, .. } = other;
        Self { matrix, symmetric, given, sizes, gathered, odd, kept_neighbours, ..self }
    }

    /// The same instance under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: clean(&name.into()), ..self }
    }

    /// The same instance with a comment.
    #[must_use]
    pub fn with_comment(self, comment: impl Into<String>) -> Self {
        Self { comment: comment.into(), ..self }
    }

    /// The same instance with places to draw its cities at.
    ///
    /// # Errors
    /// [`Error::Instance`] unless there is one for each city.
    pub fn with_display(mut self, places: Vec<DVec2>) -> Result<Self> {
        if places.len() != self.cities {
            return Err(Error::Instance(format!("{} places to draw {} cities at", places.len(), self.cities)));
        }
        self.display = Some(places.into());
        Ok(self)
    }

    /// The places that [`Instance::with_display`] has given.
    pub fn display(&self) -> Option<&[DVec2]> {
        self.display.as_deref()
    }

    /// Its name, control characters replaced.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its comment.
    pub fn comment(&self) -> &str {
        &self.comment
    }

    /// How distances come about.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of cities, at least 1.
    pub fn len(&self) -> usize {
        self.cities
    }

    /// Never: an instance has at least one city.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The places of the cities that distances come from, with z 0 in the plane; empty for an instance from a matrix. Those of
    /// [`Instance::from_points`] are scaled to whole numbers, those of [`Instance::from_lon_lat`] lie on a sphere in space;
    /// [`Instance::points`] has what was given.
    pub fn coords(&self) -> &[DVec3] {
        &self.coords
    }

    /// Whether every way costs as much as the way back.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The distance between two cities, at most 2³¹ − 1; 0 from a city to itself, except 1 with [`Metric::Geo`].
    ///
    /// Cities are below [`Instance::len`]: with another number it panics, or tells what lies there in the matrix.
    #[inline]
    pub fn distance(&self, a: usize, b: usize) -> u32 {
        match self.metric {
            _ if self.kernel_form.gap.is_some_and(|gap| gap as usize == a || gap as usize == b) => 0,
            Metric::Explicit => self.matrix[a * self.cities + b],
            metric => metric.distance(self.coords[a], self.coords[b]),
        }
    }

    /// All distances, row-major cities × cities.
    pub fn distance_matrix(&self) -> Vec<u32> {
        if self.metric == Metric::Explicit && self.kernel_form.gap.is_none() {
            return self.matrix.to_vec();
        }
        if self.kernel_form.gap.is_some() {
            return self.matrix_of(|a, b| self.distance(a, b));
        }
        let spots = &self.coords;
        // A metric known when this is compiled makes one short loop of a row.
        match self.metric {
            Metric::Euc2d => self.matrix_of(|a, b| Metric::Euc2d.distance(spots[a], spots[b])),
            Metric::Ceil2d => self.matrix_of(|a, b| Metric::Ceil2d.distance(spots[a], spots[b])),
            _ => self.matrix_of(|a, b| self.distance(a, b)),
        }
    }

    fn matrix_of(&self, distance: impl Fn(usize, usize) -> u32 + Sync) -> Vec<u32> {
        let n = self.cities;
        let mut matrix = vec![0; n * n];
        matrix.par_chunks_mut(n).with_min_len(share::rows(n)).enumerate().for_each(|(a, row)| {
            for (b, entry) in row.iter_mut().enumerate() {
                *entry = distance(a, b);
            }
        });
        matrix
    }

    /// Where to draw the cities: display data, else coordinates in the plane (longitude and latitude on the globe).
    pub fn layout(&self) -> Option<Vec<DVec2>> {
        match (&self.display, self.metric) {
            (Some(places), _) => Some(places.to_vec()),
            (None, Metric::Explicit | Metric::Euc3d) => None,
            (None, Metric::Haversine) => self.given.as_ref().map(|given| given.map()),
            (None, Metric::Geo) => Some(self.coords.iter().map(|p| DVec2::new(p.y, p.x)).collect()),
            (None, _) => Some(self.coords.iter().map(|p| p.truncate()).collect()),
        }
    }
}

/// Whether rounding to whole numbers would make most distances between near cities equal: decimals, and on average two or more different
/// places in each cell of side 1 that has any.
fn is_swamped(coords: &[DVec3]) -> bool {
    let is_whole = |p: &DVec3| p.to_array().iter().all(|x| x.fract() == 0.0);
    if coords.par_iter().with_min_len(share::ENTRIES).all(is_whole) {
        return false;
    }
    let different = |of: &(dyn Fn(f64) -> f64 + Sync)| {
        let mut keys: Vec<[u64; 3]> = coords
            .par_iter()
            .with_min_len(share::ENTRIES)
            .map(|p| p.to_array().map(|x| (of(x) + 0.0).to_bits()))
            .collect();
        keys.par_sort_unstable();
        keys.dedup();
        keys.len()
    };
    let places = different(&|x| x);
    places > 1 && places >= 2 * different(&f64::floor)
}

pub(super) fn check_count(cities: usize) -> Result<()> {
    match cities {
        0 => Err(Error::Instance("it has no city".into())),
        1..=MAX_CITIES => Ok(()),
        _ => Err(Error::Instance(format!("{cities} cities are more than {MAX_CITIES}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Instance {
        let corners = [(0.0, 0.0), (0.0, 3.0), (4.0, 3.0), (4.0, 0.0)].map(|(x, y)| DVec2::new(x, y));
        Instance::from_coords("square", Metric::Euc2d, &corners).unwrap()
    }

    #[test]
    fn tours_are_checked_and_summed() {
        let square = square();
        assert_eq!(square.tour_cost(&[0, 1, 2, 3]).unwrap(), 14);
        assert_eq!(square.tour_cost(&[0, 2, 1, 3]).unwrap(), 18);
        for (tour, word) in
            [(vec![0, 1, 2], "3 cities"), (vec![0, 1, 2, 4], "does not exist"), (vec![0, 1, 1, 3], "twice")]
        {
            assert!(square.tour_cost(&tour).unwrap_err().to_string().contains(word));
        }
    }

    #[test]
    fn matrix_and_coordinates_agree() {
        let square = square();
        let matrix = Instance::from_matrix("m", 4, square.distance_matrix()).unwrap();
        assert_eq!(matrix.distance_matrix(), square.distance_matrix());
        assert_eq!(matrix.tour_cost(&[0, 1, 2, 3]).unwrap(), 14);
        assert!(matrix.layout().is_none());
    }

    #[test]
    fn impossible_instances_are_refused() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        assert!(message(Instance::from_coords("", Metric::Euc2d, &[])).contains("no city"));
        assert!(message(Instance::from_coords("", Metric::Euc2d, &[DVec2::NAN])).contains("not finite"));
        assert!(message(Instance::from_coords("", Metric::Euc2d, &[DVec2::ZERO, DVec2::splat(1e12)])).contains("span"));
        assert!(message(Instance::from_coords("", Metric::Explicit, &[DVec2::ZERO])).contains("EXPLICIT"));
        assert!(!Instance::from_matrix("", 2, vec![0, 1, 2, 0]).unwrap().is_symmetric());
        assert!(message(Instance::from_matrix("", 2, vec![0, 1, 1])).contains("2 x 2"));
        assert!(message(Instance::from_matrix("", 2, vec![0, 1 << 31, 1 << 31, 0])).contains("passes"));
    }

    #[test]
    fn tiny_instances_have_costs() {
        let one = Instance::from_coords("", Metric::Geo, &[DVec2::ONE]).unwrap();
        assert_eq!(one.tour_cost(&[0]).unwrap(), 0);
        let two = Instance::from_coords("", Metric::Euc2d, &[DVec2::ZERO, DVec2::X * 5.0]).unwrap();
        assert_eq!(two.tour_cost(&[1, 0]).unwrap(), 10);
    }
}
