//! TSPLIB tour files.

use std::io::{self, Write};
use std::path::Path;

use super::concorde;
use super::instance::Instance;
use super::listed::{COLUMNS, FORMS, parse_order, too_short};
use super::looks::Looks;
use super::metric::Metric;
use super::tour_line::parse_line;
use crate::error::{Error, Flaw, Result};
use crate::instance::delimiter::lines;
use crate::instance::reported;
use crate::text::{Lines, quote, read_text};

/// Reads the tour of an instance with `cities` cities, in TSPLIB's format, as a table with a column `city` ([`super::write_csv`]), in whose
/// order a column `order` has the last word, as a JSON report or in the form of Concorde's solutions; what is returned counts cities from 0, as the last two
/// do, other files count them from 1.
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
    Ok(visits(text, file, cities, None)?.into_iter().map(|(city, _)| city).collect())
}

/// The same of a tour, or an open path, that is to be a solution of `instance`: it has to keep to its ends and fixed edges, too. Of cities on the
/// globe it may be a line in GeoJSON ([`super::write_geojson`]), each of whose places lies within a millionth of a degree of a city. A table may
/// call cities as the instance's file does, in a column `id` or `name` ([`Instance::city_called`]), and so do errors
/// ([`Instance::city_label`]).
///
/// # Errors
/// As [`read_tour`].
pub fn parse_solution(text: &str, file: &str, instance: &Instance) -> Result<Vec<u32>> {
    let visits = visits(text, file, instance.len(), Some(instance))?;
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
fn visits(text: &str, file: &str, cities: usize, instance: Option<&Instance>) -> Result<Vec<(u32, usize)>> {
    // A column alone looks like words.
    let is_column = |line: &str| COLUMNS.iter().any(|column| line.eq_ignore_ascii_case(column));
    match Looks::of(text) {
        Looks::Json => {
            if let Some(instance) = instance.filter(|_| reported::is_geojson(text)) {
                return Ok(parse_line(text, file, instance)?.into_iter().map(|city| (city, 1)).collect());
            }
            let tour = reported::solution(text, file, true, (cities, cities))?;
            return Ok(tour.into_iter().map(|city| (city, 1)).collect());
        }
        looks if looks == Looks::Table || lines(text).next().is_some_and(is_column) => {
            return parse_order(text, file, cities, instance);
        }
        _ => {}
    }
    if let Some(tour) = concorde::parse(text, file, cities, instance)? {
        return Ok(tour);
    }
    let mut lines = Lines::new(text, file);
    loop {
        let Some(line) = lines.next() else {
            return Err(lines.error(format!("there is no TOUR_SECTION; {FORMS}")));
        };
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        match key.trim().to_ascii_uppercase().as_str() {
            "TOUR_SECTION" => break,
            "DIMENSION" => match value.trim().parse::<usize>() {
                Ok(n) if n == cities => {}
                Ok(n) => return Err(lines.error(format!("a tour of {n} cities, but the instance has {cities}"))),
                Err(_) => return Err(lines.error(format!("DIMENSION needs a whole number, not {}", quote(value)))),
            },
            _ => {}
        }
    }
    let mut listed = Vec::new();
    'section: while let Some(line) = lines.next() {
        for token in line.split_whitespace() {
            if token == "-1" || token.eq_ignore_ascii_case("EOF") {
                break 'section;
            }
            listed.push((token, lines.number()));
        }
    }
    // As instances, tours count from 0 in some files.
    let first = usize::from(listed.iter().all(|(token, _)| *token != "0"));
    let mut tour = Vec::with_capacity(listed.len());
    let mut seen = vec![false; cities];
    for (token, line) in listed {
        let city = token.parse::<usize>().ok().and_then(|city| city.checked_sub(first)).filter(|city| *city < cities);
        let Some(city) = city else {
            let last = (cities + first).saturating_sub(1);
            return Err(lines.error_at(line, format!("expected a city from {first} to {last}, not {}", quote(token))));
        };
        if std::mem::replace(&mut seen[city], true) {
            return Err(lines.error_at(line, format!("city {token} is visited twice")));
        }
        tour.push((city as u32, line));
    }
    match tour.len() {
        found if found == cities => Ok(tour),
        found => Err(lines.error(too_short(found, &seen, first))),
    }
}

/// The same closed tour from a city on, in the same direction.
pub(crate) fn from_city(tour: &[u32], first: u32) -> Vec<u32> {
    let mut tour = tour.to_vec();
    if let Some(start) = tour.iter().position(|&city| city == first) {
        tour.rotate_left(start);
    }
    tour
}

/// The same closed tour from city 0 towards the lower-numbered of its two neighbours.
pub fn canonical(tour: &[u32]) -> Vec<u32> {
    canonical_from(tour, 0)
}

