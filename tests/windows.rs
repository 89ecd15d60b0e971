//! Windowed Lin-Kernighan search: every kernel against its twin, on whatever GPU there is, lavapipe included.

#[path = "windows/costs.rs"]
mod costs;
#[path = "windows/crossover.rs"]
mod crossover;
#[path = "windows/listed.rs"]
mod listed;

use crate::common;
use std::time::Duration;

use crate::common::colonies::plan;
use crate::common::parity::{Comparison, Left, Saboteur, by_kernel, read};
use crate::common::{Also, settings};
use glam::DVec2;
use myrmex::backend::{Backend, Call, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::{Plan, WindowsPlan};
use myrmex::tsp::{Instance, Kind, Metric};
use myrmex::{Ended, Error, Problem, Settings, Solver, Stop, Target};

/// Windows, with crossover behind them.
fn windows(windows: usize, size: u32, steps: u32, seed: u64) -> Settings {
    settings(&format!("lk-eax windows={windows} window_size={size} steps={steps} seed={seed}"))
}

/// The plan of a phase that searches windows.
fn of_windows(plan: &Plan) -> &WindowsPlan {
    match plan {
        Plan::Windows(plan) => plan,
        other => panic!("not a plan of windows: {other:?}"),
    }
}

/// A colony on a backend, with its buffers in reach.
struct Side(Colony);

impl Side {
    fn new(
        backend: Box<dyn Backend>,
        problem: &Problem,
        settings: &Settings,
        change: impl Fn(&mut WindowsPlan),
    ) -> Self {
        let mut plan = plan(problem, settings, backend.as_ref());
        match &mut plan {
            Plan::Windows(plan) => change(plan),
            other => panic!("not a plan of windows: {other:?}"),
        }
        let start = common::recipe(problem, settings).phases[0].begins.solution(problem);
        Self(Colony::new(backend, problem, plan, &start).unwrap())
    }

    fn write(&mut self, buffer: Buffer, words: &[u32]) {
        let id = self.0.buffers().get(buffer);
        self.0.backend().write(id, words).unwrap();
    }

    fn read(&mut self, buffer: Buffer) -> Vec<u32> {
        read(&mut self.0, buffer)
    }

    /// The calls of an iteration, those of one kernel together.
    fn calls(&self) -> Vec<(&'static str, Vec<Call>)> {
        let all = 0..self.0.plan().units as u32;
        by_kernel(&self.0, [self.0.ant_calls(all), self.0.end_calls()].concat())
    }
}

/// What a kernel has left that another one reads.
fn left_by(colony: &mut Colony, kernel: &str) -> Left {
    let window = of_windows(colony.plan()).window;
    let windows = colony.plan().units;
    match kernel {
        "window_order" => {
            let used = |number: &[u32]| number[..4 + window.cities].to_vec();
            vec![("windows", read(colony, Buffer::Windows).chunks(window.words()).flat_map(used).collect())]
        }
        "window_search" => {
            let removed = read(colony, Buffer::RemovedEdges);
            let head = 2 + window.cities.div_ceil(32);
            let used = |number: &[u32]| number[..(head + 3 * number[1] as usize).min(number.len())].to_vec();
            vec![("removed", removed.chunks(window.removed_words()).flat_map(used).collect())]
        }
        "conflicts" => vec![("conflicts", read(colony, Buffer::Conflicts)[..windows * windows.div_ceil(32)].to_vec())],
        "independent_set" => {
            vec![("chosen", read(colony, Buffer::IndependentSet)), ("state", read(colony, Buffer::State))]
        }
        "mark" => {
            vec![("removed_bits", read(colony, Buffer::RemovedBits)), ("unsettled", read(colony, Buffer::Unsettled))]
        }
        "paths" => vec![("paths", read(colony, Buffer::Paths)), ("state", read(colony, Buffer::State))],
        "order_index" => vec![("positions", read(colony, Buffer::Positions))],
        "scatter" => vec![("tour", read(colony, Buffer::Bests)), ("removed_bits", read(colony, Buffer::RemovedBits))],
        other => panic!("kernel '{other}' is not compared"),
    }
}

/// The first words in which a device and the twins differ, and after which kernel and iteration.
fn first_difference(device: &mut Side, twin: &mut Side, iterations: usize) -> Option<String> {
    let windows = device.0.plan().units as u32;
    let comparison = Comparison::of(std::iter::once(0..windows).collect(), left_by);
    comparison.first_difference(&mut device.0, &mut twin.0, iterations)
}

/// With windows that follow each other in two iterations at first, and with none.
fn compare(instance: &Instance, settings: &Settings, iterations: usize, change: impl Fn(&mut WindowsPlan)) {
    let problem = Problem::from(instance);
    for early in [0, 2] {
        let begin = |plan: &mut WindowsPlan| plan.window.early = early;
        let mut on_gpu = Side::new(common::backend(), &problem, settings, |plan| {
            begin(plan);
            change(plan);
        });
        let mut on_cpu = Side::new(Box::new(CpuBackend::new()), &problem, settings, begin);
        let found = first_difference(&mut on_gpu, &mut on_cpu, iterations);
        assert_eq!(found, None, "{} {settings:?}", instance.name());
    }
}

#[test]
fn every_kernel_equals_its_twin() {
    for (kind, n) in [(Kind::Uniform, 300), (Kind::Clustered, 257), (Kind::Lattice, 144), (Kind::Circle, 90)] {
        compare(&common::made(kind, n, 3), &windows(9, 60, 300, 2), 6, |_| {});
    }
    for instance in common::degenerate() {
        compare(&instance, &windows(5, 16, 300, 1), 3, |_| {});
    }
    for n in 4..12 {
        compare(&common::made(Kind::Uniform, n, n as u64), &windows(3, 8, 100, 2), 3, |_| {});
    }
    // Many windows with conflicts, and more than fit in a word of their bits.
    compare(&common::made(Kind::Uniform, 400, 1), &windows(70, 40, 200, 3), 4, |_| {});
}

#[test]
fn budgets_and_subgroups_change_nothing() {
    let instance = common::made(Kind::Clustered, 201, 6);
    for (lanes, budget) in [(8, 60_000), (8, 12_000), (4, 20_000), (32, 9_000)] {
        for subgroups in [true, false] {
            compare(&instance, &windows(4, 70, 900, 3), 3, |plan| {
                let window = &mut plan.window;
                window.lanes = lanes;
                window.roomy = budget < 15_000;
                window.subgroup = window.subgroup.filter(|size| subgroups && lanes.is_multiple_of(*size));
                plan.loop_budget = budget;
            });
        }
    }
}

#[test]
fn all_kinds_of_distances_equal_the_instances() {
    for (whole, instance) in common::all_kinds_of_distances() {
        assert_eq!(instance.whole_coordinates().is_some(), whole);
        compare(&instance, &windows(6, 40, 400, 5), 4, |_| {});
        let mut solver = common::solver(&instance, &windows(6, 40, 400, 5), Target::Cpu);
        let progress = solver.step(20).unwrap();
        // The solver compares the colony's count with the instance's.
        assert_eq!(solver.solution().unwrap().cost, progress.cost);
    }
}

/// Distances from a square root in 32 bits and integers are those of 64-bit arithmetic, far and near, on and between squares.
#[test]
fn distances_are_exact_at_any_length() {
    let most = (1 << 22) - 1;
    let mut spots = vec![DVec2::ZERO, DVec2::splat(f64::from(most)), DVec2::new(f64::from(most), 0.0)];
    spots.extend((0..117).map(|i: u32| {
        let word = |k: u32| f64::from((i * 2 + k).wrapping_mul(2_654_435_761) >> 10);
        DVec2::new(word(0), word(1)).min(DVec2::splat(f64::from(most)))
    }));
    // In thousandths the square is a sixth as wide.
    let eighths: Vec<DVec2> = spots.iter().map(|spot| (*spot * (8.0 * 0.165)).round() / 8.0).collect();
    for (metric, spots) in [(Metric::Euc2d, &spots), (Metric::Ceil2d, &spots), (Metric::Euc2d, &eighths)] {
        let instance = Instance::from_coords(metric.keyword(), metric, spots).unwrap();
        assert!(instance.whole_coordinates().is_some_and(|spots| spots.exact));
        // Kicks measure edges across the whole square.
        compare(&instance, &windows(8, 120, 600, 7), 4, |_| {});
    }
}

#[test]
fn the_same_tour_on_every_backend() {
    let instance = common::made(Kind::Clustered, 500, 4);
    let tours = common::targets().map(|target| {
        let mut solver = common::solver(&instance, &windows(16, 100, 800, 9), target);
        solver.step(8).unwrap();
        solver.solution().unwrap().permutation
    });
    assert_eq!(tours[0], tours[1]);
}

#[test]
fn broken_kernels_are_caught() {
    let instance = common::made(Kind::Uniform, 260, 5);
    let settings = windows(12, 60, 500, 4);
    for (kernel, good, bad) in [
        ("window_order", "(a > b) != falling", "(a >= b) == falling"),
        ("window_order", "word |= FIXED", "word |= 0u"),
        ("window_order", "word |= UNSETTLED", "word |= 0u"),
        ("window_search", "free = free & !is_fixed(to, end)", "free = free && to != end"),
        ("window_search", "dot(near_apart, near_apart)", "near_apart.x"),
        ("window_search", "take_back(lane);", "journalled = 0u;"),
        ("window_search", "search.gain -= search.cost", "search.gain += search.cost"),
        ("window_search", "select(back, forth, back == other)", "select(forth, back, back == other)"),
        ("window_search", "behind = three + wheel[rank + 3u]", "behind = three"),
        ("window_search", "select(factor, UNIT, in_tour)", "select(UNIT, factor, in_tour)"),
        ("window_search", "var next = led_to(first, city);", "var next = NONE;"),
        ("window_search", "restore(save, lane);", "barrier();"),
        (
            "window_search",
            "next = first_unvisited(first, low);",
            "next = first_unvisited(first, params.rebuild_length / 2u);",
        ),
        ("conflicts", "last < removed_position(number, at)", "last > removed_position(number, at)"),
        ("conflicts", "below + above == others", "below == others"),
        ("independent_set", "gain > others", "gain < others"),
        ("mark", "ties[2u * position] = ", "ties[2u * position + 1u] = "),
        ("paths", "position == path_first(next) &&", "position != path_first(next) &&"),
        ("order_index", "select(offset, back,", "select(back, offset,"),
        ("scatter", "bests[positions[city]] = city", "bests[city] = positions[city]"),
    ] {
        let problem = Problem::from(&instance);
        let saboteur = Saboteur::new(kernel, (good, bad));
        let mut broken = Side::new(Box::new(saboteur), &problem, &settings, |_| {});
        let mut cpu = Side::new(Box::new(CpuBackend::new()), &problem, &settings, |_| {});
        let found = first_difference(&mut broken, &mut cpu, 8);
        assert!(found.is_some(), "{kernel} with '{bad}' for '{good}' passed");
    }
}

#[test]
fn broken_distances_are_caught() {
    let settings = windows(8, 120, 600, 7);
    let mut broken: Vec<_> = common::broken_distances()
        .into_iter()
        .map(|(instance, replace)| (instance, "window_search", replace))
        .collect();
    let [space, ..] = common::in_space();
    broken.push((space, "window_order", ("return apart.x + apart.y + apart.z;", "return apart.x;")));
    for (instance, kernel, replace) in broken {
        let problem = Problem::from(&instance);
        let saboteur = Saboteur::new(kernel, replace);
        let settings = if kernel == "window_order" { &windows(12, 40, 400, 4) } else { &settings };
        let mut broken = Side::new(Box::new(saboteur), &problem, settings, |_| {});
        let mut cpu = Side::new(Box::new(CpuBackend::new()), &problem, settings, |_| {});
        let found = first_difference(&mut broken, &mut cpu, 12);
        assert!(found.is_some(), "{kernel} with {replace:?} passed");
    }
}

/// Open paths and edges that stay, with distances along axes, in space and on the globe.
#[test]
fn gaps_and_edges_that_stay_are_kept_and_broken_kernels_are_caught() {
    for (whole, instance) in common::all_kinds_of_distances() {
        let edges: Vec<[u32; 2]> = (0..8).map(|i| [6 * i, 6 * i + 3]).collect();
        let fixed = instance.with_fixed_edges(&edges).unwrap().open_path(Some(5), None).unwrap();
        let form = fixed.in_kernel_form(true).unwrap();
        assert!(!whole || form.whole_coordinates().is_some(), "{}", fixed.name());
        compare(&form, &windows(6, 40, 400, 5), 4, |_| {});
    }
    for instance in common::in_space() {
        let problem = Problem::from(&instance.open_path(Some(5), None).unwrap().in_kernel_form(true).unwrap());
        let replace = ("select(measured(a, b), 0u,", "select(measured(a, b), 500000u,");
        let settings = windows(3, 140, 900, 4);
        let mut broken = Side::new(Box::new(Saboteur::new("window_search", replace)), &problem, &settings, |_| {});
        let mut cpu = Side::new(Box::new(CpuBackend::new()), &problem, &settings, |_| {});
        assert!(first_difference(&mut broken, &mut cpu, 8).is_some(), "{}", problem.name());
    }
}

/// An instance with fixed edges and an open path in the form that kernels know.
fn paired() -> Instance {
    let edges: Vec<[u32; 2]> = (0..120).map(|i| [6 * i, 6 * i + 3]).collect();
    let instance = common::made(Kind::Uniform, 900, 3).with_fixed_edges(&edges).unwrap();
    instance.open_path(Some(5), None).unwrap().in_kernel_form(true).unwrap()
}

#[test]
fn broken_kernels_that_lose_edges_that_stay_are_caught() {
    let instance = paired();
    compare(&instance, &windows(12, 100, 300, 4), 6, |_| {});
    let problem = Problem::from(&instance);
    for (kernel, good, bad) in [
        ("window_order", "if is_pair(city, bests[next])", "if is_pair(city, bests[next]) && lane > 3u"),
        ("window_search", "select(measured(a, b), 0u,", "select(measured(a, b), 500000u,"),
    ] {
        let saboteur = Saboteur::new(kernel, (good, bad));
        let settings = windows(3, 700, 900, 4);
        let mut broken = Side::new(Box::new(saboteur), &problem, &settings, |_| {});
        let mut cpu = Side::new(Box::new(CpuBackend::new()), &problem, &settings, |_| {});
        let found = first_difference(&mut broken, &mut cpu, 8);
        assert!(found.is_some(), "{kernel} with '{bad}' for '{good}' passed");
    }
}

/// Whatever windows leave, the merged tour holds each city once and costs what the colony says.
#[test]
fn merged_tours_cost_what_is_claimed() {
    for seed in 1..=12 {
        let instance = common::made(if seed % 2 == 0 { Kind::Uniform } else { Kind::Clustered }, 900, seed);
        let mut solver = common::solver(&instance, &windows(40, 64, 250, seed), Target::Cpu);
        let mut last = solver.progress().cost;
        for _ in 0..30 {
            let progress = solver.step(1).unwrap();
            assert!(progress.cost <= last);
            last = progress.cost;
            assert_eq!(solver.solution().unwrap().cost, last);
        }
    }
}

/// The first tours of a population follow on windows, and crossover on these, in the same iterations everywhere; what was found is kept.
#[test]
fn the_same_tour_whatever_phase_follows() {
    let instance = common::made(Kind::Clustered, 150, 3);
    let settings = windows(8, 64, 2000, 5).also("population=12");
    let runs: Vec<_> = common::targets()
        .into_iter()
        .map(|target| {
            // While a device's driver compiles, the CPU may make iterations in its place, which do not count as the device's.
            let all_count = matches!(target, Target::Cpu);
            let mut solver = common::solver(&instance, &settings, target);
            let mut last = solver.progress().cost;
            for _ in 0..150 {
                let progress = solver.step(1).unwrap();
                assert!(progress.cost <= last);
                last = progress.cost;
            }
            let progress = solver.progress();
            assert_eq!(progress.iteration, 150);
            let solution = solver.solution().unwrap();
            let names: Vec<_> = solution.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            for name in ["window_search", "construct", "lin_kernighan", "recombine", "replace"] {
                let count = names.iter().filter(|known| **known == name).count();
                assert!(count == 1 || (count == 0 && !all_count), "{name} among {names:?}");
            }
            let phases: Vec<_> = solution.phases.iter().map(|phase| (phase.algorithm, phase.iterations)).collect();
            assert_eq!(phases.iter().map(|(_, iterations)| iterations).sum::<u32>(), 150);
            (last, phases, progress.best_iteration, solution.permutation)
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
    // A population that gains no more is followed by another one.
    let names: Vec<_> = runs[0].1.iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..7], ["lk", "mmas", "eax", "eax", "mmas", "eax", "eax"]);
    let mut solver = common::solver(&instance, &common::settings("lk"), Target::Cpu);
    solver.step(150).unwrap();
    assert!(matches!(solver.plan(), Some(Plan::Windows(_))));
}

/// Ants of Focused ACO take over a given tour from the first iteration on.
#[test]
fn focused_ants_begin_with_a_given_tour() {
    let instance = common::made(Kind::Uniform, 300, 2);
    let settings = settings("faco ants=4");
    let start = instance.greedy_tour();
    let cost = instance.tour_cost(&start).unwrap();
    let runs: Vec<_> = common::targets()
        .into_iter()
        .map(|target| {
            let mut solver = Solver::with_start(&instance, &settings, target, &start).unwrap();
            assert!(solver.step(1).unwrap().cost < cost);
            solver.step(9).unwrap();
            solver.solution().unwrap().permutation
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let instance = common::made(Kind::Uniform, 50, 1);
    let refused = |line: &str, word: &str| {
        let error = Solver::outlook(&instance, &settings(line), Target::Cpu).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    for algorithm in ["lk", "lk-eax"] {
        for (parameters, word) in [
            ("windows=0", "windows must lie"),
            ("windows=10000", "windows must lie in 1 to 8192"),
            ("window_size=3", "window_size must lie"),
            ("window_size=4294967295", "window_size must lie"),
            ("steps=0", "steps must lie"),
            ("kick_length=0", "kick_length must lie"),
            ("rebuild_length=4001", "rebuild_length must lie"),
            ("quadrants=3", "quadrants must lie in 0 to 2, not 3"),
        ] {
            refused(&format!("{algorithm} {parameters}"), word);
        }
        let error = settings(algorithm).with("ants", "4").unwrap_err().to_string();
        assert!(error.contains("means nothing to algorithm"), "{error}");
    }
    let lk = settings("lk");
    // Fewer than are searched in a larger unit.
    let far = Instance::from_matrix("far", 19, vec![1 << 30; 361]).unwrap();
    let start: Vec<u32> = (0..19).collect();
    assert!(Solver::with_start(&far, &lk, Target::Cpu, &start).is_err());
    let mut weights = vec![1; 400];
    weights[3] = 1 << 30;
    weights[60] = 1 << 30;
    let one_far = Instance::from_matrix("one far", 20, weights).unwrap();
    let error = Solver::new(&one_far, &lk, Target::Cpu).err().unwrap().to_string();
    assert!(error.contains("536870911"), "{error}");
    let layout = myrmex::qap::generate(10, 1).unwrap();
    let error = Solver::outlook(&layout, &lk, Target::Cpu).unwrap_err().to_string();
    assert!(error.contains("solves tours"), "{error}");
}

/// Many windows' gains are merged at once where a tour is long: more paths than lavapipe's loops would order with eight lanes.
#[test]
fn gains_of_many_windows_are_merged_within_the_loop_budget() {
    for n in [50_000, 100_000, 200_000] {
        let instance = common::made(Kind::Uniform, n, 1);
        let settings = settings(&format!("lk windows={} window_size=250 steps=2000", n / 250));
        let runs = common::targets().map(|target| {
            let mut solver = common::solver(&instance, &settings, target);
            let cost = solver.step(1).unwrap().cost;
            let colony = common::colony(&mut solver);
            let id = colony.buffers().get(Buffer::Paths);
            let paths = colony.backend().read(id, 0..1).unwrap()[0];
            assert!(paths > 17_000, "{n}: only {paths} paths");
            (cost, paths, solver.solution().unwrap().permutation)
        });
        assert!(runs[0] == runs[1], "{n}: {:?} and {:?}", (runs[0].0, runs[0].1), (runs[1].0, runs[1].1));
    }
}

/// Searches that fill many dispatches with kicks in a small window end each within a software adapter's loop budget, also where its
/// compiler takes more turns than the shader counts.
#[test]
fn long_searches_of_small_windows_go_on() {
    let word = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) % 1000;
    for scale in [1.0, 0.125] {
        let place = |i: u32| DVec2::new(f64::from(word(2 * i)), f64::from(word(2 * i + 1))) * scale;
        let places: Vec<DVec2> = (0..60).map(place).collect();
        let instance = Instance::from_coords("small", Metric::Euc2d, &places).unwrap();
        for (seed, size) in [(1, 31), (3, 12)] {
            let settings = settings(&format!("lk windows=2 window_size={size} steps=8000 seed={seed}"));
            compare(&instance, &settings, 2, |_| {});
        }
    }
}
