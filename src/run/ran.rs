//! What made a solution, and where.

use super::Solver;
use crate::settings::Recipe;

/// What made a solution, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ran {
    /// What was to run, nothing left open; of several colonies the first one's.
    pub recipe: Recipe,
    /// `wgpu`, `cuda` or `cpu`, where it ran in the end; `mixed` on devices of several backends, `none` where
    /// its set-up was not waited for.
    pub backend: &'static str,
    /// The device's name; of several the names of all.
    pub device: String,
}

impl Solver {
    /// What runs, and where it runs now.
    pub fn ran(&self) -> Ran {
        Ran { recipe: self.recipe.clone(), backend: self.backend(), device: self.device().to_owned() }
    }
}
