//! Instances from tables: points with or without names, longitudes and latitudes; which of these a table holds, or weights.

use std::collections::{HashMap, HashSet};

use super::globe::off_globe;
use super::instance::Instance;
use super::metric::{Distances, NO_CHOICE, NOTHING_TO_MEASURE, Reading};
use super::{square, ways};
use crate::error::{Error, Result};
use crate::instance::sums::is_called_so;
use crate::instance::table::{DECIMAL_COMMAS, Row, Table, find, wholes};
use crate::instance::ways::ends;
use crate::text::quote;

/// What columns may be called, in any case.
const X: &[&str] = &["x", "easting", "xcoord"];
const Y: &[&str] = &["y", "northing", "ycoord"];
const Z: &[&str] = &["z", "height", "altitude"];
const LON: &[&str] = &["lon", "lng", "long", "longitude", "longitud", "longitudine", "längengrad", "länge"];
const LAT: &[&str] = &["lat", "latitude", "latitud", "latitudine", "breitengrad", "breite"];
const NAME: &[&str] = &["name", "city", "label", "title", "stop", "address", "node", "id"];
/// Columns of ids, which are names, too, where no other column has these.
const ID: &[&str] = &["id", "node"];
/// Columns of ids where no two cities have the same: else they may be numbers of houses.
const NUMBER: &[&str] = &[
    "no", "no.", "nr", "nr.", "number", "nummer", "key", "code", "index", "idx", "#", "ref", "stop_id", "stop id",
    "osm_id", "",
];

/// Which columns hold what.
struct Columns {
    /// Two or three coordinates, of degrees the longitude first.
    coordinates: Vec<usize>,
    degrees: bool,
    name: Option<usize>,
    /// What a number of a city means.
    id: Option<usize>,
}

impl Instance {
    /// Reads points or a matrix from a table.
    pub(super) fn parse_table<'a>(text: &str, file: &str, reading: impl Into<Reading<'a>>) -> Result<Self> {
        let Reading { distances, weight } = reading.into();
        let table = Table::new(text, file)?;
        let header = header(&table);
        let first = usize::from(header.is_some());
        if table.rows.len() == first {
            return Err(table.error(table.rows[0].line, "there are no rows below the header"));
        }
        let headed = header.as_ref().is_some_and(|header| table.rows.len() > 2 && is_matrix(&table, header));
        if let Some(header) = header.as_ref().filter(|_| !headed)
            && coordinates(header).is_some()
            && ends(header).is_some()
            && find(header, NAME).is_none()
        {
            let message = "a line may be a way (from, to) or a city (x and y, or lon and lat): leave the columns of one out, or give cities a column 'name'";
            return Err(table.error(table.rows[0].line, message));
        }
        if headed || header.as_ref().is_none_or(|header| coordinates(header).is_none()) {
            let weights = match header.as_deref().filter(|_| !headed).and_then(ends) {
                Some(ends) => Some(ways::read(&table, ends, weight)?),
                None if weight.is_some() => return Err(table.error(table.rows[0].line, NO_CHOICE)),
                None => square::names(&table, first).map(|names| square::read(&table, first, names)).transpose()?,
            };
            match weights {
                Some(_) if distances != Distances::Stated => {
                    let line = table.rows[first].line;
                    return Err(table.error(line, NOTHING_TO_MEASURE));
                }
                Some(instance) => return Ok(instance),
                None if headed => {
                    square::almost(&table, 1)?;
                    let message =
                        "rows are called as the columns are, as in a matrix, which has numbers beside its diagonal";
                    return Err(table.error(table.rows[0].line, message));
                }
                None => {}
            }
        }
        if weight.is_some() {
            return Err(table.error(table.rows[0].line, NO_CHOICE));
        }
        let columns = match &header {
            Some(header) => named(&table, header)?,
            None => unnamed(&table)?,
        };
        points(&table, first, &columns, distances)
    }
}

/// The first row where it holds no numbers, or names of a matrix, in lower case.
fn header(table: &Table<'_>) -> Option<Vec<String>> {
    let fields = &table.rows[0].fields;
    let words = fields.iter().all(|field| table.number(field).is_none());
    let header: Vec<String> = fields.iter().map(|field| field.to_lowercase()).collect();
    let alone = table.rows.len() == 1 && coordinates(&header).is_none() && ends(&header).is_none();
    (!alone && (words || table.is_headed)).then_some(header)
}

/// Whether a header, in lower case, names columns of cities or of ways between them.
pub(super) fn tells_cities(header: &[String]) -> bool {
    coordinates(header).or_else(|| coordinates_among(header)).is_some() || ends(header).is_some()
}

/// Whether a table has coordinates below its header, in lower case, and is no matrix.
pub(in crate::instance) fn has_places(table: &Table<'_>, header: &[String]) -> bool {
    coordinates(header).is_some() && !is_matrix(table, header)
}

