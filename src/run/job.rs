//! A run on a thread of its own, set-up included, which the caller can let go of.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use web_time::Instant;

use super::abandoned::{HeldUp, Patience, UnderWay};
use super::at_once::alone;
use super::panics::{caught, text_of};
use super::pools::{STACK_BYTES, thread_named};
use super::{Cancel, Ended, Finished, Incumbent, Observer, Progress, Proof, Solution, Solver, Stop, Target};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::settings::Settings;

/// How often who waits looks whether it is to go on without the run.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A run that goes on while its caller does something else: the set-up of a solver and its search on a thread of their own. It ends by its rules, of
/// which time counts from [`Job::spawn`] on; as soon as no solution is better, where that is known ([`Proof`]); and when it is cancelled, within the set-up, too.
///
/// Dropping it cancels it and waits for nothing: what cannot be ended at once, as a driver that compiles or the set-up of thousands of asymmetric cities, comes
/// to its end on the thread. A process had better not end before that, which some drivers do not bear.
///
/// A job that is spawned within a rayon pool has a pool of its own with as many threads; elsewhere its set-up and the CPU backend work on the global one.
///
/// ```
/// use std::time::Duration;
/// use myrmex::{Job, Settings, Stop, Target, tsp::{Kind, generate}};
///
/// let instance = generate(Kind::Uniform, 500, 1)?;
/// let job = Job::spawn(&instance, &Settings::default(), Target::Cpu, &Stop::time(Duration::from_secs(60)))?;
/// while !job.is_finished() && job.progress().is_none_or(|now| now.iteration < 20) {
///     std::thread::sleep(Duration::from_millis(10));
/// }
/// job.cancel();
/// let solution = job.join()?.into_result()?;
/// assert_eq!(solution.cost, instance.tour_cost(&solution.permutation)?);
/// # Ok::<(), myrmex::Error>(())
/// ```
pub struct Job {
    problem: Problem,
    settings: Settings,
    target: Target,
    started: Instant,
    /// The solution that it begins with, where one is given.
    initial: Option<Vec<u32>>,
    stop: Stop,
    cancel: Cancel,
    seen: Arc<Mutex<Seen>>,
    done: Mutex<Receiver<Result<Finished>>>,
    /// When it was seen that it is to end, and that something had kept this from looking, as where the process was stopped.
    asked: Option<Instant>,
    held_up: HeldUp,
    /// What was found, once that is known.
    found: Option<Result<Finished>>,
}

/// What is known of the run before its end.
#[derive(Default)]
struct Seen {
    /// What runs, behind the set-up.
    under_way: Option<UnderWay>,
    progress: Option<Progress>,
    is_over: bool,
}

/// Notes how far a run has come, for who asks, and tells another observer.
struct Notes<O> {
    seen: Arc<Mutex<Seen>>,
    observer: O,
    /// What the other one's panic said, which ends the run.
    panicked: Option<String>,
}

impl<O: Observer> Notes<O> {
    fn note(&self, progress: &Progress) {
        lock(&self.seen).progress = Some(*progress);
    }

    /// What the other observer answers.
    fn told(&mut self, tell: impl FnOnce(&mut O) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.panicked.is_some() {
            return ControlFlow::Break(());
        }
        match catch_unwind(AssertUnwindSafe(|| tell(&mut self.observer))) {
            Ok(answer) => answer,
            Err(panic) => {
                self.panicked = Some(text_of(&*panic).to_owned());
                ControlFlow::Break(())
            }
        }
    }
}

impl<O: Observer> Observer for Notes<O> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.note(progress);
        self.told(|observer| observer.progress(progress))
    }

    fn is_ready(&mut self) -> bool {
        let mut ready = false;
        // Where it panics, what is told next ends the run.
        let answer = self.told(|observer| {
            ready = observer.is_ready();
            ControlFlow::Continue(())
        });
        ready && answer.is_continue()
    }

    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        self.note(progress);
        self.told(|observer| observer.gain(progress, solution))
    }

    fn phase(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.note(progress);
        self.told(|observer| observer.phase(progress))
    }
}

