//! The best solutions of an iteration and of the run, and the pheromone trails: evaporation, deposits, local and global updates.

pub mod best;
pub mod deposit;
pub mod deposit_amount;
pub mod global_update;
pub mod local_update;
pub mod serial_update;
pub mod trail_update;
pub mod unit_best;
