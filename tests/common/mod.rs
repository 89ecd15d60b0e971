//! What the tests share: instances, a GPU, where TSPLIB lies.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod assignments;
pub mod colonies;
pub mod compositions;
pub mod parity;
pub mod program;
#[path = "../../examples/paper_tables/statistics.rs"]
pub mod statistics;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use myrmex::backend::Backend;
#[cfg(feature = "cuda")]
use myrmex::backend::cuda;
use myrmex::backend::wgpu::WgpuBackend;
use myrmex::colony::Colony;
use myrmex::tsp::{Instance, Kind, Metric, generate};
use myrmex::{Device, Preset, Problem, Recipe, Settings, Solver, Target};
use parity::Sabotaged;

/// What a run may take that would go on for a minute or more if it did not end as it should: little of that, and much on a machine that others
/// use, too.
pub const FAR_LESS: Duration = Duration::from_secs(30);

/// The GPU that tests run on: a software adapter will do, but there has to be one. Devices that others use, too, in turn: what one test has
/// compiled another one need not compile again.
pub fn gpu() -> Device {
    static SHARED: [OnceLock<Device>; 2] = [const { OnceLock::new() }; 2];
    static TURN: AtomicUsize = AtomicUsize::new(0);
    SHARED[TURN.fetch_add(1, Ordering::Relaxed) % SHARED.len()].get_or_init(own_gpu).clone()
}

/// The same GPU as a device of its own, for a test that may lose it.
pub fn own_gpu() -> Device {
    let choice = std::env::var("MYRMEX_TEST_DEVICE").ok();
    Device::open(choice.as_deref())
        .expect("the tests need a Vulkan, Metal or DX12 driver; CONTRIBUTING.md says how to install one")
}

/// Where tests run that are to run on a GPU: through wgpu, or through what `MYRMEX_TEST_BACKEND` names.
pub fn target() -> Target {
    match std::env::var("MYRMEX_TEST_BACKEND").as_deref() {
        #[cfg(feature = "cuda")]
        Ok("cuda") => Target::Cuda(None),
        Ok(other) => panic!("these tests have no backend '{other}'"),
        Err(_) => Target::Existing(gpu()),
    }
}

/// Its backend.
pub fn backend() -> Box<dyn Backend> {
    backend_of(target())
}

/// The same on a device of its own, for kernels that may lose it.
pub fn own_backend() -> Sabotaged {
    match target() {
        #[cfg(feature = "cuda")]
        target @ Target::Cuda(_) => Sabotaged::Cuda(backend_of(target)),
        _ => Sabotaged::Wgpu(Box::new(WgpuBackend::new(own_gpu()).unwrap())),
    }
}

fn backend_of(target: Target) -> Box<dyn Backend> {
    match target {
        #[cfg(feature = "cuda")]
        Target::Cuda(_) => {
            let device = cuda::CudaDevice::open(None).unwrap();
            // SAFETY: tests are built with debug assertions, with which the backend checks indices.
            Box::new(unsafe { cuda::CudaBackend::new(device) }.unwrap())
        }
        Target::Existing(gpu) => Box::new(WgpuBackend::new(gpu).unwrap()),
        other => panic!("tests have no backend for {other:?}"),
    }
}

/// Both backends, the GPU first.
pub fn targets() -> [Target; 2] {
    [target(), Target::Cpu]
}

/// Settings in a line: the algorithm, then parameters as `name=value`, the seed among them.
pub fn settings(line: &str) -> Settings {
    let (algorithm, parameters) = line.split_once(' ').unwrap_or((line, ""));
    let settings = Settings::named(algorithm).expect("the algorithm is known").also(parameters);
    // Not by the device: what it finds is compared.
    settings.for_iterations(Some(0))
}

/// More parameters.
pub trait Also {
    /// The same with these parameters, as `name=value`, the last one of a name counting.
    fn also(&self, parameters: &str) -> Settings;
}

