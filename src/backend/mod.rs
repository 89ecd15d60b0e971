//! Where kernels run: one trait at the level of buffers and kernels, which knows nothing of ants.
//!
//! A kernel works on *units* (ants, cities), a workgroup on one of them or on a few. A [`Call`] runs a kernel over a range
//! of units, so that the caller can cut work into dispatches of any length without changing results.

use std::ops::Range;

use web_time::Instant;

use crate::error::{Error, Result};

mod choice;
mod clock;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod kind;
mod ready;
mod samples;
mod twin;
pub mod wgpu;

pub use clock::Clock;
pub use cpu::CpuBackend;
pub(crate) use cpu::processor;
pub use kind::BackendKind;
pub use twin::{Twin, TwinCall, atomics};

/// The GPUs of this machine: those of Vulkan, Metal or DX12, software adapters too, and behind these, with the feature `cuda`, those of CUDA; one that has both
/// stands twice. [`wgpu::DeviceInfo::word`] chooses one.
pub fn devices() -> Vec<wgpu::DeviceInfo> {
    let found = wgpu::list();
    #[cfg(feature = "cuda")]
    let found = [found, cuda::list()].concat();
    found
}

/// A buffer of 32-bit words on a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferId(pub(crate) usize);

/// A kernel made ready on a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) usize);

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It only reads.
    Read,
    /// It reads and writes.
    Write,
}

/// A kernel as data: everything a backend needs to make it ready.
#[derive(Clone, Debug)]
pub struct KernelSpec {
    /// The kernel's name: that of its WGSL file, its Rust module, its pipeline and its timing row.
    pub name: &'static str,
    /// Composed WGSL with the entry point `main`.
    pub source: String,
    /// Values of the pipeline-overridable constants.
    pub constants: Vec<(&'static str, u32)>,
    /// The parameter block, bound as uniform at binding 0.
    pub params: Vec<u8>,
    /// Storage buffers, bound from binding 2 on in this order.
    pub bindings: Vec<(BufferId, Access)>,
    /// Workgroup memory the kernel declares, in bytes.
    pub workgroup_bytes: u32,
    /// Units that one workgroup works on, at least 1.
    pub units_per_workgroup: u32,
    /// The same kernel on the CPU.
    pub twin: Twin,
}

/// One call of a kernel over a range of units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which kernel.
    pub kernel: KernelId,
    /// Which units.
    pub units: Range<u32>,
}

/// What a backend's device can do, as far as plans depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The device's name.
    pub device: String,
    /// Whether many invocations run in lock step at little cost, as on a GPU: a software adapter runs 8.
    pub wide: bool,
    /// Lanes of a subgroup, where kernels may use subgroups and all have the same number.
    pub subgroup: Option<u32>,
    /// Whether to ask another lane of the subgroup is as quick as workgroup memory. (On the H200 it is in CUDA; through Vulkan it takes
    /// three times as long.)
    pub quick_exchange: bool,
    /// Whether invocations of a subgroup that took branches of their own are surely together again at the next subgroup operation. Vulkan
    /// promises no such thing.
    pub converges: bool,
    /// Words that an invocation of the largest workgroup may have for itself; what registers do not hold goes through the first-level cache.
    pub own_words: u32,
    /// Bytes of workgroup memory a kernel may declare.
    pub workgroup_bytes: u32,
    /// The processors that workgroups share, where the device says so.
    pub processors: Option<Processors>,
    /// Whether it is a GPU with at least [`LARGE`] processors.
    pub large: bool,
    /// Invocations a workgroup may have.
    pub workgroup_invocations: u32,
    /// Bytes a storage buffer may have.
    pub buffer_bytes: u64,
    /// Bytes that all buffers together may have, where the device says so.
    pub memory_bytes: Option<u64>,
    /// Loop turns an invocation may spend in one dispatch.
    pub loop_budget: u32,
    /// Whether kernels end their work in one call however long it is, unless [`Backend::run_until`] interrupts it (true of the CPU twins).
    pub unbounded_calls: bool,
}

/// Processors of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// How many.
    pub count: u32,
    /// Bytes of workgroup memory of each, for all its workgroups.
    pub workgroup_bytes: u32,
}

impl Processors {
    /// Bytes that the driver takes for each workgroup.
    const DRIVER: u32 = 1024;

    /// Workgroups with `bytes` of memory that each has room for at the same time.
    pub fn room(&self, bytes: u32) -> u32 {
        self.workgroup_bytes / (bytes + Self::DRIVER)
    }

    /// The share of its workgroup memory, in percent, that a processor needs for its part of so many workgroups with `bytes` of it.
    pub fn share(&self, workgroups: u32, bytes: u32) -> u32 {
        let needed = u64::from(workgroups.div_ceil(self.count)) * u64::from(bytes + Self::DRIVER);
        (100 * needed).div_ceil(u64::from(self.workgroup_bytes)).min(100) as u32
    }

    /// Whether so many workgroups with `bytes` of memory run at the same time.
    pub fn hold(&self, workgroups: usize, bytes: u32) -> bool {
        self.room(bytes) as usize * self.count as usize >= workgroups
    }
}

/// The fewest processors of a GPU that counts as large.
pub const LARGE: u32 = 100;

