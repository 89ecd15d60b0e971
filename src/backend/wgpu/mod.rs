//! The wgpu backend: Vulkan, Metal and DX12, in a browser WebGPU.

use std::ops::Range;
#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc::RecvTimeoutError;

use super::{
    Backend, BackendKind, BufferId, Call, Capabilities, KernelId, KernelSpec, KernelTiming, LARGE, Preparer, samples,
};
use crate::error::Result;

mod device;
mod pipeline;
mod processors;
mod queue;
mod stored_params;
mod timing;
pub mod uniform_flow;
mod wait;

use device::Contents;
pub use device::{Device, DeviceInfo, hardware, list};
use pipeline::Pipeline;
#[cfg(not(target_family = "wasm"))]
use queue::HANG;
use timing::Timer;
#[cfg(target_family = "wasm")]
pub use wait::Suspension;

/// Loop turns an invocation may spend in one dispatch. Lavapipe ends all loops of an invocation after 65,535 turns,
/// silently; a GPU takes about a microsecond a turn at worst, and drivers reset devices after two seconds.
const SOFTWARE_LOOP_BUDGET: u32 = 60_000;
const GPU_LOOP_BUDGET: u32 = 250_000;

/// Workgroups in one dimension of a dispatch that every device allows.
const MAX_WORKGROUPS: u32 = 65_535;
/// Different ranges of units that one submission can address.
const CALL_SLOTS: usize = 256;
/// Bytes of a buffer at most: beyond them lengths that shaders are told pass 32 bits (on Metal, where devices allow longer ones).
const MOST_BYTES: u64 = (1 << 32) - 4;
/// How often a buffer is mapped where nobody tells that it is.
const TRIES: usize = 8;

/// Runs WGSL kernels on a wgpu device.
pub struct WgpuBackend {
    device: Device,
    capabilities: Capabilities,
    buffers: Vec<wgpu::Buffer>,
    kernels: Vec<Kernel>,
    /// Blocks of `Call`, one range of units each, `call_stride` bytes apart.
    calls: wgpu::Buffer,
    call_stride: u64,
    call_ranges: Vec<Range<u32>>,
    timer: Option<Timer>,
    timings: Vec<KernelTiming>,
}

struct Kernel {
    name: &'static str,
    units_per_workgroup: u32,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

/// A dispatch: a call, cut to what one dispatch may hold.
struct Dispatch {
    kernel: usize,
    units: Range<u32>,
    workgroups: u32,
}

impl WgpuBackend {
    /// A backend on `device`.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device is lost already.
    pub fn new(device: Device) -> Result<Self> {
        let limits = device.device.limits();
        let capabilities = Capabilities {
            device: device.name.clone(),
            wide: !device.software,
            subgroup: device.subgroup(),
            quick_exchange: device.software,
            converges: false,
            own_words: 64,
            workgroup_bytes: limits.max_compute_workgroup_storage_size - pipeline::OWN_WORKGROUP_BYTES,
            processors: None,
            large: processors::count(&device.device).is_some_and(|count| count >= LARGE),
            workgroup_invocations: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            buffer_bytes: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(MOST_BYTES),
            memory_bytes: None,
            loop_budget: if device.software { SOFTWARE_LOOP_BUDGET } else { GPU_LOOP_BUDGET },
            unbounded_calls: false,
        };
        let call_stride = u64::from(limits.min_uniform_buffer_offset_alignment.max(16));
        let (calls, timer) = device.guarded("calls", |wgpu| {
            let calls = wgpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some("calls"),
                size: call_stride * CALL_SLOTS as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            (calls, Timer::new(&device))
        })?;
        Ok(Self {
            device,
            capabilities,
            buffers: Vec::new(),
            kernels: Vec::new(),
            calls,
            call_stride,
            call_ranges: Vec::new(),
            timer,
            timings: Vec::new(),
        })
    }

    /// Whether the loops of kernels that are compiled from now on are bounded, and whether they were before: those of a source that is not this crate's own may
    /// be endless.
    #[doc(hidden)]
    pub fn bound_loops(&mut self, bounded: bool) -> bool {
        std::mem::replace(&mut self.device.bounds_loops, bounded)
    }

