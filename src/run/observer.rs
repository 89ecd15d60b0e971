//! What a run tells on its way to who wants more than readings of its progress.

use std::ops::ControlFlow;

use web_time::Instant;

use super::{Ended, Progress, Solution, Solver, Stop};
use crate::error::{Error, Result};

/// What a run tells on its way, for [`Solver::run_observed`]; each method may end the run.
///
/// ```
/// use std::ops::ControlFlow;
/// use myrmex::{Observer, Progress, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// struct Picture(Vec<u32>);
///
/// impl Observer for Picture {
///     fn gain(&mut self, _: &Progress, solution: &[u32]) -> ControlFlow<()> {
///         self.0 = solution.to_vec();
///         ControlFlow::Continue(())
///     }
/// }
///
/// let instance = generate(Kind::Uniform, 100, 1)?;
/// let mut solver = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let mut picture = Picture(Vec::new());
/// let solution = solver.run_observed(&Stop::iterations(40), &mut picture)?;
/// assert_eq!(instance.tour_cost(&picture.0)?, solution.cost);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub trait Observer {
    /// Some iterations were made: about every 80 milliseconds.
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether [`Observer::gain`] is to be called now, where a better solution was found. What is not told is followed by a later
    /// one; so an observer that is busy spares the device the copying.
    fn is_ready(&mut self) -> bool {
        true
    }

    /// A better solution was found, the one that the run begins with included; counted from 0.
    fn gain(&mut self, _progress: &Progress, _solution: &[u32]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Another phase has begun ([`Progress::phase`]).
    fn phase(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Who wants to know nothing: no solution is copied for it.
impl Observer for () {
    fn is_ready(&mut self) -> bool {
        false
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        (**self).progress(progress)
    }

    fn is_ready(&mut self) -> bool {
        (**self).is_ready()
    }

    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        (**self).gain(progress, solution)
    }

    fn phase(&mut self, progress: &Progress) -> ControlFlow<()> {
        (**self).phase(progress)
    }
}

/// What a run came to, also one that failed.
#[derive(Debug)]
#[non_exhaustive]
#[must_use = "a run that failed has an error in it"]
pub struct Finished {
    /// The best solution; of a run that failed the best one that the host has a copy of.
    pub solution: Solution,
    /// What ended the run before a rule did: [`crate::Error::Device`] where the device failed, [`crate::Error::TooLarge`] where it had no room left for what the run needs, [`crate::Error::Other`] for what the observer of a job said when it panicked, also at the very end.
    pub failure: Option<Error>,
}

impl Finished {
    /// The solution of a run that did not fail.
    ///
    /// # Errors
    /// What ended the run before a rule did; the solution known by then is lost.
    pub fn into_result(self) -> Result<Solution> {
        self.failure.map_or(Ok(self.solution), Err)
    }
}

impl Solver {
    /// As [`Solver::run_observed`] (`&mut ()` for no observer), and what was found is there also where the run fails.
    ///
    /// # Errors
    /// [`crate::Error::Config`] as [`Solver::can_end`], before anything has run.
    ///
    /// ```
    /// use myrmex::{Settings, Solver, Stop, Target, tsp::{Kind, generate}};
    ///
    /// let instance = generate(Kind::Uniform, 100, 1)?;
    /// let mut solver = Solver::new(&instance, &Settings::default(), Target::Auto)?;
    /// let finished = solver.run_to_end(&Stop::iterations(20), &mut ())?;
    /// if let Some(error) = finished.failure {
    ///     eprintln!("{error}");
    /// }
    /// assert_eq!(finished.solution.permutation.len(), 100);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn run_to_end(&mut self, stop: &Stop, observer: &mut dyn Observer) -> Result<Finished> {
        self.can_end(stop)?;
        Ok(match self.run_observed(stop, observer) {
            Ok(solution) => Finished { solution, failure: None },
            Err(error) => Finished { solution: self.salvage(), failure: Some(error) },
        })
    }

    /// As [`Solver::run`], and tells more on the way: better solutions as they are found, which are copied to the host for that, and
    /// phases.
    ///
    /// # Errors
    /// As [`Solver::run`].
    pub fn run_observed(&mut self, stop: &Stop, observer: &mut dyn Observer) -> Result<Solution> {
        let mut stop = Stop { clock: Some(stop.clock.unwrap_or_else(Instant::now)), ..stop.clone() };
        let mut told: Option<Progress> = None;
        let mut gained: Option<u64> = None;
        self.begin_call(stop.rounds);
        loop {
            let now = self.progress();
            let mut goes_on = ControlFlow::Continue(());
            if gained.is_none_or(|cost| now.cost < cost) && observer.is_ready() {
                let best = self.best()?;
                // Where the device was lost in that, it is what the host knows.
                let now = self.progress();
                gained = Some(now.cost);
                goes_on = observer.gain(&now, &best);
            }
            if told.is_some_and(|before| (now.phase, now.round) != (before.phase, before.round))
                && goes_on.is_continue()
            {
                goes_on = observer.phase(&now);
            }
            if told.is_some() && goes_on.is_continue() {
                goes_on = observer.progress(&now);
            }
            told = Some(now);
            if goes_on.is_break() {
                self.ended = self.agreed(Some(Ended::Cancelled), &stop)?.unwrap_or(Ended::Cancelled);
                return self.solution();
            }
            // One turn: the observer of turns ends each run after it.
            stop.begun = Some(self.begins_at(Instant::now(), &stop));
            match self.run_on(&stop, &mut |_| ControlFlow::Break(()))? {
                Ended::Cancelled if !stop.is_cancelled() && !self.has_ended() => {}
                ended => {
                    // A token may have been cancelled within the turn, which other ranks do not know.
                    self.ended = self.agreed(Some(ended), &stop)?.unwrap_or(ended);
                    let now = self.progress();
                    if gained.is_none_or(|cost| now.cost < cost) && observer.is_ready() {
                        let _ = observer.gain(&now, &self.best()?);
                    }
                    return self.solution();
                }
            }
        }
    }

    /// The best solution so far.
    fn best(&mut self) -> Result<Vec<u32>> {
        Ok(self.solution_of(Ended::Cancelled)?.permutation)
    }
}
