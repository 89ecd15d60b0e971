//! A tour of cities on the globe as a line in GeoJSON (RFC 7946): written for maps, and read again.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::geojson::place;
use super::instance::Instance;
use super::tour::{check_tour, in_order};
use crate::error::{Error, Result};

/// How far a place of a line may lie from its city, in degrees: a tenth of a metre, what six decimals leave.
const NEAR: f64 = 1e-6;
/// The tour whose line a GeoJSON text has: the cities that lie where the line turns, each once.
pub(super) fn parse_line(text: &str, file: &str, instance: &Instance) -> Result<Vec<u32>> {
    let wrong = |message: String| Error::parse(file, 1, message);
    let Some(places) = instance.lon_lat() else {
        return Err(wrong("GeoJSON tells places by longitude and latitude, which the cities do not have".into()));
    };
    let whole: Value =
        serde_json::from_str(text).map_err(|error| Error::parse(file, error.line().max(1), error.to_string()))?;
    let features = whole["features"].as_array().map_or(std::slice::from_ref(&whole), Vec::as_slice);
    // With the properties of its feature.
    let geometries = features.iter().map(|feature| match feature["type"] == "Feature" {
        true => (&feature["geometry"], &feature["properties"]),
        false => (feature, &Value::Null),
    });
    let geometries: Vec<(&Value, &Value)> = geometries.collect();
    let of_type = |word: &str| -> Vec<(&Value, &Value)> {
        geometries.iter().filter(|(geometry, _)| geometry["type"] == word).copied().collect()
    };
    let (lines, cut) = (of_type("LineString"), of_type("MultiLineString"));
    let (line, properties) = match (&lines[..], &cut[..]) {
        (&[line], _) | ([], &[line]) => line,
        _ => {
            let (whole, cut) = (lines.len(), cut.len());
            return Err(wrong(format!(
                "a tour is one LineString, or one MultiLineString where it crosses 180 degrees; here are {whole} and {cut}"
            )));
        }
    };
    let coordinates = line["coordinates"].as_array().map_or(&[][..], Vec::as_slice);
    let line = match line["type"] == "MultiLineString" {
        true => coordinates.iter().map(|part| part.as_array().map_or(&[][..], Vec::as_slice)).collect(),
        false => vec![coordinates],
    };
    let parts = line.into_iter().map(|part| part.iter().map(place).collect()).collect::<Result<Vec<_>, _>>();
    let mut line = joined(parts.map_err(wrong)?);
    if !instance.is_open() && line.len() == places.len() + 1 && line.first() == line.last() {
        line.pop();
    }
    if line.len() != places.len() {
        return Err(wrong(format!("the line has {} places, not one for each of {} cities", line.len(), places.len())));
    }
    // 180 degrees are -180.
    let around = |lon: f64| (lon + 180.0).rem_euclid(360.0);
    let cells_around = (360.0 / NEAR).round() as i64;
    let cell = |[lon, lat]: [f64; 2]| {
        [((around(lon) / NEAR).floor() as i64).rem_euclid(cells_around), (lat / NEAR).floor() as i64]
    };
    let mut free: HashMap<[i64; 2], Vec<u32>> = HashMap::new();
    for (city, place) in (0..).zip(&places) {
        free.entry(cell(place.to_array())).or_default().push(city);
    }
    let off = |city: u32, place: [f64; 2]| {
        let [lon, lat] = places[city as usize].to_array();
        let apart = (around(lon) - around(place[0])).abs();
        apart.min(360.0 - apart).max((lat - place[1]).abs())
    };
    // The cities at a place, each with its cell.
    let near = |free: &HashMap<[i64; 2], Vec<u32>>, place: [f64; 2]| -> Vec<([i64; 2], u32)> {
        let [x, y] = cell(place);
        let cells = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [(x + dx).rem_euclid(cells_around), y + dy]));
        let cities = cells.flat_map(|cell| free.get(&cell).into_iter().flatten().map(move |&city| (cell, city)));
        cities.filter(|&(_, city)| off(city, place) <= NEAR).collect()
    };
    // Members that call a city at each place; others mean something else.
    let members = called(instance).filter_map(|(member, words)| Some((properties[member].as_array()?, words)));
    let calls_cities = |(said, words): &(&Vec<Value>, Option<&[String]>)| {
        let calls_one = |(said, &place)| near(&free, place).iter().any(|&(_, city)| is_called(*words, city, said));
        said.len() == line.len() && said.iter().zip(&line).all(calls_one)
    };
    let members: Vec<(&Vec<Value>, Option<&[String]>)> = members.filter(calls_cities).collect();
    let mut tour = Vec::new();
    for (at, place) in line.into_iter().enumerate() {
        // Cities that lie together are told apart by what they are called.
        let unlike = |city: u32| members.iter().filter(|(said, words)| !is_called(*words, city, &said[at])).count();
        let order = |&(_, a): &([i64; 2], u32), &(_, b): &([i64; 2], u32)| {
            unlike(a).cmp(&unlike(b)).then_with(|| off(a, place).total_cmp(&off(b, place)))
        };
        let Some((cell, city)) = near(&free, place).into_iter().min_by(order) else {
            let message = format!("no city lies at {place:?} that the line was not at before");
            return Err(wrong(message));
        };
        free.entry(cell).or_default().retain(|&other| other != city);
        tour.push(city);
    }
    Ok(tour)
}

