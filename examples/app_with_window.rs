//! An application with a window of its own, in which one GPU both draws and solves: at each frame it draws the best tour so far, and the
//! solver gets a few milliseconds of the device that the application lends it. A click adds a city; the tour that is there takes it in where
//! that costs least, and the solver goes on from there.
//!
//! `cargo run --release --features window --example app_with_window -- 500 30` (cities, seconds; without seconds until the window is closed)

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytemuck::cast_slice;
use myrmex::tsp::{self, Kind, generate};
use myrmex::{Device, Incumbent, Settings, Solver, Stop, Target, wgpu};
use winit::application::ApplicationHandler;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

/// What the solver gets of a frame.
const TIME_A_FRAME: Duration = Duration::from_millis(10);

const LINES: &str = "
@vertex
fn place(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> { return vec4(at, 0.0, 1.0); }
@fragment
fn fill() -> @location(0) vec4<f32> { return vec4(0.48, 0.23, 0.11, 1.0); }
";

/// A window, and the application's own device, which can draw on it.
struct Screen {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// The same device as solvers have it: one that is kept has compiled their kernels.
    lent: Device,
    pipeline: wgpu::RenderPipeline,
}

impl Screen {
    fn new(windows: &ActiveEventLoop) -> Result<Self, Box<dyn Error>> {
        let window = Arc::new(windows.create_window(Window::default_attributes().with_title("Myrmex"))?);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let surface = instance.create_surface(Arc::clone(&window))?;
        let options = wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        // The adapter's own limits, which the solver makes use of.
        let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let size = window.inner_size();
        let configuration = surface
            .get_default_config(&adapter, size.width.max(1), size.height.max(1))
            .ok_or("the device cannot draw on the window")?;
        surface.configure(&device, &configuration);
        let pipeline = lines(&device, configuration.format);
        let lent = Device::from_existing(device.clone(), queue.clone())?;
        Ok(Self { window, surface, configuration, device, queue, lent, pipeline })
    }

    fn resize(&mut self, width: u32, height: u32) {
        (self.configuration.width, self.configuration.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.device, &self.configuration);
    }

    /// Draws a closed line through places from −1 to 1.
    fn draw(&self, line: &[[f32; 2]]) {
        let frame = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(frame) | wgpu::CurrentSurfaceTexture::Suboptimal(frame) => frame,
            wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Lost => {
                return self.surface.configure(&self.device, &self.configuration);
            }
            // Not now: the next frame is soon.
            _ => return,
        };
        let vertices = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("tour"),
            size: size_of_val(line) as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&vertices, 0, cast_slice(line));
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("frame"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.draw(0..line.len() as u32, 0..1);
        drop(pass);
        self.window.pre_present_notify();
        self.queue.submit([encoder.finish()]);
        self.queue.present(frame);
    }
}

fn lines(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(LINES.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("lines"), source });
    let places = wgpu::VertexBufferLayout {
        array_stride: size_of::<[f32; 2]>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &wgpu::vertex_attr_array![0 => Float32x2],
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("lines"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("place"),
            compilation_options: Default::default(),
            buffers: &[Some(places)],
        },
        primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::LineStrip, ..Default::default() },
        depth_stencil: None,
        multisample: Default::default(),
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

/// What is solved: cities in a square of side 1.
struct Scene {
    cities: Vec<[f64; 2]>,
    tour: Vec<u32>,
    /// The solver's best tour, and which one of them was drawn last.
    shown: Incumbent,
    drawn: Option<u64>,
    solver: Solver,
}

impl Scene {
    fn new(screen: &Screen, cities: Vec<[f64; 2]>, tour: Vec<u32>) -> Result<Self, Box<dyn Error>> {
        let instance = tsp::Instance::from_points(&cities)?;
        let target = Target::Existing(screen.lent.clone());
        let solver = Solver::with_start(&instance, &Settings::default(), target, &tour)?;
        Ok(Self { cities, tour, shown: solver.incumbent(), drawn: None, solver })
    }

