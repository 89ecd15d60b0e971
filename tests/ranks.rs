//! Several ranks that solve one problem, as threads of this process: they find what one process finds, end together, and none waits for ever.

use crate::common;
use std::ops::ControlFlow;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::program::{complaint, instance};
use crate::common::{Also, settings};
use myrmex::ranks::{Transport, give_up, local};
use myrmex::tsp::Kind;
use myrmex::{
    BackendKind, Cancel, Ended, Error, Observer, OnDeviceLost, Problem, Result, Settings, Solution, Solver, Stop,
    Target, qap,
};

mod meetings;

/// Longer than any of these runs takes on a machine that does much else, and shorter than for ever.
const SOON: Duration = Duration::from_secs(60);

/// What each rank makes of its end of the transport, side by side.
fn ranks<T: Send>(count: usize, work: impl Fn(usize, Box<dyn Transport>) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = local(count)
            .into_iter()
            .enumerate()
            .map(|(rank, transport)| scope.spawn(move || work(rank, transport)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn cpus(count: usize) -> Target {
    if count == 1 { Target::Cpu } else { Target::Several(vec![Target::Cpu; count]) }
}

fn solve(
    problem: &Problem,
    settings: &Settings,
    devices: usize,
    stop: &Stop,
    transport: Box<dyn Transport>,
) -> Result<Solution> {
    Solver::among(problem, settings, cpus(devices), None, stop, transport)?.run(stop)
}

/// What rank 0 finds, with so many devices on each rank.
fn found(problem: &Problem, settings: &Settings, devices: &[usize], stop: &Stop) -> Solution {
    let all = ranks(devices.len(), |rank, transport| solve(problem, settings, devices[rank], stop, transport).unwrap());
    all.into_iter().next().unwrap()
}

fn alone(problem: &Problem, settings: &Settings, stop: &Stop) -> Solution {
    common::solver(problem, settings, Target::Cpu).run(stop).unwrap()
}

/// A phase: its algorithm, its round, its iterations, the cost at its end.
type Phase<'a> = (&'a str, u32, u32, u64);

/// What is the same on any number of ranks: all but times and devices.
fn answer(solution: &Solution) -> (u64, &[u32], u32, Ended, Vec<Phase<'_>>) {
    let phases = solution.phases.iter().map(|it| (it.algorithm, it.round, it.iterations, it.cost_end)).collect();
    (solution.cost, &solution.permutation, solution.iterations, solution.ended, phases)
}

const FEW: &str = "windows=4 window_size=64 steps=300 population=4";

#[test]
fn ranks_find_what_one_process_finds() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let assignment = Problem::Qap(qap::generate(24, 2).unwrap());
    for (problem, line, colonies, devices, iterations) in [
        (&tour, "mmas ants=4 migration=3", 2, &[1, 1][..], 14),
        (&tour, "mmas ants=4 migration=3 colonies=7", 7, &[1, 2, 1], 15),
        (&tour, "mmas ants=4 migration=3 colonies=7 topology=complete", 7, &[1, 2, 1], 15),
        (&tour, &format!("lk-eax {FEW} migration=10"), 4, &[1, 1, 1, 1], 75),
        (&tour, &format!("lk-eax {FEW} migration=0"), 3, &[2, 1], 75),
        (&assignment, "cas units=4 search_iterations=30 migration=2", 2, &[1, 1], 7),
        (&assignment, "cas units=4 search_iterations=30 migration=2", 4, &[1, 1, 1, 1], 7),
    ] {
        let (settings, stop) = (settings(line), Stop::iterations(iterations));
        let expected = alone(problem, &settings.also(&format!("colonies={colonies}")), &stop);
        let solution = found(problem, &settings, devices, &stop);
        assert_eq!(answer(&solution), answer(&expected), "{line} on {devices:?}");
        let costs = |solution: &Solution| solution.trace.last().map(|point| point.cost);
        assert_eq!(costs(&solution), costs(&expected), "{line}");
        // Rank by rank the devices with their colonies, dealt in turn.
        let shares: Vec<_> = solution.devices.iter().map(|share| (share.rank.unwrap(), share.colonies[0])).collect();
        let ranks = devices.iter().enumerate().flat_map(|(rank, count)| vec![rank; *count]);
        assert_eq!(shares, ranks.zip(0..).collect::<Vec<_>>());
        // Another seed is another run.
        let other = found(problem, &settings.seed(settings.seed + 1), devices, &stop);
        assert_ne!(other.permutation, solution.permutation, "{line}");
    }
}

/// By the clock no rank waits for another one to come as far, and all make the iterations that are asked for.
#[test]
fn by_the_clock_ranks_make_their_iterations_too() {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    for (devices, colonies) in [(&[1, 1][..], 2), (&[2, 1], 5)] {
        let settings = settings(&format!("mmas ants=4 migration_time=0.05 colonies={colonies}"));
        let solution = found(&problem, &settings, devices, &Stop::iterations(150));
        assert_eq!((solution.iterations, solution.ended), (150, Ended::Iterations));
        assert_eq!(problem.cost(&solution.permutation).unwrap(), solution.cost);
        let timed = found(&problem, &settings, devices, &Stop::time(Duration::from_millis(400)));
        assert_eq!(timed.ended, Ended::Time);
    }
}

/// A rank that has made its iterations before another one makes no more of them.
#[test]
fn by_the_clock_a_fast_rank_waits_for_the_end_of_a_slow_one() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 60, 1));
    let settings = settings("mmas ants=2 local_search=none migration_time=0.05 colonies=2");
    let stop = Stop::iterations(60);
    for slow in [0, 1] {
        let made = ranks(2, |rank, transport| {
            let mut solver = Solver::among(&problem, &settings, Target::Cpu, None, &stop, transport).unwrap();
            let mut seen = 0;
            let solution = solver.run_with(&stop, |progress| {
                seen = seen.max(progress.iteration);
                if rank == slow && progress.iteration < 60 {
                    thread::sleep(Duration::from_millis(60));
                }
                ControlFlow::Continue(())
            });
            (solution.unwrap().iterations, seen)
        });
        assert_eq!(made, [(60, 60); 2], "rank {slow} is slow");
    }
}

