//! Every kernel against its CPU twin, word for word, and broken kernels that must be caught.

use crate::common;
use crate::common::colonies::{caught, compare, ends_within_its_budget, plan};
use crate::common::{Also, settings};
use myrmex::backend::CpuBackend;
use myrmex::colony::Colony;
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::SearchMemory;
use myrmex::kernels::shared::state::State;
use myrmex::tsp::{Instance, Kind};
use myrmex::{Breadth, Settings};

/// A MAX-MIN Ant System.
fn mmas(ants: usize, candidates: usize, local_search: &str, seed: u64) -> Settings {
    settings(&format!("mmas ants={ants} candidates={candidates} local_search={local_search} seed={seed}"))
}

/// One whose ants weigh all cities and do not search.
fn full(ants: usize, seed: u64) -> Settings {
    settings(&format!("mmas ants={ants} candidates=all local_search=none seed={seed}"))
}

#[test]
fn kernels_equal_their_twins_on_made_instances() {
    for (kind, n) in [(Kind::Uniform, 150), (Kind::Clustered, 220), (Kind::Lattice, 64), (Kind::Circle, 97)] {
        let instance = common::made(kind, n, 3);
        for (k, seed) in [(5, 1), (9, 2), (32, u64::MAX - 5)] {
            compare(&instance, &mmas(7, k, "2opt", seed), 3, |_| {});
        }
        compare(&instance, &full(5, 4), 3, |_| {});
    }
}

#[test]
fn kernels_equal_their_twins_on_degenerate_and_tiny_instances() {
    for instance in common::degenerate() {
        compare(&instance, &mmas(6, 8, "2opt", 1), 4, |_| {});
    }
    for n in 4..10 {
        let instance = common::made(Kind::Uniform, n, n as u64);
        compare(&instance, &mmas(3, 5, "2opt", 2), 4, |_| {});
    }
}

/// Or-opt looks at each segment of each neighbour, insertions at each neighbour twice.
#[test]
fn searches_count_all_loop_turns_of_their_moves() {
    let instance = common::made(Kind::Uniform, 1000, 7);
    for local_search in ["oropt", "2.5opt"] {
        ends_within_its_budget(&instance, &mmas(2, 32, local_search, 1), "two_opt");
    }
}

#[test]
fn matrices_equal_coordinates() {
    let instance = common::made(Kind::Uniform, 90, 8);
    let matrix = Instance::from_matrix("matrix", 90, instance.distance_matrix()).unwrap();
    compare(&matrix, &mmas(6, 10, "2opt", 5), 3, |_| {});
}

#[test]
fn long_candidate_lists_equal_their_twin() {
    let instance = common::made(Kind::Uniform, 560, 2);
    compare(&instance, &full(4, 9), 2, |_| {});
}

#[test]
fn where_a_tour_lies_and_small_budgets_change_nothing() {
    let instance = common::made(Kind::Clustered, 301, 6);
    let config = mmas(5, 12, "2opt", 3);
    for memory in [SearchMemory::Words, SearchMemory::Workgroup, SearchMemory::Storage] {
        for budget in [None, Some(6_000)] {
            compare(&instance, &config, 2, |plan| {
                plan.search_memory = memory;
                plan.loop_budget = budget.unwrap_or(plan.loop_budget);
            });
        }
    }
}

#[test]
fn chains_equal_their_twin_wherever_a_tour_lies() {
    let lk = |ants, seed| mmas(ants, 12, "lk", seed);
    for (kind, n) in [(Kind::Uniform, 150), (Kind::Clustered, 220), (Kind::Lattice, 64), (Kind::Circle, 97)] {
        for breadth in Breadth::ALL {
            compare(common::made(kind, n, 3), &lk(5, 2).also(&format!("breadth={breadth}")), 3, |_| {});
        }
    }
    for instance in common::degenerate() {
        compare(&instance, &lk(4, 1), 3, |_| {});
    }
    for n in 4..9 {
        compare(common::made(Kind::Uniform, n, n as u64), &lk(3, 2), 3, |_| {});
    }
    let instance = common::made(Kind::Clustered, 201, 6);
    for memory in [SearchMemory::Words, SearchMemory::Workgroup, SearchMemory::QueueInStorage, SearchMemory::Storage] {
        for (lanes, budget) in [(4, 12_000), (8, 60_000), (32, 9_000)] {
            compare(&instance, &lk(3, 3), 2, |plan| {
                plan.search_memory = memory;
                plan.search_lanes = lanes;
                plan.search_subgroup = plan.search_subgroup.filter(|size| lanes.is_multiple_of(*size));
                plan.loop_budget = budget;
            });
        }
    }
    compare(&instance, &lk(3, 3), 2, |plan| plan.search_subgroup = None);
    // Long paths, reversed only for a gain at once.
    for long in [0, 1, 7, 30] {
        for breadth in Breadth::ALL {
            let settings = lk(3, 4).also(&format!("breadth={breadth}"));
            compare(&instance, &settings, 2, |plan| plan.long_path = long);
        }
    }
}

