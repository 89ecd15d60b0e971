//! The CUDA backend: the same kernels in PTX, on NVIDIA's driver, which is looked for at run time.
//!
//! What it offers beyond Vulkan: more workgroup memory, launches that cost less, reductions inside a subgroup without a
//! feature to ask for.
#![allow(unsafe_code, reason = "NVIDIA's driver is called")]

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, result, sys};

use super::samples::{self, MARKS, Samples};
use super::{Backend, BackendKind, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming, LARGE, Preparer};
use crate::error::Result;

mod current;
mod device;
mod module;
pub mod ptx;

use current::{Before, Restored};
use device::AtWork;
pub use device::{CudaDevice, list, usable};
use module::{INDICES, MOST_LANES, Module};
use ptx::{Indices, Ptx};

/// Loop turns an invocation may spend in one launch, as on any GPU: a run looks at its stop rules between launches.
const LOOP_BUDGET: u32 = 250_000;
/// Bytes of a buffer: kernels count its words in 32 bits.
const MOST_BYTES: u64 = (1 << 34) - 4;
/// The binding of a kernel's first storage buffer.
const FIRST_BUFFER: usize = 2;

/// Runs kernels in PTX on an NVIDIA device.
pub struct CudaBackend {
    device: CudaDevice,
    /// Its own, so that backends on one device work side by side.
    stream: Arc<CudaStream>,
    capabilities: Capabilities,
    /// What a kernel sets that used an index beyond the end of an array, where this is checked.
    fault: CudaSlice<u32>,
    buffers: Vec<CudaSlice<u32>>,
    kernels: Vec<Kernel>,
    /// Since the first of them.
    at_work: Option<AtWork>,
    events: Vec<CudaEvent>,
    /// Behind all launches of a submission that runs beside others: a thread that waits for it sleeps.
    end: CudaEvent,
    samples: Samples,
    timings: Vec<KernelTiming>,
    /// Behind all that lets go of the context.
    restored: Restored,
}

impl Drop for CudaBackend {
    fn drop(&mut self) {
        self.restored.note();
    }
}

/// Bytes of workgroup memory up to which the driver is left to say how much of its memory a processor uses so: it then leaves the rest
/// to the first-level cache. Kernels that hold tours say what their workgroups need when all run at a time.
const LITTLE_BYTES: u32 = 4096;
/// What the driver takes for a share that it is to say itself.
const ITS_OWN: i32 = -1;
/// The share that all kernels ask for where several backends work side by side: a processor runs workgroups of two kernels at a time only
/// where it is the same for both, and has room for both.
const SHARED: u32 = 35;

struct Kernel {
    function: CudaFunction,
    units_per_workgroup: u32,
    lanes: u32,
    workgroup_bytes: u32,
    /// Workgroups that a processor runs at a time.
    resident: u32,
    /// The share of a processor's memory, in percent, that it has asked for: the first-level cache has the rest. Not known before its first launch here:
    /// another backend on the device may have asked for the same function.
    share: Option<i32>,
    /// The argument block, in words so that it is aligned; the first is the units of a call, the second the address of the fault word.
    arguments: Vec<u64>,
}

impl CudaBackend {
    /// A backend on `device`.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the driver refuses.
    ///
    /// # Safety
    /// Without debug assertions no index of a kernel is checked on the device. So whoever makes a backend vouches for all that it and those
    /// made of it ([`Backend::fresh`]) are given: kernels that keep within their buffers for the words that these hold, and calls over units
    /// that the buffers have room for.
    ///
    /// Who does not promise that gets no backend, so that no kernel of theirs runs unchecked:
    ///
    /// ```no_run
    /// use myrmex::backend::{Backend, KernelSpec, cuda::{CudaBackend, CudaDevice}};
    ///
    /// fn takes(spec: KernelSpec) -> myrmex::Result<()> {
    ///     let mut backend = unsafe { CudaBackend::new(CudaDevice::open(None)?) }?;
    ///     backend.kernel(spec).map(drop)
    /// }
    /// ```
    ///
    /// ```compile_fail,E0133
    /// use myrmex::backend::{Backend, KernelSpec, cuda::{CudaBackend, CudaDevice}};
    ///
    /// fn takes(spec: KernelSpec) -> myrmex::Result<()> {
    ///     let mut backend = CudaBackend::new(CudaDevice::open(None)?)?;
    ///     backend.kernel(spec).map(drop)
    /// }
    /// ```
    ///
    /// ```compile_fail,E0624
    /// use myrmex::backend::{Backend, KernelSpec, cuda::{CudaBackend, CudaDevice}};
    ///
    /// fn takes(spec: KernelSpec) -> myrmex::Result<()> {
    ///     let mut backend = CudaBackend::trusted(CudaDevice::open(None)?)?;
    ///     backend.kernel(spec).map(drop)
    /// }
    /// ```
    pub unsafe fn new(device: CudaDevice) -> Result<Self> {
        Self::trusted(device)
    }

