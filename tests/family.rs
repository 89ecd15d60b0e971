//! The ant systems of the papers: each combination of choices on the GPU against its CPU twin, word for word, choices that
//! must change nothing, and combinations that must be refused.

mod common;

use common::colonies::{caught, compare};
use myrmex::kernels::Buffer;
use myrmex::kernels::plan::Plan;
use myrmex::kernels::two_opt::SearchMemory;
use myrmex::tsp::{Instance, Kind};
use myrmex::{
    AcsParams, Algorithm, AntSystemParams, BestOn, Candidates, Config, Deposit, Error, LocalSearch, LocalUpdate,
    Memory, MmasParams, PRESETS, Selection, Solver, Start, Strategy, Tabu, Target, TrailUpdate, Weighting,
};

const TABUS: [Tabu; 3] = [Tabu::Lc, Tabu::Bt, Tabu::Ct];
const SELECTIONS: [Selection; 3] = [Selection::Rwm, Selection::Wrs, Selection::IRoulette];
const STRATEGIES: [Strategy; 2] = [Strategy::Coarse, Strategy::Fine];

fn base(ants: usize, seed: u64) -> Config {
    Config { ants: Some(ants), seed, local_search: Some(LocalSearch::None), ..Config::default() }
}

fn acs(memory: Memory, local_update: LocalUpdate) -> Config {
    Config {
        algorithm: Some(Algorithm::Acs),
        memory: Some(memory),
        local_update: Some(local_update),
        strategy: Some(Strategy::Fine),
        candidates: Some(Candidates::Nearest(10)),
        acs: Some(AcsParams { q0: Some(0.6), ..AcsParams::default() }),
        ..base(7, 3)
    }
}

