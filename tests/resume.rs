//! A run that is resumed from a checkpoint finds what it would have found without a stop, on any backend.

mod common;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use common::{colonies, colony, settings};
use myrmex::backend::Access;
use myrmex::colony::{Colony, specs};
use myrmex::kernels::plan::Plan;
use myrmex::kernels::{Buffer, Buffers};
use myrmex::tsp::{Instance, Kind};
use myrmex::{Checkpoint, Ended, Error, PhaseEnded, Problem, Settings, Solver, Stop, Target, qap};
use xxhash_rust::xxh3::xxh3_64;

/// A run: what it is of, what runs, how many iterations, after which ones it is stopped.
struct Case {
    problem: Problem,
    settings: Settings,
    iterations: u32,
    stops: Vec<u32>,
}

fn case(problem: &Problem, line: &str, iterations: u32, stops: &[u32]) -> Case {
    Case { problem: problem.clone(), settings: settings(line), iterations, stops: stops.to_vec() }
}

/// Costs from a city to another that differ from those back.
fn asymmetric(n: usize) -> Problem {
    let there = common::made(Kind::Uniform, n, 2).distance_matrix();
    let cost = |(at, &far): (usize, &u32)| if far == 0 { 0 } else { far / 2 + (at * 7919 % 401) as u32 };
    let matrix = there.iter().enumerate().map(cost).collect();
    Problem::Tsp(Instance::from_matrix("asymmetric", n, matrix).unwrap())
}

/// Every family of kernels, several phases and restarts, several colonies, every kind of tours.
fn cases() -> Vec<Case> {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 120, 4));
    let many = Problem::Tsp(common::made(Kind::Uniform, 700, 5));
    let more = Problem::Tsp(common::made(Kind::Clustered, 1300, 5));
    let matrix = Problem::Tsp(
        Instance::from_matrix("matrix", 90, common::made(Kind::Uniform, 90, 1).distance_matrix()).unwrap(),
    );
    let open = common::made(Kind::Uniform, 110, 3).open_path(Some(7), None).unwrap();
    let open = Problem::Tsp(open.with_fixed_edges(&[[3, 4], [20, 9]]).unwrap());
    let layout = Problem::Qap(qap::generate(20, 2).unwrap());
    let asymmetric = asymmetric(50);
    let windows = "windows=4 window_size=48 steps=200 population=6";
    vec![
        // Windows, population, crossover with its stages, restarts.
        case(&tour, &format!("lk-eax {windows}"), 150, &[7, 33, 52, 90, 121]),
        case(&matrix, &format!("lk-eax {windows}"), 70, &[11, 40]),
        case(&open, &format!("lk-eax {windows}"), 70, &[0, 38]),
        case(&tour, "eax population=6", 60, &[0, 1, 25]),
        case(&asymmetric, "eax population=6", 60, &[0, 19, 47]),
        case(&tour, "lk windows=4 window_size=48 steps=200", 30, &[13]),
        case(&many, "lk windows=3 window_size=48 steps=100", 16, &[10]),
        // Crossover of a window at a time, some of them.
        case(&many, &format!("lk-eax {windows} eax_up_to=300 eax_window=200"), 190, &[20, 70, 140]),
        case(&more, &format!("lk-eax {windows} eax_up_to=300 eax_window=200 eax_windows=3"), 150, &[40, 90, 120]),
        case(&tour, "mmas ants=6", 30, &[0, 17]),
        case(&tour, "mmas ants=6 stagnation=4 local_search=none", 40, &[22]),
        case(&tour, "mmas ants=4 local_search=lk breadth=narrow", 12, &[5]),
        case(&tour, "mmas ants=6 memory=matrix candidates=12 local_search=none best_on=host", 20, &[9]),
        case(&tour, "mmas ants=6 candidates=all local_search=none selection=rwm", 14, &[6]),
        case(&asymmetric, "mmas ants=6 local_search=insertion", 14, &[6]),
        case(&tour, "as ants=12 elitist=4 local_search=none", 14, &[5]),
        case(&tour, "as ants=12 ranks=4 local_search=2opt", 14, &[5]),
        case(&tour, "acs ants=6 local_search=none", 24, &[11]),
        case(&tour, "acs ants=6 memory=selective memory_size=4 local_update=none local_search=none", 16, &[7]),
        case(&tour, "faco ants=12 focus=20", 20, &[0, 8]),
        case(&layout, "cas units=5 search_iterations=40", 8, &[3]),
        case(&layout, "cas units=5 local_search=2opt selection=rwm", 8, &[3]),
        case(&layout, "mmas search_iterations=40", 8, &[3]),
        case(&tour, "mmas ants=4 colonies=3 migration=4", 21, &[3, 4, 14]),
        case(&tour, &format!("lk-eax colonies=2 migration=10 {windows}"), 90, &[25, 60]),
        case(&layout, "cas units=4 search_iterations=30 colonies=2 migration=2", 8, &[5]),
    ]
}

