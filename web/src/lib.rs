//! Myrmex in a browser's worker (`www/worker.js`): one problem and its run.
//!
//! What may wait for the device, [`begin`] and [`turn`], are plain exports that the worker makes promising
//! (`WebAssembly.promising`), since no JavaScript may lie between these and the import that suspends (`www/suspend.js`). The other
//! functions answer at once.

use std::cell::RefCell;
use std::time::Duration;

use myrmex::tsp::Metric;
use myrmex::{
    Device, Ended, Error, FileForm, Problem, Proof, Settings, Solution, Solver, Stop, Suspension, Target, decode, tsp,
};
use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::prelude::*;

mod suspend {
    #[link(wasm_import_module = "../suspend.js")]
    unsafe extern "C" {
        /// Whether the browser can suspend.
        safe fn can_suspend() -> u32;
        safe fn suspend();
        safe fn resume();
    }

    pub fn is_possible() -> bool {
        can_suspend() != 0
    }

    pub const SUSPENSION: super::Suspension = super::Suspension { suspend: || suspend(), resume: || resume() };
}

/// How a file is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    /// `stated`, `plane` or `globe`.
    metric: String,
    /// Whether the tour is an open path.
    open: bool,
    /// Facilities of an assignment that are given their locations: pairs of a facility and its location, counted from 0.
    #[serde(default)]
    fixed: Vec<[u32; 2]>,
}

/// What is asked of a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Algorithm, seed and parameters as in a settings file.
    settings: Settings,
    /// `auto`, `webgpu` or `cpu`.
    device: String,
    /// When the run ends, if not when the worker makes no more turns.
    iterations: Option<u32>,
}

struct Session {
    problem: Problem,
    asked: Option<Asked>,
    solver: Option<Solver>,
    proof: Proof,
    /// Why `auto` took the CPU.
    no_gpu: Option<String>,
}

/// What files are written of: it is there while the solver is at work, and when a fault has taken that along.
struct Kept {
    problem: Problem,
    solution: Option<Solution>,
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
    static FAILURE: RefCell<String> = const { RefCell::new(String::new()) };
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let found =
            KEPT.with(|kept| kept.try_borrow().is_ok_and(|kept| kept.as_ref().is_some_and(|it| it.solution.is_some())));
        let found = if found { " What was found before can be downloaded." } else { "" };
        FAILURE.set(format!("A fault of Myrmex itself: {panic}.{found}"));
        console_error_panic_hook::hook(panic);
    }));
    if suspend::is_possible() {
        suspend::SUSPENSION.install();
    }
}

/// Takes a file's content and how it is to be read ([`Read`] as JSON text); what it is, as JSON.
#[wasm_bindgen]
pub fn load(content: Vec<u8>, file: &str, read: &str) -> Result<String, JsError> {
    let read: Read = serde_json::from_str(read)?;
    let distances = match read.metric.as_str() {
        "stated" => tsp::Distances::Stated,
        "plane" => tsp::Distances::Plane,
        "globe" => tsp::Distances::Globe,
        other => return Err(JsError::new(&format!("no metric '{other}'"))),
    };
    let mut problem = Problem::parse(&decode(content, file)?, file, distances)?;
    if let (Problem::Tsp(instance), true) = (&problem, read.open) {
        problem = instance.clone().open_path(None, None)?.into();
    }
    if !read.fixed.is_empty() {
        let Problem::Qap(instance) = problem else {
            return Err(JsError::new("facilities are fixed in assignments; a tour has none"));
        };
        problem = instance.with_fixed(&read.fixed)?.into();
    }
    let assigned = match &problem {
        Problem::Qap(instance) => Some(instance),
        _ => None,
    };
    let (open, layout) = match &problem {
        Problem::Tsp(instance) => (instance.is_open(), instance.layout()),
        _ => (false, None),
    };
    let layout: Option<Vec<[f64; 2]>> = layout.map(|places| places.iter().map(|place| place.to_array()).collect());
    let told = json!({
        "name": problem.name(),
        "kind": problem.kind(),
        "parts": problem.parts(),
        "size": problem.len(),
        "locations": assigned.map(|instance| instance.locations()),
        "cost_error": assigned.map(|instance| instance.cost_error()),
        "open": open,
        "layout": layout,
        "unit": unit(&problem),
        "measured": measured(&problem),
        "forms": FORMS.iter().filter(|(word, form)| has_form(&problem, word, *form)).map(|(word, _)| word).collect::<Vec<_>>(),
        "warnings": problem.warnings(),
    });
    let proof = Proof::of(&problem);
    KEPT.set(Some(Kept { problem: problem.clone(), solution: None }));
    SESSION.set(Some(Session { problem, asked: None, solver: None, proof, no_gpu: None }));
    Ok(told.to_string())
}

