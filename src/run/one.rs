//! The run of one colony at a time through the phases of a recipe: submissions of the right length, readings of state.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::batching::Pace;
use super::checkpoint::Undo;
use super::clock::Clock;
use super::devices::Place;
use super::incumbent::{Claim, History, Kept};
use super::migration::Best;
use super::phases::{Course, Position, first_fitting, plan_of, precompile};
use super::succession::Coming;
use super::windowed::Windowed;
use super::{Ended, MAX_BATCH, Progress, SUBMISSION, Shared, Stop, WarmUp};
use crate::backend::{Backend, Call, KernelTiming};
use crate::colony::Colony;
use crate::error::Result;
use crate::instance::problem::Problem;
use crate::settings::Recipe;

/// Seconds of the shortest submission that is aimed at.
const SHORTEST: f64 = 0.002;

/// A run: one colony after the other, one for each phase.
pub(super) struct Run {
    pub problem: Problem,
    pub device: String,
    pub clock: Clock,
    /// By how much the device's count of a cost may differ from the host's, where coordinates are rounded ([`Problem::slack`]).
    pub slack: u64,
    /// `None` for instances so small that all solutions are tried at once.
    pub colony: Option<Colony>,
    /// The windows that crossover improves, where it takes some at a time.
    pub windowed: Option<Windowed>,
    pub progress: Progress,
    pub history: History,
    pub course: Course,
    pub kept: Kept,
    pub claim: Claim,
    pub pace: Pace,
    pub coming: Coming,
    pub undo: Undo,
    /// The work of phases that have ended.
    pub earlier: Earlier,
    /// Where windows are improved, if on several devices; else it is where the run is.
    pub places: Vec<Place>,
    /// Of these the one that failed last.
    pub failed_place: usize,
    /// What has migrated here within an iteration, for ants that construct.
    pub arrived: Option<Best>,
}

/// The solution that a run begins with.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub solution: &'a [u32],
    pub cost: u64,
    /// Whether the caller has given it.
    pub given: bool,
}

/// Work of colonies that have ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Earlier {
    pub iterations: u32,
    pub kernels: Vec<KernelTiming>,
}

impl Earlier {
    pub fn add(&mut self, kernels: Vec<KernelTiming>) {
        for kernel in kernels {
            match self.kernels.iter_mut().find(|known| known.name == kernel.name) {
                Some(known) => {
                    known.calls += kernel.calls;
                    known.ms += kernel.ms;
                }
                None => self.kernels.push(kernel),
            }
        }
    }

    /// The kernels of earlier colonies and those of the present one.
    fn with(&self, kernels: Vec<KernelTiming>) -> Vec<KernelTiming> {
        let mut all = self.clone();
        all.add(kernels);
        all.kernels
    }
}

impl Run {
    /// A run that begins with `start`.
    pub fn new(
        clock: Clock,
        problem: &Problem,
        recipe: Recipe,
        backend: Box<dyn Backend>,
        start: Start<'_>,
    ) -> Result<Self> {
        let Start { solution: start, cost, given } = start;
        let (recipe, halvings) = first_fitting(recipe, problem, cost, backend.capabilities())?;
        let device = backend.capabilities().device.clone();
        let (at, shape) = (Position::default(), problem.shape());
        let wide = backend.capabilities().wide;
        let mut precompiled = None;
        let (colony, warm_up) = if problem.is_trivial() {
            (None, None)
        } else {
            let mut plan = plan_of(&recipe, at, &shape, cost, backend.capabilities())?;
            if given {
                plan = plan.begun();
            }
            let pays = WarmUp::pays(problem, backend.as_ref());
            precompiled = precompile(&recipe, &shape, cost, backend.as_ref(), pays.then(|| plan.clone()));
            let system = recipe.phase(at.index, at.round).system;
            let host = match &precompiled {
                Some(precompile) if pays => WarmUp::begin(problem, &system, &plan, precompile, start)?,
                _ => None,
            };
            match host {
                Some(colony) => (Some(colony), Some(WarmUp { device: backend })),
                None => (Some(Colony::new(backend, problem, plan, start)?), None),
            }
        };
        let wide = wide && warm_up.is_none();
        let mut run = Self::of(clock, problem, recipe, device, colony, start.to_vec(), cost);
        log::debug!("{:.3} s: the colony is ready", run.clock.seconds());
        run.course.halvings = halvings;
        run.pace = Pace::unmeasured(wide);
        (run.coming.precompile, run.coming.warm_up) = (precompiled, warm_up);
        if let Some(plan) = run.colony.as_ref().map(|colony| colony.plan().clone()) {
            run.begin_phase(&plan, 0.0);
            if given {
                run.course.note_given();
            }
        }
        Ok(run)
    }

