//! TSPLIB tour files.

use std::io::{self, Write};
use std::path::Path;

use super::instance::Instance;
use super::looks::Looks;
use super::table::{Row, Table};
use crate::error::{Error, Flaw, Result};
use crate::text::{Lines, quote, read_text};

/// Reads the tour of an instance with `cities` cities, in TSPLIB's format or as a table with a column `city` ([`super::write_csv`]); what
/// is returned counts cities from 0, files count them from 1.
///
/// # Errors
/// [`crate::Error::Io`], or [`crate::Error::Parse`] when the file holds no such tour.
pub fn read_tour(path: impl AsRef<Path>, cities: usize) -> Result<Vec<u32>> {
    let (text, name) = read_text(path.as_ref())?;
    parse_tour(&text, &name, cities)
}

/// The same from text; `file` names it in errors.
///
/// # Errors
/// As [`read_tour`].
pub fn parse_tour(text: &str, file: &str, cities: usize) -> Result<Vec<u32>> {
    Ok(visits(text, file, cities)?.into_iter().map(|(city, _)| city).collect())
}

/// The same of a tour, or an open path, that is to be a solution of `instance`: it has to keep to its ends and fixed edges, too. Errors call
/// cities as the instance's file does ([`Instance::city_label`]).
///
/// # Errors
/// As [`read_tour`].
pub fn parse_solution(text: &str, file: &str, instance: &Instance) -> Result<Vec<u32>> {
    let visits = visits(text, file, instance.len())?;
    let tour: Vec<u32> = visits.iter().map(|(city, _)| *city).collect();
    let flaw = match instance.check_constraints(&tour) {
        Err(Error::Tour(flaw)) => flaw,
        checked => return checked.map(|()| tour),
    };
    let label = |city: u32| instance.city_label(city);
    let (city, message) = match flaw {
        Flaw::Ends { begins, found, expected } => {
            let verb = if begins { "begins" } else { "ends" };
            (found, format!("the path {verb} at city {}, not at city {}", label(found), label(expected)))
        }
        Flaw::Parted { edge: [a, b] } => {
            (a, format!("city {} does not follow city {}, though their edge is fixed", label(b), label(a)))
        }
        other => return Err(Error::Tour(other)),
    };
    let line = visits.iter().find(|(visited, _)| *visited == city).map_or(1, |(_, line)| *line);
    Err(Error::parse(file, line, message))
}

/// The cities of a tour in order, each with the line that names it.
fn visits(text: &str, file: &str, cities: usize) -> Result<Vec<(u32, usize)>> {
    if Looks::of(text) == Looks::Table {
        return parse_order(text, file, cities);
    }
    let mut lines = Lines::new(text, file);
    loop {
        let Some(line) = lines.next() else {
            return Err(lines.error("there is no TOUR_SECTION; is this a tour file?"));
        };
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        match key.trim() {
            "TOUR_SECTION" => break,
            "DIMENSION" => match value.trim().parse::<usize>() {
                Ok(n) if n == cities => {}
                Ok(n) => return Err(lines.error(format!("a tour of {n} cities, but the instance has {cities}"))),
                Err(_) => return Err(lines.error(format!("DIMENSION needs a whole number, not {}", quote(value)))),
            },
            _ => {}
        }
    }
    let mut tour = Vec::new();
    let mut seen = vec![false; cities];
    'section: while let Some(line) = lines.next() {
        for token in line.split_whitespace() {
            if token == "-1" || token == "EOF" {
                break 'section;
            }
            let city = token.parse::<usize>().ok().filter(|city| (1..=cities).contains(city));
            let Some(city) = city else {
                return Err(lines.error(format!("expected a city from 1 to {cities}, not {}", quote(token))));
            };
            if std::mem::replace(&mut seen[city - 1], true) {
                return Err(lines.error(format!("city {city} is visited twice")));
            }
            tour.push((city as u32 - 1, lines.number()));
        }
    }
    match tour.len() {
        found if found == cities => Ok(tour),
        found => Err(lines.error(format!("the tour ends after {found} of {cities} cities"))),
    }
}

/// The cities that a table lists in its column `city`.
fn parse_order(text: &str, file: &str, cities: usize) -> Result<Vec<(u32, usize)>> {
    let table = Table::new(text, file)?;
    let (header, rows) = (&table.rows[0], &table.rows[1..]);
    let Some(column) = header.fields.iter().position(|field| field.eq_ignore_ascii_case("city")) else {
        return Err(table.error(header.line, "there is no TOUR_SECTION and no column 'city'; is this a tour?"));
    };
    let mut seen = vec![false; cities];
    let mut city = |row: &Row| {
        let field = &row.fields[column];
        match field.parse::<usize>().ok().filter(|city| (1..=cities).contains(city)) {
            None => Err(table.error(row.line, format!("expected a city from 1 to {cities}, not {}", quote(field)))),
            Some(city) if std::mem::replace(&mut seen[city - 1], true) => {
                Err(table.error(row.line, format!("city {city} is visited twice")))
            }
            Some(city) => Ok((city as u32 - 1, row.line)),
        }
    };
    let tour = rows.iter().map(&mut city).collect::<Result<Vec<_>>>()?;
    match tour.len() {
        found if found == cities => Ok(tour),
        found => {
            let line = rows.last().unwrap_or(header).line;
            Err(table.error(line, format!("the tour ends after {found} of {cities} cities")))
        }
    }
}

