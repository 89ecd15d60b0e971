//! Runs that somebody waits for: how long, and what is known of one that its caller goes on without.

use std::time::Duration;

use serde::Serialize;
use web_time::Instant;

use super::at_once::alone;
use super::clock::Clock;
use super::setup::may_suit;
use super::{Ended, Incumbent, Ran, Resumed, Solution, Solver, Target};
use crate::backend::{Backend, BackendKind, CpuBackend};
use crate::error::Result;
use crate::instance::problem::Problem;
use crate::settings::{Recipe, Settings};

/// Why a solution is not what the run itself ended with: what its caller went on without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Abandoned {
    /// The set-up was not done: this is a simple solution.
    SetUp,
    /// The set-up was not done: this is the solution that the run was to begin with.
    Start,
    /// The run did not answer in time: this is the best solution known before.
    Run,
    /// The ranks did not come together in time: this is the best solution of their last meeting.
    Ranks,
}

/// How long after its time limit set-up may go on, which nobody can end, and how long after it was asked to end.
const SET_UP_LATE: Duration = Duration::from_millis(100);
const SET_UP_GOES_ON: Duration = Duration::from_millis(50);
/// The same of a run, whose turns take 80 ms. However much there is to do then, it is the time of a turn, and this share of that, in which the run gets at its
/// solution.
const RUN_LATE: Duration = Duration::from_millis(250);
const RUN_LEAST: Duration = Duration::from_millis(110);
const RUN_LEAST_SHARE: u32 = 10;
/// How late both may be as a share of a time limit.
const LATE_SHARE: u32 = 33;
/// How long a look takes where something keeps the process from looking.
const HELD_UP: Duration = Duration::from_secs(1);

/// How long a run is waited for that was to end: what a driver or a matrix holds up longer its caller goes on without.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// When it was asked to end.
    pub asked: Option<Instant>,
    /// When its time is up, and how long that was.
    pub limit: Option<(Instant, Duration)>,
    /// What there is to do once it is over.
    pub to_do: Duration,
}

impl Patience {
    /// When the run is no longer waited for, in its set-up or behind it, and why it ends then. What it was asked for counts more than its limit.
    pub fn ends(&self, is_set_up: bool) -> Option<(Instant, Ended)> {
        let run = || RUN_LATE.saturating_sub(self.to_do).max(RUN_LEAST + self.to_do / RUN_LEAST_SHARE);
        let asked = self.asked.map(|at| match is_set_up {
            true => at + run(),
            false => at + SET_UP_GOES_ON.saturating_sub(self.to_do),
        });
        let late = self.limit.filter(|_| asked.is_none()).and_then(|(end, limit)| {
            let end = end.checked_add(limit / LATE_SHARE)?;
            match is_set_up {
                true => end.checked_add(run()),
                // What there is to do then may take longer: it has to begin before.
                false => end.checked_add(SET_UP_LATE)?.checked_sub(self.to_do),
            }
        });
        asked.map(|at| (at, Ended::Cancelled)).or(late.map(|at| (at, Ended::Time)))
    }
}

/// When something has kept a thread from looking at a run, as where the process was stopped: what was held up with it first has a chance to end by
/// itself.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct HeldUp(Option<Instant>);

impl HeldUp {
    /// Takes note of a look that was short, unless something kept the thread; whether the run is to have its chance.
    pub fn looked(&mut self, began: Instant, ended: Instant) -> bool {
        if ended.saturating_duration_since(began) >= HELD_UP {
            self.0 = Some(ended);
        }
        self.0.is_some_and(|at| ended.saturating_duration_since(at) < RUN_LATE)
    }
}

/// What is known of a run before its end.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct UnderWay {
    pub problem: Problem,
    /// What runs, and where, once that is known.
    pub ran: Ran,
    /// The solution that it begins with, where one was given, or that of a checkpoint.
    pub initial: Option<Vec<u32>>,
    /// Where the run goes on from, if it is resumed.
    pub resumed: Option<Resumed>,
    /// The solver's, behind the set-up.
    clock: Option<Clock>,
    /// When its time began.
    pub started: Instant,
    /// The best solution so far; `None` in the set-up.
    pub incumbent: Option<Incumbent>,
}

impl UnderWay {
    /// A run in its set-up, with the recipe that these settings most likely make on a target: no driver is asked, and asymmetric distances are not made
    /// symmetric, which takes long.
    ///
    /// # Errors
    /// As [`Solver::new`] for settings that make no sense.
    pub fn begin(
        problem: &Problem,
        settings: &Settings,
        target: &Target,
        initial: Option<Vec<u32>>,
        started: Instant,
    ) -> Result<Self> {
        let suits = may_suit(target);
        let recipe = settings.for_devices(problem, suits, target.named())?.recipe(problem, suits)?;
        Ok(Self::new(problem.clone(), recipe, initial, started))
    }

