//! The best solutions, and the trails that they and the ants of an iteration lay.

pub mod best;
pub mod deposit;
pub mod deposit_amount;
pub mod global_update;
pub mod local_update;
pub mod trail_update;
pub mod unit_best;
