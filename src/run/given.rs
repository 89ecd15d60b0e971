//! The solution that a run was given, where rounding may let a longer one cost less.

use crate::error::Result;
use crate::instance::problem::Form;

/// A solution of the problem itself that is not to be lost to a longer one.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub solution: Vec<u32>,
    pub length: f64,
    pub cost: u64,
}

impl Given {
    /// `None` where costs in the form that kernels know tell lengths: there a run keeps it as any other.
    ///
    /// # Errors
    /// [`crate::Error::Tour`] or [`crate::Error::Assignment`] when it is no solution.
    pub fn of(form: &Form, solution: &[u32]) -> Result<Option<Self>> {
        let problem = form.original();
        if form.is_exact() && problem.costs_tell_lengths() {
            return Ok(None);
        }
        let (length, cost) = (problem.length(solution)?, problem.cost(solution)?);
        Ok(Some(Self { solution: solution.to_vec(), length, cost }))
    }

    /// Whether it is shorter than what was found.
    pub fn is_shorter_than(&self, length: f64) -> bool {
        self.length < length
    }
}