    /// The same, for whom [`CudaBackend::new`] was called with a promise.
    fn trusted(device: CudaDevice) -> Result<Self> {
        let _before = Before::now();
        let capabilities = Capabilities {
            device: device.name().to_owned(),
            wide: true,
            subgroup: Some(32),
            quick_exchange: true,
            converges: true,
            own_words: 128,
            workgroup_bytes: device.workgroup_bytes,
            processors: Some(device.options.processors),
            large: device.options.processors.count >= LARGE,
            workgroup_invocations: MOST_LANES,
            buffer_bytes: device.memory_bytes.min(MOST_BYTES),
            memory_bytes: Some(device.memory_bytes),
            loop_budget: LOOP_BUDGET,
            unbounded_calls: false,
        };
        let event = |flags| device.context.new_event(Some(flags)).map_err(|error| device.error("making events", error));
        let events = (0..MARKS).map(|_| event(sys::CUevent_flags::CU_EVENT_DEFAULT)).collect::<Result<_>>()?;
        let end = event(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC)?;
        let stream = device.context.new_stream().map_err(|error| device.error("making a stream", error))?;
        let fault = stream.alloc_zeros(1).map_err(|error| device.error("making the fault word", error))?;
        Ok(Self {
            device,
            stream,
            capabilities,
            fault,
            buffers: Vec::new(),
            kernels: Vec::new(),
            at_work: None,
            events,
            end,
            samples: Samples::default(),
            timings: Vec::new(),
            restored: Restored::default(),
        })
    }

    /// Makes the context current; the caller's again when what comes back is dropped.
    fn enter(&self) -> Result<Option<Before>> {
        let before = Before::now();
        self.said("entering the context", self.device.context.bind_to_thread())?;
        Ok(before)
    }

    fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    fn said<T>(&self, what: &str, result: Result<T, DriverError>) -> Result<T> {
        result.map_err(|error| self.device.error(what, error))
    }

    fn keep(
        &mut self,
        label: &'static str,
        made: Result<CudaSlice<u32>, DriverError>,
        words: usize,
    ) -> Result<BufferId> {
        let buffer = made.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let limit = "what the device has left".to_owned();
                self.device.too_large(format!("buffer '{label}'"), format!("{} bytes", words * 4), limit)
            }
            _ => self.device.error(label, error),
        })?;
        self.buffers.push(buffer);
        Ok(BufferId(self.buffers.len() - 1))
    }

    /// The argument block of a kernel.
    fn arguments(&self, spec: &KernelSpec, ptx: &Ptx) -> Vec<u64> {
        let mut words = vec![0u64; ptx.argument_bytes.div_ceil(8) as usize];
        words[1] = self.fault.device_ptr(self.stream()).0;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        if let Some(block) = &ptx.params {
            let block = &mut bytes[block.start as usize..block.end as usize];
            block.iter_mut().zip(&spec.params).for_each(|(byte, param)| *byte = *param);
        }
        for bound in &ptx.buffers {
            let buffer = &self.buffers[spec.bindings[bound.binding as usize - FIRST_BUFFER].0.0];
            let (address, _guard) = buffer.device_ptr(self.stream());
            let last = (buffer.len() as u64 * 4 / u64::from(bound.element_bytes)).saturating_sub(1);
            let at = bound.offset as usize;
            bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
            bytes[at + 8..at + 12].copy_from_slice(&(last as u32).to_le_bytes());
        }
        words
    }

    /// Fails when a kernel of these calls has used an index beyond the end of an array.
    fn look_for_faults(&mut self, calls: &[&Call]) -> Result<()> {
        let fault = self.said("reading the fault word", self.stream().clone_dtoh(&self.fault))?;
        if fault[0] == 0 {
            return Ok(());
        }
        let stream = Arc::clone(self.stream());
        let cleared = stream.memset_zeros(&mut self.fault);
        self.said("clearing the fault word", cleared)?;
        let mut names: Vec<&str> = calls.iter().map(|call| self.timings[call.kernel.0].name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let message = format!("an index beyond the end of an array, in one of: {}", names.join(", "));
        Err(crate::Error::Device { device: self.device.name().to_owned(), message })
    }

    fn launch(&mut self, call: &Call) -> Result<(), DriverError> {
        let kernel = &mut self.kernels[call.kernel.0];
        let workgroups = (call.units.end - call.units.start).div_ceil(kernel.units_per_workgroup);
        kernel.arguments[0] = u64::from(call.units.start) | u64::from(call.units.end) << 32;
        let processors = self.device.options.processors;
        let share = match kernel.workgroup_bytes {
            // More than run at a time: the driver says.
            _ if workgroups > kernel.resident * processors.count => None,
            bytes if self.device.is_shared() => Some(processors.share(1, bytes).max(SHARED)),
            bytes => (bytes > LITTLE_BYTES).then(|| processors.share(workgroups, bytes)),
        };
        let share = share.map_or(ITS_OWN, |share| share as i32);
        if kernel.share != Some(share) {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
            kernel.function.set_attribute(attribute, share)?;
            kernel.share = Some(share);
        }
        let mut block = [kernel.arguments.as_mut_ptr().cast::<c_void>()];
        // SAFETY: the kernel takes one argument, the block, as long as its translation said; the driver copies it before it
        // returns. The addresses in it belong to buffers that live as long as the kernels, and indices are below their lengths, as the
        // caller of `CudaBackend::new` has promised: with debug assertions, as tests have them, one that is not is told.
        unsafe {
            result::launch_kernel(
                kernel.function.cu_function(),
                (workgroups, 1, 1),
                (kernel.lanes, 1, 1),
                kernel.workgroup_bytes,
                self.stream.cu_stream(),
                &mut block,
            )
        }
    }
}

