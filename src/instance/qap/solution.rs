//! QAPLIB solution files: the number of facilities and a cost in the unit of the instance, then the location of each facility, counted from 1.
//! Beside them tables of facilities and locations, and JSON reports.

use std::io::{self, Write};
use std::path::Path;

use super::instance::Instance;
use super::normal::called;
use crate::error::{Error, Flaw, Result};
use crate::instance::reported;
use crate::instance::table::Table;
use crate::text::{Numbers, quote, read_text};

/// What a solution file says.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedSolution {
    /// The location of each facility, counted from 0.
    pub permutation: Vec<u32>,
    /// The cost that the file states in the unit of what was given, which may be wrong; that of the assignment where it states none.
    pub cost: f64,
    /// Whether the file lists the facility of each location, and not the location of each facility: only so does it cost what it states.
    pub inverse: bool,
}

impl StatedSolution {
    /// Whether the assignment costs what is stated, to nine digits where there are decimals; of entries that are counted exactly to half of what
    /// costs differ by at least.
    ///
    /// # Errors
    /// As [`Instance::cost`].
    pub fn is_true(&self, instance: &Instance) -> Result<bool> {
        let (length, exact) = (instance.length(&self.permutation)?, instance.cost_error() == 0.0);
        if length == self.cost {
            // Both may be infinite.
            return Ok(true);
        }
        let differs = (length - self.cost).abs();
        let fits = differs.is_finite() && differs <= 1e-9 * length.abs().max(self.cost.abs());
        Ok(fits && (!exact || differs < 0.5 / instance.scale()))
    }
}

/// Reads a solution of `instance`: QAPLIB's (.sln), a table with the columns `facility` and `location`, which count from 1 or have names, or a JSON
/// report.
///
/// Some files of the library list for each location its facility instead. The list is taken as such where only that agrees
/// with the stated cost ([`StatedSolution::inverse`]).
///
/// # Errors
/// [`Error::Io`], or [`Error::Parse`] with file and line.
pub fn read_solution(path: impl AsRef<Path>, instance: &Instance) -> Result<StatedSolution> {
    let (text, file) = read_text(path.as_ref())?;
    parse_solution(&text, &file, instance)
}

/// The same from text; `file` names it in errors.
///
/// # Errors
/// As [`read_solution`].
pub fn parse_solution(text: &str, file: &str, instance: &Instance) -> Result<StatedSolution> {
    let (n, locations) = (instance.len(), instance.locations());
    let other_form = match text.trim_start().chars().next() {
        Some('{') => Some((reported::solution(text, file, false, (n, locations))?, Vec::new())),
        Some(first) if first.is_alphabetic() || first == '"' => Some(listed(text, file, instance)?),
        _ => None,
    };
    if let Some((permutation, lines)) = other_form {
        let cost = instance.length(&permutation).map_err(|error| misplaced(error, (file, &lines), instance))?;
        return Ok(StatedSolution { permutation, cost, inverse: false });
    }
    let mut numbers = Numbers::new(text, file);
    let size = numbers.next::<usize>("the number of facilities")?;
    if size != n {
        return Err(numbers.error(format!(
            "a solution of {size} facilities, but the instance has {n}; their number and the cost come first in a .sln file"
        )));
    }
    let cost = numbers.next::<f64>("the cost")?;
    if cost.is_nan() || cost == f64::NEG_INFINITY {
        return Err(numbers.error(format!("expected the cost, not '{cost}'")));
    }
    let (mut permutation, mut taken) = (Vec::with_capacity(n), vec![false; locations]);
    for facility in 1..=n {
        if !numbers.more() {
            let message = format!(
                "the file ends before the location of facility {facility}; the number of facilities and the cost come first in a .sln file"
            );
            return Err(numbers.error(message));
        }
        let location = numbers.next_with::<u32>("", || format!("the location of facility {facility}"))?;
        if !(1..=locations as u32).contains(&location) {
            return Err(numbers.error(format!("expected a location from 1 to {locations}, not {location}")));
        }
        if std::mem::replace(&mut taken[location as usize - 1], true) {
            let location = label(instance.location_names(), location as usize - 1);
            return Err(numbers.error(format!("location {location} is taken twice")));
        }
        permutation.push(location - 1);
    }
    numbers.end("the last location")?;
    let listed = StatedSolution { permutation, cost, inverse: false };
    let is_true = listed.is_true(instance);
    if n == locations && !matches!(is_true, Ok(true)) {
        let mut inverse = vec![0; n];
        for (facility, &location) in listed.permutation.iter().enumerate() {
            inverse[location as usize] = facility as u32;
        }
        let inverse = StatedSolution { permutation: inverse, cost, inverse: true };
        if matches!(inverse.is_true(instance), Ok(true)) {
            return Ok(inverse);
        }
    }
    is_true.map_err(|error| misplaced(error, (file, &[]), instance))?;
    Ok(listed)
}

