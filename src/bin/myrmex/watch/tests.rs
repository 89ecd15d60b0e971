use myrmex::settings::AskedFor;
use myrmex::{BackendKind, Settings, Solver, Target, UnderWay};

use super::*;
use crate::testing::square;

/// A run on a GPU behind its set-up, beside another device where `has_several`.
fn running(has_several: bool) -> Stage {
    let solver = Solver::new(square(), &Settings::default(), Target::Cpu).unwrap();
    let mut run = UnderWay::of(&solver, None, Instant::now());
    run.ran.backend = BackendKind::Wgpu;
    let asked_for = AskedFor::resumed(&Settings::default());
    Stage::Running(Box::new(Known { run, path: None, asked_for, has_several, earlier: None }))
}

/// What is written of a run that does not answer any more names the CPU once that has taken over; of several devices the others go on.
#[test]
fn a_run_that_lost_its_device_is_one_of_the_cpu() {
    for (has_several, expected) in [(false, BackendKind::Cpu), (true, BackendKind::Wgpu)] {
        let Stage::Running(known) = running(has_several).device_lost() else { panic!("it is over") };
        assert_eq!(known.run.abandoned(Ended::Time).unwrap().ran.backend, expected);
    }
}

#[test]
fn an_interrupt_ends_each_stage_within_half_a_second() {
    let now = Instant::now();
    for stage in [Stage::Reading, running(false), Stage::Writing(10_000), Stage::Drawing(10_000)] {
        let (due, ended) = stage.due(None, Some(now)).unwrap();
        assert!(due < now + Duration::from_millis(500) && ended == Ended::Cancelled);
        assert!(stage.due(None, None).is_none());
    }
    let limit = Duration::from_secs(10);
    let (due, ended) = running(false).due(Some(limit), None).unwrap();
    // The promise is 0.3 s and 5% of the limit.
    assert!(due < now + limit + Duration::from_millis(800) && due > now + limit && ended == Ended::Time);
}
