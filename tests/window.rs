//! `--watch` on a display without a screen: the window opens, the tour improves in it, what it shows is the tour, and it closes.
#![cfg(target_os = "linux")]

mod common;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use common::program::{complaint, file, instance, myrmex};
use glam::DVec2;
use myrmex::tsp::{Instance, read_tour};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConnectionExt, EventMask, ImageFormat,
    MOTION_NOTIFY_EVENT, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pixels between the tour and the window's border.
const MARGIN: f64 = 20.0;

/// Looks until there is what is sought.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// An X server of its own.
struct Display {
    server: Child,
    name: String,
    /// Where programs say something.
    folder: tempfile::TempDir,
}

impl Display {
    fn new() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1200x1000x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tests of the window need Xvfb, of the package xvfb");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Self { server, name: format!(":{}", number.trim()), folder: tempfile::tempdir().unwrap() }
    }

    fn solve(&self, words: &[&str]) -> Child {
        let mut program = self.program(Path::new(env!("CARGO_BIN_EXE_myrmex")));
        program.args(["solve", "--watch"]).args(words).env("RUST_LOG", "myrmex::window=debug");
        program.stderr(std::fs::File::create(self.log()).unwrap()).spawn().unwrap()
    }

    /// A program that opens its windows here.
    fn program(&self, path: &Path) -> Command {
        let mut program = Command::new(path);
        program.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        program
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("said")
    }

    /// What the program said last on standard error.
    fn said(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program's window, as another program sees it.
struct Seen {
    server: RustConnection,
    window: Window,
}

/// A window's content: background, and whether a pixel is of another colour.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Seen {
    fn find(display: &Display, title: &str) -> Self {
        let (server, screen) = x11rb::connect(Some(&display.name)).unwrap();
        let root = server.setup().roots[screen].root;
        let window = wait_for("a window", || {
            let windows = server.query_tree(root).unwrap().reply().unwrap().children;
            windows.into_iter().find(|window| title_of(&server, *window).contains(title))
        });
        Self { server, window }
    }

    fn title(&self) -> String {
        title_of(&self.server, self.window)
    }

    fn picture(&self) -> Option<Picture> {
        let size = self.server.get_geometry(self.window).unwrap().reply().ok()?;
        let (width, height) = (size.width, size.height);
        let image = self.server.get_image(ImageFormat::Z_PIXMAP, self.window, 0, 0, width, height, !0).unwrap();
        let pixels = image.reply().ok()?.data.chunks_exact(4).map(|it| [it[2], it[1], it[0]]).collect();
        Some(Picture { width: width.into(), height: height.into(), pixels })
    }

    /// Clicks on a pixel of the window.
    fn click(&self, x: i16, y: i16) {
        let root = self.server.setup().roots[0].root;
        let at = self.server.translate_coordinates(self.window, root, x, y).unwrap().reply().unwrap();
        for (event, detail) in [(MOTION_NOTIFY_EVENT, 0), (BUTTON_PRESS_EVENT, 1), (BUTTON_RELEASE_EVENT, 1)] {
            self.server.xtest_fake_input(event, detail, 0, root, at.dst_x, at.dst_y, 0).unwrap();
        }
        self.server.flush().unwrap();
    }

    fn close(&self) {
        let atom = |name: &str| self.server.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
        let event =
            ClientMessageEvent::new(32, self.window, atom("WM_PROTOCOLS"), [atom("WM_DELETE_WINDOW"), 0, 0, 0, 0]);
        self.server.send_event(false, self.window, EventMask::NO_EVENT, event).unwrap();
        self.server.flush().unwrap();
    }
}

fn title_of(server: &RustConnection, window: Window) -> String {
    let property = server.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 1000).unwrap();
    property.reply().map(|it| String::from_utf8_lossy(&it.value).into_owned()).unwrap_or_default()
}

impl Picture {
    /// Whether something is drawn at a pixel or beside it.
    fn has_ink(&self, at: DVec2) -> bool {
        let near = |dx: f64, dy: f64| {
            let (x, y) = ((at.x + dx).round() as usize, (at.y + dy).round() as usize);
            self.pixels[y.min(self.height - 1) * self.width + x.min(self.width - 1)] != self.pixels[0]
        };
        [-1.0, 0.0, 1.0].iter().any(|dx| [-1.0, 0.0, 1.0].iter().any(|dy| near(*dx, *dy)))
    }