impl Instance {
    /// What a person calls a location, counted from 0, by: its number from 1, and its name where it has one.
    pub fn location_label(&self, location: u32) -> String {
        label(self.location_names(), location as usize)
    }

    /// What a person calls a facility, in the same way.
    pub fn facility_label(&self, facility: u32) -> String {
        label(self.facility_names(), facility as usize)
    }
}

/// A facility or a location, counted from 0, as errors call it.
fn label(names: Option<&[String]>, number: usize) -> String {
    let name = names.and_then(|names| names.get(number)).map_or_else(String::new, |name| format!(" ({})", quote(name)));
    format!("{}{name}", number + 1)
}

/// What is wrong with an assignment in a file, which may have a line for each facility.
fn misplaced(error: Error, (file, lines): (&str, &[usize]), instance: &Instance) -> Error {
    let mut line = 1;
    let message = match error {
        Error::Assignment(Flaw::Moved { facility, found, expected }) => {
            line = lines.get(facility as usize).copied().unwrap_or(line);
            let facility = label(instance.facility_names(), facility as usize);
            let [found, expected] = [found, expected].map(|at| label(instance.location_names(), at as usize));
            format!("facility {facility} is at location {found}, but it is fixed at location {expected}")
        }
        error => error.to_string(),
    };
    Error::parse(file, line, message)
}

/// The location of each facility in a table, in any order, and its line: both counted from 1, or by names that no other one has. Columns of names
/// beside those have to agree.
fn listed(text: &str, file: &str, instance: &Instance) -> Result<(Vec<u32>, Vec<usize>)> {
    let (n, locations) = (instance.len(), instance.locations());
    let table = Table::new(text, file)?;
    let (header, rows) = (&table.rows[0], &table.rows[1..]);
    let (Some(facility), Some(location)) = (table.column("facility"), table.column("location")) else {
        let message = "expected the number of facilities, or a table with columns 'facility' and 'location'";
        return Err(table.error(header.line, message));
    };
    let mut places = vec![None; n];
    let mut taken = vec![false; locations];
    for row in rows {
        let number = |column: usize, what: &str, most: usize, names: Option<&[String]>| {
            let (field, beside) = (&row.fields[column], table.column(&format!("{what}_name")));
            // Beside a column of names it is a number.
            let found = if beside.is_some() { field.parse().ok() } else { called(names, field) };
            let names = names.unwrap_or_default();
            let or_name = if names.is_empty() { "" } else { ", or a name that no other one has" };
            let wrong = || format!("expected a {what} from 1 to {most}{or_name}, not {}", quote(field));
            let found = found.map(|number| number as usize).filter(|number| (1..=most).contains(number));
            let found = found.ok_or_else(|| table.error(row.line, wrong()))?;
            let beside = beside.map(|column| &row.fields[column]);
            match beside.zip(names.get(found - 1)).filter(|(here, there)| here != there) {
                Some((here, there)) => {
                    let [here, there] = [here, there].map(|name| quote(name));
                    Err(table
                        .error(row.line, format!("{what} {found} is called {here} here and {there} in the problem")))
                }
                None => Ok(found),
            }
        };
        let facility = number(facility, "facility", n, instance.facility_names())?;
        let location = number(location, "location", locations, instance.location_names())?;
        if places[facility - 1].replace((location as u32 - 1, row.line)).is_some() {
            let facility = label(instance.facility_names(), facility - 1);
            return Err(table.error(row.line, format!("facility {facility} has two locations")));
        }
        if std::mem::replace(&mut taken[location - 1], true) {
            let location = label(instance.location_names(), location - 1);
            return Err(table.error(row.line, format!("location {location} is taken twice")));
        }
    }
    let missing = places.iter().position(Option::is_none).unwrap_or_default();
    let message = || format!("facility {} has no location", label(instance.facility_names(), missing));
    let all: Option<(Vec<u32>, Vec<usize>)> = places.iter().copied().collect();
    all.ok_or_else(|| table.error(rows.last().unwrap_or(header).line, message()))
}

