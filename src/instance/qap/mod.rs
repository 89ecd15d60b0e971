//! The quadratic assignment problem: instances, their files, solutions, generators. Knows no device.
//!
//! Facilities are to be placed, one at each location. An assignment φ says for each facility its location; it costs
//! Σᵢⱼ aᵢⱼ · b_φ(i)φ(j) (Tsutsui and Fujimoto 2011, equation 3), where A, the first matrix of a file, holds the flows between
//! facilities, and B, the second, the distances between locations. Which of the two a file puts first makes no difference to
//! the least cost, unless a third one, C, says what each facility costs at each location by itself: then Σᵢ cᵢφ(i) is added.

mod bounds;
mod coarse;
mod forbidden;
mod generate;
mod given;
mod instance;
mod least;
mod normal;
mod reader;
mod rounding;
mod scaling;
mod solution;
mod structure;
mod tables;

pub use generate::generate;
pub use given::Origin;
pub use instance::Instance;
pub(crate) use instance::{MAX_FACILITIES, cost};
pub(crate) use normal::Normal;
pub use solution::{StatedSolution, parse_solution, read_solution, write_csv, write_solution};
pub use structure::Structure;
