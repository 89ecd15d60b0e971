//! GeoJSON (RFC 7946): points in.

use std::collections::HashSet;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::instance::Instance;
use super::metric::Distances;
use crate::error::{Error, Result};
use crate::instance::share;
use crate::text::quote;

/// What an object is.
#[derive(Default, Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: String,
}

/// A collection, whose features are looked at one by one.
#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
}

/// Up to here floating-point numbers hold all whole numbers.
const MOST_WHOLE: f64 = (1u64 << 53) as f64;

/// A city of a collection.
struct City {
    place: [f64; 2],
    name: Option<String>,
    /// The number or text of its feature, beside a name.
    id: Option<String>,
}

/// Members of a feature's properties that name its city.
const NAMES: [&str; 4] = ["name", "title", "label", "id"];

impl Instance {
    /// Reads the points of a GeoJSON text.
    pub(super) fn parse_geojson(text: &str, file: &str, distances: Distances) -> Result<Self> {
        let broken = |error: serde_json::Error| Error::parse(file, error.line().max(1), error.to_string());
        let kind: Kind = serde_json::from_str(text).unwrap_or_default();
        let mut cities = Vec::new();
        if kind.name == "FeatureCollection" {
            let collection: Collection<'_> = serde_json::from_str(text)
                .map_err(|error| Error::parse(file, error.line().max(1), format!("FeatureCollection: {error}")))?;
            let features = collection.features;
            // What is wrong with a feature, with its line within it.
            let read = |feature: &&RawValue| {
                let mut cities = Vec::new();
                let parsed = serde_json::from_str(feature.get());
                let parsed: Value = parsed.map_err(|error| (error.line().max(1), without_place(&error)))?;
                add(&parsed, &mut cities).map(|()| cities).map_err(|message| (1, message))
            };
            let all: Vec<_> = features.par_iter().with_min_len(share::ENTRIES).map(read).collect();
            for (feature, of_feature) in features.into_iter().zip(all) {
                let told = |(line, message)| Error::parse(file, line_of(text, feature) + line - 1, message);
                cities.extend(of_feature.map_err(told)?);
            }
        } else {
            let whole: Value = serde_json::from_str(text).map_err(broken)?;
            add(&whole, &mut cities).map_err(|message| Error::parse(file, 1, message))?;
        }
        let places: Vec<[f64; 2]> = cities.iter().map(|city| city.place).collect();
        let instance = match distances {
            Distances::Plane => Self::from_points(&places),
            _ => Self::from_lon_lat(&places),
        };
        let mut instance = instance.map_err(|error| error.in_file(file, 1))?;
        let ids: HashSet<&String> = cities.iter().filter_map(|city| city.id.as_ref()).collect();
        if ids.len() == cities.len() {
            instance = instance.with_city_ids(cities.iter().filter_map(|city| city.id.as_ref()))?;
        }
        if cities.iter().all(|city| city.name.is_none()) {
            return Ok(instance);
        }
        instance.with_city_names(cities.into_iter().map(|city| city.name.unwrap_or_default()))
    }
}

/// What is wrong with a part of a text, without its place in that part.
fn without_place(error: &serde_json::Error) -> String {
    let told = error.to_string();
    told.rsplit_once(" at line ").map_or(told.clone(), |(wrong, _)| wrong.to_owned())
}

/// The line of a text that a part of it begins in.
pub(super) fn line_of(text: &str, part: &RawValue) -> usize {
    // What is borrowed from the text lies in it.
    let offset = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
    1 + text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count()
}

