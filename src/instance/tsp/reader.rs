//! Reads TSPLIB95 instances (Reinelt 1991).

use std::collections::HashMap;
use std::path::Path;

use glam::{DVec2, DVec3};

use super::instance::{Instance, MAX_CITIES, MAX_DISTANCE};
use super::looks::Looks;
use super::metric::{Distances, Metric, check_globe};
use super::points::off_globe;
use crate::error::{Error, Result};
use crate::text::{Lines, quote, read_text, stem};

/// Coordinates beyond this are taken for damage.
const MAX_COORDINATE: f64 = 1e15;
/// Entries that room is made for before they are read.
const MOST_AT_ONCE: usize = 1 << 20;
/// A matrix for more cities than this is taken for damage before its length could overflow.
const MAX_MATRIX_CITIES: usize = 1 << 20;

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

impl Instance {
    /// Reads cities from a file: TSPLIB's format (symmetric or asymmetric), a table of points or a matrix (comma-separated values and the
    /// like), or JSON: GeoJSON with points, a matrix, pairs of coordinates; compressed by gzip or not. What it is is told by its content. Tables and JSON have no name of
    /// their own: the instance is named after the file.
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::read_as(path, Distances::Stated)
    }

    /// The same with distances that may be other than the file says.
    ///
    /// # Errors
    /// As [`Instance::read`]; for distances other than stated also where there are no coordinates.
    pub fn read_as(path: impl AsRef<Path>, distances: Distances) -> Result<Self> {
        let (text, name) = read_text(path.as_ref())?;
        Self::parse_as(&text, &name, distances)
    }

    /// The same from text; `file` names it in errors.
    ///
    /// # Errors
    /// As [`Instance::read`].
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        Self::parse_as(text, file, Distances::Stated)
    }

    /// The same with distances that may be other than the text says.
    ///
    /// # Errors
    /// As [`Instance::read_as`].
    pub fn parse_as(text: &str, file: &str, distances: Distances) -> Result<Self> {
        match Looks::of(text) {
            Looks::Json => Ok(Self::parse_json(text, file, distances)?.with_name(stem(file))),
            Looks::Table => Ok(Self::parse_table(text, file, distances)?.with_name(stem(file))),
            Looks::Parameters => {
                let message = "this is a parameter file of LKH: solve the instance that it names as PROBLEM_FILE; what it asks for are options \
                               here ('myrmex solve --help')";
                Err(Error::parse(file, 1, message))
            }
            Looks::Numbers | Looks::Words => Reader {
                lines: Lines::new(text, file),
                header: HashMap::new(),
                comments: Vec::new(),
                distances,
                first: 1,
            }
            .read(),
        }
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    /// Header keywords with their values and lines.
    header: HashMap<&'a str, (&'a str, usize)>,
    comments: Vec<&'a str>,
    distances: Distances,
    /// The number of the first node.
    first: usize,
}

