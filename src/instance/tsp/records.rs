//! Records in JSON, as programs write tables: objects with a row's fields by the names of their columns, or the names once and rows below them.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use super::instance::Instance;
use super::json::Members;
use super::metric::Reading;
use super::places::tells_cities;
use crate::error::{Error, Result};
use crate::text::quote;

/// What the column of names is called that a split table has beside its columns.
const INDEX: &str = "name";

/// Rows of values, of which columns tell cities or ways.
pub(super) struct Records<'a> {
    columns: Vec<String>,
    /// Where each is written, and its values with their columns.
    rows: Vec<(&'a RawValue, Vec<(usize, &'a RawValue)>)>,
}

impl<'a> Records<'a> {
    /// Those of an array of objects; `None` where it is something else, or tells no cities.
    pub fn of_array(array: &'a RawValue) -> Option<Self> {
        Self::of_objects(serde_json::from_str(array.get()).ok()?)
    }

    /// The same of objects.
    pub fn of_objects(objects: Vec<&'a RawValue>) -> Option<Self> {
        let mut columns: Vec<String> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut column = |name: String| {
            *places.entry(name).or_insert_with_key(|name| {
                columns.push(name.clone());
                columns.len() - 1
            })
        };
        let mut rows = Vec::with_capacity(objects.len());
        for object in objects {
            let Members(members) = serde_json::from_str(object.get()).ok()?;
            rows.push((object, members.into_iter().map(|(name, value)| (column(name), value)).collect()));
        }
        Some(Self { columns, rows }).filter(Self::tells_cities)
    }

    /// Those of an object with names in `columns` and rows in `data`, as pandas splits a table. Words in `index` are names of the rows: of cities, or of
    /// those of a matrix, whose columns have the same.
    pub fn of_split(columns: &RawValue, index: Option<&'a RawValue>, data: &'a RawValue) -> Option<Self> {
        let mut columns: Vec<String> = serde_json::from_str(columns.get()).ok()?;
        let data: Vec<&RawValue> = serde_json::from_str(data.get()).ok()?;
        let row = |row: &'a RawValue| {
            let values: Vec<&RawValue> = serde_json::from_str(row.get()).ok()?;
            (values.len() == columns.len()).then(|| (row, values.into_iter().enumerate().collect()))
        };
        let mut rows: Vec<(&RawValue, Vec<(usize, &RawValue)>)> = data.into_iter().map(row).collect::<Option<_>>()?;
        let is_word = |value: &&RawValue| value.get().starts_with('"');
        let names = index.and_then(|index| serde_json::from_str::<Vec<&RawValue>>(index.get()).ok());
        let names = names.filter(|names| names.len() == rows.len() && names.iter().all(is_word));
        let names = names.filter(|_| !columns.iter().any(|column| column.eq_ignore_ascii_case(INDEX)));
        let mut is_matrix = false;
        if let Some(names) = names {
            let of_rows: HashSet<String> =
                names.iter().filter_map(|name| serde_json::from_str(name.get()).ok()).collect();
            is_matrix = columns.len() == rows.len() && columns.iter().all(|column| of_rows.contains(column));
            columns.insert(0, INDEX.into());
            for ((_, values), name) in rows.iter_mut().zip(names) {
                values.iter_mut().for_each(|(column, _)| *column += 1);
                values.push((0, name));
            }
        }
        Some(Self { columns, rows }).filter(|records| is_matrix || records.tells_cities())
    }

    fn tells_cities(&self) -> bool {
        let names: Vec<String> = self.columns.iter().map(|name| name.to_lowercase()).collect();
        !self.rows.is_empty() && tells_cities(&names)
    }

    /// The instance that they tell, as a table with these columns does; `line` is where a part of the text begins.
    ///
    /// # Errors
    /// [`Error::Parse`] with line and number of the record.
    pub fn read(self, file: &str, reading: Reading<'_>, line: impl Fn(&RawValue) -> usize) -> Result<Instance> {
        let at = |number: usize, message: String| {
            let line = self.rows.get(number).or(self.rows.first()).map_or(1, |(row, _)| line(row));
            Error::parse(file, line, message)
        };
        let wrong = |number: usize, message: &str| at(number, format!("record {}: {message}", number + 1));
        let mut text = row(self.columns.iter().map(|name| quoted(&called(name))));
        for (number, (_, values)) in self.rows.iter().enumerate() {
            let mut fields = vec![None; self.columns.len()];
            for (column, value) in values {
                if fields[*column].replace(field(value)).is_some() {
                    return Err(wrong(
                        number,
                        &format!("it has {} twice: leave one in", quote(&self.columns[*column])),
                    ));
                }
            }
            // A table leaves out rows of nothing; here others would take their numbers.
            if fields.iter().flatten().all(String::is_empty) {
                return Err(wrong(number, "it has no values: leave it out, or give it what the others have"));
            }
            text += &row(fields.into_iter().map(Option::unwrap_or_default));
        }
        Instance::parse_table(&text, file, reading).map_err(|error| match error {
            // The names of columns are the first line.
            Error::Parse { line, message, .. } => match line.checked_sub(2) {
                Some(number) => wrong(number, &message),
                None => at(0, message),
            },
            other => other,
        })
    }
}

