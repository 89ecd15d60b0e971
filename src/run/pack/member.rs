//! A problem of a pack: a run of its own but for the dispatches, which it shares with others.

use web_time::Instant;

use super::super::clock::Clock;
use super::super::incumbent::History;
use super::super::own_solution::OwnSolution;
use super::super::phases::{Course, Position, plan_of};
use super::super::records::PhaseEnded;
use super::super::setup::suits;
use super::super::{Ended, Progress, Ran, Solution, Stop, TracePoint, first_solution};
use super::Kind;
use crate::backend::{Backend, Capabilities};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::instance::{qap, tsp};
use crate::kernels::plan::{ChainedPlan, ConstructPlan, Plan};
use crate::settings::{Algorithm, Settings};

/// The most cities of a tour: an iteration of more would take too long for a submission.
const MOST_CITIES: usize = 256;
/// The most facilities of an assignment.
const MOST_FACILITIES: usize = 64;
/// The fewest cities that a walk has room for: a kernel is compiled for each power of two.
const LEAST_ROOM: usize = 32;

/// A problem that waits for others, or is solved with them.
pub(super) struct Member {
    form: Form,
    course: Course,
    plan: Plan,
    /// The solution that it begins with.
    pub start: Vec<u32>,
    /// Since its dispatches began; before, since a worker took the problem.
    pub clock: Clock,
    progress: Progress,
    trace: Vec<TracePoint>,
    /// What the best solution of this round costs.
    own_cost: u64,
    /// The best solution that kernels have found, if any is better than the first one.
    best: Option<Vec<u32>>,
    /// Whether the next round is to begin, when the others of the pack have ended theirs.
    waits: bool,
    pub ended: Option<Ended>,
}

impl Member {
    /// A run that has made no iteration, with what it has in common with others; `None` for problems that need a solver of their own: other
    /// algorithms than chained Lin-Kernighan search of tours and the memetic algorithm for assignments, several colonies, more cities or
    /// facilities, fixed edges and open paths, distances from a matrix or of coordinates that are rounded; and for what a solver would refuse, as phases
    /// that come to no end where nothing else ends them.
    pub fn begun(
        problem: &Problem,
        settings: &Settings,
        device: &Capabilities,
        stop: &Stop,
        started: Instant,
    ) -> Option<(Kind, Self)> {
        let suit = match (problem, settings.algorithm) {
            (Problem::Tsp(_), Algorithm::Clk(_)) => problem.len() <= MOST_CITIES,
            (Problem::Qap(_), Algorithm::Auto | Algorithm::Memetic(_)) => problem.len() <= MOST_FACILITIES,
            _ => false,
        };
        if !suit {
            return None;
        }
        let form = settings.form(problem).ok()?;
        let own = form.problem();
        if own.is_trivial() || own.slack() > 0 || !form.is_exact() {
            return None;
        }
        let recipe = settings.recipe_for_form(&form, suits(device)).ok().filter(|recipe| recipe.colonies == 1)?;
        if recipe.is_endless() && stop.waits_for_rounds() {
            return None;
        }
        let start = first_solution(recipe.phases[0].begins, own);
        let cost = own.cost(&start).ok()?;
        let plan = plan_of(&recipe, Position::default(), &own.shape(), cost, device).ok()?;
        let kind = match (own, &plan) {
            (Problem::Tsp(instance), Plan::Chained(plan)) => walks(instance, plan)?,
            (Problem::Qap(_), Plan::Construct(plan)) if plan.memetic().is_some() => populations(plan),
            _ => return None,
        };
        let clock = Clock::new(started);
        let seconds = clock.seconds();
        let this = Self {
            form,
            course: Course::of(recipe),
            plan,
            start,
            clock,
            progress: Progress::at_start(seconds, cost),
            trace: History::of(seconds, cost).trace,
            own_cost: cost,
            best: None,
            waits: false,
            ended: None,
        };
        Some((kind, this))
    }

    /// Lets time count from now on, and begins the first round.
    pub fn begin(&mut self) {
        self.clock = Clock::new(Instant::now());
        self.progress.seconds = 0.0;
        self.trace.iter_mut().for_each(|point| point.seconds = 0.0);
        self.begin_round();
    }

    /// Begins the record of a round, and looks for its end from now on.
    fn begin_round(&mut self) {
        self.progress.round = self.course.at.round;
        (self.own_cost, self.waits) = (self.plan.reference_cost, false);
        self.course.begin(&self.plan, self.plan.cities, self.now());
    }

    /// The iteration, and the seconds that have passed.
    fn now(&self) -> (u32, f64) {
        (self.progress.iteration, self.clock.seconds())
    }

    /// Begins the next round if it waits for that.
    ///
    /// # Errors
    /// What the device has no room for.
    pub fn next_round(&mut self, device: &Capabilities) -> Result<()> {
        if self.waits {
            let (at, shape) = (self.course.at, self.form.problem().shape());
            self.plan = plan_of(&self.course.recipe, at, &shape, self.plan.reference_cost, device)?;
            self.begin_round();
        }
        Ok(())
    }

    /// What it has in common with others in this round, where it had `kind` in the first.
    pub fn kind_of_round(&self, kind: &Kind) -> Kind {
        match &self.plan {
            Plan::Construct(plan) => populations(plan),
            _ => kind.clone(),
        }
    }