impl Job {
    /// Begins a run and returns at once; its time counts from now on.
    ///
    /// # Errors
    /// [`Error::Config`] for a stop without any rule, [`Error::Threads`] where no thread can be had. What is wrong with the problem or the settings [`Job::join`] tells.
    pub fn spawn(problem: impl Into<Problem>, settings: &Settings, target: Target, stop: &Stop) -> Result<Self> {
        Self::spawn_observed(problem, settings, target, stop, ())
    }

    /// The same with an observer, which is called on a thread of the run's. Where it panics the run ends, with that in [`Finished::failure`].
    ///
    /// # Errors
    /// As [`Job::spawn`].
    pub fn spawn_observed(
        problem: impl Into<Problem>,
        settings: &Settings,
        target: Target,
        stop: &Stop,
        observer: impl Observer + Send + 'static,
    ) -> Result<Self> {
        Self::begin(problem.into(), settings, target, stop, None, observer)
    }

    /// The same with a solution that the run begins with ([`Solver::with_start`]), which is also what [`Job::join`] says of a set-up that is let go.
    ///
    /// # Errors
    /// As [`Job::spawn`], and [`Error::Tour`] or [`Error::Assignment`] when it is no solution.
    pub fn spawn_with_start(
        problem: impl Into<Problem>,
        settings: &Settings,
        target: Target,
        stop: &Stop,
        start: &[u32],
        observer: impl Observer + Send + 'static,
    ) -> Result<Self> {
        let problem = problem.into();
        problem.cost(start)?;
        Self::begin(problem, settings, target, stop, Some(start.to_vec()), observer)
    }

    fn begin(
        problem: Problem,
        settings: &Settings,
        target: Target,
        stop: &Stop,
        initial: Option<Vec<u32>>,
        observer: impl Observer + Send + 'static,
    ) -> Result<Self> {
        if stop.is_empty() {
            let message = "no rule ends the run: Stop::usual() suits most";
            return Err(Error::Config(message.into()));
        }
        let (settings, named, started) = (*settings, target.clone(), Instant::now());
        let (cancel, seen) = (Cancel::new(), Arc::new(Mutex::new(Seen::default())));
        let stop = Stop { clock: Some(stop.clock.unwrap_or(started)), ..stop.clone() };
        let stop = stop.or(Stop::cancelled_by(&cancel));
        let (sender, done) = channel();
        let (own, start, rules, notes) = (problem.clone(), initial.clone(), stop.clone(), Arc::clone(&seen));
        // The global pool is there for whoever has no other.
        let threads = rayon::current_thread_index().map(|_| rayon::current_num_threads());
        let work = move || {
            let run = || {
                let rules = rules.or(Stop::proved_by(&Proof::of(&own)));
                let mut solver = match &start {
                    Some(start) => Solver::with_start(own, &settings, target, start)?,
                    None => Solver::new(own, &settings, target)?,
                };
                {
                    let mut seen = lock(&notes);
                    seen.under_way = Some(UnderWay::of(&solver, start.clone(), started));
                    seen.progress = Some(solver.progress());
                }
                let mut notes = Notes { seen: Arc::clone(&notes), observer, panicked: None };
                let finished = solver.run_to_end(&rules, &mut notes)?;
                let panicked = notes.panicked.map(|text| Error::other(format!("the observer panicked: {text}")));
                Ok(Finished { failure: finished.failure.or(panicked), ..finished })
            };
            let run = || match threads {
                Some(threads) => {
                    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
                    pool.map_err(|error| Error::Threads(error.to_string()))?.install(run)
                }
                None => run(),
            };
            let finished = caught(|panic| Error::Fault(format!("a run's thread has panicked: {panic}")), run);
            // When it was let go nobody listens.
            let _ = sender.send(finished);
            lock(&notes).is_over = true;
        };
        thread_named("myrmex-job").spawn(work).map_err(|error| Error::Threads(error.to_string()))?;
        let (done, held_up) = (Mutex::new(done), HeldUp::default());
        Ok(Self {
            problem,
            settings,
            target: named,
            started,
            initial,
            stop,
            cancel,
            seen,
            done,
            asked: None,
            held_up,
            found: None,
        })
    }

