//! When a run ends, and why it did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use web_time::Instant;

use super::clock::Clock;
use super::{Progress, Proof};
use crate::algorithm::choices::choice;

/// Ends a run from elsewhere: from another thread, a signal handler, a window. Clones are one token.
///
/// ```
/// use myrmex::{Cancel, Ended, Settings, Solver, Stop, Target, tsp::{Kind, generate}};
///
/// let instance = generate(Kind::Uniform, 500, 1)?;
/// let mut solver = Solver::new(&instance, &Settings::default(), Target::Cpu)?;
/// let cancel = Cancel::new();
/// let elsewhere = cancel.clone();
/// std::thread::spawn(move || elsewhere.cancel());
/// let solution = solver.run(&Stop::cancelled_by(&cancel))?;
/// assert_eq!(solution.ended, Ended::Cancelled);
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// One that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks runs that look at it to end; whether it was asked before.
    pub fn cancel(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether that was asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When to stop: at the first of the rules that are set. [`Stop::or`] joins rules; a run without any is refused.
///
/// ```
/// use std::time::Duration;
/// use myrmex::Stop;
///
/// let stop = Stop::time(Duration::from_secs(60)).or(Stop::cost(7_542)).or(Stop::stagnation(500));
/// assert_eq!((stop.cost, stop.stagnation, stop.iterations), (Some(7_542), Some(500), None));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stop {
    /// After this many iterations in all, of each colony; those before a run was resumed count too. Every run ends after 2³² − 1.
    pub iterations: Option<u32>,
    /// After this much time since `clock` (default: since `run` was called).
    pub time: Option<Duration>,
    /// When `time` began, for limits that include the set-up.
    pub clock: Option<Instant>,
    /// At a tour of this cost or less.
    pub cost: Option<u64>,
    /// At a solution of this length or less, in the unit of what was given, as [`super::Solution::length`] is.
    pub target: Option<f64>,
    /// When so many iterations have gained nothing: since the last gain, or since the first of the calls of a run, one after the other, that have such a rule.
    /// After an end by it the next call begins to count.
    pub stagnation: Option<u32>,
    /// When so much time has gained nothing, counted in the same way.
    pub stagnation_time: Option<Duration>,
    /// When the phases have come to their end so often: before they would begin again with a larger population (see
    /// [`crate::settings::Restart`]). A run whose last phase ends with the run has no such end: ant systems, windows alone, and crossover of windows
    /// of a large tour.
    pub rounds: Option<u32>,
    /// When one of these is cancelled.
    pub cancel: Vec<Cancel>,
    /// At a solution that costs no more than one of these says that all do. It ends no run for certain, and is no rule by itself.
    pub proofs: Vec<Proof>,
    /// Times that count since moments of their own, and hold beside `time`.
    pub(super) times: Vec<(Duration, Instant)>,
    /// Since when what gains nothing is counted, and the iterations made before.
    pub(super) begun: Option<(Instant, u32)>,
    /// When the present turn should return. It ends no run.
    pub(super) turn_ends: Option<Instant>,
}

impl Stop {
    /// The time of [`Stop::usual`].
    pub const DEFAULT_TIME: Duration = Duration::from_secs(5);
    /// The rounds of [`Stop::usual`]. Of 150 random instances of 20 to 100 cities six rounds solved none better than three, and of 50 with 200
    /// cities four solved one better.
    pub const DEFAULT_ROUNDS: u32 = 4;
    /// Iterations without a gain after which [`Stop::converged`] ends a run whose phases have no end.
    pub const DEFAULT_STAGNATION: u32 = 100;

    /// After `count` iterations. So many find the same solution on every device with the settings that [`crate::settings::Settings::for_iterations`] gives: without
    /// it they suit the device.
    pub fn iterations(count: u32) -> Self {
        Self { iterations: Some(count), ..Self::default() }
    }

    /// After `limit`, also where no solution is better: [`Stop::proved_by`] beside it ends a run of few cities or facilities at once, and
    /// [`Stop::usual`] one that has converged.
    pub fn time(limit: Duration) -> Self {
        Self { time: Some(limit), ..Self::default() }
    }

    /// At a solution of this cost or less. [`Stop::target`] is the same for a length in another unit.
    pub fn cost(cost: u64) -> Self {
        Self { cost: Some(cost), ..Self::default() }
    }