    /// A run that has made no iteration, with a solution and its cost.
    pub fn of(
        clock: Clock,
        problem: &Problem,
        recipe: Recipe,
        device: String,
        colony: Option<Colony>,
        solution: Vec<u32>,
        cost: u64,
    ) -> Self {
        let seconds = clock.seconds();
        Self {
            slack: problem.slack(),
            problem: problem.clone(),
            device,
            clock,
            colony,
            windowed: None,
            progress: Progress::at_start(seconds, cost),
            history: History::of(seconds, cost),
            course: Course::of(recipe),
            claim: Claim { cost, iteration: 0, looked_at: cost },
            kept: Kept { solution, cost, iteration: 0, seconds: clock.seconds(), incumbent: Shared::default() },
            pace: Pace::unmeasured(false),
            coming: Coming::default(),
            undo: Undo::default(),
            earlier: Earlier::default(),
            places: Vec::new(),
            failed_place: 0,
            arrived: None,
        }
    }

    /// Time spent in each kernel, including colonies that have ended.
    pub fn kernels(&self) -> Vec<KernelTiming> {
        let own = self.earlier.with(self.colony.as_ref().map(Colony::timings).unwrap_or_default());
        match &self.windowed {
            Some(windowed) => Earlier { kernels: own, iterations: 0 }.with(windowed.kernels()),
            None => own,
        }
    }

    /// Runs `calls` in one submission; the time it took.
    fn submit(&mut self, colony: &mut Colony, calls: &[Call]) -> Result<Duration> {
        let start = Instant::now();
        colony.run(calls)?;
        let took = start.elapsed();
        self.pace.submitted(took.as_secs_f64());
        Ok(took)
    }

    /// Some iterations, or a part of one, for about as long as a submission should take; why the run ended if a rule of `stop` held
    /// within an iteration.
    pub fn turn(&mut self, stop: &Stop) -> Result<Option<Ended>> {
        if let Some(windowed) = self.windowed.take() {
            return self.turn_of_windows(windowed, stop);
        }
        self.hand_on_arrived()?;
        let Some(mut colony) = self.colony.take() else { return Ok(Some(Ended::Trivial)) };
        let result = self.turn_of(&mut colony, stop);
        match self.windowed {
            // Windows have colonies of their own.
            Some(_) => self.earlier.add(colony.timings()),
            None => self.colony = Some(colony),
        }
        result
    }

    fn turn_of(&mut self, colony: &mut Colony, stop: &Stop) -> Result<Option<Ended>> {
        // Nothing to do, unless a run is resumed that was stopped before it began its next phase.
        if self.is_between_iterations()
            && let Some(ended) = self.next_phase(colony, stop)?
        {
            return Ok(Some(ended));
        }
        if self.windowed.is_some() {
            return Ok(None);
        }
        if self.coming.pending.is_some() {
            return self.settle(colony, stop);
        }
        let batch = self.batch(colony, stop);
        if self.undo.copies && self.is_between_iterations() && !self.is_whole(colony, batch) {
            self.undo.state = Some(self.state_with(Some(colony.save()?)));
        }
        if colony.plan().unbounded_calls {
            if !self.iterations_until(colony, batch, stop)? {
                let ended = stop.ended(&self.progress, &self.clock);
                if ended.is_some() {
                    self.keep_under_way(colony)?;
                }
                return Ok(ended);
            }
        } else if batch > 0 {
            let took = self.iterations(colony, batch)?;
            self.pace.measured(took.as_secs_f64() / f64::from(batch));
        } else if let Some(ended) = self.sliced_iteration(colony, stop)? {
            self.keep_under_way(colony)?;
            return Ok(Some(ended));
        }
        self.undo.state = None;
        let state = colony.state()?;
        self.note(&state);
        self.keep(colony)?;
        if let Some(ended) = self.next_phase(colony, stop)? {
            return Ok(Some(ended));
        }
        let ended = self.settle(colony, stop)?;
        if ended.is_none() && self.coming.pending.is_none() {
            self.move_to_device(colony)?;
        }
        Ok(ended)
    }

    /// Whether neither an iteration nor the set-up of a phase is under way.
    pub(super) fn is_between_iterations(&self) -> bool {
        self.pace.batching.is_between_iterations() && self.coming.pending.is_none()
    }

    /// Whether the next iterations, up to `most`, are made without a cut.
    fn is_whole(&self, colony: &Colony, most: u32) -> bool {
        most > 0 && (!colony.plan().unbounded_calls || self.is_quick())
    }

