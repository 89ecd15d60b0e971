//! Problems in the form that kernels know.

use std::borrow::Cow;

use super::Problem;
use crate::error::Result;
use crate::instance::{qap, tsp};

/// A problem in the form that kernels know, with the way back to the problem itself.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    original: Problem,
    problem: Problem,
    /// `None` where both are the same.
    normal: Option<Normal>,
    /// A cost in this form stands for 2 to the power of this, rounded for each edge; 0 where it is exact.
    unit_bits: u32,
}

#[derive(Clone, Debug)]
enum Normal {
    Tsp(Box<tsp::Normal>),
    Qap(Box<qap::Normal>),
}

impl Form {
    /// The problem itself.
    pub fn original(&self) -> &Problem {
        &self.original
    }

    /// Whether each city is a city of its own.
    pub fn is_apart(&self) -> bool {
        !matches!(&self.normal, Some(Normal::Tsp(normal)) if normal.is_gathered())
    }

    /// The unit in which costs are counted in this form: 1 where they are exact. Of a larger one all that is told of them, but of solutions that are
    /// there, is about so.
    pub fn unit(&self) -> u64 {
        1 << self.unit_bits
    }

    /// Whether costs in this form tell those of the problem itself exactly.
    pub fn is_exact(&self) -> bool {
        self.unit_bits == 0
    }

    /// What a solution of the problem itself costs that was found to cost so much in this form.
    pub fn exact_cost(&self, solution: &[u32], own: u64) -> u64 {
        let told = self.cost(own);
        if self.is_exact() { told } else { self.original.cost(solution).unwrap_or(told) }
    }

    /// The problem in this form.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The form of a problem whose distances were in a unit of 2^`bits` of `original`'s.
    pub fn in_larger_unit_of(self, original: &Problem, bits: u32) -> Self {
        Self { original: original.clone(), unit_bits: bits, ..self }
    }

    /// The solution of the problem itself that one in this form stands for.
    pub fn solution(&self, own: Vec<u32>) -> Vec<u32> {
        let solution = match &self.normal {
            Some(Normal::Tsp(normal)) => match normal.solution(&own) {
                Cow::Owned(solution) => solution,
                Cow::Borrowed(_) => own,
            },
            Some(Normal::Qap(normal)) => normal.solution(&own),
            None => own,
        };
        match &self.original {
            Problem::Tsp(instance) => {
                let solution = instance.in_shorter_direction(solution);
                match instance.first_city() {
                    Some(first) => tsp::from_city(&solution, first),
                    None => solution,
                }
            }
            Problem::Qap(_) => solution,
        }
    }

    /// The best of all solutions, by what was given, where there are so few that these are tried at once; in this form.
    pub fn best_of_few(&self) -> Vec<u32> {
        match &self.normal {
            Some(Normal::Tsp(normal)) if !self.original.costs_tell_lengths() => normal.best_of_few(),
            _ => self.best_as_given().unwrap_or_else(|| self.problem.best_of_few()),
        }
    }

    /// The best of few assignments that are compared by what was given.
    fn best_as_given(&self) -> Option<Vec<u32>> {
        let Problem::Qap(instance) = &self.original else { return None };
        let best = instance.is_compared_as_given().then(|| instance.best_as_given())?;
        self.own_solution(&best).ok()
    }

    /// The least cost of all tours, of few, where those of this cost are the shortest by what was given, too: the longest of these is no longer than the
    /// shortest of all.
    pub fn least_kept_by_rounding(&self) -> Option<u64> {
        let Problem::Tsp(original) = &self.original else { return None };
        if original.differs_back() {
            return None;
        }
        let tours = match (&self.normal, &self.problem) {
            (Some(Normal::Tsp(normal)), _) => [normal.best_of_few(), normal.longest_of_least()],
            (None, Problem::Tsp(instance)) => {
                let way = |from: u32, to: u32| instance.way(from as usize, to as usize);
                [instance.shortest_of_parts(way), instance.longest_of_least(way)]
            }
            _ => return None,
        };
        let [shortest, longest] = tours.map(|tour| self.solution(tour));
        let length = |tour: &[u32]| original.length(tour).ok();
        let (least, most) = (length(&shortest)?, length(&longest)?);
        // As many sums in another order differ by less.
        let keeps = most <= least + 1e-12 * (least.abs() + self.original.length_error());
        original.tour_cost(&longest).ok().filter(|_| keeps)
    }

