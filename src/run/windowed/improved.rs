//! A window that is being improved, and its run.

use web_time::Instant;

use super::super::background::Background;
use super::super::clock::Clock;
use super::super::one::{Run, Start};
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
    /// Another thread makes turns of it.
    Away,
}

/// What all turns of windows share.
pub(super) struct Turns {
    pub stop: Stop,
    /// When they end.
    pub until: Instant,
    /// Whether there are several windows.
    pub beside_others: bool,
    /// Whether what an interrupted iteration began with is copied, as the run's `Undo` says.
    pub copies: bool,
}

impl Begun {
    fn run(&self) -> Option<&Run> {
        match self {
            Self::Now(run) => Some(run),
            Self::Soon(_) | Self::Away => None,
        }
    }

    fn is_over(&self) -> bool {
        self.run().is_some_and(|run| run.course.over || run.problem.is_trivial())
    }

    /// The run, after a short wait at most where it is still being set up.
    fn look(&mut self) -> Result<Option<&mut Run>> {
        if let Self::Soon(made) = self
            && let Some(run) = made.look()
        {
            *self = Self::Now(Box::new(run?));
        }
        Ok(match self {
            Self::Now(run) => Some(run),
            Self::Soon(_) | Self::Away => None,
        })
    }

    /// Turns until the run ends, a rule of the run of all cities holds, which is told, or a time has passed; `begins` are the iterations of
    /// the whole run before.
    pub fn turns(&mut self, begins: u32, turns: &Turns) -> Result<Option<Ended>> {
        let iterations = turns.stop.iterations.map(|all| all.saturating_sub(begins));
        let stop = Stop { iterations, cost: None, stagnation: None, stagnation_time: None, ..turns.stop.clone() };
        while !self.is_over() {
            if let Some(run) = self.look()? {
                (run.coming.beside_others, run.undo.copies) = (turns.beside_others, turns.copies);
                if let Some(ended) = stop.ended(&run.progress, &run.clock) {
                    return Ok(Some(ended));
                }
                if let Some(ended) = run.turn(&stop)?.filter(|ended| *ended != Ended::Trivial) {
                    return Ok(Some(ended));
                }
            }
            if Instant::now() >= turns.until {
                break;
            }
        }
        Ok(None)
    }
}

impl Improved {
    pub fn run(&self) -> Option<&Run> {
        self.run.run()
    }

    /// Its run, however long that takes.
    pub fn wait(&mut self) -> Result<&mut Run> {
        while matches!(self.run, Begun::Soon(_)) {
            self.run.look()?;
        }
        match &mut self.run {
            Begun::Now(run) => Ok(run),
            Begun::Soon(_) | Begun::Away => Err(Error::Fault("a window has no run".into())),
        }
    }

    /// The iteration of the whole run that it has come to.
    pub fn at(&self) -> u32 {
        self.begins.saturating_add(self.run().map_or(0, |run| run.progress.iteration))
    }

    /// Whether its run has ended.
    pub fn is_over(&self) -> bool {
        self.run.is_over()
    }

    /// Its run, where that has made the window's part of the tour shorter.
    pub fn shorter(&self) -> Option<&Run> {
        self.run().filter(|run| run.kept.cost < self.window.cost())
    }
}

/// The run of a window, which has made no iteration.
pub(super) fn run_of(problem: &Problem, recipe: &Recipe, clock: Clock, device: Box<dyn Backend>) -> Result<Run> {
    let start = first_solution(recipe.phases[0].begins, problem);
    let cost = problem.cost(&start)?;
    Run::new(clock, problem, recipe.clone(), device, Start { solution: &start, cost, given: false })
}

/// Copies the best tour of a window's run from the device.
pub(super) fn keep_best_of(improved: &mut Improved) -> Result<()> {
    let Begun::Now(run) = &mut improved.run else { return Ok(()) };
    let Some(mut colony) = run.colony.take() else { return Ok(()) };
    let kept = run.keep_best(&mut colony);
    run.colony = Some(colony);
    kept
}
