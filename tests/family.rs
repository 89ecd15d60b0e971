//! The ant systems of the papers: each combination of choices on the GPU against its CPU twin, word for word, choices that
//! must change nothing, and combinations that must be refused.

use crate::common;
use crate::common::colonies::{caught, compare};
use crate::common::parity::read;
use crate::common::{Also, settings};
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::{ConstructPlan, SearchMemory};
use myrmex::tsp::{Instance, Kind};
use myrmex::{Error, LocalUpdate, Memory, PRESETS, Selection, Settings, Solver, Strategy, Target, Visited};

const VISITED: [Visited; 3] = [Visited::Lc, Visited::Bt, Visited::Ct];
const SELECTIONS: [Selection; 3] = [Selection::Rwm, Selection::Wrs, Selection::IRoulette];
const STRATEGIES: [Strategy; 2] = [Strategy::Coarse, Strategy::Fine];

/// An algorithm without local search.
fn plain(algorithm: &str, ants: usize, seed: u64) -> Settings {
    settings(algorithm).also(&format!("local_search=none ants={ants} seed={seed}"))
}

fn acs(memory: Memory, local_update: LocalUpdate) -> Settings {
    let memories = format!("memory={memory} local_update={local_update}");
    plain("acs", 7, 3).also("strategy=fine candidates=10 q0=0.6").also(&memories)
}

#[test]
fn strategies_selections_and_visited_sets_equal_their_twin() {
    let instance = common::made(Kind::Clustered, 143, 4);
    for strategy in STRATEGIES {
        for selection in SELECTIONS {
            for visited in VISITED {
                for candidates in ["all", "9"] {
                    let choices = format!("strategy={strategy} selection={selection} visited={visited}");
                    let mmas = plain("mmas", 9, 5).also("memory=matrix").also(&choices);
                    let mmas = mmas.also(&format!("candidates={candidates}"));
                    compare(&instance, &mmas, 2, |_| {});
                    compare(&instance, &mmas.also("lanes=64"), 2, |plan| plan.subgroup = None);
                }
            }
        }
    }
}

#[test]
fn long_rows_and_small_budgets_change_nothing() {
    let instance = common::made(Kind::Uniform, 611, 4);
    for strategy in STRATEGIES {
        for selection in SELECTIONS {
            for (visited, lanes) in [(Visited::Bt, 16), (Visited::Ct, 64)] {
                let choices = format!("strategy={strategy} selection={selection} visited={visited} lanes={lanes}");
                let mmas = plain("mmas", 3, 8).also("candidates=all").also(&choices);
                compare(&instance, &mmas, 1, |plan| plan.loop_budget = 20_000);
            }
        }
    }
}

#[test]
fn ant_systems_equal_their_twins() {
    let instance = common::made(Kind::Uniform, 90, 7);
    for weights in ["", "elitist=5", "ranks=6"] {
        for deposit in ["serial", "atomic"] {
            for candidates in ["all", "12"] {
                let choices = format!("deposit={deposit} candidates={candidates} {weights}");
                compare(&instance, &plain("as", 10, 2).also(&choices), 4, |_| {});
                // Rows and ants that a single invocation takes fill several calls.
                compare(&instance, &plain("as", 10, 2).also(&choices), 2, |plan| plan.loop_budget = 3_000);
            }
        }
    }
    // The weakest weights are cut off.
    for (algorithm, alpha) in [("as", 5), ("mmas", 8)] {
        for selection in ["rwm", "wrs"] {
            let steep = format!("alpha={alpha} selection={selection}");
            compare(&instance, &plain(algorithm, 10, 2).also(&steep), 6, |_| {});
        }
    }
}

/// The iteration's best deposits in every third iteration, and the best of all in the one behind.
#[test]
fn mixed_schedules_equal_their_twins() {
    let instance = common::made(Kind::Uniform, 90, 7);
    for schedule in ["1/3", "9:4,2/5", "1@2/4"] {
        let mixed = plain("mmas", 8, 2).also(&format!("schedule={schedule} stagnation=6"));
        compare(&instance, &mixed, 14, |_| {});
        assert_ne!(outcome(&instance, &mixed, 14), outcome(&instance, &mixed.also("schedule=1"), 14), "{schedule}");
    }
}