fn canonical_from(tour: &[u32], first: u32) -> Vec<u32> {
    let mut tour = from_city(tour, first);
    if tour.len() > 2 && tour[1] > tour[tour.len() - 1] {
        tour[1..].reverse();
    }
    tour
}

/// The cities of a solution as it is written: an open path as it is, a tour from its first city, or the one that is asked for, on.
pub(super) fn in_order(instance: &Instance, tour: &[u32]) -> Vec<u32> {
    let first = instance.first_city().unwrap_or(0);
    match (instance.is_open(), is_same_back(instance, tour)) {
        (true, _) => tour.to_vec(),
        (false, true) => canonical_from(tour, first),
        (false, false) => from_city(tour, first),
    }
}

/// Whether each way of a tour is as long as the way back. In a matrix both may cost the same and differ in what was given.
fn is_same_back(instance: &Instance, tour: &[u32]) -> bool {
    let mut ways = tour.iter().zip(tour.iter().cycle().skip(1)).map(|(&from, &to)| [from as usize, to as usize]);
    let is_same = |[from, to]: [usize; 2]| instance.way(from, to) == instance.way(to, from);
    instance.is_symmetric() && (instance.metric() != Metric::Explicit || ways.all(is_same))
}

/// Writes a tour of `instance` in TSPLIB's format, from city 1 or [`Instance::first_city`] on, so that equal tours give equal files: in its own
/// direction where a way differs from the way back, else towards the lower-numbered neighbour of that city.
///
/// # Errors
/// What the writer reports; [`io::ErrorKind::InvalidInput`] for what is no tour of `instance`.
pub fn write_tour(writer: &mut impl Write, instance: &Instance, cost: u64, tour: &[u32]) -> io::Result<()> {
    check_tour(instance, tour)?;
    let name = instance.name();
    let tour = in_order(instance, tour);
    let length = instance.length_at(&tour, cost);
    writeln!(writer, "NAME : {name}.tour\nCOMMENT : Length {length}")?;
    if counts_from_0(instance) {
        writeln!(writer, "COMMENT : nodes count from 1 in the order of the file, whose ids count from 0")?;
    }
    writeln!(writer, "TYPE : TOUR")?;
    writeln!(writer, "DIMENSION : {}\nTOUR_SECTION", tour.len())?;
    let mut number = itoa::Buffer::new();
    for city in tour {
        writer.write_all(number.format(city + 1).as_bytes())?;
        writer.write_all(b"\n")?;
    }
    writeln!(writer, "-1\nEOF")
}

/// Whether the file of the cities numbers them from 0 in their order.
fn counts_from_0(instance: &Instance) -> bool {
    let mut number = itoa::Buffer::new();
    instance.city_ids().is_some_and(|ids| ids.iter().zip(0..).all(|(id, place)| id == number.format::<usize>(place)))
}

