//! Instances: changed, asked for costs and bounds.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use myrmex::glam::{DVec2, DVec3};
use myrmex::tsp::{self, Metric};
use myrmex::{Cancel, Error, Result, qap, report};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::drive::{Caller, Driven, Limits, drive, indices, refuse_forked};
use crate::errors::{invalid, raised};
use crate::make::{made, rows};

/// An instance of the travelling salesman or the quadratic assignment problem.
#[pyclass(frozen, module = "myrmex._myrmex")]
#[derive(Clone)]
pub struct Problem(pub myrmex::Problem);

/// A permutation as it lies in an array.
pub fn permutation(array: &PyReadonlyArray1<'_, u32>) -> Vec<u32> {
    array.as_array().to_vec()
}

/// An array of so many columns.
fn array<'py, T: numpy::Element>(
    py: Python<'py>,
    columns: usize,
    words: impl Iterator<Item = T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let words: Vec<T> = words.collect();
    let array = Array2::from_shape_vec((words.len() / columns, columns), words);
    Ok(array.map_err(|error| invalid(error.to_string()))?.into_pyarray(py))
}

/// The function that makes an instance of the same distances, and its arguments.
fn origin<'py>(py: Python<'py>, instance: &tsp::Instance) -> PyResult<(&'static str, Bound<'py, PyTuple>)> {
    let cities = instance.len();
    let places = |points: &[DVec3], in_space: bool| {
        let columns = if in_space { 3 } else { 2 };
        array(py, columns, points.iter().flat_map(|p| p.to_array().into_iter().take(columns)))
    };
    Ok(match instance.origin() {
        tsp::Origin::Points { points, in_space } => {
            ("from_points", (places(points, in_space)?, "plane").into_pyobject(py)?)
        }
        tsp::Origin::Degrees(degrees) => {
            ("from_points", (array(py, 2, degrees.iter().flat_map(|p| p.to_array()))?, "globe").into_pyobject(py)?)
        }
        tsp::Origin::Coordinates(metric, coords) => {
            ("from_points", (places(coords, metric.dimensions() == 3)?, metric.keyword()).into_pyobject(py)?)
        }
        tsp::Origin::Weights(weights) => {
            ("from_weights", (array(py, cities, weights.iter().copied())?,).into_pyobject(py)?)
        }
        tsp::Origin::WholeWeights(weights) => {
            ("from_whole_weights", (array(py, cities, weights.into_iter())?,).into_pyobject(py)?)
        }
        _ => return Err(invalid("a problem of this kind cannot be made again elsewhere")),
    })
}

