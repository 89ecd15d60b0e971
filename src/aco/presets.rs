//! The ant systems of the papers that this crate implements, by name.

use serde::Serialize;

use super::cas::CasParams;
use super::config::{
    Algorithm, BestOn, Candidates, Config, Deposit, LocalSearch, LocalUpdate, Memory, Selection, Start, Strategy, Tabu,
    TrailUpdate,
};
use super::mmas::{MmasParams, Schedule};

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
    ants: Ants,
    #[serde(skip)]
    choices: fn() -> Config,
}

/// How many ants a preset has.
#[derive(Clone, Copy, Debug)]
enum Ants {
    /// As many as the crate chooses.
    Default,
    /// One a city.
    Cities,
    /// This many.
    Count(usize),
    /// This many a facility, each searching for 16 iterations a facility divided by this.
    Facilities(u32),
}

impl Preset {
    /// The preset of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Whether it solves assignments and not tours.
    pub fn is_for_assignments(&self) -> bool {
        matches!(self.ants, Ants::Facilities(_))
    }

    /// Its configuration for an instance of `cities` cities or facilities.
    pub fn config(&self, cities: usize) -> Config {
        let ants = match self.ants {
            Ants::Default => None,
            Ants::Cities => Some(cities.clamp(1, 1 << 20)),
            Ants::Count(count) => Some(count),
            Ants::Facilities(each) => {
                let facilities = cities.clamp(1, 1 << 16) as u32;
                return Config {
                    ants: Some((each * facilities) as usize),
                    tabu_iterations: Some(16 * facilities / each),
                    tabu_tenure: Some(facilities),
                    ..(self.choices)()
                };
            }
        };
        Config { ants, ..(self.choices)() }
    }
}

macro_rules! preset {
    ($name:literal, $source:expr, $ants:expr, $choices:expr, $summary:literal) => {
        Preset { name: $name, summary: $summary, source: $source, ants: $ants, choices: $choices }
    };
}

const TSUTSUI: &str = "Tsutsui and Fujimoto 2011, sections 3 to 5";
const MENEZES: &str = "Menezes et al. 2019, section IV";
const ACS: &str = "Skinderowicz 2016, section 3";
const MMAS: &str = "Skinderowicz 2020, section 4";
const AMP: &str = "Voicu 2013, section 5";

