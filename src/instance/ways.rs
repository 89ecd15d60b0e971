//! Tables with a row for each way, as routing services and databases write them: from, to, and how long it is or how much flows.

use std::collections::HashMap;

use super::table::{Table, find, wholes};
use crate::error::{Error, Result};
use crate::text::quote;

/// What the columns of a way's two ends may be called, in any case.
const FROM: &[&str] = &["from", "origin", "source", "origin_id", "from_id", "von"];
const TO: &[&str] = &["to", "destination", "target", "destination_id", "to_id", "nach"];

/// What ways are told with.
pub(super) struct Kind {
    /// What a row has, and what its one more column says.
    one: &'static str,
    says: &'static str,
    number: &'static str,
    /// What that column may be called, where a field of it is no number.
    called: &'static [&'static str],
    /// Whether one from an end to itself counts.
    to_itself: bool,
    /// Whether one may be infinite, where there is none.
    may_be_missing: bool,
    /// What to do where several columns may have them.
    choice: &'static str,
    /// What to do where one is missing.
    remedy: &'static str,
}

/// Lengths of ways between cities.
pub(super) const LENGTHS: Kind = Kind {
    one: "way",
    says: "how long each is",
    number: "a weight",
    called: &[
        "distance", "duration", "time", "length", "minutes", "seconds", "hours", "km", "meters", "metres", "miles",
        "cost", "weight",
    ],
    to_itself: false,
    may_be_missing: true,
    choice: "leave one of these columns in, or choose it (--weight NAME)",
    remedy: "give a way that is not there the weight inf, or, where it leads through other cities, how long it is through these",
};

/// The same between locations, of which each two have one.
pub(super) const DISTANCES: Kind = Kind {
    number: "a distance",
    may_be_missing: false,
    choice: "leave one of these columns in",
    remedy: "each two locations need a distance: where the way leads through others, how long it is through these",
    ..LENGTHS
};

/// Flows between facilities.
pub(super) const FLOWS: Kind = Kind {
    one: "flow",
    says: "how much each is",
    number: "a flow",
    called: &["flow", "amount", "weight", "trips", "volume", "traffic", "cost", "frequency"],
    to_itself: true,
    may_be_missing: false,
    choice: "leave one of these columns in",
    // A flow without a row is none.
    remedy: "",
};

/// The ways of a table, their ends in the order in which they appear.
pub(super) struct Ways<'a> {
    table: &'a Table<'a>,
    pub names: Vec<&'a str>,
    /// Of each way from one end to another, or to itself, what it weighs, and the line that says so.
    weights: HashMap<[usize; 2], (f64, usize)>,
    /// What to do where one is missing.
    remedy: &'static str,
}

/// The columns of the ends of ways, where a header names both.
pub(super) fn ends(header: &[String]) -> Option<[usize; 2]> {
    Some([find(header, FROM)?, find(header, TO)?])
}