/// What the cities are called, by members of a line's properties: ids and names, and where there are no ids numbers from 1 (`None`).
fn called(instance: &Instance) -> impl Iterator<Item = (&'static str, Option<&[String]>)> {
    let ids = instance.city_ids();
    let names = instance.city_names().map(|names| ("names", Some(names)));
    std::iter::once((if ids.is_some() { "ids" } else { "numbers" }, ids)).chain(names)
}

/// Whether a value is one of these words, that of a city, or its number where there are none.
fn is_called(words: Option<&[String]>, city: u32, said: &Value) -> bool {
    match words {
        Some(words) => *said == words[city as usize],
        None => *said == city + 1,
    }
}

/// The same longitude in -180 to 180.
fn wrapped(lon: f64) -> f64 {
    if lon.abs() <= 180.0 { lon } else { (lon + 180.0).rem_euclid(360.0) - 180.0 }
}

/// A line in parts, cut where it crosses 180 degrees (RFC 7946, section 3.1.9): each part ends there, and the next one begins at the same latitude.
fn cut(line: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut parts: Vec<Vec<[f64; 2]>> = vec![Vec::new()];
    for (at, &[lon, lat]) in line.iter().enumerate() {
        let last = parts.len() - 1;
        match at.checked_sub(1).map(|before| line[before]) {
            Some([before, lat_before]) if (lon - before).abs() > 180.0 => {
                let edge = 180f64.copysign(before);
                let way = 360.0 - (lon - before).abs();
                let share = if way > 0.0 { (180.0 - before.abs()) / way } else { 0.0 };
                let crossing = lat_before + (lat - lat_before) * share;
                parts[last].push([edge, crossing]);
                parts.push(vec![[-edge, crossing], [lon, lat]]);
            }
            _ => parts[last].push([lon, lat]),
        }
    }
    parts
}

/// The line that was cut into these parts.
fn joined(parts: Vec<Vec<[f64; 2]>>) -> Vec<[f64; 2]> {
    let mut line: Vec<[f64; 2]> = Vec::new();
    for part in parts {
        match (line.last(), part.first()) {
            (Some(&[end, lat]), Some(&[begin, other])) if end.abs() == 180.0 && begin == -end && lat == other => {
                line.pop();
                line.extend(&part[1..]);
            }
            _ => line.extend(part),
        }
    }
    line
}

