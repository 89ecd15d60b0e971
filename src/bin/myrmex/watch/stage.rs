//! What the program does under its watch, and when it is ended from outside in each stage.

use std::time::{Duration, Instant};

use myrmex::settings::AskedFor;
use myrmex::{Ended, Patience, Solution, Solver, UnderWay};

use crate::exit::Exit;
use crate::results::Results;

/// How much earlier than a run is waited for by others it is ended from outside, at its time limit and at an interrupt: reports are written. And for each city: a
/// solution has to be made and written.
const REPORTS: Duration = Duration::from_millis(100);
const REPORTS_AT_ONCE: Duration = Duration::from_millis(50);
const CITY: Duration = Duration::from_nanos(350);
/// How long after an interrupt writing may go on that keeps a bound, and that of outputs; and for each city.
const BOUND_GOES_ON: Duration = Duration::from_millis(200);
const WRITING_GOES_ON: Duration = Duration::from_millis(350);
const CITY_GOES_ON: Duration = Duration::from_micros(5);

/// What the program does.
pub enum Stage {
    /// It reads an instance and checks what it was asked for.
    Reading,
    /// Settings make sense; the device is opened, first solutions are made, kernels are compiled.
    SettingUp(Box<Known>),
    /// The run has solutions.
    Running(Box<Known>),
    /// The run is over with this solution, since this moment, and waits for the lower bound that was sought beside it.
    Over(Box<Known>, Box<Solution>, Instant),
    /// Outputs are written, of so many cities or facilities.
    Writing(usize),
    /// All others are written, and pictures and plots are drawn.
    Drawing(usize),
    /// All is done.
    Ended(Exit),
    /// The watch has taken its place.
    Taken,
}

impl Stage {
    /// Behind the set-up: the solver is there.
    pub fn set_up(self, solver: &Solver) -> Self {
        match self {
            Self::SettingUp(known) => {
                let has_several = !solver.devices().is_empty();
                Self::Running(Box::new(Known { run: known.run.set_up(solver), has_several, ..*known }))
            }
            other => other,
        }
    }

    /// The device has failed, and the run goes on on the CPU.
    pub fn device_lost(mut self) -> Self {
        if let Self::Running(known) = &mut self
            && !known.has_several
        {
            known.run.goes_on_on_the_cpu();
        }
        self
    }

    /// Behind the run.
    pub fn over(self, solution: &Solution) -> Self {
        match self {
            Self::Running(known) => Self::Over(known, Box::new(solution.clone()), Instant::now()),
            other => other,
        }
    }
}

/// What is known of a run before its end.
pub struct Known {
    pub run: UnderWay,
    /// Its file, where there are several.
    pub path: Option<String>,
    pub asked_for: AskedFor,
    /// Whether there are several devices: where one fails the others go on.
    pub has_several: bool,
    /// What runs before it found, where it is one of several. Others may follow then, so that it is not ended when it is late.
    pub earlier: Option<Results>,
}

impl Known {
    /// How long it takes, at most, to make a simple solution and to write it.
    fn to_write(&self) -> Duration {
        CITY * self.run.problem.len() as u32
    }

    /// When the program is ended from outside: for its time limit, and for an interrupt at a moment.
    fn ends(&self, limit: Option<Duration>, asked: Option<Instant>) -> Option<(Instant, Ended)> {
        // Of several runs none is ended so: others follow.
        let limit = limit.filter(|_| self.earlier.is_none());
        let limit = limit.and_then(|limit| Some((self.run.started.checked_add(limit)?, limit)));
        let is_set_up = self.run.is_set_up();
        let reports = match (is_set_up, asked) {
            (true, None) => REPORTS,
            (true, Some(_)) => REPORTS_AT_ONCE,
            (false, _) => Duration::ZERO,
        };
        let to_do = self.to_write() + reports;
        Patience { asked, limit, to_do }.ends(is_set_up)
    }
}

impl Stage {
    /// When the program is ended from outside: for its time limit, and for an interrupt at a moment.
    pub fn due(&self, limit: Option<Duration>, interrupted: Option<Instant>) -> Option<(Instant, Ended)> {
        let goes_on = |after: Duration| interrupted.map(|at| (at + after, Ended::Cancelled));
        match self {
            Self::Reading => goes_on(Duration::ZERO),
            Self::SettingUp(known) | Self::Running(known) => known.ends(limit, interrupted),
            Self::Over(.., since) => interrupted.map(|at| (at.max(*since) + BOUND_GOES_ON, Ended::Cancelled)),
            Self::Writing(cities) | Self::Drawing(cities) => goes_on(WRITING_GOES_ON + CITY_GOES_ON * *cities as u32),
            Self::Ended(_) | Self::Taken => None,
        }
    }
}