#[test]
fn chains_take_distances_of_all_kinds() {
    for (whole, instance) in common::all_kinds_of_distances() {
        let config = mmas(5, 7, "lk", 3);
        compare(&instance, &config, 3, |plan| assert_eq!(plan.rounding.is_some(), whole));
    }
}

#[test]
fn broken_distances_are_caught() {
    let config = mmas(5, 7, "lk", 3);
    for (instance, (good, bad)) in common::broken_distances() {
        for kernel in ["lin_kernighan", "tour_cost"] {
            caught(&instance, &config, 3, (kernel, good, bad), |_| {});
        }
    }
}

/// A search's lists have quadrants of their own: they do not begin the longer lists of candidates.
#[test]
fn lists_of_candidates_and_of_a_search_have_quadrants() {
    let instance = common::made(Kind::Clustered, 320, 2);
    let start = instance.nearest_neighbour_tour(0);
    let settings = mmas(2, 16, "lk", 1).also("quadrants=2");
    let backend = CpuBackend::new();
    let plan = plan(&instance, &settings, &backend);
    let construct = plan.construct().unwrap();
    let (n, candidates, searched, pairs) = (plan.cities, 16, construct.neighbours, construct.neighbour_pairs());
    let mut colony = Colony::new(Box::new(backend), &instance, plan, &start).unwrap();
    let mut read = |buffer, words| {
        let buffer = colony.buffers().get(buffer);
        colony.backend().read(buffer, 0..words).unwrap()
    };
    let listed: Vec<u32> = read(Buffer::Heuristic, n * candidates).iter().map(|entry| entry >> 16).collect();
    assert_eq!(listed, instance.quadrant_neighbours(candidates, 2).ids());
    let listed = read(Buffer::Neighbours, n * pairs * 4);
    let rows = listed.chunks(pairs * 4).flat_map(|row| row.iter().step_by(2).take(searched).copied());
    assert_eq!(rows.collect::<Vec<u32>>(), instance.quadrant_neighbours(searched, 2).ids());
    assert_ne!(instance.quadrant_neighbours(searched, 2), instance.neighbours(searched));
}

/// Lists that are not the nearest alone: candidates and neighbours of a search, and what is near besides them.
#[test]
fn quadrant_lists_equal_their_twins() {
    let instance = common::made(Kind::Clustered, 320, 2);
    for (local_search, k) in [("2opt", 5), ("lk", 16), ("none", 8)] {
        compare(&instance, &mmas(5, k, local_search, 3).also("quadrants=1"), 3, |_| {});
    }
    let two = mmas(5, 12, "lk", 4).also("quadrants=2");
    compare(&instance, &two, 3, |_| {});
    // Fewer cities than quadrants ask for.
    compare(common::made(Kind::Uniform, 6, 1), &two, 3, |_| {});
}

#[test]
fn focused_ants_equal_their_twins() {
    let instance = common::made(Kind::Clustered, 180, 2);
    let faco = |parameters: &str| settings("faco").also(parameters);
    for local_search in ["none", "2opt", "lk"] {
        for focus in [2, 40, 500] {
            let choices = format!("local_search={local_search} focus={focus}");
            compare(&instance, &faco("ants=5 candidates=9 seed=3").also(&choices), 4, |_| {});
        }
    }
    let focused = faco("focus=60 ants=3 candidates=8 seed=1");
    compare(&instance, &focused, 3, |plan| (plan.loop_budget, plan.sweep_lanes) = (9_000, 4));
    for n in 4..8 {
        compare(common::made(Kind::Uniform, n, 1), &focused, 4, |_| {});
    }
}

/// Steps beyond the candidates cost several others: the dispatches planned have to be enough with many of them.
#[test]
fn construction_ends_within_its_dispatches() {
    let instance = common::made(Kind::Clustered, 1500, 4);
    let config = mmas(12, 5, "none", 3);
    for budget in [None, Some(12_000)] {
        for wide in [false, true] {
            compare(&instance, &config, 2, |plan| {
                (plan.loop_budget, plan.wide) = (budget.unwrap_or(plan.loop_budget), wide);
            });
        }
    }
}

#[test]
fn lanes_change_nothing() {
    let instance = common::made(Kind::Uniform, 130, 6);
    let config = mmas(5, 12, "2opt", 3);
    for (lanes, subgroups) in [(1, true), (8, true), (32, true), (64, true), (128, true), (256, true), (256, false)] {
        compare(&instance, &config, 3, |plan| {
            plan.construct_lanes = lanes.max(4);
            plan.search_lanes = lanes.max(4);
            plan.search_subgroup = plan.search_subgroup.filter(|_| subgroups);
            plan.sweep_lanes = lanes;
            plan.single_lanes = lanes;
        });
    }
}

#[test]
fn re_initialisation_equals_its_twin() {
    let instance = common::made(Kind::Circle, 30, 6);
    let config = mmas(4, 8, "2opt", 3).also("stagnation=3");
    // Far enough for 2-opt to look at all cities once more.
    compare(&instance, &config, 34, |_| {});
    let mut solver = common::solver(&instance, &config, myrmex::Target::Cpu);
    assert!(solver.step(40).unwrap().restarts > 1);
}