    /// Asks it to end with the best solution so far.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// How far it has come; `None` while it is set up.
    pub fn progress(&self) -> Option<Progress> {
        lock(&self.seen).progress
    }

    /// The best solution so far, for as long as the run goes on and behind it; `None` while it is set up.
    pub fn incumbent(&self) -> Option<Incumbent> {
        lock(&self.seen).under_way.as_ref()?.incumbent.clone()
    }

    /// Whether it is over, so that [`Job::join`] returns at once.
    pub fn is_finished(&self) -> bool {
        self.found.is_some() || lock(&self.seen).is_over
    }

    /// Waits for the end, but no longer than `most`; whether it has come, so that [`Job::join`] returns at once. A run that was cancelled, or whose time is up, is
    /// waited for no longer than a fraction of a second.
    pub fn wait(&mut self, most: Duration) -> bool {
        let until = Instant::now().checked_add(most);
        while self.found.is_none() {
            let looked = Instant::now();
            let left = until.map_or(LOOK_EVERY, |until| until.saturating_duration_since(looked));
            let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner);
            match done.recv_timeout(LOOK_EVERY.min(left)) {
                Ok(finished) => self.found = Some(finished),
                Err(RecvTimeoutError::Disconnected) => {
                    self.found = Some(Err(Error::Fault("a run's thread has ended too early".into())));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    let has_a_chance = self.held_up.looked(looked, now);
                    if self.stop.is_cancelled() {
                        self.asked.get_or_insert(now);
                    }
                    match self.given_up(now).filter(|_| !has_a_chance) {
                        Some(ended) => {
                            // It may have come to its end meanwhile.
                            let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv();
                            self.found = Some(done.unwrap_or_else(|_| self.left(ended)));
                        }
                        None if left.is_zero() => return false,
                        None => {}
                    }
                }
            }
        }
        true
    }

    /// Waits for the end, as [`Job::wait`] does, and says what was found: of a run that does not answer the best solution known; while it is set up the one that it
    /// was to begin with, or a simple one, made at once ([`super::Solution::abandoned`] says which).
    ///
    /// # Errors
    /// As [`Solver::new`] and [`Solver::run_to_end`].
    pub fn join(mut self) -> Result<Finished> {
        while !self.wait(Duration::from_secs(3600)) {}
        self.found.take().unwrap_or_else(|| Err(Error::Fault("a run has no end".into())))
    }

    /// Why the run is not waited for any longer, where it is not.
    fn given_up(&self, now: Instant) -> Option<Ended> {
        let patience = Patience { asked: self.asked, limit: self.stop.time_ends(self.started), ..Patience::default() };
        patience.ends(self.incumbent().is_some()).filter(|(at, _)| now >= *at).map(|(_, ended)| ended)
    }

    /// What is known of a run that is not waited for.
    fn left(&self, ended: Ended) -> Result<Finished> {
        // The run goes on, and must not wait here for what this one takes its time to make.
        let seen = lock(&self.seen).under_way.clone();
        let under_way = match seen {
            Some(under_way) => under_way,
            // Threads of the caller's pool may be held up by the set-up.
            None => alone(|| {
                UnderWay::begin(&self.problem, &self.settings, &self.target, self.initial.clone(), self.started)
            })?,
        };
        let made = self.progress().map_or(0, |progress| progress.iteration);
        under_way
            .abandoned(ended)
            .map(|solution| Finished { solution: Solution { iterations: made, ..solution }, failure: None })
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let progress = self.progress();
        f.debug_struct("Job")
            .field("problem", &self.problem.name())
            .field("progress", &progress)
            .finish_non_exhaustive()
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    // Who panicked has left what is whole.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
