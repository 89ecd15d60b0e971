//! Edge assembly crossover: every kernel against its twin, on whatever GPU there is, lavapipe included.

use crate::common;
use crate::common::parity::{Comparison, Left, Saboteur, read};
use crate::common::{Also, settings};
use myrmex::backend::{Backend, CpuBackend};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::eax::recombine::kept_words;
use myrmex::kernels::plan::{EaxPlan, Plan};
use myrmex::kernels::shared::progress::PROGRESS_WORDS;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Problem, Settings, Solver, Stop, Target};

fn eax(population: usize, children: u32, seed: u64) -> Settings {
    settings(&format!("eax population={population} children={children} seed={seed}"))
}

/// Tours after construction and a local search, or, without one, far from each other.
fn tours(instance: &Instance, individuals: usize, local_search: &str) -> Vec<u32> {
    let settings = settings(&format!("mmas ants={individuals} local_search={local_search} seed=0"));
    let mut solver = common::solver(instance, &settings, Target::Cpu);
    solver.step(1).unwrap();
    common::colony(&mut solver).solutions().unwrap()
}

/// The plan of a crossover.
fn of_eax(plan: &Plan) -> &EaxPlan {
    match plan {
        Plan::Eax(plan) => plan,
        other => panic!("not a plan of a crossover: {other:?}"),
    }
}

fn colony(
    backend: Box<dyn Backend>,
    instance: &Instance,
    settings: &Settings,
    tours: &[u32],
    change: impl Fn(&mut EaxPlan),
) -> Colony {
    let problem = Problem::from(instance);
    let cost = tours.chunks(instance.len()).map(|tour| instance.tour_cost(tour).unwrap()).min().unwrap();
    let phases = common::recipe(&problem, settings).phases;
    let plans =
        phases.iter().map(|phase| Plan::new(&problem.shape(), cost, &phase.system, backend.capabilities()).unwrap());
    let mut plan = plans.into_iter().find(|plan| matches!(plan, Plan::Eax(_))).expect("a phase crosses tours");
    if let Plan::Eax(plan) = &mut plan {
        change(plan);
    }
    Colony::new(backend, problem, plan, tours).unwrap()
}

/// What a kernel has left that another one reads.
fn left_by(colony: &mut Colony, kernel: &str) -> Left {
    match kernel {
        "recombine" => {
            let words = kept_words(colony.plan().cities);
            let kept = read(colony, Buffer::Offspring);
            let used = |individual: &[u32]| individual[..(4 + 4 * individual[2] as usize).min(words)].to_vec();
            let progress = read(colony, Buffer::Progress);
            let told = |individual: &[u32]| [1, 4, 6, 7].map(|word| individual[word]);
            vec![
                ("offspring", kept.chunks(words).flat_map(used).collect()),
                ("progress", progress.chunks(PROGRESS_WORDS).flat_map(told).collect()),
            ]
        }
        "replace" => [
            ("tours", Buffer::Tours),
            ("positions", Buffer::Positions),
            ("costs", Buffer::Costs),
            ("trails", Buffer::Trails),
        ]
        .map(|(name, buffer)| (name, read(colony, buffer)))
        .to_vec(),
        "best" => vec![("state", read(colony, Buffer::State)), ("bests", read(colony, Buffer::Bests))],
        other => panic!("kernel '{other}' is not compared"),
    }
}

/// The first words in which a device and the twins differ, and after which kernel and iteration. Exchanges grow in the second half.
fn first_difference(device: &mut Colony, twin: &mut Colony, iterations: usize) -> Option<String> {
    let anything = of_eax(device.plan()).recombine.block_walks > 0;
    let comparison = Comparison::in_two(device, left_by).growing(iterations / 2, anything);
    comparison.first_difference(device, twin, iterations)
}

