//! The algorithms by name, each with what may be asked of it.

use super::asked::{AntColonySystem, AntSystem, Chained, Cunning, Eax, Faco, LkEax, MaxMin, Memetic, Windows};
use super::parameter::{Named, Parameter};
use crate::algorithm::value::Value;
use crate::error::{Error, Result};

/// Declares the algorithms: variant, name, type of parameters.
macro_rules! algorithms {
    ($($(#[doc = $doc:literal])+ $variant:ident($kind:ident) = $name:literal,)+) => {
        /// What runs, with its parameters.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub enum Algorithm {
            /// What suits the problem: [`LkEax`] for symmetric tours, [`Eax`] for asymmetric ones, [`Memetic`] for assignments, [`Cunning`] for those of
            /// more than 60 facilities with entries as if drawn at random, and [`MaxMin`] where neither can be had: for more than 8,192 asymmetric cities.
            #[default]
            Auto,
            $($(#[doc = $doc])+ $variant($kind),)+
        }

        impl Algorithm {
            /// The names of all algorithms, `auto` first.
            pub const NAMES: &'static [&'static str] = &["auto", $($name),+];

            /// The algorithm of this name with all parameters left open.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    "auto" => Some(Self::Auto),
                    $($name => Some(Self::$variant($kind::default())),)+
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$variant(_) => $name,)+
                }
            }

            /// What it is, in a sentence.
            pub fn summary(&self) -> &'static str {
                match self {
                    Self::Auto => "What suits the problem: lk-eax for symmetric tours, eax for asymmetric ones, memetic or cas for assignments",
                    $(Self::$variant(_) => concat!($($doc),+).trim_ascii(),)+
                }
            }

            /// Its parameters with ranges, units and sources; none for [`Algorithm::Auto`], which has those of what it becomes.
            pub fn parameters(&self) -> &'static [Parameter] {
                match self {
                    Self::Auto => &[],
                    $(Self::$variant(_) => $kind::PARAMETERS,)+
                }
            }

            fn named_parameters(&mut self) -> Option<&mut dyn Named> {
                match self {
                    Self::Auto => None,
                    $(Self::$variant(parameters) => Some(parameters),)+
                }
            }
        }

        $(impl From<$kind> for Algorithm {
            fn from(parameters: $kind) -> Self {
                Self::$variant(parameters)
            }
        })+
    };
}

algorithms! {
    /// Ant System: every ant deposits
    As(AntSystem) = "as",
    /// Ant Colony System: greedy steps with probability q0, a local update on each edge, the best tour deposits
    Acs(AntColonySystem) = "acs",
    /// MAX-MIN Ant System: trail limits, the best tour deposits
    Mmas(MaxMin) = "mmas",
    /// Focused ACO: each ant changes one stretch of the best tour
    Faco(Faco) = "faco",
    /// Cunning Ant System: each ant keeps a part of its unit's best assignment
    Cas(Cunning) = "cas",
    /// Memetic algorithm: a population of assignments, crossover, and a search of each child
    Memetic(Memetic) = "memetic",
    /// Windowed Lin-Kernighan search of one tour
    Lk(Windows) = "lk",
    /// Chained Lin-Kernighan search of whole tours, in walks of their own: for many small problems
    Clk(Chained) = "clk",
    /// Edge assembly crossover on a population of Lin-Kernighan tours
    Eax(Eax) = "eax",
    /// Windowed Lin-Kernighan search, then edge assembly crossover: what auto runs on symmetric tours
    LkEax(LkEax) = "lk-eax",
}

impl Algorithm {
    /// Whether it takes symmetric distances only, so that asymmetric ones are made symmetric for it.
    pub(crate) fn needs_symmetry(&self) -> bool {
        matches!(self, Self::Lk(_) | Self::Clk(_) | Self::Eax(_) | Self::LkEax(_))
    }

    /// Whether it solves assignments, and no tours.
    pub fn is_for_assignments(&self) -> bool {
        matches!(self, Self::Cas(_) | Self::Memetic(_))
    }

    /// Whether it solves assignments.
    pub fn solves_assignments(&self) -> bool {
        self.is_for_assignments() || matches!(self, Self::Auto | Self::Mmas(_))
    }

    /// Sets the parameter `name`; `None` when the algorithm has none of that name.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Result<()>> {
        let set = self.named_parameters()?.set(name, value)?;
        Some(set.map_err(|expected| Error::Config(format!("{name}: {expected}"))))
    }

    /// The parameters that are given.
    pub fn given(&self) -> Vec<(&'static str, Value)> {
        let mut copy = *self;
        copy.named_parameters().map_or_else(Vec::new, |parameters| parameters.given())
    }

    /// The names of the algorithms that have a parameter of this name.
    pub(super) fn owners(name: &str) -> Vec<&'static str> {
        Self::names_of(|algorithm| algorithm.parameters().iter().any(|known| known.name == name))
    }

    /// The names of the algorithms of which something holds.
    pub(super) fn names_of(holds: impl Fn(&Self) -> bool) -> Vec<&'static str> {
        let all = Self::NAMES.iter().filter_map(|name| Self::named(name));
        all.filter(holds).map(|algorithm| algorithm.name()).collect()
    }
}

/// One of these, in words: 'a', 'b' or 'c'.
pub(super) fn either(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
