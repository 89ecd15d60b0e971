//! What rank 0 saves of a run on its way. There are no checkpoints of several ranks, and what ends rank 0 at once would take the best solution along.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use myrmex::{Incumbent, Observer, Progress, Result};

use crate::print::errln;

/// How long after the start, and after each time, it is saved again.
const EVERY: Duration = Duration::from_secs(10);
/// It is saved less often where that takes long: ranks that wait for rank 0 stand idle meanwhile.
const LEAST_PAUSE: u32 = 100;

/// An observer, and beside it what saves the best solution so far: of this rank, and at meetings that of all.
pub struct Saving<O, W> {
    observer: O,
    best: Incumbent,
    write: W,
    /// The version that was saved last.
    saved: u64,
    next: Instant,
    /// Whether it was told that it cannot be saved.
    is_told: bool,
}

impl<O: Observer, W: FnMut(&[u32]) -> Result<()>> Saving<O, W> {
    pub fn new(observer: O, best: Incumbent, write: W) -> Self {
        Self { observer, best, write, saved: 0, next: Instant::now() + EVERY, is_told: false }
    }

    /// Saves the best solution if it is time to, and it is another one than before.
    fn save_if_due(&mut self) {
        let (began, version) = (Instant::now(), self.best.version());
        if began < self.next || version == self.saved {
            return;
        }
        let Some((best, _)) = self.best.get() else { return };
        match (self.write)(&best) {
            Ok(()) => self.saved = version,
            Err(error) if !std::mem::replace(&mut self.is_told, true) => {
                errln!("myrmex: {error}; the run goes on, and tries again");
            }
            Err(_) => {}
        }
        self.next = Instant::now() + EVERY.max(began.elapsed() * LEAST_PAUSE);
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
        let mut saving = Saving::new((), solver.incumbent(), write);
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
}
