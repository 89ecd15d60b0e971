//! Faults of a device, injected by a backend of twins: a run ends with a typed error and the best solution that was known before.

use std::ops::ControlFlow;

use web_time::Instant;

use super::devices::Failure;
use super::*;
use crate::backend::{Backend, BackendKind};
use crate::error::Error;
use crate::instance::tsp::{Kind, generate};
use crate::settings::{LkEax, OnDeviceLost};

mod faulty;
mod following;

use faulty::{Fault, Faulty, SLOW};

/// How a run with a fault ends: refused in the set-up, with an error and what is left, or as without it.
enum Outcome {
    Refused(Error),
    Failed(Error, Solution),
    Whole(Solution),
}

fn outcome(settings: &Settings, fault: Fault) -> (Problem, Outcome) {
    let (problem, begun) = begun(settings, fault);
    let outcome = match begun {
        Err(error) => Outcome::Refused(error),
        Ok(mut solver) => match solver.run(&Stop::iterations(60)) {
            Err(error) => Outcome::Failed(error, solver.salvage()),
            Ok(solution) => Outcome::Whole(solution),
        },
    };
    (problem, outcome)
}

/// A solver on a device with a fault.
fn begun(settings: &Settings, fault: Fault) -> (Problem, Result<Solver>) {
    let problem = Problem::from(&generate(Kind::Clustered, 120, 3).unwrap());
    let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
    let start = first_solution(recipe.phases[0].begins, &problem);
    let device: Box<dyn Backend> = Box::new(Faulty::new(fault, problem.len()));
    let form = problem.form(false).unwrap();
    let begun = Solver::begin(Instant::now(), form, (*settings, recipe), Devices::of(vec![device]), (start, false));
    (problem, begun)
}

#[test]
fn faults_end_runs_with_an_error_and_the_best_solution_so_far() {
    let named =
        |algorithm: &str, name: &str, value: &str| Settings::named(algorithm).unwrap().with(name, value).unwrap();
    let all = [named("lk-eax", "population", "12"), named("mmas", "ants", "16"), named("eax", "population", "8")];
    let [mut refused, mut failed, mut repeated] = [0; 3];
    for settings in &all {
        let faults = (0..40).flat_map(|at| [Fault::Allocation(at), Fault::Kernel(at), Fault::Lost(at)]);
        let claimed = (0..3).flat_map(|at| [Fault::Zeros(at), Fault::Exchanged(at), Fault::Repeated(at + 1)]);
        let faults = faults.chain(claimed);
        for fault in faults {
            let (problem, outcome) = outcome(settings, fault);
            match outcome {
                Outcome::Refused(error) => {
                    assert!(matches!(fault, Fault::Allocation(_) | Fault::Kernel(_) | Fault::Lost(_)), "{fault:?}");
                    assert!(matches!(error, Error::TooLarge { .. } | Error::Device { .. }), "{fault:?}: {error}");
                    refused += 1;
                }
                Outcome::Failed(error, solution) => {
                    assert!(matches!(error, Error::Device { .. }), "{fault:?}: {error}");
                    assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap(), "{fault:?}");
                    assert_eq!(solution.ended, Ended::Failed);
                    assert!(solution.trace.iter().all(|point| point.cost >= solution.cost), "{fault:?}");
                    if matches!(fault, Fault::Zeros(_) | Fault::Exchanged(_) | Fault::Repeated(_)) {
                        repeated += u32::from(matches!(fault, Fault::Repeated(_)));
                        let text = error.to_string();
                        let told = ["a faulty device", "claims cost", "seed 1", "iteration", "algorithm"];
                        assert!(told.iter().all(|word| text.contains(word)), "{text}");
                    }
                    failed += 1;
                }
                // It comes later than the run ends, or the phase before went on.
                Outcome::Whole(solution) => {
                    assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap(), "{fault:?}");
                }
            }
        }
    }
    assert!(refused > 60 && failed > 6 && repeated > 0, "{refused} refused, {failed} failed, {repeated} repeated");
}

