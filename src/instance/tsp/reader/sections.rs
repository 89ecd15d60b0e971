//! The long sections of a file, places and matrices, whose lines are read by all processors.

use glam::DVec3;
use rayon::prelude::*;

use super::Reader;
use crate::error::Result;
use crate::instance::share;
use crate::instance::tsp::instance::MAX_DISTANCE;
use crate::text::quote;

/// Coordinates beyond this are taken for damage.
const MAX_COORDINATE: f64 = 1e15;
/// Lines of a matrix that one processor reads at a time.
const LINES_AT_ONCE: usize = 64;
/// A matrix for more cities than this is taken for damage before its length could overflow.
pub(super) const MAX_MATRIX_CITIES: usize = 1 << 20;

/// The layouts of a matrix in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    FullMatrix,
    UpperRow,
    LowerRow,
    UpperDiagRow,
    LowerDiagRow,
}

/// TSPLIB's keywords for them; column-wise triangles are the row-wise ones of the other side.
const LAYOUTS: [(&str, Layout); 9] = [
    ("FULL_MATRIX", Layout::FullMatrix),
    ("UPPER_ROW", Layout::UpperRow),
    ("LOWER_ROW", Layout::LowerRow),
    ("UPPER_DIAG_ROW", Layout::UpperDiagRow),
    ("LOWER_DIAG_ROW", Layout::LowerDiagRow),
    ("UPPER_COL", Layout::LowerRow),
    ("LOWER_COL", Layout::UpperRow),
    ("UPPER_DIAG_COL", Layout::LowerDiagRow),
    ("LOWER_DIAG_COL", Layout::UpperDiagRow),
];

impl Layout {
    /// The columns that row `i` of `n` lists.
    fn columns(self, i: usize, n: usize) -> std::ops::Range<usize> {
        match self {
            Self::FullMatrix => 0..n,
            Self::UpperRow => i + 1..n,
            Self::LowerRow => 0..i,
            Self::UpperDiagRow => i..n,
            Self::LowerDiagRow => 0..i + 1,
        }
    }

    fn entries(self, n: usize) -> usize {
        match self {
            Self::FullMatrix => n * n,
            Self::UpperRow | Self::LowerRow => n * (n - 1) / 2,
            Self::UpperDiagRow | Self::LowerDiagRow => n * (n + 1) / 2,
        }
    }
}

