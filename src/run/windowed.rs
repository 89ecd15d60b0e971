//! Crossover of a window of the tour at a time: each window is a run of its own, and the whole tour takes over what it gains.
//!
//! A window grows around the city that fewest windows had before, of some that are drawn. It holds so many cities that a population
//! solves it in seconds; the paths outside stay as they are (`src/instance/tsp/window.rs`).

use serde::{Deserialize, Serialize};

use super::checkpoint::RunState;
use super::one::Run;
use super::phases::{Position, fitting};
use super::setup::first_solution;
use super::{Ended, Shared, Stop, WarmUp};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::random::{NO_ANT, Stream};
use crate::backend::Backend;
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::Window;
use crate::settings::System;

/// Cities that are drawn for the centre of a window.
const CENTRES: u32 = 64;

/// The window that is being improved.
pub(super) struct Windowed {
    /// The device, without buffers: each window has a colony of its own there.
    device: Box<dyn Backend>,
    /// Windows before it.
    number: u32,
    /// How many windows have had each city, this one included.
    had: Vec<u32>,
    centre: u32,
    window: Window,
    run: Box<Run>,
    /// Iterations before it.
    first_iteration: u32,
}

/// What a window goes on from: it is cut once more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WindowState {
    number: u32,
    centre: u32,
    first_iteration: u32,
    #[serde(skip)]
    had: Vec<u32>,
    /// The tour that it was cut of.
    #[serde(skip)]
    tour: Vec<u32>,
    run: RunState,
}

impl WindowState {
    /// All words, in an order that does not change.
    pub fn words(&self) -> Vec<&Vec<u32>> {
        [&self.had, &self.tour].into_iter().chain(self.run.words()).collect()
    }

    /// The same, to be filled.
    pub fn words_mut(&mut self) -> Vec<&mut Vec<u32>> {
        [&mut self.had, &mut self.tour].into_iter().chain(self.run.words_mut()).collect()
    }
}

impl Windowed {
    /// The window's run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it goes on from.
    pub fn state(&mut self) -> Result<WindowState> {
        let run = self.run.state()?;
        let (had, tour) = (self.had.clone(), self.window.tour().to_vec());
        Ok(WindowState {
            number: self.number,
            centre: self.centre,
            first_iteration: self.first_iteration,
            had,
            tour,
            run,
        })
    }

    /// The window of `whole` that goes on from `state`.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] for what is no window of it; what the device refuses.
    pub fn restored(whole: &Run, device: Box<dyn Backend>, state: WindowState) -> Result<Self> {
        let WindowState { number, centre, first_iteration, had, tour, run } = state;
        let cities = whole.problem.len();
        if whole.problem.cost(&tour).is_err() || had.len() != cities || centre as usize >= cities {
            return Err(Error::Checkpoint(
                "its window is none of a tour; take an earlier one, or begin the run again".into(),
            ));
        }
        let window = whole.cut(&tour, centre)?;
        let problem = Problem::from(window.instance());
        let recipe = whole.recipe.for_window(number, problem.len());
        let run = Run::restored(whole.clock, &problem, recipe, device.fresh()?, run, Shared::default())?;
        Ok(Self { device, number, had, centre, window, run: Box::new(run), first_iteration })
    }

    /// The centre of the next window: of the cities drawn the first of those that fewest windows have had.
    fn centre(problem: &Problem, had: &[u32], seed: u64, number: u32) -> u32 {
        let stream = Stream::new(seed, number, NO_ANT);
        let drawn = (0..CENTRES).map(|at| ((u64::from(stream.word(at)) * had.len() as u64) >> 32) as u32);
        let gap = match problem {
            Problem::Tsp(instance) => instance.kernel_form.gap,
            Problem::Qap(_) => None,
        };
        drawn.filter(|&city| Some(city) != gap).min_by_key(|&city| had[city as usize]).unwrap_or(0)
    }
}

