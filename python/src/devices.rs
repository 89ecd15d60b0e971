//! The devices of this machine, and the words that choose one.

use myrmex::{Error, Result, Target};
use pyo3::prelude::*;

use crate::errors::raised;

/// The GPUs of this machine as JSON: those of wgpu, then those of CUDA.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<String> {
    let found = py.detach(|| [myrmex::devices(), myrmex::backend::cuda::list()].concat());
    json(&found)
}

/// A value as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| raised(Error::Config(format!("cannot be told as JSON: {error}"))))
}

/// Where to run: `auto`, `cpu`, `wgpu` or `cuda`, the last two with `:` and an index or a part of the device's name where one is chosen.
pub fn target(words: &str) -> Result<Target> {
    let (backend, choice) = match words.split_once(':') {
        Some((backend, choice)) => (backend, Some(choice.to_owned())),
        None => (words, None),
    };
    match (backend, choice) {
        ("auto", None) => Ok(Target::Auto),
        ("cpu", None) => Ok(Target::Cpu),
        ("wgpu", choice) => Ok(Target::Wgpu(choice)),
        ("cuda", choice) => Ok(Target::Cuda(choice)),
        _ => Err(Error::Config(format!(
            "device: expected 'auto', 'cpu', 'wgpu', 'cuda', or one of the last two with an index or a part of a name, as in 'wgpu:0' or \
             'cuda:H100', not '{words}'"
        ))),
    }
}
