//! Populations of assignments: every kernel against its CPU twin, word for word; broken kernels; who survives.

use crate::common;
use crate::common::assignments::{instances, with_alike, with_empty};
use crate::common::colonies::{caught, compare, plan};
use crate::common::{Also, settings};
use myrmex::backend::CpuBackend;
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::qap::{Instance, generate};
use myrmex::{Effort, Problem, Settings, Solver, Stop, Target};

/// A colony on the CPU, in the form that the instance has.
fn on_host(instance: &Instance, settings: &Settings) -> Colony {
    let (host, problem) = (Box::new(CpuBackend::new()), Problem::Qap(instance.clone()));
    let plan = plan(instance, settings, host.as_ref());
    Colony::new(host, instance, plan, &problem.simple_solution()).unwrap()
}

/// Children, survivors and searches of a memetic algorithm, also where parents hardly differ and where facilities are alike.
#[test]
fn populations_equal_their_twins() {
    let alike = [(9, 0), (18, 1)].map(|(facilities, skew)| with_alike(facilities, skew));
    let some = instances(17).into_iter().chain(alike).chain([with_empty(8, 13)]);
    for instance in some.chain(instances(2)).chain(instances(5)) {
        for words in [
            "population=6 search_iterations=20",
            "population=2 search_iterations=9 local_search=2opt",
            "population=7 local_search=none mutation=1",
        ] {
            let memetic = settings("memetic seed=5").also(words);
            compare(instance.clone(), &memetic, 6, |_| {});
        }
    }
}

/// What is known of survivors: as many as there were, the least of both generations, each cost once while there are others.
#[test]
fn the_least_of_parents_and_children_survive() {
    // Of four facilities there are few assignments, so that many cost the same.
    for n in [4, 12] {
        let instance = generate(n, 3).unwrap();
        let memetic = settings("memetic population=9 local_search=none seed=2");
        let mut colony = on_host(&instance, &memetic);
        let costs = |colony: &mut Colony, buffer: Buffer| {
            let id = colony.buffers().get(buffer);
            let words = colony.backend().read(id, 0..18).unwrap();
            words.chunks(2).map(|cost| u64::from(cost[0]) | u64::from(cost[1]) << 32).collect::<Vec<u64>>()
        };
        let mut before = Vec::new();
        for iteration in 0..30 {
            let calls = colony.ant_calls(0..9);
            colony.run(&calls).unwrap();
            let mut both = [before, costs(&mut colony, Buffer::Costs)].concat();
            let calls = colony.end_calls();
            colony.run(&calls).unwrap();
            let survivors = costs(&mut colony, Buffer::UnitCosts);
            both.sort_unstable();
            let (first, again): (Vec<_>, Vec<_>) = (0..both.len()).partition(|&at| at == 0 || both[at] != both[at - 1]);
            let mut expected: Vec<u64> = first.into_iter().chain(again).take(9).map(|at| both[at]).collect();
            let mut found = survivors.clone();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "iteration {iteration} of {n} facilities");
            let units = colony.buffers().get(Buffer::Units);
            let units = colony.backend().read(units, 0..9 * n).unwrap();
            let true_costs = units.chunks(n).map(|unit| instance.cost(unit).unwrap());
            assert!(true_costs.eq(survivors.iter().copied()));
            before = survivors;
        }
    }
}