/// Windows of crossover are those of each colony's own tour.
#[test]
fn ranks_find_in_windows_what_one_process_finds() {
    let problem = Problem::Tsp(common::made(Kind::Clustered, 1300, 3));
    let settings = settings("lk-eax windows=8 window_size=64 steps=2000 population=6 eax_up_to=300 eax_window=200");
    let stop = Stop::iterations(200);
    let expected = alone(&problem, &settings.also("colonies=2"), &stop);
    let solution = found(&problem, &settings, &[1, 1], &stop);
    assert_eq!((solution.cost, solution.permutation), (expected.cost, expected.permutation));
}

/// What gains nothing is counted alike by colonies that take turns, with any number of threads, on several devices and on several ranks, also
/// where the run ends before the first migration.
#[test]
fn all_agree_when_nothing_is_gained_any_more() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 160, 3));
    for (migration, stagnation) in [(20, 35), (50, 8), (0, 8), (0, 20)] {
        for seed in 1..=4 {
            let settings = settings("mmas ants=8").seed(seed).also(&format!("migration={migration}"));
            let (two, stop) = (settings.also("colonies=2"), Stop::stagnation(stagnation));
            let expected = alone(&problem, &two, &stop);
            assert_eq!(expected.ended, Ended::Stagnation);
            let agrees = |solution: &Solution, how: &str| {
                assert_eq!(answer(solution), answer(&expected), "{how}: {migration}, {stagnation}, {seed}");
            };
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                agrees(&pool.install(|| alone(&problem, &two, &stop)), "threads");
            }
            agrees(&common::solver(&problem, &two, cpus(2)).run(&stop).unwrap(), "devices");
            agrees(&found(&problem, &settings, &[1, 1], &stop), "ranks");
        }
    }
}

/// What has gained nothing is counted by all colonies together, also where rules follow one another and iterations without one come between.
#[test]
fn rules_of_stagnation_follow_one_another() {
    let instance = common::made(Kind::Uniform, 160, 3);
    let found = common::targets().map(|target| {
        let mut solver = common::solver(&instance, &settings("mmas ants=4 colonies=2 migration=0"), target);
        let first = solver.run(&Stop::stagnation(50).or(Stop::iterations(10))).unwrap();
        let between = solver.step(15).unwrap();
        let last = solver.run(&Stop::stagnation(4)).unwrap();
        assert_eq!([first.ended, last.ended], [Ended::Iterations, Ended::Stagnation]);
        assert_eq!((between.iteration, last.iterations > 25), (25, true));
        (last.iterations, last.permutation)
    });
    assert_eq!(found[0], found[1]);
}