fn compare(instance: &Instance, tours: &[u32], settings: &Settings, iterations: usize, change: impl Fn(&mut EaxPlan)) {
    let mut on_gpu = colony(common::backend(), instance, settings, tours, change);
    let mut on_cpu = colony(Box::new(CpuBackend::new()), instance, settings, tours, |_| {});
    let found = first_difference(&mut on_gpu, &mut on_cpu, iterations);
    assert_eq!(found, None, "{} {settings:?}", instance.name());
}

#[test]
fn every_kernel_equals_its_twin() {
    for (kind, n) in [(Kind::Uniform, 300), (Kind::Clustered, 257), (Kind::Lattice, 144), (Kind::Circle, 90)] {
        let instance = common::made(kind, n, 3);
        compare(&instance, &tours(&instance, 8, "2opt"), &eax(8, 10, 2), 6, |_| {});
    }
    for instance in common::degenerate() {
        compare(&instance, &tours(&instance, 5, "none"), &eax(5, 8, 1), 3, |_| {});
    }
    for n in 4..12 {
        let instance = common::made(Kind::Uniform, n, n as u64);
        compare(&instance, &tours(&instance, 3, "none"), &eax(3, 5, 2), 4, |_| {});
    }
    // Long cycles and many sub-tours: more than a child may have.
    let instance = common::made(Kind::Uniform, 900, 7);
    let far = tours(&instance, 4, "none");
    for (walks, blocks) in [(4, 0), (4, 1), (4, 4), (1, 1), (3, 2), (8, 8), (16, 0)] {
        let settings = eax(4, 12, 3).also(&format!("pair_walks={walks} block_walks={blocks}"));
        compare(&instance, &far, &settings, 4, |_| {});
    }
}

#[test]
fn lanes_budgets_and_subgroups_change_nothing() {
    let instance = common::made(Kind::Clustered, 201, 6);
    let tours = tours(&instance, 5, "2opt");
    for (lanes, budget) in [(32, 62_000), (32, 50_000), (64, 44_000), (256, 40_000)] {
        for subgroups in [true, false] {
            compare(&instance, &tours, &eax(5, 12, 3), 3, |plan| {
                let recombine = &mut plan.recombine;
                recombine.lanes = lanes;
                recombine.subgroup = recombine.subgroup.filter(|size| subgroups && lanes.is_multiple_of(*size));
                plan.loop_budget = budget;
            });
        }
    }
}

#[test]
fn all_kinds_of_distances_are_the_instances() {
    for (whole, instance) in common::all_kinds_of_distances() {
        let tours = tours(&instance, 6, "2opt");
        compare(&instance, &tours, &eax(6, 10, 5), 4, |plan| assert_eq!(plan.rounding.is_some(), whole));
    }
}

#[test]
fn broken_distances_are_caught() {
    for (instance, replace) in common::broken_distances() {
        let tours = tours(&instance, 8, "none");
        let settings = eax(8, 10, 5);
        let broken = Saboteur::new("recombine", replace);
        let mut gpu = colony(Box::new(broken), &instance, &settings, &tours, |_| {});
        let mut cpu = colony(Box::new(CpuBackend::new()), &instance, &settings, &tours, |_| {});
        let found = first_difference(&mut gpu, &mut cpu, 6);
        assert!(found.is_some(), "{replace:?} passed");
    }
}

