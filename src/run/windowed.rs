//! Crossover of windows of the tour: some at a time, none with a city of another. Each is a run of its own, and the whole tour takes over
//! what they gain.
//!
//! A window grows around the city that fewest windows had before, of some that are drawn. It holds so many cities that a population
//! solves it in seconds; the paths outside stay as they are (`src/instance/tsp/window.rs`). A round of windows ends with the last of them.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::checkpoint::RunState;
use super::clock::Clock;
use super::one::Run;
use super::phases::{Position, fitting};
use super::setup::first_solution;
use super::{Ended, Shared, Stop, WarmUp};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::random::{NO_ANT, Stream};
use crate::backend::{Backend, KernelTiming};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::{Cuts, Instance, Join, Window};
use crate::settings::{Recipe, System};

/// Cities that are drawn for the centre of a window.
const CENTRES: u32 = 64;

/// The windows that are being improved.
pub(super) struct Windowed {
    /// The device, without buffers: each window has a colony of its own there.
    device: Box<dyn Backend>,
    /// Windows before these.
    number: u32,
    /// How many windows have had each city, these included.
    had: Vec<u32>,
    /// The tour that they were cut out of.
    tour: Vec<u32>,
    windows: Vec<Improved>,
    /// Iterations before them.
    first_iteration: u32,
}

/// A window and its run.
struct Improved {
    centre: u32,
    window: Window,
    run: Box<Run>,
}

/// What windows go on from: they are cut once more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WindowState {
    number: u32,
    first_iteration: u32,
    #[serde(skip)]
    had: Vec<u32>,
    /// The tour that they were cut out of.
    #[serde(skip)]
    tour: Vec<u32>,
    windows: Vec<ImprovedState>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ImprovedState {
    centre: u32,
    run: RunState,
}

impl WindowState {
    /// All words, in an order that does not change.
    pub fn words(&self) -> Vec<&Vec<u32>> {
        let runs = self.windows.iter().flat_map(|improved| improved.run.words());
        [&self.had, &self.tour].into_iter().chain(runs).collect()
    }

    /// The same, to be filled.
    pub fn words_mut(&mut self) -> Vec<&mut Vec<u32>> {
        let runs = self.windows.iter_mut().flat_map(|improved| improved.run.words_mut());
        [&mut self.had, &mut self.tour].into_iter().chain(runs).collect()
    }
}

impl Windowed {
    /// The first window's run.
    pub fn run(&self) -> &Run {
        &self.windows[0].run
    }

    /// The time that kernels took, of all windows together.
    pub fn kernels(&self) -> Vec<KernelTiming> {
        self.windows.iter().flat_map(|improved| improved.run.kernels()).collect()
    }

    /// What they go on from.
    pub fn state(&mut self) -> Result<WindowState> {
        let state = |improved: &mut Improved| Ok(ImprovedState { centre: improved.centre, run: improved.run.state()? });
        let windows = self.windows.iter_mut().map(state).collect::<Result<_>>()?;
        let (had, tour) = (self.had.clone(), self.tour.clone());
        Ok(WindowState { number: self.number, first_iteration: self.first_iteration, had, tour, windows })
    }

    /// The windows of `whole` that go on from `state`.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] for what are no windows of it; what the device refuses.
    pub fn restored(whole: &Run, device: Box<dyn Backend>, state: WindowState) -> Result<Self> {
        let WindowState { number, first_iteration, had, tour, windows } = state;
        let wrong =
            || Error::Checkpoint("its windows are none of a tour; take an earlier one, or begin the run again".into());
        let cities = whole.problem.len();
        if whole.problem.cost(&tour).is_err() || had.len() != cities || windows.is_empty() {
            return Err(wrong());
        }
        let (instance, size) = whole.in_windows()?;
        let neighbours = instance.neighbours(SEARCHED_CANDIDATES);
        let mut cuts = Cuts::of(instance, &neighbours, &tour);
        let mut restored = Vec::new();
        for (ImprovedState { centre, run }, number) in windows.into_iter().zip(number..) {
            let window = if (centre as usize) < cities { cuts.cut(centre, size)? } else { None };
            let window = window.ok_or_else(wrong)?;
            let problem = Problem::from(window.instance());
            let recipe = whole.recipe.for_window(number, problem.len());
            let run = Run::restored(whole.clock, &problem, recipe, device.fresh()?, run, Shared::default())?;
            restored.push(Improved { centre, window, run: Box::new(run) });
        }
        Ok(Self { device, number, had, tour, windows: restored, first_iteration })
    }

    /// Windows of the whole tour after these.
    fn next_number(&self) -> u32 {
        self.number.saturating_add(self.windows.len() as u32)
    }

    /// Whether every window's run has ended.
    fn is_over(&self) -> bool {
        self.windows.iter().all(|improved| improved.run.over || improved.run.colony.is_none())
    }

