//! Assignments: every kernel against its CPU twin, word for word; broken kernels; what searches know against plain sums.

use crate::common;
use std::ops::ControlFlow;

use crate::common::assignments::{instances, with_alike, with_empty};
use crate::common::colonies::{caught, compare, plan};
use crate::common::{Also, settings};
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::{ExchangePlan, TablePlace};
use myrmex::kernels::qap::delta_table;
use myrmex::kernels::qap::delta_table::{begin, fresh_change, pair_index, products};
use myrmex::kernels::qap::matrices::{self, Matrices};
use myrmex::qap::{Instance, generate};
use myrmex::{MoveEvaluation, Problem, Selection, Settings, Solver, Stop, Target, Visited};
use proptest::prelude::*;

#[test]
fn searches_with_empty_and_alike_facilities_equal_their_twins() {
    let empty = [(1, 4), (3, 8), (8, 13), (12, 17)].map(|(facilities, locations)| with_empty(facilities, locations));
    let alike = [(5, 0), (9, 1), (18, 0), (18, 1)].map(|(facilities, skew)| with_alike(facilities, skew));
    for instance in empty.into_iter().chain(alike) {
        for evaluation in [MoveEvaluation::Products, MoveEvaluation::Mata, MoveEvaluation::NonMata] {
            let searches = cas(4, evaluation, 7).also("tenure=60");
            compare(instance.clone(), &searches, 3, |_| {});
        }
    }
}

/// Nor does it among exchanges of facilities that are alike: three of a kind find the best of their places among twenty-seven of another.
#[test]
fn alike_facilities_are_not_exchanged() {
    const N: usize = 30;
    let kinds = |at: usize| match [at / N < 3, at % N < 3] {
        [true, true] => 9,
        [false, false] => 1,
        _ => 0,
    };
    let apart = |at: usize| ((at / N).max(at % N) * 40 + (at / N).min(at % N)) as u32;
    let distances = (0..N * N).map(|at| apart(at).wrapping_mul(2_654_435_761) >> 22).collect();
    let instance = Instance::from_matrices("two kinds", N, (0..N * N).map(kinds).collect(), distances).unwrap();
    assert_eq!(instance.classes().unwrap()[..5], [0, 0, 0, 3, 3]);
    let three = (2..N as u32).flat_map(|a| (1..a).flat_map(move |b| (0..b).map(move |c| [a, b, c])));
    let costs = three.map(|some| {
        let others = (0..N as u32).filter(|location| !some.contains(location));
        instance.cost(&some.into_iter().chain(others).collect::<Vec<_>>()).unwrap()
    });
    let best = costs.min().unwrap();
    let cas = settings("cas units=1 search_iterations=150 first_iterations=150");
    let mut solver = common::solver(&instance, &cas, Target::Cpu);
    let found = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!(found.cost, best);
}

/// A search does not lose its way among exchanges of empty facilities, which change nothing: ants alone that search once find the best of
/// all assignments of three facilities to thirty locations.
#[test]
fn empty_facilities_are_not_exchanged() {
    let instance = with_empty(3, 30);
    let all = (0..30u32).flat_map(|a| (0..30).flat_map(move |b| (0..30).map(move |c| [a, b, c])));
    let costs = all.filter(|[a, b, c]| a != b && b != c && a != c).map(|some| {
        let others = (0..30).filter(|location| !some.contains(location));
        instance.cost(&some.into_iter().chain(others).collect::<Vec<_>>()).unwrap()
    });
    let best = costs.min().unwrap();
    let cas = settings("cas units=1 search_iterations=300 first_iterations=300");
    let mut solver = common::solver(&instance, &cas, Target::Cpu);
    let found = solver.run(&Stop::iterations(1)).unwrap();
    assert_eq!(found.cost, best);
}

/// A cunning Ant System.
fn cas(units: usize, evaluation: MoveEvaluation, seed: u64) -> Settings {
    let evaluated = format!("units={units} move_evaluation={evaluation} search_iterations=60 seed={seed}");
    settings("cas").also(&evaluated)
}

#[test]
fn searches_equal_their_twins_whatever_the_assignment() {
    for instance in instances(17) {
        for evaluation in [MoveEvaluation::Products, MoveEvaluation::Mata, MoveEvaluation::NonMata] {
            for local_search in ["local_search=tabu", "local_search=2opt"] {
                compare(&instance, &cas(5, evaluation, 1).also(local_search), 3, |_| {});
            }
        }
    }
    compare(generate(30, 1).unwrap(), &cas(4, MoveEvaluation::Products, u64::MAX), 3, |_| {});
}

