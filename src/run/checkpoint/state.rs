//! A run of one colony between two iterations: what the host knows of it, and what its colony has saved.

use serde::{Deserialize, Serialize};

use super::super::batching::Pace;
use super::super::clock::Clock;
use super::super::devices::Part;
use super::super::incumbent::{Claim, History};
use super::super::one::{Earlier, Run};
use super::super::phases::{Check, Course, Position, plan_of, precompile};
use super::super::records::{PhaseEnded, PhaseRecord};
use super::super::windowed::{WindowState, Windowed};
use super::super::{Progress, Shared};
use crate::colony::{Colony, Saved};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::run::Stop;
use crate::settings::Recipe;

/// What a run goes on from. How its iterations are cut into turns is not part of it: that changes no result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct RunState {
    pub progress: Progress,
    history: History,
    /// The best solution on the host.
    #[serde(skip)]
    pub kept: Vec<u32>,
    kept_at: u32,
    pub kept_cost: u64,
    claim: Claim,
    longest_submission: f64,
    /// How often the population was halved to fit into the device.
    halvings: u32,
    at: Position,
    check: Option<Check>,
    records: Vec<RecordState>,
    left_out: u32,
    /// After how many rounds it rests.
    rests: Option<u32>,
    earlier: Earlier,
    /// Whether the last phase has ended by itself.
    over: bool,
    /// `None` where all solutions are tried at once, and where there is a window.
    colony: Option<Saved>,
    /// The windows that crossover improves, where it takes some at a time.
    windowed: Option<Box<WindowState>>,
}

/// What goes back to the state before an iteration that is cut.
#[derive(Default)]
pub(in crate::run) struct Undo {
    /// Whether that state is copied.
    pub copies: bool,
    /// The copy.
    pub state: Option<RunState>,
}

/// A phase's record; what is not here follows from the recipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::run) struct RecordState {
    pub at: Position,
    pub halvings: u32,
    pub iterations: u32,
    pub seconds: f64,
    pub cost_begin: u64,
    pub cost_end: u64,
    pub ended: PhaseEnded,
    pub first_iteration: u32,
    pub first_second: f64,
    /// Whether it began with a solution that was given.
    #[serde(default)]
    pub given: bool,
}

impl RunState {
    /// The same with what its colony has saved.
    pub fn with(self, colony: Saved) -> Self {
        Self { colony: Some(colony), ..self }
    }

    /// All words, in an order that does not change.
    pub fn words(&self) -> Vec<&Vec<u32>> {
        let colony = self.colony.iter().flat_map(Saved::words);
        let window = self.windowed.iter().flat_map(|window| window.words());
        std::iter::once(&self.kept).chain(colony).chain(window).collect()
    }

    /// The same, to be filled.
    pub fn words_mut(&mut self) -> Vec<&mut Vec<u32>> {
        let colony = self.colony.iter_mut().flat_map(Saved::words_mut);
        let window = self.windowed.iter_mut().flat_map(|window| window.words_mut());
        std::iter::once(&mut self.kept).chain(colony).chain(window).collect()
    }
}

impl Run {
    /// What the run goes on from after its last whole iteration. An iteration under way is finished first, unless there is a copy of
    /// the state before it.
    pub fn state(&mut self) -> Result<RunState> {
        if let Some(before) = &self.undo.state {
            return Ok(before.clone());
        }
        while !self.is_between_iterations() {
            self.turn(&Stop::default())?;
        }
        let mut colony = self.colony.take();
        let saved = colony.as_mut().map(Colony::save).transpose();
        self.colony = colony;
        let windowed = self.window_state()?;
        Ok(RunState { windowed, ..self.state_with(saved?) })
    }

    /// The same, when the colony has saved this.
    pub fn state_with(&self, colony: Option<Saved>) -> RunState {
        RunState {
            progress: self.progress,
            history: self.history.clone(),
            kept: self.kept.solution.clone(),
            kept_at: self.kept.iteration,
            kept_cost: self.kept.cost,
            claim: self.claim,
            longest_submission: self.pace.longest_submission,
            halvings: self.course.halvings,
            at: self.course.at,
            check: self.course.check.or(self.course.refused),
            records: self.course.records.iter().map(PhaseRecord::state).collect(),
            left_out: self.course.left_out,
            rests: self.course.rests,
            earlier: Earlier { iterations: self.earlier.iterations, kernels: self.kernels() },
            over: self.course.over,
            colony,
            windowed: None,
        }
    }