/// Adds the points of a feature or a geometry.
fn add(object: &Value, cities: &mut Vec<City>) -> Result<(), String> {
    match object["type"].as_str() {
        Some("Feature") => {
            let first = cities.len();
            add(&object["geometry"], cities)?;
            if let [city] = &mut cities[first..] {
                let properties = &object["properties"];
                let called = |key: &str| {
                    let all = properties.as_object().into_iter().flatten();
                    all.filter(|(name, _)| name.eq_ignore_ascii_case(key)).find_map(|(_, value)| word(value))
                };
                city.id = word(&object["id"]).or_else(|| called("id"));
                city.name = NAMES.into_iter().find_map(called).or_else(|| city.id.clone());
            }
            Ok(())
        }
        Some("Point") => {
            cities.push(City { place: place(&object["coordinates"])?, name: None, id: None });
            Ok(())
        }
        Some("MultiPoint") => {
            let places = object["coordinates"].as_array().ok_or("a MultiPoint without coordinates")?;
            places.iter().try_for_each(|it| {
                cities.push(City { place: place(it)?, name: None, id: None });
                Ok(())
            })
        }
        Some(other) => Err(format!("expected Point or MultiPoint, not {}", quote(other))),
        None => Err("a feature without a geometry; expected Point or MultiPoint".into()),
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) if !word.trim().is_empty() => Some(word.clone()),
        // A whole number is told without decimals, as a table's is.
        Value::Number(number) => Some(match number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < MOST_WHOLE) {
            Some(whole) => format!("{whole:.0}"),
            None => number.to_string(),
        }),
        _ => None,
    }
}

/// Longitude and latitude; a height that may follow is left out.
pub(super) fn place(coordinates: &Value) -> Result<[f64; 2], String> {
    let number = |index: usize| coordinates[index].as_f64();
    match (number(0), number(1)) {
        (Some(lon), Some(lat)) => Ok([lon, lat]),
        _ => Err(format!("expected a longitude and a latitude, not {}", quote(&coordinates.to_string()))),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub fn parse(text: &str) -> Result<Instance> {
        Instance::parse_geojson(text, "g", Distances::Stated)
    }

    pub const CITIES: &str = r#"{ "type": "FeatureCollection", "features": [
  { "type": "Feature", "properties": { "name": "Berlin" }, "geometry": { "type": "Point", "coordinates": [13.405, 52.52, 34] } },
  { "type": "Feature", "properties": null, "id": 7, "geometry": { "type": "Point", "coordinates": [2.3522, 48.8566] } },
  { "type": "Feature", "properties": {}, "geometry": { "type": "MultiPoint", "coordinates": [[-0.1276, 51.5072], [4.9, 52.37]] } }
] }"#;

    #[test]
    fn points_are_cities() {
        let instance = parse(CITIES).unwrap();
        assert_eq!((instance.len(), instance.distance(0, 1)), (4, 877_465));
        assert_eq!(instance.city_names().unwrap(), ["Berlin", "7", "", ""]);
        let shouted = parse(&CITIES.replace("\"name\"", "\"NAME\"")).unwrap();
        assert_eq!(shouted.city_names().unwrap()[0], "Berlin");
        assert_eq!(parse(r#"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#).unwrap().len(), 2);
    }

    /// A number of a city is an id where features have them, as in tables.
    #[test]
    fn ids_of_features_are_those_of_cities() {
        let feature = |id: u32, name: &str, at: u32| {
            json!({ "type": "Feature", "id": id, "properties": { "name": name },
                "geometry": { "type": "Point", "coordinates": [at, at] } })
        };
        let all = json!({ "type": "FeatureCollection",
            "features": [feature(100, "A", 1), feature(3, "B", 2), feature(1, "", 3)] });
        let instance = parse(&all.to_string()).unwrap();
        assert_eq!(["100", "3", "1", "B"].map(|word| instance.city_called(word).unwrap()), [0, 1, 2, 1]);
        assert_eq!(instance.city_names().unwrap(), ["A", "B", "1"]);
    }

    #[test]
    fn what_is_no_point_names_its_line() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let broken = CITIES.replace("[2.3522, 48.8566]", "[2.3522]");
        assert_eq!(message(&broken), "g:3: expected a longitude and a latitude, not '[2.3522]'");
        assert!(
            message(&CITIES.replace("MultiPoint", "LineString"))
                .starts_with("g:4: expected Point or MultiPoint, not 'LineString'")
        );
        assert!(message(&CITIES.replace("48.8566", "98.8566")).contains("off the globe"));
        // On the second line of a feature.
        let great = CITIES.replace("\"coordinates\": [2.3522, 48.8566]", "\n\"coordinates\": [1e999, 48.8566]");
        assert_eq!(message(&great), "g:4: number out of range");
        assert!(message(r#"{"type": 3}"#).contains("a feature without a geometry"));
        assert!(message(r#"{"type":"FeatureCollection","features":[]}"#).contains("no city"));
        assert!(message(r#"{"type":"FeatureCollection","features":3}"#).contains("g:1: FeatureCollection"));
    }
}