#[test]
fn tiny_instances_equal_their_twins() {
    for n in 2..8 {
        for instance in instances(n) {
            for evaluation in [MoveEvaluation::Products, MoveEvaluation::Mata, MoveEvaluation::NonMata] {
                compare(&instance, &cas(3, evaluation, 2), 3, |_| {});
            }
        }
    }
}

#[test]
fn selections_visited_sets_and_systems_equal_their_twins() {
    let instance = generate(41, 2).unwrap();
    for selection in [Selection::Wrs, Selection::Rwm] {
        for visited in [Visited::Bt, Visited::Lc, Visited::Ct] {
            let choices = format!("selection={selection} visited={visited}");
            compare(&instance, &settings("cas units=6 local_search=none seed=3").also(&choices), 4, |_| {});
        }
    }
    let mmas = settings("mmas ants=6 local_search=none stagnation=3 seed=3");
    compare(&instance, &mmas, 9, |_| {});
    compare(&instance, &mmas.also("trail_update=separate"), 9, |_| {});
}

#[test]
fn lanes_budgets_and_where_a_table_lies_change_nothing() {
    let instance = generate(23, 5).unwrap();
    for evaluation in MoveEvaluation::ALL {
        for lanes in [4, 8, 32, 256, 1024] {
            for place in [TablePlace::Workgroup, TablePlace::Registers, TablePlace::Storage] {
                // A table of products is in storage where there are fewer invocations than facilities; no other table is in registers.
                let products = *evaluation == MoveEvaluation::Products;
                if place != TablePlace::Storage && products && lanes < 23 || place == TablePlace::Registers && !products
                {
                    continue;
                }
                let cas = cas(3, *evaluation, 4).also(&format!("lanes={lanes}"));
                compare(&instance, &cas, 2, |plan| {
                    plan.exchange = plan.exchange.map(|exchange| exchange.with_table(23, place));
                    plan.loop_budget = 9_000;
                });
            }
        }
    }
    // As GPUs have them, which need not be powers of two.
    for place in [TablePlace::Workgroup, TablePlace::Registers] {
        compare(&instance, &cas(3, MoveEvaluation::Products, 4).also("tenure=60"), 2, |plan| {
            plan.exchange = plan.exchange.map(|exchange| ExchangePlan { lanes: 96, ..exchange }.with_table(23, place));
        });
    }
}

/// A dispatch makes as many iterations as the loop budget holds; one too many, and lavapipe ends loops early.
#[test]
fn searches_keep_within_the_loop_budget() {
    for n in [25, 40] {
        let instance = generate(n, 5).unwrap();
        for evaluation in [MoveEvaluation::Products, MoveEvaluation::Mata, MoveEvaluation::NonMata] {
            compare(&instance, &cas(2, evaluation, 4).also("search_iterations=500"), 1, |_| {});
        }
    }
}

/// Whether the tables with which searches begin are the twin's.
#[test]
fn tables_equal_their_twins() {
    for (instance, filled) in instances(13).into_iter().map(|it| (it, 13)).chain([(with_empty(8, 14), 8)]) {
        for evaluation in [MoveEvaluation::Products, MoveEvaluation::NonMata] {
            let backend = common::backend();
            let plan = plan(&instance, &cas(4, evaluation, 1), backend.as_ref());
            let layout = plan.construct().unwrap().exchange.unwrap().layout;
            let start = instance.simple_assignment();
            let mut colony = Colony::new(backend, &instance, plan, &start).unwrap();
            let calls = colony.ant_calls(0..4);
            let end = calls.iter().rposition(|call| colony.kernel_name(call.kernel) == delta_table::NAME).unwrap();
            colony.run(&calls[..=end]).unwrap();
            let n = instance.len();
            let id = colony.buffers().get(Buffer::Memory);
            let found = colony.backend().read(id, 0..4 * layout.words).unwrap();
            let tours = colony.solutions().unwrap();
            let words = matrices::words(&instance);
            for ant in 0..4 {
                let mut expected = vec![0; layout.words];
                let asymmetric = !instance.is_symmetric_in_one();
                let places = &tours[ant * n..(ant + 1) * n];
                begin(&Matrices::new(&words, n, asymmetric), places, (evaluation, filled), &mut expected);
                let mut found = found[ant * layout.words..(ant + 1) * layout.words].to_vec();
                // Only the search writes what invocations keep.
                found[layout.table + layout.table_words..].fill(0);
                if evaluation == MoveEvaluation::Products && layout.pitch > n {
                    found[layout.table..].iter_mut().skip(n).step_by(layout.pitch).for_each(|padding| *padding = 0);
                }
                assert_eq!(found, expected, "{} {evaluation}", instance.name());
            }
        }
    }
}

