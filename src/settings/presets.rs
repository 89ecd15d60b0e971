//! The ant systems of the papers that this crate implements, by name: values of [`Settings`].

use serde::Serialize;

use super::{Algorithm, AntColonySystem, AntSystem, Cunning, Execution, MaxMin, Settings};
use crate::algorithm::choices::{
    BestOn, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, Selection, Start, Strategy, TrailUpdate, Visited,
};
use crate::algorithm::mmas::Schedule;
use crate::error::{Error, Result};

/// A named combination of choices.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it is described.
    pub source: &'static str,
    #[serde(skip)]
    assignments: bool,
    #[serde(skip)]
    settings: fn(usize) -> Settings,
}

impl Preset {
    /// The preset of this name.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn find(name: &str) -> Result<&'static Self> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .ok_or_else(|| Error::Config(format!("there is no preset '{name}'; 'myrmex presets' lists them")))
    }

    /// Whether it solves assignments and not tours.
    pub fn is_for_assignments(&self) -> bool {
        self.assignments
    }

    /// Its settings for an instance of so many cities or facilities.
    pub fn settings(&self, size: usize) -> Settings {
        (self.settings)(size)
    }
}

macro_rules! preset {
    ($name:literal, $source:expr, $assignments:literal, $settings:expr, $summary:literal) => {
        Preset { name: $name, summary: $summary, source: $source, assignments: $assignments, settings: $settings }
    };
}

const TSUTSUI: &str = "Tsutsui and Fujimoto 2011, sections 3 to 5";
const MENEZES: &str = "Menezes et al. 2019, section IV";
const ACS: &str = "Skinderowicz 2016, section 3";
const MMAS: &str = "Skinderowicz 2020, section 4";
const AMP: &str = "Voicu 2013, section 5";

