//! Times of dispatches by GPU timestamps, sampled: the first dispatches of each submission stand for the others.

use super::Device;

/// Dispatches timed in one submission.
const SAMPLES: usize = 63;

pub(super) struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// Milliseconds in a timestamp tick.
    tick_ms: f64,
    /// For each kernel its milliseconds so far.
    sums: Vec<f64>,
}

impl Timer {
    /// A timer, where the device has timestamps inside passes.
    pub(super) fn new(device: &Device) -> Option<Self> {
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES;
        if !device.device.features().contains(needed) {
            return None;
        }
        let buffer = |usage| {
            device.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: (SAMPLES as u64 + 1) * 8,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: SAMPLES as u32 + 1,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            tick_ms: f64::from(device.queue.get_timestamp_period()) * 1e-6,
            sums: Vec::new(),
        })
    }

    pub(super) fn capacity(&self) -> usize {
        SAMPLES
    }

    pub(super) fn mark(&self, pass: &mut wgpu::ComputePass<'_>, index: usize) {
        pass.write_timestamp(&self.queries, index as u32);
    }

    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, marks: usize) {
        encoder.resolve_query_set(&self.queries, 0..marks as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, marks as u64 * 8);
    }

    pub(super) fn readback(&self) -> &wgpu::Buffer {
        &self.readback
    }

    /// Milliseconds between neighbouring marks.
    pub(super) fn durations(&self, bytes: &[u8]) -> Vec<f64> {
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        ticks.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64 * self.tick_ms).collect()
    }

    /// Accounts for a submission: the kernel of each of its dispatches, and the durations of the first of them.
    pub(super) fn record(&mut self, kernels: &[usize], durations: &[f64]) {
        let count = kernels.iter().max().map_or(0, |kernel| kernel + 1);
        if self.sums.len() < count {
            self.sums.resize(count, 0.0);
        }
        for (kernel, sum) in self.sums.iter_mut().enumerate() {
            let calls = kernels.iter().filter(|other| **other == kernel).count();
            let timed = kernels.iter().zip(durations).filter(|(other, _)| **other == kernel);
            let (count, ms) = timed.fold((0, 0.0), |(count, ms), (_, duration)| (count + 1, ms + duration));
            if count > 0 {
                *sum += ms / f64::from(count) * calls as f64;
            }
        }
    }

    /// Milliseconds spent in a kernel.
    pub(super) fn ms(&self, kernel: usize) -> f64 {
        self.sums.get(kernel).copied().unwrap_or_default()
    }
}