#[test]
fn a_device_without_faults_comes_to_the_end() {
    let settings = Settings::named("mmas").unwrap().with("ants", "16").unwrap();
    let (_, outcome) = outcome(&settings, Fault::Lost(usize::MAX));
    assert!(matches!(outcome, Outcome::Whole(solution) if solution.ended == Ended::Iterations));
}

/// While a device takes long to set up a phase the caller gets its turns, and what is found is the same.
#[test]
fn a_slow_set_up_holds_nobody_up() {
    let few = [("windows", "4"), ("window_size", "48"), ("steps", "200"), ("population", "6")];
    let named = Settings::named("lk-eax").unwrap();
    let settings = few.iter().fold(named, |settings, (name, value)| settings.with(name, value).unwrap());
    let problem = Problem::from(&generate(Kind::Clustered, 120, 4).unwrap());
    let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
    let solver = |fault: Fault| {
        let (form, start) = (problem.form(false).unwrap(), first_solution(recipe.phases[0].begins, &problem));
        let device: Box<dyn Backend> = Box::new(Faulty::new(fault, problem.len()));
        Solver::begin(Instant::now(), form, (settings, recipe.clone()), Devices::of(vec![device]), (start, false))
            .unwrap()
    };
    let mut quick = solver(Fault::Lost(usize::MAX));
    let expected = quick.run(&Stop::iterations(90)).unwrap();
    let mut slow = solver(Fault::Slow);
    let mut longest = Duration::ZERO;
    let found = loop {
        let (asked, stop) = (Instant::now(), Stop::iterations(90).or(Stop::time(Duration::from_millis(16))));
        let solution = slow.run(&stop).unwrap();
        longest = longest.max(asked.elapsed());
        if solution.ended == Ended::Iterations {
            break solution;
        }
    };
    assert!(found.phases.len() > 2, "{:?}", found.phases);
    assert!(found.phases[1].seconds >= SLOW.as_secs_f64());
    assert_eq!((found.permutation, found.phases.len()), (expected.permutation, expected.phases.len()));
    // Some 20 ms on a machine that does nothing else.
    assert!(longest < SLOW * 2 / 3, "{longest:?}");
}

