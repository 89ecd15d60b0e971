//! When a run ends, and why it did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use web_time::Instant;

use super::Progress;
use super::clock::Clock;

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
/// let solution = solver.run(&Stop::cancelled_by(&cancel), |_| std::ops::ControlFlow::Continue(()))?;
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
/// let stop = Stop::time(Duration::from_secs(60)).or(Stop::target(7_542)).or(Stop::stagnation(500));
/// assert_eq!((stop.target, stop.stagnation, stop.iterations), (Some(7_542), Some(500), None));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stop {
    /// After this many iterations in all, of each colony; those before a run was resumed count too.
    pub iterations: Option<u32>,
    /// After this much time since `clock` (default: since `run` was called).
    pub time: Option<Duration>,
    /// When `time` began, for limits that include the set-up.
    pub clock: Option<Instant>,
    /// At a tour of this cost or less.
    pub target: Option<u64>,
    /// At a solution of this length or less, in the unit of what was given, as [`super::Solution::length`] is.
    pub length: Option<f64>,
    /// When so many iterations have gained nothing: since the last gain, or since `run` was called.
    pub stagnation: Option<u32>,
    /// When so much time has gained nothing.
    pub stagnation_time: Option<Duration>,
    /// When the phases have come to their end so often: before they would begin again with a larger population (see
    /// [`crate::settings::Restart`]). A run whose last phase ends with the run has no such end: ant systems, assignments, windows alone,
    /// and crossover of windows of a large tour.
    pub rounds: Option<u32>,
    /// When one of these is cancelled.
    pub cancel: Vec<Cancel>,
    /// When `run` was called, and the iterations made before.
    pub(super) begun: Option<(Instant, u32)>,
    /// When the present turn should return. It ends no run.
    pub(super) turn_ends: Option<Instant>,
}

impl Stop {
    /// What the command line and the Python package limit a run to that nothing else ends.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(5);
    /// Iterations without a gain after which [`Stop::converged`] ends a run whose phases have no end.
    pub const DEFAULT_STAGNATION: u32 = 100;

    /// After `count` iterations.
    pub fn iterations(count: u32) -> Self {
        Self { iterations: Some(count), ..Self::default() }
    }

    /// After `limit`.
    pub fn time(limit: Duration) -> Self {
        Self { time: Some(limit), ..Self::default() }
    }

    /// At a solution of this cost or less. [`Stop::length`] is the same for a length in another unit.
    pub fn target(cost: u64) -> Self {
        Self { target: Some(cost), ..Self::default() }
    }

