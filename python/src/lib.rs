//! The extension module behind the Python package `myrmex`: arrays to instances, names and values to settings, and runs on a thread of
//! their own while the interpreter goes on. What users see of it is in `python/package/myrmex`.
#![deny(unsafe_code)]

mod devices;
mod drive;
mod errors;
mod make;
mod many;
mod problem;
mod settings;
mod solve;
mod solver;

use pyo3::prelude::*;

/// The module.
#[pymodule]
mod _myrmex {
    #[pymodule_export]
    use super::devices::devices;
    #[pymodule_export]
    use super::make::{from_matrices, from_points, from_weights, from_whole_weights, parse, parse_text};
    #[pymodule_export]
    use super::many::solve_many;
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::settings::{algorithms, parameters, presets};
    #[pymodule_export]
    use super::solve::solve;
    #[pymodule_export]
    use super::solver::Solver;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEFAULT_ROUNDS", myrmex::Stop::DEFAULT_ROUNDS)?;
        module.add("DEFAULT_TIME", myrmex::Stop::DEFAULT_TIME.as_secs_f64())
    }
}
