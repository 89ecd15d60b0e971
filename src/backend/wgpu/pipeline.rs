//! Compiled kernels.
#![allow(unsafe_code, reason = "shaders of this crate are trusted")]

use super::device::Device;
use super::stored_params::stored_params;
use crate::backend::{Access, Capabilities, KernelSpec};
use crate::error::Result;

/// Workgroup memory that shaders take beyond what kernels declare.
pub(super) const OWN_WORKGROUP_BYTES: u32 =
    if cfg!(target_family = "wasm") { super::uniform_flow::WORKGROUP_BYTES } else { 0 };

/// A compiled kernel, and how its buffers are bound.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// The compiled kernel for `spec`, as the device has it or made now.
pub(super) fn ready(device: &Device, capabilities: &Capabilities, spec: &KernelSpec) -> Result<Pipeline> {
    // wgpu does not hold workgroup memory against the limit itself; too much of it loses the device.
    if spec.workgroup_bytes > capabilities.workgroup_bytes {
        let (needed, limit) =
            (format!("{} bytes", spec.workgroup_bytes), format!("{} bytes", capabilities.workgroup_bytes));
        return Err(device.too_large(format!("workgroup memory of kernel '{}'", spec.name), needed, limit));
    }
    let lanes = spec.constants.iter().find(|(name, _)| *name == "LANES").map_or(1, |(_, lanes)| *lanes);
    if lanes > capabilities.workgroup_invocations {
        let limit = capabilities.workgroup_invocations.to_string();
        return Err(device.too_large(format!("a workgroup of kernel '{}'", spec.name), lanes.to_string(), limit));
    }
    device.pipelines.get(spec, || device.guarded(spec.name, |wgpu| compile(wgpu, device, lanes, spec)))
}

/// Whether naga bounds loops: in builds with debug assertions, unless the tests ask for what other builds do.
pub(super) fn bounds_loops() -> bool {
    cfg!(debug_assertions) && std::env::var_os("MYRMEX_UNBOUNDED_LOOPS").is_none()
}

fn compile(device: &wgpu::Device, of: &Device, lanes: u32, spec: &KernelSpec) -> Pipeline {
    // Loops that end by a number from storage go wrong in lavapipe where a workgroup does not fill vectors of eight.
    let room = device.limits().max_storage_buffers_per_shader_stage as usize > spec.bindings.len();
    let lavapipe = of.software && cfg!(not(target_family = "wasm"));
    let stored = (lavapipe && room && lanes.is_multiple_of(8)).then(|| stored_params(&spec.source)).flatten();
    let in_storage = stored.is_some();
    let source = stored.unwrap_or_else(|| spec.source.clone());
    let source = if cfg!(target_family = "wasm") { super::uniform_flow::uniform_flow(&source) } else { source };
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(spec.name),
        source: wgpu::ShaderSource::Wgsl(source.as_str().into()),
    };
    let module = if of.bounds_loops {
        device.create_shader_module(descriptor)
    } else {
        let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
        // SAFETY: the only check switched off asks that no loop is endless, and every loop of the kernels is
        // bounded by a parameter or by the loop budget; memory checks stay on.
        unsafe { device.create_shader_module_trusted(descriptor, checks) }
    };
    let entry = |binding: u32, ty: wgpu::BufferBindingType, dynamic: bool| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
        count: None,
    };
    let uniform = wgpu::BufferBindingType::Uniform;
    let block = if in_storage { wgpu::BufferBindingType::Storage { read_only: true } } else { uniform };
    let mut entries = vec![entry(0, block, false), entry(1, uniform, true)];
    for (index, (_, access)) in spec.bindings.iter().enumerate() {
        let read_only = *access == Access::Read;
        entries.push(entry(index as u32 + 2, wgpu::BufferBindingType::Storage { read_only }, false));
    }
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(spec.name), entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(spec.name),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let constants: Vec<(&str, f64)> = spec.constants.iter().map(|(name, value)| (*name, f64::from(*value))).collect();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(spec.name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            // Every kernel sets what it reads.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    });
    Pipeline { pipeline, layout }
}
