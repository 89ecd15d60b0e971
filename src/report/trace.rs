//! The gains of a run as CSV.

use std::io::{self, Write};

use crate::solver::TracePoint;

/// Writes a header and one line for each gain: seconds, iteration, cost.
///
/// # Errors
/// What the writer reports.
pub fn write_trace(writer: &mut impl Write, trace: &[TracePoint]) -> io::Result<()> {
    writeln!(writer, "seconds,iteration,cost")?;
    for point in trace {
        writeln!(writer, "{:.6},{},{}", point.seconds, point.iteration, point.cost)?;
    }
    Ok(())
}
