//! A solution where there is no time for a run.

use rayon::ThreadPoolBuilder;

use super::pools::STACK_BYTES;
use crate::algorithm::windows::FARTHEST;
use crate::error::Result;
use crate::instance::problem::Problem;
use crate::kernels::lin_kernighan::first_tour;

/// Tours of so many cities are searched once: that takes some hundredths of a second.
const SEARCHED: std::ops::RangeInclusive<usize> = 8..=2_000;

impl Problem {
    /// A solution that is made at once, where a run cannot be waited for: a tour along a space-filling curve; where there are no coordinates, and for
    /// assignments, a simple one of up to 8,192 cities or 5,000 facilities, and of more all in their order. Symmetric tours of up to 2,000 cities are searched once
    /// (Lin and Kernighan 1973). It has the edges and ends that an instance asks for. A thread of its own makes it: those of the caller's pool may be held up
    /// by a set-up that is not waited for.
    ///
    /// ```
    /// use myrmex::{Problem, tsp::{Kind, generate}};
    ///
    /// let problem = Problem::from(generate(Kind::Uniform, 200, 1)?);
    /// let solution = problem.solution_at_once()?;
    /// assert!(problem.cost(&solution)? < problem.cost(&problem.simple_solution())?);
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::Error::Instance`] where edges and ends contradict one another.
    pub fn solution_at_once(&self) -> Result<Vec<u32>> {
        alone(|| self.made_at_once())
    }

    fn made_at_once(&self) -> Result<Vec<u32>> {
        let (form, mut own) = self.form_at_once()?;
        if let Self::Tsp(instance) = form.problem()
            && SEARCHED.contains(&instance.len())
            && instance.is_symmetric()
            && instance.sizes().0 <= u64::from(FARTHEST)
        {
            first_tour::improve(instance, &mut own);
        }
        Ok(form.solution(own))
    }
}

/// Does something on a thread of its own, and what that would share out, too.
pub(super) fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().num_threads(1).stack_size(STACK_BYTES).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
