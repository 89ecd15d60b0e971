//! Finding adapters and opening devices.

use std::sync::{Arc, LazyLock, OnceLock};

use serde::Serialize;

use super::pipeline::{self, Pipeline};
use super::wait::block_on;
use crate::backend::ready::Ready;
use crate::backend::{choice, too_large};
use crate::error::{Error, Result};

/// An adapter as `myrmex devices` lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its place among those of wgpu, or of CUDA, as [`DeviceInfo::word`] has it.
    pub index: usize,
    /// The driver's name for it.
    pub name: String,
    /// `vulkan`, `metal`, `dx12` or `cuda`; in a browser `webgpu`.
    pub api: String,
    /// `discrete GPU`, `integrated GPU`, `virtual GPU`, `software` or `other`.
    pub kind: String,
    /// Driver and its version; of CUDA devices the compute capability.
    pub driver: String,
    /// Largest storage buffer in bytes.
    pub buffer_bytes: u64,
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Smallest and largest subgroup.
    pub subgroup: (u32, u32),
}

impl DeviceInfo {
    /// The word that chooses it, as `myrmex::Target` reads it: `wgpu:0`, `cuda:1`.
    pub fn word(&self) -> String {
        format!("{}:{}", if self.api == "cuda" { "cuda" } else { "wgpu" }, self.index)
    }
}

/// A device with its queue, and what is known about it.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// What it was opened on, unless a host application opened it.
    adapter: Option<wgpu::Adapter>,
    pub(crate) name: String,
    pub(crate) software: bool,
    /// Whether a host application opened it.
    pub(crate) lent: bool,
    /// Why the driver gave the device up, once it has.
    pub(crate) lost: Arc<OnceLock<String>>,
    /// Whether naga bounds the loops of what is compiled.
    pub(super) bounds_loops: bool,
    /// What was compiled for it.
    pub(super) pipelines: Ready<Pipeline>,
}

/// What a buffer begins with.
#[derive(Clone, Copy)]
pub(super) enum Contents<'a> {
    /// These bytes, a multiple of four.
    Bytes(&'a [u8]),
    /// So many bytes of zeros.
    Zeros(u64),
}

/// What is told of a device that is lost.
pub(super) const LOST: &str = "the device was lost; start again, or run on the CPU";

/// Storage buffers that a kernel may have.
const STORAGE_BUFFERS: u32 = 8;

const TIMESTAMPS: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES);

const BACKENDS: wgpu::Backends = wgpu::Backends::VULKAN
    .union(wgpu::Backends::METAL)
    .union(wgpu::Backends::DX12)
    .union(wgpu::Backends::BROWSER_WEBGPU);

/// One instance for the process: a driver allows a few dozen, and dropping the last device does not always free one.
static INSTANCE: LazyLock<wgpu::Instance> = LazyLock::new(|| {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: BACKENDS,
        ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
    })
});

#[cfg(not(target_family = "wasm"))]
fn adapters() -> Vec<wgpu::Adapter> {
    block_on(INSTANCE.enumerate_adapters(BACKENDS))
}

/// The one that a browser offers, where it can be waited for.
#[cfg(target_family = "wasm")]
fn adapters() -> Vec<wgpu::Adapter> {
    if super::Suspension::installed().is_none() {
        return Vec::new();
    }
    let power_preference = wgpu::PowerPreference::HighPerformance;
    let asked = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
    block_on(INSTANCE.request_adapter(&asked)).into_iter().collect()
}

fn describe(index: usize, adapter: &wgpu::Adapter) -> DeviceInfo {
    let info = adapter.get_info();
    let limits = adapter.limits();
    DeviceInfo {
        index,
        name: name_of(&info),
        api: info.backend.to_string().to_lowercase(),
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete GPU",
            wgpu::DeviceType::IntegratedGpu => "integrated GPU",
            wgpu::DeviceType::VirtualGpu => "virtual GPU",
            wgpu::DeviceType::Cpu => "software",
            wgpu::DeviceType::Other => "other",
        }
        .to_owned(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        buffer_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        subgroup: (info.subgroup_min_size, info.subgroup_max_size),
    }
}

/// The driver's name for an adapter; browsers may keep it to themselves.
fn name_of(info: &wgpu::AdapterInfo) -> String {
    if info.name.is_empty() { info.backend.to_string() } else { info.name.clone() }
}

/// The adapters of this machine, in the driver's order.
pub fn list() -> Vec<DeviceInfo> {
    adapters().iter().enumerate().map(|(index, adapter)| describe(index, adapter)).collect()
}