impl Backend for CudaBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Self::trusted(self.device.clone())?))
    }

    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        if contents.is_empty() {
            return self.buffer(label, 1);
        }
        let _before = self.enter()?;
        // The contents go when this returns, and the driver need not have copied them before.
        let made = self.stream().clone_htod(&contents);
        let made = made.and_then(|made| self.stream().synchronize().map(|()| made));
        self.keep(label, made, contents.len())
    }

    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        let _before = self.enter()?;
        let made = self.stream().alloc_zeros(words.max(4));
        self.keep(label, made, words)
    }

    fn preparer(&self) -> Option<Preparer> {
        let device = self.device.clone();
        Some(Box::new(move |spec| {
            let _before = Before::now();
            module::ready(&device, spec).map(drop)
        }))
    }

    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
        let _before = self.enter()?;
        let Module { ptx, function, resident } = module::ready(&self.device, &spec)?;
        self.at_work.get_or_insert_with(|| self.device.begins_work());
        self.kernels.push(Kernel {
            function,
            resident,
            units_per_workgroup: spec.units_per_workgroup.max(1),
            lanes: ptx.lanes,
            workgroup_bytes: ptx.workgroup_bytes,
            share: None,
            arguments: self.arguments(&spec, &ptx),
        });
        self.timings.push(KernelTiming { name: spec.name.to_owned(), calls: 0, ms: 0.0 });
        Ok(KernelId(self.kernels.len() - 1))
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        let calls: Vec<&Call> = calls.iter().filter(|call| !call.units.is_empty()).collect();
        let _before = self.enter()?;
        let kernels: Vec<usize> = calls.iter().map(|call| call.kernel.0).collect();
        let marks = samples::marks(&kernels);
        let mut marked = 0;
        for index in 0..=calls.len() {
            if marks.get(marked) == Some(&index) {
                self.said("timing", self.events[marked].record(self.stream()))?;
                marked += 1;
            }
            if let Some(call) = calls.get(index) {
                let launched = self.launch(call);
                self.said("launch", launched)?;
            }
        }
        if self.device.is_shared() {
            // Waiting awake is sooner by some microseconds, and takes a core.
            self.said("run", self.end.record(self.stream()).and_then(|()| self.end.synchronize()))?;
        } else {
            self.said("run", self.stream().synchronize())?;
        }
        if INDICES == Indices::Checked {
            self.look_for_faults(&calls)?;
        }
        let durations = self.events[..marks.len()].windows(2).map(|pair| pair[0].elapsed_ms(&pair[1]).map(f64::from));
        let durations = self.said("timing", durations.collect::<Result<Vec<_>, _>>())?;
        self.samples.record(&kernels, &marks, &durations);
        for kernel in kernels {
            self.timings[kernel].calls += 1;
        }
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let _before = self.enter()?;
        let read = self.stream().clone_dtoh(&self.buffers[buffer.0].slice(words));
        let contents = self.said("read back", read)?;
        self.said("read back", self.stream().synchronize())?;
        Ok(contents)
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        let _before = self.enter()?;
        let stream = Arc::clone(self.stream());
        let mut part = self.buffers[buffer.0].slice_mut(..contents.len());
        let written = stream.memcpy_htod(contents, &mut part).and_then(|()| stream.synchronize());
        self.said("upload", written)
    }

    fn timings(&self) -> Vec<KernelTiming> {
        let with_ms =
            |(index, timing): (usize, &KernelTiming)| KernelTiming { ms: self.samples.ms(index), ..timing.clone() };
        self.timings.iter().enumerate().map(with_ms).collect()
    }
}