#[test]
fn broken_kernels_are_caught() {
    let instance = common::made(Kind::Uniform, 120, 3);
    let config = mmas(6, 12, "2opt", 3);
    let lattice = common::made(Kind::Lattice, 100, 3);
    let chains = settings("faco ants=6 candidates=12 focus=30 evaporation=0.2 stagnation=250 seed=3");
    for (kernel, good, bad) in [
        ("construct", "0x7FEB352Du", "0x7FEB352Fu"),
        ("construct", "(weight << 16u) | city", "(weight << 16u) | (city ^ 1u)"),
        ("construct", "place <= last", "place < last"),
        ("construct", "(rank << 16u) | near", "(rank << 16u) | far"),
        ("construct", "near_visited || rank", "rank"),
        ("deviates", "word) << 16u", "word + 1u) << 16u"),
        ("two_opt", "length * 2u > params.cities", "length * 2u < params.cities"),
        ("two_opt", "removed.x - added.x > best.gain", "removed.x - added.x < best.gain"),
        ("two_opt", "heads[slice] = bit + 1u", "heads[slice] = bit"),
        ("two_opt", "bit * SLICES + slice, left", "bit * SLICES + (slice ^ 1u), left"),
        ("two_opt", "its.y > own.y", "its.y < own.y"),
        ("two_opt", "(other < entry)", "(other > entry)"),
        ("two_opt", "onwards < (a >> 16u)", "onwards + 1u < (a >> 16u)"),
        ("two_opt", "let_wait(ready[entry >> 1u])", "let_wait(ready[entry >> 2u])"),
        ("two_opt", "city_at(ring(behind - 1u))", "city_at(ring(behind))"),
        ("two_opt", "known.x == after", "known.x == before"),
        ("two_opt", "is_changed(pair.x) ||", "false ||"),
        ("lin_kernighan", "(rank == tried) | ", ""),
        ("lin_kernighan", "if rank == tried {", "if rank == NONE {"),
        ("lin_kernighan", "open - closing > best", "open - closing >= best"),
        ("lin_kernighan", "value > closing", "value >= closing"),
        ("lin_kernighan", "min(flip, tour_size() - flip)", "flip"),
        ("lin_kernighan", "place <= flip", "place < flip"),
        ("lin_kernighan", "reflected_back(flip, flips_third)", "reflected_forth(flip, flips_third)"),
        ("lin_kernighan", "are_beside(place, end_place) & ", ""),
        ("lin_kernighan", " & !are_beside(place, place_behind(tip, forward))", ""),
        ("lin_kernighan", "keep_flips(depth);", ""),
        ("lin_kernighan", "u32 = 0x1235u", "u32 = 0x1225u"),
        ("lin_kernighan", "turn(forward, tip, end, lane)", "turn(forward, end, tip, lane)"),
        ("lin_kernighan", "known.x == after", "known.x == before"),
        ("focus", "select(at, at - cities, at >= cities)", "select(at, 0u, at >= cities)"),
        ("focus", "~(1u << (city & 31u))", "~(2u << (city & 31u))"),
        ("tour_cost", "select(i + 1u, 0u, i + 1u == cities)", "min(i + 1u, cities - 1u)"),
        ("best", "less_wide(cost, least)", "less_wide(least, cost)"),
        ("best", "age % period == 0u", "age % period == 1u"),
        ("trail_update", "other == place.before ||", ""),
        ("trail_update", ">> 15u", ">> 14u"),
    ] {
        // Equal gains take equal distances.
        let (instance, config) = match kernel {
            "lin_kernighan" | "focus" => (&lattice, &chains),
            _ => (&instance, &config),
        };
        caught(instance, config, 30, (kernel, good, bad), |plan| plan.long_path = 10);
    }
    let narrow = chains.also("breadth=narrow");
    for (good, bad) in [("const DEPTH: u32 = 6u", "const DEPTH: u32 = 5u"), ("u32 = 0x15u", "u32 = 0x14u")] {
        caught(&lattice, &narrow, 30, ("lin_kernighan", good, bad), |plan| plan.long_path = 10);
    }
}

#[test]
fn the_state_holds_what_the_buffers_say() {
    let instance = common::made(Kind::Uniform, 80, 3);
    for target in common::targets() {
        let mut solver = common::solver(&instance, &mmas(9, 10, "2opt", 3), target);
        let progress = solver.step(20).unwrap();
        let colony = common::colony(&mut solver);
        let state: State = colony.state().unwrap();
        let best = colony.best_solution().unwrap();
        assert_eq!(instance.tour_cost(&best).unwrap(), progress.cost);
        assert!(state.trail_min >= 1 && state.trail_min < state.trail_max);
        let trails = colony.buffers().get(Buffer::Trails);
        let words = colony.plan().cities * 10;
        let trails = colony.backend().read(trails, 0..words).unwrap();
        assert!(trails.iter().all(|trail| (state.trail_min..=state.trail_max).contains(trail)));
    }
}