/// Every preset.
pub static PRESETS: &[Preset] = &[
    preset!(
        "auto",
        "docs/guide/algorithms.md",
        false,
        |_| Settings::default(),
        "What suits instance and device (the default)"
    ),
    preset!(
        "as-coarse",
        MENEZES,
        false,
        |_| ant_system(Strategy::Coarse, Deposit::Serial),
        "Ant System, one ant an invocation, serial deposit"
    ),
    preset!(
        "as-fine",
        MENEZES,
        false,
        |_| ant_system(Strategy::Fine, Deposit::Serial),
        "Ant System, one ant a workgroup, serial deposit"
    ),
    preset!(
        "as-fine-atomic",
        MENEZES,
        false,
        |_| ant_system(Strategy::Fine, Deposit::Atomic),
        "Ant System, one ant a workgroup, parallel evaporation, atomic deposit by every ant"
    ),
    preset!(
        "acs-gpu",
        ACS,
        false,
        |n| acs(ant_a_city(n), Memory::Matrix, LocalUpdate::Synchronous, None),
        "Ant Colony System, one dispatch a step, atomic local update"
    ),
    preset!(
        "acs-gpu-alt",
        ACS,
        false,
        |n| acs(ant_a_city(n), Memory::Matrix, LocalUpdate::Relaxed, None),
        "Ant Colony System, whole tours in a dispatch, relaxed local update"
    ),
    preset!(
        "acs-gpu-spm",
        ACS,
        false,
        |_| acs(256, Memory::Selective, LocalUpdate::Relaxed, Some(4)),
        "Ant Colony System with a selective memory of 8 trails a city, relaxed local update at each 4th step"
    ),
    preset!(
        "mmas-rwm-lc",
        MMAS,
        false,
        |n| mmas(n, Selection::Rwm, Visited::Lc),
        "MAX-MIN Ant System, parallel roulette wheel, list compression"
    ),
    preset!(
        "mmas-rwm-bt",
        MMAS,
        false,
        |n| mmas(n, Selection::Rwm, Visited::Bt),
        "MAX-MIN Ant System, parallel roulette wheel, bitmask"
    ),
    preset!(
        "mmas-rwm-ct",
        MMAS,
        false,
        |n| mmas(n, Selection::Rwm, Visited::Ct),
        "MAX-MIN Ant System, parallel roulette wheel, compact tabu list"
    ),
    preset!(
        "mmas-wrs-lc",
        MMAS,
        false,
        |n| mmas(n, Selection::Wrs, Visited::Lc),
        "MAX-MIN Ant System, weighted reservoir sampling, list compression"
    ),
    preset!(
        "mmas-wrs-bt",
        MMAS,
        false,
        |n| mmas(n, Selection::Wrs, Visited::Bt),
        "MAX-MIN Ant System, weighted reservoir sampling, bitmask"
    ),
    preset!(
        "mmas-wrs-ct",
        MMAS,
        false,
        |n| mmas(n, Selection::Wrs, Visited::Ct),
        "MAX-MIN Ant System, weighted reservoir sampling, compact tabu list"
    ),
    preset!(
        "amp-a",
        AMP,
        false,
        |n| amp(n, LocalSearch::TwoHalfOpt, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on whole tours, best ant found by the host"
    ),
    preset!(
        "amp-b",
        AMP,
        false,
        |n| amp(n, LocalSearch::TwoHalfOptPieces, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the host"
    ),
    preset!(
        "amp-c",
        AMP,
        false,
        |n| amp(n, LocalSearch::TwoHalfOptPieces, BestOn::Device),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the device"
    ),
    preset!(
        "amp-a-as",
        AMP,
        false,
        |n| amp_as(n, BestOn::Host),
        "amp-a as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-b-as",
        AMP,
        false,
        |n| amp_as(n, BestOn::Host),
        "amp-b as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-c-as",
        AMP,
        false,
        |n| amp_as(n, BestOn::Device),
        "amp-c as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "cas-tabu-a",
        TSUTSUI,
        true,
        |n| cas(n, 1, LocalSearch::Tabu, 0.4),
        "cunning Ant System for random assignment problems, tabu search on each"
    ),
    preset!("cas-tabu-b", TSUTSUI, true, |n| cas(n, 4, LocalSearch::Tabu, 0.5), "the same for those like real layouts"),
    preset!(
        "cas-2opt-a",
        TSUTSUI,
        true,
        |n| cas(n, 1, LocalSearch::TwoOpt, 0.4),
        "cunning Ant System for random assignment problems, best-improvement 2-opt on each"
    ),
    preset!(
        "cas-2opt-b",
        TSUTSUI,
        true,
        |n| cas(n, 4, LocalSearch::TwoOpt, 0.5),
        "the same for those like real layouts"
    ),
];

/// One ant a city.
fn ant_a_city(cities: usize) -> u32 {
    cities.clamp(1, 1 << 20) as u32
}

fn with(algorithm: impl Into<Algorithm>, execution: Execution) -> Settings {
    Settings { execution, ..Settings::of(algorithm) }
}

fn ant_system(strategy: Strategy, deposit: Deposit) -> Settings {
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

fn acs(ants: u32, memory: Memory, local_update: LocalUpdate, update_period: Option<u32>) -> Settings {
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
const ITERATION_BEST: Schedule = Schedule { until: [0; 4], period: [1; 4], final_period: u32::MAX, patience: 0 };

fn mmas(cities: usize, selection: Selection, visited: Visited) -> Settings {
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

/// So many units a facility, each searching for 16 iterations a facility divided by that.
fn cas(facilities: usize, units: u32, local_search: LocalSearch, gamma: f64) -> Settings {
    let facilities = facilities.clamp(1, 1 << 16) as u32;
    Settings::of(Cunning {
        units: Some(units * facilities),
        gamma: Some(gamma),
        local_search: Some(local_search),
        search_iterations: Some(16 * facilities / units),
        tenure: Some(facilities),
        ..Cunning::default()
    })
}

/// Candidates of the second paper's ants.
const AMP_CANDIDATES: Candidates = Candidates::Nearest(64);

fn amp(cities: usize, local_search: LocalSearch, best_on: BestOn) -> Settings {
    let ants = MaxMin {
        ants: Some(128),
        // The paper leaves both to a book (Dorigo and Stützle 2004: β 2 to 5); these end nearest to the optimum after its 2,500
        // iterations.
        beta: Some(5.0),
        evaporation: Some(0.2),
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

fn amp_as(cities: usize, best_on: BestOn) -> Settings {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::problem::Problem;
    use crate::instance::{qap, tsp};

    #[test]
    fn every_preset_resolves_and_has_a_name_of_its_own() {
        let tours = Problem::Tsp(tsp::generate(tsp::Kind::Uniform, 200, 1).unwrap());
        let assignments = Problem::Qap(qap::generate(30, 1).unwrap());
        for (index, preset) in PRESETS.iter().enumerate() {
            let problem = if preset.is_for_assignments() { &assignments } else { &tours };
            let recipe = preset.settings(problem.len()).recipe(problem, crate::settings::Effort::Standard);
            let recipe = recipe.unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(recipe.phases[0].system.units() > 0);
            assert!(std::ptr::eq(Preset::find(preset.name).unwrap(), &PRESETS[index]));
        }
        assert!(Preset::find("mmas").is_err());
    }
}