/// After any number of iterations each tour holds each city once, costs what is said, and trails count the tours.
#[test]
fn tours_costs_and_trails_agree() {
    for seed in 1..=6 {
        let instance = common::made(if seed % 2 == 0 { Kind::Uniform } else { Kind::Clustered }, 400, seed);
        let n = instance.len();
        let start = tours(&instance, 16, if seed < 4 { "none" } else { "2opt" });
        let mut colony = colony(Box::new(CpuBackend::new()), &instance, &eax(16, 10, seed), &start, |_| {});
        let mut before = colony.costs().unwrap();
        for iteration in 0..12 {
            if iteration == 6 {
                assert!(colony.grow() && !colony.grow());
            }
            let calls = [colony.ant_calls(0..16), colony.end_calls()].concat();
            colony.run(&calls).unwrap();
            let (tours, costs) = (colony.solutions().unwrap(), colony.costs().unwrap());
            let told: Vec<u64> = tours.chunks(n).map(|tour| instance.tour_cost(tour).unwrap()).collect();
            assert_eq!(told, costs);
            assert!(costs.iter().zip(&before).all(|(now, before)| now <= before));
            assert!(iteration > 0 || costs != before, "no individual has gained anything");
            before = costs;
            let state = colony.state().unwrap();
            assert_eq!(u64::from(state.best_cost[0]), *before.iter().min().unwrap());
            assert_eq!(instance.tour_cost(&colony.best_solution().unwrap()).unwrap(), *before.iter().min().unwrap());
            let positions = read(&mut colony, Buffer::Positions);
            for (tour, positions) in tours.chunks(n).zip(positions.chunks(n)) {
                assert!(tour.iter().zip(0..).all(|(&city, position)| positions[city as usize] == position));
            }
            let neighbours = of_eax(colony.plan()).neighbours;
            let near = instance.neighbours(neighbours);
            let trails = read(&mut colony, Buffer::Trails);
            let mut both = 0;
            for city in 0..n {
                for (rank, &other) in near.row(city)[..neighbours].iter().enumerate() {
                    let apart = |individual: &[u32]| individual[city].abs_diff(individual[other as usize]) as usize;
                    let count =
                        positions.chunks(n).filter(|individual| [1, n - 1].contains(&apart(individual))).count();
                    assert_eq!(trails[city * neighbours + rank] as usize, count, "{city} to {other}");
                    both += count * count.saturating_sub(1);
                }
            }
            let share = both as f64 / (2 * n * 16 * 15) as f64;
            assert!((colony.overlap().unwrap().unwrap() - share).abs() < 1e-12);
        }
    }
}

/// A population of eight beside the run's best tour, which is better than theirs.
fn beside_a_better_tour(instance: &Instance) -> (Settings, Vec<u32>) {
    let settings = settings("lk-eax population=8 children=10 seed=2");
    (settings, [tours(instance, 8, "2opt"), tours(instance, 1, "lk")].concat())
}

/// The run's best tour is crossed beside the population: on every backend alike, it gains, and the population becomes what it becomes alone.
#[test]
fn the_incumbent_gains_and_gives_nothing() {
    let instance = common::made(Kind::Uniform, 300, 3);
    let (beside, all) = beside_a_better_tour(&instance);
    compare(&instance, &all, &beside, 8, |plan| assert_eq!((plan.units, plan.individuals), (9, 8)));
    let on_cpu = || Box::new(CpuBackend::new());
    let mut beside = colony(on_cpu(), &instance, &beside, &all, |_| {});
    let mut alone = colony(on_cpu(), &instance, &eax(8, 10, 2), &all[..8 * 300], |_| {});
    let first = beside.costs().unwrap()[8];
    for _ in 0..30 {
        for colony in [&mut beside, &mut alone] {
            let units = colony.plan().units as u32;
            let calls = [colony.ant_calls(0..units), colony.end_calls()].concat();
            colony.run(&calls).unwrap();
        }
    }
    let costs = beside.costs().unwrap();
    assert_eq!(beside.costs_of_population().unwrap(), costs[..8]);
    assert_eq!(alone.costs_of_population().unwrap(), costs[..8]);
    assert_eq!(alone.solutions().unwrap(), beside.solutions().unwrap()[..8 * 300]);
    assert_eq!(read(&mut alone, Buffer::Trails), read(&mut beside, Buffer::Trails));
    assert_eq!(alone.overlap().unwrap(), beside.overlap().unwrap());
    assert!(costs[8] < first, "from {first} to {}", costs[8]);
}