    fn make_buffer(&mut self, label: &'static str, words: usize, contents: Option<&[u32]>) -> Result<BufferId> {
        let bytes = (words as u64 * 4).max(16);
        if bytes > self.capabilities.buffer_bytes {
            let limit = format!("{} bytes", self.capabilities.buffer_bytes);
            return Err(self.device.too_large(format!("buffer '{label}'"), format!("{bytes} bytes"), limit));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let contents = match contents.filter(|contents| !contents.is_empty()) {
            Some(contents) => Contents::Bytes(bytemuck::cast_slice(contents)),
            None => Contents::Zeros(bytes),
        };
        let buffer = self.device.guarded(label, |_| self.device.buffer(label, contents, usage))??;
        self.buffers.push(buffer);
        Ok(BufferId(self.buffers.len() - 1))
    }

    /// Writes the units of these dispatches to the call buffer; false when it has no room for so many ranges.
    fn address(&mut self, dispatches: &[Dispatch]) -> Result<bool> {
        if dispatches.iter().all(|dispatch| self.call_ranges.contains(&dispatch.units)) {
            return Ok(true);
        }
        let mut ranges: Vec<Range<u32>> = dispatches.iter().map(|dispatch| dispatch.units.clone()).collect();
        ranges.sort_unstable_by_key(|units| (units.start, units.end));
        ranges.dedup();
        if ranges.len() > CALL_SLOTS {
            return Ok(false);
        }
        let mut blocks = vec![0u8; ranges.len() * self.call_stride as usize];
        for (block, units) in blocks.chunks_mut(self.call_stride as usize).zip(&ranges) {
            block[..4].copy_from_slice(&units.start.to_le_bytes());
            block[4..8].copy_from_slice(&units.end.to_le_bytes());
        }
        // Whatever becomes of this, nothing that was there before is known to be.
        self.call_ranges.clear();
        self.device.guarded("calls", |_| self.device.queue.write_buffer(&self.calls, 0, &blocks))?;
        self.call_ranges = ranges;
        Ok(true)
    }

    /// Submits the dispatches and waits for them.
    fn submit(&mut self, dispatches: &[Dispatch]) -> Result<()> {
        if !self.address(dispatches)? {
            let (left, right) = dispatches.split_at(dispatches.len() / 2);
            self.submit(left)?;
            return self.submit(right);
        }
        let kernels: Vec<usize> = dispatches.iter().map(|dispatch| dispatch.kernel).collect();
        let marks = if self.timer.is_some() { samples::marks(&kernels) } else { Vec::new() };
        let submission = self.device.guarded("submission", |device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("myrmex") });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let mut marked = 0;
            let mut mark = |pass: &mut wgpu::ComputePass<'_>, before: usize| {
                if let Some(timer) = &self.timer
                    && marks.get(marked) == Some(&before)
                {
                    timer.mark(pass, marked);
                    marked += 1;
                }
            };
            for (index, dispatch) in dispatches.iter().enumerate() {
                mark(&mut pass, index);
                let kernel = &self.kernels[dispatch.kernel];
                // Present: `address` has just made sure of it.
                let slot = self.call_ranges.iter().position(|units| *units == dispatch.units).unwrap_or(0);
                pass.set_pipeline(&kernel.pipeline);
                pass.set_bind_group(0, &kernel.group, &[(slot as u64 * self.call_stride) as u32]);
                pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
            }
            mark(&mut pass, dispatches.len());
            drop(pass);
            if let Some(timer) = &self.timer {
                timer.resolve(&mut encoder, marks.len());
            }
            self.device.queue.submit([encoder.finish()])
        })?;
        self.device.wait(&submission)?;
        for dispatch in dispatches {
            self.timings[dispatch.kernel].calls += 1;
        }
        if let Some(mut timer) = self.timer.take() {
            let bytes = self.map(timer.readback(), marks.len() as u64 * 8, &submission);
            let durations = bytes.map(|bytes| timer.durations(&bytes));
            timer.samples.record(&kernels, &marks, &durations?);
            self.timer = Some(timer);
        }
        Ok(())
    }

    /// The first bytes of a mappable buffer that a submission writes.
    fn map(&self, buffer: &wgpu::Buffer, size: u64, submission: &wgpu::SubmissionIndex) -> Result<Vec<u8>> {
        let slice = buffer.slice(0..size);
        for _ in 0..TRIES {
            let (sender, receiver) = std::sync::mpsc::channel();
            self.device.guarded("read back", |_| {
                slice.map_async(wgpu::MapMode::Read, move |result| {
                    let _ = sender.send(result);
                });
            })?;
            self.device.wait(submission)?;
            // Another thread that waits for the device may have been told, and passes it on.
            #[cfg(not(target_family = "wasm"))]
            let answer = match receiver.recv_timeout(HANG) {
                Err(RecvTimeoutError::Timeout) => break,
                answer => answer.ok(),
            };
            #[cfg(target_family = "wasm")]
            let answer = receiver.try_recv().ok();
            match answer {
                Some(Ok(())) => {
                    let view = slice.get_mapped_range();
                    let view = view.map_err(|error| self.device.error(format!("cannot read back: {error}")))?;
                    let bytes = view.to_vec();
                    drop(view);
                    buffer.unmap();
                    return Ok(bytes);
                }
                Some(Err(error)) => return Err(self.device.error(format!("cannot read back: {error}"))),
                // A thread of the host's has panicked in wgpu (see `wait`), and what it was to pass on is gone.
                None => buffer.unmap(),
            }
        }
        Err(self.device.error("cannot read back: the device did not answer"))
    }
}

