//! Runs of settings, kept in a file and taken from there when they were made before.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use myrmex::settings::System;
use myrmex::{Error, PRESETS, Problem, Result, Settings, Solver, Stop, Target};
use serde::{Deserialize, Serialize};

use super::settings::{Budget, Measure, Setting};
use super::statistics::friedman;

/// The six MAX-MIN Ant Systems of Skinderowicz 2020.
const VARIANTS: [&str; 6] = ["mmas-rwm-lc", "mmas-rwm-bt", "mmas-rwm-ct", "mmas-wrs-lc", "mmas-wrs-bt", "mmas-wrs-ct"];

/// When a run that does not come to its goal is given up.
const GIVE_UP: Duration = Duration::from_secs(600);

/// What is kept of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    key: String,
    cost: u64,
    /// The same of the ants alone, without the nearest-neighbour tour that a run starts from.
    #[serde(default)]
    ants_cost: u64,
    iterations: u32,
    /// Seconds of the iterations, without set-up.
    seconds: f64,
    construct_ms: f64,
    kernels_ms: f64,
}

pub struct Bench {
    target: Target,
    device: String,
    quick: bool,
    /// Runs that are made side by side.
    at_a_time: usize,
    runs: Vec<Run>,
    file: File,
    /// When no further run begins.
    end: Option<Instant>,
    /// Whether a run was left out for that.
    pub out_of_time: bool,
}

impl Bench {
    pub fn new(
        target: Target,
        quick: bool,
        at_a_time: usize,
        results: &Path,
        within: Option<Duration>,
    ) -> Result<Self> {
        let io = |error| Error::io(results, error);
        let file = OpenOptions::new().create(true).append(true).read(true).open(results).map_err(io)?;
        let mut runs = Vec::new();
        for line in BufReader::new(file.try_clone().map_err(io)?).lines() {
            // A line that was cut off when a run was broken off counts as not there.
            runs.extend(serde_json::from_str(&line.map_err(io)?));
        }
        let probe = myrmex::tsp::generate(myrmex::tsp::Kind::Uniform, 8, 1)?;
        let device = Solver::outlook(&probe, &Settings::default(), target.clone())?.device;
        let end = within.map(|within| Instant::now() + within);
        Ok(Self { target, device, quick, at_a_time, runs, file, end, out_of_time: false })
    }

    pub fn device(&self) -> &str {
        &self.device
    }

    /// What `setting` reports on `instance`; `None` where the best known cost it needs is not known, or the time is over.
    pub fn figure(&mut self, instance: &Problem, setting: &Setting, optimum: Option<u64>) -> Result<Option<f64>> {
        if setting.measure.needs_optimum() && optimum.is_none() {
            return Ok(None);
        }
        if matches!(setting.measure, Measure::FriedmanP | Measure::FriedmanStatistic) {
            return self.friedman(instance, setting);
        }
        let Some(runs) = self.runs(instance, setting, optimum)? else { return Ok(None) };
        let mean = |of: &dyn Fn(&Run) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        let gap = |cost: u64| optimum.map(|optimum| (cost as f64 / optimum as f64 - 1.0) * 100.0);
        let each = |ms: f64, run: &Run| ms / f64::from(run.iterations.max(1));
        let mut costs: Vec<u64> = runs.iter().map(|run| run.cost).collect();
        costs.sort_unstable();
        let mean_cost = mean(&|run| run.cost as f64);
        let share = instance.len() as f64 / setting.recipe(instance)?.phases[0].system.units() as f64;
        Ok(match setting.measure {
            Measure::Construct => Some(mean(&|run| each(run.construct_ms, run))),
            Measure::ConstructCities => Some(mean(&|run| each(run.construct_ms, run)) * share),
            Measure::Rest => Some(mean(&|run| each(run.kernels_ms - run.construct_ms, run))),
            Measure::Iteration => Some(mean(&|run| each(run.kernels_ms, run))),
            // A thousand iterations take as many seconds as one takes milliseconds.
            Measure::Thousand => Some(mean(&|run| each(run.seconds * 1e3, run))),
            Measure::Seconds => Some(mean(&|run| run.seconds)),
            Measure::SecondsToGap => {
                let goal = optimum.and_then(|optimum| setting.goal(optimum));
                let reached = goal.is_some_and(|goal| costs.iter().all(|&cost| cost <= goal));
                reached.then(|| mean(&|run| run.seconds))
            }
            Measure::MeanGap => optimum.map(|optimum| (mean_cost / optimum as f64 - 1.0) * 100.0),
            Measure::BestGap => gap(costs[0]),
            Measure::MedianGap => gap(costs[costs.len() / 2]),
            Measure::Deviation => optimum.filter(|_| costs.len() > 1).map(|optimum| {
                let squares: f64 = costs.iter().map(|&cost| (cost as f64 - mean_cost).powi(2)).sum();
                (squares / (costs.len() - 1) as f64).sqrt() / optimum as f64 * 100.0
            }),
            Measure::MeanCost => Some(mean_cost),
            Measure::BestCost => Some(costs[0] as f64),
            Measure::FriedmanP | Measure::FriedmanStatistic => None,
        })
    }

