//! Matrices from tables with a row for each way, as routing services and databases write them: from, to, and how long it is.

use std::collections::HashMap;

use super::instance::Instance;
use super::places::find;
use super::square::of_weights;
use crate::error::{Error, Result};
use crate::instance::table::Table;
use crate::text::quote;

/// What the columns of a way's two ends may be called, in any case.
const FROM: &[&str] = &["from", "origin", "source"];
const TO: &[&str] = &["to", "destination", "target"];
/// And what says how long it is, where that is no number.
const LONG: &[&str] = &[
    "distance", "duration", "time", "length", "minutes", "seconds", "hours", "km", "meters", "metres", "miles", "cost",
    "weight",
];

/// The ways of a table, the cities in the order in which they appear.
struct Ways<'a> {
    table: &'a Table<'a>,
    names: Vec<&'a str>,
    /// Of each way from one city to another, what it weighs, and the line that says so.
    weights: HashMap<[usize; 2], (f64, usize)>,
}

/// The columns of the ends of ways, where a header names both.
pub(super) fn ends(header: &[String]) -> Option<[usize; 2]> {
    Some([find(header, FROM)?, find(header, TO)?])
}

/// The instance of a table of ways. Where no pair of cities has two ways that differ each counts in both directions.
pub(super) fn read(table: &Table<'_>, ends: [usize; 2]) -> Result<Instance> {
    let ways = Ways::of(table, ends)?;
    let n = ways.names.len();
    let weights = ways.matrix()?;
    let last = table.rows[table.rows.len() - 1].line;
    let instance = of_weights(n, weights).map_err(|error| error.in_file(table.file, last))?;
    instance.with_city_names(&ways.names)
}

/// The one column of numbers beside those of the ends.
fn weight(table: &Table<'_>, ends: [usize; 2]) -> Result<usize> {
    let header = &table.rows[0];
    let is_numbers = |column: &usize| table.rows[1..].iter().any(|row| table.number(&row.fields[*column]).is_some());
    let found: Vec<usize> = (0..table.width()).filter(|column| !ends.contains(column)).filter(is_numbers).collect();
    let [from, to] = ends.map(|column| quote(&header.fields[column]));
    let ways = format!("columns {from} and {to} make this a table of ways");
    let is_length = |column: &usize| LONG.iter().any(|name| header.fields[*column].eq_ignore_ascii_case(name));
    // 5 km or 0:05 is no number.
    let mut words =
        (0..table.width()).filter(|column| !ends.contains(column) && !found.contains(column)).filter(is_length);
    if let (Some(column), Some(row)) = (words.next(), table.rows.get(1)) {
        let [name, field] = [header, row].map(|row| quote(&row.fields[column]));
        let message = format!(
            "{ways}, but {field} in column {name} is no number: write a number without its unit, or leave the column out"
        );
        return Err(table.error(row.line, message));
    }
    match found[..] {
        [column] => Ok(column),
        [] => Err(table.error(header.line, format!("{ways}, which needs one more of numbers: how long each is"))),
        _ => {
            let all: Vec<String> = found.iter().map(|&column| quote(&header.fields[column])).collect();
            let message = format!(
                "{ways}, and how long each is may stand in {}: leave one of these columns in",
                all.join(" or ")
            );
            Err(table.error(header.line, message))
        }
    }
}

impl<'a> Ways<'a> {
    fn of(table: &'a Table<'a>, ends: [usize; 2]) -> Result<Self> {
        let column = weight(table, ends)?;
        let (mut numbers, mut names) = (HashMap::new(), Vec::new());
        let mut weights: HashMap<[usize; 2], (f64, usize)> = HashMap::new();
        for row in &table.rows[1..] {
            let ends = ends.map(|end| {
                let name = row.fields[end].as_str();
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            });
            if ends[0] == ends[1] {
                continue;
            }
            let weight = table.finite(row, column, "a weight")?;
            let (other, line) = *weights.entry(ends).or_insert((weight, row.line));
            if other != weight {
                let [from, to] = ends.map(|city| quote(names[city]));
                let message = format!(
                    "the way from {from} to {to} is {weight} here and {other} in line {line}: leave one of them in"
                );
                return Err(table.error(row.line, message));
            }
        }
        table.no_thousands()?;
        Ok(Self { table, names, weights })
    }

    /// Both directions of each pair of cities, row by row.
    fn matrix(&self) -> Result<Vec<f64>> {
        let both = self.weights.iter().filter_map(|(&[from, to], there)| {
            let back = self.weights.get(&[to, from])?;
            (there.0 != back.0).then_some((there.1.max(back.1), [from, to]))
        });
        // The first row that tells another way back.
        let both = both.min();
        let weight = |from: usize, to: usize| {
            let back = self.weights.get(&[to, from]).filter(|_| both.is_none());
            self.weights.get(&[from, to]).or(back).map(|(weight, _)| *weight)
        };
        let n = self.names.len();
        // The first that is missing is found before there is room for a matrix.
        for from in 0..n {
            for to in (0..n).filter(|&to| to != from) {
                if weight(from, to).is_none() {
                    return Err(self.missing(from, to, both));
                }
            }
        }
        let all = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
        Ok(all.map(|(from, to)| weight(from, to).unwrap_or_default()).collect())
    }