/// Takes what is asked of a run ([`Asked`] as JSON text), which [`begin`] sets up.
#[wasm_bindgen]
pub fn ask(asked: &str) -> Result<(), JsError> {
    let asked: Asked = serde_json::from_str(asked)?;
    SESSION.with_borrow_mut(|session| {
        let session = session.as_mut().ok_or_else(|| JsError::new(NOTHING_LOADED))?;
        (session.asked, session.solver) = (Some(asked), None);
        KEPT.with_borrow_mut(|kept| kept.iter_mut().for_each(|kept| kept.solution = None));
        Ok(())
    })
}

const NOTHING_LOADED: &str = "no problem is loaded";

/// The forms of files, by the endings that they have.
const FORMS: [(&str, FileForm); 4] =
    [("csv", FileForm::Table), ("tour", FileForm::Library), ("sln", FileForm::Library), ("geojson", FileForm::GeoJson)];

fn has_form(problem: &Problem, word: &str, form: FileForm) -> bool {
    let of_other = if matches!(problem, Problem::Qap(_)) { "tour" } else { "sln" };
    word != of_other && problem.file_form(format!("x.{word}")).is_ok_and(|known| known == form)
}

/// The unit of lengths, where there is one.
fn unit(problem: &Problem) -> Option<&'static str> {
    let Problem::Tsp(instance) = problem else { return None };
    match instance.metric() {
        Metric::Haversine => Some("m"),
        Metric::Geo => Some("km"),
        _ => None,
    }
}

/// What distances are measured between, so that a person sees what a file was taken for.
fn measured(problem: &Problem) -> String {
    let instance = match problem {
        Problem::Tsp(instance) => instance,
        Problem::Qap(instance) => return format!("for {} locations", instance.locations()),
        _ => return String::new(),
    };
    match instance.metric() {
        Metric::Haversine => "longitudes and latitudes, distances in metres".into(),
        Metric::Geo => "latitudes and longitudes as TSPLIB's GEO has them, distances in kilometres".into(),
        Metric::Explicit => "with distances of their own".into(),
        Metric::Euc2d | Metric::Euc3d => "points, distances along straight lines".into(),
        other => format!("points, distances as TSPLIB's {} has them", other.keyword()),
    }
}

/// Keeps why something failed.
fn fail(error: impl ToString) -> u32 {
    FAILURE.set(error.to_string());
    0
}

/// Why [`begin`] or [`turn`] has failed, or which fault has ended the module; empty when asked again, and where memory has run out.
#[wasm_bindgen]
pub fn failure() -> String {
    FAILURE.take()
}

/// Opens the device and sets up the run; 0 when that fails.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> u32 {
    // Taken out: the event loop may call other functions while this one waits.
    let Some(mut session) = SESSION.take() else { return fail(NOTHING_LOADED) };
    let begun = session.begin();
    SESSION.set(Some(session));
    begun.map_or_else(fail, |()| 1)
}

/// Where to run, and why that is the CPU where a GPU would have been taken.
fn target_of(device: &str) -> Result<(Target, Option<String>), Error> {
    Ok(match device {
        "auto" => match Device::open_hardware() {
            Ok(device) => (Target::Existing(device), None),
            Err(error) => (Target::Cpu, Some(why_no_gpu(error))),
        },
        "webgpu" => (Target::Wgpu(None), None),
        "cpu" => (Target::Cpu, None),
        other => return Err(Error::Config(format!("no device '{other}'"))),
    })
}

fn why_no_gpu(error: Error) -> String {
    match error {
        // What to choose instead is chosen already.
        Error::Device { message, .. } => format!("the GPU {}", message.split(';').next().unwrap_or_default()),
        _ if myrmex::devices().is_empty() => "the browser offers no GPU".into(),
        _ => "there is no GPU but software".into(),
    }
}