/// The indices of all adapters that are hardware. Where a machine has them through several interfaces, one counts: that of the most
/// capable adapter.
pub fn hardware() -> Vec<usize> {
    let found: Vec<wgpu::AdapterInfo> = adapters().iter().map(wgpu::Adapter::get_info).collect();
    let usable = || found.iter().enumerate().filter(|(_, info)| rank(info.device_type) > 0);
    let Some((_, best)) = usable().rev().max_by_key(|(_, info)| rank(info.device_type)) else { return Vec::new() };
    usable().filter(|(_, info)| info.backend == best.backend).map(|(index, _)| index).collect()
}

/// How much an adapter is worth when none was named.
fn rank(kind: wgpu::DeviceType) -> u32 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 4,
        wgpu::DeviceType::IntegratedGpu => 3,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 1,
        wgpu::DeviceType::Cpu => 0,
    }
}

/// The number of the adapter that is chosen: by its number or a part of its name, else the best one.
fn chosen(found: &[wgpu::Adapter], choice: Option<&str>, software: bool) -> Result<usize> {
    let names = || {
        let lines = found.iter().enumerate().map(|(i, adapter)| format!("wgpu:{i}: {}", adapter.get_info().name));
        lines.collect::<Vec<_>>().join("; ")
    };
    if found.is_empty() {
        let hint = if cfg!(target_family = "wasm") {
            "the browser offers none by WebGPU, or cannot suspend WebAssembly (JSPI) to wait for it; use another browser or the CPU backend"
        } else {
            "no Vulkan, Metal or DX12 adapter was found; install a driver or use the CPU backend"
        };
        return Err(Error::NoAdapter(hint.into()));
    }
    let Some(choice) = choice else {
        let rank_of = |index: &usize| rank(found[*index].get_info().device_type);
        // The first of the best: `max_by_key` alone would take the last.
        let best = (0..found.len()).filter(|index| software || rank_of(index) > 0).rev().max_by_key(rank_of);
        return best.ok_or_else(|| Error::NoAdapter(format!("there are only software adapters: {}", names())));
    };
    let missing = || {
        Error::NoAdapter(format!("no device has the number '{choice}', or is called so; those known are {}", names()))
    };
    choice::place(choice, found.len(), |at| Some(found[at].get_info().name)).ok_or_else(missing)
}

impl Device {
    /// Opens the adapter with this index or with this text in its name (upper or lower case); without a choice the most
    /// capable one, a software adapter where there is no other.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] when there is none or none fits, [`Error::Device`] when the driver refuses to open it.
    pub fn open(choice: Option<&str>) -> Result<Self> {
        let found = adapters();
        Self::from_adapter(&found[chosen(&found, choice, true)?])
    }

