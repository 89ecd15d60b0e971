//! Instances from arrays and files.

use std::path::PathBuf;

use myrmex::glam::{DVec2, DVec3};
use myrmex::tsp::{self, Distances, Metric, Reading};
use myrmex::{Error, Result, qap};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::drive::refuse_forked;
use crate::errors::{invalid, raised};
use crate::problem::Problem;

/// An array with whole rows, one after the other.
pub fn rows<T: numpy::Element + Copy>(array: &PyReadonlyArray2<'_, T>) -> PyResult<(Vec<T>, usize)> {
    let words = array.as_slice().map_err(|_| invalid("expected an array with one row after the other in memory"))?;
    Ok((words.to_vec(), array.as_array().ncols()))
}

/// What `make` makes while the interpreter is free.
pub fn made<P: Into<myrmex::Problem> + Send>(
    py: Python<'_>,
    make: impl FnOnce() -> Result<P> + Send,
) -> PyResult<Problem> {
    refuse_forked()?;
    py.detach(make).map(|problem| Problem(problem.into())).map_err(raised)
}

/// Cities at points: `plane` and `globe` are as the library measures, other words are TSPLIB's.
#[pyfunction]
pub fn from_points(py: Python<'_>, points: PyReadonlyArray2<'_, f64>, metric: &str) -> PyResult<Problem> {
    let (words, columns) = rows(&points)?;
    let two = || words.chunks_exact(2).map(|p| [p[0], p[1]]).collect::<Vec<_>>();
    let three = || words.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>();
    let known = Metric::from_keyword(metric).filter(|metric| metric.dimensions() > 0);
    made(py, || match (metric, known, columns) {
        ("plane", _, 2) => tsp::Instance::from_points(&two()),
        ("plane", _, 3) => tsp::Instance::from_points_3d(&three()),
        ("globe", _, 2) => tsp::Instance::from_lon_lat(&two()),
        (_, Some(Metric::Euc3d), 3) => {
            let points: Vec<DVec3> = three().into_iter().map(DVec3::from_array).collect();
            tsp::Instance::from_coords_3d(format!("{} points", points.len()), &points)
        }
        (_, Some(metric), 2) if metric.dimensions() == 2 => {
            let points: Vec<DVec2> = two().into_iter().map(DVec2::from_array).collect();
            tsp::Instance::from_coords(format!("{} points", points.len()), metric, &points)
        }
        ("plane" | "globe", ..) | (_, Some(_), _) => {
            Err(Error::Instance(format!("metric '{metric}' does not go with {columns} coordinates a city")))
        }
        _ => Err(Error::Config(format!(
            "metric: expected 'plane', 'globe', 'matrix', or TSPLIB's {}, not '{metric}'",
            Metric::keywords().replace(", EXPLICIT", "")
        ))),
    })
}

/// Cities with distances in any unit.
#[pyfunction]
pub fn from_weights(py: Python<'_>, weights: PyReadonlyArray2<'_, f64>) -> PyResult<Problem> {
    let (words, cities) = rows(&weights)?;
    made(py, || tsp::Instance::from_matrix_f64(cities, words))
}

/// Cities with whole distances.
#[pyfunction]
pub fn from_whole_weights(py: Python<'_>, weights: PyReadonlyArray2<'_, i64>) -> PyResult<Problem> {
    let (words, cities) = rows(&weights)?;
    made(py, || tsp::Instance::from_matrix_i64(cities, words))
}

/// Facilities with flows, locations with distances, and what it costs to place each facility at each location; in any unit.
#[pyfunction]
#[pyo3(signature = (flows, distances, placing=None))]
pub fn from_matrices(
    py: Python<'_>,
    flows: PyReadonlyArray2<'_, f64>,
    distances: PyReadonlyArray2<'_, f64>,
    placing: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<Problem> {
    let ((flows, facilities), (distances, locations)) = (rows(&flows)?, rows(&distances)?);
    let placing = placing.map(|costs| rows(&costs)).transpose()?.map(|(costs, _)| costs);
    made(py, || {
        let name = format!("{facilities} facilities");
        qap::Instance::from_matrices_f64(name, [facilities, locations], flows, distances, placing)
    })
}

/// The instance in a file, whose content tells what it is.
#[pyfunction]
pub fn parse(py: Python<'_>, path: PathBuf, metric: &str, weight: Option<&str>) -> PyResult<Problem> {
    let reading = match weight {
        Some(weight) => Reading::from(distances(metric)?).weighed_by(weight),
        None => distances(metric)?.into(),
    };
    made(py, || {
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&path, error))?;
        let name = path.display().to_string();
        myrmex::Problem::parse(&myrmex::decode(bytes, &name)?, &name, reading)
    })
}

/// The instance in a table's text.
#[pyfunction]
pub fn parse_text(py: Python<'_>, text: &str, metric: &str) -> PyResult<Problem> {
    let distances = distances(metric)?;
    made(py, || myrmex::Problem::parse(text, "table", distances))
}

/// What files are measured by.
fn distances(metric: &str) -> PyResult<Distances> {
    match metric {
        "stated" => Ok(Distances::Stated),
        "plane" => Ok(Distances::Plane),
        "globe" => Ok(Distances::Globe),
        _ => Err(invalid(format!("metric: expected 'plane' or 'globe' for a file, not '{metric}'"))),
    }
}