/// Every preset.
pub static PRESETS: &[Preset] = &[
    preset!("auto", "docs/tuning.md", Ants::Default, Config::default, "What suits instance and device (the default)"),
    preset!(
        "as-coarse",
        MENEZES,
        Ants::Count(1024),
        || ant_system(Strategy::Coarse, Deposit::Serial),
        "Ant System, one ant an invocation, serial deposit"
    ),
    preset!(
        "as-fine",
        MENEZES,
        Ants::Count(1024),
        || ant_system(Strategy::Fine, Deposit::Serial),
        "Ant System, one ant a workgroup, serial deposit"
    ),
    preset!(
        "as-fine-atomic",
        MENEZES,
        Ants::Count(1024),
        || ant_system(Strategy::Fine, Deposit::Atomic),
        "Ant System, one ant a workgroup, parallel evaporation, atomic deposit by every ant"
    ),
    preset!(
        "acs-gpu",
        ACS,
        Ants::Cities,
        || acs(Memory::Matrix, LocalUpdate::Synchronous, None),
        "Ant Colony System, one dispatch a step, atomic local update"
    ),
    preset!(
        "acs-gpu-alt",
        ACS,
        Ants::Cities,
        || acs(Memory::Matrix, LocalUpdate::Relaxed, None),
        "Ant Colony System, whole tours in a dispatch, relaxed local update"
    ),
    preset!(
        "acs-gpu-spm",
        ACS,
        Ants::Count(256),
        || acs(Memory::Selective, LocalUpdate::Relaxed, Some(4)),
        "Ant Colony System with a selective memory of 8 trails a city, relaxed local update at each 4th step"
    ),
    preset!(
        "mmas-rwm-lc",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Rwm, Tabu::Lc),
        "MAX-MIN Ant System, parallel roulette wheel, list compression"
    ),
    preset!(
        "mmas-rwm-bt",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Rwm, Tabu::Bt),
        "MAX-MIN Ant System, parallel roulette wheel, bitmask"
    ),
    preset!(
        "mmas-rwm-ct",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Rwm, Tabu::Ct),
        "MAX-MIN Ant System, parallel roulette wheel, compact tabu list"
    ),
    preset!(
        "mmas-wrs-lc",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Wrs, Tabu::Lc),
        "MAX-MIN Ant System, weighted reservoir sampling, list compression"
    ),
    preset!(
        "mmas-wrs-bt",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Wrs, Tabu::Bt),
        "MAX-MIN Ant System, weighted reservoir sampling, bitmask"
    ),
    preset!(
        "mmas-wrs-ct",
        MMAS,
        Ants::Cities,
        || mmas(Selection::Wrs, Tabu::Ct),
        "MAX-MIN Ant System, weighted reservoir sampling, compact tabu list"
    ),
    preset!(
        "amp-a",
        AMP,
        Ants::Count(128),
        || amp(LocalSearch::TwoHalfOpt, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on whole tours, best ant found by the host"
    ),
    preset!(
        "amp-b",
        AMP,
        Ants::Count(128),
        || amp(LocalSearch::TwoHalfOptPieces, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the host"
    ),
    preset!(
        "amp-c",
        AMP,
        Ants::Count(128),
        || amp(LocalSearch::TwoHalfOptPieces, BestOn::Device),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the device"
    ),
    preset!(
        "amp-a-as",
        AMP,
        Ants::Cities,
        || amp_as(BestOn::Host),
        "amp-a as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-b-as",
        AMP,
        Ants::Cities,
        || amp_as(BestOn::Host),
        "amp-b as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-c-as",
        AMP,
        Ants::Cities,
        || amp_as(BestOn::Device),
        "amp-c as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "focused",
        "this project, after Skinderowicz 2022",
        Ants::Default,
        focused,
        "MAX-MIN Ant System whose ants change a stretch of the best tour, Lin-Kernighan search"
    ),
    preset!(
        "cas-tabu-a",
        TSUTSUI,
        Ants::Facilities(1),
        || cas(LocalSearch::Tabu, 0.4),
        "cunning Ant System for random assignment problems, tabu search on each"
    ),
    preset!(
        "cas-tabu-b",
        TSUTSUI,
        Ants::Facilities(4),
        || cas(LocalSearch::Tabu, 0.5),
        "the same for those like real layouts"
    ),
    preset!(
        "cas-2opt-a",
        TSUTSUI,
        Ants::Facilities(1),
        || cas(LocalSearch::TwoOpt, 0.4),
        "cunning Ant System for random assignment problems, best-improvement 2-opt on each"
    ),
    preset!(
        "cas-2opt-b",
        TSUTSUI,
        Ants::Facilities(4),
        || cas(LocalSearch::TwoOpt, 0.5),
        "the same for those like real layouts"
    ),
];

fn ant_system(strategy: Strategy, deposit: Deposit) -> Config {
    Config {
        algorithm: Some(Algorithm::As),
        strategy: Some(strategy),
        selection: Selection::Rwm,
        tabu: Some(Tabu::Bt),
        candidates: Some(Candidates::All),
        deposit,
        local_search: Some(LocalSearch::None),
        ..Config::default()
    }
}

fn acs(memory: Memory, local_update: LocalUpdate, update_period: Option<u32>) -> Config {
    Config {
        algorithm: Some(Algorithm::Acs),
        strategy: Some(Strategy::Fine),
        selection: Selection::Wrs,
        tabu: Some(Tabu::Bt),
        candidates: Some(Candidates::Nearest(32)),
        memory: Some(memory),
        local_update: Some(local_update),
        update_period,
        local_search: Some(LocalSearch::None),
        ..Config::default()
    }
}

/// In every iteration its best tour deposits; trails are never re-initialised.
const ITERATION_BEST: Schedule = Schedule { until: [0; 4], period: [1; 4], final_period: u32::MAX, patience: 0 };

fn mmas(selection: Selection, tabu: Tabu) -> Config {
    let mmas = MmasParams {
        evaporation: 0.5,
        p_best: 0.01,
        stagnation: 0,
        schedule: ITERATION_BEST,
        ..MmasParams::for_search(false)
    };
    Config {
        strategy: Some(Strategy::Fine),
        selection,
        tabu: Some(tabu),
        candidates: Some(Candidates::All),
        memory: Some(Memory::Matrix),
        trail_update: TrailUpdate::Separate,
        local_search: Some(LocalSearch::None),
        mmas: Some(mmas),
        ..Config::default()
    }
}

fn cas(local_search: LocalSearch, gamma: f64) -> Config {
    let cas = CasParams { gamma, ..CasParams::for_instance(false) };
    Config { algorithm: Some(Algorithm::Cas), local_search: Some(local_search), cas: Some(cas), ..Config::default() }
}

fn amp(local_search: LocalSearch, best_on: BestOn) -> Config {
    Config {
        strategy: Some(Strategy::Fine),
        selection: Selection::IRoulette,
        tabu: Some(Tabu::Bt),
        candidates: Some(Candidates::Nearest(64)),
        memory: Some(Memory::Matrix),
        trail_update: TrailUpdate::Separate,
        local_search: Some(local_search),
        best_on,
        start: Start::Distinct,
        // The paper leaves both to a book (Dorigo and Stützle 2004: β 2 to 5); these end nearest to the optimum after
        // its 2,500 iterations.
        mmas: Some(MmasParams { beta: 5.0, evaporation: 0.2, ..MmasParams::for_search(false) }),
        ..Config::default()
    }
}

fn amp_as(best_on: BestOn) -> Config {
    let amp = amp(LocalSearch::None, best_on);
    Config { algorithm: Some(Algorithm::As), trail_update: TrailUpdate::Fused, mmas: None, ..amp }
}

/// A MAX-MIN Ant System whose ants each place one stretch of the best tour anew, with trails (after Skinderowicz 2022), and repair it
/// by a Lin-Kernighan search.
fn focused() -> Config {
    Config {
        local_search: Some(LocalSearch::LinKernighan),
        focus: Some(400),
        mmas: Some(MmasParams { evaporation: 0.1, stagnation: 50, ..MmasParams::for_search(true) }),
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aco::system::System;
    use crate::problem::{Shape, ShapeKind};

    #[test]
    fn every_preset_makes_sense_and_has_a_name_of_its_own() {
        for (index, preset) in PRESETS.iter().enumerate() {
            let kind = match preset.is_for_assignments() {
                true => ShapeKind::Assignment { structured: false, asymmetric: false },
                false => ShapeKind::Tour { directed: false, rounding: None },
            };
            let shape = Shape { kind, size: 200 };
            let system =
                System::new(&shape, &preset.config(200)).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(system.ants > 0);
            assert!(std::ptr::eq(Preset::find(preset.name).unwrap(), &PRESETS[index]));
        }
        assert!(Preset::find("mmas").is_none());
    }
}
