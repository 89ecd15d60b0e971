//! Reads TSPLIB95 instances (Reinelt 1991).

use std::collections::HashMap;
use std::path::Path;

use glam::{DVec2, DVec3};

use super::globe::off_globe;
use super::instance::{Instance, MAX_CITIES};
use super::looks::Looks;
use super::metric::{Distances, Metric, NO_CHOICE, Reading, check_globe};
use crate::error::{Error, Result};
use crate::instance::table::miscounted;
use crate::text::{Lines, quote, read_text, stem};

mod keywords;
mod sections;

pub(super) use keywords::is_key;
use keywords::{asks_for_more, capitals, unsupported};

impl Instance {
    /// Reads cities from a file: TSPLIB's format (symmetric or asymmetric), a table of points or a matrix (comma-separated values and the
    /// like), or JSON: GeoJSON with points, a matrix, pairs of coordinates, records of cities or ways; compressed by gzip or not. What it is is told by its content. Tables and JSON have no name of
    /// their own: the instance is named after the file.
    ///
    /// # Errors
    /// [`crate::Error::Io`], or [`crate::Error::Parse`] with file and line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::read_as(path, Distances::Stated)
    }

    /// The same with distances that may be other than the file says, and a choice where it has several weights.
    ///
    /// # Errors
    /// As [`Instance::read`]; for distances other than stated also where there are no coordinates, and for a chosen weight where there is none to choose.
    pub fn read_as<'a>(path: impl AsRef<Path>, reading: impl Into<Reading<'a>>) -> Result<Self> {
        let (text, name) = read_text(path.as_ref())?;
        Self::parse_as(&text, &name, reading)
    }

    /// The same from text; `file` names it in errors.
    ///
    /// # Errors
    /// As [`Instance::read`].
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        Self::parse_as(text, file, Distances::Stated)
    }

    /// The same from text.
    ///
    /// # Errors
    /// As [`Instance::read_as`].
    pub fn parse_as<'a>(text: &str, file: &str, reading: impl Into<Reading<'a>>) -> Result<Self> {
        let reading = reading.into();
        let distances = reading.distances;
        match Looks::of(text) {
            Looks::Json => Ok(Self::parse_json(text, file, reading)?.with_name(stem(file))),
            Looks::Table => Ok(Self::parse_table(text, file, reading)?.with_name(stem(file))),
            Looks::Numbers | Looks::Words if reading.weight.is_some() => Err(Error::parse(file, 1, NO_CHOICE)),
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
            .read()
            .map_err(|error| error.explained(&miscounted(text))),
        }
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    /// Header keywords with their values and lines.
    header: HashMap<String, (&'a str, usize)>,
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
            // A remark, as in tables.
            if line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            let (key, value) = (capitals(key.trim(), !self.header.is_empty()), value.trim());
            if key.ends_with("_SECTION") {
                if sections.contains(&key) {
                    return Err(self.lines.error(format!("a second {key}: put what it has into the first one")));
                }
                sections.push(key.clone());
            }
            match key.as_str() {
                "EOF" => break,
                "COMMENT" => self.comments.push(value),
                "NODE_COORD_SECTION" => coords = Some((self.node_coords()?, self.lines.number())),
                "EDGE_WEIGHT_SECTION" => {
                    let line = self.lines.number();
                    // The type may also come behind it.
                    self.metric().map_or(Ok(()), |metric| self.check_weights(metric, line))?;
                    weights = Some((self.edge_weights()?, self.lines.number(), line));
                }
                "DISPLAY_DATA_SECTION" => display = Some(self.nodes(2, "")?.0),
                "FIXED_EDGES_SECTION" => fixed = self.fixed_edges()?,
                "TOUR_SECTION" => return Err(self.lines.error("this is a tour, not an instance")),
                _ if is_key(&key) && key.ends_with("_SECTION") => return Err(self.lines.error(unsupported(&key))),
                _ if line.contains(':') && is_key(&key) => {
                    let line = self.lines.number();
                    if let Some((before, at)) =
                        self.header.insert(key.clone(), (value, line)).filter(|(before, _)| *before != value)
                    {
                        let message = format!(
                            "{key} is {} here and {} in line {at}: leave one of them out",
                            quote(value),
                            quote(before)
                        );
                        return Err(self.lines.error(message));
                    }
                    self.check_header(&key, value)?;
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
        if let Some((.., line)) = &weights {
            self.check_weights(metric, *line)?;
        }
        let name = self.header.get("NAME").map_or("unnamed", |(name, _)| name).to_owned();
        let (instance, line) = match (metric, coords, weights) {
            (Metric::Explicit, ..) if self.distances != Distances::Stated => {
                return Err(self.lines.error("a matrix has no coordinates to measure; leave the metric out"));
            }
            (Metric::Explicit, _, Some((weights, line, _))) => {
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
        // A person calls a city as the file does.
        let instance = match self.first {
            0 => {
                let ids = 0..instance.len();
                instance.with_city_ids(ids.map(|id| id.to_string()))?
            }
            _ => instance,
        };
        match display {
            Some(places) => instance.with_display(places.iter().map(|p| p.truncate()).collect::<Vec<DVec2>>()),
            None => Ok(instance),
        }
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

    /// Pairs of nodes with their lines, up to -1, however lines are broken.
    fn fixed_edges(&mut self) -> Result<Vec<([usize; 2], usize)>> {
        let mut edges = Vec::new();
        let mut open: Option<(usize, usize, &str)> = None;
        'section: while let Some(line) = self.lines.next_data() {
            let mut words = line.split_whitespace();
            while let Some(word) = words.next() {
                if word == "-1" {
                    if let Some(more) = words.next() {
                        let message =
                            format!("expected nothing more behind the -1 that ends the section, not {}", quote(more));
                        return Err(self.lines.error(message));
                    }
                    break 'section;
                }
                let (node, number) = (self.lines.number_in(word, "a node number")?, self.lines.number());
                match open.take() {
                    None => open = Some((node, number, line)),
                    Some((first, ..)) => edges.push(([first, node], number)),
                }
            }
        }
        match open {
            None => Ok(edges),
            Some((_, number, line)) => {
                let message = format!("expected the two nodes of a fixed edge, not {}", quote(line));
                Err(self.lines.error_at(number, message))
            }
        }
    }

    /// Refuses weights in a line beside a metric that measures coordinates.
    fn check_weights(&self, metric: Metric, line: usize) -> Result<()> {
        if metric == Metric::Explicit {
            return Ok(());
        }
        let message = format!(
            "EDGE_WEIGHT_TYPE {} measures coordinates, and here are weights: write EDGE_WEIGHT_TYPE : EXPLICIT, or take this section out",
            metric.keyword()
        );
        Err(self.lines.error_at(line, message))
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
            _ => asks_for_more(key, value).map_or(Ok(()), |message| Err(self.lines.error(message))),
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
        let more = if self.metric()? == Metric::Euc2d { "; EDGE_WEIGHT_TYPE EUC_3D takes three" } else { "" };
        let (places, lines) = self.nodes(dimensions, more)?;
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
}

/// Places in the plane; `swap` where the second coordinate is x.
fn flat(coords: &[DVec3], swap: bool) -> Vec<[f64; 2]> {
    coords.iter().map(|p| if swap { [p.y, p.x] } else { [p.x, p.y] }).collect()
}

#[cfg(test)]
mod tests;