impl Reader<'_> {
    /// Rows of node, x, y and, with three dimensions, z; in node order, with their lines. `more` says what to do with three where two are taken.
    pub(super) fn nodes(&mut self, dimensions: usize, more: &str) -> Result<(Vec<DVec3>, Vec<usize>)> {
        let n = self.dimension()?;
        let lines = self.lines.section(Some("-1"));
        let row = |row: &(usize, &str)| self.node(*row, (dimensions, more));
        let usable = &lines[..n.min(lines.len())];
        let rows: Vec<(usize, DVec3)> =
            match usable.par_iter().with_min_len(share::ENTRIES).map(|line| row(line).ok()).collect() {
                Some(rows) => rows,
                // The first of the faults is told.
                None => usable.iter().map(row).collect::<Result<_>>()?,
            };
        if let Some((line, _)) = lines.get(n) {
            return Err(self.lines.error_at(*line, format!("more than the {n} nodes that DIMENSION announces")));
        }
        if rows.len() < n {
            return Err(self
                .lines
                .error(format!("only {} of {n} nodes; the file is cut off or DIMENSION wrong", rows.len())));
        }
        // Nodes count from 1, in some files from 0.
        let base = rows.iter().map(|(id, _)| *id).min().unwrap_or(1).min(1);
        self.first = base;
        if rows.iter().zip(base..).all(|((id, _), next)| *id == next) {
            return Ok((
                rows.into_iter().map(|(_, point)| point).collect(),
                lines.iter().map(|(line, _)| *line).collect(),
            ));
        }
        let mut points: Vec<Option<(DVec3, usize)>> = vec![None; n];
        for ((id, point), (line, _)) in rows.into_iter().zip(lines) {
            match points.get_mut(id - base) {
                None => return Err(self.lines.error_at(line, format!("node {id} is beyond DIMENSION {n}"))),
                Some(Some(_)) => return Err(self.lines.error_at(line, format!("node {id} appears twice"))),
                Some(slot) => *slot = Some((point, line)),
            }
        }
        // n rows with n different nodes in range leave no gap.
        Ok(points.into_iter().flatten().unzip())
    }

    /// A row with its node and, of as many dimensions, its place.
    fn node(&self, (line, text): (usize, &str), dimensions: (usize, &str)) -> Result<(usize, DVec3)> {
        match text.is_ascii() {
            true => self.node_of(line, text.split_ascii_whitespace(), dimensions),
            false => self.node_of(line, text.split_whitespace(), dimensions),
        }
    }

    fn node_of<'t>(
        &self,
        line: usize,
        mut words: impl Iterator<Item = &'t str>,
        (dimensions, more): (usize, &str),
    ) -> Result<(usize, DVec3)> {
        let lines = &self.lines;
        let id = lines.number_at(line, words.next().unwrap_or_default(), "a node number")?;
        let mut point = [0.0; 3];
        for (axis, place) in point.iter_mut().enumerate().take(dimensions) {
            let Some(word) = words.next() else {
                return Err(lines.error_at(line, format!("node {id} has {axis} coordinates and needs {dimensions}")));
            };
            // Most are whole, and sooner read as such.
            let value = match word.parse::<u32>() {
                Ok(whole) => whole.into(),
                Err(_) => lines.number_at::<f64>(line, word, "a coordinate")?,
            };
            if !value.is_finite() || value.abs() > MAX_COORDINATE {
                return Err(lines.error_at(line, format!("coordinate {} is not usable", quote(word))));
            }
            *place = value;
        }
        match words.next() {
            None => Ok((id, DVec3::from_array(point))),
            Some(extra) => {
                let more = if words.next().is_none() && extra.parse::<f64>().is_ok() { more } else { "" };
                let message = format!("node {id} has more than {dimensions} coordinates: {}{more}", quote(extra));
                Err(lines.error_at(line, message))
            }
        }
    }

    fn layout(&self) -> Result<Layout> {
        let Some((value, line)) = self.header.get("EDGE_WEIGHT_FORMAT") else {
            return Err(self.lines.error("EDGE_WEIGHT_FORMAT is missing"));
        };
        LAYOUTS.iter().find(|(keyword, _)| keyword == value).map(|(_, layout)| *layout).ok_or_else(|| {
            let known = LAYOUTS.map(|(keyword, _)| keyword).join(", ");
            self.lines.error_at(*line, format!("EDGE_WEIGHT_FORMAT {} is not one of {known}", quote(value)))
        })
    }

    /// The matrix, row-major.
    pub(super) fn edge_weights(&mut self) -> Result<Vec<u32>> {
        let (n, layout) = (self.dimension()?, self.layout()?);
        if n > MAX_MATRIX_CITIES {
            return Err(self
                .lines
                .error(format!("a matrix of {n} cities is too large; the limit is {MAX_MATRIX_CITIES}")));
        }
        let expected = layout.entries(n);
        let lines = self.lines.section(None);
        let some = |lines: &[(usize, &str)]| self.weights(lines).ok();
        let entries = match lines.par_chunks(LINES_AT_ONCE).map(some).collect::<Option<Vec<_>>>() {
            Some(parts) => parts.concat(),
            // The first of the faults is told.
            None => self.weights(&lines)?,
        };
        if entries.len() > expected {
            let mut left = expected;
            let beyond = lines.iter().find(|(_, text)| {
                let words = text.split_whitespace().count();
                let fits = words <= left;
                left -= words.min(left);
                !fits
            });
            let line = beyond.map_or(self.lines.number(), |(line, _)| *line);
            return Err(self.lines.error_at(line, format!("more than the {expected} weights of {n} cities")));
        }
        if entries.len() < expected {
            let found = entries.len();
            return Err(self
                .lines
                .error(format!("only {found} of {expected} weights; the file is cut off or DIMENSION wrong")));
        }
        if layout == Layout::FullMatrix {
            return Ok(entries);
        }
        let mut matrix = vec![0; n * n];
        let places = (0..n).flat_map(|i| layout.columns(i, n).map(move |j| (i, j)));
        for ((i, j), weight) in places.zip(entries) {
            matrix[i * n + j] = weight;
            matrix[j * n + i] = weight;
        }
        Ok(matrix)
    }

    fn weights(&self, lines: &[(usize, &str)]) -> Result<Vec<u32>> {
        let mut weights = Vec::new();
        for &(line, text) in lines {
            let add = |word| self.weight(line, word).map(|weight| weights.push(weight));
            match text.is_ascii() {
                true => text.split_ascii_whitespace().try_for_each(add)?,
                false => text.split_whitespace().try_for_each(add)?,
            }
        }
        Ok(weights)
    }

    fn weight(&self, line: usize, token: &str) -> Result<u32> {
        if let Ok(whole) = token.parse::<u32>()
            && whole <= MAX_DISTANCE
        {
            return Ok(whole);
        }
        let value: f64 = self.lines.number_at(line, token, "a weight")?;
        if value.fract() == 0.0 && (0.0..=f64::from(MAX_DISTANCE)).contains(&value) {
            return Ok(value as u32);
        }
        let message = format!("weights are whole numbers from 0 to {MAX_DISTANCE}, not {}", quote(token));
        Err(self.lines.error_at(line, message))
    }
}