#[test]
fn runs_go_on_on_the_cpu_when_the_device_is_lost() {
    let named =
        |algorithm: &str, name: &str, value: &str| Settings::named(algorithm).unwrap().with(name, value).unwrap();
    let several = named("mmas", "ants", "16").with("colonies", "3").unwrap();
    let all = [named("lk-eax", "population", "12"), named("mmas", "ants", "16"), several];
    let [mut at_once, mut later, mut moved] = [0; 3];
    for settings in all.map(|settings| Settings { on_device_lost: OnDeviceLost::Cpu, ..settings }) {
        let faults = [0, 2, 7].into_iter().flat_map(|at| [Fault::Kernel(at), Fault::Lost(at)]);
        for fault in faults.chain([Fault::Zeros(0), Fault::Exchanged(1)]) {
            let (problem, begun) = begun(&settings, fault);
            let mut solver = begun.unwrap();
            let before = solver.device_lost().cloned();
            let mut told = 0;
            let first = solver.run(&Stop::iterations(15)).unwrap();
            let solution = solver
                .run_with(&Stop::iterations(30), |progress| {
                    told += u32::from(progress.device_lost);
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap(), "{fault:?}");
            assert!(solution.cost <= first.cost, "{fault:?}: {} after {}", solution.cost, first.cost);
            assert_eq!((solution.ended, solution.iterations), (Ended::Iterations, 30), "{fault:?}");
            assert!(solution.trace.iter().all(|point| point.cost >= solution.cost), "{fault:?}");
            let made: u32 = solution.phases.iter().map(|phase| phase.iterations).sum();
            assert!(settings.colonies.colonies.is_some() || made == 30, "{fault:?}: {made} iterations in phases");
            let Some(lost) = &solution.device_lost else {
                assert_eq!((solver.backend(), told), (BackendKind::Wgpu, 0), "{fault:?}");
                continue;
            };
            assert_eq!((lost.backend, lost.device.as_str()), (BackendKind::Wgpu, "a faulty device"));
            if lost.iteration == 30 {
                // It was lost when all was done, and did not hand over what it had.
                assert_eq!((solver.backend(), told), (BackendKind::Wgpu, 0), "{fault:?}");
                continue;
            }
            assert!(solver.device().starts_with("CPU") && lost.iteration < 30 && told > 0, "{fault:?}: {lost:?}");
            assert_eq!(before.is_some(), before.as_ref() == Some(lost));
            moved += 1;
            match before {
                Some(_) => at_once += 1,
                None => {
                    later += 1;
                    let ended: Vec<_> = solution.phases.iter().map(|phase| phase.ended).collect();
                    assert!(ended.contains(&PhaseEnded::DeviceLost), "{fault:?}: {ended:?}");
                }
            }
        }
    }
    assert!(at_once > 4 && later > 5, "{at_once} at once, {later} later of {moved}");
}

#[test]
fn a_device_that_is_too_small_is_refused_all_the_same() {
    let settings = Settings { on_device_lost: OnDeviceLost::Cpu, ..Settings::named("mmas").unwrap() };
    let (_, begun) = begun(&settings, Fault::Allocation(2));
    assert!(matches!(begun.unwrap_err(), Error::TooLarge { .. }));
}

/// A recipe that comes to windows of crossover soon, and a fault.
fn windowed(fault: Fault, on_device_lost: OnDeviceLost) -> Solver {
    let asked = LkEax {
        windows: Some(8),
        eax_up_to: Some(300),
        eax_window: Some(200),
        population: Some(10),
        ..LkEax::default()
    };
    let settings = Settings { on_device_lost, ..Settings::of(asked) };
    let problem = Problem::from(&generate(Kind::Uniform, 1000, 3).unwrap());
    let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
    let start = first_solution(recipe.phases[0].begins, &problem);
    let device: Box<dyn Backend> = Box::new(Faulty::new(fault, problem.len()));
    let form = problem.form(false).unwrap();
    Solver::begin(Instant::now(), form, (settings, recipe), Devices::of(vec![device]), (start, false)).unwrap()
}

/// Whether a phase that the device was lost in had windows of crossover.
fn lost_in_a_window(solution: &Solution) -> bool {
    let windows = |phase: &PhaseRecord| phase.parameters.iter().any(|(name, _)| *name == "eax_window");
    solution.phases.iter().any(|phase| phase.ended == PhaseEnded::DeviceLost && windows(phase))
}

#[test]
fn a_window_of_crossover_goes_on_on_the_cpu_and_in_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut solver = windowed(Fault::Lost(usize::MAX), OnDeviceLost::Cpu);
    solver.keep_checkpoint(&path, Duration::ZERO, |error| panic!("{error}"));
    while solver.runs[0].windowed.is_none() {
        assert!(solver.step(10).unwrap().iteration < 500, "no window begins");
    }
    let before = solver.solution().unwrap();
    solver
        .lose_device(Failure::of(0, Error::Device { device: "a faulty device".into(), message: "lost".into() }))
        .unwrap();
    let last = before.iterations + 15;
    let solution = solver.run(&Stop::iterations(last)).unwrap();
    assert!(lost_in_a_window(&solution), "{:?}", solution.phases);
    assert_eq!((solution.ended, solution.iterations, solver.backend()), (Ended::Iterations, last, BackendKind::Cpu));
    assert_eq!(solution.device_lost.map(|lost| lost.iteration), Some(before.iterations));
    assert!(solution.cost <= before.cost, "{} after {}", solution.cost, before.cost);
    // What is kept on the way is of the run on the CPU, too; how soon the next is written, the disk decides.
    let since = Instant::now();
    while !Checkpoint::read(&path).is_ok_and(|kept| kept.iterations() > before.iterations) {
        assert!(since.elapsed() < Duration::from_secs(60), "none is written");
        solver.step(1).unwrap();
    }
}

