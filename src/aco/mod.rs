//! The ant systems as data: fixed-point arithmetic, random words, parameters, plans. Knows no device.

pub mod fixed;
pub mod mmas;
pub mod plan;
pub mod random;
