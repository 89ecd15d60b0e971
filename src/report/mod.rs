//! What leaves a run: JSON, trace, pictures.

#[cfg(feature = "pictures")]
mod axis;
mod json;
#[cfg(feature = "pictures")]
mod plot;
#[cfg(feature = "pictures")]
mod png;
mod rules;
mod svg;
mod trace;

pub use json::{Report, SCHEMA, tabu_iterations, write_json};
#[cfg(feature = "pictures")]
pub use plot::{Curve, Measure, write_plot};
#[cfg(feature = "pictures")]
pub use png::write_png;
pub use rules::Rules;
pub use svg::write_svg;
pub use trace::write_trace;
