//! Parameters of the Ant Colony System (Dorigo and Gambardella 1997; Skinderowicz 2016, section 3).

use serde::Serialize;

use super::fixed::{HEURISTIC_TOP, MOST_WEIGHT, TRAIL_ONE, WEIGHT_UNITS};
use super::range;
use super::value::{Value, named_values};
use crate::error::Result;
use crate::wgsl::constant;

/// Set in the first entry of a city's list, beside its weight, once an update has raised the trail of an edge from the city that is no candidate
/// edge. While it is not set, all those trails are equal to the first trail.
pub const FAR_RAISED: u32 = constant!("pheromone/trail_place", "FAR_RAISED");
/// The bits of an entry that hold its heuristic weight.
pub const HEURISTIC_WEIGHT: u32 = constant!("construct/entry", "HEURISTIC_WEIGHT");

// The flag lies above every heuristic weight, and a trail raises none by more than the octaves of a word: no sum has to be capped.
const _: () = assert!(HEURISTIC_TOP <= HEURISTIC_WEIGHT && HEURISTIC_TOP + 32 * WEIGHT_UNITS <= MOST_WEIGHT);
// `log2_near` takes a trail's upper 24 bits: no first trail, which is the least, has its first bit in the others.
const _: () = assert!(TRAIL_ONE / (1 << 16) >= 1 << 14);

/// The index of the trail of an edge that is no candidate edge.
#[inline(always)]
pub fn far_place(city: u32, other: u32, cities: u32, candidates: u32) -> usize {
    cities as usize * candidates as usize + city as usize * cities as usize + other as usize
}

/// The index of the trail of the edge between two cities. First come the trails of candidate edges in the order of `lists`, cities × candidates,
/// whose upper halves are the cities; then cities × cities for all other edges. The shader's side is
/// `shaders/pheromone/trail_place.wgsl`.
#[inline]
pub fn trail_place(lists: &[u32], city: u32, other: u32, cities: u32, candidates: u32) -> usize {
    let row = city as usize * candidates as usize;
    match lists[row..][..candidates as usize].iter().position(|&entry| entry >> 16 == other) {
        Some(k) => row + k,
        None => far_place(city, other, cities, candidates),
    }
}

/// The parts of the local update.
const LOCAL_PARTS: f64 = 65_536.0;

/// Parameters of the Ant Colony System.
///
/// Both rates are shares of a trail that *vanish* in an update. Skinderowicz 2016 calls the global one α and the local one ρ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AcsParams {
    /// Heuristic exponent β in 0..=16. The trail's exponent is 1.
    pub beta: f64,
    /// Probability in 0..=1 that a step goes to the candidate of greatest weight; `None` is (n − 20)/n, at least 1/2.
    pub q0: Option<f64>,
    /// Share of a trail that the global update replaces by 1/(best cost), in (0, 1).
    pub evaporation: f64,
    /// Share of a trail that the local update replaces by the first trail, in (0, 1); kept in 1/65,536.
    pub local_evaporation: f64,
}

impl Default for AcsParams {
    /// The parameters of Skinderowicz 2016, section 4.1: β 3, q0 (n − 20)/n, rates 0.2 and 0.01.
    fn default() -> Self {
        Self { beta: 3.0, q0: None, evaporation: 0.2, local_evaporation: 0.01 }
    }
}

impl AcsParams {
    /// Checks each range.
    ///
    /// # Errors
    /// [`crate::Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::exponents(1.0, self.beta)?;
        range::closed("q0", self.q0.unwrap_or_default(), 1.0)?;
        range::rate("evaporation", self.evaporation, range::PARTS)?;
        range::rate("local_evaporation", self.local_evaporation, LOCAL_PARTS)
    }

    /// The probability of a greedy step for so many cities.
    fn greedy(&self, cities: usize) -> f64 {
        let n = cities as f64;
        self.q0.unwrap_or(((n - 20.0) / n).max(0.5))
    }

    /// q0 · 2³², saturated.
    pub fn greedy_fixed(&self, cities: usize) -> u32 {
        (self.greedy(cities) * 4294967296.0) as u32
    }

    /// By name, for so many cities.
    pub(crate) fn parameters(&self, cities: usize) -> Vec<(&'static str, Value)> {
        named_values![
            beta = self.beta,
            q0 = self.greedy(cities),
            evaporation = self.evaporation,
            local_evaporation = self.local_evaporation,
        ]
    }

    /// The first trail: 1 / (n · reference), in the unit in which 1 / reference is [`TRAIL_ONE`].
    pub fn first_trail(cities: usize) -> u32 {
        (TRAIL_ONE / cities.max(1) as u32).max(1)
    }

    /// The rate of the global update · 2³².
    pub fn evaporation_fixed(&self) -> u32 {
        range::share_fixed(self.evaporation)
    }

    /// The rate of the local update in its parts, 2¹⁶.
    pub fn local_evaporation_fixed(&self) -> u32 {
        (range::share_fixed(self.local_evaporation) >> 16).max(1)
    }
}
