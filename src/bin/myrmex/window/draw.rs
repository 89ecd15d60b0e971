//! Draws a tour on a window, with the device that solves where that can be.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, Vec2};
use myrmex::{Device, Error, Result, wgpu};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use winit::window::Window;

/// Pixels between the tour and the window's border.
const MARGIN: f32 = 20.0;
/// The most cities whose edges have a width and smooth borders, and which are drawn as dots.
const MOST_FINE: usize = 20_000;
/// Background, tour and cities: those of the picture that `--picture` writes.
const BACKGROUND: [f32; 3] = [0xfd as f32 / 255.0, 0xfc as f32 / 255.0, 0xf8 as f32 / 255.0];
const TOUR: [f32; 3] = [0x7a as f32 / 255.0, 0x3b as f32 / 255.0, 0x1d as f32 / 255.0];
const CITIES: [f32; 3] = [0x1b as f32 / 255.0; 3];

/// A place as vertices have it.
type Point = [f32; 2];

/// The uniform block of `lines.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Block {
    scale: [f32; 2],
    origin: [f32; 2],
    half_size: [f32; 2],
    half_width: f32,
    _pad: f32,
    colour: [f32; 4],
}

/// A colour of one kind of lines.
struct Pen {
    block: wgpu::Buffer,
    group: wgpu::BindGroup,
    colour: [f32; 3],
    half_width: f32,
}

pub struct Canvas {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    /// Whether the surface has to be configured before it is drawn on.
    stale: bool,
    /// Whether the drawing before was refused.
    again: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
    /// Samples a pixel, and the texture that has them.
    samples: u32,
    sampled: Option<wgpu::TextureView>,
    tour_pen: Pen,
    city_pen: Pen,
    /// Places of cities, the longer side of their extent being 1, and that extent.
    places: Vec<Point>,
    extent: Vec2,
    open: bool,
    cities: wgpu::Buffer,
    tour: Option<wgpu::Buffer>,
    edges: u32,
}

impl Canvas {
    /// Draws on `window` with the adapter of `solves` where it can, else with one of its own.
    pub fn new(window: Arc<Window>, places: &[DVec2], open: bool, solves: Option<&Device>) -> Result<Self> {
        let surface = Device::instance().create_surface(Arc::clone(&window)).map_err(|error| failed(&error))?;
        let mut by = "a device of its own";
        let (adapter, device, queue) = match solves.and_then(|device| Some((device.adapter()?, device))) {
            Some((adapter, device)) if adapter.is_surface_supported(&surface) => {
                by = "the device that solves";
                (adapter.clone(), device.device().clone(), device.queue().clone())
            }
            _ => own(&surface)?,
        };
        log::debug!("the window is drawn by {by}, {}", adapter.get_info().name);
        let size = window.inner_size();
        let (width, height) = (size.width.max(1), size.height.max(1));
        let configuration = surface.get_default_config(&adapter, width, height);
        let mut configuration = configuration.ok_or_else(|| failed(&"the device cannot draw on it"))?;
        let formats = surface.get_capabilities(&adapter).formats;
        if let Some(plain) =
            formats.iter().find(|format| !format.is_srgb() && format.target_pixel_byte_cost() == Some(4))
        {
            configuration.format = *plain;
        }
        configuration.present_mode = wgpu::PresentMode::AutoVsync;
        let fine = places.len() <= MOST_FINE;
        let samples = if fine { 4 } else { 1 };
        let pipeline = pipeline(&device, configuration.format, fine, samples);
        let (places, extent) = to_unit(places);
        let width = (60.0 / (places.len().max(1) as f32).sqrt()).clamp(1.2, 2.5);
        let pen = |colour, half_width| Pen::new(&device, &pipeline, colour, half_width);
        let (tour_pen, city_pen) = (pen(TOUR, width / 2.0), pen(CITIES, width * 0.9));
        let cities = buffer(&device, "cities", &places);
        let mut canvas = Self {
            window,
            surface,
            configuration,
            stale: true,
            again: false,
            samples,
            sampled: None,
            tour_pen,
            city_pen,
            pipeline,
            device,
            queue,
            places,
            extent,
            open,
            cities,
            tour: None,
            edges: 0,
        };
        canvas.draw();
        Ok(canvas)
    }

    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Gives the window back for another scene.
    pub fn into_window(self) -> Arc<Window> {
        self.window
    }