impl Also for Settings {
    fn also(&self, parameters: &str) -> Settings {
        parameters.split_whitespace().fold(*self, |settings, pair| {
            let (name, value) = pair.split_once('=').expect("it is NAME=VALUE");
            match name {
                "seed" => settings.seed(value.parse().expect("seeds are whole numbers")),
                _ => settings.with(name, value).expect("the parameter is known"),
            }
        })
    }
}

/// What runs, the same on every device.
pub fn recipe(problem: &Problem, settings: &Settings) -> Recipe {
    settings.recipe(problem, myrmex::Effort::Standard).expect("the settings make sense")
}

/// A preset's settings with few ants.
pub fn few(preset: &Preset, size: usize, ants: u32) -> Settings {
    let units = if preset.name.starts_with("cas") { "units" } else { "ants" };
    preset.settings(size).also(&format!("{units}={ants}"))
}

/// A solver that is expected to be made.
pub fn solver(problem: impl Into<Problem>, settings: &Settings, target: Target) -> Solver {
    Solver::new(problem, settings, target).expect("the solver is made")
}

/// The first colony of a solver.
pub fn colony(solver: &mut Solver) -> &mut Colony {
    colonies(solver).next().expect("there are cities enough")
}

/// All colonies of a solver.
pub fn colonies(solver: &mut Solver) -> impl Iterator<Item = &mut Colony> {
    // SAFETY: tests are built with debug assertions, with which every backend checks indices.
    unsafe { solver.colonies() }
}

/// An instance of as many cities, or of a fifth as many facilities, for a preset.
pub fn for_preset(preset: &Preset, cities: usize) -> Problem {
    match preset.is_for_assignments() {
        true => Problem::Qap(myrmex::qap::generate(cities / 5, 9).expect("the instance is valid")),
        false => Problem::Tsp(made(Kind::Clustered, cities, 9)),
    }
}

/// An instance of ours.
pub fn made(kind: Kind, n: usize, seed: u64) -> Instance {
    generate(kind, n, seed).expect("the instance is made")
}

/// Cities piled on each other, in a line, and in a small grid: many ties.
pub fn degenerate() -> Vec<Instance> {
    let instance = |name: &str, place: &dyn Fn(usize) -> glam::DVec2| {
        let places: Vec<_> = (0..40).map(place).collect();
        Instance::from_coords(name, Metric::Euc2d, &places).expect("the instance is valid")
    };
    vec![
        instance("one place", &|_| glam::DVec2::ONE),
        instance("line", &|i| glam::DVec2::new((i * 7 % 40) as f64, 0.0)),
        instance("grid", &|i| glam::DVec2::new((i % 5) as f64, (i / 5) as f64)),
    ]
}

/// The same cities with distances of all kinds: from whole coordinates, rounded to the nearest number and up, along axes, in space and on the
/// globe; and from a matrix, where coordinates or the metric leave nothing else, or where there are no coordinates. Whether the first is so.
pub fn all_kinds_of_distances() -> Vec<(bool, Instance)> {
    let plane = |metric: Metric, shift: f64, scale: f64| {
        let places: Vec<_> = (0..150).map(|i| (scattered_place(i) + shift * f64::from(i % 2)) * scale).collect();
        Instance::from_coords(metric.keyword(), metric, &places).expect("the instance is valid")
    };
    let matrix = made(Kind::Uniform, 60, 1).distance_matrix();
    let mut all = vec![
        (true, plane(Metric::Euc2d, 0.0, 1.0)),
        (true, plane(Metric::Ceil2d, 0.0, 1.0)),
        (true, plane(Metric::Euc2d, 0.125, 1.0)),
        (false, plane(Metric::Euc2d, 0.3, 1.0)),
        (true, plane(Metric::Euc2d, 0.3, 1.0).as_of_many()),
        (false, plane(Metric::Att, 0.0, 1.0)),
        (true, plane(Metric::Att, 0.0, 1.0).as_of_many()),
        (true, plane(Metric::Ceil2d, 0.0, 3e4).as_of_many()),
        (true, plane(Metric::Man2d, 0.0, 1.0)),
        (false, plane(Metric::Man2d, 0.3, 1.0)),
        (true, plane(Metric::Max2d, 0.0, 1.0)),
        (false, Instance::from_matrix("matrix", 60, matrix).expect("the instance is valid")),
    ];
    all.extend(in_space().map(|instance| (true, instance)));
    all
}

