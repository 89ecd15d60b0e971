//! The ant systems as data: choices, parameters, presets, fixed-point arithmetic, random words. Knows no device.

pub mod acs;
pub mod ant_system;
pub mod assembly;
mod assignment;
pub mod cas;
pub(crate) mod colonies;
pub mod config;
pub mod fixed;
pub mod focused;
pub mod mmas;
pub mod presets;
pub mod random;
mod range;
pub mod selective;
pub mod system;
