//! A run that is resumed from a checkpoint finds what it would have found without a stop, on any backend.

#[path = "resume/damaged.rs"]
mod damaged;
#[path = "resume/program.rs"]
mod program;
#[path = "resume/under_way.rs"]
mod under_way;

use crate::common;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::common::parity::read;
use crate::common::{colonies, colony, settings};
use myrmex::backend::Access;
use myrmex::colony::{Colony, specs};
use myrmex::kernels::plan::Plan;
use myrmex::kernels::{Buffer, Buffers};
use myrmex::tsp::{Instance, Kind, Metric};
use myrmex::{Algorithm, Checkpoint, Ended, Error, LkEax, PhaseEnded, Problem, Settings, Solver, Stop, Target, qap};

/// A run: what it is of, what runs, how many iterations, after which ones it is stopped.
struct Case {
    problem: Problem,
    settings: Settings,
    iterations: u32,
    stops: Vec<u32>,
}

impl Case {
    /// Whether crossover takes windows of the tour, which have colonies of their own: those of the solver are gone then.
    fn takes_windows(&self) -> bool {
        matches!(self.settings.algorithm, Algorithm::LkEax(LkEax { eax_up_to: Some(_), .. }))
    }
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
    // The opening ends after 18 and 33 iterations.
    let crossed = "lk-eax windows=4 window_size=48 steps=4000 population=6 eax_up_to=300";
    vec![
        // Windows, population, crossover with its stages, restarts.
        case(&tour, &format!("lk-eax {windows}"), 150, &[7, 33, 52, 90, 121]),
        case(&matrix, &format!("lk-eax {windows}"), 70, &[11, 40]),
        case(&open, &format!("lk-eax {windows}"), 70, &[0, 38]),
        case(&tour, "eax population=6", 60, &[0, 1, 25]),
        case(&asymmetric, "eax population=6", 60, &[0, 19, 47]),
        case(&tour, "lk windows=4 window_size=48 steps=200", 30, &[13]),
        case(&tour, "clk walks=3 steps=300", 40, &[0, 3, 17, 31]),
        // A round in which nothing better is found from the last stop on.
        case(&tour, "clk walks=1 steps=5 rebuild_length=0", 59, &[3, 56]),
        case(&many, "lk windows=3 window_size=48 steps=100", 16, &[10]),
        // Crossover of a window at a time, some of them; of two, half as large, in the first pass; of one that holds all cities at last.
        case(&many, &format!("{crossed} eax_window=200"), 190, &[20, 70, 140]),
        case(&more, &format!("{crossed} eax_window=400 eax_halvings=1"), 150, &[40, 90, 120]),
        case(&many, &format!("{crossed} eax_window=350 eax_doublings=1"), 420, &[70, 330, 410]),
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
        case(&layout, "memetic population=7 search_iterations=40 stagnation=4", 30, &[0, 3, 17]),
        case(&tour, "mmas ants=4 colonies=3 migration=4", 21, &[3, 4, 14]),
        case(&tour, &format!("lk-eax colonies=2 migration=10 {windows}"), 90, &[25, 60]),
        case(&layout, "cas units=4 search_iterations=30 colonies=2 migration=2", 8, &[5]),
        case(&layout, "memetic population=6 search_iterations=9 colonies=2 migration=2", 9, &[5]),
    ]
}