#[test]
fn ant_colony_systems_equal_their_twins() {
    let instance = common::made(Kind::Uniform, 84, 7);
    for (memory, local_update) in [
        (Memory::Matrix, LocalUpdate::Synchronous),
        (Memory::Matrix, LocalUpdate::Relaxed),
        (Memory::Matrix, LocalUpdate::None),
        (Memory::Selective, LocalUpdate::Relaxed),
        (Memory::Selective, LocalUpdate::None),
    ] {
        for selection in SELECTIONS {
            let drawn = acs(memory, local_update).also(&format!("selection={selection}"));
            compare(&instance, &drawn, 2, |_| {});
            compare(&instance, &drawn.also("strategy=coarse"), 2, |_| {});
        }
        // One subgroup, with more lanes than candidates, as many, and fewer, where subgroups have 8 lanes.
        for candidates in [5, 8, 10] {
            let few = format!("lanes=8 candidates={candidates}");
            compare(&instance, &acs(memory, local_update).also(&few), 2, |_| {});
        }
        if local_update != LocalUpdate::None {
            compare(&instance, &acs(memory, local_update).also("update_period=3"), 2, |_| {});
        }
    }
    let few = acs(Memory::Selective, LocalUpdate::Relaxed).also("memory_size=2");
    compare(&instance, &few, 3, |_| {});
}

/// Of 500 cities an ant knows 8 candidates and the 224 nearest behind them; who has visited all these looks at all.
#[test]
fn ant_colony_systems_look_at_all_cities_when_the_nearest_are_visited() {
    let instance = common::made(Kind::Clustered, 500, 5);
    for (memory, local_update) in [(Memory::Matrix, LocalUpdate::Relaxed), (Memory::Selective, LocalUpdate::Relaxed)] {
        let config = acs(memory, local_update).also("candidates=8");
        for wide in [false, true] {
            compare(&instance, &config, 2, |plan| plan.wide = wide);
        }
        let wide = |plan: &mut ConstructPlan| plan.wide = true;
        // With eight lanes there are several turns of a look.
        let config = config.also("lanes=8");
        compare(&instance, &config, 2, wide);
        for (good, bad) in [
            ("<u32>(burdens.x, first)", "<u32>(0u - burdens.x, first)"),
            ("params.nearby - 1u", "2u"),
            ("first + 4u * CREW + lane", "first + lane"),
        ] {
            caught(&instance, &config, 2, ("construct", good, bad), wide);
        }
    }
}

/// An asymmetric instance: distances of a made one, changed by direction.
fn asymmetric(n: usize, seed: u64) -> Instance {
    let made = common::made(Kind::Uniform, n, seed);
    let weights = (0..n * n).map(|i| made.distance(i / n, i % n) + (((i as u64 * 2_654_435_761) >> 7) % 30_000) as u32);
    let instance = Instance::from_matrix("asymmetric", n, weights.collect()).unwrap();
    assert!(!instance.is_symmetric());
    instance
}

#[test]
fn local_searches_equal_their_twins() {
    let searches = ["2opt", "2.5opt", "2.5opt-all", "oropt", "2opt-64", "2.5opt-64", "insertion"];
    let mut instances = vec![common::made(Kind::Clustered, 210, 4), common::made(Kind::Lattice, 100, 1)];
    instances.extend(common::degenerate());
    instances.extend((4..9).map(|n| common::made(Kind::Uniform, n, 2)));
    for instance in &instances {
        for local_search in searches {
            let config = plain("mmas", 4, 3).also("candidates=11").also(&format!("local_search={local_search}"));
            compare(instance, &config, 2, |_| {});
            let little = |plan: &mut ConstructPlan| {
                plan.loop_budget = 6_000;
                plan.search_memory = SearchMemory::Storage;
            };
            let lanes = |plan: &mut ConstructPlan| (plan.search_lanes, plan.sweep_lanes) = (256, 32);
            // Both at once where there are few cities.
            if instance.len() < 20 {
                compare(instance, &config, 1, |plan| {
                    little(plan);
                    lanes(plan);
                });
            } else {
                compare(instance, &config, 1, little);
                compare(instance, &config, 1, lanes);
            }
        }
    }
}

