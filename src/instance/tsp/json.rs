//! JSON in: GeoJSON, the matrices that routing services answer with (OSRM, openrouteservice), and matrices, points and records that programs write.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::geojson::line_of;
use super::instance::Instance;
use super::metric::{Distances, NO_CHOICE, NOTHING_TO_MEASURE, Reading};
use super::records::Records;
use super::square::{odd, of_weights, says_nothing};
use crate::error::{Error, Result};
use crate::text::{quote, without_mark};

/// The rows of a matrix, or of points; null where there is no way.
type Rows = Vec<Vec<Option<f64>>>;

/// What no form is found in.
const NO_FORM: &str = "JSON, but neither GeoJSON, which has a \"type\" such as FeatureCollection, nor a matrix, an array with a row of numbers for each city, nor points, an array of \
                       pairs or of objects with x and y, or lon and lat; each alone or as a member of an object";

/// The types of GeoJSON.
const GEOJSON: [&str; 9] = [
    "FeatureCollection",
    "Feature",
    "Point",
    "MultiPoint",
    "LineString",
    "MultiLineString",
    "Polygon",
    "MultiPolygon",
    "GeometryCollection",
];

/// What rows with numbers on the diagonal are.
const DIAGONAL: &str = "as many rows as columns may be a matrix or records of cities: write 0 on the diagonal of a matrix, and records as objects with x and y";
/// What nine numbers may be.
const SPACE: &str =
    "three rows of three numbers may be places in space or a matrix: write 0 on the diagonal of a matrix";

/// The members of an object, in their order; one name may stand more than once.
#[derive(Default)]
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(text: D) -> std::result::Result<Self, D::Error> {
        struct Reader;
        impl<'a> Visitor<'a> for Reader {
            type Value = Members<'a>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> std::result::Result<Members<'a>, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        text.deserialize_map(Reader)
    }
}

impl<'a> Members<'a> {
    /// By their names, of which none may stand twice.
    fn by_name(self, text: &str, file: &str) -> Result<BTreeMap<String, &'a RawValue>> {
        let mut members = BTreeMap::new();
        for (name, value) in self.0 {
            match members.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert(value)),
                Entry::Occupied(entry) => {
                    let message = format!("{} stands twice in one object: leave one in", quote(entry.key()));
                    return Err(Error::parse(file, line_of(text, value), message));
                }
            }
        }
        Ok(members)
    }
}

impl Instance {
    /// Reads GeoJSON; or a matrix as an array of rows, points as an array of pairs, or records as an array of objects, each alone or as a member of an
    /// object.
    pub(super) fn parse_json<'a>(text: &str, file: &str, reading: impl Into<Reading<'a>>) -> Result<Self> {
        let reading = reading.into();
        let text = without_mark(text);
        let line = |part: &RawValue| line_of(text, part);
        let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>().collect::<Result<Vec<_>, _>>();
        let values = values.map_err(|error| broken(text, file, &error))?;
        let [whole] = values[..] else {
            // Programs write records one behind the other, too, each in a line.
            let records = Records::of_objects(values).ok_or_else(|| Error::parse(file, 1, NO_FORM))?;
            return records.read(file, reading, line);
        };
        if let Ok(rows) = serde_json::from_str::<Rows>(whole.get()) {
            // Two of a city are a place.
            let instance = match rows.iter().all(|row| row.len() == 2) {
                _ if reading.weight.is_some() => Err(Error::Instance(NO_CHOICE.into())),
                true => of_places(&rows, reading.distances),
                false => of_matrix(rows, reading.distances),
            };
            return instance.map_err(|error| error.in_file(file, line(whole)));
        }
        if let Some(records) = Records::of_array(whole) {
            return records.read(file, reading, line);
        }
        // What is no object has no members.
        let members = serde_json::from_str::<Members<'_>>(whole.get()).unwrap_or_default().by_name(text, file)?;
        let of_type = members.get("type").and_then(|value| serde_json::from_str::<String>(value.get()).ok());
        if of_type.is_some_and(|word| GEOJSON.contains(&word.as_str())) {
            if reading.weight.is_some() {
                return Err(Error::parse(file, 1, NO_CHOICE));
            }
            return Self::parse_geojson(text, file, reading.distances);
        }
        of_members(&members, file, reading, line)
    }
}

