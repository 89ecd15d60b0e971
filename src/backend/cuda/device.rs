//! Finding and opening NVIDIA devices.
#![allow(unsafe_code, reason = "NVIDIA's driver is called")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::{CudaContext, DriverError, result, sys};

use super::current::{Before, Restored};
use super::module::{INDICES, Module};
use super::ptx::Options;
use crate::backend::ready::Ready;
use crate::backend::wgpu::DeviceInfo;
use crate::backend::{Processors, choice, too_large};
use crate::error::{Error, Result};

/// The oldest compute capability (its first number) that kernels run on.
const OLDEST: i32 = 7;

/// An NVIDIA device, opened through CUDA's driver.
#[derive(Clone, Debug)]
pub struct CudaDevice {
    pub(super) context: Arc<CudaContext>,
    name: String,
    /// How its kernels are translated.
    pub(super) options: Options,
    /// Bytes of workgroup memory that a kernel may ask for.
    pub(super) workgroup_bytes: u32,
    /// Bytes of device memory.
    pub(super) memory_bytes: u64,
    /// What was compiled for it.
    pub(super) modules: Ready<Module>,
    /// Backends that have kernels.
    at_work: Arc<AtomicU32>,
    /// Behind all that lets go of the context.
    restored: Restored,
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        self.restored.note();
    }
}

/// A backend that has kernels.
pub(super) struct AtWork(Arc<AtomicU32>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many devices the driver has; none without a driver.
fn count() -> Result<usize> {
    let driver =
        || Error::NoAdapter("no CUDA driver was found; use the wgpu backend, or install NVIDIA's driver".into());
    // SAFETY: looks for the driver's library and opens it, as every later call does.
    if !unsafe { sys::is_culib_present() } {
        return Err(driver());
    }
    let found = result::init().and_then(|()| CudaContext::device_count());
    found.map(|count| count as usize).map_err(|error| Error::NoAdapter(format!("CUDA's driver says: {}", told(error))))
}

/// The NVIDIA devices of this machine; none without a driver.
pub fn list() -> Vec<DeviceInfo> {
    let indices = 0..count().unwrap_or_default();
    indices.filter_map(|index| CudaDevice::at(index).ok().map(|device| device.info(index))).collect()
}

/// The indices of the devices that kernels run on; none without a driver.
pub fn usable() -> Vec<usize> {
    let major = |index: usize| {
        let device = result::device::get(i32::try_from(index).ok()?).ok()?;
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        // SAFETY: the driver has just handed the device out.
        unsafe { result::device::get_attribute(device, attribute) }.ok()
    };
    (0..count().unwrap_or_default()).filter(|&index| major(index).is_some_and(|major| major >= OLDEST)).collect()
}

impl CudaDevice {
    /// Opens the device with this index or with this text in its name (upper or lower case); without a choice the first.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] when there is no driver, no device, or none fits; [`Error::Device`] when it does not open.
    pub fn open(choice: Option<&str>) -> Result<Self> {
        Self::at(Self::number_of(choice)?)
    }

    /// The number of the device that [`CudaDevice::open`] opens.
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
    pub(crate) fn number_of(choice: Option<&str>) -> Result<usize> {
        let count = count()?;
        if count == 0 {
            return Err(Error::NoAdapter("CUDA's driver knows no device".into()));
        }
        let Some(choice) = choice else { return Ok(0) };
        let missing = || {
            Error::NoAdapter(format!(
                "no CUDA device has the number '{choice}', or is called so; there are {count}, from 0 on"
            ))
        };
        choice::place(choice, count, |at| Self::at(at).ok().map(|one| one.name.clone())).ok_or_else(missing)
    }

    /// Counts a backend among those that have kernels, until what comes back is dropped.
    pub(super) fn begins_work(&self) -> AtWork {
        self.at_work.fetch_add(1, Ordering::Relaxed);
        AtWork(Arc::clone(&self.at_work))
    }

    /// Whether several backends have kernels, so that they may run at the same time.
    pub(super) fn is_shared(&self) -> bool {
        self.at_work.load(Ordering::Relaxed) > 1
    }

    /// Its number among those of the driver.
    pub(crate) fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    fn at(index: usize) -> Result<Self> {
        let _before = Before::now();
        let opened = || -> Result<Self, DriverError> {
            let context = CudaContext::new(index)?;
            // SAFETY: every buffer belongs to one backend, which uses it on its own stream alone; so no event has to order its uses.
            unsafe { context.disable_event_tracking() };
            let (major, minor) = context.compute_capability()?;
            let shared = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
            let of_all = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR;
            let lanes = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
            let registers = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR;
            let count = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
            Ok(Self {
                name: context.name()?,
                options: Options {
                    capability: major.unsigned_abs() * 10 + minor.unsigned_abs(),
                    indices: INDICES,
                    processors: Processors {
                        count: context.attribute(count)?.unsigned_abs(),
                        workgroup_bytes: context.attribute(of_all)?.unsigned_abs(),
                    },
                    lanes: context.attribute(lanes)?.unsigned_abs(),
                    registers: context.attribute(registers)?.unsigned_abs(),
                },
                workgroup_bytes: context.attribute(shared)?.unsigned_abs(),
                memory_bytes: context.total_mem()? as u64,
                context,
                modules: Ready::default(),
                at_work: Arc::default(),
                restored: Restored::default(),
            })
        };
        let device = opened().map_err(|error| Error::Device {
            device: format!("CUDA device {index}"),
            message: format!("cannot be opened: {}", told(error)),
        })?;
        if device.options.capability < 10 * OLDEST.unsigned_abs() {
            let (major, minor) = (device.options.capability / 10, device.options.capability % 10);
            return Err(Error::NoAdapter(format!(
                "{} has compute capability {major}.{minor}, the kernels need 7.0; use the wgpu backend",
                device.name
            )));
        }
        Ok(device)
    }

    fn info(&self, index: usize) -> DeviceInfo {
        DeviceInfo {
            index,
            name: self.name.clone(),
            api: "cuda".into(),
            kind: "discrete GPU".into(),
            driver: format!("compute capability {}.{}", self.options.capability / 10, self.options.capability % 10),
            buffer_bytes: self.memory_bytes,
            workgroup_bytes: self.workgroup_bytes,
            subgroup: (32, 32),
        }
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn error(&self, what: &str, error: DriverError) -> Error {
        Error::Device { device: self.name.clone(), message: format!("{what}: {}", told(error)) }
    }

    pub(super) fn too_large(&self, what: String, needed: String, limit: String) -> Error {
        too_large(&self.name, what, needed, limit)
    }
}

/// What the driver says, in a line.
fn told(error: DriverError) -> String {
    let name = format!("{:?}", error.0);
    match error.error_string() {
        Ok(text) => format!("{} ({name})", text.to_string_lossy()),
        Err(_) => name,
    }
}