/// Writes a tour of cities on the globe as a GeoJSON feature: a LineString, of a closed tour one that ends where it begins; where it crosses 180 degrees a
/// MultiLineString. Its properties have the cities' ids, or else their numbers from 1, and their names in the tour's order, too.
///
/// # Errors
/// What the writer reports; [`io::ErrorKind::InvalidInput`] where cities have no longitude and latitude ([`Instance::lon_lat`]), and for what is no
/// tour of `instance`.
pub fn write_geojson(writer: &mut impl Write, instance: &Instance, cost: u64, tour: &[u32]) -> io::Result<()> {
    let Some(places) = instance.lon_lat() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the cities have no longitude and latitude"));
    };
    check_tour(instance, tour)?;
    let order = in_order(instance, tour);
    let back = order.first().filter(|_| !instance.is_open());
    let around = order.iter().chain(back).filter_map(|&city| places.get(city as usize));
    let line: Vec<[f64; 2]> = around.map(|place| [wrapped(place.x), place.y]).collect();
    let mut feature = json!({
        "type": "Feature",
        "properties": {
            "name": instance.name(),
            "cost": cost,
            "length": instance.length_at(tour, cost),
            "cities": order.len(),
        },
        "geometry": match &cut(&line)[..] {
            [line] => json!({ "type": "LineString", "coordinates": line }),
            parts => json!({ "type": "MultiLineString", "coordinates": parts }),
        },
    });
    for (member, words) in called(instance) {
        let word = |&city: &u32| words.map_or_else(|| json!(city + 1), |words| json!(words[city as usize]));
        feature["properties"][member] = order.iter().map(word).collect();
    }
    serde_json::to_writer(&mut *writer, &feature)?;
    writer.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::super::geojson::tests::{CITIES, parse};
    use super::*;

    #[test]
    fn a_line_goes_out_with_the_names_of_its_cities() {
        let instance = parse(CITIES).unwrap();
        let mut text = Vec::new();
        let tour = [1, 2, 3, 0];
        write_geojson(&mut text, &instance, instance.tour_cost(&tour).unwrap(), &tour).unwrap();
        let line: Value = serde_json::from_slice(&text).unwrap();
        let coordinates = line["geometry"]["coordinates"].as_array().unwrap();
        assert_eq!(line["properties"]["names"], json!(["Berlin", "7", "", ""]));
        assert_eq!(
            (coordinates.len(), &coordinates[0], &coordinates[4]),
            (5, &json!([13.405, 52.52]), &json!([13.405, 52.52]))
        );
        assert_eq!(line["properties"]["cost"], instance.tour_cost(&tour).unwrap());
        assert!(write_geojson(&mut text, &Instance::from_points(&[[0.0, 0.0]; 4]).unwrap(), 0, &tour).is_err());
    }

    #[test]
    fn a_line_comes_back_as_the_tour_that_it_was() {
        // Two towns lie in one place.
        let twice = CITIES.replace("[4.9, 52.37]", "[13.405, 52.52]");
        let tour = [2, 1, 3, 0];
        for (instance, is_open) in [(parse(&twice).unwrap(), false), (parse(&twice).unwrap(), true)] {
            let instance = if is_open { instance.open_path(None, None).unwrap() } else { instance };
            let mut text = Vec::new();
            write_geojson(&mut text, &instance, instance.tour_cost(&tour).unwrap(), &tour).unwrap();
            let text = String::from_utf8(text).unwrap();
            let read = |text: &str| parse_line(text, "g", &instance);
            let found = read(&text).unwrap();
            assert_eq!(instance.tour_cost(&found).unwrap(), instance.tour_cost(&tour).unwrap());
            // As other programs write it: among others, with fewer decimals.
            let line: Value = serde_json::from_str(&text.replace("-0.1276", "-0.1276003")).unwrap();
            let point = json!({ "type": "Point", "coordinates": [1, 2] });
            let all = json!({ "type": "FeatureCollection", "features": [point, line] });
            assert_eq!(read(&all.to_string()).unwrap(), found);
            let wrong = |text: &str| read(text).unwrap_err().to_string();
            assert!(wrong(&text.replace("-0.1276", "-0.12761")).contains("no city lies at [-0.12761, 51.5072]"));
            let parted = wrong(&text.replacen("[2.3522,48.8566],", "", 1));
            // Where the line leads back to Berlin a third time, so to say, in which two towns are.
            assert!(
                parted.contains(if is_open { "the line has 3 places" } else { "no city lies at [13.405" }),
                "{parted}"
            );
            assert!(wrong(CITIES).contains(
                "a tour is one LineString, or one MultiLineString where it crosses 180 degrees; here are 0 and 0"
            ));
        }
        let plane = Instance::from_points(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
        let told = parse_line("{}", "g", &plane).unwrap_err().to_string();
        assert!(told.contains("longitude and latitude, which the cities do not have"), "{told}");
    }

    #[test]
    fn cities_in_one_place_are_those_that_the_line_names() {
        let rows = |header: &str, words: [&str; 4]| {
            let places = ["1,1", "2,2", "1,1", "3,1"];
            let rows: String = words.into_iter().zip(places).map(|(word, place)| format!("{word}{place}\n")).collect();
            Instance::parse(&format!("{header}lon,lat\n{rows}"), "t").unwrap()
        };
        for instance in [
            rows("id,", ["a,", "b,", "c,", "d,"]),
            rows("name,", ["a,", "b,", "c,", "d,"]),
            rows("name,", ["a,", "a,", "a,", "a,"]),
            rows("", [""; 4]),
        ] {
            let path = instance.open_path(Some(2), None).unwrap();
            let (tour, mut text) = ([2, 0, 1, 3], Vec::new());
            write_geojson(&mut text, &path, path.tour_cost(&tour).unwrap(), &tour).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(parse_line(&text, "g", &path).unwrap(), tour, "{text}");
            // Of other cities, or of fewer, it says nothing about these.
            let mut line: Value = serde_json::from_str(&text).unwrap();
            for words in [json!(["p", "q", "r", "s"]), json!(["c"]), json!("c"), json!(null)] {
                ["ids", "names", "numbers"].iter().for_each(|member| line["properties"][member] = words.clone());
                assert_eq!(parse_line(&line.to_string(), "g", &path).unwrap(), [0, 2, 1, 3], "{line}");
            }
        }
    }

    /// Other programs may mean something else by these members.
    #[test]
    fn members_count_where_they_call_a_city_at_each_place() {
        let near = [[1.0, 1.0], [1.0000005, 1.0], [2.0, 2.0]];
        let path = Instance::from_lon_lat(&near).unwrap().open_path(None, None).unwrap();
        for (numbers, tour) in [([1, 9, 9], [1, 0, 2]), ([1, 2, 1], [1, 0, 2]), ([1, 2, 3], [0, 1, 2])] {
            let line = json!({
                "type": "Feature",
                "properties": { "numbers": numbers },
                "geometry": { "type": "LineString", "coordinates": [near[1], near[0], near[2]] },
            });
            assert_eq!(parse_line(&line.to_string(), "g", &path).unwrap(), tour, "{line}");
        }
    }

    /// Maps draw a line from 179 to -179 degrees around the world.
    #[test]
    fn lines_are_cut_at_180_degrees_and_joined_again() {
        let places = [[170.0, 10.0], [-170.0, 30.0], [-175.0, -5.0], [180.0, -10.0], [179.0, 0.0]];
        let instance = Instance::from_lon_lat(&places).unwrap();
        let written = |tour: &[u32]| {
            let mut text = Vec::new();
            write_geojson(&mut text, &instance, instance.tour_cost(tour).unwrap(), tour).unwrap();
            String::from_utf8(text).unwrap()
        };
        for tour in [[0, 1, 2, 3, 4], [3, 1, 4, 2, 0], [4, 3, 0, 2, 1]] {
            let text = written(&tour);
            assert_eq!(parse_line(&text, "g", &instance).unwrap(), in_order(&instance, &tour), "{text}");
        }
        let line: Value = serde_json::from_str(&written(&[0, 1, 2, 3, 4])).unwrap();
        assert_eq!(line["geometry"]["type"], "MultiLineString");
        let parts = line["geometry"]["coordinates"].as_array().unwrap();
        // Longitudes of 180 to 360 are those of the western half; 180 and -180 are one, and none is cut at 0.
        for places in [[[350.0, 50.0], [10.0, 60.0], [200.0, 40.0]], [[180.0, 0.0], [-180.0, 5.0], [90.0, 3.0]]] {
            let instance = Instance::from_lon_lat(&places).unwrap();
            let mut text = Vec::new();
            write_geojson(&mut text, &instance, 1, &[0, 1, 2]).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(parse_line(&text, "g", &instance).unwrap(), in_order(&instance, &[0, 1, 2]), "{text}");
        }
        assert_eq!(cut(&[[-10.0, 50.0], [10.0, 60.0]]).len(), 1);
        // With fewer decimals a place may come to lie on the other side.
        let beside = Instance::from_lon_lat(&[[179.9999999, 0.0], [170.0, 5.0], [160.0, 0.0]]).unwrap();
        let rounded = r#"{"type": "LineString", "coordinates": [[180.0, 0.0], [170.0, 5.0], [160.0, 0.0]]}"#;
        assert_eq!(parse_line(rounded, "g", &beside).unwrap(), [0, 1, 2]);
        assert_eq!(parts[0], json!([[170.0, 10.0], [180.0, 20.0]]));
        assert_eq!(parts[1], json!([[-180.0, 20.0], [-170.0, 30.0], [-175.0, -5.0], [-180.0, -10.0]]));
        assert_eq!(parts.len(), 3);
    }

    /// As equal tours are written elsewhere.
    #[test]
    fn a_line_goes_round_as_tours_do() {
        let square = r#"{"type":"MultiPoint","coordinates":[[0,0],[0,1],[1,1],[1,0]]}"#;
        let instance = parse(square).unwrap();
        let line = |tour: &[u32]| {
            let mut text = Vec::new();
            write_geojson(&mut text, &instance, instance.tour_cost(tour).unwrap(), tour).unwrap();
            text
        };
        assert_eq!(line(&[0, 3, 2, 1]), line(&[2, 3, 0, 1]));
        let none = write_geojson(&mut Vec::new(), &instance, 0, &[0, 1, 2, 4]).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::InvalidInput);
    }
}