/// The words of these buffers of a colony.
fn words(colony: &mut Colony, buffers: &[Buffer]) -> Vec<(Buffer, Vec<u32>)> {
    let planned: Vec<Buffer> = colony.plan().buffers().iter().map(|plan| plan.name).collect();
    planned.into_iter().filter(|name| buffers.contains(name)).map(|name| (name, read(colony, name))).collect()
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
    let solution = solver.solution().unwrap();
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

/// Resumed runs find what uninterrupted ones find, whatever is in what is not in the list of what lasts.
#[test]
fn only_what_lasts_is_needed() {
    let mut rounds = 0;
    for case in cases() {
        let (expected, checkpoints) = run(&case, Target::Cpu);
        rounds = rounds.max(expected.2.iter().map(|phase| phase.2).max().unwrap_or_default());
        for (checkpoint, stop) in checkpoints.iter().zip(&case.stops) {
            let crossed = case.takes_windows();
            let found = resumed(&case, checkpoint, Target::Cpu, |solver| {
                assert_eq!(solver.resumed().map(|resumed| resumed.iteration), Some(*stop));
                assert_eq!(litter(solver) == 0, crossed);
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

/// A checkpoint without one of the buffers that last, which then is as at the beginning of the phase, is noticed.
#[test]
fn all_that_lasts_is_needed() {
    let [mut lasting, mut missed] = [BTreeSet::new(), BTreeSet::new()];
    let alone = |case: &&Case| case.settings.colonies.colonies.is_none() && !case.takes_windows();
    for case in cases().iter().filter(alone) {
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
            let crossed = case.takes_windows();
            let found = resumed(&case, checkpoint, target, |solver| assert_eq!(litter(solver) == 0, crossed));
            assert!(found == expected, "{} {:?} from {from} to {to}", case.problem.name(), case.settings);
        }
    }
}

#[test]
fn instances_that_are_solved_at_once_have_checkpoints_too() {
    let three = Problem::Tsp(common::made(Kind::Uniform, 3, 1));
    let mut solver = common::solver(&three, &Settings::default(), Target::Cpu);
    let kept = checkpoint(&mut solver);
    let mut again = Solver::resume(&three, kept, Target::Cpu).unwrap();
    let stop = Stop::iterations(1);
    let [one, other] = [&mut solver, &mut again].map(|it| it.run(&stop).unwrap());
    assert_eq!((one.permutation, one.ended), (other.permutation, other.ended));
}

/// Where distances are rounded a tour may save a unit when it comes to a place twice: a run that begins with such a tour loses nothing.
#[test]
fn a_run_begins_with_a_tour_that_comes_to_a_place_twice() {
    let near = [[0.0, 0.0], [0.4, 0.0], [0.8, 0.0], [0.4, 0.4], [0.4, 0.0], [0.4, -0.4]];
    let far = (0..12).map(|i| [f64::from(90 + 400 * i), f64::from(400 * i * i)]);
    let places: Vec<glam::DVec2> = near.into_iter().chain(far).map(glam::DVec2::from_array).collect();
    let instance = Instance::from_coords("twice", Metric::Euc2d, &places).unwrap();
    let tour: Vec<u32> = (0..18).collect();
    let cost = instance.tour_cost(&tour).unwrap();
    let settings = settings("mmas ants=2");
    let mut solver = Solver::with_start(&instance, &settings, Target::Cpu, &tour).unwrap();
    assert_eq!((solver.progress().cost, solver.plan().unwrap().cities), (cost, 18));
    let kept = checkpoint(&mut solver);
    let mut again = Solver::resume(&instance, kept, Target::Cpu).unwrap();
    assert!(again.step(3).unwrap().cost <= cost);
    // Who begins with nothing comes to each place once, and so does who begins with a tour that does.
    assert_eq!(common::solver(&instance, &settings, Target::Cpu).plan().unwrap().cities, 17);
    let together: Vec<u32> = [0, 1, 4, 2, 3].into_iter().chain(5..18).collect();
    let mut solver = Solver::with_start(&instance, &settings, Target::Cpu, &together).unwrap();
    assert_eq!(solver.plan().unwrap().cities, 17);
    let kept = checkpoint(&mut solver);
    let found = Solver::resume(&instance, kept, Target::Cpu).unwrap().solution().unwrap();
    assert_eq!(instance.tour_cost(&found.permutation).unwrap(), found.cost);
}

/// Iterations and seconds count on; a time limit begins again.
#[test]
fn iterations_and_seconds_count_on() {
    let tour = Problem::Tsp(common::made(Kind::Uniform, 60, 1));
    let mut solver = common::solver(&tour, &settings("mmas ants=2"), Target::Cpu);
    solver.run(&Stop::time(Duration::from_millis(300))).unwrap();
    let kept = checkpoint(&mut solver);
    let before = kept.iterations();
    let mut again = Solver::resume(&tour, kept, Target::Cpu).unwrap();
    let began = Instant::now();
    let found = again.run(&Stop::time(Duration::from_millis(200))).unwrap();
    assert_eq!(found.ended, Ended::Time);
    assert!(began.elapsed() >= Duration::from_millis(200) && found.seconds >= 0.5, "{}", found.seconds);
    assert!(found.iterations > before);
    let resumed = found.resumed.unwrap();
    assert!(resumed.iteration == before && resumed.seconds >= 0.3);
    let all = again.run(&Stop::iterations(before)).unwrap();
    assert_eq!(all.ended, Ended::Iterations);
}