impl Run {
    /// Goes on with the first window, when windows of the whole tour have ended. If the device cannot hold what that needs, the present
    /// phase continues.
    pub(super) fn begin_windows(&mut self, colony: &mut Colony, next: Position) -> Result<()> {
        self.keep_best(colony)?;
        let began = self.clock.seconds();
        let device = match &self.warm_up {
            Some(WarmUp { device }) => device.fresh()?,
            None => colony.backend().fresh()?,
        };
        let had = vec![0; self.problem.len()];
        match self.next_window(device, had, 0) {
            Ok(windowed) => self.windowed = Some(windowed),
            Err(Error::TooLarge { what, needed, limit, .. }) => {
                log::info!("going on as before: {what} takes {needed}, the device allows {limit}");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        self.warm_up = None;
        let is_crossover = |&index: &usize| matches!(self.recipe.phases[index].system, System::Eax(_));
        let crossover = (next.index..self.recipe.phases.len()).find(is_crossover);
        self.at = Position { index: crossover.unwrap_or(next.index), ..next };
        (self.own_cost, self.looked_at) = (self.kept_cost, self.kept_cost);
        self.begin_phase(colony.plan(), began);
        self.check = None;
        if let Some(record) = self.records.last_mut() {
            (record.cost_begin, record.cost_end) = (self.kept_cost, self.kept_cost);
        }
        Ok(())
    }

    /// The window around a city of a tour.
    fn cut(&self, tour: &[u32], centre: u32) -> Result<Window> {
        let (Problem::Tsp(instance), Some(size)) = (&self.problem, self.recipe.eax_window) else {
            return Err(Error::Config("windows are for tours".into()));
        };
        Window::cut(instance, tour, &instance.neighbours(SEARCHED_CANDIDATES), centre, size as usize)
    }

    /// Window `number` of the best tour.
    fn next_window(&self, device: Box<dyn Backend>, mut had: Vec<u32>, number: u32) -> Result<Windowed> {
        let centre = Windowed::centre(&self.problem, &had, self.recipe.seed, number);
        let window = self.cut(&self.kept, centre)?;
        window.cities().for_each(|city| had[city as usize] += 1);
        let problem = Problem::from(window.instance());
        let recipe = self.recipe.for_window(number, problem.len());
        let start = first_solution(recipe.phases[0].begins, &problem);
        let cost = problem.cost(&start)?;
        let (recipe, halvings) = fitting(&recipe, 0, &problem.shape(), cost, device.capabilities())?;
        let mut run = Self::new(self.clock, &problem, recipe, device.fresh()?, (&start, cost, false))?;
        run.halvings = halvings;
        let first_iteration = self.progress.iteration;
        Ok(Windowed { device, number, had, centre, window, run: Box::new(run), first_iteration })
    }

    /// A turn of the window's run. Behind its last phase the whole tour takes over what was gained, and the next window follows.
    pub(super) fn turn_of_window(&mut self, mut windowed: Windowed, stop: &Stop) -> Result<Option<Ended>> {
        let iterations = stop.iterations.map(|all| all.saturating_sub(windowed.first_iteration));
        let own = Stop { iterations, target: None, stagnation: None, stagnation_time: None, ..stop.clone() };
        windowed.run.copies = self.copies;
        let ended = if windowed.run.over { Ok(None) } else { windowed.run.turn(&own) };
        self.note_window(&windowed);
        if !windowed.run.over && !matches!(ended, Ok(Some(Ended::Trivial))) {
            self.windowed = Some(windowed);
            return ended;
        }
        let taken = self.take_window(&mut windowed);
        let Windowed { device, number, had, run, .. } = windowed;
        self.earlier.add(run.kernels());
        // Its memory is free before the next one asks for some.
        drop(run);
        taken?;
        self.windowed = Some(self.next_window(device, had, number.saturating_add(1))?);
        Ok(None)
    }

    /// What a window under way goes on from.
    pub(super) fn window_state(&mut self) -> Result<Option<Box<WindowState>>> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(None) };
        let state = windowed.state();
        // An iteration that was under way has been finished for that.
        self.note_window(&windowed);
        self.windowed = Some(windowed);
        state.map(|state| Some(Box::new(state)))
    }

    /// Takes note of how far a window's run has come.
    fn note_window(&mut self, windowed: &Windowed) {
        let own = windowed.run.progress;
        let first = self.recipe.restart.map_or(0, |restart| restart.from_phase);
        self.progress.seconds = self.clock.seconds();
        self.progress.iteration = windowed.first_iteration.saturating_add(own.iteration);
        (self.progress.phase, self.progress.round) = (first as u32 + own.phase, windowed.number);
        self.longest_submission = self.longest_submission.max(windowed.run.longest_submission);
    }

    /// Lets the whole tour take over what the window has gained so far.
    pub(super) fn keep_window(&mut self) -> Result<()> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(()) };
        let taken = self.take_window(&mut windowed);
        self.windowed = Some(windowed);
        taken
    }

    fn take_window(&mut self, windowed: &mut Windowed) -> Result<()> {
        let Windowed { window, run, .. } = windowed;
        if let Some(mut colony) = run.colony.take() {
            let kept = run.keep_best(&mut colony);
            run.colony = Some(colony);
            kept?;
        }
        if run.kept_cost >= window.cost() {
            return Ok(());
        }
        let tour = window.merged(&run.kept);
        let cost = self.problem.cost(&tour)?;
        if cost < self.kept_cost {
            self.keep_solution(tour, cost);
            (self.own_cost, self.own_iteration, self.looked_at) = (cost, self.progress.iteration, cost);
            self.note_gain(cost, self.progress.iteration);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::{LkEax, Settings};

    #[test]
    fn windows_reach_every_city_before_populations_grow() {
        let instance = generate(Kind::Clustered, 2000, 1).unwrap();
        let asked = LkEax { eax_up_to: Some(1000), eax_window: Some(200), population: Some(10), ..LkEax::default() };
        let problem = Problem::from(&instance);
        let recipe = Settings::of(asked).recipe(&problem, crate::settings::Effort::Standard).unwrap();
        let (tour, neighbours) = (instance.greedy_tour(), instance.neighbours(SEARCHED_CANDIDATES));
        let mut had = vec![0; instance.len()];
        let population = |number| recipe.for_window(number, 200).phases[1].system.units();
        let mut windows = 0;
        while population(windows) == 10 {
            let centre = Windowed::centre(&problem, &had, recipe.seed, windows);
            let window = Window::cut(&instance, &tour, &neighbours, centre, 200).unwrap();
            window.cities().for_each(|city| had[city as usize] += 1);
            windows += 1;
        }
        assert_eq!((windows, population(windows), population(4 * windows)), (20, 20, 160));
        let missed = had.iter().filter(|count| **count == 0).count();
        assert!(missed < 20, "{missed} of 2000 cities were in no window");
        let seeds = [0, 1].map(|number| recipe.for_window(number, 200).seed);
        assert_ne!(seeds[0], seeds[1]);
    }
}
