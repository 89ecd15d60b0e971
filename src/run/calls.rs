//! Calls of a run: iterations until a rule holds, as often as the caller likes.

use std::ops::ControlFlow;

use web_time::Instant;

use super::ranks::own_rules;
use super::{Ended, Progress, Solution, Solver, Stop};
use crate::error::{Error, Result};

impl Solver {
    /// Makes `iterations` iterations. Returns when they are done, and when the next phase is set up if they end one. A loop that must not wait
    /// calls [`Solver::run`] with [`Stop::time`]. Where there are so few cities that all tours were tried at once iterations are counted alone.
    ///
    /// # Errors
    /// [`crate::Error::Device`] when the device fails.
    pub fn step(&mut self, iterations: u32) -> Result<Progress> {
        if self.form.problem().is_trivial() {
            let made = &mut self.runs[0].progress.iteration;
            *made = made.saturating_add(iterations);
            self.ended = Ended::Trivial;
            return Ok(self.progress());
        }
        self.advance(&Stop::iterations(self.progress().iteration.saturating_add(iterations)))?;
        Ok(self.progress())
    }

    /// Runs until a rule of `stop` holds. Can be called again to go on: iterations, rounds and targets are of the whole run, time begins with each call, and what
    /// gains nothing is counted over calls one after the other ([`Stop::stagnation`]).
    ///
    /// A loop of an application's own may call it, or [`Solver::advance`], with [`Stop::time`] of 16 milliseconds at each frame. It returns soon after that, also
    /// within an iteration and while the next phase is set up, which other threads do. (A caller on a thread of rayon's takes part in
    /// that, and waits for it.)
    ///
    /// # Errors
    /// [`crate::Error::Config`] as [`Solver::can_end`]; [`crate::Error::Device`] when the device fails: [`Solver::salvage`] then still
    /// has a tour.
    pub fn run(&mut self, stop: &Stop) -> Result<Solution> {
        self.run_with(stop, |_| ControlFlow::Continue(()))
    }