#[test]
fn asymmetric_instances_equal_their_twins() {
    let instance = asymmetric(120, 5);
    for local_search in ["local_search=none", "local_search=insertion"] {
        let mmas = plain("mmas", 6, 3).also("candidates=12").also(local_search);
        compare(&instance, &mmas, 4, |_| {});
        compare(&instance, &mmas, 2, |plan| plan.search_lanes = 128);
        compare(&instance, &mmas.also("memory=matrix"), 3, |_| {});
        compare(&instance, &mmas.also("candidates=all"), 3, |_| {});
        compare(&instance, &plain("as", 6, 3).also("candidates=12").also(local_search), 3, |_| {});
        for local_update in [LocalUpdate::Synchronous, LocalUpdate::Relaxed] {
            compare(&instance, &acs(Memory::Matrix, local_update).also(local_search), 3, |_| {});
        }
        compare(&instance, &acs(Memory::Selective, LocalUpdate::Relaxed).also(local_search), 3, |_| {});
    }
    // Each algorithm for tours that constructs has a default that goes with it.
    for algorithm in ["as", "acs", "mmas", "faco"] {
        compare(&instance, &settings(algorithm).also("ants=4"), 2, |_| {});
    }
    let error = Solver::new(&instance, &settings("mmas local_search=2opt"), Target::Cpu).err().unwrap().to_string();
    assert!(error.contains("reverses parts of a tour") && error.contains("insertion"), "{error}");
}

#[test]
fn every_preset_equals_its_twin() {
    for preset in PRESETS {
        let problem = common::for_preset(preset, 160);
        compare(&problem, &common::few(preset, problem.len(), 6).seed(4), 2, |_| {});
    }
}

/// The tours of a run's last iteration and its trails.
fn outcome(instance: &Instance, settings: &Settings, iterations: u32) -> (Vec<u32>, Vec<u32>) {
    let mut solver = common::solver(instance, settings, common::target());
    solver.step(iterations).unwrap();
    let colony = common::colony(&mut solver);
    (colony.solutions().unwrap(), read(colony, Buffer::Trails))
}

#[test]
fn what_should_change_nothing_changes_nothing() {
    let instance = common::made(Kind::Uniform, 110, 3);
    let mmas = plain("mmas", 12, 6).also("candidates=12 memory=matrix");
    let ant_system = plain("as", 12, 6).also("candidates=12");
    let same = |base: &Settings, choices: &[String]| {
        let one = outcome(&instance, base, 5);
        for choice in choices {
            assert_eq!(one, outcome(&instance, &base.also(choice), 5), "{base:?} and {choice}");
        }
    };
    same(&mmas, &["trail_update=separate", "best_on=host", "best_on=device"].map(String::from));
    same(&ant_system, &["deposit=serial".into()]);
    for selection in SELECTIONS {
        let full = mmas.also("candidates=all").also(&format!("selection={selection}"));
        let sets = VISITED
            .iter()
            .flat_map(|visited| [format!("visited={visited}"), format!("visited={visited} strategy=coarse")]);
        let lanes = ["lanes=8", "lanes=32", "lanes=128"].map(String::from);
        same(&full, &sets.chain(lanes.clone()).collect::<Vec<_>>());
        same(&full.also("candidates=12"), &lanes);
    }
}

#[test]
fn ants_can_start_at_different_cities() {
    for n in [40, 41, 42] {
        let instance = common::made(Kind::Uniform, n, 3);
        let config = plain("mmas", n, 6).also("start_cities=distinct");
        let (tours, _) = outcome(&instance, &config, 1);
        let mut firsts: Vec<u32> = tours.chunks(n).map(|tour| tour[0]).collect();
        firsts.sort_unstable();
        assert_eq!(firsts, (0..n as u32).collect::<Vec<_>>());
    }
}