impl Backend for WgpuBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Wgpu
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn fresh(&self) -> Result<Box<dyn Backend>> {
        Ok(Box::new(Self::new(self.device.clone())?))
    }

    fn buffer_with(&mut self, label: &'static str, contents: Vec<u32>) -> Result<BufferId> {
        self.make_buffer(label, contents.len(), Some(&contents))
    }

    fn buffer(&mut self, label: &'static str, words: usize) -> Result<BufferId> {
        self.make_buffer(label, words, None)
    }

    fn preparer(&self) -> Option<Preparer> {
        let (device, capabilities) = (self.device.clone(), self.capabilities.clone());
        Some(Box::new(move |spec| pipeline::ready(&device, &capabilities, spec).map(drop)))
    }

    fn kernel(&mut self, spec: KernelSpec) -> Result<KernelId> {
        let Pipeline { pipeline, layout } = pipeline::ready(&self.device, &self.capabilities, &spec)?;
        let group = self.device.guarded(spec.name, |device| {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let params = self.device.buffer(spec.name, Contents::Bytes(&spec.params), usage)?;
            let call = wgpu::BufferBinding { buffer: &self.calls, offset: 0, size: std::num::NonZeroU64::new(16) };
            let mut bound = vec![
                wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Buffer(call) },
            ];
            for (index, (buffer, _)) in spec.bindings.iter().enumerate() {
                let resource = self.buffers[buffer.0].as_entire_binding();
                bound.push(wgpu::BindGroupEntry { binding: index as u32 + 2, resource });
            }
            Ok(device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(spec.name),
                layout: &layout,
                entries: &bound,
            }))
        })??;
        self.kernels.push(Kernel {
            name: spec.name,
            units_per_workgroup: spec.units_per_workgroup.max(1),
            pipeline,
            group,
        });
        self.timings.push(KernelTiming { name: spec.name.to_owned(), calls: 0, ms: 0.0 });
        Ok(KernelId(self.kernels.len() - 1))
    }

    fn rehearse(&mut self) -> Result<()> {
        // Drivers of GPUs compile pipelines when these are made, a software driver at the first dispatch, also of no workgroup.
        if self.capabilities.wide {
            return Ok(());
        }
        let submission = self.device.guarded("rehearsal", |device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for kernel in &self.kernels {
                pass.set_pipeline(&kernel.pipeline);
                pass.set_bind_group(0, &kernel.group, &[0]);
                pass.dispatch_workgroups(0, 1, 1);
            }
            drop(pass);
            self.device.queue.submit([encoder.finish()])
        })?;
        self.device.wait(&submission)
    }

    fn run(&mut self, calls: &[Call]) -> Result<()> {
        let mut dispatches = Vec::with_capacity(calls.len());
        for call in calls {
            let each = self.kernels[call.kernel.0].units_per_workgroup;
            let most = each.saturating_mul(MAX_WORKGROUPS);
            for first in call.units.clone().step_by(most as usize) {
                let units = first..call.units.end.min(first.saturating_add(most));
                let workgroups = (units.end - units.start).div_ceil(each);
                dispatches.push(Dispatch { kernel: call.kernel.0, units, workgroups });
            }
        }
        if dispatches.is_empty() { Ok(()) } else { self.submit(&dispatches) }
    }

    fn read(&mut self, buffer: BufferId, words: Range<usize>) -> Result<Vec<u32>> {
        let (offset, size) = (words.start as u64 * 4, words.len() as u64 * 4);
        if size == 0 {
            return Ok(Vec::new());
        }
        let (staging, submission) = self.device.guarded("read back", |device| {
            let staging = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read back"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&self.buffers[buffer.0], offset, &staging, 0, size);
            let submission = self.device.queue.submit([encoder.finish()]);
            (staging, submission)
        })?;
        let bytes = self.map(&staging, size, &submission)?;
        Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    fn write(&mut self, buffer: BufferId, contents: &[u32]) -> Result<()> {
        let contents = bytemuck::cast_slice(contents);
        self.device.guarded("upload", |_| self.device.upload(&self.buffers[buffer.0], contents))?
    }

    fn timings(&self) -> Vec<KernelTiming> {
        let Some(timer) = &self.timer else { return Vec::new() };
        let with_ms =
            |(index, timing): (usize, &KernelTiming)| KernelTiming { ms: timer.samples.ms(index), ..timing.clone() };
        self.timings.iter().enumerate().map(with_ms).collect()
    }
}

impl Drop for WgpuBackend {
    fn drop(&mut self) {
        // Frees device memory now and not when the last handle dies with the host's device.
        for buffer in self.buffers.drain(..) {
            buffer.destroy();
        }
        log::debug!(
            "released {} kernels: {:?}",
            self.kernels.len(),
            self.kernels.iter().map(|k| k.name).collect::<Vec<_>>()
        );
    }
}