    /// The same with a recipe that is known.
    pub fn new(problem: Problem, recipe: Recipe, initial: Option<Vec<u32>>, started: Instant) -> Self {
        let ran = Ran { recipe, backend: BackendKind::None, device: "none: the set-up was not done".into() };
        Self { problem, ran, initial, resumed: None, clock: None, started, incumbent: None }
    }

    /// The run of a solver, behind its set-up.
    pub fn of(solver: &Solver, initial: Option<Vec<u32>>, started: Instant) -> Self {
        Self::new(solver.problem().clone(), solver.recipe().clone(), initial, started).set_up(solver)
    }

    /// The same behind its set-up.
    #[must_use]
    pub fn set_up(self, solver: &Solver) -> Self {
        let (resumed, clock) = (solver.resumed(), Some(solver.clock));
        Self { ran: solver.ran(), resumed, clock, incumbent: Some(solver.incumbent()), ..self }
    }

    /// Its device has failed, and it goes on on the CPU.
    pub fn goes_on_on_the_cpu(&mut self) {
        let cpu = CpuBackend::new();
        (self.ran.backend, self.ran.device) = (cpu.kind(), cpu.capabilities().device.clone());
    }

    pub fn is_set_up(&self) -> bool {
        self.incumbent.is_some()
    }

    /// The solution of a run that its caller goes on without: the best one that is known of it, the one that it began with, or a simple one that is made at
    /// once. A thread of its own makes it: those of the caller's pool may be held up by the run.
    ///
    /// # Errors
    /// As [`Problem::solution_at_once`].
    pub fn abandoned(&self, ended: Ended) -> Result<Solution> {
        alone(|| {
            let best = self.incumbent.as_ref().and_then(Incumbent::get).map(|(best, _)| best);
            let (best, abandoned) = match (best, self.initial.clone()) {
                (Some(best), _) => (best, Abandoned::Run),
                (None, Some(initial)) => (initial, Abandoned::Start),
                (None, None) => (self.problem.solution_at_once()?, Abandoned::SetUp),
            };
            let seconds = self.clock.map_or_else(|| self.started.elapsed().as_secs_f64(), |clock| clock.seconds());
            let solution = Solution::known(self.ran.clone(), &self.problem, best, seconds, ended)?;
            Ok(Solution { resumed: self.resumed, abandoned: Some(abandoned), ..solution })
        })
    }
}