/// The words of these buffers of a colony.
fn words(colony: &mut Colony, buffers: &[Buffer]) -> Vec<(Buffer, Vec<u32>)> {
    let sizes = colony.plan().buffers();
    let planned = sizes.iter().filter(|plan| buffers.contains(&plan.name));
    let all = planned.map(|plan| {
        let id = colony.buffers().get(plan.name);
        (plan.name, colony.backend().read(id, 0..plan.words as usize).unwrap())
    });
    all.collect()
}

/// What a run has come to: what outlives an iteration, the solution, the gain, what ran in each phase.
type Outcome =
    (Vec<Vec<(Buffer, Vec<u32>)>>, (u64, Vec<u32>, u32), Vec<(&'static str, usize, u32, u32, [u64; 2], PhaseEnded)>);

fn outcome(solver: &mut Solver) -> Outcome {
    let colonies = colonies(solver).map(|colony| {
        let kept = [colony.plan().lasting(), colony.plan().derived().to_vec()].concat();
        words(colony, &kept)
    });
    let colonies = colonies.collect();
    let solution = solver.solution(Ended::Iterations).unwrap();
    let phases = solution.phases.iter().map(|phase| {
        let costs = [phase.cost_begin, phase.cost_end];
        (phase.algorithm, phase.population, phase.round, phase.iterations, costs, phase.ended)
    });
    let phases = phases.collect();
    (colonies, (solution.cost, solution.permutation, solver.progress().best_iteration), phases)
}

/// A checkpoint as it is in a file.
fn checkpoint(solver: &mut Solver) -> Checkpoint {
    Checkpoint::from_bytes(&solver.checkpoint().unwrap().to_bytes().unwrap()).unwrap()
}

/// Makes iterations up to `iteration`.
fn to(solver: &mut Solver, iteration: u32) {
    solver.step(iteration - solver.progress().iteration).unwrap();
}

/// What an uninterrupted run comes to, and checkpoints on its way.
fn run(case: &Case, target: Target) -> (Outcome, Vec<Checkpoint>) {
    let mut solver = common::solver(&case.problem, &case.settings, target);
    let stops = case.stops.iter().map(|&stop| {
        to(&mut solver, stop);
        checkpoint(&mut solver)
    });
    let checkpoints = stops.collect();
    to(&mut solver, case.iterations);
    (outcome(&mut solver), checkpoints)
}

/// A run that is resumed, after `change`.
fn resumed(case: &Case, checkpoint: &Checkpoint, target: Target, change: impl FnOnce(&mut Solver)) -> Outcome {
    let mut solver = Solver::resume(&case.problem, checkpoint.clone(), target).unwrap();
    change(&mut solver);
    to(&mut solver, case.iterations);
    outcome(&mut solver)
}

/// The buffers that some kernel of this plan writes.
fn written(plan: &Plan, buffers: &Buffers) -> Vec<Buffer> {
    let specs = specs(plan);
    let bound: Vec<_> = specs.iter().flat_map(|spec| &spec.bindings).collect();
    // Numbers of buffers follow from the plan alone.
    let numbered = plan.buffers();
    let writes = |place: usize| {
        bound.iter().any(|(id, access)| *access == Access::Write && *id == buffers.get(numbered[place].name))
    };
    (0..numbered.len()).filter(|&place| writes(place)).map(|place| numbered[place].name).collect()
}

/// Fills everything that kernels write and that does not last with garbage; how many buffers.
fn litter(solver: &mut Solver) -> usize {
    let mut littered = 0;
    for colony in colonies(solver) {
        let plan = colony.plan().clone();
        let buffers = colony.buffers().clone();
        let kept = [plan.lasting(), plan.derived().to_vec()].concat();
        let scratch: Vec<_> = written(&plan, &buffers).into_iter().filter(|buffer| !kept.contains(buffer)).collect();
        for size in plan.buffers().into_iter().filter(|size| scratch.contains(&size.name)) {
            let garbage: Vec<u32> =
                (0..size.words as u32).map(|at| 0xA5A5_0000 ^ at.wrapping_mul(0x9E37_79B9)).collect();
            colony.backend().write(buffers.get(size.name), &garbage).unwrap();
            littered += 1;
        }
    }
    littered
}

#[test]
fn resumed_runs_find_what_uninterrupted_ones_find() {
    let mut rounds = 0;
    for case in cases() {
        let (expected, checkpoints) = run(&case, Target::Cpu);
        rounds = rounds.max(expected.2.iter().map(|phase| phase.2).max().unwrap_or_default());
        for (checkpoint, stop) in checkpoints.iter().zip(&case.stops) {
            let found = resumed(&case, checkpoint, Target::Cpu, |solver| {
                assert_eq!(solver.resumed().map(|resumed| resumed.iteration), Some(*stop));
            });
            assert!(
                found == expected,
                "{} {:?} stopped after {stop}: {:?}, not {:?}",
                case.problem.name(),
                case.settings,
                found.1.0,
                expected.1.0
            );
        }
    }
    assert!(rounds > 0, "no run has begun again");
}

/// What is not in the list of what lasts may hold anything.
#[test]
fn only_what_lasts_is_needed() {
    for case in cases() {
        let (expected, checkpoints) = run(&case, Target::Cpu);
        for (checkpoint, stop) in checkpoints.iter().zip(&case.stops) {
            let found = resumed(&case, checkpoint, Target::Cpu, |solver| assert!(litter(solver) > 0));
            assert!(found == expected, "{} {:?} stopped after {stop}", case.problem.name(), case.settings);
        }
    }
}

/// A checkpoint without one of the buffers that last, which then is as at the beginning of the phase, is noticed.
#[test]
fn all_that_lasts_is_needed() {
    let [mut lasting, mut missed] = [BTreeSet::new(), BTreeSet::new()];
    for case in cases().iter().filter(|case| case.settings.colonies.colonies.is_none()) {
        let stop = case.stops[case.stops.len() - 1];
        let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
        let mut phase = None;
        let mut first = Vec::new();
        for iteration in 0..=stop {
            to(&mut solver, iteration);
            let progress = solver.progress();
            if phase.replace((progress.phase, progress.round)) != Some((progress.phase, progress.round)) {
                let colony = colony(&mut solver);
                let lasting = colony.plan().lasting();
                first = words(colony, &lasting);
            }
        }
        let kept = checkpoint(&mut solver);
        to(&mut solver, case.iterations);
        let expected = outcome(&mut solver);
        for (buffer, contents) in first {
            let mut solver = Solver::resume(&case.problem, kept.clone(), Target::Cpu).unwrap();
            let colony = colony(&mut solver);
            let id = colony.buffers().get(buffer);
            // What has not changed yet cannot be missed.
            if colony.backend().read(id, 0..contents.len()).unwrap() == contents {
                continue;
            }
            colony.backend().write(id, &contents).unwrap();
            let family = format!("{:?}", std::mem::discriminant(solver.plan().unwrap()));
            let steps = case.iterations - stop;
            // A count of iterations that goes back is noticed in a way of its own.
            let goes_on = AssertUnwindSafe(|| solver.step(steps).is_ok_and(|_| outcome(&mut solver) == expected));
            let same = catch_unwind(goes_on).unwrap_or(false);
            lasting.insert((family.clone(), buffer.name()));
            if !same {
                missed.insert((family, buffer.name()));
            }
        }
    }
    assert_eq!(missed, lasting, "there are buffers that nobody misses");
    assert!(lasting.len() > 18, "{lasting:?}");
}

#[test]
fn a_run_goes_on_on_another_backend() {
    for (number, mut case) in cases().into_iter().enumerate() {
        let stop = case.stops[case.stops.len() - 1];
        (case.stops, case.iterations) = (vec![stop], case.iterations.min(stop + 12));
        let (expected, on_cpu) = run(&case, Target::Cpu);
        let until = Case { problem: case.problem.clone(), iterations: stop, stops: vec![stop], ..case };
        let (_, on_gpu) = run(&until, common::target());
        let ways = [("GPU", "CPU", &on_gpu[0]), ("CPU", "GPU", &on_cpu[0]), ("GPU", "GPU", &on_gpu[0])];
        // That a GPU understands itself follows from the other two.
        for (from, to, checkpoint) in &ways[..if number == 0 { 3 } else { 2 }] {
            let target = if *to == "GPU" { common::target() } else { Target::Cpu };
            let found = resumed(&case, checkpoint, target, |solver| assert!(litter(solver) > 0));
            assert!(found == expected, "{} {:?} from {from} to {to}", case.problem.name(), case.settings);
        }
    }
}

/// Checkpoints of a run that is interrupted within its iterations are of the state before these.
#[test]
fn interrupted_iterations_are_made_again() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 1500, 2));
    let layout = Problem::Qap(qap::generate(80, 2).unwrap());
    let cases = [
        case(&tour, "lk-eax population=8 windows=16", 40, &[]),
        case(&tour, "mmas ants=24 local_search=lk", 4, &[]),
        case(&layout, "cas units=8 search_iterations=4000 colonies=2 migration=1", 3, &[]),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, case) in cases.iter().enumerate() {
        let (expected, _) = run(case, Target::Cpu);
        let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
        let path = folder.path().join(format!("{number}.ckpt"));
        solver.keep_checkpoint(&path, Duration::from_millis(20));
        let mut within = 0;
        loop {
            let stop = Stop::iterations(case.iterations).or(Stop::time(Duration::from_millis(7)));
            let ended = solver.run(&stop, |_| ControlFlow::Continue(())).unwrap().ended;
            let (before, began) = (solver.progress().iteration, Instant::now());
            let checkpoint = checkpoint(&mut solver);
            // Nothing is finished for it.
            assert_eq!((solver.progress().iteration, checkpoint.iterations()), (before, before));
            assert!(began.elapsed() < Duration::from_secs(1));
            within += 1;
            if ended == Ended::Iterations {
                break;
            }
            if within % 5 == 0 {
                let kept =
                    if within % 2 == 0 || !path.exists() { checkpoint } else { Checkpoint::read(&path).unwrap() };
                solver = Solver::resume(&case.problem, kept, Target::Cpu).unwrap();
                solver.keep_checkpoint(&path, Duration::from_millis(20));
            }
            if within > 60 {
                to(&mut solver, case.iterations);
                break;
            }
        }
        let found = outcome(&mut solver);
        let differ: Vec<Buffer> =
            found.0[0].iter().zip(&expected.0[0]).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect();
        assert!(differ.is_empty() && found.0 == expected.0, "{} {:?}: {differ:?}", case.problem.name(), case.settings);
        assert_eq!(found.2, expected.2, "{} {:?}", case.problem.name(), case.settings);
        // What was seen of iterations under way may be better than what they ended with.
        assert!(found.1.0 <= expected.1.0);
    }
}

