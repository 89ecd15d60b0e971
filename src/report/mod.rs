//! What leaves a run: JSON, trace, picture.

mod json;
mod svg;
mod trace;

pub use json::{Report, SCHEMA, write_json};
pub use svg::write_svg;
pub use trace::write_trace;