    /// Opens the most capable adapter that is no software.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn open_hardware() -> Result<Self> {
        let found = adapters();
        Self::from_adapter(&found[chosen(&found, None, false)?])
    }

    /// The number of the adapter that [`Device::open`] opens.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub(crate) fn number_of(choice: Option<&str>) -> Result<usize> {
        chosen(&adapters(), choice, true)
    }

    fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        // Kernels that use subgroups are not written as browsers want them.
        let useful = match cfg!(target_family = "wasm") {
            true => wgpu::Features::empty(),
            false => TIMESTAMPS | wgpu::Features::SUBGROUP,
        };
        let opened = block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("myrmex"),
            required_features: adapter.features() & useful,
            required_limits: adapter.limits(),
            ..Default::default()
        }));
        let refused = |error: wgpu::RequestDeviceError| Error::Device {
            device: name_of(&adapter.get_info()),
            message: format!("cannot be opened: {}; choose another device, or the CPU", of_browser(&error.to_string())),
        };
        let (device, queue) = opened.map_err(refused)?;
        let this = Self { lent: false, adapter: Some(adapter.clone()), ..Self::from_existing(device, queue)? };
        let lost = Arc::clone(&this.lost);
        this.device.set_device_lost_callback(move |reason, message| {
            let _ = lost.set(format!("{reason:?}: {message}"));
        });
        // Errors outside every scope would panic by default; the next wait reports this one instead.
        let lost = Arc::clone(&this.lost);
        this.device.on_uncaptured_error(Arc::new(move |error| {
            let _ = lost.set(one_line(&format!("{error}")));
        }));
        Ok(this)
    }

    /// A device and queue that the host application owns. Its callbacks stay the host's: who waits for the device may be the one that calls them, on a thread
    /// of a solver. A device that is lost makes wgpu panic, which a solver catches, unless the application is built to abort then.
    ///
    /// Keep it and clone it into `Target::Existing` for each solver: clones share the kernels that were compiled, which takes a tenth of a second to a second.
    ///
    /// Limits count as the device has them: ask for it with `required_limits: adapter.limits()`, wgpu's defaults stop at 128 MiB a
    /// buffer. Kernel timings need the features `TIMESTAMP_QUERY` and `TIMESTAMP_QUERY_INSIDE_PASSES`; `SUBGROUP` makes
    /// construction faster.
    ///
    /// # Errors
    /// [`Error::Device`] for a device that was asked for with fewer than 8 storage buffers a kernel.
    pub fn from_existing(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        let info = device.adapter_info();
        let buffers = device.limits().max_storage_buffers_per_shader_stage;
        if buffers < STORAGE_BUFFERS {
            let message = format!(
                "kernels have up to {STORAGE_BUFFERS} storage buffers, and the device allows {buffers}; ask for it with required_limits: \
                 adapter.limits()"
            );
            return Err(Error::Device { device: info.name, message });
        }
        let software = info.device_type == wgpu::DeviceType::Cpu;
        Ok(Self {
            device,
            queue,
            adapter: None,
            name: name_of(&info),
            software,
            lent: true,
            lost: Arc::default(),
            bounds_loops: pipeline::bounds_loops(),
            pipelines: Ready::default(),
        })
    }

    /// Lanes of a subgroup, where the device has the feature and they are always as many.
    pub(super) fn subgroup(&self) -> Option<u32> {
        let info = self.device.adapter_info();
        let fixed = info.subgroup_min_size == info.subgroup_max_size;
        let known = self.device.features().contains(wgpu::Features::SUBGROUP) && fixed;
        known.then_some(info.subgroup_min_size).filter(|size| (2..=64).contains(size))
    }

    /// The wgpu device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The adapter that it was opened on; of a device that a host application lends the host knows it.
    pub fn adapter(&self) -> Option<&wgpu::Adapter> {
        self.adapter.as_ref()
    }

    /// The instance that devices are opened with: what has to work with them, such as the surface of a window, is made with it.
    pub fn instance() -> &'static wgpu::Instance {
        &INSTANCE
    }

    /// The adapter's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::Device { device: self.name.clone(), message: one_line(&message.into()) }
    }

    pub(super) fn too_large(&self, what: String, needed: String, limit: String) -> Error {
        too_large(&self.name, what, needed, limit)
    }

    /// A buffer. Contents are written by the queue, since a buffer that is mapped when it is
    /// made panics where the device has been lost.
    pub(super) fn buffer(
        &self,
        label: &str,
        contents: Contents<'_>,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let size = match contents {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Zeros(bytes) => bytes,
        };
        let described = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&described);
        if let Contents::Bytes(bytes) = contents {
            self.upload(&buffer, bytes)?;
        }
        Ok(buffer)
    }

    /// Runs `make` and catches the device's errors; out of memory is reported as too large.
    pub(super) fn guarded<T>(&self, what: &str, make: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        self.check_lost()?;
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let made = make(&self.device);
        let popped = [internal, validation, memory].map(wgpu::ErrorScopeGuard::pop);
        let [internal, validation, memory] = popped.map(block_on);
        match (memory, internal.or(validation)) {
            (None, None) => Ok(made),
            (Some(_), _) => {
                Err(self.too_large(what.to_owned(), "more memory".into(), "what the device has left".into()))
            }
            (_, Some(_)) if self.is_gone() => Err(self.error(LOST)),
            (_, Some(error)) => Err(self.error(format!("{what}: {error}"))),
        }
    }

    /// Whether nothing can be done with it any more: of a device that an application has opened nothing else tells.
    pub(super) fn is_gone(&self) -> bool {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let usage = wgpu::BufferUsages::COPY_DST;
        let described = wgpu::BufferDescriptor { label: Some("any"), size: 16, usage, mapped_at_creation: false };
        self.queue.write_buffer(&self.device.create_buffer(&described), 0, &[0; 16]);
        block_on(scope.pop()).is_some()
    }

    pub(super) fn check_lost(&self) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(reason) => Err(self.error(format!("the device was lost ({reason}); start again, or run on the CPU"))),
        }
    }
}

/// The message alone of an error that wgpu hands on from a browser as `JsValue(NAME: MESSAGE`, with the calls that led to it in further lines; any other
/// text as it is.
fn of_browser(text: &str) -> &str {
    let Some(told) = text.strip_prefix("JsValue(") else { return text };
    let first = told.split_once('\n').map_or_else(|| told.trim_end_matches(')'), |(first, _)| first);
    first.split_once(": ").map_or(first, |(_, message)| message).trim_end_matches('.')
}

/// A message without line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_error_of_a_browser_its_message_is_told() {
        let thrown =
            "JsValue(OperationError: no device (today).\nOperationError: no device (today).\n    at f (worker.js:3:9))";
        assert_eq!(of_browser(thrown), "no device (today)");
        assert_eq!(of_browser("JsValue(undefined)"), "undefined");
        assert_eq!(of_browser("Not enough memory left."), "Not enough memory left.");
    }
}