fn scattered_place(i: u32) -> glam::DVec2 {
    glam::DVec2::new(f64::from(i * 7919 % 3001), f64::from(i * 104_729 % 2803))
}

/// The same cities in space, on a part of the globe, all around it, and in a yard.
pub fn in_space() -> [Instance; 5] {
    let space: Vec<_> = (0..150).map(|i| scattered_place(i).extend(f64::from(i * 31 % 997))).collect();
    let globe = |wide: f64, high: f64| -> Vec<[f64; 2]> {
        let degrees = |place: glam::DVec2| [place.x / 3001.0 * wide - 0.5 * wide, place.y / 2803.0 * high - 0.5 * high];
        (0..150).map(|i| degrees(scattered_place(i))).collect()
    };
    let minutes: Vec<_> =
        globe(340.0, 170.0).iter().map(|&[lon, lat]| glam::DVec2::new(lat.trunc(), lon.trunc())).collect();
    [
        Instance::from_coords_3d("space", &space),
        Instance::from_lon_lat(&globe(9.0, 7.0)).map(Instance::as_of_many),
        Instance::from_lon_lat(&globe(359.0, 179.0)).map(Instance::as_of_many),
        Instance::from_coords("minutes", Metric::Geo, &minutes).map(Instance::as_of_many),
        Instance::from_lon_lat(&globe(4e-5, 3e-5)).map(Instance::as_of_many),
    ]
    .map(|instance| instance.expect("the instance is valid"))
}

/// Instances with a line of shaders for distances, and one that measures them otherwise.
pub fn broken_distances() -> Vec<(Instance, (&'static str, &'static str))> {
    let plane = |metric: Metric| {
        let places: Vec<_> = (0..150).map(scattered_place).collect();
        Instance::from_coords(metric.keyword(), metric, &places).expect("the instance is valid")
    };
    let [space, country, world, minutes, _] = in_space();
    vec![
        (plane(Metric::Man2d), ("return apart.x + apart.y;", "return apart.x;")),
        (plane(Metric::Max2d), ("max(apart.x, apart.y)", "min(apart.x, apart.y)")),
        (space.clone(), ("+ apart.z * apart.z", "")),
        (space, ("| (words.y >> AXIS_BITS)", "")),
        (country.clone(), ("mul_high(series, y)) + 512u", "mul_high(series, y)) * 0u")),
        (country, ("<< SPACE_UP) + SPACE_ADD)", "<< SPACE_UP))")),
        (world.clone(), ("SERIES_0 + mul_high(series, y)", "SERIES_0")),
        (world.clone(), ("select(a - b, a + b - centre, far)", "a - b")),
        (world, ("SPHERE_HALF_WAY - arc, far", "arc, far")),
        (minutes, ("product < 0", "product > 0")),
    ]
}

/// The folder of TSPLIB files.
pub fn tsplib() -> PathBuf {
    data("tsplib")
}

/// The folder of QAPLIB files.
pub fn qaplib() -> PathBuf {
    data("qaplib")
}

fn data(library: &str) -> PathBuf {
    let root = std::env::var_os("MYRMEX_DATA").expect("MYRMEX_DATA names the folder of tsplib/ and qaplib/");
    let folder = PathBuf::from(root).join(library);
    assert!(folder.is_dir(), "{} is not there", folder.display());
    folder
}

/// Best known costs by name, from `optima.csv` in the folder.
pub fn optima(folder: &std::path::Path) -> Vec<(String, u64)> {
    let text = std::fs::read_to_string(folder.join("optima.csv")).expect("optima.csv lies beside the instances");
    let mut lines = text.lines();
    let header = lines.next().expect("it has a header");
    let column = header.split(',').position(|name| name == "best_known").expect("it lists best known costs");
    let row = |line: &str| {
        let mut cells = line.split(',');
        let name = cells.next()?.to_owned();
        Some((name, cells.nth(column - 1)?.trim().parse().ok()?))
    };
    lines.filter_map(row).collect()
}
