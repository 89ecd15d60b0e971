//! The settings of the papers' systems.

use crate::algorithm::choices::{
    BestOn, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Start, Strategy,
    TrailUpdate, Visited,
};
use crate::algorithm::mmas::Schedule;
use crate::settings::{Algorithm, AntColonySystem, AntSystem, Cunning, Execution, MaxMin, Settings};

/// One ant a city.
pub(super) fn ant_a_city(cities: usize) -> u32 {
    cities.clamp(1, 1 << 20) as u32
}

fn with(algorithm: impl Into<Algorithm>, execution: Execution) -> Settings {
    Settings { execution, ..Settings::of(algorithm) }
}

pub(super) fn ant_system(strategy: Strategy, deposit: Deposit) -> Settings {
    let ants = AntSystem {
        ants: Some(1024),
        selection: Some(Selection::Rwm),
        candidates: Some(Candidates::All),
        local_search: Some(LocalSearch::None),
        ..AntSystem::default()
    };
    let execution = Execution {
        strategy: Some(strategy),
        visited: Some(Visited::Bt),
        deposit: Some(deposit),
        ..Execution::default()
    };
    with(ants, execution)
}

pub(super) fn acs(ants: u32, memory: Memory, local_update: LocalUpdate, update_period: Option<u32>) -> Settings {
    let ants = AntColonySystem {
        ants: Some(ants),
        selection: Some(Selection::Wrs),
        candidates: Some(Candidates::Nearest(32)),
        memory: Some(memory),
        local_update: Some(local_update),
        update_period,
        local_search: Some(LocalSearch::None),
        ..AntColonySystem::default()
    };
    let execution = Execution { strategy: Some(Strategy::Fine), visited: Some(Visited::Bt), ..Execution::default() };
    with(ants, execution)
}

/// In every iteration its best tour deposits; trails are never re-initialised.
const ITERATION_BEST: Schedule =
    Schedule { until: [0; 4], period: [1; 4], final_period: u32::MAX, patience: 0, mix: 0 };

pub(super) fn mmas(cities: usize, selection: Selection, visited: Visited) -> Settings {
    let ants = MaxMin {
        ants: Some(ant_a_city(cities)),
        evaporation: Some(0.5),
        p_best: Some(0.01),
        stagnation: Some(0),
        schedule: Some(ITERATION_BEST),
        memory: Some(Memory::Matrix),
        selection: Some(selection),
        candidates: Some(Candidates::All),
        local_search: Some(LocalSearch::None),
        ..MaxMin::default()
    };
    let execution = Execution {
        strategy: Some(Strategy::Fine),
        visited: Some(visited),
        trail_update: Some(TrailUpdate::Separate),
        ..Execution::default()
    };
    with(ants, execution)
}

/// A MAX-MIN Ant System changed.
fn changed(settings: Settings, change: impl Fn(MaxMin) -> MaxMin) -> Settings {
    match settings.algorithm {
        Algorithm::Mmas(ants) => Settings { algorithm: Algorithm::Mmas(change(ants)), ..settings },
        _ => settings,
    }
}

/// The same with candidate lists (Skinderowicz 2020, section 4.3).
pub(super) fn lists(settings: Settings) -> Settings {
    changed(settings, |ants| MaxMin { candidates: Some(Candidates::Nearest(32)), ..ants })
}

/// With more cities trails evaporate faster (Skinderowicz 2020, section 5.7).
const SLOW_EVAPORATION_UP_TO: usize = 12_000;

/// The same with 2-opt (Skinderowicz 2020, section 5.7). The text of the paper at hand has lost its two evaporation rates, the higher one for larger
/// instances. The lower one is the default of the author's code (github.com/RSkinderowicz/GPU-based-MMAS), as are stagnation and schedule. With the
/// higher one, and from where it counts, instances end as in the paper; measured (`docs/results/papers.md`).
pub(super) fn searched(cities: usize, settings: Settings) -> Settings {
    let schedule = Schedule { until: [0; 4], period: [1; 4], final_period: 1, patience: u32::MAX, mix: 10 };
    changed(settings, |ants| MaxMin {
        ants: Some(800),
        evaporation: Some(if cities > SLOW_EVAPORATION_UP_TO { 0.25 } else { 0.1 }),
        // Half of the cities, as without candidate lists.
        average_options: Some((cities as f64 / 2.0).max(2.0)),
        stagnation: Some(500),
        schedule: Some(schedule),
        local_search: Some(LocalSearch::TwoOpt),
        ..ants
    })
}

/// So many units a facility, each searching for 16 iterations a facility divided by that.
pub(super) fn cas(
    facilities: usize,
    units: u32,
    local_search: LocalSearch,
    gamma: f64,
    evaluation: MoveEvaluation,
) -> Settings {
    let facilities = facilities.clamp(1, 1 << 16) as u32;
    let ants = Cunning {
        units: Some(units * facilities),
        gamma: Some(gamma),
        stagnation: Some(0),
        local_search: Some(local_search),
        search_iterations: Some(16 * facilities / units),
        tenure: (local_search == LocalSearch::Tabu).then_some(facilities),
        ..Cunning::default()
    };
    with(ants, Execution { move_evaluation: Some(evaluation), ..Execution::default() })
}

/// Candidates of the ants of Voicu 2013, section 6.1.
const AMP_CANDIDATES: Candidates = Candidates::Nearest(64);

pub(super) fn amp(cities: usize, local_search: LocalSearch, best_on: BestOn) -> Settings {
    let ants = MaxMin {
        ants: Some(128),
        // The paper leaves both to a book (Dorigo and Stützle 2004: β 2 to 5); these end nearest to the optimum after its 2,500
        // iterations.
        beta: Some(5.0),
        evaporation: Some(0.2),
        // Never re-initialised: the best tour since the restart is the best of all then.
        stagnation: Some(0),
        // Half of the cities, as without candidate lists.
        average_options: Some((cities as f64 / 2.0).max(2.0)),
        memory: Some(Memory::Matrix),
        selection: Some(Selection::IRoulette),
        candidates: Some(AMP_CANDIDATES),
        local_search: Some(local_search),
        start_cities: Some(Start::Distinct),
        ..MaxMin::default()
    };
    let execution = Execution { trail_update: Some(TrailUpdate::Separate), ..amp_execution(best_on) };
    with(ants, execution)
}

pub(super) fn amp_as(cities: usize, best_on: BestOn) -> Settings {
    let ants = AntSystem {
        ants: Some(ant_a_city(cities)),
        selection: Some(Selection::IRoulette),
        candidates: Some(AMP_CANDIDATES),
        local_search: Some(LocalSearch::None),
        start_cities: Some(Start::Distinct),
        ..AntSystem::default()
    };
    with(ants, amp_execution(best_on))
}

fn amp_execution(best_on: BestOn) -> Execution {
    Execution {
        strategy: Some(Strategy::Fine),
        visited: Some(Visited::Bt),
        best_on: Some(best_on),
        ..Execution::default()
    }
}