    /// The same with a city more, where the tour comes to it and back at the least cost.
    fn with_city(mut self, screen: &Screen, city: [f64; 2]) -> Result<Self, Box<dyn Error>> {
        let n = self.tour.len();
        let at = |place: usize| self.cities[self.tour[place % n] as usize];
        let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let more =
            |place: &usize| apart(at(*place), city) + apart(city, at(place + 1)) - apart(at(*place), at(place + 1));
        let best = (0..n).min_by(|a, b| more(a).total_cmp(&more(b))).unwrap_or_default();
        self.tour.insert(best + 1, n as u32);
        self.cities.push(city);
        Self::new(screen, self.cities, self.tour)
    }

    /// Lets the solver work on, and draws what it has.
    fn frame(&mut self, screen: &Screen) -> Result<(), Box<dyn Error>> {
        self.solver.advance(&Stop::time(TIME_A_FRAME))?;
        let latest = self.shown.version();
        if self.drawn != Some(latest)
            && let Some((tour, cost)) = self.shown.get()
        {
            let (cities, length) = (self.cities.len(), self.solver.problem().length_of(cost));
            screen.window.set_title(&format!("Myrmex: {cities} cities, length {length:.4}"));
            (self.tour, self.drawn) = (tour, Some(latest));
        }
        let place = |city: &u32| self.cities[*city as usize].map(|at| (1.9 * at - 0.95) as f32);
        screen.draw(&self.tour.iter().chain(self.tour.first()).map(place).collect::<Vec<_>>());
        Ok(())
    }
}

struct App {
    cities: usize,
    ends: Option<Instant>,
    cursor: [f64; 2],
    screen: Option<Screen>,
    scene: Option<Scene>,
    failed: Option<Box<dyn Error>>,
}

impl App {
    fn begin(&mut self, windows: &ActiveEventLoop) -> Result<(), Box<dyn Error>> {
        let screen = Screen::new(windows)?;
        let made = generate(Kind::Uniform, self.cities, 1)?;
        let side = made.coords().iter().fold(1.0, |most: f64, city| most.max(city.max_element()));
        let cities = made.coords().iter().map(|city| [city.x / side, city.y / side]).collect();
        self.scene = Some(Scene::new(&screen, cities, (0..made.len() as u32).collect())?);
        screen.window.request_redraw();
        self.screen = Some(screen);
        Ok(())
    }

    fn answer(&mut self, event: WindowEvent, windows: &ActiveEventLoop) -> Result<(), Box<dyn Error>> {
        let (Some(screen), Some(scene)) = (&mut self.screen, &mut self.scene) else { return Ok(()) };
        match event {
            WindowEvent::CloseRequested => windows.exit(),
            WindowEvent::Resized(size) => screen.resize(size.width, size.height),
            WindowEvent::CursorMoved { position, .. } => {
                let size = screen.window.inner_size();
                let at = [position.x / f64::from(size.width), 1.0 - position.y / f64::from(size.height)];
                self.cursor = at.map(|part| (2.0 * part - 0.05) / 1.9);
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, .. } => {
                if let Some(scene) = self.scene.take() {
                    self.scene = Some(scene.with_city(screen, self.cursor)?);
                }
            }
            WindowEvent::RedrawRequested => {
                scene.frame(screen)?;
                screen.window.request_redraw();
                if self.ends.is_some_and(|ends| Instant::now() > ends) {
                    windows.exit();
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends with an error, should there be one.
    fn check(&mut self, outcome: Result<(), Box<dyn Error>>, windows: &ActiveEventLoop) {
        if let Err(error) = outcome {
            self.failed = Some(error);
            windows.exit();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, windows: &ActiveEventLoop) {
        if self.screen.is_none() {
            let begun = self.begin(windows);
            self.check(begun, windows);
        }
    }

    fn window_event(&mut self, windows: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let answered = self.answer(event, windows);
        self.check(answered, windows);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let cities = words.next().map_or(Ok(500), |word| word.parse())?;
    let seconds: Option<f64> = words.next().map(|word| word.parse()).transpose()?;
    let ends = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let mut app = App { cities, ends, cursor: [0.5; 2], screen: None, scene: None, failed: None };
    EventLoop::new()?.run_app(&mut app)?;
    if let Some(scene) = &app.scene {
        println!("{} cities, tour {}, on {}", scene.cities.len(), scene.solver.progress().cost, scene.solver.device());
    }
    app.failed.map_or(Ok(()), Err)
}
