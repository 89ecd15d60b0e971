//! Kernels that a device has compiled, each once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use web_time::Instant;

use super::{Access, KernelSpec};
use crate::error::Result;

/// What tells compiled kernels apart: source, constants, and which buffers are read only.
type Key = (String, Vec<(&'static str, u32)>, Vec<Access>);
/// A compiled kernel, locked while it is being compiled.
type Slot<T> = Arc<Mutex<Option<T>>>;

/// The most kernels that are kept: an application may solve instances of more and more sizes on one device.
const MOST: usize = 512;

/// The kernels of type `T` that a device has compiled; clones share them. When they become too many, all are dropped except those in use.
#[derive(Debug)]
pub(super) struct Ready<T>(Arc<Mutex<HashMap<Key, Slot<T>>>>);

impl<T> Default for Ready<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Ready<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Ready<T> {
    /// The kernel for `spec`; `compile` makes it when there is none. While another thread compiles it, this one waits.
    ///
    /// # Errors
    /// Those of `compile`. A kernel that failed is compiled again the next time.
    pub fn get(&self, spec: &KernelSpec, compile: impl FnOnce() -> Result<T>) -> Result<T> {
        let accesses = spec.bindings.iter().map(|(_, access)| *access).collect();
        let key = (spec.source.clone(), spec.constants.clone(), accesses);
        // A thread that panicked leaves map and slots in a valid state.
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if slots.len() >= MOST && !slots.contains_key(&key) {
                slots.clear();
            }
            Arc::clone(slots.entry(key).or_default())
        };
        let mut kernel = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernel.as_ref() {
            return Ok(kernel.clone());
        }
        let began = Instant::now();
        let made = compile()?;
        log::debug!("kernel '{}' took {:.3} s to compile", spec.name, began.elapsed().as_secs_f64());
        *kernel = Some(made.clone());
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::BufferId;
    use crate::error::Error;

    fn spec(source: &str, lanes: u32, access: Access) -> KernelSpec {
        KernelSpec {
            name: "kernel",
            source: source.to_owned(),
            constants: vec![("LANES", lanes)],
            params: Vec::new(),
            bindings: vec![(BufferId(0), access)],
            workgroup_bytes: 0,
            units_per_workgroup: 1,
            twin: |_| {},
        }
    }

    #[test]
    fn each_kernel_is_compiled_once_whoever_asks() {
        let ready = Ready::default();
        let specs = [
            spec("a", 32, Access::Read),
            spec("b", 32, Access::Read),
            spec("a", 64, Access::Read),
            spec("a", 32, Access::Write),
        ];
        let compiled = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (number, spec) in specs.iter().enumerate() {
                        let make = || {
                            compiled.lock().unwrap().push(number);
                            Ok(number)
                        };
                        assert_eq!(ready.clone().get(spec, make).unwrap(), number);
                    }
                });
            }
        });
        let mut compiled = compiled.into_inner().unwrap();
        compiled.sort_unstable();
        assert_eq!(compiled, [0, 1, 2, 3]);
    }

    #[test]
    fn too_many_kernels_are_let_go() {
        let ready = Ready::default();
        for lanes in 0..=MOST as u32 {
            ready.get(&spec("a", lanes, Access::Read), || Ok(lanes)).unwrap();
        }
        assert_eq!(ready.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn a_kernel_that_was_not_made_is_tried_again() {
        let ready = Ready::default();
        let spec = spec("a", 32, Access::Read);
        assert!(ready.get(&spec, || Err::<u32, _>(Error::Config(String::new()))).is_err());
        assert_eq!(ready.get(&spec, || Ok(7)).unwrap(), 7);
    }
}