    /// Draws another tour from now on.
    pub fn show(&mut self, tour: &[u32]) {
        let place = |city: &u32| self.places.get(*city as usize).copied();
        let mut line: Vec<Point> = tour.iter().filter_map(place).collect();
        if !self.open {
            line.extend(line.first().copied());
        }
        self.edges = (line.len() as u32).saturating_sub(1);
        match &self.tour {
            Some(buffer) if buffer.size() == size_of_val(line.as_slice()) as u64 => {
                self.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&line));
            }
            _ => self.tour = Some(buffer(&self.device, "tour", &line)),
        }
        self.window.request_redraw();
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let most = self.device.limits().max_texture_dimension_2d;
        let size = [width, height].map(|side| side.clamp(1, most));
        if size != [self.configuration.width, self.configuration.height] {
            [self.configuration.width, self.configuration.height] = size;
            self.stale = true;
        }
        self.window.request_redraw();
    }

    /// Asks for another drawing where the one before was refused.
    pub fn look(&self) {
        if self.again {
            self.window.request_redraw();
        }
    }

    /// Draws what there is. What a device refuses for the moment, while it solves or the window changes, is tried at the next look.
    pub fn draw(&mut self) {
        let device = self.device.clone();
        // The solver is not to take errors of drawing for its own.
        let scopes = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory]
            .map(|filter| device.push_error_scope(filter));
        let drawn = self.try_draw();
        let [validation, internal, memory] = scopes;
        // Scopes end in the reverse order.
        let errors = [memory, internal, validation].map(|scope| pollster::block_on(scope.pop()));
        for error in errors.into_iter().flatten() {
            log::debug!("the window: {error}");
            self.stale = true;
        }
        self.again = !drawn || self.stale;
    }

    /// Whether there is nothing to try again.
    fn try_draw(&mut self) -> bool {
        if self.stale {
            self.configure();
        }
        let frame = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(frame) | wgpu::CurrentSurfaceTexture::Suboptimal(frame) => frame,
            wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Lost => {
                self.stale = true;
                return false;
            }
            wgpu::CurrentSurfaceTexture::Timeout => return false,
            // The system asks for another drawing when it is seen.
            _ => return true,
        };
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let (target, resolve) = match &self.sampled {
            Some(sampled) => (sampled, Some(&view)),
            None => (&view, None),
        };
        let [r, g, b] = self.shade(BACKGROUND).map(f64::from);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("tour"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: resolve,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        let fine = self.samples > 1;
        let corners = if fine { 0..4 } else { 0..2 };
        if let Some(tour) = self.tour.as_ref().filter(|_| self.edges > 0) {
            pass.set_bind_group(0, &self.tour_pen.group, &[]);
            pass.set_vertex_buffer(0, tour.slice(..));
            pass.set_vertex_buffer(1, tour.slice(size_of::<Point>() as u64..));
            pass.draw(corners.clone(), 0..self.edges);
        }
        if fine {
            pass.set_bind_group(0, &self.city_pen.group, &[]);
            pass.set_vertex_buffer(0, self.cities.slice(..));
            pass.set_vertex_buffer(1, self.cities.slice(..));
            pass.draw(corners, 0..self.places.len() as u32);
        }
        drop(pass);
        self.window.pre_present_notify();
        self.queue.submit([encoder.finish()]);
        self.queue.present(frame);
        true
    }

    /// Fits surface and scale to the window.
    fn configure(&mut self) {
        self.stale = false;
        self.surface.configure(&self.device, &self.configuration);
        let (width, height) = (self.configuration.width, self.configuration.height);
        self.sampled = (self.samples > 1).then(|| {
            let texture = self.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("samples"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: self.samples,
                dimension: wgpu::TextureDimension::D2,
                format: self.configuration.format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        });
        let size = Vec2::new(width as f32, height as f32);
        let room = (size - 2.0 * MARGIN).max(Vec2::ONE);
        let scale = (room / self.extent.max(Vec2::splat(1e-6))).min_element();
        let origin = (size - self.extent * scale) / 2.0;
        let zoom = self.window.scale_factor() as f32;
        for pen in [&self.tour_pen, &self.city_pen] {
            let [r, g, b] = self.shade(pen.colour);
            let block = Block {
                scale: [scale; 2],
                origin: origin.to_array(),
                half_size: (size / 2.0).to_array(),
                half_width: pen.half_width * zoom,
                _pad: 0.0,
                colour: [r, g, b, 1.0],
            };
            self.queue.write_buffer(&pen.block, 0, bytemuck::bytes_of(&block));
        }
    }

    /// A colour as the surface's format takes it.
    fn shade(&self, colour: [f32; 3]) -> [f32; 3] {
        match self.configuration.format.is_srgb() {
            true => colour.map(|part| part.powf(2.2)),
            false => colour,
        }
    }
}