/// What to say of a text that begins as JSON does.
fn broken(text: &str, file: &str, error: &serde_json::Error) -> Error {
    let row = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let rest = row.get(error.column().saturating_sub(1)..).unwrap_or_default();
    // Python's writer has words for numbers that JSON has not.
    let words = ["NaN", "Infinity"];
    let remedy = match words.iter().any(|word| rest.starts_with(word)) {
        true => "; JSON has no NaN or Infinity: write null for a way that is not there",
        false => "",
    };
    Error::parse(file, error.line().max(1), format!("it begins as JSON does, but is no valid JSON: {error}{remedy}"))
}

/// What a member of an object may be.
type Found<'a, T> = Vec<(&'a String, &'a RawValue, T)>;

/// The instance of the one member of an object that has cities or ways as records; where none has, of the one that is a matrix, or has points.
fn of_members<'a>(
    members: &'a BTreeMap<String, &'a RawValue>,
    file: &str,
    reading: Reading<'_>,
    line: impl Fn(&RawValue) -> usize,
) -> Result<Instance> {
    let wrong = |message: String, value: &RawValue| Error::parse(file, line(value), message);
    let mut tables: Found<'_, Records<'_>> =
        members.iter().filter_map(|(name, value)| Some((name, *value, Records::of_array(value)?))).collect();
    // As pandas splits a table: below names of columns rows are no points, and where these tell cities no weights either.
    let columns = members.get("columns").filter(|names| serde_json::from_str::<Vec<String>>(names.get()).is_ok());
    let split = columns.and_then(|columns| {
        let (name, data) = members.get_key_value("data")?;
        Some((name, *data, Records::of_split(columns, members.get("index").copied(), data)?))
    });
    let is_told = split.is_some();
    tables.extend(split);
    let others = members.iter().filter(|(name, _)| !(is_told && *name == "data"));
    let arrays = others.filter_map(|(name, value)| {
        let rows: Rows = serde_json::from_str(value.get()).ok().filter(|rows: &Rows| rows.len() > 1)?;
        Some((name, *value, rows))
    });
    let (mut points, mut matrices): (Found<'_, Rows>, Found<'_, Rows>) =
        arrays.partition(|(name, _, rows)| may_be_points(name, rows));
    points.retain(|(name, ..)| !(columns.is_some() && *name == "data"));
    match (reading.weight, tables.first()) {
        (Some(weight), first) => called(weight, &mut matrices, first.is_none(), file)?,
        (None, Some((cities, value, _))) => {
            // Other arrays say something else of the cities.
            matrices.retain(|(.., rows)| is_matrix(rows));
            if let Some((weights, ..)) = matrices.first() {
                let [cities, weights] = [cities, weights].map(|name| quote(name));
                let message = format!(
                    "the cities may stand in {cities}, and weights in {weights}: leave one of these members in, or choose the weights (--weight NAME)"
                );
                return Err(wrong(message, value));
            }
        }
        (None, None) => {}
    }
    if let Some((value, rows)) = only(matrices, ("weights", ", or choose it (--weight NAME)"), wrong)? {
        return of_matrix(rows, reading.distances).map_err(|error| error.in_file(file, line(value)));
    }
    if let Some((_, records)) = only(tables, ("cities", ""), wrong)? {
        return records.read(file, reading, line);
    }
    if reading.weight.is_some() {
        return Err(Error::parse(file, 1, NO_CHOICE));
    }
    match only(points, ("points", ""), wrong)? {
        Some((value, rows)) => of_places(&rows, reading.distances).map_err(|error| error.in_file(file, line(value))),
        None => Err(Error::parse(file, 1, NO_FORM)),
    }
}