    /// The same; `observe` sees how far the run has come, several times a second, and may end it. (What sees each better solution is
    /// [`Solver::run_observed`].)
    ///
    /// # Errors
    /// As [`Solver::run`].
    pub fn run_with(&mut self, stop: &Stop, mut observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<Solution> {
        self.advance_with(stop, &mut observe)?;
        self.solution()
    }

    /// The same without the solution, which [`Solver::solution`] or an [`super::Incumbent`] has: for loops that call often, since a solution is copied and measured as
    /// a whole. Why it returned.
    ///
    /// ```
    /// use std::time::Duration;
    /// use myrmex::{Ended, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
    ///
    /// let mut solver = Solver::new(&generate(Kind::Uniform, 200, 1)?, &Settings::default(), Target::Cpu)?;
    /// let frame = Stop::time(Duration::from_millis(16)).or(Stop::iterations(5));
    /// while solver.advance(&frame)? == Ended::Time {
    ///     // Draw what solver.progress() and solver.incumbent() tell.
    /// }
    /// assert_eq!(solver.progress().iteration, 5);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Solver::run`].
    pub fn advance(&mut self, stop: &Stop) -> Result<Ended> {
        self.advance_with(stop, &mut |_| ControlFlow::Continue(()))
    }

    fn advance_with(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        let now = Instant::now();
        let stop =
            Stop { clock: Some(stop.clock.unwrap_or(now)), begun: Some(self.begins_at(now, stop)), ..stop.clone() };
        self.begin_call(stop.rounds);
        self.ended = match self.run_on(&stop, observe)? {
            // The observer breaks off, which other ranks do not know.
            Ended::Cancelled => self.agreed(Some(Ended::Cancelled), &stop)?.unwrap_or(Ended::Cancelled),
            ended => ended,
        };
        Ok(self.ended)
    }

    /// Colonies that rest go on where a call asks for another number of rounds.
    pub(super) fn begin_call(&mut self, rounds: Option<u32>) {
        self.runs.iter_mut().for_each(|run| run.course.rests = run.course.rests.filter(|all| Some(*all) == rounds));
    }

    /// Since when what gains nothing is counted: the first of the calls one after the other that have such a rule.
    pub(super) fn begins_at(&mut self, now: Instant, stop: &Stop) -> (Instant, u32) {
        let begins = (now, self.own_progress().iteration);
        match stop.stagnation.is_some() || stop.stagnation_time.is_some() {
            true => *self.begun.get_or_insert(begins),
            false => {
                self.begun = None;
                begins
            }
        }
    }

    /// Whether a rule of `stop` can come to hold.
    ///
    /// # Errors
    /// [`crate::Error::Config`] for a stop without any rule, or with none but [`Stop::rounds`] where phases come to no end, and for a length that is
    /// no number.
    pub fn can_end(&self, stop: &Stop) -> Result<()> {
        let message = if stop.is_empty() {
            "no rule ends the run: give it a time, a number of iterations, a target or a token (Stop::cancelled_by)"
        } else if stop.target.is_some_and(f64::is_nan) {
            "a length that is no number is never reached"
        } else if stop.waits_for_rounds() && self.recipe.is_endless() {
            "the phases of this run come to no end of their own, so 'rounds' never ends it: give a time, a number of iterations, a \
             target or a stagnation, too"
        } else {
            return Ok(());
        };
        Err(Error::Config(message.into()))
    }

    /// Runs on until a rule of `stop` holds; why it ended.
    pub(super) fn run_on(
        &mut self,
        stop: &Stop,
        observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Ended> {
        self.can_end(stop)?;
        let ended = self.turns_until(stop, observe).map(|ended| self.proved(ended, stop));
        match &ended {
            // Who calls again waits as long once more.
            Ok(Ended::Stagnation) => self.begun = None,
            Ok(_) => {}
            Err(error) => {
                self.ended = Ended::Failed;
                self.tell_failure(error, stop);
            }
        }
        ended
    }

    /// Whether the one colony waits for the set-up of its next phase. (Several wait beside each other's iterations, and ranks within a turn.)
    fn is_settling(&self) -> bool {
        matches!(&self.runs[..], [one] if one.coming.pending.is_some() && one.coming.settles_in_turns)
    }

    fn turns_until(&mut self, stop: &Stop, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Ended> {
        if self.form.problem().is_trivial() {
            return Ok(Ended::Trivial);
        }
        let stop = self.own_stop(stop);
        let (rules, without_stagnation) =
            if self.group.is_some() { (own_rules(&stop), own_rules(&stop)) } else { (stop.clone(), own_rules(&stop)) };
        loop {
            if let ([one], None) = (&mut self.runs[..], &self.group) {
                one.coming.settles_in_turns = true;
            }
            // Whether a phase has begun must not depend on how long its set-up takes: meanwhile only time and tokens end the run.
            while self.is_settling() {
                match self.turn(&stop) {
                    Ok(None) => {}
                    Ok(Some(ended)) => {
                        if let Some(ended) = self.agreed(Some(ended), &stop)? {
                            return Ok(ended);
                        }
                    }
                    Err(failure) => self.lose_device(failure)?,
                }
                if observe(&self.progress()).is_break() {
                    return Ok(Ended::Cancelled);
                }
            }
            let ended = match self.is_short_enough(&stop)? {
                None if self.is_proved(&stop) => Some(Ended::Optimal),
                None if self.is_windowed() => without_stagnation.ended(&self.own_progress(), &self.clock),
                None => rules.ended(&self.own_progress(), &self.clock),
                reached => reached,
            };
            match (self.agreed(ended, &stop)?, ended) {
                (Some(ended), _) => return Ok(ended),
                // This rank has made its iterations, and others go on.
                (None, Some(_)) => continue,
                (None, None) => {}
            }
            self.leave_lost_devices()?;
            let kept = match self.turn(&stop) {
                Ok(Some(ended)) => match self.agreed(Some(ended), &stop)? {
                    Some(ended) => return Ok(ended),
                    None => continue,
                },
                Ok(None) => self.keep_due_checkpoint(),
                Err(failure) => Err(failure),
            };
            if let Err(failure) = kept {
                self.lose_device(failure)?;
            }
            if observe(&self.progress()).is_break() {
                return Ok(Ended::Cancelled);
            }
        }
    }
}
