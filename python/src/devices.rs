//! The devices of this machine, and the words that choose one.

use myrmex::Error;
use pyo3::prelude::*;

use crate::errors::raised;

/// The GPUs of this machine as JSON: those of wgpu, then those of CUDA.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<String> {
    let found = py.detach(myrmex::devices);
    json(&found)
}

/// A value as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| raised(Error::Config(format!("cannot be told as JSON: {error}"))))
}