#[test]
fn runs_that_are_resumed_go_on_on_the_cpu() {
    let mut first = windowed(Fault::Lost(usize::MAX), OnDeviceLost::Stop);
    first.run(&Stop::iterations(250)).unwrap();
    let checkpoint = first.checkpoint().unwrap();
    let whole = first.run(&Stop::iterations(300)).unwrap();
    let problem = Problem::from(&generate(Kind::Uniform, 1000, 3).unwrap());
    let recipe = checkpoint.settings().recipe(&problem, crate::settings::Effort::Standard).unwrap();
    let resumed = |checkpoint: Checkpoint, fault| {
        let device: Box<dyn Backend> = Box::new(Faulty::new(fault, problem.len()));
        let form = problem.form(false).unwrap();
        Solver::go_on(Instant::now(), form, recipe.clone(), Devices::of(vec![device]), checkpoint)
    };
    assert!(matches!(resumed(checkpoint.clone(), Fault::Kernel(0)), Err(Error::Device { .. })));
    let checkpoint = checkpoint.with_on_device_lost(OnDeviceLost::Cpu);
    // Where the device fails in the set-up nothing is lost.
    let mut solver = resumed(checkpoint.clone(), Fault::Kernel(0)).unwrap();
    let solution = solver.run(&Stop::iterations(300)).unwrap();
    assert_eq!((solution.cost, &solution.permutation), (whole.cost, &whole.permutation));
    assert_eq!(solution.device_lost.map(|lost| lost.iteration), Some(250));
    assert_eq!(solution.resumed.map(|resumed| resumed.iteration), Some(250));
    // Later the best tour goes on, and a checkpoint of that knows of no other device.
    let mut solver = resumed(checkpoint, Fault::Lost(3)).unwrap();
    let solution = solver.run(&Stop::iterations(300)).unwrap();
    assert_eq!((solver.backend(), solution.iterations), (BackendKind::Cpu, 300));
    assert!(solution.device_lost.is_some_and(|lost| lost.iteration >= 250) && solver.progress().device_lost);
    let again = resumed(solver.checkpoint().unwrap(), Fault::Lost(usize::MAX)).unwrap();
    assert!(!again.progress().device_lost && again.device_lost().is_none());
    assert_eq!(again.progress().cost, solution.cost);
}

#[test]
fn checkpoints_of_a_lost_device_are_of_the_best_solution_on_the_host() {
    let mut solver = windowed(Fault::Lost(usize::MAX), OnDeviceLost::Cpu);
    solver.run(&Stop::iterations(40)).unwrap();
    let cost = solver.solution().unwrap().cost;
    let error = Error::Device { device: "a faulty device".into(), message: "lost".into() };
    solver.lose_device(Failure::of(0, error)).unwrap();
    let checkpoint = solver.checkpoint().unwrap();
    assert_eq!((checkpoint.iterations(), solver.backend()), (40, BackendKind::Cpu));
    let problem = Problem::from(&generate(Kind::Uniform, 1000, 3).unwrap());
    assert_eq!(problem.cost(&checkpoint.solution(&problem).unwrap()).unwrap(), cost);
}