#[test]
fn broken_kernels_are_caught() {
    let instance = &instances(14)[4];
    for (kernel, good, bad) in [
        ("construct", "theirs < word ||", "theirs > word ||"),
        ("construct", "thresholds[middle] <= word", "thresholds[middle] > word"),
        ("delta_table", "sum += entry(FLOWS_BACK", "sum -= entry(FLOWS_BACK"),
        ("delta_table", "var sum = entry(PLACING, facility, location)", "var sum = 0"),
        ("assignment_cost", "bitcast<u32>(entry(PLACING, u, at))", "0u"),
        ("tabu_search", "].x * toward_column;", "].x * -toward_column;"),
        ("tabu_search", "diagonal[v] + gained(v, v)", "diagonal[v]"),
        ("tabu_search", "min(exchange.until_r, exchange.until_s)", "exchange.until_r"),
        ("tabu_search", "low_of_all < aspiration", "false"),
        ("tabu_search", "(min(column, other), max(column, other))", "(max(column, other), min(column, other))"),
        ("tabu_search", "min(tabu_until(home, u, place[v]),", "max(tabu_until(home, u, place[v]),"),
        ("tabu_search", "until <= iteration", "until < iteration"),
        ("tabu_search", "u >= params.filled && v", "v"),
        ("tabu_search", "fresh_r.y > exchange.next", "false"),
        ("tabu_search", "pair.y > exchange.next", "false"),
        ("tabu_search", "change_0 -= shift", "change_0 += shift"),
        ("tabu_search", "(has_s & (1u << 0u)) != 0u", "(has_r & (1u << 0u)) != 0u"),
        ("tabu_search", "select(0u, TWICE, column == exchange.s)", "0u"),
        ("tabu_search", "iteration + 1u + tenure_of", "iteration + tenure_of"),
        ("tabu_search", "select(until_s, NEVER, exchange.s >= params.filled)", "until_s"),
        ("delta_table", "select(0u, NEVER, row >= params.filled)", "0u"),
        ("tabu_search", "return class_of(u) == class_of(v);", "return false;"),
        ("tabu_search", "exchange.until_s, like_s)", "exchange.until_s, v == s)"),
        ("tabu_search", "NEVER, like_r), both", "NEVER, v == r), both"),
        ("tabu_search", "class_of(exchange.r) *", "exchange.r *"),
        ("assignment_cost", "mul_high(flow, distance)", "0u"),
        ("unit_best", "less_wide(costs[unit], unit_costs[unit])", "less_wide(unit_costs[unit], costs[unit])"),
        ("best", "/ params.ants", ""),
        ("deposit", "add(i, tours[tour + i], amount)", "add(tours[tour + i], i, amount)"),
        ("choice_info", ">> 15u", ">> 14u"),
    ] {
        // A carry into the high word takes great costs.
        let great =
            Instance::from_matrices("great", 3, vec![0, 90, 50, 90, 0, 1, 50, 1, 0], vec![400_000_000; 9]).unwrap();
        // A choice among equals takes equals.
        let matrix = |of: fn(usize, usize) -> bool| (0..400).map(|at| u32::from(of(at / 20, at % 20))).collect();
        let flat = Instance::from_matrices("flat", 20, matrix(|i, j| (i + j) % 3 == 0), matrix(|i, j| i % 4 == j % 4));
        let flat = flat.unwrap();
        let (some_empty, some_alike) = (with_empty(5, 11), with_alike(14, 1));
        let instance = match (kernel, good) {
            ("assignment_cost", good) if good.starts_with("mul_high") => &great,
            (_, good) if good.starts_with("(min(column") => &flat,
            (_, good) if good.contains("like_") || good.contains("class_of") => &some_alike,
            (_, good) if good.contains("NEVER") || good.contains("filled") => &some_empty,
            _ => instance,
        };
        // Long searches come upon all that they can do, short ones do not all end at the same assignment.
        let iterations = if kernel == "tabu_search" { 300 } else { 5 };
        let searches = format!("search_iterations={iterations} tenure=200");
        let cas = cas(5, MoveEvaluation::Products, 3).also(&searches);
        caught(instance, &cas, 6, (kernel, good, bad), |_| {});
    }
}

