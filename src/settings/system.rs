//! What runs in a phase of a recipe.

use crate::algorithm::chained::ChainedParams;
use crate::algorithm::choices::LocalSearch;
use crate::algorithm::construct::{Construct, Rule};
use crate::algorithm::eax::EaxParams;
use crate::algorithm::value::Value;
use crate::algorithm::windows::WindowsParams;

/// What runs in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum System {
    /// Ants that construct solutions, with or without a local search.
    Construct(Construct),
    /// Windowed Lin-Kernighan search of one tour.
    Windows(WindowsParams),
    /// Chained Lin-Kernighan search of whole tours.
    Chained(ChainedParams),
    /// Edge assembly crossover of a population of tours.
    Eax(EaxParams),
}

impl System {
    /// Its name in reports: an algorithm of the command line, or `population` for the first tours of a crossover.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Construct(construct) => construct.name(),
            Self::Windows(_) => "lk",
            Self::Chained(_) => "clk",
            Self::Eax(_) => "eax",
        }
    }

    /// Ants, windows, walks or individuals: what runs side by side.
    pub fn units(&self) -> usize {
        match self {
            Self::Construct(construct) => construct.ants,
            Self::Windows(windows) => windows.windows,
            Self::Chained(chained) => chained.walks,
            Self::Eax(eax) => eax.population,
        }
    }

    /// How many ants or individuals there are; none of windows and walks.
    pub(super) fn population_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Construct(construct) => Some(&mut construct.ants),
            Self::Eax(eax) => Some(&mut eax.population),
            Self::Windows(_) | Self::Chained(_) => None,
        }
    }

    pub(super) fn seed_mut(&mut self) -> &mut u64 {
        match self {
            Self::Construct(construct) => &mut construct.seed,
            Self::Windows(windows) => &mut windows.seed,
            Self::Chained(chained) => &mut chained.seed,
            Self::Eax(eax) => &mut eax.seed,
        }
    }

    /// Whether the run's best tour is crossed beside the population.
    pub fn has_incumbent(&self) -> bool {
        matches!(self, Self::Eax(eax) if eax.incumbent)
    }

    /// Whether it begins with a solution that is given, or takes its first trail limits from it: populations and walks have solutions of their own.
    pub(crate) fn begins_with_given(&self) -> bool {
        match self {
            Self::Construct(construct) => !matches!(construct.rule, Rule::Memetic(_)),
            Self::Windows(_) => true,
            Self::Chained(_) | Self::Eax(_) => false,
        }
    }

    /// What the units are called.
    pub fn units_name(&self) -> &'static str {
        match self {
            Self::Construct(construct) => construct.units_name(),
            Self::Windows(_) => "windows",
            Self::Chained(_) => "walks",
            Self::Eax(_) => "individuals",
        }
    }

    /// Whether it goes on from what migrates to its colony: ants that construct tours at once, populations of tours in their next round.
    pub fn takes_migrants(&self) -> bool {
        match self {
            Self::Construct(construct) => !matches!(construct.rule, Rule::Cas(_) | Rule::Memetic(_)),
            Self::Eax(_) => true,
            Self::Windows(_) | Self::Chained(_) => false,
        }
    }

    /// What it searches with.
    pub fn local_search(&self) -> LocalSearch {
        match self {
            Self::Construct(construct) => construct.local_search,
            Self::Windows(_) | Self::Chained(_) | Self::Eax(_) => LocalSearch::LinKernighan,
        }
    }

    /// Its parameters by name, as settings and reports call them, for so many cities or facilities.
    pub fn parameters(&self, size: usize) -> Vec<(&'static str, Value)> {
        match self {
            Self::Construct(construct) => construct.parameters(size),
            Self::Windows(windows) => windows.parameters(),
            Self::Chained(chained) => chained.parameters(),
            Self::Eax(eax) => eax.parameters(),
        }
    }
}
