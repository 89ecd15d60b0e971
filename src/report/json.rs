//! A run as one JSON object.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::rules::Rules;
use crate::backend::{BackendKind, KernelTiming};
use crate::instance::problem::Problem;
use crate::instance::{qap, tsp};
use crate::run::{Abandoned, DeviceLost, DeviceShare, Ended, PhaseRecord, Ran, Resumed, Solution, Stop, TracePoint};
use crate::settings::{AskedFor, Recipe, Value};

/// The version of the report's form, which `docs/guide/report.schema.json` describes. It grows when a key changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// The object's keys, in order.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of the library that ran.
    pub version: &'a str,
    /// The instance's name.
    pub instance: &'a str,
    /// Of one problem of many the path of its file, as it was given, in a folder with that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
    /// The same from the root on, links followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    /// When that file, or a table that was read with it, was last changed, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<f64>,
    /// How long these are together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Of one problem of many the options that say how its file is read and what its solutions keep to; empty where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<&'a str>,
    /// `tsp` or `qap`.
    pub problem: &'a str,
    /// Cities or facilities.
    pub n: usize,
    /// Locations, where there are more than facilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<usize>,
    /// The facilities that are fixed, each with its location, counted from 0, where any are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<&'a [[u32; 2]]>,
    /// Of tours what distances come from ([`tsp::Instance::distances_from`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distances: Option<&'a str>,
    /// Whether solutions are open paths.
    pub open: bool,
    /// The cities that a path begins and ends with where they are given, or that a closed tour is told from, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// The same for its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u32>,
    /// The pairs of cities that tours have beside each other, counted from 0, where any are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_edges: Option<&'a [[u32; 2]]>,
    /// The algorithm that was asked for.
    pub algorithm: &'a str,
    /// The preset that was asked for, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'a str>,
    /// The parameters that were asked for beside algorithm or preset, by name: where there are any a preset is not as its paper has it.
    #[serde(serialize_with = "set", skip_serializing_if = "<[_]>::is_empty")]
    pub set: &'a [(String, Value)],
    /// The file of the solution that was given, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<&'a str>,
    /// The local search of the first phase: `none`, or what its ants or windows search with.
    pub local_search: &'static str,
    /// What ran, nothing left open.
    pub recipe: &'a Recipe,
    /// What ran, phase by phase.
    pub phases: &'a [PhaseRecord],
    /// How many phases there were between the first and the last of these, where not all are kept.
    #[serde(skip_serializing_if = "is_none_left_out")]
    pub phases_left_out: u32,
    /// Where it ran in the end.
    pub backend: BackendKind,
    /// The device's name; of several the names of all.
    pub device: &'a str,
    /// What each of several devices did.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub devices: &'a [DeviceShare],
    /// The device before, where that failed and the run went on on the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_lost: Option<&'a DeviceLost>,
    /// The name of the processor of the machine that tells this, where its system has one.
    pub processor: Option<&'a str>,
    /// The seed of the run and of the first colony.
    pub seed: u64,
    /// Iterations completed, by every colony.
    pub iterations: u32,
    /// Iterations of tabu search that the units made together in these iterations. Of one colony of ants for assignments on a device that did
    /// not fail; else it is not known exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tabu_iterations: Option<u64>,
    /// Seconds of the whole run; of a resumed one those before included.
    pub seconds: f64,
    /// Where the run went on from, if it was resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<Resumed>,
    /// The rules that the run was to end by, where they were told ([`Report::with_stop`]).
    pub stop: Rules,
    /// Why the run ended.
    pub ended: Ended,
    /// What of it was not waited for any longer, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<Abandoned>,
    /// Cost of the best solution.
    pub cost: u64,
    /// Its length in the unit of what was given; infinite, `null` in JSON, where it takes a way that is not there.
    pub length: f64,
    /// What may be meant otherwise, or is rounded so that it matters ([`Problem::warnings`], [`Problem::warnings_of`]).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// By how much costs of assignments may differ at most from what the solver counts, in the unit of `length`, where entries are rounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_error: Option<f64>,
    /// The optimum that was told, in the unit of `length`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimum: Option<f64>,
    /// By how many percent of the optimum `length` is above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// A length that no tour is below, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// By how many percent of the bound `length` is above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_gap: Option<f64>,
    /// Of a travelling salesman problem the best tour, or open path from its start to its end; cities counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour: Option<&'a [u32]>,
    /// The names of the tour's cities in its order, where they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour_names: Option<Vec<&'a str>>,
    /// The ids of the tour's cities in its order, where they have ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour_ids: Option<Vec<&'a str>>,
    /// Of an assignment problem the location of each facility, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutation: Option<&'a [u32]>,
    /// The names of the facilities in their order, where they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facility_names: Option<&'a [String]>,
    /// The name of the location of each facility, where locations have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location_names: Option<Vec<&'a str>>,
    /// The locations that stay empty, counted from 0, where there are more than facilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_locations: Option<Vec<u32>>,
    /// Their names, where locations have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_location_names: Option<Vec<&'a str>>,
    /// The gains over time.
    pub trace: &'a [TracePoint],
    /// Time spent in each kernel.
    pub kernels: &'a [KernelTiming],
    /// Seconds of the longest submission.
    pub longest_submission: f64,
}