#[test]
fn broken_kernels_of_the_family_are_caught() {
    let instance = common::made(Kind::Uniform, 120, 3);
    let mmas = |selection, visited| {
        let choices = format!("selection={selection} visited={visited}");
        plain("mmas", 6, 3).also("candidates=all trail_update=separate").also(&choices)
    };
    let ant_system = plain("as", 6, 3).also("ranks=4");
    let serial = plain("as", 6, 3).also("deposit=serial");
    let steep = plain("as", 6, 3).also("alpha=5");
    let mixed = plain("mmas", 6, 3).also("schedule=1/3");
    let searching = |local_search| plain("mmas", 6, 3).also(&format!("local_search={local_search}"));
    let synchronous = acs(Memory::Matrix, LocalUpdate::Synchronous);
    // A lane for each candidate.
    let relaxed = acs(Memory::Matrix, LocalUpdate::Relaxed).also("candidates=8");
    let selective = acs(Memory::Selective, LocalUpdate::Relaxed);
    for (config, kernel, good, bad) in [
        (mmas(Selection::Rwm, Visited::Bt), "construct", "less_wide(share, prefix)", "less_wide(prefix, share)"),
        (mmas(Selection::Rwm, Visited::Bt), "construct", "block_of(short) >= 2u", "block_of(short) >= 1u"),
        (
            // Of several subgroups each waits for one.
            mmas(Selection::Rwm, Visited::Bt).also("lanes=32"),
            "construct",
            "walk_class(city, found.z, found.xy)",
            "walk_class(city, found.z, share)",
        ),
        (mmas(Selection::Rwm, Visited::Ct), "construct", "clear_sum(mine + i);", ""),
        (mmas(Selection::Rwm, Visited::Ct), "construct", "block * CLASSES +", ""),
        (mmas(Selection::Rwm, Visited::Lc), "construct", "let both = i + 1u < count;", "let both = true;"),
        (mmas(Selection::Wrs, Visited::Lc), "construct", "set_half(places + last, place);", ""),
        (mmas(Selection::Wrs, Visited::Ct), "construct", "set_half(place, last);", ""),
        (mmas(Selection::IRoulette, Visited::Bt), "deviates", ">> 7u", ">> 8u"),
        (mmas(Selection::Wrs, Visited::Bt), "deviates", ">> 6u", ">> 5u"),
        (mmas(Selection::Wrs, Visited::Bt), "deviates", "word * 2u + 1u", "word * 2u"),
        (mmas(Selection::Wrs, Visited::Bt), "construct", "1u, 3u, 5u, 7u", "1u, 3u, 5u, 6u"),
        (mmas(Selection::Wrs, Visited::Bt), "construct", "octet % CREW == lane", "octet % CREW == 0u"),
        (mmas(Selection::Wrs, Visited::Bt), "evaporate", "params.persistence)", "params.persistence) + 1u"),
        (mmas(Selection::Wrs, Visited::Bt), "deposit_best", "params.directed == 0u", "params.directed == 1u"),
        (mmas(Selection::Wrs, Visited::Bt), "choice_info", "half * 16u", "0u"),
        (steep, "choice_info", "max(sum, taken_off) - taken_off", "min(sum, MOST_WEIGHT)"),
        (ant_system, "deposit_amount", "ranks - 1u - min", "ranks - min"),
        (ant_system, "deposit", "params.directed == 0u", "params.directed == 1u"),
        (mixed, "best", "turn == 1u", "false"),
        (mixed, "best", "turn != 0u && age", "age"),
        (serial, "serial_update", "params.persistence), state", "params.persistence) + 1u, state"),
        (serial, "serial_update", "params.directed == 0u", "params.directed == 1u"),
        (serial, "serial_update", "deposit(unit - params.cities);", "deposit(0u);"),
        (serial, "serial_update", "tours[at + 7u]", "tours[at + 6u]"),
        (serial, "serial_update", "first + 4u", "first + 3u"),
        (synchronous, "local_update", "placed == params.cities", "false"),
        (synchronous, "construct", "< params.greedy", "> params.greedy"),
        (synchronous, "global_update", "raise(after, city);", ""),
        (relaxed, "construct", "step % PERIOD", "(step + 1u) % 2u"),
        (relaxed, "construct", "is_back = other == back;", "is_back = false;"),
        (relaxed, "construct", "(entry_here & FAR_RAISED) == 0u", "true"),
        (relaxed, "construct", "if !chosen {", "if chosen {"),
        (relaxed, "construct", "entry, far_weight(city, entry >> 16u), 0u)", "entry, 0u, 0u)"),
        (relaxed, "global_update", "row + k", "row"),
        (relaxed, "global_update", "heuristic[first] |= FAR_RAISED;", ""),
        (selective, "construct", "level >> 2u", "level >> 3u"),
        (selective, "construct", "staged[MOST_RECORDS] = added + 1u;", ""),
        (selective, "construct", "base + PITCH - 1u", "base"),
        (
            searching("2.5opt"),
            "two_opt",
            "insertion(neighbour, city, next, prior)",
            "insertion(neighbour, city, city, prior)",
        ),
        (searching("2.5opt"), "two_opt", "after != city && removed", "removed"),
        (searching("2.5opt-all"), "two_opt", "k < params.pairs; k += stride", "k < 3u; k += stride"),
        (searching("2.5opt-all"), "two_opt", "state.iteration % params.all_period == 0u", "state.iteration == 0u"),
        (searching("oropt"), "two_opt", ", beside.x != end)", ", true)"),
        (searching("oropt"), "two_opt", "turned = forward == onwards", "turned = forward"),
        (searching("oropt"), "two_opt", "ahead * 2u <= others", "ahead * 2u >= others"),
        (searching("oropt"), "two_opt", "let_wait(city_at(ring(middle)))", ""),
        (searching("oropt"), "two_opt", "select(length - count, 0u, shape == 0u)", "length - count"),
        (searching("oropt"), "two_opt", "distance(members[more], beyond[more])", "distance(city, beyond[more])"),
        (searching("insertion"), "two_opt", "ahead * 2u <=", "ahead * 2u >="),
        (searching("insertion"), "two_opt", "behind - 1u - count", "behind - count"),
        (searching("2.5opt-64"), "pieces", "first + second - place", "place"),
        (searching("2.5opt-64"), "pieces", "place == second + 1u", "place == second"),
        (selective, "global_update", "% (pitch - 1u)", "% 2u"),
    ] {
        caught(&instance, &config, 12, (kernel, good, bad), |_| {});
    }
}