/// Pairs of numbers.
fn pairs(what: &str, array: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<[u32; 2]>> {
    let (words, columns) = rows(array)?;
    match columns {
        2 => Ok(words.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()),
        _ => Err(invalid(format!("{what}: expected pairs of numbers, not {columns} in a row"))),
    }
}

impl Problem {
    /// The same with its tours changed by `change`; assignments have none.
    fn with_tours(
        &self,
        py: Python<'_>,
        change: impl FnOnce(tsp::Instance) -> Result<tsp::Instance> + Send,
    ) -> PyResult<Self> {
        let myrmex::Problem::Tsp(instance) = self.0.clone() else {
            let message = "open paths, fixed edges and names of cities are for tours; leave them out for assignments";
            return Err(invalid(message));
        };
        made(py, || change(instance))
    }

    fn qap(&self, refusal: &'static str) -> PyResult<&qap::Instance> {
        match &self.0 {
            myrmex::Problem::Qap(instance) => Ok(instance),
            _ => Err(invalid(refusal)),
        }
    }

    fn tsp(&self) -> Option<&tsp::Instance> {
        match &self.0 {
            myrmex::Problem::Tsp(instance) => Some(instance),
            _ => None,
        }
    }
}

#[pymethods]
impl Problem {
    /// The same with the ends of an open path, or with the city where closed tours begin, as `tsp::Instance::with_ends` has it.
    fn with_ends(&self, py: Python<'_>, open: Option<bool>, start: Option<u32>, end: Option<u32>) -> PyResult<Self> {
        self.with_tours(py, |instance| instance.with_ends(open, start, end))
    }

    /// The same with edges that each solution has.
    fn with_fixed_edges(&self, py: Python<'_>, edges: PyReadonlyArray2<'_, u32>) -> PyResult<Self> {
        let edges = pairs("fixed_edges", &edges)?;
        self.with_tours(py, |instance| instance.with_fixed_edges(&edges))
    }

    /// The same with facilities that are given their locations.
    fn with_fixed(&self, py: Python<'_>, fixed: PyReadonlyArray2<'_, u32>) -> PyResult<Self> {
        let pairs = pairs("fixed", &fixed)?;
        let instance = self.qap("facilities are fixed in assignments; leave 'fixed' out for tours")?.clone();
        made(py, || instance.with_fixed(&pairs))
    }

    /// The locations that an assignment leaves empty.
    fn _empty_locations(&self, py: Python<'_>, solution: PyReadonlyArray1<'_, u32>) -> PyResult<Vec<u32>> {
        let (instance, solution) = (self.qap("tours have no locations")?, permutation(&solution));
        py.detach(|| instance.empty_locations(&solution)).map_err(raised)
    }

    /// Of assignments: how many locations there are.
    #[getter]
    fn locations(&self) -> Option<usize> {
        self.qap("").ok().map(qap::Instance::locations)
    }

    /// Of assignments: facilities that are given their locations.
    #[getter]
    fn fixed(&self) -> Option<Vec<(u32, u32)>> {
        self.qap("")
            .ok()
            .map(|instance| instance.fixed().iter().map(|&[facility, location]| (facility, location)).collect())
    }

    /// Of assignments: by how much their costs may differ at most from what the solver counts; 0 where they are exact.
    #[getter]
    fn cost_error(&self) -> f64 {
        self.qap("").map_or(0.0, qap::Instance::cost_error)
    }

    /// What may be meant otherwise, or is rounded so that it matters.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.0.warnings())
    }

    /// The ids of a table's cities, where it has such.
    #[getter]
    fn city_ids(&self) -> Option<Vec<String>> {
        self.tsp()?.city_ids().map(<[String]>::to_vec)
    }

    /// The same with names of its facilities and of its locations.
    fn with_names(
        &self,
        py: Python<'_>,
        facilities: Option<Vec<String>>,
        locations: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let instance = self.qap("tours have neither facilities nor locations")?.clone();
        made(py, || instance.with_names(facilities, locations))
    }

    /// Of assignments: what the facilities are called, where that is known.
    #[getter]
    fn facility_names(&self) -> Option<Vec<String>> {
        self.qap("").ok()?.facility_names().map(<[String]>::to_vec)
    }

    /// Of assignments: what the locations are called, where that is known.
    #[getter]
    fn location_names(&self) -> Option<Vec<String>> {
        self.qap("").ok()?.location_names().map(<[String]>::to_vec)
    }

    /// The same with names of its cities.
    fn with_city_names(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        self.with_tours(py, |instance| instance.with_city_names(names))
    }

    /// The same with the ids of a table's cities.
    fn with_city_ids(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<Self> {
        self.with_tours(py, |instance| instance.with_city_ids(ids))
    }

    /// The same with what a user neither makes nor changes: its name, a comment, places to draw cities at.
    fn with_looks(&self, name: &str, comment: &str, display: Option<PyReadonlyArray2<'_, f64>>) -> PyResult<Self> {
        let places = display.map(|display| rows(&display)).transpose()?;
        Ok(Self(match self.0.clone() {
            myrmex::Problem::Tsp(instance) => {
                let instance = instance.with_name(name).with_comment(comment);
                match places {
                    Some((words, _)) => {
                        instance.with_display(words.chunks_exact(2).map(DVec2::from_slice).collect()).map_err(raised)?
                    }
                    None => instance,
                }
                .into()
            }
            myrmex::Problem::Qap(instance) => instance.with_name(name).into(),
            other => other,
        }))
    }

    /// What makes the problem again: the name of a function of this module with its arguments, and what `with_ends`, `with_fixed_edges`,
    /// `with_fixed`, `with_names`, `with_city_names`, `with_city_ids` and `with_looks` take.
    fn _made_of<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = PyDict::new(py);
        made.set_item("name", self.0.name())?;
        match &self.0 {
            myrmex::Problem::Tsp(instance) => {
                let (function, arguments) = origin(py, instance)?;
                made.set_item("function", function)?;
                made.set_item("arguments", arguments)?;
                made.set_item("comment", instance.comment())?;
                let display = instance.display().map(|places| array(py, 2, places.iter().flat_map(|p| p.to_array())));
                made.set_item("display", display.transpose()?)?;
                let ends = match instance.first_city() {
                    None => instance.is_open().then(|| (true, instance.path_start(), instance.path_end())),
                    first => Some((false, first, first)),
                };
                made.set_item("ends", ends)?;
                let fixed = instance.fixed_edges();
                let edges = (!fixed.is_empty()).then(|| array(py, 2, fixed.iter().flatten().copied()));
                made.set_item("fixed_edges", edges.transpose()?)?;
                made.set_item("city_names", instance.city_names().map(<[String]>::to_vec))?;
                made.set_item("city_ids", instance.city_ids().map(<[String]>::to_vec))?;
            }
            myrmex::Problem::Qap(instance) => {
                let qap::Origin { flows, distances, placing, .. } = instance.origin();
                let (facilities, locations) = (instance.len(), instance.locations());
                let placing = placing.map(|costs| array(py, locations, costs.into_iter())).transpose()?;
                let (flows, distances) =
                    (array(py, facilities, flows.into_iter())?, array(py, locations, distances.into_iter())?);
                made.set_item("function", "from_matrices")?;
                made.set_item("arguments", (flows, distances, placing))?;
                let fixed = instance.fixed();
                let pairs = (!fixed.is_empty()).then(|| array(py, 2, fixed.iter().flatten().copied()));
                made.set_item("fixed", pairs.transpose()?)?;
                made.set_item("names", (self.facility_names(), self.location_names()))?;
                made.set_item("comment", "")?;
            }
            _ => return Err(invalid("a problem of this kind cannot be made again elsewhere")),
        }
        Ok(made)
    }

    /// The instance's name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// ``"tsp"`` or ``"qap"``.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Cities or facilities.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<myrmex.Problem '{}': {} of {} {}>", self.0.name(), self.0.kind(), self.0.len(), self.0.parts())
    }

    /// Of tours: whether solutions are open paths.
    #[getter]
    fn is_open(&self) -> bool {
        self.tsp().is_some_and(tsp::Instance::is_open)
    }

    /// Of tours: whether every way is as long as the way back. Of assignments: whether one of the matrices is symmetric.
    #[getter]
    fn is_symmetric(&self) -> bool {
        match &self.0 {
            myrmex::Problem::Tsp(instance) => instance.is_symmetric(),
            myrmex::Problem::Qap(instance) => instance.is_symmetric_in_one(),
            _ => false,
        }
    }

    /// What the cities are called, where that is known.
    #[getter]
    fn city_names(&self) -> Option<Vec<String>> {
        self.tsp().and_then(tsp::Instance::city_names).map(<[String]>::to_vec)
    }

    /// By how much a distance may differ at most from what was given, in that unit; 0 where distances are exact.
    #[getter]
    fn edge_error(&self) -> f64 {
        self.tsp().map_or(0.0, tsp::Instance::edge_error)
    }

    /// The cities' coordinates as they were given; None where there are none.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        let instance = self.tsp()?;
        let points = instance.points();
        let columns = if instance.metric() == Metric::Euc3d { 3 } else { 2 };
        let words: Vec<f64> = points.iter().flat_map(|p| p.to_array().into_iter().take(columns)).collect();
        let array = Array2::from_shape_vec((points.len(), columns), words).ok().filter(|array| !array.is_empty())?;
        Some(array.into_pyarray(py))
    }

    /// The cost of a solution: whole distances or products, as the solver counts them.
    fn _cost(&self, py: Python<'_>, solution: PyReadonlyArray1<'_, u32>) -> PyResult<u64> {
        refuse_forked()?;
        let solution = permutation(&solution);
        py.detach(|| self.0.cost(&solution)).map_err(raised)
    }

    /// The length of a solution in the unit of what was given; of an assignment its cost.
    fn _length(&self, py: Python<'_>, solution: PyReadonlyArray1<'_, u32>) -> PyResult<f64> {
        refuse_forked()?;
        let solution = permutation(&solution);
        py.detach(|| self.0.length(&solution)).map_err(raised)
    }

    /// The solution in a file.
    fn _read_solution<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyArray1<i64>>> {
        refuse_forked()?;
        let solution = py.detach(|| self.0.read_solution(&path)).map_err(raised)?;
        Ok(indices(py, solution))
    }

    /// Writes a solution into a file, in the form that its ending asks for.
    fn _write_solution(&self, py: Python<'_>, path: PathBuf, solution: PyReadonlyArray1<'_, u32>) -> PyResult<()> {
        refuse_forked()?;
        let solution = permutation(&solution);
        py.detach(|| self.0.write_solution(&path, &solution)).map_err(raised)
    }

    /// A length that no tour is below.
    fn _lower_bound(&self, py: Python<'_>, time: Option<f64>) -> PyResult<f64> {
        let Some(instance) = self.tsp().cloned() else {
            return Err(invalid("lower bounds are for tours"));
        };
        instance.check_lower_bound().map_err(raised)?;
        refuse_forked()?;
        let (began, limit) = (Instant::now(), time.map(Duration::from_secs_f64));
        let cancel = Cancel::new();
        let asked = cancel.clone();
        let goes_on = move |_| !asked.is_cancelled() && limit.is_none_or(|limit| began.elapsed() < limit);
        // What is made before the first step looks at nothing: an interrupt does not wait for it.
        let limits = Limits { time: None, may_be_left: true };
        let end = limit.and_then(|limit| began.checked_add(limit));
        let driven = drive(py, &Caller::default(), &cancel, limits, move |_| instance.lower_bound_until(end, goes_on))?;
        match driven {
            Driven::Done { interrupted: false, value } => value.map(|bound| bound.length).map_err(raised),
            _ => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// A picture of a tour as SVG; None where the cities have no places.
    fn _svg(&self, py: Python<'_>, tour: PyReadonlyArray1<'_, u32>) -> PyResult<Option<String>> {
        let Some((instance, layout)) = self.tsp().and_then(|instance| Some((instance, instance.layout()?))) else {
            return Ok(None);
        };
        refuse_forked()?;
        let tour = permutation(&tour);
        let mut text = Vec::new();
        py.detach(|| report::write_svg(&mut text, instance.name(), &layout, &tour, instance.is_open()))
            .map_err(|error| raised(Error::io("picture", error)))?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}