/// The one column of numbers beside those of the ends.
fn weight(table: &Table<'_>, ends: [usize; 2], kind: &Kind, chosen: Option<&str>) -> Result<usize> {
    let header = &table.rows[0];
    let is_numbers = |column: &usize| table.rows[1..].iter().any(|row| table.number(&row.fields[*column]).is_some());
    // A column without a name that counts the rows numbers them.
    let counts = |column: &usize| {
        let counted = |from: usize| {
            table.rows[1..].iter().zip(from..).all(|(row, number)| row.fields[*column] == number.to_string())
        };
        header.fields[*column].is_empty() && (counted(0) || counted(1))
    };
    let others = (0..table.width()).filter(|column| !ends.contains(column) && !counts(column));
    let found: Vec<usize> = others.filter(is_numbers).collect();
    let [from, to] = ends.map(|column| quote(&header.fields[column]));
    let Kind { one, says, .. } = kind;
    let ways = format!("columns {from} and {to} make this a table of {one}s");
    let is_length = |column: &usize| kind.called.iter().any(|name| header.fields[*column].eq_ignore_ascii_case(name));
    let names = || found.iter().map(|&column| quote(&header.fields[column])).collect::<Vec<String>>().join(" or ");
    if let Some(name) = chosen {
        let called = found.iter().filter(|column| header.fields[**column].eq_ignore_ascii_case(name));
        let called: Vec<usize> = called.copied().collect();
        let in_words = |column: &usize| !found.contains(column) && header.fields[*column].eq_ignore_ascii_case(name);
        let wrong = match (&called[..], (0..table.width()).find(in_words), table.rows.get(1)) {
            ([column], ..) => return Ok(*column),
            ([], Some(column), Some(row)) => {
                let [name, field] = [header, row].map(|row| quote(&row.fields[column]));
                let message =
                    format!("{ways}, but {field} in column {name} is no number: write a number without its unit");
                return Err(table.error(row.line, message));
            }
            ([], ..) => "none",
            _ => {
                let message = format!("{ways}, and two columns are called {}: rename one", quote(name));
                return Err(table.error(header.line, message));
            }
        };
        let message =
            format!("{ways}, and {wrong} of numbers is called {}: {says} may stand in {}", quote(name), names());
        return Err(table.error(header.line, message));
    }
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
        [] => Err(table.error(header.line, format!("{ways}, which needs one more of numbers: {says}"))),
        _ => {
            let message = format!("{ways}, and {says} may stand in {}: {}", names(), kind.choice);
            Err(table.error(header.line, message))
        }
    }
}

impl<'a> Ways<'a> {
    pub fn of(table: &'a Table<'a>, ends: [usize; 2], kind: &Kind, chosen: Option<&str>) -> Result<Self> {
        let column = weight(table, ends, kind, chosen)?;
        let (mut numbers, mut names) = (HashMap::new(), Vec::new());
        let mut weights: HashMap<[usize; 2], (f64, usize)> = HashMap::new();
        let columns = ends.map(|end| wholes(table.rows[1..].iter().map(move |row| row.fields[end].as_str())));
        let [from, to] = columns;
        for (row, ends) in table.rows[1..].iter().zip(from.zip(to)) {
            let ends = <[&str; 2]>::from(ends).map(|name| {
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                })
            });
            if ends[0] == ends[1] && !kind.to_itself {
                continue;
            }
            let weight = match kind.may_be_missing {
                true => table.weight(row, column, kind.number)?,
                false => table.entry(row, column, kind.number)?,
            };
            let (other, line) = *weights.entry(ends).or_insert((weight, row.line));
            if other != weight {
                let [from, to] = ends.map(|city| quote(names[city]));
                let one = kind.one;
                let message = format!(
                    "the {one} from {from} to {to} is {weight} here and {other} in line {line}: leave one of them in"
                );
                return Err(table.error(row.line, message));
            }
        }
        table.no_thousands()?;
        Ok(Self { table, names, weights, remedy: kind.remedy })
    }

    /// Row by row what each flow is, 0 where there is none.
    pub fn flows(&self) -> Vec<f64> {
        let n = self.names.len();
        let mut all = vec![0.0; n * n];
        self.weights.iter().for_each(|(&[from, to], &(flow, _))| all[from * n + to] = flow);
        all
    }

    /// Both directions of each pair of ends, row by row, and 0 for each way from an end to itself.
    pub fn matrix(&self) -> Result<Vec<f64>> {
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
        Ok(all.map(|(from, to)| if from == to { 0.0 } else { weight(from, to).unwrap_or_default() }).collect())
    }

    fn missing(&self, from: usize, to: usize, both: Option<(usize, [usize; 2])>) -> Error {
        let quoted = |cities: [usize; 2]| cities.map(|city| quote(self.names[city]));
        let [from, to] = quoted([from, to]);
        let directions = both.map_or_else(String::new, |(line, pair)| {
            let [there, back] = quoted(pair);
            format!("; each two need both directions, since those of {there} and {back} differ (line {line})")
        });
        let line = self.table.rows[self.table.rows.len() - 1].line;
        self.table.error(line, format!("no row has the way from {from} to {to}{directions}; {}", self.remedy))
    }
}
