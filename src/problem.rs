//! The problems that there are solvers for, as one type.

use std::path::Path;

use crate::aco::config::{Algorithm, Config};
use crate::aco::focused::{FARTHEST, MOST_COST, begins_along_order};
use crate::aco::system::{MAX_CITIES, SEARCHED_CANDIDATES};
use crate::error::Result;
use crate::text::read_text;
use crate::{qap, tsp};

/// An instance of some problem. Clones share their data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The travelling salesman problem: solutions are tours, cities in order.
    Tsp(tsp::Instance),
    /// The quadratic assignment problem: solutions are assignments, the location of each facility.
    Qap(qap::Instance),
}

impl From<&tsp::Instance> for Problem {
    fn from(instance: &tsp::Instance) -> Self {
        Self::Tsp(instance.clone())
    }
}

impl From<&qap::Instance> for Problem {
    fn from(instance: &qap::Instance) -> Self {
        Self::Qap(instance.clone())
    }
}

impl From<&Problem> for Problem {
    fn from(problem: &Problem) -> Self {
        problem.clone()
    }
}

/// What an instance is, as far as ant systems and plans depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a solution is.
    pub kind: ShapeKind,
    /// Cities, or facilities.
    pub size: usize,
}

/// How Euclidean distances are rounded to whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// To the nearest.
    Nearest,
    /// To the nearest; some may be longer than 1.5 million.
    NearestFar,
    /// Up.
    Up,
    /// Up; some may be longer than 1.5 million.
    UpFar,
    /// To the nearest; coordinates are counted in thousandths.
    Thousandths,
}

/// What a solution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// A closed tour.
    Tour {
        /// Whether the way from a city to another may cost something else than the way back.
        directed: bool,
        /// How distances come about, where that is from coordinates in whole numbers.
        rounding: Option<Rounding>,
    },
    /// An assignment.
    Assignment {
        /// Whether flows or distances are of very different sizes, as in real layouts.
        structured: bool,
        /// Whether neither flows nor distances are symmetric.
        asymmetric: bool,
    },
}

impl Config {
    /// What suits a problem when nothing else is asked for: focused ants for symmetric tours, the defaults for asymmetric ones and for
    /// assignments.
    pub fn suited_to(problem: impl Into<Problem>) -> Self {
        let algorithm = match problem.into() {
            Problem::Tsp(instance) if instance.is_symmetric() => {
                let (longest, tour) = instance.sizes();
                let fits = longest <= u64::from(FARTHEST) && tour < MOST_COST;
                // Nothing else takes more cities.
                (fits || instance.len() > MAX_CITIES).then_some(Algorithm::Focused)
            }
            _ => None,
        };
        Self { algorithm, ..Self::default() }
    }
}

