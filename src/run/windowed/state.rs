//! What windows under way go on from.

use serde::{Deserialize, Serialize};

use super::super::Shared;
use super::super::checkpoint::RunState;
use super::super::devices::{Part, Place};
use super::super::one::Run;
use super::improved::{Begun, Improved};
use super::{Gained, Windowed};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::instance::tsp::{PlacedTour, Window};

/// What windows go on from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct WindowState {
    number: u32,
    cost: u64,
    reached: u32,
    gained: Gained,
    #[serde(skip)]
    had: Vec<u32>,
    #[serde(skip)]
    tour: Vec<u32>,
    windows: Vec<ImprovedState>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ImprovedState {
    number: u32,
    begins: u32,
    /// See [`Window::words`].
    #[serde(skip)]
    window: Vec<u32>,
    run: RunState,
}

impl WindowState {
    /// All words, in an order that does not change.
    pub fn words(&self) -> Vec<&Vec<u32>> {
        let mut all = vec![&self.had, &self.tour];
        for ImprovedState { window, run, .. } in &self.windows {
            all.push(window);
            all.extend(run.words());
        }
        all
    }

    /// The same, to be filled.
    pub fn words_mut(&mut self) -> Vec<&mut Vec<u32>> {
        let mut all = vec![&mut self.had, &mut self.tour];
        for ImprovedState { window, run, .. } in &mut self.windows {
            all.push(window);
            all.extend(run.words_mut());
        }
        all
    }
}

impl Windowed {
    /// What they go on from.
    pub fn state(&mut self) -> Result<WindowState> {
        let failed = &mut self.failed;
        let state = |improved: &mut Improved| {
            *failed = improved.place;
            let run = improved.wait()?.state()?;
            let &mut Improved { number, begins, ref window, .. } = improved;
            Ok(ImprovedState { number, begins, window: window.words().to_vec(), run })
        };
        let windows = self.windows.iter_mut().map(state).collect::<Result<_>>()?;
        let &mut Self { number, cost, reached, gained, ref had, ref tour, .. } = self;
        Ok(WindowState { number, cost, reached, gained, had: had.clone(), tour: tour.tour().to_vec(), windows })
    }

    /// The windows of `whole` that go on from `state`.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] for what are no windows of it; what the device refuses.
    pub fn restored(whole: &Run, places: Vec<Place>, state: WindowState) -> Result<Self> {
        let WindowState { number, cost, reached, gained, had, tour, windows } = state;
        let (instance, most) = whole.in_windows()?;
        let is_of = whole.problem.cost(&tour).ok() == Some(cost) && had.len() == whole.problem.len();
        let at_a_time = most << whole.course.recipe.windows.map_or(0, |windows| windows.halvings);
        // There are none where a run has ended with the last of them.
        if !is_of || windows.len() > at_a_time {
            let message = "its windows are none of a tour; take an earlier one, or begin the run again";
            return Err(Error::Checkpoint(message.into()));
        }
        let (restored, failed, tour) = (Vec::new(), 0, PlacedTour::of(tour));
        let mut all = Self { places, failed, number, most, had, tour, cost, reached, gained, windows: restored };
        for ImprovedState { number, begins, window, run } in windows {
            let window = Window::from_words(instance, &window)?;
            let problem = Problem::from(window.instance());
            let recipe = whole.course.recipe.for_window(number, problem.len());
            let (place, backend) = all.place();
            let part = Part { colony: 0, recipe, backend: backend?, places: Vec::new() };
            let run = Run::restored(whole.clock, &problem, part, run, Shared::default())?;
            all.windows.push(Improved { number, place, window, begins, run: Begun::Now(Box::new(run)) });
        }
        Ok(all)
    }
}

impl Run {
    /// What windows under way go on from.
    pub(in crate::run) fn window_state(&mut self) -> Result<Option<Box<WindowState>>> {
        let Some(mut windowed) = self.windowed.take() else { return Ok(None) };
        let state = windowed.state();
        self.failed_place = windowed.failed;
        // An iteration that was under way has been finished for that.
        self.note_windows(&windowed);
        self.windowed = Some(windowed);
        state.map(|state| Some(Box::new(state)))
    }
}
