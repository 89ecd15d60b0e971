//! What to run, as a user says it.

use serde::Serialize;

use super::mmas::MmasParams;

/// The ant system to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Algorithm {
    /// MAX-MIN Ant System.
    #[default]
    Mmas,
}

/// The local search each ant ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub enum LocalSearch {
    /// None: tours stay as constructed.
    #[serde(rename = "none")]
    None,
    /// 2-opt with neighbour lists and don't-look bits.
    #[default]
    #[serde(rename = "2opt")]
    TwoOpt,
}

/// The cities an ant weighs at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Candidates {
    /// All other cities.
    All,
    /// This many nearest neighbours, at least 5.
    Nearest(usize),
}

/// What to run; `Default` suits any instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Config {
    /// The ant system.
    pub algorithm: Algorithm,
    /// The local search of each ant.
    pub local_search: LocalSearch,
    /// Ants in an iteration; `None` chooses by instance size, the same on every device.
    pub ants: Option<usize>,
    /// Candidate lists; `None` is the 32 nearest neighbours.
    pub candidates: Option<Candidates>,
    /// The seed: same seed, same tours, on every device.
    pub seed: u64,
    /// Parameters of the ant system; `None` chooses by local search.
    pub mmas: Option<MmasParams>,
}
