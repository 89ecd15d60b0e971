//! The ant systems of five papers, by name: values of [`Settings`]. `docs/algorithms/papers.md` says where each is as its paper has it, and
//! where not.

use serde::Serialize;

use super::{Algorithm, Settings};
use crate::algorithm::choices::{
    BestOn, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Strategy, Visited,
};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;

mod systems;

use systems::{acs, amp, amp_as, ant_a_city, ant_system, cas, lists, mmas, searched};

/// A named combination of choices.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it is described: paper, sections, and what of them.
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
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            let names = names.join(", ");
            Error::Config(match Algorithm::NAMES.contains(&name) {
                true => format!("'{name}' is no preset, but an algorithm; presets are {names}"),
                false => format!("there is no preset '{name}'; presets are {names}"),
            })
        })
    }

    /// Whether it solves assignments and not tours.
    pub fn is_for_assignments(&self) -> bool {
        self.assignments
    }

    /// Its settings for a problem.
    ///
    /// # Errors
    /// [`Error::Config`] where its paper solves problems of another kind.
    pub(crate) fn for_problem(&self, problem: &Problem) -> Result<Settings> {
        let assignments = matches!(problem, Problem::Qap(_));
        if self.assignments == assignments {
            return Ok(self.settings(problem.len()));
        }
        let of_kind = PRESETS.iter().filter(|preset| preset.assignments == assignments).map(|preset| preset.name);
        let (is, are) = if assignments { ("tours", "assignments") } else { ("assignments", "tours") };
        Err(Error::Config(format!(
            "preset '{}' is of {is}; presets for {are} are {}",
            self.name,
            of_kind.collect::<Vec<_>>().join(", ")
        )))
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

/// Every preset.
pub static PRESETS: &[Preset] = &[
    preset!(
        "as-coarse",
        "Menezes et al. 2019, sections II and IV-A, algorithms 3 and 4, equations 1 to 3",
        false,
        |_| ant_system(Strategy::Coarse, Deposit::Serial),
        "Ant System, one ant an invocation, trails updated by a single invocation"
    ),
    preset!(
        "as-fine",
        "Menezes et al. 2019, sections II and IV-B, algorithm 5, equations 1 to 3",
        false,
        |_| ant_system(Strategy::Fine, Deposit::Serial),
        "Ant System, one ant a workgroup, trails updated by a single invocation"
    ),
    preset!(
        "as-fine-atomic",
        "Menezes et al. 2019, sections II, IV-B and IV-C, algorithms 5 to 7, equations 1 to 3",
        false,
        |_| ant_system(Strategy::Fine, Deposit::Atomic),
        "Ant System, one ant a workgroup, parallel evaporation, atomic deposit by every ant"
    ),
    preset!(
        "acs-gpu",
        "Skinderowicz 2016, sections 3 and 3.1, equations 1 to 4",
        false,
        |n| acs(ant_a_city(n), Memory::Matrix, LocalUpdate::Synchronous, None),
        "Ant Colony System, one dispatch a step, atomic local update"
    ),
    preset!(
        "acs-gpu-alt",
        "Skinderowicz 2016, sections 3, 3.1.1 and 3.1.2, equations 1 to 4",
        false,
        |n| acs(ant_a_city(n), Memory::Matrix, LocalUpdate::Relaxed, None),
        "Ant Colony System, whole tours in a dispatch, relaxed local update"
    ),
    preset!(
        "acs-gpu-spm",
        "Skinderowicz 2016, sections 3, 3.1.1, 3.2 and 4.4, figure 5, equations 1 to 4",
        false,
        |_| acs(256, Memory::Selective, LocalUpdate::Relaxed, Some(4)),
        "Ant Colony System with a selective memory of 8 trails a city, relaxed local update at each 4th step"
    ),
    preset!(
        "mmas-rwm-lc",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Rwm, Visited::Lc),
        "MAX-MIN Ant System, parallel roulette wheel, list compression"
    ),
    preset!(
        "mmas-rwm-bt",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Rwm, Visited::Bt),
        "MAX-MIN Ant System, parallel roulette wheel, bitmask"
    ),
    preset!(
        "mmas-rwm-ct",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Rwm, Visited::Ct),
        "MAX-MIN Ant System, parallel roulette wheel, compact visited set"
    ),
    preset!(
        "mmas-wrs-lc",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Wrs, Visited::Lc),
        "MAX-MIN Ant System, weighted reservoir sampling, list compression"
    ),
    preset!(
        "mmas-wrs-bt",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Wrs, Visited::Bt),
        "MAX-MIN Ant System, weighted reservoir sampling, bitmask"
    ),
    preset!(
        "mmas-wrs-ct",
        "Skinderowicz 2020, sections 2.1, 4.1 and 4.2, equation 1",
        false,
        |n| mmas(n, Selection::Wrs, Visited::Ct),
        "MAX-MIN Ant System, weighted reservoir sampling, compact visited set"
    ),
    preset!(
        "mmas-rwm-lc-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Rwm, Visited::Lc)),
        "mmas-rwm-lc with candidate lists of 32"
    ),
    preset!(
        "mmas-rwm-bt-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Rwm, Visited::Bt)),
        "mmas-rwm-bt with candidate lists of 32"
    ),
    preset!(
        "mmas-rwm-ct-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Rwm, Visited::Ct)),
        "mmas-rwm-ct with candidate lists of 32"
    ),
    preset!(
        "mmas-wrs-lc-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Wrs, Visited::Lc)),
        "mmas-wrs-lc with candidate lists of 32"
    ),
    preset!(
        "mmas-wrs-bt-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Wrs, Visited::Bt)),
        "mmas-wrs-bt with candidate lists of 32"
    ),
    preset!(
        "mmas-wrs-ct-cl",
        "Skinderowicz 2020, sections 2.1 and 4.1 to 4.3, equation 1",
        false,
        |n| lists(mmas(n, Selection::Wrs, Visited::Ct)),
        "mmas-wrs-ct with candidate lists of 32"
    ),
    preset!(
        "mmas-rwm-bt-2opt",
        "Skinderowicz 2020, sections 2.1, 4.1 to 4.3 and 5.7, equation 1",
        false,
        |n| searched(n, lists(mmas(n, Selection::Rwm, Visited::Bt))),
        "mmas-rwm-bt-cl with 800 ants and 2-opt on every ant"
    ),
    preset!(
        "amp-a",
        "Voicu 2013, sections 2 and 5, approach A, equations 1 to 5",
        false,
        |n| amp(n, LocalSearch::TwoHalfOptAll, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on whole tours over all pairs, best ant found by the host"
    ),
    preset!(
        "amp-b",
        "Voicu 2013, sections 2 and 5, approach B, equations 1 to 5",
        false,
        |n| amp(n, LocalSearch::TwoHalfOptPieces, BestOn::Host),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the host"
    ),
    preset!(
        "amp-c",
        "Voicu 2013, sections 2 and 5, approach C, equations 1 to 5",
        false,
        |n| amp(n, LocalSearch::TwoHalfOptPieces, BestOn::Device),
        "MAX-MIN Ant System, independent roulette, 2.5-opt on pieces of 64 cities, best ant found by the device"
    ),
    preset!(
        "amp-a-as",
        "Voicu 2013, sections 2, 5 and 6.2.2, approach A, equations 1 and 2",
        false,
        |n| amp_as(n, BestOn::Host),
        "amp-a as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-b-as",
        "Voicu 2013, sections 2, 5 and 6.2.2, approach B, equations 1 and 2",
        false,
        |n| amp_as(n, BestOn::Host),
        "amp-b as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "amp-c-as",
        "Voicu 2013, sections 2, 5 and 6.2.2, approach C, equations 1 and 2",
        false,
        |n| amp_as(n, BestOn::Device),
        "amp-c as an Ant System: an ant a city, no local search"
    ),
    preset!(
        "cas-tabu-a",
        "Tsutsui and Fujimoto 2011, sections 3, 4 and 5.2.2, equations 1 to 5, table 4",
        true,
        |n| cas(n, 1, LocalSearch::Tabu, 0.4, MoveEvaluation::Mata),
        "Cunning Ant System for random assignment problems, tabu search on each, move costs assigned to invocations by MATA"
    ),
    preset!(
        "cas-tabu-b",
        "Tsutsui and Fujimoto 2011, sections 3, 4 and 5.2.2, equations 1 to 5, table 4",
        true,
        |n| cas(n, 4, LocalSearch::Tabu, 0.5, MoveEvaluation::Mata),
        "Cunning Ant System for assignment problems like real layouts, tabu search on each, move costs assigned to invocations by MATA"
    ),
    preset!(
        "cas-2opt-a",
        "Tsutsui and Fujimoto 2011, sections 3, 4.1, 4.3, 5.2.2 and 6.3, equations 1 to 5, table 4",
        true,
        |n| cas(n, 1, LocalSearch::TwoOpt, 0.4, MoveEvaluation::Mata),
        "Cunning Ant System for random assignment problems, best-improvement 2-opt on each, move costs assigned to invocations by MATA"
    ),
    preset!(
        "cas-2opt-b",
        "Tsutsui and Fujimoto 2011, sections 3, 4.1, 4.3, 5.2.2 and 6.3, equations 1 to 5, table 4",
        true,
        |n| cas(n, 4, LocalSearch::TwoOpt, 0.5, MoveEvaluation::Mata),
        "Cunning Ant System for assignment problems like real layouts, best-improvement 2-opt on each, move costs assigned to invocations by MATA"
    ),
    preset!(
        "cas-tabu-a-non-mata",
        "Tsutsui and Fujimoto 2011, sections 3, 4, 5.2.1 and 6.2, equations 1 to 5, table 4",
        true,
        |n| cas(n, 1, LocalSearch::Tabu, 0.4, MoveEvaluation::NonMata),
        "Cunning Ant System for random assignment problems, tabu search on each, move costs assigned to invocations as they come"
    ),
    preset!(
        "cas-tabu-b-non-mata",
        "Tsutsui and Fujimoto 2011, sections 3, 4, 5.2.1 and 6.2, equations 1 to 5, table 4",
        true,
        |n| cas(n, 4, LocalSearch::Tabu, 0.5, MoveEvaluation::NonMata),
        "Cunning Ant System for assignment problems like real layouts, tabu search on each, move costs assigned to invocations as they come"
    ),
    preset!(
        "cas-2opt-a-non-mata",
        "Tsutsui and Fujimoto 2011, sections 3, 4.1, 4.3, 5.2.1, 6.2 and 6.3, equations 1 to 5, table 4",
        true,
        |n| cas(n, 1, LocalSearch::TwoOpt, 0.4, MoveEvaluation::NonMata),
        "Cunning Ant System for random assignment problems, best-improvement 2-opt on each, move costs assigned to invocations as they come"
    ),
    preset!(
        "cas-2opt-b-non-mata",
        "Tsutsui and Fujimoto 2011, sections 3, 4.1, 4.3, 5.2.1, 6.2 and 6.3, equations 1 to 5, table 4",
        true,
        |n| cas(n, 4, LocalSearch::TwoOpt, 0.5, MoveEvaluation::NonMata),
        "Cunning Ant System for assignment problems like real layouts, best-improvement 2-opt on each, move costs assigned to invocations as they come"
    ),
];

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
