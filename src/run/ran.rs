//! What made a solution, and where.

use super::Solver;
use crate::settings::Recipe;

/// What made a solution, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ran {
    /// What was to run, nothing left open; of several colonies the first one's.
    pub recipe: Recipe,
    /// `wgpu`, `cuda` or `cpu`, where it ran in the end; `mixed` on devices of several backends.
    pub backend: &'static str,
    /// The device's name; of several the names of all.
    pub device: String,
}

impl Ran {
    /// Of a recipe whose set-up was not done when a solution was needed.
    pub fn not_set_up(recipe: Recipe) -> Self {
        Self { recipe, backend: "cpu", device: "none yet, the set-up was not done".into() }
    }
}

impl Solver {
    /// What runs, and where it runs now.
    pub fn ran(&self) -> Ran {
        Ran { recipe: self.recipe.clone(), backend: self.backend(), device: self.device().to_owned() }
    }
}