    /// At a solution of this length or less, in the unit of what was given. Where the solver rounds distances, so that costs tell lengths
    /// nearly, a solution that may be short enough is measured.
    ///
    /// ```
    /// use myrmex::{Ended, Problem, Settings, Solver, Stop, Target, tsp::Instance};
    ///
    /// let problem = Problem::from(Instance::from_points(&[[0.0, 0.1], [0.7, 0.2], [0.4, 0.9], [0.1, 0.8], [0.6, 0.6]])?);
    /// let solve = |stop: Stop| Solver::new(&problem, &Settings::named("mmas")?, Target::Cpu)?.run(&stop, |_| std::ops::ControlFlow::Continue(()));
    /// let length = solve(Stop::iterations(20))?.length;
    /// assert_eq!(solve(Stop::length(length))?.ended, Ended::Target);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn length(length: f64) -> Self {
        Self { length: Some(length), ..Self::default() }
    }

    /// At a solution that costs at most `percent` percent more than a known optimum.
    ///
    /// ```
    /// assert_eq!(myrmex::Stop::within(2.5, 1_000).target, Some(1_025));
    /// ```
    pub fn within(percent: f64, optimum: u64) -> Self {
        // A conversion from floating point stays within the type.
        Self::target(optimum.saturating_add((optimum as f64 * percent.max(0.0) / 100.0) as u64))
    }

    /// When `iterations` have gained nothing.
    pub fn stagnation(iterations: u32) -> Self {
        Self { stagnation: Some(iterations), ..Self::default() }
    }

    /// When nothing was gained for `limit`.
    pub fn stagnation_time(limit: Duration) -> Self {
        Self { stagnation_time: Some(limit), ..Self::default() }
    }

    /// When the phases have come to their end `count` times.
    pub fn rounds(count: u32) -> Self {
        Self { rounds: Some(count), ..Self::default() }
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

    /// The same with time counted from `clock`, for limits that include the set-up.
    pub fn since(self, clock: Instant) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// When either of the two says so: of a rule that both have the one that holds first, and each token counts. (A clock of `other` counts
    /// where this one has none.)
    ///
    /// ```
    /// use myrmex::{Cancel, Stop};
    ///
    /// let (window, server) = (Cancel::new(), Cancel::new());
    /// let stop = Stop::cancelled_by(&window).or(Stop::cancelled_by(&server));
    /// assert_eq!(stop.cancel.len(), 2);
    /// ```
    pub fn or(self, other: Self) -> Self {
        fn first<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
            one.into_iter().chain(other).min()
        }
        Self {
            iterations: first(self.iterations, other.iterations),
            time: first(self.time, other.time),
            clock: self.clock.or(other.clock),
            target: self.target.into_iter().chain(other.target).max(),
            length: self.length.into_iter().chain(other.length).reduce(f64::max),
            stagnation: first(self.stagnation, other.stagnation),
            stagnation_time: first(self.stagnation_time, other.stagnation_time),
            rounds: first(self.rounds, other.rounds),
            cancel: [self.cancel, other.cancel].concat(),
            begun: self.begun,
            turn_ends: self.turn_ends,
        }
    }

    /// Whether there is no rule, so that a run would never end.
    pub fn is_empty(&self) -> bool {
        let Self {
            iterations,
            time,
            target,
            length,
            stagnation,
            stagnation_time,
            rounds,
            cancel,
            clock: _,
            begun: _,
            turn_ends: _,
        } = self;
        iterations.is_none()
            && time.is_none()
            && target.is_none()
            && length.is_none()
            && stagnation.is_none()
            && stagnation_time.is_none()
            && rounds.is_none()
            && cancel.is_empty()
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
        let since = self.clock.unwrap_or(clock.began);
        let most = self.turn_ends.map_or(most, |at| at.saturating_duration_since(Instant::now()).min(most));
        self.time.map_or(most, |limit| limit.saturating_sub(since.elapsed()).min(most))
    }

    /// Why a run that has come this far ends instead of beginning round `round` (counted from 0), if it does.
    pub(super) fn ends_before(&self, round: u32, progress: &Progress) -> Option<Ended> {
        let ends = self.rounds.is_some_and(|rounds| round > progress.round && round >= rounds);
        let reached = self.target.is_some_and(|target| progress.cost <= target);
        ends.then_some(if reached { Ended::Target } else { Ended::Converged })
    }

    /// Whether a token was cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.iter().any(Cancel::is_cancelled)
    }

    /// Which rule holds for a run that has come this far, time counted from the beginning of `clock` unless the rule has one of its own.
    pub(super) fn ended(&self, progress: &Progress, clock: &Clock) -> Option<Ended> {
        if self.is_cancelled() {
            return Some(Ended::Cancelled);
        }
        if self.target.is_some_and(|target| progress.cost <= target) {
            return Some(Ended::Target);
        }
        if self.iterations.is_some_and(|all| progress.iteration >= all) {
            return Some(Ended::Iterations);
        }
        let gained = clock.moment(progress.best_seconds);
        let gained = self.begun.map_or(clock.began, |(at, _)| at).max(gained);
        if self.stagnates_in(progress).is_some_and(|last| progress.iteration >= last)
            || self.stagnation_time.is_some_and(|limit| gained.elapsed() >= limit)
        {
            return Some(Ended::Stagnation);
        }
        let since = self.clock.unwrap_or(clock.began);
        self.time.is_some_and(|limit| since.elapsed() >= limit).then_some(Ended::Time)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ended {
    /// All iterations were made.
    Iterations,
    /// Time was up.
    Time,
    /// The target cost was reached.
    Target,
    /// Nothing was gained for as long as the rule says.
    Stagnation,
    /// The phases have come to their end as often as the rule says.
    Converged,
    /// The caller or its observer asked for it.
    Cancelled,
    /// The instance is so small that all solutions were tried at once.
    Trivial,
    /// The device failed.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(iteration: u32, cost: u64, best_iteration: u32, best_seconds: f64) -> Progress {
        let (seconds, ants_cost, device_lost) = (10.0, cost, false);
        let (phase, round, restarts) = (0, 0, 0);
        Progress {
            seconds,
            iteration,
            cost,
            best_iteration,
            best_seconds,
            phase,
            round,
            restarts,
            ants_cost,
            device_lost,
        }
    }

    /// Each rule ends a run from its number on and not before.
    #[test]
    fn rules_hold_from_their_numbers_on() {
        let Some(started) = Instant::now().checked_sub(Duration::from_secs(10)) else { return };
        let clock = Clock::new(started);
        let ended = |stop: &Stop, now: Progress| stop.ended(&now, &clock);
        let now = progress(7, 100, 3, 7.5);
        assert_eq!(
            [101, 100, 99].map(|cost| ended(&Stop::target(cost), now)),
            [Some(Ended::Target), Some(Ended::Target), None]
        );
        let all = [6, 7, 8].map(|count| ended(&Stop::iterations(count), now));
        assert_eq!(all, [Some(Ended::Iterations), Some(Ended::Iterations), None]);
        // The last gain came in iteration 3, 2.5 s ago.
        let all = [4, 5].map(|count| ended(&Stop::stagnation(count), now));
        assert_eq!(all, [Some(Ended::Stagnation), None]);
        let all = [1500, 3500].map(|limit| ended(&Stop::stagnation_time(Duration::from_millis(limit)), now));
        assert_eq!(all, [Some(Ended::Stagnation), None]);
        // What was before the call of `run` does not count.
        let called = |stop: Stop| Stop { begun: Some((Instant::now(), 5)), ..stop };
        assert_eq!([2, 3].map(|count| ended(&called(Stop::stagnation(count)), now)), [Some(Ended::Stagnation), None]);
        assert_eq!(ended(&called(Stop::stagnation_time(Duration::from_millis(1500))), now), None);
        let limit = |seconds| Stop::time(Duration::from_secs(seconds));
        assert_eq!([9, 60].map(|seconds| ended(&limit(seconds), now)), [Some(Ended::Time), None]);
        assert_eq!(ended(&limit(9).since(Instant::now()), now), None);
        assert_eq!(limit(9).room(Duration::from_secs(2), &clock), Duration::ZERO);
        assert_eq!(limit(60).room(Duration::from_secs(2), &clock), Duration::from_secs(2));
    }

    #[test]
    fn of_rules_that_both_have_the_first_holds() {
        let seconds = Duration::from_secs;
        let one = Stop { iterations: Some(5), time: Some(seconds(9)), target: Some(70), ..Stop::stagnation(8) };
        let other = Stop { iterations: Some(6), time: Some(seconds(3)), target: Some(80), ..Stop::stagnation(4) };
        let other = other.or(Stop::stagnation_time(seconds(2)));
        for both in [one.clone().or(other.clone()), other.or(one)] {
            assert_eq!((both.iterations, both.time, both.target), (Some(5), Some(seconds(3)), Some(80)));
            assert_eq!((both.stagnation, both.stagnation_time), (Some(4), Some(seconds(2))));
            let rounds = [both.clone().or(Stop::rounds(3)), Stop::rounds(3).or(both)].map(|stop| stop.rounds);
            assert_eq!(rounds, [Some(3); 2]);
        }
        for [one, other] in [[2, 3], [3, 2]] {
            assert_eq!(Stop::rounds(one).or(Stop::rounds(other)).rounds, Some(2));
            let lengths = [one, other].map(|length| Stop::length(f64::from(length) + 0.5));
            let [first, second] = lengths.clone();
            // The longer one is reached first.
            assert_eq!(first.or(second).length, Some(3.5));
            for length in lengths {
                let joined = [length.clone().or(Stop::rounds(1)), Stop::rounds(1).or(length.clone())];
                assert_eq!(joined.map(|stop| stop.length), [length.length; 2]);
            }
        }
        let converged = Stop::converged();
        assert_eq!((converged.rounds, converged.stagnation), (Some(1), Some(Stop::DEFAULT_STAGNATION)));
    }

    #[test]
    fn no_rule_is_none() {
        let second = Duration::from_secs(1);
        let rules = [
            Stop::iterations(0),
            Stop::time(Duration::ZERO),
            Stop::target(0),
            Stop::length(0.0),
            Stop::stagnation(0),
            Stop::rounds(0),
            Stop::stagnation_time(second),
            Stop::cancelled_by(&Cancel::new()),
        ];
        assert!(rules.iter().all(|rule| !rule.is_empty()));
        let called = Stop { begun: Some((Instant::now(), 3)), ..Stop::default() };
        assert!(Stop::default().since(Instant::now()).is_empty() && called.is_empty());
    }

    #[test]
    fn joined_rules_keep_the_clock_and_the_call_of_the_first() {
        let (early, now) = (Instant::now(), Instant::now() + Duration::from_secs(1));
        let one = Stop::iterations(1).since(early);
        let other = Stop::iterations(2).since(now);
        assert_eq!(
            [one.clone().or(other.clone()).clock, other.clone().or(one.clone()).clock],
            [Some(early), Some(now)]
        );
        assert_eq!([Stop::default().or(one.clone()).clock, one.or(Stop::default()).clock], [Some(early); 2]);
        let called = Stop { begun: Some((early, 3)), ..Stop::default() };
        assert_eq!((called.clone().or(other.clone()).begun, other.clone().or(called).begun), (Some((early, 3)), None));
        let turn = Stop { turn_ends: Some(early), ..Stop::default() };
        assert_eq!((turn.clone().or(other.clone()).turn_ends, other.or(turn).turn_ends), (Some(early), None));
        // The clock that was told last is the one.
        assert_eq!(Stop::default().since(early).since(now).clock, Some(now));
    }

    #[test]
    fn targets_within_a_share_of_an_optimum() {
        let within = |percent: f64, optimum: u64| Stop::within(percent, optimum).target;
        assert_eq!([within(0.0, 7), within(-5.0, 7), within(f64::NAN, 7)], [Some(7); 3]);
        assert_eq!([within(10.0, 1000), within(0.05, 1000), within(100.0, 3)], [Some(1100), Some(1000), Some(6)]);
        assert_eq!([within(1.0, u64::MAX), within(f64::INFINITY, 1)], [Some(u64::MAX); 2]);
    }

    #[test]
    fn a_token_tells_whether_it_was_cancelled_before() {
        let token = Cancel::new();
        let clone = token.clone();
        assert_eq!((token.is_cancelled(), token.cancel(), clone.cancel()), (false, false, true));
        assert!(clone.is_cancelled());
    }

    #[test]
    fn iterations_without_a_gain_end_with_the_last_number() {
        let clock = Clock::new(Instant::now());
        let rule = Stop::stagnation(u32::MAX);
        assert_eq!(rule.stagnates_in(&progress(9, 100, 5, 0.0)), Some(u32::MAX));
        assert_eq!(rule.ended(&progress(u32::MAX - 1, 100, 5, 0.0), &clock), None);
        // Without a gain those from the beginning count.
        assert_eq!(Stop::stagnation(4).stagnates_in(&progress(2, 100, 0, 0.0)), Some(4));
        // Beyond the iteration that ends it, too.
        assert_eq!(Stop::stagnation(4).ended(&progress(20, 100, 3, 0.0), &clock), Some(Ended::Stagnation));
        assert_eq!(Stop::iterations(4).ended(&progress(20, 100, 3, 0.0), &clock), Some(Ended::Iterations));
    }

    #[test]
    fn each_token_of_joined_rules_ends_a_run() {
        for which in 0..3 {
            let tokens = [Cancel::new(), Cancel::new(), Cancel::new()];
            let [a, b, c] = tokens.each_ref().map(Stop::cancelled_by);
            let stop = a.or(Stop::time(Duration::MAX).or(b)).or(c);
            assert!(!stop.is_empty() && !stop.is_cancelled());
            tokens[which].cancel();
            assert!(stop.is_cancelled(), "token {which}");
            assert_eq!(tokens.iter().filter(|token| token.is_cancelled()).count(), 1);
        }
    }

    /// Tokens come first, then targets, iterations, stagnation, and time.
    #[test]
    fn of_rules_that_hold_at_once_the_first_is_told() {
        let Some(started) = Instant::now().checked_sub(Duration::from_secs(10)) else { return };
        let clock = Clock::new(started);
        let cancel = Cancel::new();
        cancel.cancel();
        let rules = [
            (Stop::cancelled_by(&cancel), Ended::Cancelled),
            (Stop::target(100), Ended::Target),
            (Stop::iterations(7), Ended::Iterations),
            (Stop::stagnation(4), Ended::Stagnation),
            (Stop::time(Duration::from_secs(9)), Ended::Time),
        ];
        let mut all = Stop::default();
        for (rule, ended) in rules.into_iter().rev() {
            all = all.or(rule);
            assert_eq!(all.ended(&progress(7, 100, 3, 2.5), &clock), Some(ended));
        }
    }

    #[test]
    fn the_end_of_the_phases_ends_a_run_before_the_next_round() {
        let now = |round| Progress { round, ..progress(7, 100, 3, 2.5) };
        let rule = Stop::rounds(2);
        // The second round may begin; neither the third nor one behind it.
        assert_eq!(
            [1, 2, 3].map(|round| rule.ends_before(round, &now(0))),
            [None, Some(Ended::Converged), Some(Ended::Converged)]
        );
        // A round that is under way goes on, however often the phases began before.
        assert_eq!([1, 2, 3].map(|round| rule.ends_before(round, &now(3))), [None; 3]);
        assert_eq!(Stop::iterations(1).ends_before(9, &now(0)), None);
        let targets = [99, 100, 101].map(|cost| Stop::target(cost).or(Stop::rounds(2)).ends_before(2, &now(1)));
        assert_eq!(targets, [Some(Ended::Converged), Some(Ended::Target), Some(Ended::Target)]);
    }

    #[test]
    fn runs_that_wait_for_the_end_of_the_phases_have_no_other_rule() {
        let token = Stop::cancelled_by(&Cancel::new());
        assert!([Stop::rounds(1), Stop::rounds(1).or(token.clone())].iter().all(Stop::waits_for_rounds));
        let others = [Stop::default(), token, Stop::iterations(1), Stop::rounds(1).or(Stop::length(2.0))];
        assert!(!others.iter().any(Stop::waits_for_rounds));
    }

    #[test]
    fn room_is_what_is_left_of_the_time_and_of_the_turn() {
        let (second, now) = (Duration::from_secs(1), Instant::now());
        let clock = Clock::new(now);
        let turn = |seconds: u32| Stop { turn_ends: Some(now + seconds * second), ..Stop::default() };
        assert_eq!(Stop::default().room(2 * second, &clock), 2 * second);
        assert_eq!(turn(600).room(2 * second, &clock), 2 * second);
        let room = turn(600).room(900 * second, &clock);
        assert!((300 * second..=600 * second).contains(&room), "{room:?}");
        let room = Stop::time(600 * second).room(900 * second, &clock);
        assert!((300 * second..=600 * second).contains(&room), "{room:?}");
        // A clock of its own has begun later.
        let later = Stop::time(600 * second).since(now + 3600 * second);
        assert_eq!(later.room(900 * second, &clock), 600 * second);
    }
}