impl Problem {
    /// Reads a QAPLIB file (which begins with a number) or a TSPLIB file (which begins with a word).
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (text, name) = read_text(path.as_ref())?;
        let first = text.trim_start_matches('\u{feff}').trim_start().chars().next();
        if first.is_some_and(|first| first.is_ascii_digit()) {
            return Ok(Self::Qap(qap::Instance::read(path)?));
        }
        Ok(Self::Tsp(tsp::Instance::parse(&text, &name)?))
    }

    /// The instance's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Tsp(instance) => instance.name(),
            Self::Qap(instance) => instance.name(),
        }
    }

    /// Cities, or facilities; at least 1.
    pub fn len(&self) -> usize {
        match self {
            Self::Tsp(instance) => instance.len(),
            Self::Qap(instance) => instance.len(),
        }
    }

    /// Never: an instance has at least one city or facility.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// `tsp` or `qap`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tsp(_) => "tsp",
            Self::Qap(_) => "qap",
        }
    }

    /// What its parts are called: `cities` or `facilities`.
    pub fn parts(&self) -> &'static str {
        match self {
            Self::Tsp(_) => "cities",
            Self::Qap(_) => "facilities",
        }
    }

    /// What plans depend on.
    pub fn shape(&self) -> Shape {
        let kind = match self {
            Self::Tsp(instance) => ShapeKind::Tour {
                directed: !instance.is_symmetric(),
                rounding: instance.whole_spots().map(|spots| spots.rounding),
            },
            Self::Qap(instance) => ShapeKind::Assignment {
                structured: instance.is_structured(),
                asymmetric: !instance.is_symmetric_in_one(),
            },
        };
        Shape { kind, size: self.len() }
    }

    /// Whether devices count costs as the instance does; else distances from decimal coordinates may differ by 1.
    pub(crate) fn counts_exactly(&self) -> bool {
        match self {
            Self::Tsp(instance) => instance.whole_spots().is_none_or(|spots| spots.exact),
            Self::Qap(_) => true,
        }
    }

    /// Whether there are so few parts that all solutions are tried at once.
    pub fn is_trivial(&self) -> bool {
        match self {
            Self::Tsp(instance) => instance.len() < 4,
            Self::Qap(instance) => instance.len() < 2,
        }
    }

    /// The best of all solutions where there are so few parts that these are tried at once: three cities have two directions.
    pub(crate) fn best_of_few(&self) -> Vec<u32> {
        let all =
            [[0, 1, 2], [0, 2, 1]].map(|tour| tour.into_iter().filter(|&part| part < self.len() as u32).collect());
        let [one, other]: [Vec<u32>; 2] = all;
        match (self.cost(&one), self.cost(&other)) {
            (Ok(cost), Ok(less)) if less < cost => other,
            _ => one,
        }
    }

    /// A solution made in a simple way: the nearest-neighbour tour, or great flows at central locations.
    pub fn simple_solution(&self) -> Vec<u32> {
        match self {
            Self::Tsp(instance) => instance.nearest_neighbour_tour(0),
            Self::Qap(instance) => instance.simple_assignment(),
        }
    }

    /// The solution that `config` begins with: a simple one, for focused ants the tour of greedy edges, or along a space-filling
    /// curve where there are many patches.
    pub fn first_solution(&self, config: &Config) -> Vec<u32> {
        match self {
            Self::Tsp(instance) if config.algorithm == Some(Algorithm::Focused) => {
                let along = begins_along_order(instance.len(), config).then(|| instance.space_filling_orders(1));
                along.flatten().map_or_else(|| instance.greedy_tour(), |mut orders| orders.remove(0))
            }
            _ => self.simple_solution(),
        }
    }

    /// Makes what takes longest of all that colonies of `config` ask for, while a device is opened: the lists of neighbours, unless the
    /// first solution needs and keeps them.
    pub(crate) fn prepare(&self, config: &Config) {
        if let Self::Tsp(instance) = self
            && config.algorithm == Some(Algorithm::Focused)
            && config.quadrants == 0
            && begins_along_order(instance.len(), config)
        {
            instance.neighbours(SEARCHED_CANDIDATES);
        }
    }

    /// The cost of a solution.
    ///
    /// # Errors
    /// [`crate::Error::Tour`] or [`crate::Error::Assignment`] when `permutation` is none.
    pub fn cost(&self, permutation: &[u32]) -> Result<u64> {
        match self {
            Self::Tsp(instance) => instance.tour_cost(permutation),
            Self::Qap(instance) => instance.cost(permutation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsp::{Instance, Kind, generate};

    #[test]
    fn symmetric_tours_suit_focused_ants_unless_costs_are_too_great() {
        let algorithm = |instance: &Instance| Config::suited_to(instance).algorithm;
        for n in [200, 1_000_000] {
            assert_eq!(algorithm(&generate(Kind::Uniform, n, 1).unwrap()), Some(Algorithm::Focused), "{n} cities");
        }
        assert_eq!(algorithm(&Instance::from_matrix("far", 20, vec![1 << 30; 400]).unwrap()), None);
        let mut directed = vec![1; 400];
        directed[1] = 2;
        assert_eq!(algorithm(&Instance::from_matrix("directed", 20, directed).unwrap()), None);
    }
}
