//! Crossover of windows of the tour: some at a time, none with a city of another, on one device or several. Each is a run of its own; the tour
//! takes over what it has gained when it ends, and another window follows.
//!
//! A window grows around the city that fewest windows had before, of some that are drawn. It holds so many cities that a population
//! solves it in seconds; the paths outside stay as they are (`src/instance/tsp/window.rs`). The tour takes windows over in the order in which
//! they began, whenever they end: so what follows depends on no clock, and a window waits for those before it alone.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::background::{Background, Crew};
use super::devices::Place;
use super::one::Run;
use super::phases::{Check, Position};
use super::{Ended, Progress, Stop, WarmUp};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::random::{NO_ANT, Stream};
use crate::backend::{Backend, KernelTiming};
use crate::colony::Colony;
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::{Cuts, Instance, Join, PlacedTour};
use crate::settings::{MOST_EAX_WINDOWS, Pass, System};

mod improved;
mod side_by_side;
mod state;

use improved::{Begun, Improved, keep_best_of, run_of};
pub(super) use state::WindowState;

/// Cities that are drawn for the centre of a window.
const CENTRES: u32 = 64;
/// Centres that are tried where windows beside leave too little room.
const TRIES: u32 = 8;

/// The windows that are being improved.
pub(super) struct Windowed {
    /// The devices: each window has a colony of its own on one of them.
    places: Vec<Place>,
    /// The one that failed last.
    failed: usize,
    /// Windows begun so far.
    number: u32,
    /// Windows at a time, at most; more of those of the first passes, which are smaller.
    most: usize,
    /// How many windows have had each city, these included.
    had: Vec<u32>,
    /// The tour with all that windows before have gained, and its cost. What those under way have gained is not in it.
    tour: PlacedTour,
    cost: u64,
    /// The last iteration at which a window ended that the tour has taken over: the next ones begin there.
    reached: u32,
    /// When a window last gained something that was taken over.
    gained: Gained,
    /// In the order in which they began.
    windows: Vec<Improved>,
}

/// An iteration, of those that windows ended at, and the second of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Gained {
    iteration: u32,
    seconds: f64,
}

impl Windowed {
    /// The run of the first window that has one.
    pub fn run(&self) -> Option<&Run> {
        self.windows.iter().find_map(Improved::run)
    }

    /// The time that kernels took, of all windows together.
    pub fn kernels(&self) -> Vec<KernelTiming> {
        self.windows.iter().filter_map(Improved::run).flat_map(Run::kernels).collect()
    }

    /// The iteration that all windows have come to which have not ended: also those that one taken over was ahead of, so that a run of so many
    /// iterations ends when each has come to the last.
    fn at(&self) -> u32 {
        let under_way = self.windows.iter().filter(|improved| !improved.is_over()).map(Improved::at);
        under_way.min().unwrap_or(self.reached)
    }

    /// Takes the first window out if it has ended.
    fn next_end(&mut self) -> Option<Improved> {
        let ended = self.windows.first().is_some_and(Improved::is_over).then(|| self.windows.remove(0))?;
        self.reached = self.reached.max(ended.at());
        Some(ended)
    }

    /// Begins windows of the tour as it is until there are as many as may be at a time.
    fn fill(&mut self, whole: &Run) -> Result<()> {
        if self.windows.len() >= self.most_of(whole.course.recipe.window(self.number)) {
            return Ok(());
        }
        let (instance, _) = whole.in_windows()?;
        let neighbours = instance.neighbours(SEARCHED_CANDIDATES);
        let mut cuts = Cuts::of(instance, &neighbours, &self.tour);
        self.windows.iter().for_each(|improved| cuts.take(&improved.window));
        let mut tries = 0;
        while tries < TRIES {
            let number = self.number;
            let pass = whole.course.recipe.window(number);
            if self.windows.len() >= self.most_of(pass) {
                break;
            }
            let stream = Stream::new(whole.course.recipe.seed, number, NO_ANT);
            let centre = self.centre(&whole.problem, |at| stream.word(CENTRES * tries + at), &cuts);
            tries += 1;
            let Some(window) = centre.map(|centre| cuts.cut(centre, pass.cities as usize)).transpose()?.flatten()
            else {
                continue;
            };
            (self.number, tries) = (number.saturating_add(1), 0);
            window.cities().for_each(|city| self.had[city as usize] += 1);
            let problem = Problem::from(window.instance());
            let (recipe, clock) = (whole.course.recipe.for_window(number, problem.len()), whole.clock);
            let (place, device) = self.place();
            let device = device.inspect_err(|_| self.failed = place)?;
            let pool = self.places[place].pool.as_deref();
            let run = Background::begin_in(pool, move || run_of(&problem, &recipe, clock, device));
            self.windows.push(Improved { number, place, window, begins: self.reached, run: Begun::Soon(run) });
        }
        Ok(())
    }

    /// Windows of a pass at a time, at most.
    fn most_of(&self, pass: Pass) -> usize {
        (self.most << pass.halvings).min((MOST_EAX_WINDOWS as usize).max(self.most))
    }

