//! A tour of a pack: a run of its own but for the dispatches, which it shares with others.

use web_time::Instant;

use super::super::checkpoint::RecordState;
use super::super::clock::Clock;
use super::super::phases::{Check, Position, plan_of};
use super::super::records::{PhaseEnded, PhaseRecord};
use super::super::setup::suits;
use super::super::{Ended, Progress, Solution, Stop, TracePoint, first_solution};
use crate::backend::Capabilities;
use crate::colony::Walked;
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::instance::tsp::{Instance, Rounding};
use crate::kernels::plan::{ChainedPlan, Plan};
use crate::settings::{Algorithm, Recipe, Settings};

/// The most cities of a tour: an iteration of more would take too long for a submission.
const MOST_CITIES: usize = 256;
/// The fewest cities that a walk has room for: a kernel is compiled for each power of two.
const LEAST_ROOM: usize = 32;

/// What the tours of a pack have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kind {
    /// Cities that a walk has room for.
    pub room: usize,
    rounding: Rounding,
    /// Walks of a tour.
    pub walks: usize,
    neighbours: usize,
}

/// A tour that waits for others, or is searched with them.
pub(super) struct Tour {
    form: Form,
    pub recipe: Recipe,
    pub plan: ChainedPlan,
    start: Vec<u32>,
    /// Since its dispatches began; before, since a worker took the problem.
    pub clock: Clock,
    progress: Progress,
    trace: Vec<TracePoint>,
    check: Option<Check>,
    /// The walk that found the best tour.
    walk: usize,
    pub ended: Option<Ended>,
}

impl Tour {
    /// A run of chained Lin-Kernighan search that has made no iteration, with what it has in common with others; `None` for problems that
    /// need a solver of their own: other algorithms, several colonies, more cities, fixed edges and open paths, distances from a matrix or
    /// of coordinates that are rounded; and for what a solver would refuse.
    pub fn begun(
        problem: &Problem,
        settings: &Settings,
        device: &Capabilities,
        started: Instant,
    ) -> Option<(Kind, Self)> {
        if !matches!(settings.algorithm, Algorithm::Clk(_)) || problem.len() > MOST_CITIES {
            return None;
        }
        let form = settings.form(problem).ok()?;
        let own = form.problem();
        let instance = tour_of(&form).ok()?;
        let shape = own.shape();
        let known = instance.kernel_form;
        if own.is_trivial() || own.slack() > 0 || known.paired > 0 || known.gap.is_some() || own.len() > MOST_CITIES {
            return None;
        }
        let recipe = settings.recipe_for_form(&form, suits(device)).ok().filter(|recipe| recipe.colonies == 1)?;
        let start = first_solution(recipe.phases[0].begins, own);
        let cost = own.cost(&start).ok()?;
        let Plan::Chained(plan) = plan_of(&recipe, Position::default(), &shape, cost, device).ok()? else {
            return None;
        };
        let kind = Kind {
            room: plan.cities.next_power_of_two().max(LEAST_ROOM),
            rounding: plan.rounding?,
            walks: plan.walks,
            neighbours: plan.neighbours,
        };
        let clock = Clock::new(started);
        let seconds = clock.seconds();
        let check = Check::of(&recipe.phase(0, 0), &Plan::Chained(plan.clone()), 0);
        let progress = Progress::at_start(seconds, cost);
        let trace = vec![TracePoint { seconds, iteration: 0, cost, shared_edges: None }];
        Some((kind, Self { form, recipe, plan, start, clock, progress, trace, check, walk: 0, ended: None }))
    }

    /// Lets time count from now on.
    pub fn begin(&mut self) {
        self.clock = Clock::new(Instant::now());
        self.progress.seconds = 0.0;
        self.trace.iter_mut().for_each(|point| point.seconds = 0.0);
    }

    /// What its walks search.
    ///
    /// # Errors
    /// None for one that has begun.
    pub fn walked(&self) -> Result<Walked<'_>> {
        Ok(Walked { instance: tour_of(&self.form)?, plan: &self.plan, start: &self.start })
    }

    /// Looks whether a rule holds.
    pub fn look(&mut self, stop: &Stop) {
        let since = stop.clock.unwrap_or(self.clock.began);
        self.ended = self.ended.or_else(|| stop.clone().since(since).ended(&self.progress, &self.clock));
    }

    /// Takes note of what its walks have found in an iteration, which was not `whole` if time was up. Ends where the next round would begin.
    pub fn note(&mut self, costs: &[u64], whole: bool, stop: &Stop) {
        let seconds = self.clock.seconds();
        let iteration = self.progress.iteration + 1;
        self.progress.seconds = seconds;
        let best = costs.iter().zip(0..).min().map_or((u64::MAX, 0), |(&cost, walk)| (cost, walk));
        if best.0 < self.progress.cost {
            (self.progress.cost, self.walk) = best;
            (self.progress.best_iteration, self.progress.best_seconds) = (iteration, seconds);
            self.trace.push(TracePoint { seconds, iteration, cost: best.0, shared_edges: None });
        }
        if !whole {
            return;
        }
        self.progress.iteration = iteration;
        if let Some(check) = &mut self.check
            && check.left(iteration) == 0
            && check.ends(iteration, self.progress.cost)
        {
            self.ended = stop.ends_before(1, &self.progress);
        }
    }

    /// The solution of the problem itself. `tours` are those of its walks, each with so much `room`.
    ///
    /// # Errors
    /// [`Error::Device`] when its walk has another cost than it said.
    pub fn solution(&self, tours: &[u32], room: usize, longest_submission: f64, device: &str) -> Result<Solution> {
        let Progress { iteration, cost, .. } = self.progress;
        let cities = self.plan.cities;
        let (cost_begin, seconds) = (self.plan.reference_cost, self.clock.seconds());
        let permutation = match cost < cost_begin {
            true => tours[self.walk * room..][..cities].to_vec(),
            false => self.start.clone(),
        };
        let state = RecordState {
            at: Position::default(),
            halvings: 0,
            iterations: iteration,
            seconds,
            cost_begin,
            cost_end: cost,
            ended: PhaseEnded::Run,
            first_iteration: 0,
            first_second: 0.0,
        };
        let solution = Solution {
            length: cost as f64,
            permutation,
            cost,
            iterations: iteration,
            seconds,
            resumed: None,
            ended: self.ended.unwrap_or(Ended::Converged),
            trace: self.trace.clone(),
            devices: Vec::new(),
            phases: vec![PhaseRecord::of(&self.recipe, cities, &state)],
            kernels: Vec::new(),
            longest_submission,
            device_lost: None,
        };
        let solution = solution.of_form(&self.form);
        match self.form.original().cost(&solution.permutation) {
            Ok(cost) if cost == solution.cost => Ok(solution),
            other => Err(Error::Device {
                device: device.to_owned(),
                message: format!("a tour that was told to cost {} costs {other:?}", solution.cost),
            }),
        }
    }
}

fn tour_of(form: &Form) -> Result<&Instance> {
    match form.problem() {
        Problem::Tsp(instance) => Ok(instance),
        Problem::Qap(_) => Err(Error::Config("packs are of tours; please report this".into())),
    }
}