    /// A run that is over elsewhere, as far as it is told of.
    pub fn told(clock: Clock, problem: &Problem, recipe: Recipe, state: RunState) -> Result<Self> {
        let records = records_of(&recipe, problem, &state.records).ok_or_else(unknown_phases)?;
        let mut run = Self::of(clock, problem, recipe, String::new(), None, state.kept, state.kept_cost);
        (run.progress, run.history, run.claim) = (state.progress, state.history, state.claim);
        (run.course.records, run.course.left_out) = (records, state.left_out);
        (run.earlier, run.pace.longest_submission) = (state.earlier, state.longest_submission);
        Ok(run)
    }

    /// A run that goes on from `state`; the recipe is that of the beginning.
    pub fn restored(
        clock: Clock,
        problem: &Problem,
        Part { recipe, backend, places, .. }: Part,
        state: RunState,
        incumbent: Shared,
    ) -> Result<Self> {
        let records = records_of(&recipe, problem, &state.records).ok_or_else(unknown_phases)?;
        let last = state.progress.iteration;
        let seconds = state.records.iter().flat_map(|record| [record.seconds, record.first_second]);
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        if state.earlier.iterations > last
            || state.records.iter().any(|record| record.first_iteration > last)
            || !seconds.chain([state.progress.seconds, state.progress.best_seconds]).all(is_time)
        {
            return Err(damaged("its iterations and seconds contradict one another"));
        }
        let recipe = halved(&recipe, state.halvings).filter(|recipe| state.at.index < recipe.phases.len());
        let recipe = recipe.ok_or_else(|| damaged("it is in a phase that its recipe does not have"))?;
        if problem.cost(&state.kept).ok() != Some(state.kept_cost) {
            return Err(damaged("its best solution does not cost what it says"));
        }
        let (shape, device) = (problem.shape(), backend.capabilities().device.clone());
        let wide = backend.capabilities().wide;
        let mut precompiled = None;
        let mut device_of_window = None;
        let colony = match (problem.is_trivial(), state.colony, &state.windowed) {
            (true, None, None) => None,
            (false, None, Some(_)) => {
                device_of_window = Some(backend);
                None
            }
            (false, Some(saved), None) => {
                let cost = saved.reference_cost;
                precompiled = precompile(&recipe, &shape, cost, backend.as_ref(), None);
                let plan = plan_of(&recipe, state.at, &shape, cost, backend.capabilities())?;
                let plan = if saved.begun { plan.begun() } else { plan };
                plan.check_memory(recipe.colonies, backend.capabilities())?;
                Some(Colony::restored(backend, problem, plan, &saved)?)
            }
            _ => return Err(damaged("it has no colony, or one too many")),
        };
        incumbent.offer(&state.kept, state.kept_cost);
        let mut run = Self::of(clock, problem, recipe, device, colony, state.kept, state.kept_cost);
        run.places = places;
        run.pace = Pace { longest_submission: state.longest_submission, ..Pace::unmeasured(wide) };
        run.kept.incumbent = incumbent;
        run.coming.precompile = precompiled;
        // A device that had failed was another one.
        run.progress = Progress { device_lost: false, ..state.progress };
        (run.history, run.claim, run.earlier) = (state.history, state.claim, state.earlier);
        run.kept.iteration = state.kept_at;
        let recipe = run.course.recipe;
        let (at, check, over, halvings, left_out) = (state.at, state.check, state.over, state.halvings, state.left_out);
        let rests = state.rests;
        run.course = Course { at, check, records, over, halvings, left_out, rests, ..Course::of(recipe) };
        if let (Some(device), Some(window)) = (device_of_window, state.windowed) {
            let devices = run.places_of_windows(device)?;
            run.windowed = Some(Windowed::restored(&run, devices, *window)?);
        }
        Ok(run)
    }
}

fn damaged(what: &str) -> Error {
    Error::Checkpoint(format!("{what}; take an earlier checkpoint, or begin the run again"))
}

fn unknown_phases() -> Error {
    damaged("it has phases that its recipe does not have")
}

/// The records of phases of `recipe`, if it has them all.
fn records_of(recipe: &Recipe, problem: &Problem, states: &[RecordState]) -> Option<Vec<PhaseRecord>> {
    let known = states.iter().filter(|state| state.at.index < recipe.phases.len());
    let record = |state: &RecordState| Some(PhaseRecord::of(&halved(recipe, state.halvings)?, problem.len(), state));
    let records: Vec<_> = known.filter_map(record).collect();
    (records.len() == states.len()).then_some(records)
}

/// The recipe with populations halved so often.
fn halved(recipe: &Recipe, times: u32) -> Option<Recipe> {
    (0..times).try_fold(recipe.clone(), |recipe, _| recipe.halved())
}
