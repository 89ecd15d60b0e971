//! `--watch`: a window in which the tour improves while it is solved. The solver's thread shows what it has, the main thread draws it:
//! systems let no other one have windows.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use glam::DVec2;
use myrmex::{Cancel, Device, Error, Problem, Result, Target};
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

mod draw;

use crate::pictures;

use draw::Canvas;

/// Time between two looks at what the solver shows.
const LOOK_EVERY: Duration = Duration::from_millis(30);
/// Width and height of a new window.
const SIZE: f64 = 900.0;

/// What is drawn: an instance.
pub struct Scene {
    name: String,
    /// Where cities are.
    places: Vec<DVec2>,
    open: bool,
    /// The device that solves, where it is one that draws too.
    device: Option<Device>,
}

/// What the solver's thread and the window share.
#[derive(Default)]
struct Shared {
    scene: Option<Arc<Scene>>,
    /// A tour that is still to be drawn.
    tour: Option<Vec<u32>>,
    text: String,
    state: State,
    /// Whether the program's work is done; and whether the window stays then, until it is closed.
    over: Option<bool>,
}

/// Of the window, for the scene there is.
#[derive(Default)]
enum State {
    #[default]
    Opening,
    Open,
    Failed(Error),
    Closed,
}

/// The window, as the solver's thread knows it.
#[derive(Default)]
pub struct View {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl View {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out whether a problem can be drawn.
    pub fn check(problem: &Problem) -> Result<()> {
        let name = problem.name();
        match problem {
            Problem::Qap(_) => Err(Error::Config(format!(
                "--watch shows tours, and {name} is an assignment problem; --plot draws how its cost fell"
            ))),
            _ if pictures::layout(problem).is_none() => Err(Error::Config(format!(
                "--watch: {name} has no coordinates in the plane to draw; --plot draws how its cost fell"
            ))),
            _ => Ok(()),
        }
    }

    /// Opens the device that is to solve and lets the window show the problem, drawn by that device where it can be; returns when it
    /// is there.
    pub fn begin(&self, problem: &Problem, target: Target) -> Result<Target> {
        let target = target.opened()?;
        let device = if let Target::Existing(device) = &target { Some(device.clone()) } else { None };
        let open = matches!(problem, Problem::Tsp(instance) if instance.is_open());
        let places = pictures::layout(problem).unwrap_or_default();
        let scene = Scene { name: problem.name().to_owned(), places, open, device };
        let mut shared = self.shared();
        if !matches!(shared.state, State::Closed) {
            *shared = Shared { scene: Some(Arc::new(scene)), ..Shared::default() };
        }
        while matches!(shared.state, State::Opening) {
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut shared.state, State::Open) {
            State::Failed(error) => Err(error),
            state => {
                shared.state = state;
                Ok(target)
            }
        }
    }

    /// Whether the tour before has been drawn: to show more of them would only take the solver's time.
    pub fn is_ready(&self) -> bool {
        let shared = self.shared();
        shared.tour.is_none() && matches!(shared.state, State::Open)
    }

    pub fn show(&self, tour: &[u32]) {
        self.shared().tour = Some(tour.to_vec());
    }

    /// What the window's title says behind the instance's name.
    pub fn say(&self, text: String) {
        self.shared().text = text;
    }

    /// The program's work is done: the window stays until it is closed, or goes.
    pub fn finish(&self, stays: bool) {
        self.shared().over = Some(stays);
    }

    fn set(&self, state: State) {
        self.shared().state = state;
        self.changed.notify_all();
    }
}

/// The system's windows, before there is one.
pub struct Windows(EventLoop<()>);

impl Windows {
    /// Windows, and what the solver's thread shows something by.
    pub fn new() -> Result<(Self, View)> {
        EventLoop::new().map(|windows| (Self(windows), View::default())).map_err(|error| {
            // What comes first is where in its sources winit says it.
            let error = error.to_string();
            let why = error.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
            Error::Config(format!("--watch: no window can be opened ({why}); leave it out where there is no display"))
        })
    }

