//! A window that is being improved, and its run.

use rayon::prelude::*;
use web_time::Instant;

use super::super::background::Background;
use super::super::clock::Clock;
use super::super::devices::Place;
use super::super::one::Run;
use super::super::phases::fitting;
use super::super::pools::side_by_side;
use super::super::setup::first_solution;
use super::super::{Ended, Stop};
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::Window;
use crate::settings::Recipe;

/// A window and its run.
pub(super) struct Improved {
    pub number: u32,
    /// Which of the devices it is on.
    pub place: usize,
    pub window: Window,
    /// Iterations of the whole run before it.
    pub begins: u32,
    pub run: Begun,
}

/// The run of a window.
pub(super) enum Begun {
    /// It is being set up.
    Soon(Background<Run>),
    Now(Box<Run>),
}

impl Improved {
    pub fn run(&self) -> Option<&Run> {
        match &self.run {
            Begun::Now(run) => Some(run),
            Begun::Soon(_) => None,
        }
    }

    /// Its run, after a short wait at most where that is still being set up.
    pub fn look(&mut self) -> Result<Option<&mut Run>> {
        if let Begun::Soon(made) = &self.run
            && let Some(run) = made.look()
        {
            self.run = Begun::Now(Box::new(run?));
        }
        Ok(match &mut self.run {
            Begun::Now(run) => Some(run),
            Begun::Soon(_) => None,
        })
    }

    /// Its run, however long that takes.
    pub fn wait(&mut self) -> Result<&mut Run> {
        while self.look()?.is_none() {}
        match &mut self.run {
            Begun::Now(run) => Ok(run),
            Begun::Soon(_) => Err(Error::Config("a window has no run; please report this".into())),
        }
    }

    /// The iteration of the whole run that it has come to.
    pub fn at(&self) -> u32 {
        self.begins.saturating_add(self.run().map_or(0, |run| run.progress.iteration))
    }

    /// Whether its run has ended.
    pub fn is_over(&self) -> bool {
        self.run().is_some_and(|run| run.over || run.problem.is_trivial())
    }

    /// What its run has gained.
    pub fn gain(&self) -> Option<(&Run, u64)> {
        let run = self.run()?;
        Some((run, self.window.cost().checked_sub(run.kept_cost).filter(|gain| *gain > 0)?))
    }

    /// Turns of its run until that ends, a rule of `stop` holds, which is told, or a time has passed.
    pub fn turns(&mut self, stop: &Stop, until: Instant) -> Result<Option<Ended>> {
        let iterations = stop.iterations.map(|all| all.saturating_sub(self.begins));
        let stop = Stop { iterations, target: None, stagnation: None, stagnation_time: None, ..stop.clone() };
        while !self.is_over() {
            if let Some(run) = self.look()? {
                if let Some(ended) = stop.ended(&run.progress, &run.clock) {
                    return Ok(Some(ended));
                }
                if let Some(ended) = run.turn(&stop)?.filter(|ended| *ended != Ended::Trivial) {
                    return Ok(Some(ended));
                }
            }
            if Instant::now() >= until {
                break;
            }
        }
        Ok(None)
    }
}

/// The run of a window, which has made no iteration.
pub(super) fn run_of(problem: &Problem, recipe: &Recipe, clock: Clock, device: Box<dyn Backend>) -> Result<Run> {
    let start = first_solution(recipe.phases[0].begins, problem);
    let cost = problem.cost(&start)?;
    let (recipe, halvings) = fitting(recipe, 0, &problem.shape(), cost, device.capabilities())?;
    let run = Run::new(clock, problem, recipe, device, (&start, cost, false))?;
    Ok(Run { halvings, ..run })
}

/// Turns of windows that are on several devices.
pub(super) fn turns_on(
    places: &[Place],
    windows: &mut [Improved],
    stop: &Stop,
    until: Instant,
) -> Vec<Result<Option<Ended>>> {
    let mut parts: Vec<Vec<(usize, &mut Improved)>> = places.iter().map(|_| Vec::new()).collect();
    for (order, improved) in windows.iter_mut().enumerate() {
        parts[improved.place].push((order, improved));
    }
    let pools: Vec<_> = places.iter().map(|place| place.pool.as_deref()).collect();
    let turns = side_by_side(&pools, parts, |mut part: Vec<(usize, &mut Improved)>| {
        let turns = part.par_iter_mut().map(|(order, improved)| (*order, improved.turns(stop, until)));
        turns.collect::<Vec<_>>()
    });
    let mut turns: Vec<_> = turns.into_iter().flatten().collect();
    turns.sort_by_key(|(order, _)| *order);
    turns.into_iter().map(|(_, turn)| turn).collect()
}

/// Copies the best tour of a window's run from the device.
pub(super) fn keep_best_of(improved: &mut Improved) -> Result<()> {
    let Begun::Now(run) = &mut improved.run else { return Ok(()) };
    let Some(mut colony) = run.colony.take() else { return Ok(()) };
    let kept = run.keep_best(&mut colony);
    run.colony = Some(colony);
    kept
}