/// Without a copy of the state an iteration under way is finished.
#[test]
fn a_checkpoint_finishes_the_iteration_under_way() {
    let tour = Problem::Tsp(common::made(Kind::Clustered, 2000, 2));
    let case = case(&tour, "mmas ants=40 local_search=lk", 3, &[]);
    let (expected, _) = run(&case, Target::Cpu);
    let mut solver = common::solver(&case.problem, &case.settings, Target::Cpu);
    solver.run(&Stop::time(Duration::from_millis(1)), |_| ControlFlow::Continue(())).unwrap();
    let kept = checkpoint(&mut solver);
    assert_eq!(kept.iterations(), 1);
    assert!(resumed(&case, &kept, Target::Cpu, |_| {}) == expected);
}

fn message(result: myrmex::Result<Checkpoint>) -> String {
    match result {
        Err(Error::Checkpoint(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_checkpoints_are_refused() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 40, 1));
    let mut solver = common::solver(&tour, &settings("lk windows=2 window_size=16 steps=50"), Target::Cpu);
    solver.step(3).unwrap();
    let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
    assert!(Checkpoint::from_bytes(&bytes).is_ok());
    for at in 0..bytes.len() {
        for flip in [1 << (at % 8), 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            message(Checkpoint::from_bytes(&damaged));
        }
        message(Checkpoint::from_bytes(&bytes[..at]));
    }
    message(Checkpoint::from_bytes(&[&bytes[..], &[0]].concat()));
    assert!(message(Checkpoint::from_bytes(b"NAME : uniform")).contains("no checkpoint of myrmex"));
    // A whole file of another form.
    let mut newer = bytes[..bytes.len() - 8].to_vec();
    newer[8] = 2;
    newer.extend(xxh3_64(&newer).to_le_bytes());
    assert!(message(Checkpoint::from_bytes(&newer)).contains("form 2, this program reads form 1"));
}

/// The same with a checksum that is right: what makes no sense is refused, too.
#[test]
fn checkpoints_that_contradict_themselves_are_refused() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 40, 1));
    let mut solver = common::solver(&tour, &settings("lk windows=2 window_size=16 steps=50"), Target::Cpu);
    solver.step(3).unwrap();
    let bytes = solver.checkpoint().unwrap().to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
    let head = std::str::from_utf8(&bytes[20..20 + length]).unwrap();
    let other = |find: &str, put: &str| {
        assert!(head.contains(find), "{head}");
        let head = head.replacen(find, put, 1);
        let mut whole = bytes[..12].to_vec();
        whole.extend((head.len() as u64).to_le_bytes());
        whole.extend(head.as_bytes());
        whole.extend(&bytes[20 + length..bytes.len() - 8]);
        whole.extend(xxh3_64(&whole).to_le_bytes());
        Checkpoint::from_bytes(&whole).and_then(|checkpoint| Solver::resume(&tour, checkpoint, Target::Cpu))
    };
    assert!(other("\"program\"", "\"program\"").is_ok());
    for (find, put) in [
        ("\"at\":{\"index\":0", "\"at\":{\"index\":7"),
        ("\"windows\":2", "\"windows\":3"),
        ("\"kept_cost\":", "\"kept_cost\":1"),
        ("\"halvings\":0", "\"halvings\":9"),
        ("\"buffers\":[\"state\"", "\"buffers\":[\"tours\""),
        ("\"lengths\":[40", "\"lengths\":[4000000000000000000"),
        ("\"lengths\":[40,40", "\"lengths\":[39,41"),
        ("\"runs\":[", "\"runs\":[],\"other\":["),
    ] {
        assert!(matches!(other(find, put), Err(Error::Checkpoint(_))), "{find} {put}");
    }
}

