//! JSON in: GeoJSON, and the matrices that routing services answer with (OSRM, openrouteservice) or programs write.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::geojson::line_of;
use super::instance::Instance;
use super::metric::{Distances, NO_CHOICE, NOTHING_TO_MEASURE, Reading};
use super::square::{odd, of_weights};
use crate::error::{Error, Result};
use crate::text::quote;

/// The rows of a matrix, or of points; null where there is no way.
type Rows = Vec<Vec<Option<f64>>>;

/// The members of an object, in their order; one name may stand more than once.
#[derive(Default)]
struct Members<'a>(Vec<(String, &'a RawValue)>);

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
    /// Reads GeoJSON, a matrix as an array of rows, alone or as the one such member of an object, or points as an array of pairs.
    pub(super) fn parse_json<'a>(text: &str, file: &str, reading: impl Into<Reading<'a>>) -> Result<Self> {
        let Reading { distances, weight } = reading.into();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let broken = |error: serde_json::Error| {
            Error::parse(file, error.line().max(1), format!("it begins as JSON does, but is no valid JSON: {error}"))
        };
        let whole: &RawValue = serde_json::from_str(text).map_err(broken)?;
        if let Ok(rows) = serde_json::from_str::<Rows>(whole.get()) {
            if weight.is_some() {
                return Err(Error::parse(file, 1, NO_CHOICE));
            }
            // Two of a city are a place.
            let instance = if rows.iter().all(|row| row.len() == 2) {
                of_places(&rows, distances)
            } else if may_be_space(&rows) {
                let message = "three rows of three numbers may be places in space or a matrix: write 0 on the diagonal of a matrix";
                Err(Error::Instance(message.into()))
            } else {
                of_matrix(rows, distances)
            };
            return instance.map_err(|error| error.in_file(file, line_of(text, whole)));
        }
        // What is no object has no members.
        let members = serde_json::from_str::<Members<'_>>(whole.get()).unwrap_or_default().by_name(text, file)?;
        if members.contains_key("type") {
            if weight.is_some() {
                return Err(Error::parse(file, 1, NO_CHOICE));
            }
            return Self::parse_geojson(text, file, distances);
        }
        let mut found: Vec<(&String, usize, Rows)> = members
            .iter()
            .filter_map(|(name, value)| {
                let rows: Rows = serde_json::from_str(value.get()).ok().filter(|rows: &Rows| rows.len() > 1)?;
                Some((name, line_of(text, value), rows))
            })
            .collect();
        if let Some(weight) = weight {
            let names = found.iter().map(|(name, ..)| quote(name)).collect::<Vec<_>>().join(" or ");
            found.retain(|(name, ..)| name.eq_ignore_ascii_case(weight));
            if found.is_empty() {
                let message = format!("no matrix is called {}: weights may stand in {names}", quote(weight));
                return Err(Error::parse(file, 1, if names.is_empty() { NO_CHOICE.to_owned() } else { message }));
            }
        }
        let mut matrices = found.into_iter();
        let Some((name, line, rows)) = matrices.next() else {
            let message = "JSON, but neither GeoJSON, which has a \"type\", nor a matrix: an array with a row of numbers for each city, alone or \
                           as a member of an object";
            return Err(Error::parse(file, 1, message));
        };
        let others: Vec<String> = matrices.map(|(name, ..)| quote(name)).collect();
        if !others.is_empty() {
            let message = format!(
                "the weights may stand in {} or {}: leave one of these members in, or choose it (--weight NAME)",
                quote(name),
                others.join(" or ")
            );
            return Err(Error::parse(file, line, message));
        }
        of_matrix(rows, distances).map_err(|error| error.in_file(file, line))
    }
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

/// Whether three rows of three numbers have something on the diagonal, where a matrix has nothing to say.
fn may_be_space(rows: &Rows) -> bool {
    let is_said = |(i, row): (usize, &Vec<Option<f64>>)| row[i].is_some_and(|number| number != 0.0);
    rows.len() == 3 && rows.iter().all(|row| row.len() == 3) && rows.iter().enumerate().any(is_said)
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
        assert!(message("[[0,1,2],[0,0,3],[0,0,0]]").starts_with("j:1: all weights on one side of the diagonal"));
        let none = message("{\"durations\":\n [[0,null,null],[null,0,null],[null,null,0]]}");
        assert!(none.starts_with("j:2: there is no way at all"), "{none}");
        let metric = Instance::parse_json("[[0,1,2],[1,0,3],[2,3,0]]", "j", Distances::Globe).unwrap_err();
        assert!(metric.to_string().contains("leave the metric out"), "{metric}");
    }
}