/// Runs for so many milliseconds, or to the end: 1 when the run can go on, 2 when it has ended, 0 when it has failed. The best solution so
/// far stays in any case.
#[unsafe(no_mangle)]
pub extern "C" fn turn(milliseconds: u32) -> u32 {
    let Some(mut session) = SESSION.take() else { return fail(NOTHING_LOADED) };
    let result = session.turn(milliseconds);
    SESSION.set(Some(session));
    match result {
        Ok(true) => 2,
        Ok(false) => 1,
        Err(error) => fail(error),
    }
}

impl Session {
    fn begin(&mut self) -> Result<(), Error> {
        let asked = self.asked.as_ref().ok_or_else(|| Error::Config("no run was asked for".into()))?;
        let settings = asked.settings.for_iterations(asked.iterations);
        let (target, no_gpu) = target_of(&asked.device)?;
        (self.solver, self.no_gpu) = (Some(Solver::new(&self.problem, &settings, target)?), no_gpu);
        Ok(())
    }

    /// Whether the run has ended.
    fn turn(&mut self, milliseconds: u32) -> Result<bool, Error> {
        let (Some(solver), Some(asked)) = (&mut self.solver, &self.asked) else {
            return Err(Error::Config("no run has begun".into()));
        };
        let mut stop = Stop::time(Duration::from_millis(milliseconds.into())).or(Stop::proved_by(&self.proof));
        if let Some(iterations) = asked.iterations {
            stop = stop.or(Stop::iterations(iterations));
        }
        match solver.run(&stop) {
            Ok(solution) => {
                let ended = solution.ended != Ended::Time;
                keep(solution);
                Ok(ended)
            }
            Err(error) => {
                keep(solver.salvage());
                Err(error)
            }
        }
    }
}

/// Keeps the best solution so far.
fn keep(solution: Solution) {
    KEPT.with_borrow_mut(|kept| kept.iter_mut().for_each(|kept| kept.solution = Some(solution.clone())));
}

/// What `ask` says of the best solution so far, where there is one.
fn of_kept<T>(ask: impl FnOnce(&Problem, &Solution) -> T) -> Option<T> {
    KEPT.with_borrow(|kept| kept.as_ref().and_then(|kept| Some(ask(&kept.problem, kept.solution.as_ref()?))))
}

/// How far the run is, as JSON; empty before it has begun.
#[wasm_bindgen]
pub fn reading() -> String {
    SESSION.with_borrow(|session| {
        let Some(session @ Session { solver: Some(solver), no_gpu, .. }) = session else { return String::new() };
        let progress = solver.progress();
        let told = |_: &Problem, solution: &Solution| {
            json!({
                "backend": solver.backend(),
                "device": solver.device(),
                "device_lost": solver.device_lost(),
                "no_gpu": no_gpu,
                "cost": solution.cost,
                "length": solution.length,
                "iterations": solution.iterations,
                "seconds": solution.seconds,
                "ended": solution.ended,
                "best": solution.is_best(&session.problem, &session.proof),
                "algorithm": solver.recipe().phases.get(progress.phase as usize).map(|phase| phase.system.name()),
                "phase": progress.phase,
                "round": progress.round,
            })
            .to_string()
        };
        of_kept(told).unwrap_or_default()
    })
}

/// The best solution so far: cities in their order, or the location of each facility, counted from 0; empty before the first turn.
#[wasm_bindgen]
pub fn solution() -> Vec<u32> {
    of_kept(|_, solution| solution.permutation.clone()).unwrap_or_default()
}

/// What people are to know of the best solution so far, as JSON: sentences. It looks at each part of the solution.
#[wasm_bindgen]
pub fn warnings() -> String {
    let told = |problem: &Problem, solution: &Solution| {
        let of_solution = problem.warnings_of(&solution.permutation).unwrap_or_default();
        json!(of_solution.into_iter().chain(solution.cut_short().map(str::to_owned)).collect::<Vec<_>>()).to_string()
    };
    of_kept(told).unwrap_or_else(|| "[]".into())
}

/// A solution of the problem, as [`solution`] gives it, as a file with this ending: one of the `forms` that [`load`] tells.
#[wasm_bindgen]
pub fn file(ending: &str, solution: &[u32]) -> Result<Vec<u8>, JsError> {
    KEPT.with_borrow(|kept| {
        let Kept { problem, .. } = kept.as_ref().ok_or_else(|| JsError::new(NOTHING_LOADED))?;
        problem.cost(solution)?;
        let mut out = Vec::new();
        problem.write_solution_to(&mut out, problem.file_form(format!("x.{ending}"))?, solution)?;
        Ok(out)
    })
}