#[test]
fn checkpoints_of_another_instance_are_refused() {
    let tour = |seed| common::made(Kind::Uniform, 60, seed);
    let mut solver = common::solver(Problem::Tsp(tour(1)), &settings("mmas ants=2"), Target::Cpu);
    let kept = solver.checkpoint().unwrap();
    for other in [
        Problem::Tsp(tour(2)),
        Problem::Tsp(tour(1).open_path(None, None).unwrap()),
        Problem::Tsp(tour(1).with_fixed_edges(&[[1, 2]]).unwrap()),
        Problem::Tsp(Instance::from_matrix("matrix", 60, tour(1).distance_matrix()).unwrap()),
        Problem::Qap(qap::generate(60, 1).unwrap()),
    ] {
        let Err(Error::Checkpoint(message)) = Solver::resume(&other, kept.clone(), Target::Cpu) else {
            panic!("a checkpoint of another instance was taken")
        };
        assert!(message.contains("it is of another instance"), "{message}");
    }
    assert!(Solver::resume(tour(1), kept, Target::Cpu).is_ok());
}

#[test]
fn instances_that_are_solved_at_once_have_checkpoints_too() {
    let three = Problem::Tsp(common::made(Kind::Uniform, 3, 1));
    let mut solver = common::solver(&three, &Settings::default(), Target::Cpu);
    let kept = checkpoint(&mut solver);
    let mut again = Solver::resume(&three, kept, Target::Cpu).unwrap();
    let stop = Stop::iterations(1);
    let [one, other] = [&mut solver, &mut again].map(|it| it.run(&stop, |_| ControlFlow::Continue(())).unwrap());
    assert_eq!((one.permutation, one.ended), (other.permutation, other.ended));
}