impl Capabilities {
    /// Lanes of a subgroup, where a workgroup of `lanes` consists of whole subgroups.
    pub(crate) fn subgroup_of(&self, lanes: u32) -> Option<u32> {
        self.subgroup.filter(|size| lanes.is_multiple_of(*size))
    }

    /// How many elements arrays in workgroup memory are declared with, where `count` are needed and `bytes` tells what they take. A kernel is compiled for each
    /// length: on a processor, to which workgroup memory is memory as any other, it is the next power of two if that fits, so that sizes share a kernel.
    pub(crate) fn array_length(&self, count: usize, bytes: impl Fn(usize) -> u32) -> usize {
        let more = count.next_power_of_two();
        if self.wide || bytes(more) > self.workgroup_bytes { count } else { more }
    }
}

/// The error for what a device cannot hold.
pub(crate) fn too_large(device: &str, what: String, needed: String, limit: String) -> Error {
    let remedy = "use a smaller instance, fewer ants or candidates, another device, or the CPU backend".into();
    Error::TooLarge { device: device.to_owned(), what, needed, limit, remedy }
}

/// Time spent in one kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct KernelTiming {
    /// The kernel's name.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// Milliseconds on the device over all calls. On a GPU some calls of a submission are timed and stand for the others: together they take the
    /// submission's time.
    pub ms: f64,
}

/// Compiles a kernel on any thread, so that [`Backend::kernel`] finds it compiled. The buffers of the specification need not exist.
pub type Preparer = Box<dyn Fn(&KernelSpec) -> Result<()> + Send + Sync>;

/// A device that holds buffers and runs kernels.
///
/// A kernel trusts the indices that its buffers hold. The CPU's twins and wgpu check them; without debug assertions the CUDA backend does
/// not, so that making one is unsafe (`CudaBackend::new`) and so is a look into a solver (`Solver::colonies`).
pub trait Backend: Send {
    /// What it is of.
    fn kind(&self) -> BackendKind;

    /// What the device can do.
    fn capabilities(&self) -> &Capabilities;

    /// Another backend on the same device, with no buffers and kernels.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device is lost.
    fn fresh(&self) -> Result<Box<dyn Backend>>;

    /// Makes a buffer of `contents.len()` words holding `contents`.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] or [`crate::Error::Device`] when the device refuses.
    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId>;

    /// Makes a buffer of `words` zeros.
    ///
    /// # Errors
    /// As [`Backend::buffer_with`].
    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId>;

    /// What compiles kernels beforehand; `None` where that would save nothing.
    fn preparer(&self) -> Option<Preparer> {
        None
    }

    /// Makes a kernel ready. Kernels are numbered from 0 in the order in which they are made.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] for workgroup memory or invocations beyond the device's limits,
    /// [`crate::Error::Device`] when the device refuses the shader.
    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId>;

    /// Lets a driver that compiles kernels when they first run do that now, for all that were made. No unit is worked on.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn rehearse(&mut self) -> Result<()> {
        Ok(())
    }

    /// Runs `calls` in order and waits until they are done. Each call sees what the ones before it wrote.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device is lost or refuses.
    fn run(&mut self, calls: &[Call]) -> Result<()>;

    /// Runs `calls` in order as [`Backend::run`] does, but may return soon after `until`: how many of them are done. The next one may be
    /// done in part; when it is handed over again it goes on from there. A backend whose calls are short anyway runs them all.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn run_until(&mut self, calls: &[Call], _until: Instant) -> Result<usize> {
        self.run(calls)?;
        Ok(calls.len())
    }

    /// Reads words of a buffer.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>>;

    /// Overwrites the first `contents.len()` words of a buffer.
    ///
    /// # Errors
    /// As [`Backend::run`].
    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()>;

    /// Time spent in each kernel so far; empty where the device has no timestamps.
    fn timings(&self) -> Vec<KernelTiming>;
}

#[cfg(test)]
mod tests {
    use super::{Backend, Capabilities, CpuBackend, Processors};

    #[test]
    fn arrays_of_processors_are_powers_of_two_where_these_fit() {
        let processor = Capabilities { workgroup_bytes: 4096, ..CpuBackend::new().capabilities().clone() };
        let length = |device: &Capabilities, count| device.array_length(count, |count| 4 * count as u32);
        assert_eq!(
            [1, 150, 256, 600, 1025, 2000].map(|count| length(&processor, count)),
            [1, 256, 256, 1024, 1025, 2000]
        );
        let gpu = Capabilities { wide: true, ..processor };
        assert_eq!([150, 600].map(|count| length(&gpu, count)), [150, 600]);
    }

    #[test]
    fn processors_share_workgroups() {
        let processors = Processors { count: 132, workgroup_bytes: 228 << 10 };
        assert_eq!((processors.room(20 << 10), processors.room(56 << 10)), (10, 4));
        assert!(processors.hold(1320, 20 << 10) && !processors.hold(1321, 20 << 10));
        // One each, of 15 KiB in 228; seven of 21; more than there is room for.
        assert_eq!(
            [(92, 14), (800, 20), (4000, 20)].map(|(count, kib)| processors.share(count, kib << 10)),
            [7, 65, 100]
        );
    }
}
