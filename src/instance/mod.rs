//! What is solved: instances, their files, distances, neighbours and first solutions. Knows no device and no algorithm.

mod delimiter;
mod fingerprint;
pub(crate) mod problem;
pub mod qap;
mod reported;
mod share;
mod sums;
mod table;
pub mod tsp;
mod ways;