/// Two devices, the first or the second with a fault, and three colonies or windows of crossover.
fn one_of_two(fault: Fault, faulty: usize, windows: bool, on_device_lost: OnDeviceLost) -> (Problem, Result<Solver>) {
    let cities = if windows { 1000 } else { 120 };
    let problem = Problem::from(&generate(Kind::Uniform, cities, 3).unwrap());
    let asked = LkEax { windows: Some(8), population: Some(10), ..LkEax::default() };
    let settings = match windows {
        true => Settings::of(LkEax { eax_up_to: Some(300), eax_window: Some(200), eax_windows: Some(2), ..asked }),
        false => Settings::of(asked).with("colonies", "3").unwrap().with("migration", "7").unwrap(),
    };
    let settings = Settings { on_device_lost, ..settings };
    let recipe = settings.recipe(&problem, crate::settings::Effort::Standard).unwrap();
    let start = first_solution(recipe.phases[0].begins, &problem);
    let device = |own: usize| -> Box<dyn Backend> {
        let fault = if own == faulty { fault } else { Fault::Lost(usize::MAX) };
        let mut device = Faulty::new(fault, problem.len());
        device.capabilities.device = format!("device {own}");
        Box::new(device)
    };
    let devices = Devices::of(vec![device(0), device(1)]);
    let form = problem.form(false).unwrap();
    let begun = Solver::begin(Instant::now(), form, (settings, recipe), devices, (start, false));
    (problem, begun)
}

#[test]
fn of_several_devices_the_one_that_fails_ends_the_run_or_leaves_its_part_to_the_cpu() {
    let all = |last: u32| Stop::iterations(last);
    let [mut ended, mut moved] = [0; 2];
    for (faulty, windows) in [(0, false), (1, false), (0, true), (1, true)] {
        let last = if windows { 200 } else { 60 };
        let faults = [Fault::Lost(0), Fault::Lost(4), Fault::Kernel(1), Fault::Lost(30)];
        let (_, whole) = one_of_two(Fault::Lost(usize::MAX), faulty, windows, OnDeviceLost::Stop);
        let whole = whole.unwrap().run(&all(last)).unwrap();
        assert_eq!(whole.devices.len(), 2);
        for &fault in &faults[..if windows { 2 } else { 4 }] {
            let (problem, begun) = one_of_two(fault, faulty, windows, OnDeviceLost::Stop);
            let name = format!("device {faulty}");
            match begun {
                Err(Error::Device { device, .. }) => assert_eq!(device, name, "{fault:?}"),
                Err(error) => panic!("{fault:?}: {error}"),
                Ok(mut solver) => match solver.run(&all(last)) {
                    Ok(solution) => assert_eq!(solution.permutation, whole.permutation, "{fault:?}"),
                    Err(error) => {
                        assert!(
                            matches!(&error, Error::Device { device, .. } if *device == name),
                            "{fault:?}: {error}"
                        );
                        let kept = solver.salvage();
                        assert_eq!(kept.cost, problem.cost(&kept.permutation).unwrap(), "{fault:?}");
                        ended += 1;
                    }
                },
            }
            let (_, begun) = one_of_two(fault, faulty, windows, OnDeviceLost::Cpu);
            let mut solver = begun.unwrap();
            let solution = solver.run(&all(last)).unwrap();
            assert_eq!((solution.ended, solution.iterations), (Ended::Iterations, last), "{fault:?}");
            assert_eq!(solution.cost, problem.cost(&solution.permutation).unwrap(), "{fault:?}");
            let lost: Vec<bool> = solution.devices.iter().map(|share| share.device_lost.is_some()).collect();
            assert_eq!(solution.device_lost.is_some(), lost.contains(&true), "{fault:?}");
            if let Some(first) = &solution.device_lost {
                assert_eq!((first.device.as_str(), lost[faulty], lost[1 - faulty]), (name.as_str(), true, false));
                if first.iteration < last {
                    let backends = [solver.devices()[faulty].backend, solver.devices()[1 - faulty].backend];
                    assert_eq!(
                        (backends, solver.backend()),
                        ([BackendKind::Cpu, BackendKind::Wgpu], BackendKind::Mixed),
                        "{fault:?}"
                    );
                    moved += 1;
                }
            }
            // What goes on can be kept, and goes on on one device.
            assert_eq!(solver.checkpoint().unwrap().iterations(), last);
        }
    }
    assert!(ended >= 6 && moved >= 10, "{ended} ended, {moved} moved");
}