    /// Iterations of the windows: of those that go on the fewest, for they make the same number; of all the most, where none goes on.
    fn iterations(&self) -> u32 {
        let made = |improved: &Improved| improved.run.progress.iteration;
        let going = self.windows.iter().filter(|improved| !improved.run.over).map(made).min();
        going.or(self.windows.iter().map(made).max()).unwrap_or(0)
    }

    /// A turn of each window that goes on, side by side, up to a number of iterations.
    fn turn(&mut self, stop: &Stop) -> Result<Option<Ended>> {
        let goes_on = |improved: &&mut Improved| {
            !improved.run.over && stop.iterations.is_none_or(|most| improved.run.progress.iteration < most)
        };
        let mut going: Vec<&mut Improved> = self.windows.iter_mut().filter(goes_on).collect();
        let turns: Vec<Result<Option<Ended>>> = match &mut going[..] {
            // Where there is one thread alone it stays free.
            [one] => vec![one.run.turn(stop)],
            all => all.par_iter_mut().map(|improved| improved.run.turn(stop)).collect(),
        };
        let ended: Vec<Option<Ended>> = turns.into_iter().collect::<Result<_>>()?;
        Ok(ended.into_iter().flatten().find(|ended| *ended != Ended::Trivial))
    }

    /// The centre of the next window: of the cities drawn the first of those that fewest windows have had.
    fn centre(problem: &Problem, had: &[u32], seed: u64, number: u32, is_taken: impl Fn(u32) -> bool) -> Option<u32> {
        let stream = Stream::new(seed, number, NO_ANT);
        let drawn = (0..CENTRES).map(|at| ((u64::from(stream.word(at)) * had.len() as u64) >> 32) as u32);
        let gap = match problem {
            Problem::Tsp(instance) => instance.kernel_form.gap,
            Problem::Qap(_) => None,
        };
        let drawn = drawn.filter(|&city| Some(city) != gap && !is_taken(city));
        drawn.min_by_key(|&city| had[city as usize])
    }
}