impl Pen {
    fn new(device: &wgpu::Device, pipeline: &wgpu::RenderPipeline, colour: [f32; 3], half_width: f32) -> Self {
        let block = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<Block>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: block.as_entire_binding() }],
        });
        Self { block, group, colour, half_width }
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::Config(format!("--watch: nothing can be drawn on the window ({error}); leave it out"))
}

/// A device that can draw on the surface.
fn own(surface: &wgpu::Surface<'_>) -> Result<(wgpu::Adapter, wgpu::Device, wgpu::Queue)> {
    let options = wgpu::RequestAdapterOptions { compatible_surface: Some(surface), ..Default::default() };
    let adapter = pollster::block_on(Device::instance().request_adapter(&options)).map_err(|error| failed(&error))?;
    let descriptor =
        wgpu::DeviceDescriptor { label: Some("window"), required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| failed(&error))?;
    device.on_uncaptured_error(Arc::new(|error| log::debug!("the window: {error}")));
    Ok((adapter, device, queue))
}

/// Edges as rectangles with smooth borders, or as lines a pixel wide.
fn pipeline(device: &wgpu::Device, format: wgpu::TextureFormat, fine: bool, samples: u32) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("lines"),
        source: wgpu::ShaderSource::Wgsl(include_str!("lines.wgsl").into()),
    });
    let ends = [wgpu::vertex_attr_array![0 => Float32x2], wgpu::vertex_attr_array![1 => Float32x2]];
    let layout = |attributes| {
        Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Point>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes,
        })
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("lines"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some(if fine { "wide" } else { "thin" }),
            compilation_options: Default::default(),
            buffers: &[layout(&ends[0]), layout(&ends[1])],
        },
        primitive: wgpu::PrimitiveState {
            topology: if fine { wgpu::PrimitiveTopology::TriangleStrip } else { wgpu::PrimitiveTopology::LineList },
            ..Default::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fill"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn buffer(device: &wgpu::Device, label: &str, points: &[Point]) -> wgpu::Buffer {
    device.create_buffer_init(&BufferInitDescriptor {
        label: Some(label),
        contents: bytemuck::cast_slice(points),
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
    })
}

/// Places from 0 up whose longer side is 1, and how long both sides are.
fn to_unit(places: &[DVec2]) -> (Vec<Point>, Vec2) {
    let low = places.iter().copied().reduce(DVec2::min).unwrap_or_default();
    let high = places.iter().copied().reduce(DVec2::max).unwrap_or_default();
    let longer = (high - low).max_element().max(1e-100);
    (
        places.iter().map(|place| ((place - low) / longer).as_vec2().to_array()).collect(),
        ((high - low) / longer).as_vec2(),
    )
}
