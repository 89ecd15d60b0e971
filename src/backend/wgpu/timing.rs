//! Times of dispatches by GPU timestamps.

use super::Device;
use crate::backend::samples::{MARKS, Samples};

pub(super) struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// Milliseconds in a timestamp tick.
    tick_ms: f64,
    /// What came of them.
    pub(super) samples: Samples,
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
                size: MARKS as u64 * 8,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: MARKS as u32,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            tick_ms: f64::from(device.queue.get_timestamp_period()) * 1e-6,
            samples: Samples::default(),
        })
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
}