/// The share of edges that two individuals have both is the same everywhere, from far apart to all alike.
#[test]
fn overlap_equals_its_twin() {
    let instance = common::made(Kind::Clustered, 300, 7);
    let mut far = tours(&instance, 12, "2opt");
    let mut shares = Vec::new();
    for alike in [1, 6, 12] {
        let (first, others) = far.split_at_mut(300);
        others.chunks_mut(300).take(alike - 1).for_each(|tour| tour.copy_from_slice(first));
        let [gpu, cpu] = [common::backend(), Box::new(CpuBackend::new())]
            .map(|backend| colony(backend, &instance, &eax(12, 5, 1), &far, |_| {}).overlap().unwrap().unwrap());
        assert_eq!(gpu.to_bits(), cpu.to_bits());
        shares.push(gpu);
    }
    // Nearly all edges of a searched tour lead to neighbours.
    assert!(shares.is_sorted() && shares[0] < 0.9 && shares[2] > 0.9, "{shares:?}");
}

#[test]
fn broken_kernels_are_caught() {
    let instance = common::made(Kind::Uniform, 259, 5);
    let settings = eax(10, 12, 4);
    // The last individuals' tours are far from the others': walks there do not close soon.
    let tours = [tours(&instance, 8, "2opt"), tours(&instance, 2, "none")].concat();
    for (kernel, good, bad) in [
        ("recombine", "let apart = max(prior, here) - min(prior, here)", "let apart = here - prior"),
        ("recombine", "(random_word(keys, drawn) & 1u) == 1u", "(random_word(keys, drawn) & 1u) == 0u"),
        (
            "recombine",
            "return select(turned(from_position + found)",
            "return select(turned(from_position + found + 1u)",
        ),
        ("recombine", "(index + (cycle_begin & 1u)) % cycle_edges", "index % cycle_edges"),
        ("recombine", "leads != backwards", "leads == backwards"),
        ("recombine", "select(apart, 0u - apart, comes)", "apart"),
        ("recombine", "atomicAdd(&loss, loss_of(a, b, comes));\n        if", "if"),
        ("recombine", "select(near, next, comes)", "near"),
        ("recombine", "max(count, 1u) - 1u", "max(count, 1u)"),
        ("recombine", "end = ties[end ^ 1u]", "end = ties[end]"),
        ("recombine", "if sub_tour_cities[other] < cities", "if sub_tour_cities[other] < cities && other > 0u"),
        ("recombine", "let last = first + path_cities(path) - 1u;", "let last = first;"),
        ("recombine", "beside(unit, at, false)", "beside(unit, at, true)"),
        ("recombine", "near_apart.xyxy", "near_apart.xxyy"),
        ("recombine", "select(3u, 2u, costs.z == cost)", "3u"),
        ("recombine", "rank = select(rank, ranks.y, here.y == other)", "rank = select(rank, ranks.x, here.y == other)"),
        ("recombine", "rank += before.x + before.y + before.z + before.w", "rank += before.x + before.y + before.z"),
        ("recombine", "atomicSub(&gain, found.x ^ SIGN)", "atomicSub(&gain, 0u)"),
        ("recombine", "path_last[path] = edge;", "path_last[path] = turned(edge + 1u);"),
        ("replace", "return less_wide(others, own);", "return gains > best.x;"),
        ("recombine", "atomicStore(&cut_bits[path_last[path] >> 5u], 0u)", "path_last[path] += 0u"),
        ("recombine", "(individual + shift) % params.individuals", "(individual + 1u) % params.individuals"),
        ("recombine", "gained == params.accept_after", "gained > params.accept_after"),
        ("recombine", "params.walks - params.block_walks", "params.walks"),
        ("replace", "unit < first + params.walks", "unit < first + 1u"),
        ("recombine", "bits &= atomicLoad(&mine_bits[word])", "bits &= NONE"),
        ("recombine", "sub_tour_count <= before.y", "true"),
        ("recombine", "atomicStore(&gain, before.z)", "atomicStore(&gain, 0u)"),
        ("recombine", "go_back(unit, sides, 0u, begin, lane)", "go_back(unit, sides, 0u, 0u, lane)"),
        ("recombine", "select(next, at, turned(at + 1u) == next)", "at"),
        ("recombine", "select(index + 1u, 0u, index + 1u == count)", "index"),
        ("recombine", "const WALK_PIECES: u32 = 4u", "const WALK_PIECES: u32 = 1u"),
        ("replace", "let backwards = (end & 1u) == 1u", "let backwards = false"),
        ("replace", "begins[later] <= place", "begins[later] < place"),
        ("replace", "path.y + params.cities - step", "path.x + step"),
        ("replace", "tied > 2u * path + side", "tied != 2u * path + side"),
        ("replace", "tours[own + positions[own + city]] = city", "tours[own + city] = positions[own + city]"),
        ("replace", "subtract_wide(costs", "add_wide(costs"),
    ] {
        check_caught((&instance, &settings, &tours), kernel, (good, bad));
    }
}

