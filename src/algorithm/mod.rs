//! The algorithms as data: choices, parameters with nothing left open, fixed-point arithmetic, random words. Knows no device, and
//! nothing of what a person leaves open: that is `settings`.

pub mod acs;
pub mod ant_system;
pub mod cas;
pub mod chained;
pub mod choices;
pub mod construct;
pub mod eax;
// The engine's own arithmetic.
#[doc(hidden)]
pub mod fixed;
pub mod memetic;
pub mod mmas;
#[doc(hidden)]
pub mod random;
pub(crate) mod range;
#[doc(hidden)]
pub mod selective;
pub mod value;
pub mod windows;
