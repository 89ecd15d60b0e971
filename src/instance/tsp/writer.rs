//! Writes TSPLIB95 instances.

use std::io::{self, Write};

use super::instance::Instance;
use super::metric::Metric;

impl Instance {
    /// Writes the instance in TSPLIB's format; reading it gives the same distances. Great-circle distances, for which TSPLIB has no
    /// keyword, are written as a matrix. An open path is written as TYPE HPP, fixed edges in their section.
    ///
    /// # Errors
    /// What the writer reports; [`io::ErrorKind::InvalidInput`] for an open path with a start or an end, for which TSPLIB has no word.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.path_start().is_some() || self.path_end().is_some() {
            let message = "TSPLIB has no word for the start or the end of a path";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let kind = match (self.is_open(), self.is_symmetric()) {
            (true, _) => "HPP",
            (false, true) => "TSP",
            (false, false) => "ATSP",
        };
        writeln!(writer, "NAME : {}\nTYPE : {kind}", one_line(self.name()))?;
        if !self.comment().is_empty() {
            writeln!(writer, "COMMENT : {}", one_line(self.comment()))?;
        }
        let metric = if self.metric() == Metric::Haversine { Metric::Explicit } else { self.metric() };
        writeln!(writer, "DIMENSION : {}\nEDGE_WEIGHT_TYPE : {}", self.len(), metric.keyword())?;
        if metric == Metric::Explicit {
            let (format, rows) =
                if self.is_symmetric() { ("UPPER_ROW", self.len() - 1) } else { ("FULL_MATRIX", self.len()) };
            writeln!(writer, "EDGE_WEIGHT_FORMAT : {format}\nEDGE_WEIGHT_SECTION")?;
            for a in 0..rows {
                let columns = if self.is_symmetric() { a + 1..self.len() } else { 0..self.len() };
                let row: Vec<String> = columns.map(|b| self.distance(a, b).to_string()).collect();
                writeln!(writer, "{}", row.join(" "))?;
            }
        } else {
            writeln!(writer, "NODE_COORD_SECTION")?;
            for (index, p) in self.coords().iter().enumerate() {
                match metric.dimensions() {
                    3 => writeln!(writer, "{} {} {} {}", index + 1, p.x, p.y, p.z)?,
                    _ => writeln!(writer, "{} {} {}", index + 1, p.x, p.y)?,
                }
            }
        }
        if !self.fixed_edges().is_empty() {
            writeln!(writer, "FIXED_EDGES_SECTION")?;
            for [a, b] in self.fixed_edges() {
                writeln!(writer, "{} {}", a + 1, b + 1)?;
            }
            writeln!(writer, "-1")?;
        }
        writeln!(writer, "EOF")
    }
}
