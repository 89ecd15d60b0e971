//! The gains of a run as CSV.

use std::io::{self, Write};

use crate::run::TracePoint;

/// Writes a header and one line for each gain, and for each look at how alike ants' tours are: seconds, iteration, cost, the
/// share of edges that two tours have both, where that was looked at, and the length in the unit of what was given,
/// where it is known.
///
/// # Errors
/// What the writer reports.
pub fn write_trace(writer: &mut impl Write, trace: &[TracePoint]) -> io::Result<()> {
    writeln!(writer, "seconds,iteration,cost,shared_edges,length")?;
    for point in trace {
        let shared = point.shared_edges.map_or_else(String::new, |shared| format!("{shared:.6}"));
        let length = point.length.map_or_else(String::new, |length| length.to_string());
        writeln!(writer, "{:.6},{},{},{shared},{length}", point.seconds, point.iteration, point.cost)?;
    }
    Ok(())
}