    fn friedman(&mut self, instance: &Problem, setting: &Setting) -> Result<Option<f64>> {
        let mut columns = Vec::new();
        for preset in PRESETS.iter().filter(|preset| VARIANTS.contains(&preset.name)) {
            let setting = Setting { name: format!("mmas-8 {}", preset.name), preset, ..setting.clone() };
            let Some(runs) = self.runs(instance, &setting, None)? else { return Ok(None) };
            columns.push(runs);
        }
        let block = |i: usize| columns.iter().map(|runs| runs[i].ants_cost as f64).collect();
        let blocks: Vec<Vec<f64>> = (0..setting.repeats as usize).map(block).collect();
        Ok(friedman(&blocks).map(|(statistic, p)| if setting.measure == Measure::FriedmanP { p } else { statistic }))
    }

    /// The setting's repeats: those kept, and the others made now. Runs of the six variants have seeds of their own, or
    /// the same tours would be compared. `None` when the time is over before.
    fn runs(&mut self, instance: &Problem, setting: &Setting, optimum: Option<u64>) -> Result<Option<Vec<Run>>> {
        let place = PRESETS.iter().position(|preset| preset.name == setting.preset.name).map_or(0, |at| at as u64 + 1);
        let seeds: Vec<u64> = (1..=u64::from(setting.repeats)).map(|repeat| place * 1000 + repeat).collect();
        let Some(budget) = self.budget(instance, setting)? else { return Ok(None) };
        let key = |device: &str, seed| key(device, instance, setting, budget, seed);
        let fresh = |seed: &u64| !self.runs.iter().any(|run| run.key == key(&self.device, *seed));
        let missing: Vec<u64> = seeds.iter().copied().filter(fresh).collect();
        for together in missing.chunks(self.at_a_time) {
            if self.end.is_some_and(|end| Instant::now() >= end) {
                self.out_of_time = true;
                return Ok(None);
            }
            let target = &self.target;
            let made: Vec<Result<Run>> = thread::scope(|scope| {
                let make = |&seed: &u64| {
                    let key = key(&self.device, seed);
                    scope.spawn(move || run_once(instance, setting, seed, target.clone(), budget, optimum, key))
                };
                let workers: Vec<_> = together.iter().map(make).collect();
                let lost = || Err(Error::Config("a run ended by a panic".into()));
                workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| lost())).collect()
            });
            for run in made {
                self.keep(run?)?;
            }
        }
        let kept = |seed| self.runs.iter().find(|run| run.key == key(&self.device, seed)).cloned();
        Ok(seeds.into_iter().map(kept).collect())
    }

    fn keep(&mut self, run: Run) -> Result<()> {
        let line = serde_json::to_string(&run).map_err(|error| Error::Config(format!("cannot keep a run: {error}")))?;
        writeln!(self.file, "{line}").map_err(|error| Error::io("the file of finished runs", error))?;
        self.runs.push(run);
        Ok(())
    }

    /// The budget in iterations or seconds; `None` when the time is over before it is known.
    fn budget(&mut self, instance: &Problem, setting: &Setting) -> Result<Option<Budget>> {
        let cities = instance.len();
        Ok(Some(match setting.budget {
            Budget::ToursPerCity(tours) => {
                let ants = setting.recipe(instance)?.phases[0].system.units();
                Budget::Iterations((u64::from(tours) * cities as u64).div_ceil(ants as u64) as u32)
            }
            // As many iterations of the ants as hold so many tabu iterations.
            Budget::TabuPerFacility => {
                let system = setting.recipe(instance)?.phases[0].system;
                let System::Construct(construct) = system else { return Ok(Some(setting.budget)) };
                let each = construct.assignment.map_or(1, |search| u64::from(search.iterations));
                Budget::Iterations((50_000 * cities as u64).div_ceil(each * system.units() as u64) as u32)
            }
            Budget::BySize => Budget::Iterations(if cities < 4000 { 2000 } else { 3000 }),
            Budget::Seconds(seconds) if seconds.is_nan() => {
                let alt = PRESETS.iter().find(|preset| preset.name == "acs-gpu-alt").unwrap_or(&PRESETS[0]);
                let probe = Setting {
                    name: "acs-9 limit".into(),
                    preset: alt,
                    change: Default::default(),
                    budget: Budget::Iterations(if self.quick { 50 } else { 1000 }),
                    repeats: 1,
                    measure: Measure::Seconds,
                    note: None,
                };
                let Some(runs) = self.runs(instance, &probe, None)? else { return Ok(None) };
                let [run] = &runs[..] else { return Ok(None) };
                Budget::Seconds((run.seconds / f64::from(run.iterations.max(1)) * 1000.0).max(0.01))
            }
            other => other,
        }))
    }
}