#[test]
fn strategies_selections_and_tabu_lists_equal_their_twin() {
    let instance = common::made(Kind::Clustered, 143, 4);
    for strategy in STRATEGIES {
        for selection in SELECTIONS {
            for tabu in TABUS {
                for candidates in [Candidates::All, Candidates::Nearest(9)] {
                    let config = Config {
                        strategy: Some(strategy),
                        selection,
                        tabu: Some(tabu),
                        candidates: Some(candidates),
                        memory: Some(Memory::Matrix),
                        ..base(9, 5)
                    };
                    compare(&instance, &config, 2, |_| {});
                    compare(&instance, &Config { lanes: Some(64), ..config }, 2, |plan| plan.subgroup = None);
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
            for (tabu, lanes) in [(Tabu::Bt, 16), (Tabu::Ct, 64)] {
                let config = Config {
                    strategy: Some(strategy),
                    selection,
                    tabu: Some(tabu),
                    lanes: Some(lanes),
                    candidates: Some(Candidates::All),
                    ..base(3, 8)
                };
                compare(&instance, &config, 1, |plan| plan.loop_budget = 20_000);
            }
        }
    }
}

#[test]
fn ant_systems_equal_their_twins() {
    let instance = common::made(Kind::Uniform, 90, 7);
    for weighting in [Weighting::Every, Weighting::Elitist(5.0), Weighting::Ranked(6)] {
        for deposit in [Deposit::Serial, Deposit::Atomic] {
            for candidates in [Candidates::All, Candidates::Nearest(12)] {
                let config = Config {
                    algorithm: Some(Algorithm::As),
                    deposit,
                    candidates: Some(candidates),
                    ant_system: Some(AntSystemParams { weighting, ..AntSystemParams::default() }),
                    ..base(10, 2)
                };
                compare(&instance, &config, 4, |_| {});
            }
        }
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
            let config = Config { selection, ..acs(memory, local_update) };
            compare(&instance, &config, 2, |_| {});
            compare(&instance, &Config { strategy: Some(Strategy::Coarse), ..config }, 2, |_| {});
        }
        // One subgroup, with more lanes than candidates, as many, and fewer, where subgroups have 8 lanes.
        for candidates in [5, 8, 10] {
            let candidates = Some(Candidates::Nearest(candidates));
            let config = Config { lanes: Some(8), candidates, ..acs(memory, local_update) };
            compare(&instance, &config, 2, |_| {});
        }
        if local_update != LocalUpdate::None {
            compare(&instance, &Config { update_period: Some(3), ..acs(memory, local_update) }, 2, |_| {});
        }
    }
    let few = Config { trails: Some(2), ..acs(Memory::Selective, LocalUpdate::Relaxed) };
    compare(&instance, &few, 3, |_| {});
}

/// Of 500 cities an ant knows 8 candidates and the 224 nearest behind them; who has visited all these looks at all.
#[test]
fn ant_colony_systems_look_at_all_cities_when_the_nearest_are_visited() {
    let instance = common::made(Kind::Clustered, 500, 5);
    for (memory, local_update) in [(Memory::Matrix, LocalUpdate::Relaxed), (Memory::Selective, LocalUpdate::Relaxed)] {
        let config = Config { candidates: Some(Candidates::Nearest(8)), ..acs(memory, local_update) };
        for wide in [false, true] {
            compare(&instance, &config, 2, |plan| plan.wide = wide);
        }
        let wide = |plan: &mut Plan| plan.wide = true;
        // With eight lanes there are several turns of a look.
        let config = Config { lanes: Some(8), ..config };
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
    let searches = [
        LocalSearch::TwoOpt,
        LocalSearch::TwoHalfOpt,
        LocalSearch::OrOpt,
        LocalSearch::TwoOptPieces,
        LocalSearch::TwoHalfOptPieces,
        LocalSearch::Insertion,
    ];
    let mut instances = vec![common::made(Kind::Clustered, 210, 4), common::made(Kind::Lattice, 100, 1)];
    instances.extend(common::degenerate());
    instances.extend((4..9).map(|n| common::made(Kind::Uniform, n, 2)));
    for instance in &instances {
        for local_search in searches {
            let config =
                Config { local_search: Some(local_search), candidates: Some(Candidates::Nearest(11)), ..base(6, 3) };
            compare(instance, &config, 2, |_| {});
            compare(instance, &config, 1, |plan| {
                plan.loop_budget = 6_000;
                plan.search_memory = SearchMemory::Storage;
            });
            compare(instance, &config, 1, |plan| (plan.search_lanes, plan.sweep_lanes) = (256, 32));
        }
    }
}

#[test]
fn asymmetric_instances_equal_their_twins() {
    let instance = asymmetric(120, 5);
    for local_search in [LocalSearch::None, LocalSearch::Insertion] {
        let mmas = Config { local_search: Some(local_search), candidates: Some(Candidates::Nearest(12)), ..base(6, 3) };
        compare(&instance, &mmas, 4, |_| {});
        compare(&instance, &mmas, 2, |plan| plan.search_lanes = 128);
        compare(&instance, &Config { memory: Some(Memory::Matrix), ..mmas }, 3, |_| {});
        compare(&instance, &Config { candidates: Some(Candidates::All), ..mmas }, 3, |_| {});
        compare(&instance, &Config { algorithm: Some(Algorithm::As), ..mmas }, 3, |_| {});
        for local_update in [LocalUpdate::Synchronous, LocalUpdate::Relaxed] {
            compare(
                &instance,
                &Config { local_search: Some(local_search), ..acs(Memory::Matrix, local_update) },
                3,
                |_| {},
            );
        }
        compare(
            &instance,
            &Config { local_search: Some(local_search), ..acs(Memory::Selective, LocalUpdate::Relaxed) },
            3,
            |_| {},
        );
    }
    let two_opt = Config { local_search: Some(LocalSearch::TwoOpt), ..Config::default() };
    let error = Solver::new(&instance, &two_opt, Target::Cpu).err().unwrap().to_string();
    assert!(error.contains("reverses parts of a tour") && error.contains("insertion"), "{error}");
}

#[test]
fn every_preset_equals_its_twin() {
    for preset in PRESETS {
        let problem = common::for_preset(preset, 160);
        let config = Config { ants: Some(6), seed: 4, ..preset.config(problem.len()) };
        compare(&problem, &config, 2, |_| {});
    }
}

/// The tours of a run's last iteration and its trails.
fn outcome(instance: &Instance, config: &Config, iterations: u32) -> (Vec<u32>, Vec<u32>) {
    let mut solver = common::solver(instance, config, common::target());
    solver.step(iterations).unwrap();
    let colony = solver.colony().unwrap();
    let words = colony.plan().buffers().iter().find(|plan| plan.name == Buffer::Trails).unwrap().words as usize;
    let trails = colony.buffers().get(Buffer::Trails);
    (colony.solutions().unwrap(), colony.backend().read(trails, 0..words).unwrap())
}

#[test]
fn what_should_change_nothing_changes_nothing() {
    let instance = common::made(Kind::Uniform, 110, 3);
    let mmas = Config { candidates: Some(Candidates::Nearest(12)), memory: Some(Memory::Matrix), ..base(12, 6) };
    let ant_system = Config { algorithm: Some(Algorithm::As), ..mmas };
    let same = |a: Config, b: Config| assert_eq!(outcome(&instance, &a, 5), outcome(&instance, &b, 5), "{a:?} {b:?}");
    same(mmas, Config { trail_update: TrailUpdate::Separate, ..mmas });
    same(mmas, Config { best_on: BestOn::Host, ..mmas });
    same(ant_system, Config { deposit: Deposit::Serial, ..ant_system });
    for selection in SELECTIONS {
        let full = Config { selection, candidates: Some(Candidates::All), ..mmas };
        for tabu in TABUS {
            same(full, Config { tabu: Some(tabu), ..full });
            same(full, Config { tabu: Some(tabu), strategy: Some(Strategy::Coarse), ..full });
        }
        for lanes in [8, 32, 128] {
            same(full, Config { lanes: Some(lanes), ..full });
            let near = Config { candidates: Some(Candidates::Nearest(12)), ..full };
            same(near, Config { lanes: Some(lanes), ..near });
        }
    }
}

#[test]
fn ants_can_start_at_different_cities() {
    for n in [40, 41, 42] {
        let instance = common::made(Kind::Uniform, n, 3);
        let config = Config { start: Start::Distinct, ..base(n, 6) };
        let (tours, _) = outcome(&instance, &config, 1);
        let mut firsts: Vec<u32> = tours.chunks(n).map(|tour| tour[0]).collect();
        firsts.sort_unstable();
        assert_eq!(firsts, (0..n as u32).collect::<Vec<_>>());
    }
}

#[test]
fn broken_kernels_of_the_family_are_caught() {
    let instance = common::made(Kind::Uniform, 120, 3);
    let mmas = |selection, tabu| Config {
        selection,
        tabu: Some(tabu),
        candidates: Some(Candidates::All),
        trail_update: TrailUpdate::Separate,
        ..base(6, 3)
    };
    let ranked = AntSystemParams { weighting: Weighting::Ranked(4), ..AntSystemParams::default() };
    let ant_system = Config { algorithm: Some(Algorithm::As), ant_system: Some(ranked), ..base(6, 3) };
    let searching = |local_search| Config { local_search: Some(local_search), ..base(6, 3) };
    let synchronous = acs(Memory::Matrix, LocalUpdate::Synchronous);
    // A lane for each candidate.
    let few = Some(Candidates::Nearest(8));
    let relaxed = Config { candidates: few, ..acs(Memory::Matrix, LocalUpdate::Relaxed) };
    let selective = acs(Memory::Selective, LocalUpdate::Relaxed);
    for (config, kernel, good, bad) in [
        (mmas(Selection::Rwm, Tabu::Bt), "construct", "less_wide(share, prefix)", "less_wide(prefix, share)"),
        (mmas(Selection::Rwm, Tabu::Ct), "construct", "CLASSES - base + class_", "base + class_"),
        (mmas(Selection::Wrs, Tabu::Lc), "construct", "set_half(places + last, place);", ""),
        (mmas(Selection::Wrs, Tabu::Ct), "construct", "set_half(place, last);", ""),
        (mmas(Selection::IRoulette, Tabu::Bt), "deviates", ">> 7u", ">> 8u"),
        (mmas(Selection::Wrs, Tabu::Bt), "deviates", ">> 6u", ">> 5u"),
        (mmas(Selection::Wrs, Tabu::Bt), "deviates", "word * 2u + 1u", "word * 2u"),
        (mmas(Selection::Wrs, Tabu::Bt), "construct", "1u, 3u, 5u, 7u", "1u, 3u, 5u, 6u"),
        (mmas(Selection::Wrs, Tabu::Bt), "construct", "octet % CREW == lane", "octet % CREW == 0u"),
        (mmas(Selection::Wrs, Tabu::Bt), "evaporate", "params.persistence)", "params.persistence) + 1u"),
        (mmas(Selection::Wrs, Tabu::Bt), "deposit_best", "params.directed == 0u", "params.directed == 1u"),
        (mmas(Selection::Wrs, Tabu::Bt), "choice_info", "half * 16u", "0u"),
        (ant_system, "deposit_amount", "ranks - 1u - min", "ranks - min"),
        (ant_system, "deposit", "params.directed == 0u", "params.directed == 1u"),
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
        (selective, "construct", "staged[ADDED] = added + 1u;", ""),
        (selective, "construct", "base + PITCH - 1u", "base"),
        (
            searching(LocalSearch::TwoHalfOpt),
            "two_opt",
            "insertion(neighbour, city, next, prior)",
            "insertion(neighbour, city, city, prior)",
        ),
        (searching(LocalSearch::TwoHalfOpt), "two_opt", "after != city && removed", "removed"),
        (searching(LocalSearch::OrOpt), "two_opt", ", beside.x != end)", ", true)"),
        (searching(LocalSearch::OrOpt), "two_opt", "turned = forward == onwards", "turned = forward"),
        (searching(LocalSearch::OrOpt), "two_opt", "ahead * 2u <= others", "ahead * 2u >= others"),
        (searching(LocalSearch::OrOpt), "two_opt", "let_wait(city_at(ring(middle)))", ""),
        (searching(LocalSearch::OrOpt), "two_opt", "select(length - count, 0u, shape == 0u)", "length - count"),
        (
            searching(LocalSearch::OrOpt),
            "two_opt",
            "distance(members[more], beyond[more])",
            "distance(city, beyond[more])",
        ),
        (searching(LocalSearch::Insertion), "two_opt", "ahead * 2u <=", "ahead * 2u >="),
        (searching(LocalSearch::Insertion), "two_opt", "behind - 1u - count", "behind - count"),
        (searching(LocalSearch::TwoHalfOptPieces), "pieces", "first + second - place", "place"),
        (searching(LocalSearch::TwoHalfOptPieces), "pieces", "place == second + 1u", "place == second"),
        (selective, "global_update", "% (pitch - 1u)", "% 2u"),
    ] {
        caught(&instance, &config, 12, (kernel, good, bad), |_| {});
    }
}

#[test]
fn combinations_without_sense_are_refused_with_the_reason() {
    let instance = common::made(Kind::Uniform, 40, 1);
    let refused = |config: Config| {
        let error = Solver::new(&instance, &config, Target::Cpu).err().expect("the configuration is refused");
        assert!(matches!(error, Error::Config(_)), "{error}");
        error.to_string()
    };
    let ant_system = Config { algorithm: Some(Algorithm::As), ..base(4, 1) };
    let acs = Config { algorithm: Some(Algorithm::Acs), ..base(4, 1) };
    let mmas = base(4, 1);
    for (config, reason) in [
        (Config { memory: Some(Memory::Candidates), ..ant_system }, "deposit on every edge"),
        (Config { memory: Some(Memory::Candidates), ..acs }, "updates every edge"),
        (Config { memory: Some(Memory::Selective), ..mmas }, "only an Ant Colony System"),
        (Config { local_update: Some(LocalUpdate::Relaxed), ..mmas }, "only an Ant Colony System"),
        (
            Config { memory: Some(Memory::Selective), local_update: Some(LocalUpdate::Synchronous), ..acs },
            "order of its updates",
        ),
        (Config { trails: Some(4), ..acs }, "memory 'selective'"),
        (Config { memory: Some(Memory::Selective), trails: Some(33), ..acs }, "1 to 32"),
        (Config { update_period: Some(0), ..acs }, "at least 1"),
        (Config { trail_update: TrailUpdate::Separate, ..ant_system }, "MAX-MIN"),
        (Config { trail_update: TrailUpdate::Separate, ..mmas }, "memory 'matrix'"),
        (Config { mmas: Some(MmasParams::for_search(false)), ..acs }, "'mmas' do not go with"),
        (Config { lanes: Some(48), ..mmas }, "power of two"),
        (
            Config { quadrants: 1, candidates: Some(Candidates::All), local_search: Some(LocalSearch::None), ..mmas },
            "here are none",
        ),
        (Config { acs: Some(AcsParams { q0: Some(1.5), ..AcsParams::default() }), ..acs }, "q0"),
        (
            Config {
                ant_system: Some(AntSystemParams { weighting: Weighting::Ranked(1), ..AntSystemParams::default() }),
                ..ant_system
            },
            "ranks",
        ),
    ] {
        let message = refused(config);
        assert!(message.contains(reason), "'{message}' does not say '{reason}'");
    }
}
