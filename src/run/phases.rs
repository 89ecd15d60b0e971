//! One phase after the other: when a phase ends, what the next one begins with, and a record of what ran.

use serde::{Deserialize, Serialize};

use super::precompile::Precompile;
use super::records::{self, PhaseEnded, PhaseRecord};
use super::{Ended, Progress, Run, Stop, TracePoint};
use crate::algorithm::value::Value;
use crate::backend::{Backend, Capabilities};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::{Problem, Shape};
use crate::kernels::plan::Plan;
use crate::settings::{Begins, Ends, Phase, Recipe, System};

/// The fewest individuals that a population may be reduced to where the device lacks room.
const FEWEST: usize = 32;

/// Looks at how alike tours are that the trace holds, before it holds fewer of further ones.
const MOST_LOOKS: u32 = 1000;

/// Where a run is in its recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// The phase, counted from 0.
    pub index: usize,
    /// How often the phases have begun again.
    pub round: u32,
}

/// When the end of a phase is looked for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Check {
    /// The iteration of the next check, and iterations from one to the next.
    next: u32,
    every: u32,
    /// The cost at the last check: the phase's, or that of all individuals together.
    cost: u64,
    /// What gain is too little.
    ends: Ends,
}

impl Check {
    /// That of a phase which begins in `iteration` with `plan`; `None` when it ends with the run.
    pub fn of(phase: &Phase, plan: &Plan, iteration: u32) -> Option<Self> {
        let ends = phase.ends;
        let every = match ends {
            Ends::WithTheRun => return None,
            Ends::After { iterations } | Ends::Stagnation { iterations, .. } | Ends::NoGain { iterations } => {
                iterations
            }
        };
        let cost = if matches!(plan, Plan::Eax(_)) { u64::MAX } else { plan.reference_cost };
        Some(Self { next: iteration.saturating_add(every), every, cost, ends })
    }

    /// Iterations until the next check.
    pub fn left(&self, iteration: u32) -> u32 {
        self.next.saturating_sub(iteration)
    }

    /// Looks at the cost: whether the phase gains too little to go on.
    pub fn ends(&mut self, iteration: u32, cost: u64) -> bool {
        let gain = self.cost.saturating_sub(cost);
        (self.next, self.cost) = (iteration.saturating_add(self.every), cost);
        match self.ends {
            Ends::WithTheRun => false,
            Ends::After { .. } => true,
            Ends::NoGain { .. } => gain == 0,
            // Of nothing no part is left to gain.
            Ends::Stagnation { gain: part, .. } => cost == 0 || gain.saturating_mul(part) < cost,
        }
    }

    /// Why the phase ended, if it did.
    pub fn ended(&self) -> PhaseEnded {
        if matches!(self.ends, Ends::After { .. }) { PhaseEnded::Iterations } else { PhaseEnded::Stagnation }
    }
}

/// The plan of the phase at a position.
pub(super) fn plan_of(recipe: &Recipe, at: Position, shape: &Shape, cost: u64, device: &Capabilities) -> Result<Plan> {
    let part = recipe.shape_of(at.index, shape);
    // A window has its share of what the tour costs.
    let cost = match part.size < shape.size {
        true => (u128::from(cost) * part.size as u128 / shape.size as u128) as u64,
        false => cost,
    };
    Plan::new(&part, cost, &recipe.phase(at.index, at.round).system, device)
}

/// On devices that take long to compile, begins to compile the kernels of the phases behind the first one, and those of `present`.
pub(super) fn precompile(
    recipe: &Recipe,
    shape: &Shape,
    cost: u64,
    backend: &dyn Backend,
    present: Option<Plan>,
) -> Option<Precompile> {
    let device = backend.capabilities();
    let preparer = backend.preparer().filter(|_| device.wide && recipe.phases.len() > 1)?;
    let follow = (1..recipe.phases.len()).filter(|&index| recipe.phases[index].begins != Begins::Continued);
    let plan =
        |recipe: &Recipe, shape: &Shape, index| plan_of(recipe, Position { index, round: 0 }, shape, cost, device);
    let mut plans: Vec<Plan> = follow.filter_map(|index| plan(recipe, shape, index).ok()).collect();
    if let Some(pass) = recipe.windows.filter(|windows| windows.halvings > 0).map(|_| recipe.window(0)) {
        // Its first windows, before those of the recipe's size.
        let (recipe, shape) = (recipe.for_window(0, pass.cities as usize), shape.of_window(pass.cities as usize));
        let first = (0..recipe.phases.len()).filter(|&index| recipe.phases[index].begins != Begins::Continued);
        plans.splice(0..0, first.filter_map(|index| plan(&recipe, &shape, index).ok()));
    }
    Some(Precompile::begin(preparer, present, plans.into_iter().map(Plan::begun).collect()))
}

