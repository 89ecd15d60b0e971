//! When runs end, and why.

use super::*;

fn progress(iteration: u32, cost: u64, best_iteration: u32, best_seconds: f64) -> Progress {
    let (seconds, ants_cost, device_lost) = (10.0, Some(cost), false);
    let (phase, round, restarts) = (0, 0, 0);
    Progress { seconds, iteration, cost, best_iteration, best_seconds, phase, round, restarts, ants_cost, device_lost }
}

/// Each rule ends a run from its number on and not before.
#[test]
fn rules_hold_from_their_numbers_on() {
    // A machine that was started less than ten seconds ago has no such moment.
    let started = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
    let clock = Clock::new(started);
    let ended = |stop: &Stop, now: Progress| stop.ended(&now, &clock);
    let now = progress(7, 100, 3, 7.5);
    assert_eq!(
        [101, 100, 99].map(|cost| ended(&Stop::cost(cost), now)),
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
    let one = Stop { iterations: Some(5), time: Some(seconds(9)), cost: Some(70), ..Stop::stagnation(8) };
    let other = Stop { iterations: Some(6), time: Some(seconds(3)), cost: Some(80), ..Stop::stagnation(4) };
    let other = other.or(Stop::stagnation_time(seconds(2)));
    for both in [one.clone().or(other.clone()), other.or(one)] {
        assert_eq!((both.iterations, both.time, both.cost), (Some(5), Some(seconds(3)), Some(80)));
        assert_eq!((both.stagnation, both.stagnation_time), (Some(4), Some(seconds(2))));
        let rounds = [both.clone().or(Stop::rounds(3)), Stop::rounds(3).or(both)].map(|stop| stop.rounds);
        assert_eq!(rounds, [Some(3); 2]);
    }
    for [one, other] in [[2, 3], [3, 2]] {
        assert_eq!(Stop::rounds(one).or(Stop::rounds(other)).rounds, Some(2));
        let lengths = [one, other].map(|length| Stop::target(f64::from(length) + 0.5));
        let [first, second] = lengths.clone();
        // The longer one is reached first.
        assert_eq!(first.or(second).target, Some(3.5));
        for length in lengths {
            let joined = [length.clone().or(Stop::rounds(1)), Stop::rounds(1).or(length.clone())];
            assert_eq!(joined.map(|stop| stop.target), [length.target; 2]);
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
        Stop::cost(0),
        Stop::target(0.0),
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
    assert_eq!([one.clone().or(other.clone()).clock, other.clone().or(one.clone()).clock], [Some(early), Some(now)]);
    assert_eq!([Stop::default().or(one.clone()).clock, one.or(Stop::default()).clock], [Some(early); 2]);
    // Of two times each counts from its own clock, which may be when the run is called.
    // A machine that was started less than two minutes ago has no such moment.
    let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
    let (second, long_ago, began) = (Duration::from_secs, ago(100), ago(70));
    let left = |stop: &Stop| (stop.time_left(began).unwrap().as_secs_f64() / 10.0).round() * 10.0;
    let [long, short] = [Stop::time(second(200)).since(long_ago), Stop::time(second(180))];
    let later = Stop::time(second(160)).since(ago(40));
    for (one, other, both) in [(&long, &short, 100.0), (&short, &later, 110.0), (&long, &later, 100.0)] {
        for joined in [one.clone().or(other.clone()), other.clone().or(one.clone())] {
            assert_eq!(left(&joined), both, "{joined:?}");
            assert_eq!((left(&joined.clone().or(Stop::rounds(1))), joined.waits_for_rounds()), (both, false));
        }
    }
    let all = long.or(short).or(later).since(early);
    assert_eq!((all.time, all.clock, all.times.len()), (Some(second(160)), Some(early), 0));
    let one = Stop::time(second(100)).since(now);
    assert_eq!(Stop::rounds(1).since(early).or(one).clock, Some(now));
    let called = Stop { begun: Some((early, 3)), ..Stop::default() };
    assert_eq!((called.clone().or(other.clone()).begun, other.clone().or(called).begun), (Some((early, 3)), None));
    let turn = Stop { turn_ends: Some(early), ..Stop::default() };
    assert_eq!((turn.clone().or(other.clone()).turn_ends, other.or(turn).turn_ends), (Some(early), None));
    // The clock that was told last is the one.
    assert_eq!(Stop::default().since(early).since(now).clock, Some(now));
}

#[test]
fn targets_within_a_share_of_an_optimum() {
    let within = |percent: f64, optimum: u64| Stop::within(percent, optimum).cost;
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
    // A machine that was started less than ten seconds ago has no such moment.
    let started = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
    let clock = Clock::new(started);
    let cancel = Cancel::new();
    cancel.cancel();
    let rules = [
        (Stop::cancelled_by(&cancel), Ended::Cancelled),
        (Stop::cost(100), Ended::Target),
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
    let targets = [99, 100, 101].map(|cost| Stop::cost(cost).or(Stop::rounds(2)).ends_before(2, &now(1)));
    assert_eq!(targets, [Some(Ended::Converged), Some(Ended::Target), Some(Ended::Target)]);
}

#[test]
fn runs_that_wait_for_the_end_of_the_phases_have_no_other_rule() {
    let token = Stop::cancelled_by(&Cancel::new());
    assert!([Stop::rounds(1), Stop::rounds(1).or(token.clone())].iter().all(Stop::waits_for_rounds));
    let others = [Stop::default(), token, Stop::iterations(1), Stop::rounds(1).or(Stop::target(2.0))];
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

/// What gains nothing is counted over all calls of a run, however short each is.
#[test]
fn stagnation_is_counted_over_calls() {
    use crate::instance::tsp::{Kind, generate};
    use crate::run::{Solver, Target};
    use crate::settings::Settings;

    let instance = generate(Kind::Uniform, 60, 1).unwrap();
    let settings = Settings::named("mmas").unwrap().with("ants", "2").unwrap();
    for rule in [Stop::stagnation(200), Stop::stagnation_time(Duration::from_millis(300))] {
        let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
        let frame = Stop::time(Duration::from_millis(2)).or(rule);
        let calls = (0..20_000).find(|_| solver.advance(&frame).unwrap() == Ended::Stagnation);
        assert!(calls.is_some_and(|calls| calls > 3), "{calls:?}");
        // Who calls again waits as long once more.
        let before = solver.progress().iteration;
        assert_eq!(solver.advance(&Stop::stagnation(50)).unwrap(), Ended::Stagnation);
        assert!(solver.progress().iteration >= before + 50);
    }
}
