use std::cell::Cell;

use myrmex::tsp::{Kind, generate};
use myrmex::{Effort, Settings};
use serde_json::json;

use super::*;
use crate::testing::square;

/// Seconds since the runs of these tests began: a machine that is busy adds few to them.
const BEGAN: u64 = 100;

/// A run of four phases that goes on from iteration 200, with the rules `stop`.
fn watched<'a>(problem: &'a Problem, stop: &'a Stop) -> Watch<'a> {
    let cities = Problem::from(generate(Kind::Uniform, 200, 1).unwrap());
    let recipe = Settings::named("lk-eax").unwrap().seed(3).recipe(&cities, Effort::Standard).unwrap();
    assert_eq!(recipe.phases.len(), 4);
    let started = Instant::now().checked_sub(Duration::from_secs(BEGAN)).expect("the machine runs for longer");
    Watch {
        problem,
        recipe,
        stop,
        optimum: None,
        started,
        before: 200,
        seconds_before: 1000.0,
        is_one_of_several: false,
    }
}

/// It is in the third phase, and 400 iterations beyond its checkpoint.
fn now() -> Progress {
    let now = json!({
        "seconds": 1100.0, "iteration": 600, "cost": 50, "best_iteration": 550, "best_seconds": 1090.0, "phase": 2, "round": 1, "restarts": 0,
        "ants_cost": null, "device_lost": false
    });
    serde_json::from_value(now).unwrap()
}

fn until(seconds: u64, iterations: u32) -> Stop {
    Stop::time(Duration::from_secs(seconds)).or(Stop::iterations(iterations))
}

#[test]
fn the_rule_that_comes_first_tells_how_much_of_a_run_is_over() {
    let problem = square();
    let share = |stop: &Stop| watched(&problem, stop).share(&now());
    // 400 of 800 iterations, and far fewer of the seconds.
    assert_eq!(share(&until(10_000, 1000)), 0.5);
    let by_time = share(&until(400, 40_200));
    assert!((0.25..0.3).contains(&by_time), "{by_time}");
    assert_eq!([share(&until(50, 1000)), share(&until(10_000, 300)), share(&Stop::rounds(4))], [1.0, 1.0, 0.0]);
}

#[test]
fn what_is_left_of_a_run_takes_as_long_as_the_part_before() {
    let problem = square();
    let left = |stop: &Stop| watched(&problem, stop).left(&now());
    // A third of the iterations took 100 seconds.
    let two_thirds = left(&Stop::iterations(1400)).unwrap();
    assert!((200.0..240.0).contains(&two_thirds), "{two_thirds}");
    assert_eq!([left(&Stop::iterations(600)), left(&Stop::rounds(4))], [Some(0.0), None]);
}

#[test]
fn a_line_tells_phase_iteration_gap_and_the_rate_of_this_run() {
    let (problem, stop) = (square(), Stop::rounds(4));
    let watch = watched(&problem, &stop);
    assert_eq!(watch.line(&now()), "phase 3/4 eax, iteration 600, best 50 (iteration 550), 4/s");
    let watch = Watch { optimum: Some(40.0), is_one_of_several: true, ..watch };
    let mut ahead = now();
    (ahead.phase, ahead.best_iteration) = (0, 601);
    // Of several colonies another one may be ahead.
    assert_eq!(watch.line(&ahead), "seed 3, phase 1/4 lk, iteration 600, best 50, gap 25.000%, 4/s");
}

#[test]
fn a_line_for_programs_has_the_progress_by_value() {
    let (problem, stop) = (square(), Stop::rounds(4));
    let mut watch = watched(&problem, &stop);
    let line = |watch: &Watch<'_>, now: &Progress| {
        let mut line = serde_json::to_value(watch.json(now)).unwrap();
        let seconds = line.as_object_mut().unwrap().remove("seconds").unwrap().as_f64().unwrap();
        // Those before the checkpoint are included.
        assert!((1100.0..1120.0).contains(&seconds), "{seconds}");
        line
    };
    let expected = json!({
        "instance": "square", "seed": 3, "iteration": 600, "cost": 50, "length": 50.0, "best_iteration": 550, "best_seconds": 1090.0, "phase": 2,
        "algorithm": "eax", "round": 1
    });
    assert_eq!(line(&watch, &now()), expected);
    watch.optimum = Some(40.0);
    let mut lost = now();
    lost.device_lost = true;
    let mut more = expected;
    (more["gap"], more["device_lost"]) = (25.0.into(), true.into());
    assert_eq!(line(&watch, &lost), more);
}

/// It is told once: by the next line where programs listen.
#[test]
fn a_lost_device_is_told_once() {
    let (problem, stop, told) = (square(), Stop::rounds(4), Cell::new(0));
    let loses_device = || told.set(told.get() + 1);
    let known = || Some((Instant::now(), 50, 2));
    let (at, form) = (Instant::now(), Form::Json { last: known() });
    let watch = watched(&problem, &stop);
    let mut display = Display { watch, form, view: None, asked: at, next: at, loses_device: Some(&loses_device) };
    display.tell_loss();
    assert!(matches!(display.form, Form::Json { last: None }) && told.get() == 1);
    display.form = Form::Json { last: known() };
    display.tell_loss();
    assert!(matches!(display.form, Form::Json { last: Some(_) }) && told.get() == 1);
}

/// A window that takes long to show a solution gets few of them.
#[test]
fn a_window_waits_ten_times_as_long_as_it_shows() {
    assert_eq!(pause(Duration::from_millis(30)), Duration::from_millis(300));
}