/// The recipe with a population that the device holds: halved until it fits, and how often. So no individual gets a first tour that is of no
/// use.
pub(super) fn fitting(
    recipe: &Recipe,
    round: u32,
    shape: &Shape,
    cost: u64,
    device: &Capabilities,
) -> Result<(Recipe, u32)> {
    let crossover = recipe.phases.iter().position(|phase| matches!(phase.system, System::Eax(_)));
    let Some(index) = crossover else { return Ok((recipe.clone(), 0)) };
    match plan_of(recipe, Position { index, round }, shape, cost, device) {
        Ok(_) => Ok((recipe.clone(), 0)),
        Err(error @ Error::TooLarge { .. }) => {
            match recipe.clone().halved().filter(|half| half.phase(index, round).system.units() >= FEWEST) {
                Some(half) => {
                    fitting(&half, round, shape, cost, device).map(|(recipe, halvings)| (recipe, halvings + 1))
                }
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// The same for a run that begins with first tours of a population; where others come before it is looked at when these are over.
pub(super) fn first_fitting(
    recipe: Recipe,
    problem: &Problem,
    cost: u64,
    device: &Capabilities,
) -> Result<(Recipe, u32)> {
    let begins = |phase: &Phase| phase.begins == Begins::Population;
    match !problem.is_trivial() && recipe.phases.get(1).is_some_and(begins) {
        true => fitting(&recipe, 0, &problem.shape(), cost, device),
        false => Ok((recipe, 0)),
    }
}

/// How far a run has come in its recipe.
pub(super) struct Course {
    /// What runs.
    pub recipe: Recipe,
    /// The phase of it that runs.
    pub at: Position,
    /// When its end is looked for; `None` where it ends with the run.
    pub check: Option<Check>,
    /// The same of a phase that goes on because the device cannot hold the next one.
    pub refused: Option<Check>,
    /// What ran, the present phase last.
    pub records: Vec<PhaseRecord>,
    /// Whether the last phase has ended by itself.
    pub over: bool,
    /// How often the population was halved to fit into the device.
    pub halvings: u32,
    /// Records in the middle that are not kept.
    pub left_out: u32,
    /// After how many rounds it rests, where these are over while other colonies go on.
    pub rests: Option<u32>,
}

impl Course {
    /// The beginning of a recipe.
    pub fn of(recipe: Recipe) -> Self {
        let at = Position::default();
        Self {
            recipe,
            at,
            check: None,
            refused: None,
            records: Vec::new(),
            over: false,
            halvings: 0,
            left_out: 0,
            rests: None,
        }
    }

    /// The phase that runs.
    pub fn phase(&self) -> Phase {
        self.recipe.phase(self.at.index, self.at.round)
    }

    /// Begins the record of that phase, and looks for its end from now on: an iteration and the seconds.
    pub fn begin(&mut self, plan: &Plan, cities: usize, now: (u32, f64)) {
        self.check = Check::of(&self.phase(), plan, now.0);
        let at = (self.at, self.halvings);
        let record = PhaseRecord::begun(&self.recipe, cities, at, plan.reference_cost, now);
        records::add(&mut self.records, &mut self.left_out, record);
    }

    /// Has the record say that its phase began with the solution that was given, where such a phase does.
    pub fn note_given(&mut self) {
        let begins = self.phase().system.begins_with_given();
        if let Some(record) = self.records.last_mut().filter(|_| begins) {
            record.begins = Begins::Given;
        }
    }

    /// Ends that record.
    pub fn complete(&mut self, ended: PhaseEnded, cost: u64, now: (u32, f64)) {
        if let Some(record) = self.records.last_mut() {
            record.complete(ended, cost, now);
        }
    }
}

impl Run {
    /// Begins the record of the phase that runs, and looks for its end from now on.
    pub(super) fn begin_phase(&mut self, plan: &Plan, first_second: f64) {
        (self.progress.phase, self.progress.round) = (self.course.at.index as u32, self.course.at.round);
        self.course.begin(plan, self.problem.len(), (self.progress.iteration, first_second));
        if let Some(record) = self.course.records.last_mut() {
            let choices = plan.choices().into_iter();
            record.execution = choices.map(|choice| (choice.name, Value::from_text(&choice.value))).collect();
        }
    }

    /// The records, that of the present phase as it stands.
    pub(super) fn phase_records(&self) -> Vec<PhaseRecord> {
        self.records_until(PhaseEnded::Run)
    }

    /// The records, the present phase ended so.
    pub(super) fn records_until(&self, ended: PhaseEnded) -> Vec<PhaseRecord> {
        let mut records = self.course.records.clone();
        if let Some(record) = records.last_mut() {
            record.complete(ended, self.claim.cost, (self.progress.iteration, self.clock.seconds()));
        }
        records
    }

    /// Looks whether the present phase has ended, and begins to set up the next one then (see [`Run::settle`]). If the device cannot hold what
    /// that needs, the present one continues. Why the run ends where a rule of `stop` lets no further round begin; if it is called again it
    /// looks once more.
    pub(super) fn next_phase(&mut self, colony: &mut Colony, stop: &Stop) -> Result<Option<Ended>> {
        if stop.needs_rounds() && self.course.check.is_none() {
            self.course.check = self.course.refused.take();
        }
        let looked_for = self.course.check.filter(|check| self.progress.iteration >= check.next);
        let Some(mut check) = looked_for else { return Ok(None) };
        let shared = colony.overlap()?;
        let cost = match shared {
            Some(_) => colony.costs_of_population()?.iter().sum(),
            None => self.claim.cost,
        };
        let ends = check.ends(self.progress.iteration, cost);
        // What goes on from here looks once more.
        let host = (ends && self.undo.copies).then(|| self.state_with(None));
        self.course.check = Some(check);
        if let Some(shared) = shared {
            self.note_look(shared);
        }
        if !ends {
            return Ok(None);
        }
        self.course.check = None;
        let Some((index, round)) = self.course.recipe.next(self.course.at.index, self.course.at.round) else {
            self.course.over = true;
            return Ok(None);
        };
        if let Some(ended) = stop.ends_before(round, &self.progress) {
            self.course.check = looked_for;
            return Ok(Some(ended));
        }
        let next = Position { index, round };
        let (cost, now) = (self.claim.cost, (self.progress.iteration, self.clock.seconds()));
        self.course.complete(check.ended(), cost, now);
        log::debug!("{:.3} s: phase {index} follows, round {round}", self.clock.seconds());
        if self.course.recipe.phase(index, round).begins == Begins::Continued {
            colony.grow();
            self.course.at = next;
            let began = self.clock.seconds();
            self.begin_phase(colony.plan(), began);
            if let Some(record) = self.course.records.last_mut() {
                (record.cost_begin, record.cost_end) = (self.claim.cost, self.claim.cost);
            }
            if let Some(next) = &mut self.course.check {
                // The costs are compared as before, and this look counts for the new phase too.
                next.cost = check.cost;
            }
            return Ok(None);
        }
        if self.course.recipe.windows.is_some() {
            return self.begin_windows(colony, next, looked_for, stop);
        }
        if let Some(host) = host {
            let population = self.course.recipe.phase(index, round).begins == Begins::Population;
            let saved = if population { colony.save_with_solutions() } else { colony.save() };
            self.undo.state = Some(host.with(saved?));
        }
        self.succeed(colony, next, looked_for).map(|()| None)
    }

    /// Takes note of how alike tours are; of many looks every second, fourth, eighth and so on.
    fn note_look(&mut self, shared: f64) {
        let looks = self.history.looks;
        self.history.looks += 1;
        if !looks.is_multiple_of((looks / MOST_LOOKS + 1).next_power_of_two()) {
            return;
        }
        let seconds = self.clock.seconds();
        let Progress { iteration, cost, .. } = self.progress;
        self.history.trace.push(TracePoint::of(seconds, iteration, cost, Some(shared)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CpuBackend;
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::{Eax, LkEax, Settings};

    /// Of a cost of nothing no part can be gained, however small.
    #[test]
    fn a_phase_whose_cost_is_nothing_ends() {
        let of = |ends: Ends| Check { next: 5, every: 5, cost: 100, ends };
        let mut check = of(Ends::Stagnation { iterations: 5, gain: 10 });
        let ends = [(5, 60), (10, 55), (15, 0), (20, 0)].map(|(iteration, cost)| check.ends(iteration, cost));
        assert_eq!((ends, check.left(20)), ([false, true, true, true], 5));
        assert!(of(Ends::After { iterations: 5 }).ends(5, 1));
        let mut check = of(Ends::NoGain { iterations: 5 });
        assert_eq!([(5, 99), (10, 99)].map(|(iteration, cost)| check.ends(iteration, cost)), [false, true]);
    }

    /// However long a run takes, its trace holds few looks.
    #[test]
    fn looks_at_how_alike_tours_are_do_not_fill_the_memory() {
        let problem = Problem::from(&generate(Kind::Uniform, 8, 1).unwrap());
        let recipe = Settings::default().recipe(&problem, crate::settings::Effort::Standard).unwrap();
        let clock = super::super::clock::Clock::new(web_time::Instant::now());
        let mut run = Run::of(clock, &problem, recipe, "none".into(), None, (0..8).collect(), 1_000_000_000);
        let looks = [1000, 9000, 90_000, 900_000].map(|more| {
            (0..more).for_each(|_| run.note_look(0.5));
            run.history.trace.len() as u32
        });
        assert!(looks[0] > MOST_LOOKS && looks[0] <= MOST_LOOKS + 1, "{looks:?}");
        // Ten times as many looks fill three to four times half of the first thousand more.
        looks.windows(2).for_each(|pair| assert!((1..2 * MOST_LOOKS).contains(&(pair[1] - pair[0])), "{looks:?}"));
        assert!(looks[3] < 7 * MOST_LOOKS, "{looks:?}");
    }

    /// A population that the device cannot hold is halved, down to a few individuals, which it has to hold.
    #[test]
    fn the_population_is_as_large_as_the_device_holds() {
        let problem = Problem::from(&generate(Kind::Uniform, 500, 1).unwrap());
        let mut device = CpuBackend::new().capabilities().clone();
        let population = Some(256);
        let asked = [
            Settings::of(LkEax { population, ..LkEax::default() }),
            Settings::of(Eax { population, ..Eax::default() }),
        ];
        for settings in asked {
            let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
            let index = recipe.phases.iter().position(|phase| matches!(phase.system, System::Eax(_))).unwrap();
            let shape = problem.shape();
            let individuals = |round, device: &Capabilities| {
                let fits = fitting(&recipe, round, &shape, 1000, device)?;
                plan_of(&fits.0, Position { index, round }, &shape, 1000, device).map(|plan| match plan {
                    Plan::Eax(plan) => plan.individuals,
                    other => panic!("not a plan of a crossover: {other:?}"),
                })
            };
            device.buffer_bytes = u64::MAX;
            let all = [0, 1, 2, 9].map(|round| individuals(round, &device).unwrap());
            assert_eq!(all, [256, 512, 1024, 1024]);
            let plan = plan_of(&recipe, Position { index, round: 0 }, &shape, 1000, &device).unwrap();
            let largest = plan.buffers();
            device.buffer_bytes = largest.iter().map(|buffer| 4 * buffer.words).max().unwrap();
            assert_eq!([0, 1, 2, 9].map(|round| individuals(round, &device).unwrap()), [256; 4]);
            device.buffer_bytes -= 1;
            assert_eq!([0, 2].map(|round| individuals(round, &device).unwrap()), [128; 2]);
            // Before first tours of it are made: windows come before these, which need no population yet.
            let (begins, halvings) = first_fitting(recipe.clone(), &problem, 1000, &device).unwrap();
            let makes_tours = matches!(recipe.phases[0].system, System::Construct(_));
            assert_eq!((halvings, begins != recipe), (u32::from(makes_tours), makes_tours));
            device.buffer_bytes /= 8;
            device.buffer_bytes -= 1;
            assert!(matches!(individuals(0, &device), Err(Error::TooLarge { .. })));
        }
    }
}