impl Solution {
    /// What there is to say, for people, of a solution that the run itself did not end with, or of a run whose time was too short for it: where
    /// [`Solution::abandoned`] says so, and where no iteration was finished.
    pub fn cut_short(&self) -> Option<&'static str> {
        Some(match (self.abandoned, self.ended) {
            (Some(_), Ended::Failed) => "a fault ended the run, this is the best solution known before",
            (Some(Abandoned::SetUp), Ended::Time) => {
                "the set-up was not done, this is a simple solution: give it more time"
            }
            (Some(Abandoned::SetUp), _) => "the set-up was not done, this is a simple solution",
            (Some(Abandoned::Start), Ended::Time) => {
                "the set-up was not done, this is the solution that it was to begin with: give it more time"
            }
            (Some(Abandoned::Start), _) => "the set-up was not done, this is the solution that it was to begin with",
            (Some(Abandoned::Run), _) => "the run did not answer in time, this is the best solution known before",
            (Some(Abandoned::Ranks), _) => {
                "the ranks did not come together in time, this is the best solution of their last meeting"
            }
            (None, Ended::Time) if self.iterations == 0 => "no iteration was finished: give it more time",
            (None, _) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Flaw};
    use crate::instance::tsp::{Kind, generate};
    use crate::settings::Effort;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_run_is_waited_for_as_long_as_its_turns_take_and_set_up_hardly() {
        let began = Instant::now();
        let ms = |at: Instant| (at - began).as_millis();
        let ends = |patience: Patience, is_set_up| patience.ends(is_set_up).map(|(at, ended)| (ms(at), ended));
        assert_eq!(ends(Patience::default(), true), None);
        let late = Patience { limit: Some((began + SECOND, SECOND)), ..Patience::default() };
        assert_eq!(
            [false, true].map(|is_set_up| ends(late, is_set_up)),
            [Some((1130, Ended::Time)), Some((1280, Ended::Time))]
        );
        let asked = Patience { asked: Some(began + SECOND / 2), ..late };
        assert_eq!(
            [false, true].map(|is_set_up| ends(asked, is_set_up)),
            [Some((550, Ended::Cancelled)), Some((750, Ended::Cancelled))]
        );
        let asked_late = Patience { asked: Some(began + SECOND * 2), ..late };
        assert_eq!(ends(asked_late, true), Some((2250, Ended::Cancelled)));
        // What there is to do is taken off; a turn is always waited for.
        let busy = Patience { to_do: Duration::from_millis(400), ..late };
        assert_eq!(
            [false, true].map(|is_set_up| ends(busy, is_set_up)),
            [Some((730, Ended::Time)), Some((1180, Ended::Time))]
        );
    }

    #[test]
    fn what_was_stopped_has_a_chance_to_end_by_itself() {
        let (began, mut held_up) = (Instant::now(), HeldUp::default());
        assert!(!held_up.looked(began, began + SECOND / 100));
        let goes_on = began + SECOND * 5;
        assert!(held_up.looked(began, goes_on) && held_up.looked(goes_on, goes_on + RUN_LATE / 2));
        assert!(!held_up.looked(goes_on + RUN_LATE / 2, goes_on + RUN_LATE));
    }

    /// Not one of the caller's pool, which the run may hold up.
    #[test]
    fn a_solution_is_made_on_a_thread_of_its_own() {
        let caller = std::thread::current().id();
        alone(|| assert!(rayon::current_num_threads() == 1 && std::thread::current().id() != caller));
        let problem = Problem::from(generate(Kind::Uniform, 5, 1).unwrap());
        let recipe = Settings::default().recipe(&problem, Effort::Standard).unwrap();
        let under_way = UnderWay::new(problem.clone(), recipe, None, Instant::now());
        let solution = under_way.abandoned(Ended::Time).unwrap();
        assert_eq!(
            (solution.abandoned, solution.cost),
            (Some(Abandoned::SetUp), problem.cost(&solution.permutation).unwrap())
        );
        assert_eq!(solution.cut_short(), Some("the set-up was not done, this is a simple solution: give it more time"));
        // The one that was given is checked, as any other.
        let given = UnderWay { initial: Some(vec![4, 2, 0, 1, 3]), ..under_way };
        let found = given.abandoned(Ended::Cancelled).unwrap();
        assert_eq!((found.abandoned, &found.permutation[..]), (Some(Abandoned::Start), &[4, 2, 0, 1, 3][..]));
        let wrong = |initial: &[u32]| UnderWay { initial: Some(initial.to_vec()), ..given.clone() };
        let flaw = |initial: &[u32]| match wrong(initial).abandoned(Ended::Time) {
            Err(Error::Tour(flaw)) => flaw,
            other => panic!("{other:?}"),
        };
        assert_eq!(flaw(&[0, 1, 2, 3, 3]), Flaw::Twice { number: 3 });
        assert_eq!(flaw(&[0, 1]), Flaw::Length { found: 2, expected: 5 });
        assert_eq!(flaw(&[0, 1, 2, 3, 5]), Flaw::Unknown { number: 5, below: 5 });
    }

    /// Several devices have a colony each, whose bests migrate, also where nobody says how many colonies there are.
    #[test]
    fn several_devices_are_taken_as_by_a_solver() {
        let problem = Problem::from(generate(Kind::Uniform, 60, 3).unwrap());
        let settings = Settings::named("mmas").unwrap().with("migration", "5").unwrap();
        let begin = |target: Target| UnderWay::begin(&problem, &settings, &target, None, Instant::now());
        assert_eq!(begin(Target::Several(vec![Target::Cpu; 2])).unwrap().ran.recipe.colonies, 2);
        // A colony alone has none to migrate to.
        assert!(begin(Target::Cpu).unwrap_err().to_string().contains("one colony"));
    }

    /// Asymmetric distances that a solver takes a second to make symmetric.
    #[test]
    fn a_run_of_asymmetric_distances_is_let_go_at_once() {
        let weight = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 12;
        let matrix = (0..2500 * 2500).map(weight).collect();
        let problem = Problem::from(crate::instance::tsp::Instance::from_matrix("asymmetric", 2500, matrix).unwrap());
        let settings = Settings::named("eax").unwrap();
        let timed = |work: &dyn Fn()| {
            let began = Instant::now();
            work();
            began.elapsed()
        };
        // Other work may come between in one of the tries.
        let tries = [(); 4].map(|()| {
            let begun =
                timed(&|| drop(UnderWay::begin(&problem, &settings, &Target::Cpu, None, Instant::now()).unwrap()));
            (begun, timed(&|| drop(settings.form(&problem).unwrap())))
        });
        assert!(tries.iter().any(|(begun, formed)| *begun < *formed / 4), "{tries:?}");
    }
}