    fn ink(&self) -> usize {
        self.pixels.iter().filter(|pixel| **pixel != self.pixels[0]).count()
    }

    fn save(&self, path: &Path) {
        let mut picture = resvg::tiny_skia::Pixmap::new(self.width as u32, self.height as u32).unwrap();
        for (to, [r, g, b]) in picture.pixels_mut().iter_mut().zip(&self.pixels) {
            *to = resvg::tiny_skia::PremultipliedColorU8::from_rgba(*r, *g, *b, 255).unwrap();
        }
        picture.save_png(path).unwrap();
    }
}

fn end(mut program: Child) -> ExitStatus {
    wait_for("the end of the program", || program.try_wait().unwrap())
}

/// The midpoints of a tour's edges, and its length, in pixels of a picture that it fills.
fn midpoints(instance: &Instance, tour: &[u32], picture: &Picture) -> (Vec<DVec2>, f64) {
    let places = instance.layout().unwrap();
    let low = places.iter().copied().reduce(DVec2::min).unwrap();
    let high = places.iter().copied().reduce(DVec2::max).unwrap();
    let size = DVec2::new(picture.width as f64, picture.height as f64);
    let scale = ((size - 2.0 * MARGIN) / (high - low)).min_element();
    let origin = (size - (high - low) * scale) / 2.0;
    let at = |city: u32| {
        let up = (places[city as usize] - low) * scale + origin;
        DVec2::new(up.x, size.y - up.y)
    };
    let edges = (0..tour.len()).map(|place| [at(tour[place]), at(tour[(place + 1) % tour.len()])]);
    edges.fold((Vec::new(), 0.0), |(mut midpoints, length), [a, b]| {
        midpoints.push(a.midpoint(b) - 0.5);
        (midpoints, length + a.distance(b))
    })
}

/// What the window shows when the run is over is the tour that was written, whichever device solves and draws.
#[test]
fn the_window_shows_the_tour_and_stays_until_it_is_closed() {
    let display = Display::new();
    let folder = tempfile::tempdir().unwrap();
    let input = instance("uniform200.tsp");
    for (backend, draws) in [("cpu", "a device of its own"), ("wgpu", "the device that solves")] {
        let (path, tour) = file(&folder, &format!("{backend}.tour"));
        let run = [&input, "--backend", backend, "--iterations", "6", "--set", "windows=4", "--solution", &tour];
        let program = display.solve(&run);
        let seen = Seen::find(&display, "uniform200");
        wait_for("the run's end", || seen.title().contains("done").then_some(()));
        let tour = wait_for("the solution", || read_tour(&path, 200).ok());
        let instance = Instance::read(&input).unwrap();
        let picture = wait_for("the tour in the window", || {
            let picture = seen.picture()?;
            let (midpoints, length) = midpoints(&instance, &tour, &picture);
            let drawn = midpoints.iter().filter(|at| picture.has_ink(**at)).count();
            // All edges, and hardly anything else: lines have a width of some pixels.
            (drawn == 200 && picture.ink() as f64 <= 5.0 * length).then_some(picture)
        });
        assert!(picture.width > 300 && picture.height > 300);
        seen.close();
        assert_eq!(end(program).code(), Some(0), "{backend}");
        assert!(display.said().contains(&format!("drawn by {draws}")), "{}", display.said());
        // The window changes nothing of what is found.
        let (other_path, other) = file(&folder, "other.tour");
        let alone = myrmex(&[&["solve"], &run[..7], &["--solution", &other]].concat());
        assert!(alone.status.success(), "{}", complaint(&alone));
        assert_eq!(read_tour(other_path, 200).unwrap(), tour, "{backend}");
    }
}

