//! What will run, with nothing left open.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::Effort;
use super::system::System;
use crate::algorithm::choices::{LocalSearch, Topology};
use crate::algorithm::construct::Construct;
use crate::algorithm::value::{Value, as_object};
use crate::instance::problem::Problem;

/// A run, with nothing left open: phases in their order, and whether they begin again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recipe {
    /// Cities or facilities of the problem that it is for.
    pub size: usize,
    /// The algorithm.
    pub algorithm: &'static str,
    /// How much is done side by side: never [`Effort::Auto`].
    pub effort: Effort,
    /// The seed of the run and of its first colony.
    pub seed: u64,
    /// Colonies that run the phases side by side, 1 to 256.
    pub colonies: usize,
    /// How colonies' bests migrate; `None`: they do not.
    pub migration: Option<Migration>,
    /// Of `lk-eax` the most cities that crossover takes at once.
    pub eax_up_to: Option<u32>,
    /// How crossover takes windows of the tour, where it does.
    pub windows: Option<CrossoverWindows>,
    /// The unit in which costs are counted, a power of two: 1, but where distances or tours are longer than the algorithm counts to.
    pub cost_unit: u64,
    /// What runs, in order.
    pub phases: Vec<Phase>,
    /// What follows on the last phase when it ends before the run.
    pub restart: Option<Restart>,
}

/// How the bests of colonies migrate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Migration {
    /// When.
    pub every: Every,
    /// Where they go.
    pub topology: Topology,
}

/// How often bests migrate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Every {
    /// After so many iterations.
    Iterations(u32),
    /// After so many seconds, wherever colonies are then.
    Seconds(f64),
}

/// How crossover takes windows of the tour: the phases that begin again do so on the next window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CrossoverWindows {
    /// Cities of a window.
    #[serde(rename = "eax_window")]
    pub cities: u32,
    /// Windows at a time.
    #[serde(rename = "eax_windows")]
    pub at_a_time: u32,
    /// Passes over all cities before, each with windows and populations half as large as in the next, and twice as many windows at a time.
    #[serde(rename = "eax_halvings")]
    pub halvings: u32,
    /// How often windows double, once in each round behind the first.
    #[serde(rename = "eax_doublings")]
    pub doublings: u32,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Phase {
    /// What runs, with its parameters.
    pub system: System,
    /// Where its first solutions come from.
    pub begins: Begins,
    /// When it ends.
    pub ends: Ends,
}

/// Where a phase's first solutions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Begins {
    /// The nearest-neighbour tour.
    NearestNeighbour,
    /// The tour of greedy edges (Bentley 1992).
    GreedyEdges,
    /// The tour of greedy edges, improved by Lin-Kernighan search on the host.
    LinKernighan,
    /// Each of its tours is the best assignment of cities to those that follow them, patched to a tour (Karp and Steele 1985), with
    /// kicks of its own.
    PatchedAssignments,
    /// A tour along a space-filling curve (Platzman and Bartholdi 1989).
    SpaceFilling,
    /// Facilities of great flows at central locations.
    CentralLocations,
    /// Each of its tours is one that the phase before has made.
    Population,
    /// It goes on with the tours of the phase before.
    Continued,
    /// The solution that was given. No recipe has it: the record of a run does.
    Given,
}

/// When a phase ends, unless the run ends before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ends {
    /// With the run.
    WithTheRun,
    /// After this many iterations.
    After {
        /// Iterations of the phase.
        iterations: u32,
    },
    /// When this many iterations gain less than a part of the cost: of the best tour, of a population that of all tours together.
    Stagnation {
        /// Iterations from one look at the cost to the next.
        iterations: u32,
        /// The phase ends when they gain less than the cost divided by this.
        gain: u64,
    },
    /// When this many iterations gain nothing.
    NoGain {
        /// Iterations from one look at the cost to the next.
        iterations: u32,
    },
}

/// Phases that begin again with a larger population.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Restart {
    /// The first of the phases that begin again, counted from 0.
    pub from_phase: usize,
    /// Each restart doubles the population, so often at most ...
    pub doublings: u32,
    /// ... and up to so many individuals.
    pub most: usize,
}