/// A crossover of parents in which facilities that are alike stand in different orders keeps what they have in common.
#[test]
fn alike_facilities_are_common_whichever_stands_where() {
    const N: usize = 12;
    // All are alike: whatever the parents, they differ in nothing, and the child is the first of them before its exchanges.
    let flows = (0..N * N).map(|at| u32::from(at / N != at % N)).collect();
    let distances = (0..N * N).map(|at| ((at / N).abs_diff(at % N)) as u32).collect();
    let instance = Instance::from_matrices("alike", N, flows, distances).unwrap();
    let memetic = settings("memetic population=4 local_search=none mutation=0 seed=2");
    let mut colony = on_host(&instance, &memetic);
    let calls = [colony.ant_calls(0..4), colony.end_calls()].concat();
    colony.run(&calls).unwrap();
    let units = colony.buffers().get(Buffer::Units);
    let parents = colony.backend().read(units, 0..4 * N).unwrap();
    colony.run(&colony.ant_calls(0..4)).unwrap();
    let children = colony.solutions().unwrap();
    // So few differ that two exchanges come on top, which move at most four facilities.
    for (parent, child) in parents.chunks(N).zip(children.chunks(N)) {
        let moved = parent.iter().zip(child).filter(|(parent, child)| parent != child).count();
        assert!((1..=4).contains(&moved), "{moved}");
    }
}

#[test]
fn broken_ones_of_a_population_are_caught() {
    let instance = with_alike(14, 1);
    for (kernel, good, bad) in [
        ("crossover", "while is_shared(theirs[giver])", "while false"),
        ("crossover", "order[kind] = next_alike(giver);", ""),
        ("crossover", "mul_high(random_word(keys, first + i), i + 1u)", "mul_high(random_word(keys, first + i), i)"),
        ("crossover", "random_word(keys, n + u) < 0x80000000u", "false"),
        ("crossover", "select(first, second, at_mine[first] == 1u)", "first"),
        ("crossover", "random_word(keys, 2u * n + i), free)", "random_word(keys, 2u * n), free)"),
        ("crossover", "select(0u, params.more, differing <= params.few)", "0u"),
        ("crossover", "drawn >= number", "drawn > number"),
        ("crossover", "2u * i), params.filled)", "2u * i), n)"),
        ("cost_ranks", "(all(theirs == cost) && other < it)", "(all(theirs == cost) && other > it)"),
        ("survivors", "any(cost_of(problem, it) != cost_of(problem, ranks[first + max(rank, 1u) - 1u]))", "true"),
        ("survivors", "it >= params.individuals || state.iteration > 0u", "true"),
        ("survivors", "number < most);\n            number", "true);\n            number"),
        ("survivors", "select(0u, count, other < lane)", "count"),
        ("succession", "survivors[home + most + heir]", "survivors[home + most]"),
    ] {
        // So few facilities as there are beside empty ones have exchanges only then.
        let mutation = if good.contains("filled") { 0.5 } else { 0.1 };
        let words = format!("memetic population=8 local_search=none mutation={mutation} seed=3");
        // Of few assignments many cost the same, and parents hardly differ.
        let few = kernel != "crossover" || good.contains("params.more");
        let instance = match good.contains("filled") {
            true => with_empty(8, 13),
            false if few => generate(4, 3).unwrap(),
            false => instance.clone(),
        };
        caught(instance, &settings(&words), 12, (kernel, good, bad), |_| {});
    }
}