#[test]
fn broken_kernels_of_the_incumbent_are_caught() {
    let instance = common::made(Kind::Uniform, 259, 5);
    let (settings, tours) = beside_a_better_tour(&instance);
    for (kernel, good, bad) in [
        ("recombine", "|| unit >= params.walks * params.individuals", ""),
        ("recombine", "shift, individual == params.individuals)", "0u, individual == params.individuals)"),
        ("replace", "individual < params.individuals", "individual <= params.individuals"),
    ] {
        check_caught((&instance, &settings, &tours), kernel, (good, bad));
    }
}

/// A kernel in which `replace` has been replaced comes to other tours than its twin, or to an error.
fn check_caught(
    (instance, settings, tours): (&Instance, &Settings, &[u32]),
    kernel: &'static str,
    replace: (&'static str, &'static str),
) {
    let saboteur = Box::new(Saboteur::new(kernel, replace));
    let mut broken = colony(saboteur, instance, settings, tours, |_| {});
    let mut cpu = colony(Box::new(CpuBackend::new()), instance, settings, tours, |_| {});
    let caught = first_difference(&mut broken, &mut cpu, 6).is_some();
    let (good, bad) = replace;
    assert!(caught, "{kernel} with '{bad}' for '{good}' passed");
}

/// Sub-tours are never merged by an edge that stays, on an instance with many of them.
#[test]
fn edges_that_stay_are_kept_and_broken_kernels_are_caught() {
    let edges: Vec<[u32; 2]> = (0..80).map(|i| [3 * i, 3 * i + 1]).collect();
    let fixed = common::made(Kind::Uniform, 259, 5).with_fixed_edges(&edges).unwrap();
    let instance = fixed.open_path(None, None).unwrap().in_kernel_form(true).unwrap();
    let (settings, tours) = (eax(10, 12, 4), tours(&instance, 10, "lk"));
    let difference = |backend: Box<dyn Backend>| {
        let mut gpu = colony(backend, &instance, &settings, &tours, |_| {});
        let mut cpu = colony(Box::new(CpuBackend::new()), &instance, &settings, &tours, |_| {});
        first_difference(&mut gpu, &mut cpu, 6)
    };
    assert_eq!(difference(common::backend()), None);
    for replace in
        [("stay.xxyy | near_stay.xyxy", "stay.xxyy"), ("select(measured(a, b), 0u,", "select(measured(a, b), 500000u,")]
    {
        let broken = Saboteur::new("recombine", replace);
        assert!(difference(Box::new(broken)).is_some(), "{replace:?} passed");
    }
}

/// A population solves what it can, begins again when nothing is left, and does the same everywhere.
#[test]
fn the_same_tour_on_every_backend() {
    let instance = common::made(Kind::Lattice, 196, 4);
    let runs = common::targets().map(|target| {
        let mut solver = common::solver(&instance, &eax(16, 10, 9), target);
        let cost = solver.step(40).unwrap().cost;
        assert!(matches!(solver.plan(), Some(Plan::Eax(_))));
        assert_eq!(solver.solution().unwrap().cost, cost);
        let shared: Vec<f64> = solver.solution().unwrap().trace.iter().filter_map(|point| point.shared_edges).collect();
        assert!(!shared.is_empty() && shared.iter().all(|share| (0.2..=1.0).contains(share)), "{shared:?}");
        (cost, solver.solution().unwrap().permutation)
    });
    assert_eq!(runs[0], runs[1]);
    // A lattice's shortest tour has as many steps as it has cities.
    let step = instance.neighbours(1);
    let step = u64::from(instance.distance(0, step.row(0)[0] as usize));
    assert_eq!(runs[0].0, 196 * step);
}

