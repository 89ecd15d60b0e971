//! What made a solution, and where.

use super::Solver;
use crate::backend::BackendKind;
use crate::settings::Recipe;

/// What made a solution, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ran {
    /// What was to run, nothing left open; of several colonies the first one's.
    pub recipe: Recipe,
    /// Where it ran in the end.
    pub backend: BackendKind,
    /// The device's name; of several the names of all.
    pub device: String,
}

impl Solver {
    /// What runs, and where it runs now.
    pub fn ran(&self) -> Ran {
        Ran { recipe: self.recipe.clone(), backend: self.backend(), device: self.device().to_owned() }
    }
}