    /// At a solution of this length or less, in the unit of what was given. Where the solver rounds distances, so that costs tell lengths
    /// nearly, a solution that may be short enough is measured.
    ///
    /// ```
    /// use myrmex::{Ended, Problem, Settings, Solver, Stop, Target, tsp::Instance};
    ///
    /// let problem = Problem::from(Instance::from_points(&[[0.0, 0.1], [0.7, 0.2], [0.4, 0.9], [0.1, 0.8], [0.6, 0.6]])?);
    /// let solve = |stop: Stop| Solver::new(&problem, &Settings::named("mmas")?, Target::Cpu)?.run(&stop);
    /// let length = solve(Stop::iterations(20))?.length;
    /// assert_eq!(solve(Stop::target(length))?.ended, Ended::Target);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn target(length: f64) -> Self {
        Self { target: Some(length), ..Self::default() }
    }

    /// At a solution that costs at most `percent` percent more than a known optimum.
    ///
    /// ```
    /// assert_eq!(myrmex::Stop::within(2.5, 1_000).cost, Some(1_025));
    /// ```
    pub fn within(percent: f64, optimum: u64) -> Self {
        // A conversion from floating point stays within the type.
        Self::cost(optimum.saturating_add((optimum as f64 * percent.max(0.0) / 100.0) as u64))
    }

    /// When `iterations` have gained nothing.
    pub fn stagnation(iterations: u32) -> Self {
        Self { stagnation: Some(iterations), ..Self::default() }
    }

    /// When nothing was gained for `limit`.
    pub fn stagnation_time(limit: Duration) -> Self {
        Self { stagnation_time: Some(limit), ..Self::default() }
    }

    /// When the phases have come to their end `count` times; 0: at once, with the first solution.
    pub fn rounds(count: u32) -> Self {
        Self { rounds: Some(count), ..Self::default() }
    }

    /// What the command line, the Python package and the C library end a run with that nothing else ends: after [`Stop::DEFAULT_TIME`], or before
    /// that when the phases have come to their end [`Stop::DEFAULT_ROUNDS`] times, each time with a larger population. Small problems are
    /// solved by then as far as can be told.
    pub fn usual() -> Self {
        Self::time(Self::DEFAULT_TIME).or(Self::rounds(Self::DEFAULT_ROUNDS))
    }

    /// When nothing more is to be expected soon: the phases have come to their end, or [`Stop::DEFAULT_STAGNATION`] iterations have gained
    /// nothing. What `Batch` ends each problem with unless it is told otherwise. It counts iterations and no time, so that a run
    /// ends at the same solution whatever else the machine does.
    pub fn converged() -> Self {
        Self::rounds(1).or(Self::stagnation(Self::DEFAULT_STAGNATION))
    }

    /// When `token` is cancelled.
    pub fn cancelled_by(token: &Cancel) -> Self {
        Self { cancel: vec![token.clone()], ..Self::default() }
    }

    /// At a solution that is proved to be the best; joined to another rule, since a proof may never come so far.
    pub fn proved_by(proof: &Proof) -> Self {
        Self { proofs: vec![proof.clone()], ..Self::default() }
    }

    /// The same with time counted from `clock`, for limits that include the set-up.
    #[must_use]
    pub fn since(self, clock: Instant) -> Self {
        let time = self.shortest_time();
        Self { time, clock: Some(clock), times: Vec::new(), ..self }
    }

    /// The shortest of its times.
    pub(crate) fn shortest_time(&self) -> Option<Duration> {
        self.times.iter().map(|(limit, _)| *limit).chain(self.time).min()
    }

    /// When either of the two says so: of a rule that both have the one that holds first, and each token counts. Of two times each counts from
    /// its own clock. (A clock of `other` counts where this one has none and `other` no time.)
    ///
    /// ```
    /// use myrmex::{Cancel, Stop};
    ///
    /// let (window, server) = (Cancel::new(), Cancel::new());
    /// let stop = Stop::cancelled_by(&window).or(Stop::cancelled_by(&server));
    /// assert_eq!(stop.cancel.len(), 2);
    /// ```
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        fn first<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
            one.into_iter().chain(other).min()
        }
        let (time, clock, apart) = match (self.time.zip(self.clock), other.time.zip(other.clock)) {
            // A moment that is known stands beside one that is not, which is when the run is called.
            (Some(apart), None) if other.time.is_some() => (other.time, None, Some(apart)),
            (None, Some(apart)) if self.time.is_some() => (self.time, self.clock, Some(apart)),
            (Some(one), Some(another)) if one.1 != another.1 => (Some(one.0), Some(one.1), Some(another)),
            (None, Some((time, clock))) => (Some(time), Some(clock), None),
            _ => (first(self.time, other.time), self.clock.or(other.clock), None),
        };
        Self {
            iterations: first(self.iterations, other.iterations),
            time,
            clock,
            times: self.times.into_iter().chain(other.times).chain(apart).collect(),
            cost: self.cost.into_iter().chain(other.cost).max(),
            target: self.target.into_iter().chain(other.target).reduce(f64::max),
            stagnation: first(self.stagnation, other.stagnation),
            stagnation_time: first(self.stagnation_time, other.stagnation_time),
            rounds: first(self.rounds, other.rounds),
            cancel: [self.cancel, other.cancel].concat(),
            proofs: [self.proofs, other.proofs].concat(),
            begun: self.begun,
            turn_ends: self.turn_ends,
        }
    }

    /// Whether there is no rule, so that a run would never end.
    pub fn is_empty(&self) -> bool {
        let Self {
            iterations,
            time,
            cost,
            target,
            stagnation,
            stagnation_time,
            rounds,
            cancel,
            times,
            proofs: _,
            clock: _,
            begun: _,
            turn_ends: _,
        } = self;
        iterations.is_none()
            && time.is_none()
            && cost.is_none()
            && target.is_none()
            && stagnation.is_none()
            && stagnation_time.is_none()
            && rounds.is_none()
            && cancel.is_empty()
            && times.is_empty()
    }

    /// Whether nothing but the end of the phases, or a token, ends a run.
    pub(super) fn waits_for_rounds(&self) -> bool {
        self.rounds.is_some() && Self { rounds: None, cancel: Vec::new(), ..self.clone() }.is_empty()
    }

    /// The iteration that ends a run which has come this far unless something is gained before.
    pub(super) fn stagnates_in(&self, progress: &Progress) -> Option<u32> {
        let since = self.begun.map_or(0, |(_, iteration)| iteration).max(progress.best_iteration);
        self.stagnation.map(|iterations| since.saturating_add(iterations))
    }

    /// The time that is left of its limit and of the present turn, `most` at most; time counts from the beginning of `clock` unless the
    /// rule has one of its own.
    pub(super) fn room(&self, most: Duration, clock: &Clock) -> Duration {
        let most = self.turn_ends.map_or(most, |at| at.saturating_duration_since(Instant::now()).min(most));
        self.time_left(clock.began).map_or(most, |left| left.min(most))
    }

    /// When the first limit of time is over, and how long it is; it counts since `began` unless the rule has a clock of its own.
    pub(super) fn time_ends(&self, began: Instant) -> Option<(Instant, Duration)> {
        let own = self.time.map(|limit| (limit, self.clock.unwrap_or(began)));
        let all = own.iter().chain(&self.times);
        all.filter_map(|(limit, since)| Some((since.checked_add(*limit)?, *limit))).min()
    }

    /// The time that is left, where there is a limit; it counts since `began` unless the rule has a clock of its own.
    fn time_left(&self, began: Instant) -> Option<Duration> {
        let own = self.time.map(|limit| (limit, self.clock.unwrap_or(began)));
        own.iter().chain(&self.times).map(|(limit, since)| limit.saturating_sub(since.elapsed())).min()
    }

    /// Whether time is up.
    pub(super) fn is_late(&self, began: Instant) -> bool {
        self.time_left(began).is_some_and(|left| left.is_zero())
    }

    /// Whether nothing ends a run for certain but the end of its phases.
    pub(super) fn needs_rounds(&self) -> bool {
        Self { cost: None, target: None, ..self.clone() }.waits_for_rounds()
    }

    /// Why a run that has come this far ends with a round.
    pub(super) fn ended_by_rounds(&self, progress: &Progress) -> Ended {
        let reached = self.cost.is_some_and(|cost| progress.cost <= cost);
        if reached { Ended::Target } else { Ended::Converged }
    }

    /// Why a run that has come this far ends instead of beginning round `round` (counted from 0), if it does.
    pub(super) fn ends_before(&self, round: u32, progress: &Progress) -> Option<Ended> {
        let ends = self.rounds.is_some_and(|rounds| round > progress.round && round >= rounds);
        ends.then(|| self.ended_by_rounds(progress))
    }

    /// Whether a token was cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.iter().any(Cancel::is_cancelled)
    }

    /// Whether iterations that have gained nothing, up to the one that a run has come to, end it; whether seconds do, up to now.
    pub(super) fn stagnates(&self, progress: &Progress, clock: &Clock) -> [bool; 2] {
        let gained = self.begun.map_or(clock.began, |(at, _)| at).max(clock.moment(progress.best_seconds));
        [
            self.stagnates_in(progress).is_some_and(|last| progress.iteration >= last),
            self.stagnation_time.is_some_and(|limit| gained.elapsed() >= limit),
        ]
    }

    /// Which rule holds for a run that has come this far, time counted from the beginning of `clock` unless the rule has one of its own.
    pub(super) fn ended(&self, progress: &Progress, clock: &Clock) -> Option<Ended> {
        if self.is_cancelled() {
            return Some(Ended::Cancelled);
        }
        if self.cost.is_some_and(|cost| progress.cost <= cost) {
            return Some(Ended::Target);
        }
        // More are not counted.
        if progress.iteration >= self.iterations.unwrap_or(u32::MAX) {
            return Some(Ended::Iterations);
        }
        if self.rounds == Some(0) {
            return Some(Ended::Converged);
        }
        if self.stagnates(progress, clock).contains(&true) {
            return Some(Ended::Stagnation);
        }
        self.is_late(clock.began).then_some(Ended::Time)
    }
}

choice! {
    /// Why a run ended.
    #[derive(Deserialize)]
    Ended {
        /// All iterations were made.
        Iterations = "iterations",
        /// Time was up.
        Time = "time",
        /// The target cost was reached.
        Target = "target",
        /// Nothing was gained for as long as the rule says.
        Stagnation = "stagnation",
        /// The phases have come to their end as often as the rule says.
        Converged = "converged",
        /// The caller or its observer asked for it.
        Cancelled = "cancelled",
        /// The solution was proved to be the best one ([`Stop::proved_by`]).
        Optimal = "optimal",
        /// The instance is so small that all solutions were tried at once.
        Trivial = "trivial",
        /// The device failed.
        Failed = "failed",
    }
}

#[cfg(test)]
mod tests;
