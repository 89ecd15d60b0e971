//! The problems that there are solvers for, as one type.

use std::path::Path;

use crate::error::{Error, Result};
use crate::instance::table::{miscounted, table_error};
use crate::instance::{qap, tsp};
use crate::text::{read_text, stem, unpacked};

/// The most cities or locations of which it is looked whether they are so few, fixed ones aside.
const MOST_LOOKED_AT: usize = 1_000;
/// Up to so many cities or facilities a simple solution is made at once, in time by their square.
const SOON_OF_TOURS: usize = 8_192;
const SOON_OF_ASSIGNMENTS: usize = 5_000;
/// Rounding may decide where a way is as short as so many times what it changes.
const COARSE_WAYS: f64 = 10.0;

mod display;
mod files;
mod form;
mod shape;
mod warnings;

pub use files::FileForm;
pub(crate) use form::Form;
pub use shape::{Shape, ShapeKind};

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

impl From<tsp::Instance> for Problem {
    fn from(instance: tsp::Instance) -> Self {
        Self::Tsp(instance)
    }
}

impl From<qap::Instance> for Problem {
    fn from(instance: qap::Instance) -> Self {
        Self::Qap(instance)
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

impl Problem {
    /// Reads an instance of either problem: what [`tsp::Instance::read`] reads, or a QAPLIB file (numbers, of which the first is the size
    /// of two matrices, see [`qap::Instance::parse`]). What it is is told by its content; a file called `.dat`, as QAPLIB's are, holds an
    /// assignment problem where it can be read as one.
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (text, name) = read_text(path.as_ref())?;
        Self::parse(&text, &name, tsp::Distances::Stated)
    }

    /// The same from text (see [`crate::decode`]), with distances that may be other than it says, and a choice where it has several weights; `file` names it
    /// in errors.
    ///
    /// # Errors
    /// As [`Problem::read`]; for distances other than stated also where there are no coordinates, and for a chosen weight where there is none to choose.
    pub fn parse<'a>(text: &str, file: &str, reading: impl Into<tsp::Reading<'a>>) -> Result<Self> {
        let reading = reading.into();
        let distances = reading.distances;
        let (stated, numbers) = (distances == tsp::Distances::Stated, tsp::Looks::of(text) == tsp::Looks::Numbers);
        let called = unpacked(file).to_lowercase().ends_with(".dat");
        let assigned =
            (stated && reading.weight.is_none() && (numbers || called)).then(|| qap::Instance::parse(text, file));
        match assigned {
            Some(Ok(instance)) => Ok(Self::Qap(instance.with_name(stem(file)))),
            Some(Err(error)) if numbers => Err(match table_error(text, file).filter(|_| !called) {
                Some(error) => error,
                None => error.explained(&miscounted(text)),
            }),
            None if numbers && qap::Instance::parse(text, file).is_ok() => {
                let what = match stated {
                    true => "ways between cities to choose from: leave --weight out",
                    false => "distances to measure: leave the metric out",
                };
                Err(Error::parse(file, 1, format!("an assignment problem has no {what}")))
            }
            _ => Ok(Self::Tsp(tsp::Instance::parse_as(text, file, reading)?)),
        }
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
                rounding: instance.rounding_and_error().map(|(rounding, _)| rounding),
                paired: instance.kernel_form.paired,
                gap: instance.kernel_form.gap.is_some(),
                doubled: instance.kernel_form.doubled,
            },
            Self::Qap(instance) => ShapeKind::Assignment {
                structure: instance.structure(),
                asymmetric: !instance.is_symmetric_in_one(),
                empty: instance.empty_facilities(),
                alike: instance.classes().is_some(),
            },
        };
        let farthest = match self {
            Self::Tsp(instance) => instance.farthest(),
            Self::Qap(_) => None,
        };
        Shape { kind, size: self.len(), farthest }
    }

    /// By how much a cost may differ that devices count from the cost of a solution as the instance computes it; 0 where they count exactly.
    /// They begin with the cost of some solution and take off what they gain, so that the edges of both count.
    pub(crate) fn slack(&self) -> u64 {
        match self {
            Self::Tsp(instance) => {
                let error = instance.rounding_and_error().map_or(0.0, |(_, error)| error);
                (2.0 * error * instance.len() as f64).ceil() as u64
            }
            Self::Qap(_) => 0,
        }
    }

    /// Whether there are so few parts that all solutions are tried at once; of few assignments with rounded entries all are, by what was given.
    pub fn is_trivial(&self) -> bool {
        match self {
            Self::Tsp(instance) => instance.len() < 4 || instance.has_few_parts(),
            Self::Qap(instance) => instance.len() < 2 || instance.is_compared_as_given(),
        }
    }

    /// The best of all solutions of a problem in the form for kernels, where there are so few parts that these are tried at once.
    pub(crate) fn best_of_few(&self) -> Vec<u32> {
        match self {
            Self::Tsp(instance) => instance.best_of_parts(),
            Self::Qap(instance) => instance.best_assignment(),
        }
    }

    /// The least cost of all solutions where there are so few that going through them takes less than a tenth of a second: closed tours of up
    /// to 13 cities, of up to 18 with asymmetric distances, open paths of one less, of chains that fixed edges join as many, and up to
    /// 3,265,920 assignments divided by the facilities (nine at nine locations, two at 1,000; fewer where flows are negative and many locations
    /// stay empty). Of more than 1,000 cities or locations there is none, whatever is fixed.
    ///
    /// ```
    /// use myrmex::{Problem, tsp::{Kind, generate, known_cost}};
    ///
    /// let few = generate(Kind::Lattice, 12, 1)?;
    /// assert_eq!(Problem::from(&few).least_cost(), known_cost(Kind::Lattice, &few));
    /// assert_eq!(Problem::from(generate(Kind::Lattice, 16, 1)?).least_cost(), None);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn least_cost(&self) -> Option<u64> {
        let form = self.form_of_few()?;
        let least = form.problem().cost(&form.problem().best_of_few()).ok()?;
        Some(form.cost(least))
    }

    /// The form for kernels where there are so few solutions that all are gone through.
    fn form_of_few(&self) -> Option<Form> {
        let places = match self {
            Self::Tsp(instance) => instance.len(),
            Self::Qap(instance) => instance.locations(),
        };
        if places > MOST_LOOKED_AT {
            return None;
        }
        // Where constraints contradict one another there is no solution. (Of cities in one place gathered into one the least cost may be another one, since
        // rounded distances do not keep to the triangle inequality.)
        let form = self.form_apart(false).ok()?;
        let are_few = match form.problem() {
            Self::Tsp(instance) => instance.has_few_orders(),
            Self::Qap(instance) => instance.has_few_assignments(),
        };
        are_few.then_some(form)
    }

    /// The same where no other solution is better by what was given: rounding does not decide.
    pub(crate) fn least_cost_proved(&self) -> Option<u64> {
        match self {
            Self::Tsp(_) if self.costs_tell_lengths() => self.least_cost(),
            Self::Tsp(_) => {
                let form = self.form_of_few()?;
                if self.is_coarse() { None } else { form.least_kept_by_rounding() }
            }
            Self::Qap(instance) => self.least_cost().filter(|cost| instance.rounding_keeps(*cost)),
        }
    }

    /// A solution made in a simple way: the nearest-neighbour tour, or great flows at central locations; with the edges, ends and places that
    /// are fixed.
    pub fn simple_solution(&self) -> Vec<u32> {
        let own = |problem: &Self| match problem {
            Self::Tsp(instance) => instance.with_pairs_together(instance.nearest_neighbour_tour(0)),
            Self::Qap(instance) => instance.simple_assignment(),
        };
        // What is fixed was found to be possible when it was asked for.
        self.form_apart(false).map_or_else(|_| own(self), |form| form.solution(own(form.problem())))
    }

    /// The form for kernels, and a solution in it that is made at once: a tour along a space-filling curve; where there are no coordinates, and for
    /// assignments, a simple one of up to 8,192 cities or 5,000 facilities, and of more all in their order.
    pub(crate) fn form_at_once(&self) -> Result<(Form, Vec<u32>)> {
        let form = self.form(false)?;
        let is_small = match form.problem() {
            Self::Tsp(instance) => instance.len() <= SOON_OF_TOURS,
            Self::Qap(instance) => instance.len() <= SOON_OF_ASSIGNMENTS,
        };
        let in_order = || (0..form.problem().len() as u32).collect();
        let own = match form.problem() {
            Self::Tsp(instance) => match instance.space_filling_orders(1) {
                Some(mut orders) => instance.with_pairs_together(orders.remove(0)),
                None if is_small => instance.with_pairs_together(instance.nearest_neighbour_tour(0)),
                None => in_order(),
            },
            Self::Qap(instance) if is_small => instance.simple_assignment(),
            Self::Qap(_) => in_order(),
        };
        Ok((form, own))
    }

    /// A tour along the first space-filling curve, where there are coordinates, and the tour of greedy edges elsewhere.
    pub(crate) fn space_filling_solution(&self) -> Vec<u32> {
        match self {
            Self::Tsp(instance) => match instance.space_filling_orders(1) {
                Some(mut orders) => instance.with_pairs_together(orders.remove(0)),
                None => instance.greedy_tour(),
            },
            Self::Qap(_) => self.simple_solution(),
        }
    }

    /// The tour of greedy edges; of an assignment problem the simple solution.
    pub(crate) fn greedy_solution(&self) -> Vec<u32> {
        match self {
            Self::Tsp(instance) => instance.greedy_tour(),
            Self::Qap(_) => self.simple_solution(),
        }
    }

    /// The patched assignment of an asymmetric instance made symmetric.
    pub(crate) fn patched_solution(&self) -> Vec<u32> {
        match self {
            Self::Tsp(instance) => instance.patched_tours(1, |_, _| 0).remove(0),
            Self::Qap(_) => self.simple_solution(),
        }
    }

    /// The length of a solution that is known to be one and costs `cost`, in the unit of what was given.
    pub(crate) fn length_at(&self, permutation: &[u32], cost: u64) -> f64 {
        match self {
            Self::Tsp(instance) => instance.length_at(permutation, cost),
            Self::Qap(instance) => instance.length_at(permutation, cost),
        }
    }

    /// The length of a solution in the unit of what was given, see [`tsp::Instance::length`]; of an assignment its cost in that unit, see
    /// [`qap::Instance::length`].
    ///
    /// # Errors
    /// As [`Problem::cost`].
    pub fn length(&self, permutation: &[u32]) -> Result<f64> {
        Ok(self.length_at(permutation, self.cost(permutation)?))
    }

    /// About the length of a tour of this cost, see [`tsp::Instance::length_of`]; of an assignment what it costs in the unit of what was given,
    /// see [`qap::Instance::length_of`].
    pub fn length_of(&self, cost: u64) -> f64 {
        match self {
            Self::Tsp(instance) => instance.length_of(cost),
            Self::Qap(instance) => instance.length_of(cost),
        }
    }

    /// By how much the length of a solution may differ at most from what its cost tells ([`Problem::length_of`]); 0 where both are the same.
    pub fn length_error(&self) -> f64 {
        match self {
            Self::Tsp(instance) => instance.edge_error() * instance.len() as f64,
            Self::Qap(instance) => instance.cost_error(),
        }
    }

    /// Whether a solution's cost tells its length exactly: nothing is rounded, and no weight is counted as less than it is.
    pub fn costs_tell_lengths(&self) -> bool {
        self.length_error() == 0.0 && !self.counts_less()
    }

    /// Whether some weights are counted as less than they are, so that the length of a solution may be more than its cost tells, by any amount.
    pub fn counts_less(&self) -> bool {
        match self {
            Self::Tsp(instance) => instance.most_counted().is_some(),
            Self::Qap(instance) => instance.counts_less(),
        }
    }

    /// Whether rounding ([`Problem::length_error`]) is so coarse beside what is given that it may decide which solution costs the
    /// least: of a thousand cities or fewer two are apart, by less than ten times what rounding changes, as where one city lies very far
    /// away; or half of the exchanges in random assignments change by it more than a hundredth of what all but the least quarter of exchanges
    /// change. Where there are few assignments ([`Problem::least_cost`]) all are compared by what was given, and rounding does not decide.
    pub fn is_coarse(&self) -> bool {
        match self {
            Self::Tsp(instance) if instance.edge_error() == 0.0 || instance.len() > MOST_LOOKED_AT => false,
            Self::Tsp(instance) => {
                let cities = 0..instance.len();
                let ways = cities.clone().flat_map(|a| cities.clone().filter(move |b| *b != a).map(move |b| [a, b]));
                // What all ways have in common decides nothing.
                let low = instance.in_common();
                let apart = ways.map(|[a, b]| (instance.way(a, b) - low).abs()).filter(|way| *way > 0.0);
                apart.fold(f64::INFINITY, f64::min) < COARSE_WAYS * instance.edge_error()
            }
            Self::Qap(instance) if instance.cost_error() == 0.0 => false,
            Self::Qap(instance) => !instance.is_compared_as_given() && instance.is_counted_coarsely(),
        }
    }

    /// The greatest cost that stands for `length` or less, see [`tsp::Instance::cost_of`] and [`qap::Instance::cost_of`].
    pub fn cost_of(&self, length: f64) -> u64 {
        match self {
            Self::Tsp(instance) => instance.cost_of(length),
            Self::Qap(instance) => instance.cost_of(length),
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
mod tests;