impl<'a> Report<'a> {
    /// That of a run which found a solution of a problem. The algorithm is the recipe's; what was asked for beside that ([`Report::with_asked_for`],
    /// [`Report::with_stop`], an optimum, a bound) is left open.
    ///
    /// ```
    /// use std::time::Duration;
    /// use myrmex::report::{Report, write_json};
    /// use myrmex::{Problem, tsp::{Kind, generate}};
    ///
    /// let problem = Problem::from(generate(Kind::Uniform, 30, 1)?);
    /// let solution = myrmex::solve(&problem, Duration::from_secs(1))?;
    /// let mut line = Vec::new();
    /// write_json(&mut line, &Report::of(&problem, &solution)).expect("memory takes it");
    /// assert!(line.starts_with(br#"{"schema":1,"#) && line.ends_with(b"\n"));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn of(problem: &'a Problem, solution: &'a Solution) -> Self {
        let Ran { recipe, backend, device } = &solution.ran;
        let (toured, assigned) = match problem {
            Problem::Tsp(instance) => (Some(instance), None),
            Problem::Qap(instance) => (None, Some(instance)),
        };
        let with_empty = assigned.filter(|instance| instance.len() < instance.locations());
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            instance: problem.name(),
            path: None,
            file: None,
            modified: None,
            bytes: None,
            asked: None,
            problem: problem.kind(),
            n: problem.len(),
            locations: with_empty.map(qap::Instance::locations),
            fixed: assigned.map(qap::Instance::fixed).filter(|fixed| !fixed.is_empty()),
            distances: toured.map(tsp::Instance::distances_from),
            open: toured.is_some_and(tsp::Instance::is_open),
            start: toured.and_then(|instance| instance.path_start().or(instance.first_city())),
            end: toured.and_then(|instance| instance.path_end().or(instance.first_city())),
            fixed_edges: toured.map(tsp::Instance::fixed_edges).filter(|edges| !edges.is_empty()),
            algorithm: recipe.algorithm,
            preset: None,
            set: &[],
            initial: None,
            local_search: local_search(solution),
            recipe,
            phases: &solution.phases,
            phases_left_out: solution.phases_left_out,
            backend: *backend,
            device,
            devices: &solution.devices,
            device_lost: solution.device_lost.as_ref(),
            processor: crate::backend::processor(),
            seed: recipe.seed,
            iterations: solution.iterations,
            tabu_iterations: tabu_iterations(solution),
            seconds: solution.seconds,
            resumed: solution.resumed,
            stop: Rules::default(),
            ended: solution.ended,
            abandoned: solution.abandoned,
            cost: solution.cost,
            length: solution.length,
            warnings: warnings_of(problem, solution),
            cost_error: assigned.map(qap::Instance::cost_error).filter(|error| *error > 0.0),
            optimum: None,
            gap: None,
            bound: None,
            bound_gap: None,
            tour: toured.map(|_| &solution.permutation[..]),
            tour_names: toured.and_then(tsp::Instance::city_names).map(|names| called(names, &solution.permutation)),
            tour_ids: toured.and_then(tsp::Instance::city_ids).map(|ids| called(ids, &solution.permutation)),
            permutation: assigned.map(|_| &solution.permutation[..]),
            facility_names: assigned.and_then(qap::Instance::facility_names),
            location_names: assigned
                .and_then(qap::Instance::location_names)
                .map(|names| called(names, &solution.permutation)),
            empty_locations: with_empty.and_then(|instance| instance.empty_locations(&solution.permutation).ok()),
            empty_location_names: with_empty
                .and_then(|instance| {
                    instance.location_names().zip(instance.empty_locations(&solution.permutation).ok())
                })
                .map(|(names, empty)| called(names, &empty)),
            trace: &solution.trace,
            kernels: &solution.kernels,
            longest_submission: solution.longest_submission,
        }
    }

    /// The same with the rules that the run was to end by.
    #[must_use]
    pub fn with_stop(self, stop: &Stop) -> Self {
        Self { stop: stop.into(), ..self }
    }

    /// The same with what was asked for.
    #[must_use]
    pub fn with_asked_for(self, asked: &'a AskedFor) -> Self {
        let AskedFor { algorithm, preset, set } = asked;
        Self { algorithm, preset: preset.as_deref(), set, ..self }
    }
}