/// Iterations and seconds count on; a time limit begins again.
#[test]
fn iterations_and_seconds_count_on() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 60, 1));
    let mut solver = common::solver(&tour, &settings("mmas ants=2"), Target::Cpu);
    solver.run(&Stop::time(Duration::from_millis(300)), |_| ControlFlow::Continue(())).unwrap();
    let kept = checkpoint(&mut solver);
    let before = kept.iterations();
    let mut again = Solver::resume(&tour, kept, Target::Cpu).unwrap();
    let began = Instant::now();
    let found = again.run(&Stop::time(Duration::from_millis(200)), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(found.ended, Ended::Time);
    assert!(began.elapsed() >= Duration::from_millis(200) && found.seconds >= 0.5, "{}", found.seconds);
    assert!(found.iterations > before);
    let resumed = found.resumed.unwrap();
    assert!(resumed.iteration == before && resumed.seconds >= 0.3);
    let all = again.run(&Stop::iterations(before), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(all.ended, Ended::Iterations);
}

mod program {
    //! The same on the command line.

    use std::process::Output;

    use serde_json::Value;

    use super::common::program::{complaint, file, instance, myrmex, stdout};
    use super::*;

    fn report(output: &Output) -> Value {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&stdout(output)).unwrap()
    }

    fn solve(words: &[&str]) -> Output {
        let uniform = instance("uniform200.tsp");
        myrmex(&[&["solve", &uniform, "--backend", "cpu", "--quiet", "--json", "-"], words].concat())
    }

    #[test]
    fn a_run_is_kept_and_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = file(&folder, "run.ckpt");
        let system = ["--set", "population=8", "--seed", "5"];
        let whole = report(&solve(&[&system[..], &["--iterations", "90"]].concat()));
        report(&solve(&[&system[..], &["--iterations", "40", "--checkpoint", &kept]].concat()));
        let resumed = report(&solve(&["--resume", &kept, "--iterations", "90", "--checkpoint", &kept]));
        assert_eq!((&resumed["tour"], &resumed["cost"]), (&whole["tour"], &whole["cost"]));
        assert_eq!((&resumed["recipe"], &resumed["seed"]), (&whole["recipe"], &whole["seed"]));
        assert_eq!(resumed["resumed"]["iteration"], 40);
        assert!(resumed["seconds"].as_f64() > resumed["resumed"]["seconds"].as_f64());
        let told = |report: &Value| -> Vec<Value> {
            let phases = report["phases"].as_array().unwrap().iter();
            phases
                .flat_map(|it| {
                    ["algorithm", "parameters", "iterations", "cost_end", "ended"].map(|key| it[key].clone())
                })
                .collect()
        };
        assert_eq!(told(&resumed), told(&whole));
        assert_eq!(Checkpoint::read(&path).unwrap().iterations(), 90);
        // What says the same is no contradiction.
        report(&solve(&[
            "--resume",
            &kept,
            "--iterations",
            "91",
            "--set",
            "population=8",
            "--seed",
            "5",
            "--algorithm",
            "lk-eax",
        ]));
    }

    #[test]
    fn what_contradicts_a_checkpoint_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = file(&folder, "run.ckpt");
        report(&solve(&["--iterations", "3", "--checkpoint", &kept]));
        let (damaged, damaged_name) = file(&folder, "damaged.ckpt");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[99] ^= 1;
        std::fs::write(damaged, bytes).unwrap();
        let (_, missing) = file(&folder, "missing.ckpt");
        let (first, foreign) = (instance("uniform200.tsp"), instance("uniform1000.tsp"));
        for (words, says) in [
            (&["--resume", &kept, "--algorithm", "mmas"][..], "goes on with what it began with, which was not 'mmas'"),
            (&["--resume", &kept, "--set", "population=9"], "population"),
            (&["--resume", &kept, "--seed", "2"], "seed"),
            (&["--resume", &kept, "--effort", "large"], "effort"),
            (&["--resume", &kept, "--preset", "amp-a"], "preset"),
            (&["--resume", &kept, "--runs", "2"], "--resume is of one run"),
            (&["--runs", "2", "--checkpoint", &kept], "--checkpoint is of one run"),
            (&["--resume", &damaged_name], "damaged.ckpt: the checkpoint is damaged"),
            (&["--resume", &missing], "missing.ckpt"),
            (&["--resume", &first], "no checkpoint of myrmex"),
            (&["--checkpoint", "-"], "name one"),
            (&["--checkpoint", &first], "would overwrite the instance"),
        ] {
            let output = solve(&[words, &["--iterations", "4"]].concat());
            assert_eq!(output.status.code(), Some(2), "{words:?}");
            assert!(complaint(&output).contains(says), "{words:?}: {}", complaint(&output));
        }
        let output = myrmex(&["solve", &foreign, "--backend", "cpu", "--resume", &kept, "--iterations", "4"]);
        assert!(output.status.code() == Some(2) && complaint(&output).contains("it is of another instance"));
        assert!(!myrmex(&["solve", &first, "--every", "5s", "--iterations", "1"]).status.success());
    }

    #[cfg(unix)]
    #[test]
    fn an_interrupted_run_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = file(&folder, "run.ckpt");
        let system = ["--algorithm", "mmas", "--set", "ants=60", "--set", "local_search=lk"];
        let first = instance("uniform1000.tsp");
        let words = [
            &["solve", &first, "--backend", "cpu", "--time", "100", "--checkpoint", &kept, "--every", "50ms"][..],
            &system,
        ]
        .concat();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_myrmex"));
        let mut child = command
            .args(words)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while !path.exists() && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        let sent = Instant::now();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        // Half a second, on a machine that others use too.
        assert!(sent.elapsed() < Duration::from_secs(6), "{:?}", sent.elapsed());
        let before = Checkpoint::read(&path).unwrap().iterations();
        let count = (before + 2).to_string();
        let run = |words: &[&str]| {
            let words =
                [&["solve", &first, "--backend", "cpu", "--quiet", "--json", "-", "--iterations", &count][..], words]
                    .concat();
            report(&myrmex(&words))
        };
        let (resumed, whole) = (run(&["--resume", &kept]), run(&system));
        assert_eq!((&resumed["tour"], &resumed["resumed"]["iteration"]), (&whole["tour"], &Value::from(before)));
    }
}