/// Whether a table with a header, in lower case, is a matrix, also where two of its cities are called X and Y.
fn is_matrix(table: &Table<'_>, header: &[String]) -> bool {
    let tells_names = || find(header, NAME).or(find(header, NUMBER)).is_some();
    table.is_named_square() || square::is_plain(table) && !tells_names()
}

/// The columns of coordinates that a header names, and whether they are degrees.
fn coordinates(header: &[String]) -> Option<(Vec<usize>, bool)> {
    if let (Some(lon), Some(lat)) = (find(header, LON), find(header, LAT)) {
        return Some((vec![lon, lat], true));
    }
    let plane = [find(header, X)?, find(header, Y)?];
    Some((plane.into_iter().chain(find(header, Z).or_else(|| among(header, &Z[..1]))).collect(), false))
}

/// The same where such words stand among others, as in stop_lat, Lat (WGS84) or X [m].
fn coordinates_among(header: &[String]) -> Option<(Vec<usize>, bool)> {
    match (among(header, LON), among(header, LAT)) {
        (Some(lon), Some(lat)) => Some((vec![lon, lat], true)),
        _ => {
            let plane = [among(header, X)?, among(header, Y)?];
            Some((plane.into_iter().chain(among(header, &Z[..1])).collect(), false))
        }
    }
}

/// The one column of a header, in lower case, that has one of these words among others.
fn among(header: &[String], words: &[&str]) -> Option<usize> {
    let has = |field: &String| field.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part));
    let mut found = header.iter().enumerate().filter(|(_, field)| has(field)).map(|(column, _)| column);
    found.next().filter(|_| found.next().is_none())
}

fn named(table: &Table<'_>, header: &[String]) -> Result<Columns> {
    let stated = coordinates(header);
    if stated.is_none() {
        square::almost(table, 1)?;
    }
    let Some((coordinates, degrees)) = stated.or_else(|| coordinates_among(header)) else {
        let row = &table.rows[0];
        return Err(table.error(
            row.line,
            format!(
                "no column is called x and y, or lon and lat (or longitude and latitude), or from and to: rename two in {} (a matrix would have as many rows as columns, and numbers beside its diagonal; here are {} rows behind this one, of {} columns)",
                quote(&row.fields.join(" ")),
                table.rows.len() - 1,
                table.width()
            ),
        ));
    };
    for &column in &coordinates {
        if header.iter().filter(|name| **name == header[column]).count() > 1 {
            let row = &table.rows[0];
            let message = format!("two columns are called {}: rename one", quote(&row.fields[column]));
            return Err(table.error(row.line, message));
        }
    }
    let is_text = |column: &usize| table.rows[1..].iter().any(|row| table.number(&row.fields[*column]).is_none());
    let others = || (0..header.len()).filter(|column| !coordinates.contains(column));
    // What many cities share, a town or a street, calls none of them, if another column does.
    let called = || NAME.iter().filter(|word| !ID.contains(word)).filter_map(|word| find(header, &[word]));
    let texts = || others().filter(|column| is_text(column) && is_unique(table, *column));
    let alone = || called().chain(texts()).find(|column| is_unique(table, *column));
    let first = called().next().or_else(|| texts().find(|column| !ID.contains(&header[*column].as_str())));
    // A column of few words, or of flags, calls none of them either.
    let unheaded = || others().find(is_text).filter(|column| !is_shared(table, *column));
    let first = first.or_else(|| find(header, ID)).or_else(unheaded);
    let name = first.map(|column| if is_shared(table, column) { alone().unwrap_or(column) } else { column });
    let id = find(header, ID).or_else(|| find(header, NUMBER).filter(|column| is_unique(table, *column)));
    Ok(Columns { coordinates, degrees, name, id })
}

/// Whether no two rows below the header have the same in a column.
fn is_unique(table: &Table<'_>, column: usize) -> bool {
    let mut seen = HashSet::new();
    table.rows[1..].iter().all(|row| seen.insert(&row.fields[column]))
}

/// Whether half of the rows below the header, or more, share with another one what they have in a column.
fn is_shared(table: &Table<'_>, column: usize) -> bool {
    let rows = &table.rows[1..];
    let mut counts: HashMap<&String, usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry(&row.fields[column]).or_default() += 1);
    let shared: usize = counts.into_values().filter(|count| *count > 1).sum();
    rows.len() > 1 && 2 * shared >= rows.len()
}

