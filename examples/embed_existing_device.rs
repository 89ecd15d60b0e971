//! A host application that owns a wgpu device lends it to the solver and goes on using it: here its own compute pass
//! counts frames, and between two frames the solver gets a few milliseconds (`frame_times` measures how well it keeps to them).
//!
//! `cargo run --release --example embed_existing_device`

use std::time::Duration;

use myrmex::tsp::{Kind, generate};
use myrmex::wgpu;
use myrmex::{Device, Settings, Solver, Stop, Target};

const FRAMES: u32 = 20;
const TIME_A_FRAME: Duration = Duration::from_millis(12);

const FRAME_SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> frames: array<u32>;
@compute @workgroup_size(1)
fn main() { frames[0] += 1u; }
";

/// What the application does with its device, whoever else uses it.
struct App {
    device: wgpu::Device,
    queue: wgpu::Queue,
    frames: wgpu::Buffer,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl App {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        // The adapter's own limits: wgpu's defaults stop at 128 MiB a buffer.
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let frames = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frames"),
            size: 4,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("frame"),
            source: wgpu::ShaderSource::Wgsl(FRAME_SHADER.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("frame"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: frames.as_entire_binding() }],
        });
        Ok(Self { device, queue, frames, pipeline, group })
    }

    fn frame(&self) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    fn frames_drawn(&self) -> Result<u32, Box<dyn std::error::Error>> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.frames, 0, &staging, 0, 4);
        self.queue.submit([encoder.finish()]);
        staging.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let bytes = staging.slice(..).get_mapped_range()?.to_vec();
        Ok(u32::from_le_bytes(bytes.try_into().map_err(|_| "four bytes")?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = App::new()?;
    let lent = Device::from_existing(app.device.clone(), app.queue.clone())?;
    let instance = generate(Kind::Clustered, 300, 1)?;
    let mut solver = Solver::new(&instance, &Settings::default(), Target::Existing(lent))?;
    for frame in 1..=FRAMES {
        app.frame();
        solver.advance(&Stop::time(TIME_A_FRAME))?;
        let now = solver.progress();
        println!("frame {frame}: iteration {}, best tour {}", now.iteration, now.cost);
    }
    let frames = app.frames_drawn()?;
    assert_eq!(frames, FRAMES, "the application's own work must not be disturbed");
    println!("{frames} frames and {} iterations on {}", solver.progress().iteration, solver.device());
    Ok(())
}
