//! The ant systems as data: fixed-point arithmetic, random words, parameters. Knows no device.

pub mod config;
pub mod fixed;
pub mod mmas;
pub mod random;