impl<'a> Reader<'a> {
    fn read(mut self) -> Result<Instance> {
        if self.lines.is_empty() {
            return Err(self.lines.error("the file is empty"));
        }
        let (mut coords, mut weights, mut display, mut fixed) = (None, None, None, Vec::new());
        let mut sections = Vec::new();
        while let Some(line) = self.lines.next() {
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            let (key, value) = (key.trim(), value.trim());
            if key.ends_with("_SECTION") {
                if sections.contains(&key) {
                    return Err(self.lines.error(format!("a second {key}: put what it has into the first one")));
                }
                sections.push(key);
            }
            match key {
                "EOF" => break,
                "COMMENT" => self.comments.push(value),
                "NODE_COORD_SECTION" => coords = Some((self.node_coords()?, self.lines.number())),
                "EDGE_WEIGHT_SECTION" => weights = Some((self.edge_weights()?, self.lines.number())),
                "DISPLAY_DATA_SECTION" => display = Some(self.nodes(2)?.0),
                "FIXED_EDGES_SECTION" => fixed = self.fixed_edges()?,
                "TOUR_SECTION" => return Err(self.lines.error("this is a tour, not an instance")),
                _ if line.contains(':') && is_key(key) => {
                    let line = self.lines.number();
                    if let Some((before, at)) =
                        self.header.insert(key, (value, line)).filter(|(before, _)| *before != value)
                    {
                        let message = format!(
                            "{key} is {} here and {} in line {at}: leave one of them out",
                            quote(value),
                            quote(before)
                        );
                        return Err(self.lines.error(message));
                    }
                    self.check_header(key, value)?;
                }
                _ if self.header.is_empty() => {
                    return Err(self.lines.error(format!(
                        "not a TSPLIB file: expected a line such as 'NAME : berlin52', not {} (points have a line each, a QAPLIB file begins with a whole \
                         number)",
                        quote(line)
                    )));
                }
                _ => return Err(self.lines.error(format!("expected a keyword, not {}", quote(line)))),
            }
        }
        let metric = self.metric()?;
        let name = self.header.get("NAME").map_or("unnamed", |(name, _)| name).to_owned();
        let (instance, line) = match (metric, coords, weights) {
            (Metric::Explicit, ..) if self.distances != Distances::Stated => {
                return Err(self.lines.error("a matrix has no coordinates to measure; leave the metric out"));
            }
            (Metric::Explicit, _, Some((weights, line))) => {
                (Instance::from_matrix(name, self.dimension()?, weights), line)
            }
            (Metric::Explicit, _, None) => return Err(self.lines.error("EDGE_WEIGHT_SECTION is missing")),
            (_, Some((coords, line)), _) => (self.with_coords(name, metric, coords), line),
            (_, None, _) => return Err(self.lines.error("NODE_COORD_SECTION is missing")),
        };
        let instance = instance.map_err(|error| error.in_file(self.lines.file(), line))?;
        if !instance.is_symmetric() && self.header.get("TYPE").is_some_and(|(kind, _)| kind.starts_with("TSP")) {
            return Err(self.lines.error_at(line, "the matrix is asymmetric; TYPE ATSP would allow that"));
        }
        let instance = self.constrained(instance.with_comment(self.comments.join(" ")), &fixed)?;
        Ok(match display {
            Some(places) => instance.with_display(places.iter().map(|p| p.truncate()).collect::<Vec<DVec2>>()),
            None => instance,
        })
    }

    fn with_coords(&self, name: String, metric: Metric, coords: Vec<DVec3>) -> Result<Instance> {
        let instance = match self.distances {
            Distances::Stated => return Instance::with_coords(name, metric, coords),
            Distances::Plane if metric == Metric::Euc3d => {
                Instance::from_points_3d(&coords.iter().map(|p| p.to_array()).collect::<Vec<_>>())
            }
            Distances::Plane => Instance::from_points(&flat(&coords, false)),
            Distances::Globe => Instance::from_lon_lat(&flat(&coords, metric == Metric::Geo)),
        };
        Ok(instance?.with_name(name))
    }

    /// The instance with its fixed edges, each with its line; an open path where the file says HPP (Hamiltonian path problem).
    fn constrained(&self, instance: Instance, fixed: &[([usize; 2], usize)]) -> Result<Instance> {
        let open = self.header.get("TYPE").is_some_and(|(kind, _)| kind.starts_with("HPP"));
        let instance = if open { instance.open_path(None, None)? } else { instance };
        if fixed.is_empty() {
            return Ok(instance);
        }
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(fixed.len());
        for &(edge, line) in fixed {
            if let Some(node) = edge.iter().find(|&&node| node < self.first || node - self.first >= instance.len()) {
                let last = self.first + instance.len() - 1;
                return Err(self
                    .lines
                    .error_at(line, format!("node {node} does not exist; nodes go from {} to {last}", self.first)));
            }
            edges.push(edge.map(|node| (node - self.first) as u32));
        }
        // What is wrong with all of them together is told where the last one stands.
        let line = fixed[fixed.len() - 1].1;
        let label = |_: &Instance, city: u32| (city as usize + self.first).to_string();
        instance.with_fixed_edges_called(&edges, &label).map_err(|error| error.in_file(self.lines.file(), line))
    }

