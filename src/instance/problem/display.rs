//! Lengths as people are told them.

use super::Problem;
use crate::instance::tsp::Metric;

impl Problem {
    /// A length in the unit of what was given, as text: with nine significant digits, or whole where all lengths are; on the globe in metres, `m`.
    ///
    /// ```
    /// use myrmex::{Problem, tsp::Instance};
    ///
    /// let problem = Problem::from(Instance::from_points(&[[0.0, 0.0], [0.3, 0.0], [0.0, 1.0]])?);
    /// assert_eq!(problem.display_length(7.0 / 3.0), "2.33333333");
    /// assert_eq!(problem.display_length(12.0), "12");
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    pub fn display_length(&self, length: f64) -> String {
        let scale = match self {
            Self::Tsp(instance) if instance.metric() == Metric::Haversine => {
                return format!("{} m", significant(length));
            }
            Self::Tsp(instance) => instance.scale(),
            Self::Qap(instance) => instance.scale(),
        };
        let is_whole = scale == 1.0 && self.length_error() == 0.0;
        if is_whole { format!("{length:.0}") } else { significant(length) }
    }
}

/// A number with nine significant digits, without zeros behind its decimals.
fn significant(number: f64) -> String {
    let digits = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    let text = format!("{number:.*}", 8i32.saturating_sub(digits).clamp(0, 20) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
