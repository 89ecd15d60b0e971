//! The travelling salesman problem: instances, their files, distances, neighbours, generators. Knows no device.

mod generate;
mod given;
mod instance;
mod matrix;
mod metric;
mod neighbours;
mod order;
mod piles;
mod points;
mod reader;
mod start;
mod tour;
mod tree;
mod writer;

pub use generate::{Kind, generate, known_cost};
pub use instance::{Instance, WholeCoordinates};
pub use metric::{Distances, EARTH_RADIUS, Metric, Rounding};
pub use neighbours::Neighbours;
pub use tour::{canonical, parse_tour, read_tour, write_tour};
