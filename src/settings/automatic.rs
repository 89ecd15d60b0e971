//! What runs when nobody says which algorithm.

use super::Algorithm;
use super::asked::{Cunning, Eax, LkEax, MaxMin, Memetic};
use super::tours::opening::usual_window_size;
use crate::algorithm::construct::MAX_CITIES;
use crate::algorithm::windows::{FARTHEST, MOST_COST};
use crate::instance::problem::Problem;
use crate::instance::qap::{self, Structure};
use crate::instance::tsp::Most;

/// The most cities with asymmetric distances that crossover takes by default: made symmetric they take a matrix of 4 n² words, 1 GiB.
const MOST_ASYMMETRIC: usize = 8192;

/// The most facilities of entries as if drawn at random among which a population finds more than a cunning Ant System: measured
/// (`docs/results/2026-11-memetic.md`).
const MOST_RANDOM: usize = 60;

/// The fewest cities whose distances are rounded so that Lin-Kernighan search and crossover take them: of fewer ants find the best tour as well, and all can
/// be tried.
const FEWEST_ROUNDED: usize = 20;

/// What counts as facilities for that: empty ones, too, but where they are most.
fn size(instance: &qap::Instance) -> usize {
    let (empty, all) = (instance.empty_facilities(), instance.locations());
    if 2 * empty > all { all - empty } else { all }
}

/// What [`Algorithm::Auto`] stands for.
pub(super) fn automatic(problem: &Problem) -> Algorithm {
    match problem {
        Problem::Qap(instance) if size(instance) > MOST_RANDOM && instance.structure() == Structure::Random => {
            Cunning::default().into()
        }
        Problem::Qap(_) => Memetic::default().into(),
        Problem::Tsp(instance) if instance.is_symmetric() => {
            let crossed = LkEax::default().into();
            if bits_too_many(&crossed, problem).is_some() { crossed } else { MaxMin::default().into() }
        }
        Problem::Tsp(instance) => {
            let crossed = Eax::default().into();
            match instance.len() <= MOST_ASYMMETRIC && bits_too_many(&crossed, problem).is_some() {
                true => crossed,
                false => MaxMin::default().into(),
            }
        }
    }
}

/// How many bits are to be taken off distances so that an algorithm takes them; 0 where it does, `None` where that would leave too little of them.
pub(super) fn bits_too_many(algorithm: &Algorithm, problem: &Problem) -> Option<u32> {
    let Problem::Tsp(instance) = problem else { return Some(0) };
    if !algorithm.needs_symmetry() {
        return Some(0);
    }
    // Windows count what each of them has alone. Where it is too much they would have to be so small that they find little.
    let windowed = instance.is_symmetric() && (matches!(algorithm, Algorithm::Lk(_)) || instance.len() > MAX_CITIES);
    let asked = match algorithm {
        Algorithm::Lk(windows) => windows.window_size.map(u64::from),
        _ => None,
    };
    let size = asked.unwrap_or(usual_window_size(instance.len()) as u64).min(instance.len() as u64);
    let has_large_windows = || instance.sizes().0.saturating_mul(size) < MOST_COST;
    // Of asymmetric distances reduced costs are counted, which may be twice as long, but cost little together.
    let counts_tours = instance.is_symmetric() && !(windowed && has_large_windows());
    let most = Most {
        distance: if instance.is_symmetric() { FARTHEST.into() } else { u64::from(FARTHEST / 2) },
        tour: counts_tours.then_some(MOST_COST),
    };
    let bits = instance.bits_too_many(most).filter(|bits| *bits == 0 || instance.len() >= FEWEST_ROUNDED);
    // Where a larger unit would leave too little, windows are smaller.
    bits.or(windowed.then_some(0))
}
