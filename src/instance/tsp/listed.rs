//! Tours that tables list: by the cities' places in their file, by ids or by names.

use std::collections::HashSet;

use super::cities::Called;
use super::instance::Instance;
use crate::error::{Error, Result};
use crate::instance::table::{Row, Table};
use crate::text::quote;

/// Says that a tour lacks cities, and which is the first of them, counted as the file does.
pub(super) fn too_short(found: usize, seen: &[bool], first: usize) -> String {
    let missing = seen.iter().position(|seen| !seen).unwrap_or_default() + first;
    format!("the tour ends after {found} of {} cities: city {missing} is missing", seen.len())
}

/// What tours are read from.
pub(super) const FORMS: &str = "a tour is TSPLIB's, Concorde's (the number of cities, then all from 0) or linkern's, a report, or a table with the column 'city' (numbers from 1), 'id' or 'name'";

/// Columns of tours, the first one that a table has counts. Of `city` it is the place in the file, from 1.
pub(super) const COLUMNS: [&str; 4] = ["city", "id", "node", "name"];

/// The cities that a table lists.
pub(super) fn parse_order(
    text: &str,
    file: &str,
    cities: usize,
    instance: Option<&Instance>,
) -> Result<Vec<(u32, usize)>> {
    let table = Table::new(text, file)?;
    let header = &table.rows[0];
    let rows = in_given_order(&table)?;
    let numbers = table.column(COLUMNS[0]);
    let called = COLUMNS[1..].iter().find_map(|name| table.column(name));
    let Some(column) = numbers.or(called.filter(|_| instance.is_some())) else {
        return Err(table.error(header.line, format!("there is no TOUR_SECTION and no column 'city'; {FORMS}")));
    };
    let number = |field: &str| field.parse::<usize>().ok().filter(|city| (1..=cities).contains(city));
    // What a table that counts cities calls them is to be what the instance does.
    let beside = numbers.and_then(|_| table.column("name")).zip(instance.and_then(Instance::city_names));
    let in_file = match numbers {
        Some(_) if called.is_none() => !is_of_names(&table, &rows, column, instance)?,
        numbers => numbers.is_some(),
    };
    let in_file = in_file && rows.iter().any(|row| number(&row.fields[column]).is_some());
    let known = instance.filter(|_| !in_file).map(Called::of);
    let mut seen = vec![false; cities];
    let mut city = |row: &Row| {
        let field = &row.fields[column];
        let city = match &known {
            Some(known) => known.city(field).map_err(|error| match error {
                Error::Config(message) => table.error(row.line, message),
                other => other,
            })?,
            None => match number(field) {
                Some(city) => city as u32 - 1,
                None => {
                    let message = format!("expected a city from 1 to {cities}, not {}", quote(field));
                    return Err(table.error(row.line, message));
                }
            },
        };
        if let Some((column, names)) = &beside
            && row.fields[*column] != names[city as usize]
        {
            let [here, there] = [&row.fields[*column], &names[city as usize]].map(|name| quote(name));
            let message = format!("city {field} is called {here} here and {there} in the instance");
            return Err(table.error(row.line, message));
        }
        match std::mem::replace(&mut seen[city as usize], true) {
            true => Err(table.error(row.line, format!("city {field} is visited twice"))),
            false => Ok((city, row.line)),
        }
    };
    let tour = rows.iter().map(|row| city(row)).collect::<Result<Vec<_>>>()?;
    match tour.len() {
        found if found == cities => Ok(tour),
        found => {
            let line = table.rows[table.rows.len() - 1].line;
            Err(table.error(line, too_short(found, &seen, 1)))
        }
    }
}

/// Whether a column `city` without one of ids or names beside it has the numbers that the instance calls its cities by, and not their places in the file.
fn is_of_names(table: &Table<'_>, rows: &[&Row], column: usize, instance: Option<&Instance>) -> Result<bool> {
    let Some(names) = instance.and_then(Instance::city_names) else { return Ok(false) };
    let number = |text: &String| text.parse::<usize>().ok();
    let counts = names.iter().zip(1..).all(|(name, place)| number(name) == Some(place));
    let known: HashSet<&String> = names.iter().collect();
    let mut fields = rows.iter().map(|row| &row.fields[column]);
    if counts || !fields.clone().all(|field| number(field).is_some() && known.contains(field)) {
        return Ok(false);
    }
    match fields.all(|field| number(field).is_some_and(|place| (1..=names.len()).contains(&place))) {
        true => Err(table.error(
            table.rows[0].line,
            "the numbers in column 'city' may be the cities' names or their places in the file: call the column 'name', or give names beside it",
        )),
        false => Ok(true),
    }
}

/// The rows below the header, in the order that a column of that name tells, where there is one: a spreadsheet may have sorted them otherwise.
fn in_given_order<'a>(table: &'a Table<'_>) -> Result<Vec<&'a Row>> {
    let rows = &table.rows[1..];
    let Some(column) = table.column("order") else { return Ok(rows.iter().collect()) };
    let number = |row: &Row| {
        let field = &row.fields[column];
        let expected = || table.error(row.line, format!("expected a whole number for the order, not {}", quote(field)));
        field.parse::<u64>().map_err(|_| expected())
    };
    let numbers = rows.iter().map(number).collect::<Result<Vec<_>>>()?;
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by_key(|&place| numbers[place]);
    if let Some(pair) = places.windows(2).find(|pair| numbers[pair[0]] == numbers[pair[1]]) {
        let (row, number) = (&rows[pair[1]], numbers[pair[1]]);
        return Err(table.error(row.line, format!("two cities have the place {number} in the order")));
    }
    Ok(places.into_iter().map(|place| &rows[place]).collect())
}
