//! Solutions in JSON reports, counted from 0.

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// What is looked for in a report.
#[derive(Deserialize)]
struct Reported {
    tour: Option<Value>,
    permutation: Option<Value>,
    /// Of GeoJSON.
    r#type: Option<String>,
}

/// What is wrong with text that is no report.
fn no_report(text: &str, wrong: &serde_json::Error) -> String {
    match text.trim_start().starts_with('[') {
        true => "an array does not tell what it counts from: give a report, or a table that names its columns".into(),
        false => format!("this is no report: {wrong}"),
    }
}

/// Whether JSON is GeoJSON: an object that says of what type it is.
pub(super) fn is_geojson(text: &str) -> bool {
    let first = serde_json::Deserializer::from_str(text).into_iter::<Reported>().next();
    first.is_some_and(|report| report.is_ok_and(|report| report.r#type.is_some()))
}

/// The tour or, of an assignment, the location of each facility that a report has: `count` different numbers below `places`.
///
/// # Errors
/// [`Error::Parse`] for text that is no report of one run, or has no such solution.
pub(super) fn solution(text: &str, file: &str, is_tour: bool, (count, places): (usize, usize)) -> Result<Vec<u32>> {
    let error = |message: String| Error::parse(file, 1, message);
    let key = if is_tour { "tour" } else { "permutation" };
    let mut reports = serde_json::Deserializer::from_str(text).into_iter::<Reported>();
    let first = reports.next().transpose().map_err(|wrong| error(no_report(text, &wrong)))?;
    if first.as_ref().is_some_and(|report| report.r#type.is_some()) {
        return Err(error(
            "GeoJSON tells places, and not which of these they are: give a table (.csv) or a report".into(),
        ));
    }
    let found = first.and_then(|report| if is_tour { report.tour } else { report.permutation });
    let Some(found) = found else { return Err(error(format!("this JSON has no '{key}'; is it a report?"))) };
    if reports.next().is_some() {
        return Err(error(
            "these are the reports of several runs: give the line of one, as by sed -n 2p runs.ndjson > one.json"
                .into(),
        ));
    }
    let found: Vec<u32> =
        serde_json::from_value(found).map_err(|wrong| error(format!("'{key}' is no list of numbers: {wrong}")))?;
    if found.len() != count {
        return Err(error(format!("'{key}' has {} numbers, not {count}", found.len())));
    }
    let mut seen = vec![false; places];
    for &number in &found {
        match seen.get_mut(number as usize).map(|seen| std::mem::replace(seen, true)) {
            None => return Err(error(format!("'{key}' has {number}, but it counts from 0 to {}", places - 1))),
            Some(true) => return Err(error(format!("'{key}' has {number} twice"))),
            Some(false) => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_solution_is_told() {
        let tour = |text: &str| solution(text, "t", true, (3, 3));
        assert_eq!(tour("{\"schema\": 1, \"tour\": [2, 0, 1], \"cost\": 7}\n").unwrap(), [2, 0, 1]);
        assert_eq!(solution("{\"permutation\": [4, 1]}", "t", false, (2, 5)).unwrap(), [4, 1]);
        for (text, told) in [
            ("[1]", "an array does not tell what it counts from"),
            ("{\"tour\": [2, 0", "no report"),
            ("{\"permutation\": [2, 0, 1]}", "no 'tour'"),
            ("{\"type\": \"Feature\", \"geometry\": {}}", "GeoJSON tells places"),
            ("{\"tour\": \"2 0 1\"}", "no list of numbers"),
            ("{\"tour\": [2, -1, 1]}", "no list of numbers"),
            ("{\"tour\": [2, 0]}", "has 2 numbers, not 3"),
            ("{\"tour\": [2, 0, 3]}", "has 3, but it counts from 0 to 2"),
            ("{\"tour\": [2, 0, 2]}", "has 2 twice"),
            ("{\"tour\": [2, 0, 1]}\n{\"tour\": [2, 0, 1]}", "several runs"),
        ] {
            let error = tour(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