#[test]
fn combinations_without_sense_are_refused_with_the_reason() {
    let instance = common::made(Kind::Uniform, 40, 1);
    for (settings, reason) in [
        (plain("acs", 4, 1).also("memory=candidates"), "updates every edge"),
        (plain("mmas", 4, 1).also("memory=selective"), "only an Ant Colony System"),
        (plain("acs", 4, 1).also("memory=selective local_update=synchronous"), "order of its updates"),
        (plain("acs", 4, 1).also("memory_size=4"), "memory 'selective'"),
        (plain("acs", 4, 1).also("memory=selective memory_size=33"), "1 to 32"),
        (plain("acs", 4, 1).also("update_period=0"), "at least 1"),
        (plain("as", 4, 1).also("trail_update=separate"), "not updated in one pass"),
        (plain("mmas", 4, 1).also("trail_update=separate"), "memory 'matrix'"),
        (plain("mmas", 4, 1).also("deposit=serial"), "one tour deposits"),
        (plain("mmas", 4, 1).also("lanes=48"), "power of two"),
        (plain("mmas", 4, 1).also("quadrants=1 candidates=all"), "here are none"),
        (plain("mmas", 4, 1).also("tenure=9"), "assignments"),
        (plain("acs", 4, 1).also("q0=1.5"), "q0"),
        (plain("as", 4, 1).also("ranks=1"), "ranks"),
        (plain("as", 4, 1).also("ranks=3 elitist=4"), "exclude each other"),
    ] {
        let error = Solver::new(&instance, &settings, Target::Cpu).expect_err("the settings are refused");
        assert!(matches!(error, Error::Config(_)), "{error}");
        assert!(error.to_string().contains(reason), "'{error}' does not say '{reason}'");
    }
    // What another algorithm has is refused where it is said.
    for (algorithm, name, value, owner) in
        [("as", "memory", "candidates", "'acs' or 'mmas'"), ("mmas", "local_update", "relaxed", "'acs'")]
    {
        let message = settings(algorithm).with(name, value).unwrap_err().to_string();
        assert!(message.contains(owner) && message.contains("means nothing"), "{message}");
    }
}