#[test]
fn broken_tables_are_caught() {
    for (place, good, bad) in [
        (TablePlace::Workgroup, "].x * toward_here +", "].x * toward_here -"),
        (TablePlace::Workgroup, "= toward(DISTANCES_BACK", "= -toward(DISTANCES_BACK"),
        (TablePlace::Workgroup, "product(v, exchange.at_s)", "product(v, exchange.at_r)"),
        (TablePlace::Registers, "].x * toward_column;", "].x * -toward_column;"),
        (
            TablePlace::Registers,
            "return vec2<i32>(column_of_r[v], column_of_s[v]);",
            "return vec2<i32>(column_of_s[v], column_of_r[v]);",
        ),
        (TablePlace::Storage, "let toward_column = toward(", "let toward_column = -toward("),
        (TablePlace::Storage, "index * KEPT", "KEPT"),
    ] {
        let searches = cas(5, MoveEvaluation::Products, 3).also("search_iterations=300 tenure=200 lanes=32");
        let lanes = if place == TablePlace::Storage { searches.also("lanes=4") } else { searches };
        caught(&instances(14)[4], &lanes, 6, ("tabu_search", good, bad), |plan| {
            plan.exchange = plan.exchange.map(|exchange| exchange.with_table(14, place));
        });
    }
}

/// Where the best of the units stays what it is for long enough, all restart, and the run keeps the best that it has seen.
#[test]
fn units_that_stagnate_restart() {
    let problem = Problem::Qap(generate(9, 4).unwrap());
    let cas = settings("cas units=4 search_iterations=2 stagnation=3");
    let run = |target: Target| common::solver(&problem, &cas, target).run(&Stop::iterations(40)).unwrap();
    let (found, twin) = (run(common::target()), run(Target::Cpu));
    assert_eq!(found.permutation, twin.permutation);
    let rounds: Vec<u32> = twin.phases.iter().map(|phase| phase.round).collect();
    assert!(rounds.len() > 3 && rounds.iter().copied().eq(0..rounds.len() as u32), "{rounds:?}");
    assert_eq!(twin.cost, twin.phases.iter().map(|phase| phase.cost_end).min().unwrap());
    let never = common::solver(&problem, &cas.also("stagnation=0"), Target::Cpu);
    assert!(never.recipe().restart.is_none());
}

/// While searches grow from one iteration to the next, a submission on a GPU holds one: what the last one took says little of the next.
#[test]
fn growing_searches_are_submitted_one_by_one() {
    let problem = Problem::Qap(generate(12, 4).unwrap());
    let seen = |all: u32| {
        let line = format!("cas units=4 search_iterations={all} first_iterations=10");
        let mut seen = Vec::new();
        let mut solver = common::solver(&problem, &settings(&line), common::target());
        solver
            .run_with(&Stop::iterations(40), |now| {
                seen.push(now.iteration);
                ControlFlow::Continue(())
            })
            .unwrap();
        seen
    };
    let growing = seen(1280);
    assert!((1..=8).all(|iteration| growing.contains(&iteration)), "{growing:?}");
    // Searches that do not grow are submitted together.
    let equal = seen(10);
    assert!(equal.len() < growing.len(), "{equal:?} and {growing:?}");
}

#[test]
fn senseless_combinations_are_refused_with_the_reason() {
    let layout = Problem::Qap(generate(10, 1).unwrap());
    let tour = Problem::Tsp(common::made(myrmex::tsp::Kind::Uniform, 20, 1));
    for (problem, line, reason) in [
        (&layout, "acs", "algorithm 'acs' solves tours"),
        (&layout, "lk-eax", "algorithm 'lk-eax' solves tours"),
        (&layout, "cas local_search=2.5opt", "'2.5opt'"),
        (&layout, "mmas candidates=8", "candidate list"),
        (&layout, "mmas beta=2", "heuristic exponent"),
        (&layout, "mmas quadrants=1", "quadrant neighbours"),
        (&layout, "cas strategy=coarse", "'coarse'"),
        (&layout, "cas search_iterations=0", "search_iterations"),
        (&layout, "cas local_search=none tenure=3", "needs a local search"),
        (&layout, "cas units=0", "units"),
        (&tour, "cas", "assignments"),
        (&tour, "mmas local_search=tabu", "assignments"),
        (&tour, "mmas search_iterations=5", "assignments"),
    ] {
        let error = Solver::new(problem, &settings(line), Target::Cpu).expect_err("it is refused").to_string();
        assert!(error.contains(reason), "'{error}' does not say '{reason}'");
    }
}