    /// Draws what `view` is shown, on the main thread, until the work is done and the window is closed. One that is closed earlier
    /// interrupts the run.
    pub fn run(self, view: &View, cancel: &Cancel, interrupt: impl FnMut()) -> Result<()> {
        let mut frame = Frame { view, cancel, interrupt, scene: None, canvas: None, title: String::new() };
        let ended = self.0.run_app(&mut frame).map_err(|error| Error::Config(format!("--watch: {error}")));
        drop(frame);
        view.set(State::Closed);
        ended
    }
}

/// The window's side.
struct Frame<'a, F> {
    view: &'a View,
    cancel: &'a Cancel,
    interrupt: F,
    scene: Option<Arc<Scene>>,
    canvas: Option<Canvas>,
    title: String,
}

impl<F: FnMut()> Frame<'_, F> {
    /// Takes over what the solver's thread has shown since.
    fn look(&mut self, windows: &ActiveEventLoop) {
        let mut shared = self.view.shared();
        let (tour, over) = (shared.tour.take(), shared.over);
        let new =
            shared.scene.clone().filter(|scene| !self.scene.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene)));
        let name = shared.scene.as_ref().map_or("", |scene| &scene.name);
        let title = match over {
            Some(_) => format!("{name}: {} - done, close the window to leave", shared.text),
            None => format!("{name}: {}", shared.text),
        };
        drop(shared);
        if let Some(scene) = new {
            let opened = self.open(windows, &scene);
            self.scene = Some(scene);
            self.view.set(opened.map_or_else(State::Failed, |()| State::Open));
        }
        if let Some(canvas) = &mut self.canvas {
            canvas.look();
            if let Some(tour) = tour {
                canvas.show(&tour);
            }
            if self.title != title {
                canvas.window().set_title(&title);
                self.title = title;
            }
        }
        if over.is_some_and(|stays| !stays || self.canvas.is_none() || self.cancel.is_cancelled()) {
            windows.exit();
        }
    }

    /// Makes a window for the first scene, and what draws a scene.
    fn open(&mut self, windows: &ActiveEventLoop, scene: &Scene) -> Result<()> {
        let failed =
            |error: &dyn std::fmt::Display| Error::Config(format!("--watch: no window can be opened ({error})"));
        let window = match self.canvas.take() {
            Some(canvas) => canvas.into_window(),
            None => {
                let attributes =
                    Window::default_attributes().with_title(&scene.name).with_inner_size(LogicalSize::new(SIZE, SIZE));
                Arc::new(windows.create_window(attributes).map_err(|error| failed(&error))?)
            }
        };
        self.canvas = Some(Canvas::new(window, &scene.places, scene.open, scene.device.as_ref())?);
        Ok(())
    }

    fn close(&mut self, windows: &ActiveEventLoop) {
        if self.view.shared().over.is_none() {
            (self.interrupt)();
        }
        windows.exit();
    }
}

impl<F: FnMut()> ApplicationHandler for Frame<'_, F> {
    fn resumed(&mut self, _: &ActiveEventLoop) {}

    fn window_event(&mut self, windows: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(canvas) = &mut self.canvas else { return };
        match event {
            WindowEvent::CloseRequested => self.close(windows),
            WindowEvent::KeyboardInput { event, .. }
                if event.state == ElementState::Pressed && event.logical_key == Key::Named(NamedKey::Escape) =>
            {
                self.close(windows);
            }
            WindowEvent::Resized(size) => canvas.resize(size.width, size.height),
            WindowEvent::RedrawRequested => canvas.draw(),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, windows: &ActiveEventLoop) {
        self.look(windows);
        windows.set_control_flow(ControlFlow::WaitUntil(Instant::now() + LOOK_EVERY));
    }
}