    /// The solution in this form that stands for one of the problem itself, of which cities in one place may lie apart: then it may cost
    /// something else.
    ///
    /// # Errors
    /// [`crate::Error::Tour`] or [`crate::Error::Assignment`] when it is none.
    pub fn own_solution(&self, solution: &[u32]) -> Result<Vec<u32>> {
        match &self.normal {
            Some(Normal::Tsp(normal)) => normal.tour(solution),
            Some(Normal::Qap(normal)) => normal.own_solution(solution),
            None => self.problem.cost(solution).map(|_| solution.to_vec()),
        }
    }

    /// The cost of the problem itself for a cost in this form.
    pub fn cost(&self, own: u64) -> u64 {
        match &self.normal {
            Some(Normal::Tsp(normal)) => normal.cost(own).saturating_mul(self.unit()),
            Some(Normal::Qap(normal)) => own.saturating_add(normal.offset()),
            None => own.saturating_mul(self.unit()),
        }
    }

    /// The cost in this form for a cost of the problem itself; `None` when nothing costs so little.
    pub fn own_cost(&self, cost: u64) -> Option<u64> {
        match &self.normal {
            Some(Normal::Tsp(normal)) => normal.own_cost(cost >> self.unit_bits),
            Some(Normal::Qap(normal)) => cost.checked_sub(normal.offset()),
            None => Some(cost >> self.unit_bits),
        }
    }
}

impl Problem {
    /// The form that kernels know; `symmetric` says whether the algorithm takes symmetric distances only.
    ///
    /// # Errors
    /// [`crate::Error::Instance`] where asymmetric distances cannot be made symmetric.
    pub(crate) fn form(&self, symmetric: bool) -> Result<Form> {
        if let Self::Tsp(instance) = self
            && let Some(normal) = instance.gathered()
        {
            return Ok(self.formed(Normal::Tsp(normal.into())));
        }
        self.form_apart(symmetric)
    }

    /// The same with each city a city of its own, however many lie in one place.
    ///
    /// # Errors
    /// As [`Problem::form`].
    pub(crate) fn form_apart(&self, symmetric: bool) -> Result<Form> {
        match self {
            Self::Tsp(instance) if !(instance.is_free() && (instance.is_symmetric() || !symmetric)) => {
                Ok(self.formed(Normal::Tsp(instance.normal(symmetric)?.into())))
            }
            Self::Qap(instance) if !instance.is_in_kernel_form() => {
                Ok(self.formed(Normal::Qap(instance.normal()?.into())))
            }
            _ => Ok(Form { original: self.clone(), problem: self.clone(), normal: None, unit_bits: 0 }),
        }
    }

    fn formed(&self, normal: Normal) -> Form {
        let problem = match &normal {
            Normal::Tsp(normal) => normal.instance().into(),
            Normal::Qap(normal) => normal.instance().into(),
        };
        Form { original: self.clone(), problem, normal: Some(normal), unit_bits: 0 }
    }

    /// The same tours with distances in a unit of 2^`bits`.
    ///
    /// # Errors
    /// Those of [`tsp::Instance::from_matrix`], which shorter weights do not have.
    pub(crate) fn in_larger_unit(&self, bits: u32) -> Result<Self> {
        match self {
            Self::Tsp(instance) => instance.in_larger_unit(bits).map(Self::from),
            Self::Qap(_) => Ok(self.clone()),
        }
    }
}