    /// Pairs of nodes with their lines, up to a line that says -1.
    fn fixed_edges(&mut self) -> Result<Vec<([usize; 2], usize)>> {
        let mut edges = Vec::new();
        while let Some(line) = self.lines.next_data() {
            let nodes: Vec<&str> = line.split_whitespace().collect();
            match nodes[..] {
                ["-1"] => break,
                [a, b] => {
                    let edge = [self.lines.number_in(a, "a node number")?, self.lines.number_in(b, "a node number")?];
                    edges.push((edge, self.lines.number()));
                }
                _ => {
                    return Err(self
                        .lines
                        .error(format!("expected the two nodes of a fixed edge, not {}", quote(line))));
                }
            }
        }
        Ok(edges)
    }

    /// Refuses at their own line what is known to be unusable.
    fn check_header(&self, key: &str, value: &str) -> Result<()> {
        let kind = value.split_whitespace().next().unwrap_or_default();
        match key {
            "TYPE" => match kind {
                "TSP" | "ATSP" | "HPP" => Ok(()),
                "TOUR" => Err(self.lines.error("this is a tour: the instance comes first, then its solution")),
                _ => Err(self.lines.error(format!("expected TYPE TSP, ATSP or HPP, not {}", quote(value)))),
            },
            "EDGE_WEIGHT_TYPE" if Metric::from_keyword(value).is_none() => Err(self.lines.error(format!(
                "EDGE_WEIGHT_TYPE {} is not supported; supported are {}",
                quote(value),
                Metric::keywords()
            ))),
            "DIMENSION" => match value.parse::<usize>() {
                Ok(1..=MAX_CITIES) => Ok(()),
                Ok(n) => Err(self.lines.error(format!("DIMENSION must lie in 1 to {MAX_CITIES}, not {n}"))),
                Err(_) => Err(self.lines.error(format!("DIMENSION needs a whole number, not {}", quote(value)))),
            },
            _ => Ok(()),
        }
    }

    fn dimension(&self) -> Result<usize> {
        // Its form was checked when it was read.
        let value = self.header.get("DIMENSION").and_then(|(value, _)| value.parse().ok());
        value.ok_or_else(|| self.lines.error("DIMENSION is missing"))
    }

    fn metric(&self) -> Result<Metric> {
        let value = self.header.get("EDGE_WEIGHT_TYPE").and_then(|(value, _)| Metric::from_keyword(value));
        value.ok_or_else(|| self.lines.error("EDGE_WEIGHT_TYPE is missing"))
    }

    fn node_coords(&mut self) -> Result<Vec<DVec3>> {
        let dimensions = match self.metric()? {
            // Coordinates beside a matrix are for display.
            Metric::Explicit => 2,
            metric => metric.dimensions(),
        };
        let (places, lines) = self.nodes(dimensions)?;
        if (self.metric()?, self.distances) == (Metric::Geo, Distances::Stated)
            && let Err((city, why)) = check_globe(&places)
        {
            return Err(self.lines.error_at(lines[city], format!("the city has {why}")));
        }
        if self.distances == Distances::Globe
            && let Some((city, why)) = off_globe(&flat(&places, self.metric()? == Metric::Geo))
        {
            return Err(self.lines.error_at(lines[city], format!("the city {why}")));
        }
        Ok(places)
    }