/// Leaves the matrices of this name in; there has to be one where nothing else has weights.
fn called(weight: &str, matrices: &mut Found<'_, Rows>, is_needed: bool, file: &str) -> Result<()> {
    let names = matrices.iter().map(|(name, ..)| quote(name)).collect::<Vec<_>>().join(" or ");
    matrices.retain(|(name, ..)| name.eq_ignore_ascii_case(weight));
    if is_needed && matrices.is_empty() && !names.is_empty() {
        let message = format!("no matrix is called {}: weights may stand in {names}", quote(weight));
        return Err(Error::parse(file, 1, message));
    }
    Ok(())
}

/// Whether rows are a square with nothing to say on its diagonal, of three cities or more.
fn is_matrix(rows: &Rows) -> bool {
    let n = rows.len();
    n > 2 && rows.iter().all(|row| row.len() == n) && says_nothing(n, |i, j| rows[i][j])
}

/// Whether rows of two numbers are points, and not weights: as the member is called, else unless they are two with nothing on the diagonal.
fn may_be_points(name: &str, rows: &Rows) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| name.eq_ignore_ascii_case(word));
    let is_named = is(&["points", "coordinates", "locations"]);
    let are_weights = is(&["durations", "distances", "weights", "matrix"]);
    let are_pairs = rows.iter().all(|row| row.len() == 2);
    are_pairs && !are_weights && (is_named || rows.len() > 2 || !is_blank(rows))
}

/// The one of some members, with its value, `None` where there is none; of several `wrong` makes an error.
fn only<'a, T>(
    found: Found<'a, T>,
    (what, remedy): (&str, &str),
    wrong: impl Fn(String, &RawValue) -> Error,
) -> Result<Option<(&'a RawValue, T)>> {
    let mut found = found.into_iter();
    let Some((name, value, one)) = found.next() else { return Ok(None) };
    let others: Vec<String> = found.map(|(name, ..)| quote(name)).collect();
    if others.is_empty() {
        return Ok(Some((value, one)));
    }
    let (name, others) = (quote(name), others.join(" or "));
    Err(wrong(format!("the {what} may stand in {name} or {others}: leave one of these members in{remedy}"), value))
}

/// The places of an array of pairs: of the globe the longitude comes first, as in GeoJSON.
fn of_places(rows: &Rows, distances: Distances) -> Result<Instance> {
    let number = |city: usize, number: Option<f64>| {
        number.ok_or_else(|| Error::Instance(format!("a coordinate of place {} is null", city + 1)))
    };
    let place = |(city, row): (usize, &Vec<Option<f64>>)| Ok([number(city, row[0])?, number(city, row[1])?]);
    let places: Vec<[f64; 2]> = rows.iter().enumerate().map(place).collect::<Result<_>>()?;
    match distances {
        Distances::Globe => Instance::from_lon_lat(&places),
        _ => Instance::from_points(&places),
    }
}

/// Whether there is nothing on the diagonal of as many rows as columns: no number, or 0.
fn is_blank(rows: &Rows) -> bool {
    rows.iter().enumerate().all(|(at, row)| row[at].is_none_or(|number| number == 0.0))
}