/// The columns of a table without a header.
fn unnamed(table: &Table<'_>) -> Result<Columns> {
    square::almost(table, 0)?;
    let first = &table.rows[0];
    let (mut numbers, words): (Vec<usize>, Vec<usize>) =
        (0..table.width()).partition(|&column| table.number(&first.fields[column]).is_some());
    let is_inside = |column: &usize| (1..table.width() - 1).contains(column) && is_two(&first.fields[*column]);
    if table.has_commas() && !words.is_empty() && words.iter().all(is_inside) {
        return Err(table.error(first.line, format!("two numbers in one field{DECIMAL_COMMAS}")));
    }
    let several = "three columns of numbers or more: a header has to say which are x and y, or lon and lat (x,y,z; id,name,lon,lat); a matrix has 0 on its diagonal";
    let mut id = None;
    if numbers.len() > 2 {
        let number = |row: &Row| row.fields[numbers[0]].parse::<usize>().ok();
        let base = number(first).filter(|base| *base < 2);
        if base.is_some_and(|base| table.rows.iter().enumerate().all(|(index, row)| number(row) == Some(base + index)))
        {
            let column = numbers.remove(0);
            // Those from 1 are what cities are counted by without a column of ids.
            id = (base == Some(0)).then_some(column);
        } else {
            return Err(table.error(first.line, several));
        }
    }
    match numbers.len() {
        3.. => Err(table.error(first.line, several)),
        2 => Ok(Columns { coordinates: numbers, degrees: false, name: words.first().copied(), id }),
        1 if words.len() == 2 => {
            let message = "two words and a number: ways from one city to another need a header (from,to,minutes), cities two coordinates";
            Err(table.error(first.line, message))
        }
        found => {
            let message = format!("a city needs two coordinates, and a line has {found}");
            Err(table.error(first.line, message))
        }
    }
}

/// Whether a field between commas is the end of one number and the beginning of the next, as in '1,5 2,5'.
fn is_two(field: &str) -> bool {
    let is_whole = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let parts = field.split_once(|c: char| c.is_ascii_whitespace());
    parts.is_some_and(|(end, begin)| is_whole(end) && is_whole(begin.trim_start().trim_start_matches('-')))
}

fn points(table: &Table<'_>, first: usize, columns: &Columns, distances: Distances) -> Result<Instance> {
    let globe = distances == Distances::Globe || columns.degrees && distances == Distances::Stated;
    let rows = &table.rows[first..];
    let last =
        columns.name.zip(rows.last()).filter(|(column, row)| rows.len() > 2 && is_called_so(&row.fields[*column]));
    if let Some((column, row)) = last {
        let message = format!(
            "the last row is called {}: leave it out, or rename it if it is a city",
            quote(&row.fields[column])
        );
        return Err(table.error(row.line, message));
    }
    let what = |axis: usize| match (columns.degrees, axis) {
        (true, 0) => "the longitude",
        (true, _) => "the latitude",
        (false, axis) => ["x", "y", "z"][axis],
    };
    let coordinate = |row: &Row, axis: usize| table.finite(row, columns.coordinates[axis], what(axis));
    let failed = |error: Error| {
        let row = if let Error::City { city, .. } = error { city } else { rows.len() - 1 };
        error.in_file(table.file, rows[row].line)
    };
    let thousands = || if columns.degrees { Ok(()) } else { table.no_thousands() };
    let instance = if columns.coordinates.len() == 3 {
        if globe {
            return Err(table.error(table.rows[0].line, "three coordinates are no longitude and latitude"));
        }
        let place = |row| Ok([coordinate(row, 0)?, coordinate(row, 1)?, coordinate(row, 2)?]);
        let places = rows.iter().map(place).collect::<Result<Vec<_>>>()?;
        thousands()?;
        Instance::from_points_3d(&places)
    } else {
        let place = |row| Ok([coordinate(row, 0)?, coordinate(row, 1)?]);
        let places = rows.iter().map(place).collect::<Result<Vec<_>>>()?;
        thousands()?;
        if globe {
            if let Some((city, _)) = off_globe(&places) {
                let [lon, lat] = places[city];
                let swapped = match (off_globe(&[[lat, lon]]), columns.degrees) {
                    (Some(_), _) => "",
                    (None, true) => "; are the two columns called by each other's names?",
                    (None, false) => "; the longitude comes first where no header says otherwise",
                };
                let message = format!(
                    "longitude {lon} and latitude {lat} are off the globe: longitudes lie in -180 to 360, latitudes in -90 to 90{swapped}"
                );
                return Err(table.error(rows[city].line, message));
            }
            Instance::from_lon_lat(&places)
        } else {
            Instance::from_points(&places)
        }
    };
    let mut instance = instance.map_err(failed)?;
    if let Some(column) = columns.id {
        instance = instance.with_city_ids(wholes(rows.iter().map(|row| row.fields[column].as_str())))?;
    }
    match columns.name {
        Some(column) => instance.with_city_names(wholes(rows.iter().map(|row| row.fields[column].as_str()))),
        None => Ok(instance),
    }
}

#[cfg(test)]
mod tests;