fn is_construction(kernel: &str) -> bool {
    matches!(kernel, "construct" | "deviates" | "local_update")
}

/// What a run is known by.
fn key(device: &str, instance: &Problem, setting: &Setting, budget: Budget, seed: u64) -> String {
    let Setting { name, change, .. } = setting;
    let device = if change.sequential { "one thread" } else { device };
    format!("{device} | {} | {name} {:?} | {budget:?} | seed {seed}", instance.name(), change.parameters)
}

/// Makes a run that was not made before.
fn run_once(
    instance: &Problem,
    setting: &Setting,
    seed: u64,
    target: Target,
    budget: Budget,
    optimum: Option<u64>,
    key: String,
) -> Result<Run> {
    if setting.change.sequential && rayon::current_num_threads() > 1 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::Config(format!("cannot start a thread: {error}")))?;
        return pool.install(|| run_once(instance, setting, seed, target, budget, optimum, key));
    }
    let target = if setting.change.sequential { Target::Cpu } else { target };
    let settings = setting.settings(instance, seed)?;
    let mut solver = Solver::new(instance, &settings, target)?;
    let before = solver.progress().seconds;
    let stop = match budget {
        Budget::Seconds(seconds) => Stop::time(Duration::from_secs_f64(seconds)),
        Budget::Iterations(count) => Stop::iterations(count),
        Budget::Gap(_) => Stop::time(GIVE_UP),
        Budget::ToursPerCity(_) | Budget::BySize | Budget::TabuPerFacility => Stop::iterations(1),
    };
    let goal = optimum.and_then(|optimum| setting.goal(optimum));
    let stop = goal.map_or(stop.clone(), |goal| stop.or(Stop::cost(goal)));
    let solution = solver.run(&stop)?;
    let kernel_ms = |local: bool| {
        let kernels = solution.kernels.iter().filter(|kernel| !local || is_construction(&kernel.name));
        kernels.map(|kernel| kernel.ms).sum()
    };
    Ok(Run {
        key,
        cost: solution.cost,
        ants_cost: solver.progress().ants_cost.unwrap_or(solution.cost),
        iterations: solution.iterations,
        seconds: solution.seconds - before,
        construct_ms: kernel_ms(true),
        kernels_ms: kernel_ms(false),
    })
}
