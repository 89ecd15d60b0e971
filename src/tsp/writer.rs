//! Writes TSPLIB95 instances.

use std::io::{self, Write};

use super::instance::Instance;
use super::metric::Metric;

impl Instance {
    /// Writes the instance in TSPLIB's format; reading it gives the same distances.
    ///
    /// # Errors
    /// What the writer reports.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(writer, "NAME : {}\nTYPE : TSP", one_line(self.name()))?;
        if !self.comment().is_empty() {
            writeln!(writer, "COMMENT : {}", one_line(self.comment()))?;
        }
        writeln!(writer, "DIMENSION : {}\nEDGE_WEIGHT_TYPE : {}", self.len(), self.metric().keyword())?;
        if self.metric() == Metric::Explicit {
            writeln!(writer, "EDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION")?;
            for a in 0..self.len() - 1 {
                let row: Vec<String> = (a + 1..self.len()).map(|b| self.distance(a, b).to_string()).collect();
                writeln!(writer, "{}", row.join(" "))?;
            }
        } else {
            writeln!(writer, "NODE_COORD_SECTION")?;
            for (index, p) in self.coords().iter().enumerate() {
                match self.metric().dimensions() {
                    3 => writeln!(writer, "{} {} {} {}", index + 1, p.x, p.y, p.z)?,
                    _ => writeln!(writer, "{} {} {}", index + 1, p.x, p.y)?,
                }
            }
        }
        writeln!(writer, "EOF")
    }
}