impl Run {
    /// Goes on with the first windows, when windows of Lin-Kernighan search have ended. If the device cannot hold what that needs, the present
    /// phase continues.
    pub(super) fn begin_windows(&mut self, colony: &mut Colony, next: Position) -> Result<()> {
        self.keep_best(colony)?;
        let began = self.clock.seconds();
        let device = match &self.warm_up {
            Some(WarmUp { device }) => device.fresh()?,
            None => colony.backend().fresh()?,
        };
        let had = vec![0; self.problem.len()];
        match self.next_windows(device, had, 0) {
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

    /// The instance whose crossover takes windows, and how many cities of each.
    fn in_windows(&self) -> Result<(&Instance, usize)> {
        match (&self.problem, &self.recipe.eax_window) {
            (Problem::Tsp(instance), Some(size)) => Ok((instance, *size as usize)),
            _ => Err(Error::Config("windows are for tours".into())),
        }
    }

    /// The next windows of the best tour, from `number` on: as many as the recipe says, fewer where those before leave no room.
    fn next_windows(&self, device: Box<dyn Backend>, mut had: Vec<u32>, number: u32) -> Result<Windowed> {
        let (instance, size) = self.in_windows()?;
        let neighbours = instance.neighbours(SEARCHED_CANDIDATES);
        let mut cuts = Cuts::of(instance, &neighbours, &self.kept);
        let mut windows = Vec::new();
        for number in (number..).take(self.recipe.eax_windows.unwrap_or(1) as usize) {
            let (seed, is_taken) = (self.recipe.seed, |city| cuts.is_taken(city));
            let Some(centre) = Windowed::centre(&self.problem, &had, seed, number, is_taken) else { break };
            let Some(window) = cuts.cut(centre, size)? else { break };
            window.places().iter().for_each(|&place| had[self.kept[place as usize] as usize] += 1);
            windows.push((number, centre, window, device.fresh()?));
        }
        let (clock, recipe) = (self.clock, &self.recipe);
        let begin = |(number, centre, window, device)| {
            let run = Box::new(run_of(recipe, number, &window, clock, device)?);
            Ok(Improved { centre, window, run })
        };
        let begun: Vec<Result<Improved>> = windows.into_par_iter().map(begin).collect();
        let mut windows = Vec::new();
        for improved in begun {
            match improved {
                Ok(improved) => windows.push(improved),
                // The device holds some of them.
                Err(Error::TooLarge { what, needed, limit, .. }) if !windows.is_empty() => {
                    log::info!("fewer windows at a time: {what} takes {needed}, the device allows {limit}");
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let (tour, first_iteration) = (self.kept.clone(), self.progress.iteration);
        Ok(Windowed { device, number, had, tour, windows, first_iteration })
    }

    /// A turn of the windows' runs. Behind their last phases the whole tour takes over what was gained, and the next windows follow.
    pub(super) fn turn_of_windows(&mut self, mut windowed: Windowed, stop: &Stop) -> Result<Option<Ended>> {
        let iterations = stop.iterations.map(|all| all.saturating_sub(windowed.first_iteration));
        let own = Stop { iterations, target: None, stagnation: None, stagnation_time: None, ..stop.clone() };
        windowed.windows.iter_mut().for_each(|improved| improved.run.copies = self.copies);
        let ended = windowed.turn(&own);
        self.note_windows(&windowed);
        if !windowed.is_over() {
            self.windowed = Some(windowed);
            return ended;
        }
        let taken = self.take_windows(&mut windowed);
        let number = windowed.next_number();
        self.earlier.add(windowed.kernels());
        let Windowed { device, had, windows, .. } = windowed;
        // Their memory is free before the next ones ask for some.
        drop(windows);
        taken?;
        self.windowed = Some(self.next_windows(device, had, number)?);
        Ok(None)
    }

    /// What windows under way go on from.
    pub(super) fn window_state(&mut self) -> Result<Option<Box<WindowState>>> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(None) };
        let state = windowed.state();
        // An iteration that was under way has been finished for that.
        self.note_windows(&windowed);
        self.windowed = Some(windowed);
        state.map(|state| Some(Box::new(state)))
    }

    /// Takes note of how far windows' runs have come.
    fn note_windows(&mut self, windowed: &Windowed) {
        let first = self.recipe.restart.map_or(0, |restart| restart.from_phase);
        self.progress.seconds = self.clock.seconds();
        self.progress.iteration = windowed.first_iteration.saturating_add(windowed.iterations());
        self.progress.phase = first as u32 + windowed.run().progress.phase;
        self.progress.round = windowed.number;
        let longest = windowed.windows.iter().map(|improved| improved.run.longest_submission);
        self.longest_submission = longest.fold(self.longest_submission, f64::max);
    }

    /// Lets the whole tour take over what windows have gained so far.
    pub(super) fn keep_windows(&mut self) -> Result<()> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(()) };
        let taken = self.take_windows(&mut windowed);
        self.windowed = Some(windowed);
        taken
    }

    fn take_windows(&mut self, windowed: &mut Windowed) -> Result<()> {
        for Improved { run, .. } in &mut windowed.windows {
            if let Some(mut colony) = run.colony.take() {
                let kept = run.keep_best(&mut colony);
                run.colony = Some(colony);
                kept?;
            }
        }
        let (instance, _) = self.in_windows()?;
        let neighbours = instance.neighbours(SEARCHED_CANDIDATES);
        let mut join = Join::of(instance, &neighbours, &windowed.tour);
        let mut gained = false;
        for Improved { window, run, .. } in &windowed.windows {
            if run.kept_cost < window.cost() {
                gained |= join.take(window, &run.kept, window.cost() - run.kept_cost);
            }
        }
        if !gained {
            return Ok(());
        }
        let tour = join.tour();
        let cost = self.problem.cost(&tour)?;
        if cost < self.kept_cost {
            self.keep_solution(tour, cost);
            (self.own_cost, self.own_iteration, self.looked_at) = (cost, self.progress.iteration, cost);
            self.note_gain(cost, self.progress.iteration);
        }
        Ok(())
    }
}

/// The run of a window, which has made no iteration.
fn run_of(recipe: &Recipe, number: u32, window: &Window, clock: Clock, device: Box<dyn Backend>) -> Result<Run> {
    let problem = Problem::from(window.instance());
    let recipe = recipe.for_window(number, problem.len());
    let start = first_solution(recipe.phases[0].begins, &problem);
    let cost = problem.cost(&start)?;
    let (recipe, halvings) = fitting(&recipe, 0, &problem.shape(), cost, device.capabilities())?;
    let run = Run::new(clock, &problem, recipe, device, (&start, cost, false))?;
    Ok(Run { halvings, ..run })
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
            let mut cuts = Cuts::of(&instance, &neighbours, &tour);
            let centre = Windowed::centre(&problem, &had, recipe.seed, windows, |_| false).unwrap();
            let window = cuts.cut(centre, 200).unwrap().unwrap();
            window.places().iter().for_each(|&place| had[tour[place as usize] as usize] += 1);
            windows += 1;
        }
        assert_eq!((windows, population(windows), population(4 * windows)), (20, 20, 160));
        let missed = had.iter().filter(|count| **count == 0).count();
        assert!(missed < 20, "{missed} of 2000 cities were in no window");
        let seeds = [0, 1].map(|number| recipe.for_window(number, 200).seed);
        assert_ne!(seeds[0], seeds[1]);
    }
}