    /// The device that has the fewest windows. What a window finds does not depend on it.
    fn place(&self) -> (usize, Result<Box<dyn Backend>>) {
        let had = |place: &usize| self.windows.iter().filter(|improved| improved.place == *place).count();
        let place = (0..self.places.len()).min_by_key(had).unwrap_or_default();
        (place, self.places[place].backend.fresh())
    }

    /// Takes note of the device that an error is of.
    fn fails(&mut self, place: usize, error: Error) -> Error {
        self.failed = place;
        error
    }

    /// The centre of the next window: of the cities that words draw the first of those that fewest windows have had.
    fn centre(&self, problem: &Problem, word: impl Fn(u32) -> u32, cuts: &Cuts<'_>) -> Option<u32> {
        let gap = match problem {
            Problem::Tsp(instance) => instance.kernel_form.gap,
            Problem::Qap(_) => None,
        };
        let drawn = (0..CENTRES).map(|at| ((u64::from(word(at)) * self.had.len() as u64) >> 32) as u32);
        let drawn = drawn.filter(|&city| Some(city) != gap && !cuts.is_taken(city));
        drawn.min_by_key(|&city| self.had[city as usize])
    }

    /// The tour with what these windows have gained, and its cost, if that makes it shorter.
    fn with_gains(&self, instance: &Instance, windows: &[Improved]) -> Option<(PlacedTour, u64)> {
        let neighbours = instance.neighbours(SEARCHED_CANDIDATES);
        let mut join = Join::of(instance, &neighbours, &self.tour);
        let improved = windows.iter().filter_map(|improved| Some((&improved.window, improved.shorter()?)));
        let gained: u64 = improved.filter_map(|(window, run)| join.take(window, &run.kept.solution)).sum();
        (gained > 0).then(|| (join.tour(), self.cost - gained))
    }
}

impl Run {
    /// Goes on with the first windows, when windows of Lin-Kernighan search have ended. If the device cannot hold what that needs, the present
    /// phase continues.
    pub(super) fn begin_windows(
        &mut self,
        colony: &mut Colony,
        next: Position,
        looked_for: Option<Check>,
        stop: &Stop,
    ) -> Result<Option<Ended>> {
        self.keep_best(colony)?;
        let began = self.clock.seconds();
        let device = match &self.coming.warm_up {
            Some(WarmUp { device }) => device.fresh()?,
            None => colony.backend().fresh()?,
        };
        let several = !self.places.is_empty();
        let places = self.places_of_windows(device)?;
        let (had, tour, cost) =
            (vec![0; self.problem.len()], PlacedTour::of(self.kept.solution.clone()), self.kept.cost);
        let (_, most) = self.in_windows()?;
        let (reached, windows) = (self.progress.iteration, Vec::new());
        let gained =
            Gained { iteration: self.progress.best_iteration.min(reached), seconds: self.progress.best_seconds };
        let mut windowed = Windowed { places, failed: 0, number: 0, most, had, tour, cost, reached, gained, windows };
        let filled = windowed.fill(self);
        self.failed_place = windowed.failed;
        filled?;
        let first = windowed.windows.first_mut().map(|first| first.wait().map(drop)).transpose();
        let why_not = match first {
            Ok(Some(())) => None,
            Ok(None) => Some("no window can be cut out of the tour".to_owned()),
            Err(Error::TooLarge { what, needed, limit, .. }) => {
                Some(format!("{what} takes {needed}, the device allows {limit}"))
            }
            Err(error) => return Err(error),
        };
        if let Some(why_not) = why_not {
            log::info!("going on as before: {why_not}");
            if several {
                self.places = windowed.places;
            }
            return Ok(self.goes_on_as_before(looked_for, stop));
        }
        self.windowed = Some(windowed);
        self.coming.warm_up = None;
        let is_crossover = |&index: &usize| matches!(self.course.recipe.phases[index].system, System::Eax(_));
        let crossover = (next.index..self.course.recipe.phases.len()).find(is_crossover);
        self.course.at = Position { index: crossover.unwrap_or(next.index), ..next };
        (self.claim.cost, self.claim.looked_at) = (self.kept.cost, self.kept.cost);
        self.begin_phase(colony.plan(), began);
        self.course.check = None;
        if let Some(record) = self.course.records.last_mut() {
            (record.cost_begin, record.cost_end) = (self.kept.cost, self.kept.cost);
            // How windows run on their devices differs from one to the other.
            record.execution.clear();
        }
        Ok(None)
    }

    /// The instance whose crossover takes windows, and how many of them at a time.
    fn in_windows(&self) -> Result<(&Instance, usize)> {
        match (&self.problem, self.course.recipe.windows) {
            (Problem::Tsp(instance), Some(windows)) => Ok((instance, windows.at_a_time as usize)),
            _ => Err(Error::Fault("windows are for tours".into())),
        }
    }

    /// Turns of the windows' runs. The tour takes over what those gained that have ended, and others follow.
    pub(super) fn turn_of_windows(&mut self, mut windowed: Windowed, stop: &Stop) -> Result<Option<Ended>> {
        let ended = self.improve(&mut windowed, stop);
        self.failed_place = windowed.failed;
        self.windowed = Some(windowed);
        ended
    }