impl Serialize for Recipe {
    /// Phases are told as in the records of a run: algorithm and parameters by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told {
            algorithm: &'static str,
            #[serde(serialize_with = "as_object")]
            parameters: Vec<(&'static str, Value)>,
            begins: Begins,
            ends: Ends,
        }
        #[derive(Serialize)]
        struct All {
            algorithm: &'static str,
            effort: Effort,
            seed: u64,
            colonies: usize,
            migration: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            migration_time: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            topology: Option<Topology>,
            #[serde(skip_serializing_if = "Option::is_none")]
            eax_up_to: Option<u32>,
            #[serde(flatten)]
            windows: Option<CrossoverWindows>,
            #[serde(skip_serializing_if = "is_one")]
            cost_unit: u64,
            phases: Vec<Told>,
            restart: Option<Restart>,
        }
        let &Self {
            size,
            algorithm,
            effort,
            seed,
            colonies,
            migration,
            eax_up_to,
            windows,
            cost_unit,
            ref phases,
            restart,
        } = self;
        let topology = migration.map(|migration| migration.topology);
        let (migration, migration_time) = match migration.map(|migration| migration.every) {
            Some(Every::Iterations(count)) => (Some(count), None),
            Some(Every::Seconds(seconds)) => (None, Some(seconds)),
            None => (None, None),
        };
        let told = |phase: &Phase| Told {
            algorithm: phase.system.name(),
            parameters: phase.system.parameters(size),
            begins: phase.begins,
            ends: phase.ends,
        };
        let phases = phases.iter().map(told).collect();
        All {
            algorithm,
            effort,
            seed,
            colonies,
            migration,
            migration_time,
            topology,
            eax_up_to,
            windows,
            cost_unit,
            phases,
            restart,
        }
        .serialize(serializer)
    }
}

fn is_one(number: &u64) -> bool {
    *number == 1
}

impl Begins {
    /// The solution itself, where none comes from the phase before or from a caller; with [`Self::LinKernighan`] before it is improved.
    pub fn solution(self, problem: &Problem) -> Vec<u32> {
        match self {
            Self::GreedyEdges | Self::LinKernighan => problem.greedy_solution(),
            Self::PatchedAssignments => problem.patched_solution(),
            Self::SpaceFilling => problem.space_filling_solution(),
            _ => problem.simple_solution(),
        }
    }
}

impl Phase {
    /// The only phase of a run.
    pub(super) fn alone(construct: Construct, begins: Begins) -> Self {
        Self { system: System::Construct(construct), begins, ends: Ends::WithTheRun }
    }
}

impl Recipe {
    /// Whether its phases come to no end of their own: the last one ends with the run, or windows of the tour are crossed one after the other, over and over.
    pub(crate) fn is_endless(&self) -> bool {
        self.windows.is_some() || self.phases.last().is_some_and(|phase| phase.ends == Ends::WithTheRun)
    }