/// The instance of a matrix, whose diagonal does not count.
fn of_matrix(rows: Rows, distances: Distances) -> Result<Instance> {
    let n = rows.len();
    if let Some((row, odd)) = rows.iter().enumerate().find(|(_, row)| row.len() != n) {
        let message =
            format!("expected {n} numbers in row {} of the matrix, one for each row, not {}", row + 1, odd.len());
        return Err(Error::Instance(message));
    }
    if distances != Distances::Stated {
        return Err(Error::Instance(NOTHING_TO_MEASURE.into()));
    }
    if n > 2 && !says_nothing(n, |i, j| rows[i][j]) {
        return Err(Error::Instance(if n == 3 { SPACE } else { DIAGONAL }.into()));
    }
    let corner = rows.last().and_then(|row| row[n - 1]);
    let mut weights = Vec::with_capacity(n * n);
    for (from, row) in rows.into_iter().enumerate() {
        let weights_of = row.into_iter().enumerate();
        weights.extend(weights_of.map(|(to, weight)| if from == to { 0.0 } else { weight.unwrap_or(f64::INFINITY) }));
    }
    match odd(n, &weights, corner, None) {
        Some(message) => Err(Error::Instance(message)),
        None => of_weights(n, weights),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metric;
    use super::*;

    fn parse(text: &str) -> Result<Instance> {
        Instance::parse_json(text, "j", Distances::Stated)
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn matrices_are_read_from_arrays_and_from_answers_of_routing_services() {
        for text in [
            "[[0,1,2.5],[4,0,3],[5,6,0]]",
            "\u{feff} [ [null, 1, 25e-1], [4, null, 3], [5, 6, 0] ]\n",
            r#"{"matrix": [[0,1,2.5],[4,0,3],[5,6,0]]}"#,
            r#"{"code":"Ok","sources":[{"name":"a","location":[1,2]}],"durations":[[0,1,2.5],[4,0,3],[5,6,0]],"fallback":[]}"#,
        ] {
            let instance = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(
                (instance.len(), instance.metric(), instance.is_symmetric()),
                (3, Metric::Explicit, false),
                "{text}"
            );
            assert_eq!(instance.length(&[0, 1, 2]).unwrap(), 1.0 + 3.0 + 5.0, "{text}");
        }
        // Through the reader of all files, which names it.
        assert_eq!(Instance::parse("[[0,1,2],[1,0,3],[2,3,0]]", "ways.json").unwrap().name(), "ways");
    }

    #[test]
    fn of_several_matrices_one_is_chosen() {
        let text = r#"{"durations": [[0,1,null],[1,0,3],[2,3,0]], "distances": [[0,10,20],[10,0,30],[20,30,0]], "code": "Ok"}"#;
        let by = |name| Instance::parse_json(text, "j", Reading::default().weighed_by(name));
        assert_eq!(by("distances").unwrap().length(&[0, 1, 2]).unwrap(), 60.0);
        assert_eq!(by("durations").unwrap().length(&[0, 2, 1]).unwrap(), f64::INFINITY);
        let told = [parse(text), by("code")].map(|wrong| wrong.unwrap_err().to_string());
        assert!(
            told[0]
                .ends_with("'distances' or 'durations': leave one of these members in, or choose it (--weight NAME)"),
            "{told:?}"
        );
        assert!(
            told[1].ends_with("no matrix is called 'code': weights may stand in 'distances' or 'durations'"),
            "{told:?}"
        );
        for text in ["[[0,1,2],[1,0,3],[2,3,0]]", r#"{"type": "FeatureCollection", "features": []}"#, "{}"] {
            let none = Instance::parse_json(text, "j", Reading::default().weighed_by("km")).unwrap_err().to_string();
            assert!(none.contains("there are no such here"), "{none}");
        }
    }

    #[test]
    fn pairs_are_places() {
        let inside = r#"{"unit": "km", "points": [[0, 0], [3, 0], [3, 4]]}"#;
        assert_eq!(parse(inside).unwrap().length(&[0, 1, 2]).unwrap(), 12.0);
        for points in
            [r#"{"points": [[0, 1], [3, 5]]}"#, r#"{"Points": [[0, 4], [3, 0]]}"#, r#"{"depot": [[3, 0], [0, 4]]}"#]
        {
            assert_eq!(parse(points).unwrap().length(&[0, 1]).unwrap(), 10.0, "{points}");
        }
        assert!(parse(r#"{"a": [[0], [0]], "b": [[], []]}"#).is_err());
        let frame = r#"{"columns": ["A", "B", "C"], "index": [0, 1, 2], "data": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}"#;
        assert_eq!(parse(frame).unwrap().length(&[0, 1, 2]).unwrap(), 6.0);
        assert_eq!(parse(r#"{"code": "Ok", "durations": [[0, 1], [3, 0]]}"#).unwrap().length(&[0, 1]).unwrap(), 4.0);
        // Beside a matrix they say nothing.
        let beside = r#"{"locations": [[0, 0], [3, 0], [3, 4]], "durations": [[0,1,2],[1,0,3],[2,3,0]]}"#;
        assert_eq!(parse(beside).unwrap().length(&[0, 1, 2]).unwrap(), 6.0);
        let two = message(r#"{"a": [[0, 0], [3, 0], [3, 4]], "b": [[0, 0], [3, 0], [3, 4]]}"#);
        assert!(two.ends_with("the points may stand in 'a' or 'b': leave one of these members in"), "{two}");
        let text = "[[0, 0], [3, 0], [3, 4]]";
        assert_eq!(parse(text).unwrap().length(&[0, 1, 2]).unwrap(), 12.0);
        assert_eq!(parse("[[0, 0], [3, 4]]").unwrap().length(&[0, 1]).unwrap(), 10.0);
        let globe = Instance::parse_json("[[13.405, 52.52], [2.3522, 48.8566]]", "j", Distances::Globe).unwrap();
        assert_eq!(globe.distance(0, 1), 877_465);
        assert_eq!(message("[[0, 0],\n [null, 4]]"), "j:1: a coordinate of place 2 is null");
    }

    #[test]
    fn what_makes_no_matrix_is_refused_with_its_place() {
        assert!(message("[[0,1],[1,").starts_with("j:1: it begins as JSON does, but is no valid JSON"));
        for number in ["NaN", "Infinity", "-Infinity"] {
            let told = message(&format!("[[0, 1],\n [{number}, 0]]"));
            assert!(told.starts_with("j:2: ") && told.ends_with("write null for a way that is not there"), "{told}");
        }
        assert!(!message("[[0, 1], [x, 0]]").contains("NaN"));
        for text in [
            "{}",
            "[]x",
            "[1, 2]",
            "[[\"a\"]]",
            r#"{"rows": []}"#,
            r#"{"cost": 7, "solution": [1, 2]}"#,
            "{\"a\": [[1, 2], [\"x\", 3]]}",
        ] {
            let told = message(text);
            assert!(
                ["j:1: JSON, but neither", "j:1: it begins"].iter().any(|words| told.starts_with(words)),
                "{text}: {told}"
            );
        }
        assert_eq!(message("[]"), "j:1: it has no city");
        assert_eq!(
            message("{\n\"durations\": [[0,1,2],\n[1,0],[2,3,0]]}"),
            "j:2: expected 3 numbers in row 2 of the matrix, one for each row, not 2"
        );
        assert_eq!(
            message("{\"durations\": [[0,1],[1,0]],\n\"durations\": [[0,2],[2,0]]}"),
            "j:2: 'durations' stands twice in one object: leave one in"
        );
        assert!(message("[[1,2,3],[4,5,6],[7,8,9]]").starts_with("j:1: three rows of three numbers may be"));
        let records = message("[[1,0,0,7],[2,10,0,9],[3,10,10,4],[4,0,10,5]]");
        assert!(records.starts_with("j:1: as many rows as columns may be a matrix or records of cities"), "{records}");
        let two = message(r#"{"durations": [[0, 312.4], [298.7, 0], [851.3, 633.8]]}"#);
        assert!(two.starts_with("j:1: expected 3 numbers in row 1 of the matrix"), "{two}");
        assert!(message("[[0,1,2],[0,0,3],[0,0,0]]").starts_with("j:1: all weights on one side of the diagonal"));
        let none = message("{\"durations\":\n [[0,null,null],[null,0,null],[null,null,0]]}");
        assert!(none.starts_with("j:2: there is no way at all"), "{none}");
        let metric = Instance::parse_json("[[0,1,2],[1,0,3],[2,3,0]]", "j", Distances::Globe).unwrap_err();
        assert!(metric.to_string().contains("leave the metric out"), "{metric}");
    }
}