/// Writes an assignment in QAPLIB's format: its cost in the unit of what was given, and for each facility its location, counted from 1.
///
/// # Errors
/// What the writer reports.
pub fn write_solution(writer: &mut impl Write, length: f64, permutation: &[u32]) -> io::Result<()> {
    writeln!(writer, "{} {length}", permutation.len())?;
    for chunk in permutation.chunks(20) {
        let line: Vec<String> = chunk.iter().map(|&location| (u64::from(location) + 1).to_string()).collect();
        writeln!(writer, "{}", line.join(" "))?;
    }
    Ok(())
}

/// Writes an assignment as comma-separated values with a header: each facility and its location, both from 1, and what they are called where
/// that is known.
///
/// # Errors
/// What the writer reports; [`io::ErrorKind::InvalidInput`] for what is no assignment of `instance`.
pub fn write_csv(writer: &mut impl Write, instance: &Instance, permutation: &[u32]) -> io::Result<()> {
    instance.cost(permutation).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    let [facilities, locations] = [instance.facility_names(), instance.location_names()];
    let mut table = csv::Writer::from_writer(writer);
    let names = [facilities.map(|_| "facility_name"), locations.map(|_| "location_name")];
    table.write_record(["facility", "location"].into_iter().chain(names.into_iter().flatten()))?;
    for (facility, &location) in permutation.iter().enumerate() {
        let location = location as usize;
        let names = [facilities.map(|names| &names[facility]), locations.map(|names| &names[location])];
        let numbers = [facility, location].map(|number| (number + 1).to_string());
        table.write_record(numbers.iter().chain(names.into_iter().flatten()))?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_inverse_lists_are_recognised() {
        let instance = crate::instance::qap::generate(30, 3).unwrap();
        let permutation: Vec<u32> = (0..30).map(|i| (i * 7 + 4) % 30).collect();
        let cost = instance.length(&permutation).unwrap();
        let mut text = Vec::new();
        write_solution(&mut text, cost, &permutation).unwrap();
        let text = String::from_utf8(text).unwrap();
        let read = parse_solution(&text, "t", &instance).unwrap();
        assert_eq!(read, StatedSolution { permutation: permutation.clone(), cost, inverse: false });
        let mut inverse = vec![0; 30];
        for (facility, &location) in permutation.iter().enumerate() {
            inverse[location as usize] = facility as u32;
        }
        let mut text = Vec::new();
        write_solution(&mut text, cost, &inverse).unwrap();
        let read = parse_solution(&String::from_utf8(text).unwrap(), "t", &instance).unwrap();
        assert_eq!(read, StatedSolution { permutation, cost, inverse: true });
    }

    #[test]
    fn broken_solutions_name_their_line() {
        let instance = crate::instance::qap::generate(3, 1).unwrap();
        let message = |text: &str| parse_solution(text, "t", &instance).unwrap_err().to_string();
        assert!(message("4 1").contains("instance has 3"));
        assert!(message("3 1\n1 2\n2").starts_with("t:3: location 2 is taken twice"));
        assert!(message("3 1\n1 2 4").contains("from 1 to 3, not 4"));
        assert!(message("3 1\n1 2").contains("ends before the location of facility 3"));
        assert_eq!(
            message("3\n1 2 3\n"),
            "t:2: the file ends before the location of facility 3; the number of facilities and the cost come first in a .sln file"
        );
        assert!(message("3 1\n1, 2, 3, 4").contains("nothing more after the last location"));
        assert!(message("3 x").contains("expected the cost, not 'x'"));
        let table = |rows: &str| message(&format!("facility,location\n{rows}"));
        assert!(message("unit,place\n1,2\n").contains("or a table with columns 'facility' and 'location'"));
        assert!(table("1,2\n2,4\n").starts_with("t:3: expected a location from 1 to 3, not '4'"));
        assert!(table("1,2\n2,3,1\n").starts_with("t:3: 3 fields, but line 1 has 2"));
        assert!(table("1,2\n2,\n").starts_with("t:3: expected a location from 1 to 3, not ''"));
        assert!(table("1,2\n1,3\n").starts_with("t:3: facility 1 has two locations"));
        assert!(table("1,2\n2,2\n").starts_with("t:3: location 2 is taken twice"));
        assert!(table("1,2\n3,1\n").contains("facility 2 has no location"));
    }

    #[test]
    fn tables_may_have_names() {
        let named = |names: [&str; 3]| Some(names.map(str::to_owned).to_vec());
        let instance = crate::instance::qap::generate(3, 1).unwrap();
        let instance = instance.with_names(named(["Shop", "Bar", "Bar"]), named(["R1", "R2", "R3"])).unwrap();
        let read = |rows: &str| parse_solution(rows, "t", &instance).map(|stated| stated.permutation);
        assert_eq!(read("facility,location\nShop,R3\n2,R1\n3,2\n").unwrap(), [2, 0, 1]);
        let columns = "facility,location,facility_name,location_name\n";
        assert_eq!(read(&format!("{columns}1,3,Shop,R3\n2,1,Bar,R1\n3,2,Bar,R2\n")).unwrap(), [2, 0, 1]);
        let message = |rows: &str| read(rows).unwrap_err().to_string();
        let wrong = message(&format!("{columns}1,3,Shop,R1\n2,1,Bar,R1\n3,2,Bar,R2\n"));
        assert_eq!(wrong, "t:2: location 3 is called 'R1' here and 'R3' in the problem");
        let twice = message("facility,location\nBar,1\nShop,2\n3,3\n");
        assert_eq!(twice, "t:2: expected a facility from 1 to 3, or a name that no other one has, not 'Bar'");
    }

    /// Where names are numbers, a number is a name, unless names stand beside it.
    #[test]
    fn names_may_be_numbers() {
        let numbers = |names: [u32; 3]| Some(names.map(|name| name.to_string()).to_vec());
        let instance = crate::instance::qap::generate(3, 1).unwrap();
        let instance = instance.with_names(None, numbers([3, 101, 2])).unwrap();
        let read = |rows: &str| parse_solution(rows, "t", &instance).map(|stated| stated.permutation);
        assert_eq!(read("facility,location\n1,101\n2,2\n3,3\n").unwrap(), [1, 2, 0]);
        assert!(read("facility,location\n1,101\n2,1\n3,3\n").unwrap_err().to_string().contains("not '1'"));
        let mut written = Vec::new();
        write_csv(&mut written, &instance, &[1, 2, 0]).unwrap();
        assert_eq!(read(&String::from_utf8(written).unwrap()).unwrap(), [1, 2, 0]);
    }

    /// Tenths are counted exactly, and not written so by every program.
    #[test]
    fn decimals_may_be_written_nearly() {
        let tenths = vec![0.0, 4.1, 2.0, 0.0];
        let pair = Instance::from_matrices_f64("pair", [2, 2], tenths, vec![0.0, 3.0, 1.0, 0.0], None).unwrap();
        assert_eq!((pair.cost_error(), pair.length(&[0, 1]).unwrap()), (0.0, 14.3));
        let is_true =
            |cost: f64| StatedSolution { permutation: vec![0, 1], cost, inverse: false }.is_true(&pair).unwrap();
        assert_eq!([14.3, 14.299999999999999, 14.30000001, 14.2, 14.4].map(is_true), [true, true, true, false, false]);
        let whole = Instance::from_matrices("big", 2, vec![0, 30_000, 0, 0], vec![0, 35_000, 0, 0]).unwrap();
        let is_true =
            |cost: f64| StatedSolution { permutation: vec![0, 1], cost, inverse: false }.is_true(&whole).unwrap();
        assert_eq!([1.05e9, 1.05e9 + 1.0].map(is_true), [true, false]);
    }

    #[test]
    fn tables_and_reports_hold_assignments() {
        let instance = crate::instance::qap::generate(3, 1).unwrap();
        let cost = instance.length(&[2, 0, 1]).unwrap();
        let expected = StatedSolution { permutation: vec![2, 0, 1], cost, inverse: false };
        for text in [
            "facility,location\n1,3\n2,1\n3,2\n",
            "\"Location\";\"Facility\"\n2;3\n3;1\n1;2\n",
            "{\"permutation\": [2, 0, 1]}",
        ] {
            assert_eq!(parse_solution(text, "t", &instance).unwrap(), expected, "{text}");
        }
    }
}
