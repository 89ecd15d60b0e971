//! The travelling salesman problem: instances, their files, distances, neighbours, generators. Knows no device.

mod generate;
mod instance;
mod metric;
mod near;
mod neighbours;
mod order;
mod piles;
mod reader;
mod start;
mod tour;
mod tree;
mod writer;

pub use generate::{Kind, generate, known_cost};
pub use instance::{Instance, WholeCoordinates};
pub use metric::{Metric, Rounding};
pub use neighbours::Neighbours;
pub use tour::{canonical, parse_tour, read_tour, write_tour};
