//! Devices that take long to set up the next phase, or cannot hold it.

use super::*;
use crate::run::Cancel;

fn few() -> Settings {
    let few = [("windows", "4"), ("window_size", "48"), ("steps", "200"), ("population", "6")];
    few.iter().fold(Settings::named("lk-eax").unwrap(), |settings, (name, value)| settings.with(name, value).unwrap())
}

/// Who looks on is told, and may end the run, while a phase is set up.
#[test]
fn observers_are_told_while_a_phase_is_set_up() {
    let solver = |fault: Fault| begun(&few(), fault).1.unwrap();
    let expected = solver(Fault::Lost(usize::MAX)).run(&Stop::iterations(90)).unwrap();
    let mut slow = solver(Fault::Slow);
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    let observe = |_: &Progress| {
        longest = longest.max(last.elapsed());
        last = Instant::now();
        ControlFlow::Continue(())
    };
    let found = slow.run_with(&Stop::iterations(90), observe).unwrap();
    assert!(found.phases.len() > 2 && found.phases[1].seconds >= SLOW.as_secs_f64(), "{:?}", found.phases);
    assert!(longest < SLOW, "{longest:?}");
    assert_eq!((found.permutation, found.phases.len()), (expected.permutation, expected.phases.len()));
}

/// A run that nothing but a round ends comes to its end where the device cannot hold the next phase, and looks once more when it is called again;
/// one that time ends goes on until then.
#[test]
fn a_run_ends_where_the_next_phase_does_not_fit() {
    let whole = begun(&few(), Fault::Lost(usize::MAX)).1.unwrap().run(&Stop::rounds(1)).unwrap();
    assert_eq!(whole.ended, Ended::Converged);
    let mut refused = 0;
    for at in 0..6 {
        let Ok(mut solver) = begun(&few(), Fault::Full(at)).1 else { continue };
        let late = Cancel::new();
        let (ended, watch) = (late.clone(), Instant::now());
        let observe = |_: &Progress| {
            if watch.elapsed() > Duration::from_secs(60) {
                ended.cancel();
            }
            ControlFlow::Continue(())
        };
        let found = solver.run_with(&Stop::rounds(1).or(Stop::cancelled_by(&late)), observe).unwrap();
        assert_eq!(found.ended, Ended::Converged, "{at}");
        if found.phases.len() < whole.phases.len() {
            refused += 1;
            assert_eq!(solver.run(&Stop::rounds(1)).unwrap().ended, Ended::Converged, "{at}");
            let timed = Stop::rounds(1).or(Stop::time(Duration::from_millis(30)));
            assert_eq!(solver.run(&timed).unwrap().ended, Ended::Time, "{at}");
        }
    }
    assert!(refused > 0);
}
