//! What runs when nobody says which algorithm.

use super::Algorithm;
use super::asked::{Cunning, Eax, LkEax, MaxMin, Memetic};
use crate::algorithm::construct::MAX_CITIES;
use crate::algorithm::windows::{FARTHEST, MOST_COST};
use crate::instance::problem::Problem;
use crate::instance::qap::Structure;

/// The most cities with asymmetric distances that crossover takes by default: made symmetric they take a matrix of 4 n² words, 1 GiB.
const MOST_ASYMMETRIC: usize = 8192;

/// The most facilities of entries as if drawn at random among which a population finds more than a cunning Ant System: measured
/// (`docs/results/2026-11-memetic.md`).
const MOST_RANDOM: usize = 60;

/// What [`Algorithm::Auto`] stands for.
pub(super) fn automatic(problem: &Problem) -> Algorithm {
    match problem {
        Problem::Qap(instance) if instance.locations() > MOST_RANDOM && instance.structure() == Structure::Random => {
            Cunning::default().into()
        }
        Problem::Qap(_) => Memetic::default().into(),
        Problem::Tsp(instance) if instance.is_symmetric() => {
            let (longest, tour) = instance.sizes();
            let fits = longest <= u64::from(FARTHEST) && tour < MOST_COST;
            // Nothing else takes more cities.
            match fits || instance.len() > MAX_CITIES {
                true => LkEax::default().into(),
                false => MaxMin::default().into(),
            }
        }
        Problem::Tsp(instance) => {
            let (longest, _) = instance.sizes();
            // Reduced costs may be twice as long.
            match 2 * longest <= u64::from(FARTHEST) && instance.len() <= MOST_ASYMMETRIC {
                true => Eax::default().into(),
                false => MaxMin::default().into(),
            }
        }
    }
}
