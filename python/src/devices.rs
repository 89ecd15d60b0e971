//! The devices of this machine, the words that choose one, and the threads of a run.

use std::num::NonZeroUsize;
use std::sync::Arc;

use myrmex::{Error, Result, STACK_BYTES, Target};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::raised;

/// The most threads for each processor.
const A_PROCESSOR: usize = 4;

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

/// Where work is done, as Python says it.
#[derive(FromPyObject)]
pub struct Where {
    device: String,
    threads: Option<NonZeroUsize>,
}

impl Where {
    /// The device, and the threads of the run.
    pub fn found(&self) -> PyResult<(Target, Threads)> {
        let target = self.device.parse().map_err(raised)?;
        Ok((target, Threads::of(self.threads).map_err(raised)?))
    }
}

/// Threads of a run alone: those that all runs share are made once, as many as there are processors or as the environment asks for.
#[derive(Clone)]
pub struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// As many as asked for, up to four for each processor; without a number those that all runs share.
    fn of(count: Option<NonZeroUsize>) -> Result<Self> {
        let Some(count) = count else { return Ok(Self(None)) };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = count.get().min(A_PROCESSOR * processors);
        let built = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
        built.map(|pool| Self(Some(Arc::new(pool)))).map_err(|error| Error::Threads(error.to_string()))
    }

    /// Does work on them.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
