//! Compiled kernels.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, sys};
use cudarc::nvrtc;

use super::device::CudaDevice;
use super::ptx::{self, Indices, Ptx};
use crate::backend::KernelSpec;
use crate::error::{Error, Result};

/// Invocations a workgroup may have.
pub(super) const MOST_LANES: u32 = 1024;
/// Checks take up to a tenth of a kernel's time (`docs/results/2026-11-kernel-cuda.md`).
pub(super) const INDICES: Indices = if cfg!(debug_assertions) { Indices::Checked } else { Indices::Trusted };
/// Bytes of workgroup memory that a kernel has without being granted more.
const GRANTED_BYTES: u32 = 48 << 10;

/// A compiled kernel, and what its translation says about it.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub ptx: Arc<Ptx>,
    pub function: CudaFunction,
    /// Workgroups that a processor has room for at a time.
    pub resident: u32,
}

/// The compiled kernel for `spec`, as the device has it or made now.
pub(super) fn ready(device: &CudaDevice, spec: &KernelSpec) -> Result<Module> {
    check_workgroup(device, spec, spec.workgroup_bytes)?;
    device.modules.get(spec, || compile(device, spec))
}

/// Checks that a workgroup of a kernel has room for what it needs.
fn check_workgroup(device: &CudaDevice, spec: &KernelSpec, bytes: u32) -> Result<()> {
    let limit = device.workgroup_bytes;
    if bytes <= limit {
        return Ok(());
    }
    let what = format!("workgroup memory of kernel '{}'", spec.name);
    Err(device.too_large(what, format!("{bytes} bytes"), format!("{limit} bytes")))
}

fn compile(device: &CudaDevice, spec: &KernelSpec) -> Result<Module> {
    let ptx = ptx::translate(spec.name, &spec.source, &spec.constants, device.options).map_err(|message| {
        let message = format!("kernel '{}' in PTX: {message}", spec.name);
        Error::Device { device: device.name().to_owned(), message }
    })?;
    if ptx.lanes > MOST_LANES {
        let what = format!("a workgroup of kernel '{}'", spec.name);
        return Err(device.too_large(what, ptx.lanes.to_string(), MOST_LANES.to_string()));
    }
    // The translation rounds variables up.
    check_workgroup(device, spec, ptx.workgroup_bytes)?;
    let what = format!("kernel '{}'", spec.name);
    let said = |error| device.error(&what, error);
    let module = device.context.load_module(nvrtc::Ptx::from_src(ptx.text.as_str())).map_err(said)?;
    let function = module.load_function(spec.name).map_err(said)?;
    if ptx.workgroup_bytes > GRANTED_BYTES {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(attribute, ptx.workgroup_bytes as i32).map_err(said)?;
    }
    let bytes = ptx.workgroup_bytes as usize;
    let resident = function.occupancy_max_active_blocks_per_multiprocessor(ptx.lanes, bytes, None).map_err(said)?;
    Ok(Module { ptx: Arc::new(ptx), function, resident })
}