/// Rank 0 tells of a device that any of them has lost, and where the run has gone on.
#[test]
fn rank_0_tells_of_a_lost_device() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 60, 3));
    let settings = Settings { on_device_lost: OnDeviceLost::Cpu, ..settings("mmas ants=4 migration=5") };
    for (loser, before) in [(0, true), (1, true), (0, false), (1, false)] {
        let all = ranks(2, |rank, transport| {
            let gpu = (rank == loser).then(common::own_gpu);
            let lose = |when: bool| gpu.iter().filter(|_| when == before).for_each(|gpu| gpu.device().destroy());
            lose(true);
            let target = gpu.clone().map_or(Target::Cpu, Target::Existing);
            let stop = Stop::iterations(12);
            let mut solver = Solver::among(&problem, &settings, target, None, &stop, transport).unwrap();
            lose(false);
            solver.run(&stop).unwrap()
        });
        let solution = &all[0];
        let lost = solution.device_lost.as_ref().expect("a device was lost");
        assert_eq!(
            (lost.backend, solution.ran.backend),
            (BackendKind::Wgpu, BackendKind::Cpu),
            "rank {loser}, before its set-up: {before}"
        );
        assert!(!solution.ran.device.contains(&lost.device), "{loser}: {}", solution.ran.device);
        let shares: Vec<bool> = solution.devices.iter().map(|share| share.device_lost.is_some()).collect();
        assert_eq!(shares, [loser == 0, loser == 1]);
    }
}

#[test]
fn a_rule_of_one_rank_ends_all() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 200, 3));
    let settings = settings("mmas ants=16 migration=100000");
    for (rule, ended) in [
        (Stop::time(Duration::from_millis(300)), Ended::Time),
        (Stop::cost(u64::MAX), Ended::Target),
        (Stop::stagnation_time(Duration::from_millis(1)), Ended::Stagnation),
    ] {
        for which in 0..3 {
            // Of what stagnates rank 0 knows at meetings alone.
            let every = if ended == Ended::Stagnation { settings.also("migration=10") } else { settings };
            if ended == Ended::Stagnation && which > 0 {
                continue;
            }
            let began = Instant::now();
            let all = ranks(3, |rank, transport| {
                let never = Stop::cancelled_by(&Cancel::new());
                // All declare the same rules; one then runs with a sooner one.
                let mut solver = Solver::among(&problem, &every, Target::Cpu, None, &never, transport).unwrap();
                solver.run(if rank == which { &rule } else { &never }).unwrap()
            });
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
            let costs: Vec<u64> = all.iter().map(|solution| solution.cost).collect();
            assert_eq!(all.iter().map(|solution| solution.ended).collect::<Vec<_>>(), [ended; 3], "rank {which}");
            assert_eq!(all[0].cost, *costs.iter().min().unwrap(), "rank 0 has the best of all");
            assert_eq!(problem.cost(&all[0].permutation).unwrap(), all[0].cost);
        }
    }
}

/// Ranks that wait for the others at a migration, and those that are waited for: an interrupt of one ends all.
#[test]
fn an_interrupt_of_one_rank_ends_all() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 1000, 3));
    let settings = settings("mmas ants=256 migration=40");
    for which in 0..2 {
        let began = Instant::now();
        let all = ranks(2, |rank, transport| {
            let cancel = Cancel::new();
            let token = cancel.clone();
            if rank == which {
                thread::spawn(move || (thread::sleep(Duration::from_millis(400)), token.cancel()));
            }
            // Rank 1 has twice as much to do.
            solve(&problem, &settings, 1 + rank, &Stop::cancelled_by(&cancel), transport).unwrap().ended
        });
        assert_eq!(all, [Ended::Cancelled; 2], "rank {which}");
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    }
}

/// The same for whoever observes more than progress, as the program does.
#[test]
fn an_interrupt_ends_ranks_that_are_observed() {
    struct Silent;
    impl Observer for Silent {}
    let problem = Problem::Tsp(common::made(Kind::Uniform, 200, 3));
    for which in [0, 1, 1, 0] {
        let all = ranks(2, |rank, transport| {
            let cancel = Cancel::new();
            let token = cancel.clone();
            if rank == which {
                thread::spawn(move || (thread::sleep(Duration::from_millis(150)), token.cancel()));
            }
            let (settings, stop) = (settings("mmas ants=64 migration=4"), Stop::cancelled_by(&cancel));
            let mut solver = Solver::among(&problem, &settings, Target::Cpu, None, &stop, transport).unwrap();
            solver.run_observed(&stop, &mut Silent).unwrap().ended
        });
        assert_eq!(all, [Ended::Cancelled; 2], "rank {which}");
    }
}