    /// Some iterations, in one submission unless the host has to look at each; the time they took.
    fn iterations(&mut self, colony: &mut Colony, count: u32) -> Result<Duration> {
        let ants = colony.ant_calls(0..colony.plan().units as u32);
        let end = colony.end_calls();
        if !colony.plan().best_on_host() {
            let calls: Vec<Call> = (0..count).flat_map(|_| ants.iter().chain(&end).cloned()).collect();
            return self.submit(colony, &calls);
        }
        let start = Instant::now();
        for _ in 0..count {
            self.submit(colony, &ants)?;
            colony.choose_best()?;
            self.submit(colony, &end)?;
        }
        Ok(start.elapsed())
    }

    /// One iteration in several submissions, with the stop rules looked at between them: ranges of ants, and of the calls
    /// of a range, and of those that end the iteration, as many as a submission holds. Where all ants step together there is one range.
    fn sliced_iteration(&mut self, colony: &mut Colony, stop: &Stop) -> Result<Option<Ended>> {
        let ants = colony.plan().units as u32;
        let began = Instant::now();
        let aim = self.aim(stop);
        let whole = self.pace.batching.is_between_iterations();
        let fewest = if colony.plan().synchronous() { ants } else { 1 };
        while self.pace.batching.done < ants {
            let calls = colony.ant_calls(self.pace.batching.range(ants, fewest));
            let mut seconds = 0.0;
            while self.pace.batching.calls_done < calls.len() {
                let took = self.submission(colony, &calls, self.pace.batching.calls)?;
                seconds += took;
                self.pace.batching.judge(took, aim);
                if let Some(ended) = stop.ended(&self.progress, &self.clock) {
                    return Ok(Some(ended));
                }
            }
            let was_short = seconds * 2.0 < aim * f64::from(self.pace.batching.patience);
            self.pace.batching.end_range(was_short, fewest);
        }
        if self.pace.batching.calls_done == 0 {
            // What follows may write another solution in the place of one that was not copied yet.
            self.keep_claimed(colony)?;
            colony.choose_best()?;
        }
        let calls = colony.end_calls();
        while self.pace.batching.calls_done < calls.len() {
            let took = self.submission(colony, &calls, self.pace.batching.end_calls)?;
            self.pace.batching.judge_end(took, aim);
            // An iteration that is whole counts.
            if self.pace.batching.calls_done < calls.len()
                && let Some(ended) = stop.ended(&self.progress, &self.clock)
            {
                return Ok(Some(ended));
            }
        }
        self.pace.batching.end_iteration();
        if whole {
            self.pace.iteration_seconds = Some(began.elapsed().as_secs_f64());
        }
        Ok(None)
    }

    /// Submits the next of an iteration's calls, so many at most; the seconds that they took.
    fn submission(&mut self, colony: &mut Colony, calls: &[Call], most: usize) -> Result<f64> {
        let first = self.pace.batching.calls_done;
        let end = first.saturating_add(most).min(calls.len());
        let took = self.submit(colony, &calls[first..end])?.as_secs_f64();
        self.pace.batching.calls_done = end;
        Ok(took)
    }

    /// Seconds that a submission should take: less when the caller has less time.
    fn aim(&self, stop: &Stop) -> f64 {
        stop.room(SUBMISSION, &self.clock).as_secs_f64().max(SHORTEST)
    }

    /// Iterations for the next submission; 0 when one alone is too long or unmeasured.
    fn batch(&self, colony: &Colony, stop: &Stop) -> u32 {
        let Some(each) = self.pace.iteration_seconds.filter(|_| self.is_between_iterations()) else {
            return 0;
        };
        let room = self.aim(stop);
        // While each iteration takes up to twice as long as the one before, the seconds of one say little of the next ones. The colony's
        // first iteration is behind it, since it is measured.
        let grows = self.progress.iteration - self.earlier.iterations <= colony.plan().steady_from();
        let (each, most) = if grows { (2.0 * each, 1) } else { (each, MAX_BATCH) };
        if each > 2.0 * room {
            return 0;
        }
        let fitting = (room / each.max(1e-9)).min(f64::from(MAX_BATCH)) as u32;
        let left = stop.iterations.unwrap_or(u32::MAX).saturating_sub(self.progress.iteration);
        let look = self.course.check.as_ref().map_or(u32::MAX, |check| check.left(self.progress.iteration));
        fitting.clamp(1, most).min(left).min(look)
    }
}

#[cfg(test)]
mod tests;