    /// Where windows are improved: on the devices of the run, or on this one where it has no others.
    pub(super) fn places_of_windows(&mut self, device: Box<dyn Backend>) -> Result<Vec<Place>> {
        match self.places.is_empty() {
            true => Ok(vec![Place { backend: device, pool: None }]),
            false => Ok(std::mem::take(&mut self.places)),
        }
    }

    /// Turns of all windows, side by side. Those that end are taken over, and others begin, while the rest goes on.
    fn improve(&mut self, windowed: &mut Windowed, stop: &Stop) -> Result<Option<Ended>> {
        let turns = Arc::new(windowed.turns(stop, self));
        let mut ended = Ok(None);
        if windowed.windows.is_empty() {
            // A call before this one has ended with the last of them.
            windowed.fill(self)?;
        }
        if let [one] = &mut windowed.windows[..]
            && !turns.beside_others
        {
            let ended_one = one.run.turns(one.begins, &turns);
            ended = windowed.told(0, ended_one, self);
        }
        let mut crew = Crew::new();
        loop {
            while let Ok(None) = ended
                && let Some(improved) = windowed.next_end()
            {
                ended = self.take_over(windowed, improved, stop);
            }
            if matches!(ended, Ok(None)) && turns.beside_others && Instant::now() < turns.until {
                windowed.send(&mut crew, &turns);
            }
            if crew.is_done() {
                break;
            }
            if let Some(turned) = crew.look() {
                let own = windowed.back(turned, self);
                ended = ended.and_then(|before| own.map(|own| own.or(before)));
            }
        }
        self.note_windows(windowed);
        ended
    }

    /// Takes over what a window has gained, and begins others, unless a rule of stagnation holds. What windows gain is seen here: so it is here that nothing
    /// is gained for long. Where iterations are counted the run ends when those under way have ended too, so that its solution depends on no clock, and goes
    /// on if one of them gains.
    fn take_over(&mut self, windowed: &mut Windowed, mut improved: Improved, stop: &Stop) -> Result<Option<Ended>> {
        keep_best_of(&mut improved).map_err(|error| windowed.fails(improved.place, error))?;
        let (instance, _) = self.in_windows()?;
        if let Some((tour, cost)) = windowed.with_gains(instance, std::slice::from_ref(&improved)) {
            (windowed.tour, windowed.cost) = (tour, cost);
            windowed.gained = Gained { iteration: windowed.reached, seconds: self.clock.seconds() };
        }
        if let Some(run) = improved.run() {
            self.pace.submitted(run.pace.longest_submission);
            self.earlier.add(run.kernels());
        }
        // Its memory is free before the next one asks for some.
        drop(improved);
        self.progress.iteration = windowed.reached;
        self.keep_tour(windowed.tour.tour(), windowed.cost);
        // Whoever looks at the best tour takes gains of windows under way along, wherever these are: that counts for nothing here.
        let Gained { iteration: best_iteration, seconds: best_seconds } = windowed.gained;
        match stop.stagnates(&Progress { best_iteration, best_seconds, ..self.progress }, &self.clock) {
            [_, true] => Ok(Some(Ended::Stagnation)),
            [true, _] => Ok(windowed.windows.is_empty().then_some(Ended::Stagnation)),
            _ => windowed.fill(self).map(|()| None),
        }
    }

    /// Takes note of how far windows' runs have come.
    fn note_windows(&mut self, windowed: &Windowed) {
        let first = self.course.recipe.restart.map_or(0, |restart| restart.from_phase);
        self.progress.seconds = self.clock.seconds();
        self.progress.iteration = windowed.at();
        if let Some(run) = windowed.run() {
            self.progress.phase = first as u32 + run.progress.phase;
        }
        self.progress.round = windowed.windows.first().map_or(windowed.number, |improved| improved.number);
        let longest = windowed.windows.iter().filter_map(Improved::run).map(|run| run.pace.longest_submission);
        self.pace.longest_submission = longest.fold(self.pace.longest_submission, f64::max);
    }

    /// Lets the best tour have what windows under way have gained so far.
    pub(super) fn keep_windows(&mut self) -> Result<()> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(()) };
        let failed = &mut self.failed_place;
        let kept = windowed.windows.iter_mut().try_for_each(|improved| {
            *failed = improved.place;
            keep_best_of(improved)
        });
        let tour = kept.and_then(|()| Ok(windowed.with_gains(self.in_windows()?.0, &windowed.windows)));
        self.windowed = Some(windowed);
        if let Some((tour, cost)) = tour? {
            self.keep_tour(tour.tour(), cost);
        }
        Ok(())
    }

    /// Keeps a tour of all cities if it is the best so far.
    fn keep_tour(&mut self, tour: &[u32], cost: u64) {
        debug_assert_eq!(self.problem.cost(tour).ok(), Some(cost));
        if cost < self.kept.cost {
            self.keep_solution(tour.to_vec(), cost);
            (self.claim.cost, self.claim.iteration, self.claim.looked_at) = (cost, self.progress.iteration, cost);
            self.note_gain(cost, self.progress.iteration);
        }
    }
}

#[cfg(test)]
mod tests;
