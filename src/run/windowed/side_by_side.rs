//! Turns of several windows on threads of their devices, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::super::background::Crew;
use super::super::one::Run;
use super::super::{Ended, SUBMISSION, Stop};
use super::Windowed;
use super::improved::{Begun, Improved, Turns};
use crate::error::{Error, Result};

/// How long several windows go on before the run's rules are looked at: then the last one is waited for.
const BESIDE: Duration = Duration::from_millis(200);

/// A window's run after some turns.
pub(super) struct Turned {
    number: u32,
    begun: Begun,
    ended: Result<Option<Ended>>,
}

impl Windowed {
    /// What turns share that begin now.
    pub(super) fn turns(&self, stop: &Stop, whole: &Run) -> Turns {
        let beside_others = self.windows.len() > 1 || self.places.len() > 1;
        let room = if beside_others { BESIDE } else { SUBMISSION };
        let until = Instant::now() + stop.room(room, &whole.clock);
        Turns { stop: Stop { turn_ends: Some(until), ..stop.clone() }, until, beside_others, copies: whole.undo.copies }
    }

    /// Begins turns of the windows that are here and go on, those first that have come least far: there may be fewer threads.
    pub(super) fn send(&mut self, crew: &mut Crew<Turned>, turns: &Arc<Turns>) {
        let all = turns.stop.iterations.unwrap_or(u32::MAX);
        let goes_on = |one: &&mut Improved| !matches!(one.run, Begun::Away) && !one.is_over() && one.at() < all;
        let mut here: Vec<&mut Improved> = self.windows.iter_mut().filter(goes_on).collect();
        here.sort_by_key(|improved| (improved.at(), improved.number));
        for improved in here {
            let mut begun = std::mem::replace(&mut improved.run, Begun::Away);
            let (number, begins, turns) = (improved.number, improved.begins, Arc::clone(turns));
            crew.begin_in(self.places[improved.place].pool.as_deref(), move || {
                let ended = begun.turns(begins, &turns);
                Turned { number, begun, ended }
            });
        }
    }

    /// Takes note of a window that has come back; why the run ended if a rule of its stop held.
    pub(super) fn back(&mut self, Turned { number, begun, ended }: Turned, whole: &Run) -> Result<Option<Ended>> {
        let Some(index) = self.windows.iter().position(|improved| improved.number == number) else { return Ok(None) };
        self.windows[index].run = begun;
        self.told(index, ended, whole)
    }

    /// Takes note of what the turns of a window have told.
    pub(super) fn told(&mut self, index: usize, ended: Result<Option<Ended>>, whole: &Run) -> Result<Option<Ended>> {
        match ended {
            Ok(ended) => Ok(ended.filter(|ended| *ended != Ended::Iterations)),
            // The device holds some of them.
            Err(Error::TooLarge { what, needed, limit, .. }) if self.windows.len() > 1 => {
                log::info!("fewer windows at a time: {what} takes {needed}, the device allows {limit}");
                self.windows.remove(index);
                let pass = whole.course.recipe.window(self.number.saturating_sub(1));
                self.most = (self.windows.len() >> pass.halvings).max(1);
                Ok(None)
            }
            Err(error) => Err(self.fails(self.windows[index].place, error)),
        }
    }
}