/// Single cycles come first; before another population begins there are blocks of them.
#[test]
fn blocks_come_before_another_population() {
    let instance = common::made(Kind::Clustered, 300, 3);
    let mut solver = common::solver(&instance, &eax(16, 10, 1), Target::Cpu);
    while solver.plan().unwrap().units == 16 {
        solver.step(1).unwrap();
    }
    let phases = solver.solution().unwrap().phases;
    let e_sets = |index: usize| {
        let told = phases[index].parameters.iter().find(|(name, _)| *name == "e_sets");
        told.map(|(_, value)| value.to_string()).unwrap_or_default()
    };
    assert_eq!(phases.iter().map(|phase| phase.algorithm).collect::<Vec<_>>(), ["mmas", "eax", "eax", "mmas"]);
    assert_eq!([e_sets(1), e_sets(2)], ["single", "block2"]);
    assert_eq!(phases.iter().map(|phase| phase.population).collect::<Vec<_>>(), [16, 16, 16, 32]);
    // The first iteration makes the tours.
    assert_eq!(phases[0].iterations, 1);
    assert!(phases[1].iterations >= 10 && phases[2].iterations >= 10, "{phases:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let instance = common::made(Kind::Uniform, 50, 1);
    for (line, word) in [
        ("eax population=1", "population must lie"),
        ("eax children=0", "children must lie"),
        ("eax children=1001", "children must lie"),
        ("eax accept_after=0", "accept_after must lie"),
        ("eax pair_walks=0", "pair_walks must lie"),
        ("eax pair_walks=17", "pair_walks must lie"),
        ("eax block_walks=17", "block_walks must be 16 at most"),
        ("eax pair_walks=2 block_walks=3", "block_walks must be 2 at most"),
        ("eax quadrants=3", "quadrants must lie"),
        ("lk-eax population=1", "population must lie"),
    ] {
        let error = myrmex::Solver::outlook(&instance, &settings(line), Target::Cpu).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    for (name, owner) in [("local_search", "'mmas'"), ("memory", "'mmas'"), ("ants", "'faco'")] {
        let error = settings("eax").with(name, "4").unwrap_err().to_string();
        assert!(error.contains("means nothing to algorithm 'eax'") && error.contains(owner), "{error}");
    }
    let error = settings("mmas").with("population", "8").unwrap_err().to_string();
    assert!(error.contains("choose 'memetic', 'eax' or 'lk-eax'"), "{error}");
    let layout = myrmex::qap::generate(10, 1).unwrap();
    let error = myrmex::Solver::outlook(&layout, &eax(4, 10, 1), Target::Cpu).unwrap_err().to_string();
    assert!(error.contains("solves tours"), "{error}");
}

/// What a merger of sub-tours adds is counted in 31 bits.
#[test]
fn weights_that_mergers_cannot_count_are_refused() {
    let n = 60;
    let matrix = |far: u32| {
        let apart = |a: usize, b: usize| a.abs_diff(b).min(n - a.abs_diff(b)) as u32;
        let weight = |at: usize| if apart(at / n, at % n) > 15 { far } else { apart(at / n, at % n) };
        Instance::from_matrix("ring", n, (0..n * n).map(weight).collect()).unwrap()
    };
    let solved = |far| Solver::new(matrix(far), &settings("eax population=8"), Target::Cpu)?.run(&Stop::iterations(20));
    assert_eq!(solved((1 << 30) - 1).unwrap().cost, n as u64);
    let refused = solved(1 << 30).unwrap_err().to_string();
    assert!(refused.contains("crossover takes distances up to 1073741823"), "{refused}");
}
