//! Runs on threads of their own: cancelled in the set-up and behind it, late, observed, dropped.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::common;
use myrmex::report::Report;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Abandoned, BackendKind, Cancel, Ended, Error, Job, Observer, Problem, Progress, Settings, Stop, Target};

/// Asymmetric distances of so many cities, whose set-up takes seconds.
fn asymmetric(n: usize) -> Problem {
    let weight = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 12;
    Instance::from_matrix("asymmetric", n, (0..n * n).map(weight).collect()).unwrap().into()
}

fn minute() -> Stop {
    Stop::time(Duration::from_secs(60))
}

/// A solution of the problem that costs what it says.
fn checked(problem: &Problem, job: Job) -> myrmex::Solution {
    let solution = job.join().unwrap().solution;
    assert_eq!(problem.cost(&solution.permutation).unwrap(), solution.cost);
    solution
}

#[test]
fn set_up_is_let_go_when_it_is_cancelled_or_late() {
    let problem = asymmetric(1500);
    let began = Instant::now();
    let job = Job::spawn(&problem, &Settings::default(), Target::Cpu, &minute()).unwrap();
    assert!(job.progress().is_none() && job.incumbent().is_none() && !job.is_finished());
    std::thread::sleep(Duration::from_millis(100));
    job.cancel();
    let solution = checked(&problem, job);
    assert!(began.elapsed() < common::FAR_LESS, "{:?}", began.elapsed());
    assert_eq!((solution.ended, solution.iterations, solution.phases.len()), (Ended::Cancelled, 0, 0));
    assert_eq!(solution.abandoned, Some(Abandoned::SetUp));
    let told = Report::of(&problem, &solution).warnings;
    assert_eq!(told.last().map(String::as_str), Some("the set-up was not done, this is a simple solution"));

    let began = Instant::now();
    let token = Cancel::new();
    token.cancel();
    for (stop, ended) in
        [(Stop::time(Duration::from_millis(50)), Ended::Time), (Stop::cancelled_by(&token), Ended::Cancelled)]
    {
        let job = Job::spawn(&problem, &Settings::default(), Target::Cpu, &stop).unwrap();
        assert_eq!(checked(&problem, job).ended, ended);
    }
    assert!(began.elapsed() < common::FAR_LESS, "{:?}", began.elapsed());
}

