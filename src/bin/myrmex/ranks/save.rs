//! What rank 0 saves of a run on its way. There are no checkpoints of several ranks, and what ends rank 0 at once would take the best solution along.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use myrmex::{Cancel, Incumbent, Observer, Progress, Result};

use crate::print::Once;

/// How long after the start, and after each time, it is saved again.
const EVERY: Duration = Duration::from_secs(10);
/// It is saved less often where that takes long: ranks that wait for rank 0 stand idle meanwhile.
const LEAST_PAUSE: u32 = 100;
/// No save begins so shortly before the end of a run, nor within so many times as long as the last one took: rank 0 would come too late to the last meeting.
const LEAST_LEFT: Duration = Duration::from_secs(2);
const LEFT: u32 = 4;

/// When a run ends: nothing is saved on its way then, as its solution is written soon.
pub struct Ends {
    /// Its time limit.
    pub at: Option<Instant>,
    pub cancel: Cancel,
}

impl Ends {
    /// Whether there is time for a save, of which the last one took so long.
    fn leaves_time(&self, now: Instant, last: Duration) -> bool {
        let needed = LEAST_LEFT.max(last * LEFT);
        !self.cancel.is_cancelled() && self.at.is_none_or(|at| at.saturating_duration_since(now) >= needed)
    }
}

/// An observer, and beside it what saves the best solution so far: of this rank, and at meetings that of all.
pub struct Saving<O, W> {
    observer: O,
    best: Incumbent,
    ends: Ends,
    write: W,
    /// The version that was saved last.
    saved: u64,
    next: Instant,
    /// How long the last save took.
    took: Duration,
    failed: Once,
}

impl<O: Observer, W: FnMut(&[u32]) -> Result<()>> Saving<O, W> {
    pub fn new(observer: O, best: Incumbent, ends: Ends, write: W) -> Self {
        let (next, took) = (Instant::now() + EVERY, Duration::ZERO);
        Self { observer, best, ends, write, saved: 0, next, took, failed: Once::default() }
    }

    /// Saves the best solution if it is time to, and it is another one than before.
    fn save_if_due(&mut self) {
        let (began, version) = (Instant::now(), self.best.version());
        if began < self.next || version == self.saved || !self.ends.leaves_time(began, self.took) {
            return;
        }
        let Some((best, _)) = self.best.get() else { return };
        match (self.write)(&best) {
            Ok(()) => self.saved = version,
            Err(error) => self.failed.tell(format_args!("{error}; the run goes on, and tries again")),
        }
        self.took = began.elapsed();
        self.next = Instant::now() + EVERY.max(self.took * LEAST_PAUSE);
    }
}

impl<O: Observer, W: FnMut(&[u32]) -> Result<()>> Observer for Saving<O, W> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.save_if_due();
        self.observer.progress(progress)
    }

    fn is_ready(&mut self) -> bool {
        self.observer.is_ready()
    }

    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        self.observer.gain(progress, solution)
    }

    fn phase(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.observer.phase(progress)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use myrmex::tsp::{Kind, generate};
    use myrmex::{Error, Settings, Solver, Stop, Target};

    use super::*;

    /// Not in the first seconds, nor twice in ten, nor what was saved before; what could not be saved is tried again.
    #[test]
    fn the_best_solution_is_saved_now_and_then() {
        let instance = generate(Kind::Uniform, 300, 1).unwrap();
        let mut solver = Solver::new(&instance, &Settings::named("mmas").unwrap(), Target::Cpu).unwrap();
        let (fails, saved) = (Cell::new(false), RefCell::new(Vec::new()));
        let write = |best: &[u32]| {
            if fails.get() {
                return Err(Error::Config("a test asks for it".into()));
            }
            saved.borrow_mut().push(instance.tour_cost(best)?);
            Ok(())
        };
        let ends = Ends { at: None, cancel: Cancel::new() };
        let mut saving = Saving::new((), solver.incumbent(), ends, write);
        let progress = solver.progress();
        let times = |saving: &mut Saving<(), _>, is_due: bool| {
            if is_due {
                saving.next = Instant::now();
            }
            assert!(saving.progress(&progress).is_continue());
            saved.borrow().len()
        };
        assert_eq!([false, true, false, true].map(|is_due| times(&mut saving, is_due)), [0, 1, 1, 1]);
        let found = solver.run(&Stop::iterations(20)).unwrap();
        fails.set(true);
        assert_eq!(times(&mut saving, true), 1);
        fails.set(false);
        assert_eq!([false, true, true].map(|is_due| times(&mut saving, is_due)), [1, 2, 2]);
        assert_eq!(saved.borrow()[1], found.cost);
    }

    #[test]
    fn no_save_begins_shortly_before_the_end_of_a_run() {
        let instance = generate(Kind::Uniform, 30, 1).unwrap();
        let solver = Solver::new(&instance, &Settings::named("mmas").unwrap(), Target::Cpu).unwrap();
        let now = Instant::now();
        let is_saved = |left: Option<u64>, took: u64, is_cancelled: bool| {
            let cancel = Cancel::new();
            if is_cancelled {
                cancel.cancel();
            }
            let ends = Ends { at: left.map(|left| now + Duration::from_secs(left)), cancel };
            let saved = Cell::new(false);
            let write = |_: &[u32]| {
                saved.set(true);
                Ok(())
            };
            let mut saving = Saving::new((), solver.incumbent(), ends, write);
            (saving.next, saving.took) = (now, Duration::from_secs(took));
            assert!(saving.progress(&solver.progress()).is_continue());
            drop(saving);
            saved.get()
        };
        assert!(is_saved(None, 60, false) && !is_saved(None, 0, true));
        assert_eq!([0, 60].map(|left| is_saved(Some(left), 0, false)), [false, true]);
        assert_eq!([2, 10].map(|took| is_saved(Some(20), took, false)), [true, false]);
    }
}