    /// Whether it makes no further iteration in this round.
    pub fn rests(&self) -> bool {
        self.waits || self.ended.is_some()
    }

    /// The tour problem that kernels see, and its plan.
    ///
    /// # Errors
    /// None for one of a pack of tours.
    pub fn tour(&self) -> Result<(&tsp::Instance, &ChainedPlan)> {
        match (self.form.problem(), &self.plan) {
            (Problem::Tsp(instance), Plan::Chained(plan)) => Ok((instance, plan)),
            _ => Err(mixed()),
        }
    }

    /// The assignment problem that kernels see, and its plan.
    ///
    /// # Errors
    /// None for one of a pack of assignments.
    pub fn assignment(&self) -> Result<(&qap::Instance, &ConstructPlan)> {
        match (self.form.problem(), &self.plan) {
            (Problem::Qap(instance), Plan::Construct(plan)) => Ok((instance, plan)),
            _ => Err(mixed()),
        }
    }

    /// Looks whether a rule holds; not while it waits, since it does not depend on that how soon the next round begins.
    pub fn look(&mut self, stop: &Stop) {
        if !self.rests() {
            self.ended = stop.ended(&self.progress, &self.clock);
        }
    }

    /// Whether time is up for it, or a token is set.
    pub fn is_late(&self, stop: &Stop) -> bool {
        stop.is_cancelled() || stop.is_late(self.clock.began)
    }

    /// Takes note of what its walks or children cost after an iteration, which was not `whole` if time was up; the one that is best, if it is
    /// better than all before. Ends, or waits, where the next round would begin.
    pub fn note(&mut self, costs: &[u64], whole: bool, stop: &Stop) -> Option<usize> {
        let seconds = self.clock.seconds();
        let iteration = self.progress.iteration + 1;
        self.progress.seconds = seconds;
        let best = costs.iter().zip(0..).min().map(|(&cost, unit)| (cost, unit));
        let better = best.filter(|(cost, _)| *cost < self.progress.cost).map(|(cost, unit)| {
            self.progress.cost = cost;
            (self.progress.best_iteration, self.progress.best_seconds) = (iteration, seconds);
            self.trace.push(TracePoint::of(seconds, iteration, cost, None));
            unit
        });
        self.own_cost = best.map_or(self.own_cost, |(cost, _)| self.own_cost.min(cost));
        if whole {
            self.progress.iteration = iteration;
            if let Some(check) = &mut self.course.check
                && check.left(iteration) == 0
                && check.ends(iteration, self.own_cost)
            {
                let ended = check.ended();
                self.end_round(ended, stop);
            }
        }
        better
    }

    /// Ends where no further round may begin, and else waits for the next one.
    fn end_round(&mut self, ended: PhaseEnded, stop: &Stop) {
        let Position { index, round } = self.course.at;
        let Some((index, round)) = self.course.recipe.next(index, round) else { return };
        self.ended = stop.ends_before(round, &self.progress);
        if self.ended.is_none() {
            self.course.complete(ended, self.own_cost, self.now());
            (self.course.at, self.waits) = (Position { index, round }, true);
        }
    }

    /// Keeps a solution that is better than all before.
    pub fn keep(&mut self, best: Vec<u32>) {
        self.best = Some(best);
    }

    /// The solution of the problem itself.
    ///
    /// # Errors
    /// [`Error::Device`] when it has another cost than was said.
    pub fn solution(&mut self, longest_submission: f64, device: &dyn Backend) -> Result<Solution> {
        if !self.waits {
            self.course.complete(PhaseEnded::Run, self.own_cost, self.now());
        }
        let Progress { iteration, cost, .. } = self.progress;
        let found = OwnSolution {
            permutation: self.best.take().unwrap_or_else(|| self.start.clone()),
            cost,
            iterations: iteration,
            trace: std::mem::take(&mut self.trace),
            phases: std::mem::take(&mut self.course.records),
            phases_left_out: self.course.left_out,
            kernels: Vec::new(),
            longest_submission,
        };
        let ran = Ran {
            recipe: self.course.recipe.clone(),
            backend: device.kind(),
            device: device.capabilities().device.clone(),
        };
        let ended = self.ended.unwrap_or(Ended::Converged);
        found.into_solution(&self.form, ran, self.clock.seconds(), ended).checked(self.form.original())
    }
}

/// What walks through a tour have in common with others; `None` where these need a colony of their own.
fn walks(instance: &tsp::Instance, plan: &ChainedPlan) -> Option<Kind> {
    let known = instance.kernel_form;
    if known.paired > 0 || known.gap.is_some() || plan.cities > MOST_CITIES {
        return None;
    }
    let room = plan.cities.next_power_of_two().max(LEAST_ROOM);
    Some(Kind::Walks { room, rounding: plan.rounding?, walks: plan.walks, neighbours: plan.neighbours })
}

/// Populations have all in common but the problem.
fn populations(plan: &ConstructPlan) -> Kind {
    let mut plan = plan.clone();
    plan.sizes.reference_cost = 0;
    Kind::Populations(Box::new(plan))
}

fn mixed() -> Error {
    Error::Fault("a pack is of one kind of problems".into())
}
