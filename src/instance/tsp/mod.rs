//! The travelling salesman problem: instances, their files, distances, neighbours, generators. Knows no device.

mod assignment;
mod bound;
mod constraints;
mod doubled;
mod generate;
mod geojson;
mod given;
mod instance;
mod looks;
mod matrix;
mod metric;
mod near;
mod neighbours;
mod normal;
mod order;
mod piles;
mod places;
mod points;
mod reader;
mod route;
mod start;
mod table;
mod tour;
mod tree;
mod writer;

pub use bound::LowerBound;
pub use generate::{Kind, generate, known_cost};
pub use geojson::write_geojson;
pub use instance::{Instance, WholeCoordinates};
pub(crate) use looks::Looks;
pub use metric::{Distances, EARTH_RADIUS, Metric, Rounding};
pub use neighbours::Neighbours;
pub(crate) use normal::Normal;
pub use route::write_csv;
pub(crate) use table::table_error;
pub use tour::{canonical, parse_tour, read_tour, write_tour};
