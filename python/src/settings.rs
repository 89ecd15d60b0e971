//! Names and values to settings, and lists of what there is.

use std::collections::BTreeMap;

use myrmex::settings::{AskedFor, Request, Value};
use myrmex::{Algorithm, Error, PRESETS, Problem, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::devices::json;
use crate::errors::{invalid, raised};

/// Names and values in the order in which they were given.
pub type Pairs<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// What was asked for: the settings, and what reports tell of them.
pub struct Asked {
    pub settings: Settings,
    pub asked_for: AskedFor,
}

impl Asked {
    /// What `pairs` ask for on a problem, for a run that ends after so many iterations where there is a number.
    pub fn of(py: Python<'_>, problem: &Problem, pairs: &Pairs<'_>, iterations: Option<u32>) -> PyResult<Self> {
        let named = pairs.iter().map(|(name, value)| Ok((name.as_str(), value_of(name, value)?)));
        let pairs: Vec<(&str, Value)> = named.collect::<PyResult<_>>()?;
        let (settings, asked_for) = py
            .detach(|| {
                let request = Request::of(pairs)?;
                let settings = request.settings(problem)?.for_iterations(iterations);
                Ok((settings, request.asked_for(&settings)))
            })
            .map_err(raised)?;
        Ok(Self { settings, asked_for })
    }
}

fn value_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Err(invalid(format!("{name}: expected a number or a word, not {value}")));
    }
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(Value::Word(word.to_string()));
    }
    let is_real = value.is_instance_of::<PyFloat>();
    if !is_real && (value.is_instance_of::<PyInt>() || value.hasattr("__index__")?) {
        let whole = value.extract::<u64>();
        return whole
            .map(Value::Whole)
            .map_err(|_| invalid(format!("{name}: expected a whole number from 0 to {}, not {value}", u64::MAX)));
    }
    match value.extract::<f64>() {
        Ok(real) if real.is_finite() => Ok(Value::Real(real)),
        _ => Err(invalid(format!("{name}: expected a number or a word, not {}", value.repr()?))),
    }
}

/// The algorithms as JSON.
#[pyfunction]
pub fn algorithms() -> PyResult<String> {
    let all = Algorithm::NAMES.iter().filter_map(|name| Algorithm::named(name));
    let told = |algorithm: Algorithm| BTreeMap::from([("name", algorithm.name()), ("summary", algorithm.summary())]);
    json(&all.map(told).collect::<Vec<_>>())
}

/// The parameters of an algorithm as JSON.
#[pyfunction]
pub fn parameters(algorithm: &str) -> PyResult<String> {
    let found = Algorithm::named(algorithm).ok_or_else(|| {
        let names = Algorithm::NAMES.join(", ");
        raised(Error::Config(format!("there is no algorithm '{algorithm}'; choose one of {names}")))
    })?;
    json(&found.parameters())
}

/// The presets as JSON.
#[pyfunction]
pub fn presets() -> PyResult<String> {
    json(&PRESETS)
}