/// A small instance is solved: the best of all 40,320 assignments is found.
#[test]
fn small_instances_are_solved() {
    for instance in instances(8) {
        let mut best = u64::MAX;
        let mut assignment: Vec<u32> = (0..8).collect();
        permute(&mut assignment, 0, &mut |assignment| best = best.min(instance.cost(assignment).unwrap()));
        for target in common::targets() {
            let mut solver = Solver::new(&instance, &Settings::default(), target).unwrap();
            let found = solver.run(&Stop::iterations(5)).unwrap();
            assert_eq!(found.cost, best, "{}", instance.name());
        }
    }
}

fn permute(places: &mut Vec<u32>, from: usize, visit: &mut impl FnMut(&[u32])) {
    if from == places.len() {
        return visit(places);
    }
    for i in from..places.len() {
        places.swap(from, i);
        permute(places, from + 1, visit);
        places.swap(from, i);
    }
}

#[test]
fn one_facility_needs_no_search() {
    let one = Instance::from_matrices("one", 1, vec![3], vec![5]).unwrap();
    let mut solver = Solver::new(&one, &Settings::default(), Target::Cpu).unwrap();
    let found = solver.run(&Stop::iterations(5)).unwrap();
    assert_eq!((found.cost, found.permutation), (15, vec![0]));
}

proptest! {
    /// The table of products, kept by the rule of `changes_products.wgsl` through hundreds of exchanges, still gives the
    /// change of each exchange, as do the sums of linear time and the costs before and after.
    #[test]
    fn products_follow_exchanges(n in 2usize..15, which in 0usize..5, turns in 1usize..300, seed in any::<u32>()) {
        let instance = &instances(n)[which];
        let words = matrices::words(instance);
        let asymmetric = !instance.is_symmetric_in_one();
        let all = Matrices::new(&words, n, asymmetric);
        let mut places: Vec<u32> = (0..n as u32).collect();
        let mut table = vec![0; n * n];
        products(&all, &places, n, &mut table);
        let mut word = seed;
        let mut draw = || {
            word = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (word >> 16) as usize % n
        };
        for _ in 0..turns {
            let (r, s) = (draw(), draw());
            if r == s {
                continue;
            }
            let [at_r, at_s] = [places[r] as usize, places[s] as usize];
            places.swap(r, s);
            let terms: &[(usize, usize)] = match asymmetric {
                true => &[
                    (matrices::FLOWS_THERE, matrices::DISTANCES_THERE),
                    (matrices::FLOWS_BACK, matrices::DISTANCES_BACK),
                ],
                false => &[(matrices::FLOWS_THERE, matrices::DISTANCES_THERE)],
            };
            for u in 0..n {
                for at in 0..n {
                    for &(flows, distances) in terms {
                        let x = all.row(flows, r)[u] - all.row(flows, s)[u];
                        table[u * n + at] += x * (all.row(distances, at_s)[at] - all.row(distances, at_r)[at]);
                    }
                }
            }
        }
        let mut expected = vec![0; n * n];
        products(&all, &places, n, &mut expected);
        prop_assert_eq!(&table, &expected);
        let before = instance.cost(&places).unwrap() as i64;
        for v in 1..n {
            for u in 0..v {
                let mut exchanged = places.clone();
                exchanged.swap(u, v);
                let change = instance.cost(&exchanged).unwrap() as i64 - before;
                prop_assert_eq!(i64::from(fresh_change(&all, &places, u, v)), change);
            }
        }
    }

    /// Pairs fill their rectangle without clashes.
    #[test]
    fn pairs_have_places_of_their_own(n in 2usize..40) {
        let mut taken = vec![false; n / 2 * n];
        for v in 1..n {
            for u in 0..v {
                let place = &mut taken[pair_index(n, u, v)];
                prop_assert!(!*place);
                *place = true;
            }
        }
    }
}