fn is_none_left_out(count: &u32) -> bool {
    *count == 0
}

/// Serializes names and values as an object.
fn set<S: Serializer>(values: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

/// What there is to say of a problem, then of its solution.
fn warnings_of(problem: &Problem, solution: &Solution) -> Vec<String> {
    let of_solution = problem.warnings_of(&solution.permutation).unwrap_or_default();
    let cut_short = solution.cut_short().map(str::to_owned);
    problem.warnings().into_iter().chain(of_solution).chain(cut_short).collect()
}

/// Iterations of tabu search that the units made together in the whole iterations of a run, where they follow from its recipe: of one colony of ants
/// or individuals for assignments on a device that did not fail.
pub fn tabu_iterations(solution: &Solution) -> Option<u64> {
    let recipe = &solution.ran.recipe;
    // A colony that began again on the CPU began with short searches again.
    let is_whole = !solution.phases.is_empty() && solution.phases_left_out == 0;
    if recipe.colonies > 1 || solution.device_lost.is_some() || !is_whole {
        return None;
    }
    let made = |phase: &PhaseRecord| Some(phase.population as u64 * recipe.tabu_iterations(phase.iterations)?);
    solution.phases.iter().map(made).sum()
}

/// What the ants or windows of the first phase search with, where there was one: a run of few cities has none, and one that was not waited for has not
/// told of it.
fn local_search(solution: &Solution) -> &'static str {
    match solution.ran.recipe.phases.first() {
        Some(first) if !solution.phases.is_empty() || solution.abandoned.is_some() => {
            first.system.local_search().name()
        }
        _ => "none",
    }
}

/// The names of so many parts, each by its number; nothing for a number that the problem does not have.
fn called<'a>(names: &'a [String], numbers: &[u32]) -> Vec<&'a str> {
    numbers.iter().map(|&number| names.get(number as usize).map_or("", String::as_str)).collect()
}

/// Writes `report` on one line.
///
/// # Errors
/// What the writer reports.
pub fn write_json(writer: &mut impl Write, report: &Report<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *writer, report)?;
    writer.write_all(b"\n")
}