/// The tour improves before one's eyes; to close the window is an interrupt. `MYRMEX_SCREENSHOT` names a file for the guide's picture.
#[test]
fn to_close_the_window_ends_the_run_and_keeps_the_tour() {
    let display = Display::new();
    let folder = tempfile::tempdir().unwrap();
    let (path, tour) = file(&folder, "best.tour");
    let input = instance("clustered1000.tsp");
    let run =
        [&input, "--backend", "cpu", "--algorithm", "lk", "--set", "windows=1", "--time", "600", "--solution", &tour];
    let program = display.solve(&run);
    let seen = Seen::find(&display, "clustered1000");
    let mut frames: Vec<Picture> = Vec::new();
    wait_for("frames that differ", || {
        let picture = seen.picture().filter(|picture| picture.ink() > 2000)?;
        if frames.last().is_none_or(|last| last.pixels != picture.pixels) {
            frames.push(picture);
        }
        (frames.len() >= 4).then_some(())
    });
    assert!(!seen.title().contains("done") && seen.title().contains("best"), "{}", seen.title());
    if let Some(file) = std::env::var_os("MYRMEX_SCREENSHOT") {
        seen.picture().unwrap().save(&PathBuf::from(file));
    }
    seen.close();
    assert_eq!(end(program).code(), Some(130));
    assert_eq!(read_tour(path, 1000).unwrap().len(), 1000);
}

/// Several instances come one after the other, in one window.
#[test]
fn the_next_instance_takes_over_the_window() {
    let display = Display::new();
    let (first, second) = (instance("uniform200.tsp"), instance("circle150.tsp"));
    let program = display.solve(&[&first, &second, "--backend", "cpu", "--iterations", "3"]);
    let seen = Seen::find(&display, ".s1");
    wait_for("the end of both", || {
        seen.title().contains("circle150").then(|| seen.title().contains("done").then_some(()))?
    });
    // A circle, and nothing within.
    wait_for("the circle", || {
        let picture = seen.picture().filter(|picture| picture.ink() > 1000)?;
        let middle = DVec2::new(picture.width as f64, picture.height as f64) / 2.0;
        (!picture.has_ink(middle)).then_some(())
    });
    seen.close();
    assert_eq!(end(program).code(), Some(0));
}

#[test]
fn interrupts_end_a_run_with_a_window() {
    let display = Display::new();
    let program = display.solve(&[&instance("uniform1000.tsp"), "--backend", "cpu", "--time", "600", "--quiet"]);
    Seen::find(&display, "uniform1000");
    assert!(Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap().success());
    assert_eq!(end(program).code(), Some(130));
}

#[test]
fn what_no_window_can_show_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (matrix_path, matrix) = file(&folder, "matrix.csv");
    std::fs::write(matrix_path, "0,3,4\n3,0,5\n4,5,0\n").unwrap();
    let display = Display::new();
    let refused = |words: &[&str], display: Option<&str>, why: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
        program.args(["solve", "--watch"]).args(words).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        let output = match display {
            Some(display) => program.env("DISPLAY", display).output().unwrap(),
            None => program.env_remove("DISPLAY").output().unwrap(),
        };
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        // Nothing of where in its sources a library says so.
        assert!(complaint(&output).contains(why) && !complaint(&output).contains(".rs"), "{}", complaint(&output));
    };
    let there = Some(display.name.as_str());
    refused(&[&instance("layout40.dat")], there, "is an assignment problem; --plot draws how its cost fell");
    refused(&[&matrix], there, "no coordinates in the plane to draw");
    refused(&["no such file"], there, "no such file");
    refused(&[&instance("uniform200.tsp")], None, "no window can be opened");
}

/// The example of an application that draws and solves with one device: a click adds a city, and the tour comes to it.
#[test]
fn an_application_draws_with_the_device_that_it_lends() {
    let display = Display::new();
    let example = Path::new(env!("CARGO_BIN_EXE_myrmex")).with_file_name("examples").join("app_with_window");
    assert!(
        example.exists(),
        "{} is missing: cargo test builds it, cargo test --test window does not",
        example.display()
    );
    let program = display.program(&example).args(["40"]).stdout(Stdio::piped()).spawn().unwrap();
    let seen = Seen::find(&display, "Myrmex: 40 cities, length");
    let (x, y) = (300, 200);
    wait_for("a tour in the window", || seen.picture().filter(|picture| picture.ink() > 1000));
    seen.click(x, y);
    wait_for("a city more", || seen.title().contains("41 cities").then_some(()));
    wait_for("the tour there", || seen.picture()?.has_ink(DVec2::new(x.into(), y.into())).then_some(()));
    seen.close();
    let output = program.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.starts_with("41 cities, tour "), "{said}");
}