/// Defaults are those of the table in docs/algorithms/memetic.md, and `auto` runs what that page says.
#[test]
fn defaults_go_by_what_the_matrices_look_like() {
    let matrix = |n: usize| -> Vec<f64> {
        let entry = |at: usize| ((at / n).max(at % n) * n + (at / n).min(at % n)) as u32;
        let drawn = |at: usize| if at / n == at % n { 0 } else { entry(at).wrapping_mul(2_654_435_761) >> 26 };
        (0..n * n).map(|at| drawn(at).into()).collect()
    };
    let few = |facilities: usize, n: usize| {
        let sizes = [facilities, n];
        Problem::Qap(Instance::from_matrices_f64("random", sizes, matrix(facilities), matrix(n), None).unwrap())
    };
    let random = |n: usize| few(n, n);
    let places = |n: usize| {
        let Problem::Qap(flows) = random(n) else { unreachable!("it is an assignment") };
        let apart = |at: usize| (at / n / 10).abs_diff(at % n / 10) + (at / n % 10).abs_diff(at % n % 10);
        let distances = (0..n * n).map(|at| apart(at) as u32).collect();
        Problem::Qap(Instance::from_matrices("places", n, flows.flows().to_vec(), distances).unwrap())
    };
    let dominant = |n: usize| Problem::Qap(generate(n, 1).unwrap());
    // Individuals with standard and with large effort, the search of a child, its iterations, T.
    for (problem, [standard, large], search, iterations, tenure) in [
        (dominant(30), [120, 120], "2opt", 120, None),
        (dominant(110), [400, 400], "2opt", 440, None),
        // Two of these are alike, and the third has no flows.
        (dominant(3), [16, 16], "tabu", 2, Some(1)),
        (places(60), [60, 264], "tabu", 600, Some(120)),
        (places(12), [16, 264], "tabu", 120, Some(24)),
        (random(60), [60, 264], "tabu", 6000, Some(120)),
        (few(20, 60), [60, 264], "tabu", 2000, Some(120)),
    ] {
        for (effort, population) in [(Effort::Standard, standard), (Effort::Large, large)] {
            let recipe = Settings::default().recipe(&problem, effort).unwrap();
            let parameters = recipe.parameters();
            let value = |name: &str| {
                let found = parameters.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.to_string())
            };
            let found = ["population", "local_search", "search_iterations", "tenure", "stagnation"].map(value);
            let number = |it: u32| Some(it.to_string());
            let expected =
                [number(population), Some(search.into()), number(iterations), tenure.and_then(number), number(20)];
            assert_eq!(found, expected, "{}", problem.name());
            assert_eq!(recipe.phases[0].system.name(), "memetic");
        }
    }
    for (problem, runs) in [
        (random(61), "cas"),
        (places(200), "memetic"),
        (few(50, 100), "cas"),
        (few(49, 100), "memetic"),
        (few(61, 200), "cas"),
    ] {
        assert_eq!(common::recipe(&problem, &Settings::default()).phases[0].system.name(), runs);
    }
}

/// Entries that lie far apart are rounded, and then a longer assignment costs less than the one that a run was given.
#[test]
fn a_start_is_kept_where_rounding_lets_a_longer_one_cost_less() {
    let n = 10;
    let mut cases = 0;
    for seed in 0..20 {
        let drawn = |at: usize| {
            let word = ((at + 1000 * seed) as u32).wrapping_mul(2_654_435_761);
            f64::from((word ^ word >> 15).wrapping_mul(0x85EB_CA6B)) / 2f64.powi(32)
        };
        let [flows, mut distances] = [0, 500].map(|from| (0..n * n).map(|at| drawn(at + from)).collect::<Vec<f64>>());
        (distances[1], distances[n]) = (7e4, 7e4);
        let instance = Instance::from_matrices_f64("far", [n, n], flows, distances, None).unwrap();
        let length = |order: &[u32]| instance.length(order).unwrap();
        let own = Solver::new(&instance, &Settings::default(), Target::Cpu).unwrap().run(&Stop::iterations(1)).unwrap();
        // Exchanges by what was given make it shorter, and dearer as it is counted.
        let mut start = own.permutation.clone();
        for (a, b) in (0..3 * n * n).map(|at| (at / n % n, at % n)) {
            let before = length(&start);
            start.swap(a, b);
            if length(&start) >= before {
                start.swap(a, b);
            }
        }
        if instance.cost(&start).unwrap() <= own.cost {
            continue;
        }
        let mut solver = Solver::with_start(&instance, &Settings::default(), Target::Cpu, &start).unwrap();
        let found = solver.run(&Stop::iterations(1)).unwrap();
        assert_eq!(
            (found.length, found.cost),
            (length(&found.permutation), instance.cost(&found.permutation).unwrap())
        );
        assert!(found.length <= length(&start), "{} from {}", found.length, length(&start));
        assert_eq!(solver.salvage().permutation, found.permutation);
        // What the run itself takes for the best is longer.
        let least = solver.progress().cost;
        cases += usize::from(least < instance.cost(&start).unwrap() && found.cost > least);
    }
    assert!(cases > 0);
}