    fn missing(&self, from: usize, to: usize, both: Option<(usize, [usize; 2])>) -> Error {
        let quoted = |cities: [usize; 2]| cities.map(|city| quote(self.names[city]));
        let [from, to] = quoted([from, to]);
        let directions = both.map_or_else(String::new, |(line, pair)| {
            let [there, back] = quoted(pair);
            format!("; each two need both directions, since those of {there} and {back} differ (line {line})")
        });
        let line = self.table.rows[self.table.rows.len() - 1].line;
        let message = format!(
            "no row has the way from {from} to {to}{directions}; give a way that is not there a weight longer than any tour, or, where it leads \
             through other cities, how long it is through these"
        );
        self.table.error(line, message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Distances;
    use super::*;

    fn parse(text: &str) -> Result<Instance> {
        Instance::parse_table(text, "t", Distances::Stated)
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_row_a_way_makes_a_matrix() {
        // Each way counts in both directions where none has two.
        for text in [
            "from,to,km\nA,B,1\nA,C,2\nC,B,3\n",
            "Origin;Destination;Duration;Note\nA;B;1;x\nA;A;0;\nA;C;2;y\nB;C;3;z\n",
            "minutes\ttarget\tsource\n1\tB\tA\n2\tC\tA\n3\tB\tC\n1\tB\tA\n",
            "from,to,km\nA,B,1\nA,C,2\nC,B,3\nB,A,1\n",
        ] {
            let instance = parse(text).unwrap();
            assert_eq!(instance.distance_matrix().len(), 9, "{text}");
            let way = |a, b| {
                let [a, b] = [a, b].map(|name| instance.city_called(name).unwrap() as usize);
                instance.distance(a, b)
            };
            assert_eq!([way("A", "B"), way("B", "A"), way("C", "A"), way("B", "C")], [1, 1, 2, 3], "{text}");
        }
        let directed = parse("from,to,weight\n7,5,1\n5,7,2.5\n").unwrap();
        assert_eq!((directed.city_names().unwrap(), directed.is_symmetric()), (&["7".into(), "5".into()][..], false));
        assert_eq!(directed.length(&[0, 1]).unwrap(), 3.5);
        assert_eq!([directed.distance(0, 1), directed.distance(1, 0)], [10, 25]);
    }

    #[test]
    fn ways_that_are_missing_or_told_twice_are_refused() {
        let missing = message("from,to,km\nA,B,1\nA,C,2\n");
        assert!(
            missing.starts_with("t:3: no row has the way from 'B' to 'C'; give a way that is not there"),
            "{missing}"
        );
        let direction = message("from,to,km\nA,B,1\nB,A,2\nA,C,2\nB,C,3\n");
        let why = "the way from 'C' to 'A'; each two need both directions, since those of 'A' and 'B' differ (line 3)";
        assert!(direction.contains(why), "{direction}");
        let twice = message("from,to,km\nA,B,1\nA,B,2\n");
        assert_eq!(twice, "t:3: the way from 'A' to 'B' is 2 here and 1 in line 2: leave one of them in");
        let twice = message("from,to,km\nA,B,2\nA,C,7\nA,B,1\n");
        assert_eq!(twice, "t:4: the way from 'A' to 'B' is 1 here and 2 in line 2: leave one of them in");
        let apart = message("from,to,km\nA,B,-1e308\nB,A,1e308\nA,A,0\n");
        assert!(apart.starts_with("t:4: the weights lie further apart"), "{apart}");
        assert!(message("from;to;km\nA;B;900\nA;C;1.500\nB;C;2.500\n").contains("may be a thousand or more"));
        assert!(
            message("from,to,km,min\nA,B,1,2\n").ends_with("may stand in 'km' or 'min': leave one of these columns in")
        );
        let alone = message("to,from\nA,B\n");
        assert!(
            alone.starts_with("t:1: columns 'from' and 'to' make this a table of ways, which needs one more"),
            "{alone}"
        );
        for text in ["from,to,km,Duration\nA,B,5,0:05\n", "from,to,duration\nA,B,0:05\n"] {
            assert!(
                message(text).starts_with("t:2: columns 'from' and 'to' make this a table of ways, but '0:05' in"),
                "{text}"
            );
        }
        assert_eq!(message("from,to,km\n"), "t:1: there are no rows below the header");
        assert!(message("from,to,km\nA,B,x\nA,C,1\n").starts_with("t:2: expected a number for a weight"));
        let metric = Instance::parse_table("from,to,km\nA,B,1\n", "t", Distances::Globe).unwrap_err().to_string();
        assert!(metric.contains("leave --metric out"), "{metric}");
    }
}