    /// Rows of node, x, y and, with three dimensions, z; in node order, with their lines.
    fn nodes(&mut self, dimensions: usize) -> Result<(Vec<DVec3>, Vec<usize>)> {
        let n = self.dimension()?;
        let mut rows: Vec<(usize, usize, DVec3)> = Vec::with_capacity(n.min(MOST_AT_ONCE));
        while let Some(line) = self.lines.next_data() {
            let mut tokens = line.split_whitespace();
            let first = tokens.next().unwrap_or_default();
            if first == "-1" && tokens.clone().next().is_none() {
                break;
            }
            if rows.len() == n {
                return Err(self.lines.error(format!("more than the {n} nodes that DIMENSION announces")));
            }
            let id = self.lines.number_in(first, "a node number")?;
            let mut point = [0.0; 3];
            for (axis, place) in point.iter_mut().enumerate().take(dimensions) {
                let Some(token) = tokens.next() else {
                    return Err(self.lines.error(format!("node {id} has {axis} coordinates and needs {dimensions}")));
                };
                let value: f64 = self.lines.number_in(token, "a coordinate")?;
                if !value.is_finite() || value.abs() > MAX_COORDINATE {
                    return Err(self.lines.error(format!("coordinate {} is not usable", quote(token))));
                }
                *place = value;
            }
            if let Some(extra) = tokens.next() {
                return Err(self
                    .lines
                    .error(format!("node {id} has more than {dimensions} coordinates: {}", quote(extra))));
            }
            rows.push((id, self.lines.number(), DVec3::from_array(point)));
        }
        if rows.len() < n {
            return Err(self
                .lines
                .error(format!("only {} of {n} nodes; the file is cut off or DIMENSION wrong", rows.len())));
        }
        // Nodes count from 1, in some files from 0.
        let base = rows.iter().map(|(id, ..)| *id).min().unwrap_or(1).min(1);
        self.first = base;
        if rows.iter().zip(base..).all(|((id, ..), next)| *id == next) {
            return Ok(rows.into_iter().map(|(_, line, point)| (point, line)).unzip());
        }
        let mut points: Vec<Option<(DVec3, usize)>> = vec![None; n];
        for (id, line, point) in rows {
            match points.get_mut(id - base) {
                None => return Err(self.lines.error_at(line, format!("node {id} is beyond DIMENSION {n}"))),
                Some(Some(_)) => return Err(self.lines.error_at(line, format!("node {id} appears twice"))),
                Some(slot) => *slot = Some((point, line)),
            }
        }
        // n rows with n different nodes in range leave no gap.
        Ok(points.into_iter().flatten().unzip())
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
    fn edge_weights(&mut self) -> Result<Vec<u32>> {
        let (n, layout) = (self.dimension()?, self.layout()?);
        if n > MAX_MATRIX_CITIES {
            return Err(self
                .lines
                .error(format!("a matrix of {n} cities is too large; the limit is {MAX_MATRIX_CITIES}")));
        }
        let expected = layout.entries(n);
        let mut entries = Vec::with_capacity(expected.min(MOST_AT_ONCE));
        while let Some(line) = self.lines.next_data() {
            for token in line.split_whitespace() {
                if entries.len() == expected {
                    return Err(self.lines.error(format!("more than the {expected} weights of {n} cities")));
                }
                entries.push(self.weight(token)?);
            }
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

    fn weight(&self, token: &str) -> Result<u32> {
        if let Ok(whole) = token.parse::<u32>()
            && whole <= MAX_DISTANCE
        {
            return Ok(whole);
        }
        let value: f64 = self.lines.number_in(token, "a weight")?;
        if value.fract() == 0.0 && (0.0..=f64::from(MAX_DISTANCE)).contains(&value) {
            return Ok(value as u32);
        }
        Err(self.lines.error(format!("weights are whole numbers from 0 to {MAX_DISTANCE}, not {}", quote(token))))
    }
}

/// Places in the plane; `swap` where the second coordinate is x.
fn flat(coords: &[DVec3], swap: bool) -> Vec<[f64; 2]> {
    coords.iter().map(|p| if swap { [p.y, p.x] } else { [p.x, p.y] }).collect()
}

/// Whether `text` looks like a TSPLIB keyword.
pub(super) fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests;