/// It begins with a solution that is given, and waits for as long as it is told to.
#[test]
fn a_start_is_what_a_run_ends_with_at_least() {
    let problem = asymmetric(1500);
    let start: Vec<u32> = (0..1500).rev().collect();
    let spawn = |problem: &Problem, stop: &Stop, start: &[u32]| {
        Job::spawn_with_start(problem, &Settings::default(), Target::Cpu, stop, start, ())
    };
    let mut job = spawn(&problem, &minute(), &start).unwrap();
    let began = Instant::now();
    assert!(!job.wait(Duration::ZERO) && !job.wait(Duration::from_millis(20)));
    assert!((20..5_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    job.cancel();
    assert!(job.wait(Duration::from_secs(60)) && job.wait(Duration::ZERO));
    let solution = checked(&problem, job);
    assert_eq!(
        (solution.permutation, solution.ended, solution.ran.backend),
        (start, Ended::Cancelled, BackendKind::None)
    );
    assert!(solution.ran.device.contains("set-up"), "{}", solution.ran.device);

    let few = Problem::from(common::made(Kind::Uniform, 60, 1));
    let start: Vec<u32> = (0..60).collect();
    let mut job = spawn(&few, &Stop::iterations(20), &start).unwrap();
    while !job.wait(Duration::from_millis(5)) {}
    // Who comes late for what was found finds it.
    assert!(job.is_finished());
    let solution = checked(&few, job);
    assert!(solution.cost < few.cost(&start).unwrap());
    assert_eq!((solution.iterations, solution.trace[0].cost), (20, few.cost(&start).unwrap()));
    assert!(solution.ran.device.starts_with("CPU"), "{}", solution.ran.device);
    assert!(matches!(spawn(&few, &minute(), &start[1..]), Err(Error::Tour(_))));
}

/// What a run on this thread finds, one on another thread finds.
#[test]
fn a_run_is_the_same_on_a_thread_of_its_own() {
    let instance = common::made(Kind::Clustered, 300, 5);
    let problem = Problem::from(&instance);
    let settings = common::settings("mmas ants=8");
    let job = Job::spawn(&instance, &settings, Target::Cpu, &Stop::iterations(40)).unwrap();
    let solution = checked(&problem, job);
    let mut solver = common::solver(&instance, &settings, Target::Cpu);
    let own = solver.run(&Stop::iterations(40)).unwrap();
    assert_eq!((solution.permutation, solution.ended), (own.permutation, Ended::Iterations));
    // Nothing is better: no rule has to say that this ends it.
    let few = Problem::from(common::made(Kind::Uniform, 9, 1));
    let began = Instant::now();
    let job = Job::spawn(&few, &Settings::default(), Target::Cpu, &minute()).unwrap();
    assert_eq!(checked(&few, job).ended, Ended::Optimal);
    assert!(began.elapsed() < Duration::from_secs(30));
}

struct Told(mpsc::Sender<u64>);

impl Observer for Told {
    fn gain(&mut self, progress: &Progress, solution: &[u32]) -> ControlFlow<()> {
        assert_eq!(solution.len(), 400);
        self.0.send(progress.cost).unwrap();
        ControlFlow::Continue(())
    }
}

#[test]
fn it_tells_how_far_it_has_come() {
    let instance = common::made(Kind::Uniform, 400, 2);
    let (sender, told) = mpsc::channel();
    let job = Job::spawn_observed(&instance, &Settings::default(), Target::Cpu, &minute(), Told(sender)).unwrap();
    let first = told.recv_timeout(Duration::from_secs(30)).unwrap();
    while told.recv_timeout(Duration::from_secs(30)).unwrap() >= first {}
    let (progress, incumbent) = (job.progress().unwrap(), job.incumbent().unwrap());
    let (best, cost) = incumbent.get().unwrap();
    assert_eq!(instance.tour_cost(&best).unwrap(), cost);
    assert!(progress.cost <= first);
    job.cancel();
    let solution = checked(&Problem::from(&instance), job);
    assert!(solution.ended == Ended::Cancelled && solution.cost <= cost && solution.cost < first);
}

struct Counts(Arc<AtomicU64>);

impl Observer for Counts {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

/// One that nobody has any more ends soon, and nobody waits for it: of one in its set-up the thread is still there.
#[test]
fn dropping_it_ends_it() {
    let counted = Arc::new(AtomicU64::new(0));
    let observer = Counts(Arc::clone(&counted));
    drop(Job::spawn_observed(asymmetric(2000), &Settings::default(), Target::Cpu, &minute(), observer).unwrap());
    assert_eq!(Arc::strong_count(&counted), 2);
    let instance = common::made(Kind::Uniform, 2000, 2);
    let counted = Arc::new(AtomicU64::new(0));
    let observer = Counts(Arc::clone(&counted));
    let job = Job::spawn_observed(&instance, &Settings::default(), Target::Cpu, &minute(), observer).unwrap();
    let began = Instant::now();
    while counted.load(Ordering::Relaxed) < 3 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    let began = Instant::now();
    drop(job);
    // Its thread holds the observer until it has ended.
    while Arc::strong_count(&counted) > 1 {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
}

struct Breaks;

impl Observer for Breaks {
    fn gain(&mut self, _: &Progress, _: &[u32]) -> ControlFlow<()> {
        panic!("in the observer")
    }
}

#[test]
fn what_is_wrong_is_told() {
    let instance = common::made(Kind::Uniform, 50, 2);
    let settings = Settings::default();
    let without = Job::spawn(&instance, &settings, Target::Cpu, &Stop::default()).unwrap_err();
    assert!(matches!(&without, Error::Config(message) if message.contains("no rule ends the run")), "{without}");
    let wrong = common::settings("mmas ants=0");
    let wrong = Job::spawn(&instance, &wrong, Target::Cpu, &minute()).unwrap().join().unwrap_err();
    assert!(matches!(&wrong, Error::Config(message) if message.contains("ants")), "{wrong}");
    let broken = Job::spawn_observed(&instance, &settings, Target::Cpu, &minute(), Breaks).unwrap();
    assert!(matches!(broken.join().unwrap().into_result().unwrap_err(), Error::Other(_)));
}

/// Several devices have a colony each, whose bests migrate, also where nobody says how many colonies there are.
#[test]
fn several_devices_are_taken_as_by_a_solver() {
    let instance = common::made(Kind::Uniform, 60, 3);
    let settings = common::settings("mmas ants=8 migration=5");
    let devices = || Target::Several(vec![Target::Cpu; 2]);
    let job = Job::spawn(&instance, &settings, devices(), &Stop::iterations(10)).unwrap();
    assert_eq!(job.join().unwrap().solution.ran.recipe.colonies, 2);
}

/// A pool of the caller's limits the threads of a job, which waits for none of its own.
#[test]
fn a_job_has_as_many_threads_as_the_pool_that_spawns_it() {
    let problem = Problem::from(common::made(Kind::Uniform, 200, 2));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // The pool's only thread waits for it.
    let solution = pool.install(|| {
        let job = Job::spawn(&problem, &Settings::default(), Target::Cpu, &Stop::iterations(5)).unwrap();
        checked(&problem, job)
    });
    assert_eq!((solution.iterations, solution.abandoned), (5, None));
    assert!(solution.ran.device.contains("1 thread"), "{}", solution.ran.device);
}

/// What an observer's panic says is told, and what was found is there.
#[test]
fn an_observer_that_panics_ends_the_run() {
    struct Panics(u32);
    impl Observer for Panics {
        fn gain(&mut self, _: &Progress, _: &[u32]) -> ControlFlow<()> {
            self.0 += 1;
            assert!(self.0 < 3, "enough of gains");
            ControlFlow::Continue(())
        }
    }
    let problem = Problem::from(common::made(Kind::Uniform, 300, 2));
    let job = Job::spawn_observed(&problem, &Settings::default(), Target::Cpu, &minute(), Panics(0)).unwrap();
    let finished = job.join().unwrap();
    assert_eq!(problem.cost(&finished.solution.permutation).unwrap(), finished.solution.cost);
    assert_eq!(finished.solution.ended, Ended::Cancelled);
    let error = finished.into_result().unwrap_err();
    assert!(matches!(error, Error::Other(_)), "{error:?}");
    assert!(error.to_string().contains("the observer panicked: enough of gains"), "{error}");
}

/// Many cities with asymmetric distances have a tour at once that is far better than their order.
#[test]
fn what_is_made_at_once_is_no_order_of_the_input() {
    let problem = asymmetric(6000);
    let order: Vec<u32> = (0..6000).collect();
    let made = problem.solution_at_once().unwrap();
    assert!(20 * problem.cost(&made).unwrap() < problem.cost(&order).unwrap());
}