#[test]
fn an_observer_of_one_rank_ends_all() {
    let problem = Problem::Tsp(common::made(Kind::Uniform, 150, 3));
    for which in 0..3 {
        let all = ranks(3, |rank, transport| {
            let (settings, never) = (settings("mmas ants=8 migration=5"), Stop::cancelled_by(&Cancel::new()));
            let mut solver = Solver::among(&problem, &settings, Target::Cpu, None, &never, transport).unwrap();
            solver.run_with(&never, |now| match rank == which && now.iteration >= 40 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        });
        assert!(all.iter().all(|ran| matches!(ran, Ok(Solution { ended: Ended::Cancelled, .. }))), "rank {which}");
    }
}

#[test]
fn ranks_that_differ_are_refused() {
    let problem = |seed| Problem::Tsp(common::made(Kind::Uniform, 60, seed));
    let settings = settings("mmas ants=4");
    let told = |others: Vec<Result<u64>>, words: &str| {
        let errors: Vec<String> = others.into_iter().map(|it| it.unwrap_err().to_string()).collect();
        assert_eq!(errors.len(), 3);
        // Rank 0 says it, and all others say what it says.
        assert!(
            errors.iter().all(|error| error.contains(words) && error.starts_with("rank 2 on thread 2: ")),
            "{errors:?}"
        );
    };
    let run = |problem: &Problem, settings: &Settings, transport| {
        solve(problem, settings, 1, &Stop::iterations(3), transport).map(|solution| solution.cost)
    };
    let files = ranks(3, |rank, transport| run(&problem(1 + u64::from(rank == 2)), &settings, transport));
    told(files, "every rank must read the same file");
    let words = ranks(3, |rank, transport| run(&problem(1), &settings.seed(u64::from(rank == 2)), transport));
    told(words, "start every rank with the same words");
    for own in [Stop::iterations(4), Stop::iterations(3).or(Stop::rounds(2)), Stop::time(Duration::from_secs(9))] {
        let rules = ranks(3, |rank, transport| {
            let stop = if rank == 2 { own.clone() } else { Stop::iterations(3) };
            solve(&problem(1), &settings, 1, &stop, transport).map(|solution| solution.cost)
        });
        told(rules, "other rules that end the run than rank 0 on thread 0");
    }
    let error = ranks(3, |rank, transport| match rank {
        2 => {
            let error = Error::NoAdapter("there is none here".into());
            give_up(transport, &error);
            Err(error)
        }
        _ => run(&problem(1), &settings, transport),
    });
    let errors: Vec<String> = error.into_iter().map(|it| it.unwrap_err().to_string()).collect();
    assert!(errors.iter().all(|error| error.contains("there is none here")), "{errors:?}");
    let few = ranks(2, |_, transport| run(&problem(1), &settings.also("colonies=1"), transport));
    assert!(
        few.iter().all(|it| it.as_ref().unwrap_err().to_string().contains("colonies=1 leaves 1 of 2 devices idle"))
    );
}

/// What needs no colony needs no other rank.
#[test]
fn each_rank_solves_what_is_tiny() {
    let tiny = Problem::from(&myrmex::tsp::Instance::from_matrix("tiny", 3, vec![0, 1, 2, 1, 0, 3, 2, 3, 0]).unwrap());
    let all = ranks(2, |_, transport| solve(&tiny, &Settings::default(), 1, &Stop::iterations(1), transport).unwrap());
    assert!(all.iter().all(|solution| (solution.ended, solution.cost) == (Ended::Trivial, 6)));
}

/// A launcher that the program cannot work with is no reason to solve the same several times.
#[test]
fn several_processes_that_cannot_work_together_are_refused() {
    let solve = |variables: &[(&str, &str)]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
        program.args(["solve", &instance("uniform200.tsp"), "--backend", "cpu", "--iterations", "1", "--quiet"]);
        // As root Open MPI asks for it.
        program.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        program.envs(variables.iter().copied()).output().unwrap()
    };
    let launched = [("SLURM_STEP_NUM_TASKS", "3"), ("SLURM_PROCID", "0")];
    let refused = solve(&launched);
    let words = if cfg!(feature = "mpi") { "knows of 1" } else { "built without MPI" };
    assert_eq!(refused.status.code(), Some(2));
    let told = complaint(&refused);
    assert!(told.contains("started 3 times (SLURM_STEP_NUM_TASKS)") && told.contains(words), "{told}");
    // Each works for itself where that is asked for, and where a launcher has started one.
    assert!(solve(&[launched[0], launched[1], ("MYRMEX_ALONE", "1")]).status.success());
    assert!(solve(&[("SLURM_STEP_NUM_TASKS", "1")]).status.success());
}