/// The same closed tour from city 0 on, in the same direction.
pub(super) fn from_first_city(tour: &[u32]) -> Vec<u32> {
    let mut tour = tour.to_vec();
    if let Some((start, _)) = tour.iter().enumerate().min_by_key(|(_, city)| **city) {
        tour.rotate_left(start);
    }
    tour
}

/// The same closed tour from city 0 towards the lower-numbered of its two neighbours.
pub fn canonical(tour: &[u32]) -> Vec<u32> {
    let mut tour = from_first_city(tour);
    if tour.len() > 2 && tour[1] > tour[tour.len() - 1] {
        tour[1..].reverse();
    }
    tour
}

/// The cities of a solution as it is written: an open path as it is, a tour from its first city on.
pub(super) fn in_order(instance: &Instance, tour: &[u32]) -> Vec<u32> {
    match (instance.is_open(), instance.is_symmetric()) {
        (true, _) => tour.to_vec(),
        (false, true) => canonical(tour),
        (false, false) => from_first_city(tour),
    }
}

/// Writes a tour of `instance` in TSPLIB's format, from city 1 on, so that equal tours give equal files: in its own
/// direction where the instance is asymmetric, else towards the lower-numbered neighbour of city 1.
///
/// # Errors
/// What the writer reports.
pub fn write_tour(writer: &mut impl Write, instance: &Instance, cost: u64, tour: &[u32]) -> io::Result<()> {
    let name = instance.name();
    let tour = in_order(instance, tour);
    let length = instance.length_at(&tour, cost);
    writeln!(writer, "NAME : {name}.tour\nCOMMENT : Length {length}\nTYPE : TOUR")?;
    writeln!(writer, "DIMENSION : {}\nTOUR_SECTION", tour.len())?;
    for city in tour {
        writeln!(writer, "{}", city + 1)?;
    }
    writeln!(writer, "-1\nEOF")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut text = Vec::new();
        let weights = |skew: u32| (0..25).map(|i| if i % 6 == 0 { 0 } else { 1 + i * skew }).collect();
        let symmetric = Instance::from_matrix("five", 5, weights(0)).unwrap();
        write_tour(&mut text, &symmetric, 7, &[3, 1, 0, 4, 2]).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(parse_tour(&text, "t", 5).unwrap(), [0, 1, 3, 2, 4]);
        // A way back may cost something else.
        let mut text = Vec::new();
        let asymmetric = Instance::from_matrix("five", 5, weights(1)).unwrap();
        write_tour(&mut text, &asymmetric, 7, &[3, 1, 0, 4, 2]).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(parse_tour(&text, "t", 5).unwrap(), [0, 4, 2, 3, 1]);
    }

    #[test]
    fn directions_and_starts_make_no_difference() {
        for tour in [[3, 1, 0, 4, 2], [4, 0, 1, 3, 2], [1, 3, 2, 4, 0]] {
            assert_eq!(canonical(&tour), [0, 1, 3, 2, 4]);
        }
        assert!(canonical(&[]).is_empty());
    }

    #[test]
    fn broken_tours_name_their_line() {
        let message = |text: &str| parse_tour(text, "t", 3).unwrap_err().to_string();
        assert_eq!(message("TOUR_SECTION\n1\n2\n2\n"), "t:4: city 2 is visited twice");
        assert!(message("TOUR_SECTION\n1 2\n").starts_with("t:2: the tour ends after 2 of 3"));
        assert!(message("TOUR_SECTION\n1 2 4").contains("not '4'"));
        assert!(message("DIMENSION: 4\n").contains("instance has 3"));
        assert!(message("NAME: x").contains("no TOUR_SECTION"));
        assert_eq!(parse_tour("order,city\n1,3\n2,1\n3,2\n", "t", 3).unwrap(), [2, 0, 1]);
        assert_eq!(message("order,city\n1,3\n2,3\n3,2\n"), "t:3: city 3 is visited twice");
        assert!(message("order,city\n1,3\n2,4\n").starts_with("t:3: expected a city from 1 to 3, not '4'"));
        assert!(message("order,city\n1,3\n2,1\n").starts_with("t:3: the tour ends after 2 of 3"));
        assert!(message("x,y\n1,3\n2,1\n").contains("no column 'city'"));
    }
}