fn row(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\n"
}

/// The name of a column, which is none of the numbers below it.
fn called(name: &str) -> String {
    let is_word = !name.trim().is_empty() && name.trim().parse::<f64>().is_err();
    if is_word { name.to_owned() } else { format!("column {name}") }
}

/// A value as a field: nothing for null, and for what has parts of its own.
fn field(value: &RawValue) -> String {
    let text = value.get();
    match text.as_bytes()[0] {
        b'"' => match serde_json::from_str::<String>(text).unwrap_or_default() {
            blank if blank.trim().is_empty() => String::new(),
            word => quoted(&word),
        },
        b'n' | b'[' | b'{' => String::new(),
        _ => match text.split_once('.') {
            // Whole numbers, as programs write them that have decimals in other places.
            Some((whole, decimals)) if decimals.bytes().all(|digit| digit == b'0') => whole.to_owned(),
            // In a table three digits behind a point may be thousands.
            Some((_, decimals)) if decimals.len() == 3 && decimals.bytes().all(|digit| digit.is_ascii_digit()) => {
                format!("{text}0")
            }
            _ => text.to_owned(),
        },
    }
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\"").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Distances, Metric};

    fn parse(text: &str) -> Result<Instance> {
        Instance::parse_json(text, "j", Distances::Stated)
    }

    #[test]
    fn records_are_read_as_the_rows_of_a_table() {
        let plane =
            parse(r#"[{"name": "p, \"0\"", "x": 0.125, "y": 0}, {"y": 4, "x": 3.125, "name": "p1", "tags": ["a"]}]"#)
                .unwrap();
        assert_eq!((plane.len(), plane.length(&[0, 1]).unwrap()), (2, 10.0));
        assert_eq!(plane.city_names().unwrap()[0], "p, \"0\"");
        let stops = r#"{"stops": [{"lat": 52.52, "lng": 13.405}, {"lat": 48.8566, "lng": 2.3522}], "bbox": [[2, 48], [14, 53]]}"#;
        assert_eq!(parse(stops).unwrap().distance(0, 1), 877_465);
        let split = r#"{"columns": ["lat", "lon"], "index": [0, 1], "data": [[52.52, 13.405], [48.8566, 2.3522]]}"#;
        assert_eq!(parse(split).unwrap().distance(0, 1), 877_465);
        // Its index has the names of cities, and those of a matrix, which its columns have in the same order.
        let named = parse(r#"{"columns": ["x", "y"], "index": ["dep", "b"], "data": [[0, 0], [3, 4]]}"#).unwrap();
        assert_eq!((named.city_called("dep").unwrap(), named.distance(0, 1) > 0), (0, true));
        let matrix = |columns: &str| {
            let data = "[[0, 1, 2], [1, 0, 4], [2, 4, null]]";
            parse(&format!(r#"{{"columns": {columns}, "index": ["A", "B", "C"], "data": {data}}}"#))
        };
        let square = matrix(r#"["A", "B", "C"]"#).unwrap();
        assert_eq!((square.city_names().unwrap()[1].as_str(), square.distance_matrix()[5]), ("B", 4));
        let told = matrix(r#"["B", "A", "C"]"#).unwrap_err().to_string();
        assert!(told.contains("the row is called 'A' and its column 'B'"), "{told}");
        let ways = r#"[{"from":"A","to":"B","km":1},{"from":"B","to":"C","km":2},{"from":"C","to":"A","km":4}]"#;
        let lines = ways[1..ways.len() - 1].replace("},", "}\n");
        for text in [ways, &lines] {
            let ways = parse(text).unwrap();
            assert_eq!((ways.metric(), ways.length(&[0, 1, 2]).unwrap()), (Metric::Explicit, 7.0));
        }
    }

    #[test]
    fn numbers_are_those_of_the_array() {
        let ids =
            parse(r#"[{"id": 7.0, "x": 1.5, "y": 0, "2024": 1}, {"id": 9.0, "x": 4.5, "y": 4, "2024": 2}]"#).unwrap();
        assert_eq!((ids.city_called("9").unwrap(), ids.length(&[0, 1]).unwrap()), (1, 10.0));
        let told = |text: &str| parse(text).unwrap_err().to_string();
        let empty = "j:1: record 2: it has no values: leave it out, or give it what the others have";
        assert_eq!(told(r#"[{"x": 0, "y": 0}, {"x": null, "y": null}, {"x": 3, "y": 4}]"#), empty);
        assert_eq!(told(r#"[{"x": 0, "y": 0}, {}, {"x": 3, "y": 4}]"#), empty);
        assert_eq!(told(r#"[{"x": 0, "y": 0}, {"name": " ", "x": null}, {"x": 3, "y": 4}]"#), empty);
        // With an exponent, as some programs write ten thousand.
        let great = parse(r#"[{"x": 1.0E4, "y": 1.5e4}, {"x": 4e4, "y": 55000}]"#).unwrap();
        assert_eq!(great.length(&[0, 1]).unwrap(), 1e5);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let told = |text: &str| parse(text).unwrap_err().to_string();
        let null = told("[\n{\"x\": 1, \"y\": 2},\n\n{\"x\": 3, \"y\": null}]");
        assert!(null.starts_with("j:4: record 2: "), "{null}");
        assert_eq!(told("[\n\n{\"x\": 1, \"y\": 2, \"x\": 2}]"), "j:3: record 1: it has 'x' twice: leave one in");
        // Names that are numbers tell nothing, nor do those of other things.
        for text in [r#"[{"0": 0.5, "1": 5}, {"0": 3, "1": 9}]"#, "[\n{\"a\": 1, \"b\": 2},\n{\"a\": 3, \"b\": 4}]"] {
            assert!(told(text).starts_with("j:1: JSON, but neither GeoJSON"), "{}", told(text));
        }
    }

    #[test]
    fn rows_below_names_are_records() {
        for (columns, data, length) in [
            (r#"["id", "x", "y"]"#, "[[1, 0, 0], [2, 3, 0], [3, 3, 4]]", 12.0),
            (r#"["from", "to", "km"]"#, "[[1, 2, 5], [2, 3, 6], [1, 3, 7]]", 18.0),
        ] {
            let split = parse(&format!(r#"{{"columns": {columns}, "index": [0, 1, 2], "data": {data}}}"#)).unwrap();
            assert_eq!(split.length(&[0, 1, 2]).unwrap(), length, "{columns}");
        }
        let ways = r#"{"columns": ["from", "to", "km", "min"], "data": [[1, 2, 5, 1], [2, 3, 6, 2], [1, 3, 7, 4]], "grid": [[1, 2, 3], [4, 5, 6]]}"#;
        let by = Instance::parse_json(ways, "j", Reading::default().weighed_by("min")).unwrap();
        assert_eq!(by.length(&[0, 1, 2]).unwrap(), 7.0);
        let others = parse(r#"{"columns": ["demand", "ready"], "data": [[1, 2], [3, 4], [9, 9]]}"#).unwrap_err();
        assert!(others.to_string().starts_with("j:1: JSON, but neither"), "{others}");
    }

    #[test]
    fn of_members_those_with_cities_count() {
        let cities = r#""customers": [{"x": 0, "y": 0}, {"x": 3, "y": 0}, {"x": 3, "y": 4}]"#;
        let pairs = r#""time_windows": [[0, 100], [10, 20], [5, 30]]"#;
        for others in [pairs, r#""vehicles": [{"capacity": 10}]"#, r#""matrix": [[0, 1], [1, 0]]"#, r#""type": "TSP""#]
        {
            let instance = parse(&format!("{{{others}, {cities}}}")).unwrap();
            assert_eq!(instance.length(&[0, 1, 2]).unwrap(), 12.0, "{others}");
        }
        let told = |text: String| parse(&text).unwrap_err().to_string();
        // With a depot of its own there is one row more.
        for ways in ["[[0, 1, 2], [1, 0, 3], [2, 3, 0]]", "[[0, 1, 2, 3], [1, 0, 3, 4], [2, 3, 0, 5], [3, 4, 5, 0]]"] {
            let both = told(format!(r#"{{"times": {ways}, {cities}}}"#));
            assert!(both.contains("the cities may stand in 'customers', and weights in 'times'"), "{both}");
        }
        let twice = told(format!("{{{cities}, {}}}", cities.replace("customers", "depots")));
        assert!(
            twice.ends_with("the cities may stand in 'customers' or 'depots': leave one of these members in"),
            "{twice}"
        );
    }
}