    /// Every parameter by name, those of the phases and those of their order; one that several phases have comes once for each.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        let of_phases = self.phases.iter().flat_map(|phase| phase.system.parameters(self.size));
        let up_to = self.eax_up_to.map(|cities| ("eax_up_to", Value::Whole(cities.into())));
        of_phases.chain(up_to).chain(self.of_windows()).collect()
    }

    /// Iterations of tabu search that each unit makes in so many iterations, where the ants of the only phase search assignments so.
    pub(crate) fn tabu_iterations(&self, iterations: u32) -> Option<u64> {
        let [Phase { system: System::Construct(construct), .. }] = &self.phases[..] else { return None };
        let search = construct.assignment.filter(|_| construct.local_search == LocalSearch::Tabu)?;
        Some(search.tabu_iterations(iterations))
    }

    /// Phase `index`, counted from 0, as it is when the phases have begun `round` times again: with a larger population and random
    /// numbers of its own.
    pub(crate) fn phase(&self, index: usize, round: u32) -> Phase {
        let mut phase = self.phases[index];
        let Some(restart) = self.restart.filter(|restart| index >= restart.from_phase) else { return phase };
        let grown = |first: usize| (first << round.min(restart.doublings)).min(first.max(restart.most));
        if let Some(population) = phase.system.population_mut() {
            *population = grown(*population);
        }
        *phase.system.seed_mut() ^= u64::from(round) << 32;
        phase
    }

    /// The phase behind `index`, and the round that it belongs to.
    pub(crate) fn next(&self, index: usize, round: u32) -> Option<(usize, u32)> {
        match index + 1 {
            next if next < self.phases.len() => Some((next, round)),
            _ => self.restart.map(|restart| (restart.from_phase, round + 1)),
        }
    }

    /// The same for a colony with a seed of its own.
    pub(crate) fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.phases.iter_mut().for_each(|phase| *phase.system.seed_mut() = seed);
        self
    }

    /// The same with half as many individuals; `None` when there are too few, or none at all.
    pub(crate) fn halved(mut self) -> Option<Self> {
        let first = self.restart.map_or(0, |restart| restart.from_phase);
        let phases = self.phases[first..].iter_mut();
        let populations: Vec<&mut usize> = phases.filter_map(|phase| phase.system.population_mut()).collect();
        if populations.is_empty() || populations.iter().any(|population| **population < 4) {
            return None;
        }
        populations.into_iter().for_each(|population| *population /= 2);
        Some(self)
    }
}

impl fmt::Display for Begins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NearestNeighbour => "the nearest-neighbour tour",
            Self::PatchedAssignments => {
                "the best assignment of cities to those that follow, patched to a tour, and kicks"
            }
            Self::GreedyEdges => "the tour of greedy edges",
            Self::LinKernighan => "the tour of greedy edges, improved by Lin-Kernighan search",
            Self::SpaceFilling => "a tour along a space-filling curve",
            Self::CentralLocations => "great flows at central locations",
            Self::Population => "the tours of the phase before",
            Self::Continued => "the population as it is",
            Self::Given => "the solution that was given",
        })
    }
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithTheRun => f.write_str("with the run"),
            Self::After { iterations: 1 } => f.write_str("after 1 iteration"),
            Self::After { iterations } => write!(f, "after {iterations} iterations"),
            Self::NoGain { iterations } => write!(f, "when {iterations} iterations gain nothing"),
            Self::Stagnation { iterations, gain } => {
                write!(f, "when {iterations} iterations gain less than 1/{gain} of the cost")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::instance::problem::{Problem, Shape};
    use crate::instance::tsp::Instance;
    use crate::settings::{Effort, Settings};

    #[test]
    fn sizes_that_no_problem_has_are_refused() {
        let shape = Problem::from(crate::instance::qap::generate(20, 1).unwrap()).shape();
        let told = |name: &str, size: usize| {
            let recipe = Settings::named(name).unwrap().recipe_for_shape(&Shape { size, ..shape }, Effort::Large);
            recipe.map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(told("cas", 32_767), Ok(()));
        for size in [0, 32_768, 2_000_000] {
            assert!(told("cas", size).unwrap_err().ends_with(&format!("1 to 32767 facilities, not {size}")));
        }
        assert!(told("auto", 20).unwrap_err().contains("ask for the recipe of one, or name an algorithm"));
    }

    #[test]
    fn a_recipe_is_that_of_the_form_that_kernels_know() {
        let n = 30;
        let matrix = (0..n * n).map(|at| if at / n == at % n { 0 } else { (at * 7919 % 101) as u32 }).collect();
        let free = Instance::from_matrix("asymmetric", n, matrix).unwrap();
        let fixed = free.clone().with_fixed_edges(&[[3, 4], [9, 2]]).unwrap();
        let open = fixed.clone().open_path(Some(7), None).unwrap();
        for instance in [free, fixed, open] {
            let (problem, settings) = (Problem::from(instance), Settings::default());
            let form = settings.form(&problem).unwrap();
            assert!(form.problem().shape().is_doubled());
            assert_eq!(
                settings.recipe(&problem, Effort::Standard).unwrap(),
                settings.recipe_for_form(&form, Effort::Standard).unwrap()
            );
        }
    }
}