/// Checks that what is to be written is a tour.
pub(super) fn check_tour(instance: &Instance, tour: &[u32]) -> io::Result<()> {
    instance.check_tour(tour).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))
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

    /// Both directions cost the same, as the mean or once rounded, and are not equally long.
    #[test]
    fn a_tour_whose_ways_back_differ_keeps_its_direction() {
        let noise =
            vec![0.0, 94.885045945, 69.060403299, 94.884869682, 0.0, 82.221392828, 69.060604898, 82.221270215, 0.0];
        let rounded = vec![0.0, 1.0, 2.0, 1.0, 0.0, 1.0 / 3.0, 2.0, 1.0 / 3.0 + 1e-12, 0.0];
        for weights in [noise, rounded] {
            let instance = Instance::from_matrix_f64(3, weights).unwrap();
            assert!(instance.is_symmetric());
            for tour in [[0, 1, 2], [0, 2, 1]] {
                let (cost, mut text) = (instance.tour_cost(&tour).unwrap(), Vec::new());
                write_tour(&mut text, &instance, cost, &[tour[1], tour[2], tour[0]]).unwrap();
                assert_eq!(parse_solution(&String::from_utf8(text).unwrap(), "t", &instance).unwrap(), tour);
            }
        }
        // Where they are equally long they are one tour.
        let equal =
            Instance::from_matrix_f64(3, vec![0.0, 1.5, 0.1, 1.5, 0.0, 1.0 / 3.0, 0.1, 1.0 / 3.0, 0.0]).unwrap();
        assert_eq!(in_order(&equal, &[0, 2, 1]), [0, 1, 2]);
    }

    /// A line break in a name that the library was given adds no line of a header.
    #[test]
    fn names_add_no_lines() {
        let weights = vec![0, 1, 2, 1, 0, 3, 2, 3, 0];
        let odd = Instance::from_matrix("a\r\nDIMENSION : 7\u{2028}b\rc", 3, weights).unwrap();
        let (mut tour, mut file) = (Vec::new(), Vec::new());
        write_tour(&mut tour, &odd, 6, &[0, 1, 2]).unwrap();
        odd.write(&mut file).unwrap();
        let [tour, file] = [tour, file].map(|text| String::from_utf8(text).unwrap());
        for text in [&tour, &file] {
            assert_eq!(text.matches("DIMENSION : 3\n").count(), 1, "{text}");
            assert!(text.lines().all(|line| !line.starts_with("DIMENSION : 7")), "{text}");
            assert!(!text.contains(['\r', '\u{2028}']), "{text:?}");
        }
        assert_eq!(parse_tour(&tour, "t", 3).unwrap(), [0, 1, 2]);
        assert_eq!(Instance::parse(&file, "t").unwrap().distance_matrix(), odd.distance_matrix());
    }

    /// In files whose nodes count from 0 those of a tour count from 1, which it says.
    #[test]
    fn a_tour_says_that_it_counts_otherwise_than_its_file() {
        let head = "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n";
        let written = |nodes: &str| {
            let (instance, mut text) = (Instance::parse(&format!("{head}{nodes}"), "t").unwrap(), Vec::new());
            write_tour(&mut text, &instance, instance.tour_cost(&[0, 2, 1]).unwrap(), &[0, 2, 1]).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(parse_solution(&text, "t", &instance).unwrap(), [0, 1, 2]);
            text
        };
        let told = "COMMENT : Length 12\nCOMMENT : nodes count from 1 in the order of the file, whose ids count from 0\nTYPE : TOUR";
        let text = written("0 0 0\n1 0 3\n2 4 0\n");
        assert!(text.contains(told) && text.contains("SECTION\n1\n2\n3\n-1\n"), "{text}");
        assert!(!written("1 0 0\n2 0 3\n3 4 0\n").contains("count from"));
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
        // Keywords may be in any letters, as those of instances.
        assert_eq!(parse_tour("Dimension: 3\ntour_section\n1 3 2\neof\n", "t", 3).unwrap(), [0, 2, 1]);
        assert!(message("dimension: 4\n").contains("instance has 3"));
        assert_eq!(parse_tour("order,city\n1,3\n2,1\n3,2\n", "t", 3).unwrap(), [2, 0, 1]);
        assert_eq!(message("order,city\n1,3\n2,3\n3,2\n"), "t:3: city 3 is visited twice");
        assert!(message("order,city\n1,3\n2,4\n").starts_with("t:3: expected a city from 1 to 3, not '4'"));
        assert!(message("order,city\n1,3\n2,1\n").starts_with("t:3: the tour ends after 2 of 3"));
        assert!(message("x,y\n1,3\n2,1\n").contains("no column 'city'"));
    }

    /// By whatever a table's cities are called a tour of theirs may list them; a column may stand alone, and a report is one, too.
    #[test]
    fn tables_and_reports_hold_tours() {
        let table = Instance::parse("id,name,x,y\n30,Aix,0,0\n10,Bern,0,1\n20,Como,1,1\n", "t").unwrap();
        let read = |text: &str| parse_solution(text, "s", &table);
        for text in [
            "City\n1\n3\n2\n",
            "id\n30\n20\n10\n",
            "when;name\n9:00;Aix\n10:00;Como\n11:00;Bern\n",
            "order,city\n1,Aix\n2,Como\n3,Bern\n",
            "{\"tour\": [0, 2, 1], \"cost\": 4}",
        ] {
            assert_eq!(read(text).unwrap(), [0, 2, 1], "{text}");
        }
        let mut text = Vec::new();
        super::super::write_csv(&mut text, &table, &[0, 2, 1]).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "order,city,id,name,x,y,to_next,so_far\n1,1,30,Aix,0,0,1,0\n2,2,10,Bern,0,1,1,1\n3,3,20,Como,1,1,1.41421356,2\n"
        );
        assert_eq!(read(&text).unwrap(), [0, 1, 2]);
        // Numbers that are names, and those that may be places as well.
        let numbered = |third: &str| Instance::parse(&format!("city,x,y\n3,0,0\n{third},0,1\n1,1,1\n"), "t").unwrap();
        assert_eq!(parse_solution("city\n7\n1\n3\n", "s", &numbered("7")).unwrap(), [1, 2, 0]);
        assert_eq!(parse_solution("city\n2\n1\n3\n", "s", &numbered("7")).unwrap(), [1, 0, 2]);
        let either = parse_solution("city\n2\n1\n3\n", "s", &numbered("2")).unwrap_err().to_string();
        assert!(either.contains("may be the cities' names or their places"), "{either}");
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("id\n30\n2\n10\n").starts_with("s:3: there is no city '2': give an id"));
        assert_eq!(message("name\nAix\nComo\nAix\n"), "s:4: city Aix is visited twice");
        assert!(message("{\"tour\": [0, 2]}").contains("has 2 numbers, not 3"));
        // Without the instance nobody knows what its cities are called.
        assert!(parse_tour("id\n30\n20\n10\n", "s", 3).unwrap_err().to_string().contains("no column 'city'"));
    }
}
