//! The keywords of TSPLIB's format and of formats that add to it (CVRP in TSPLIB95; LKH-3): which are read, and which ask for what no tour here
//! keeps to. Others are remarks.

use crate::text::quote;

/// The sections that are read.
const SECTIONS: [&str; 4] =
    ["NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION", "FIXED_EDGES_SECTION"];

/// Other keywords of TSPLIB's.
const OTHERS: [&str; 10] = [
    "NAME",
    "TYPE",
    "COMMENT",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "TOUR_SECTION",
    "EOF",
];

/// Keywords, or what they begin with up to an underscore, that make another problem of a file: the value with which they do not, what they ask
/// for, and what to do.
const REFUSED: [(&str, Option<f64>, &str, &str); 9] = [
    ("SALESMEN", Some(1.0), "several tours", "take the line out for one tour of all cities"),
    ("VEHICLES", Some(1.0), "routes of several vehicles", "take the line out for one tour of all cities"),
    ("MTSP_", None, "several tours", "take the line out for one tour of all cities"),
    ("CAPACITY", None, "routes that a vehicle's load limits", "take the line out for one tour of all cities"),
    ("DEMAND_DIMENSION", None, "routes that a vehicle's load limits", "take the line out for one tour of all cities"),
    ("DISTANCE", None, "routes up to a length", "take the line out for one tour of all cities"),
    ("RISK_THRESHOLD", None, "routes up to a risk", "take the line out for one tour of all cities"),
    (
        "SERVICE_TIME",
        Some(0.0),
        "time at each city",
        "take the line out: of a tour of all cities it adds the same to every tour",
    ),
    (
        "SCALE",
        Some(1.0),
        "distances that are multiplied before they are rounded",
        "multiply the coordinates in the file, and take the line out",
    ),
];

/// A keyword in capitals. Behind the first line of a header any word may be one, before that those that are known; other text is as it is.
pub(super) fn capitals(key: &str, is_in_header: bool) -> String {
    let mut known = SECTIONS.iter().chain(&OTHERS).copied().chain(REFUSED.iter().map(|(key, ..)| *key));
    let capitals = key.to_ascii_uppercase();
    let is_one = known.any(|known| known == capitals) || is_in_header && is_key(&capitals);
    if is_one { capitals } else { key.to_owned() }
}

/// Whether `text` looks like a TSPLIB keyword.
pub(in crate::instance::tsp) fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// What is wrong with a keyword that asks for what no tour here keeps to.
pub(super) fn asks_for_more(key: &str, value: &str) -> Option<String> {
    let is_refused = |refused: &str| refused == key || refused.ends_with('_') && key.starts_with(refused);
    let (_, neutral, what, remedy) = REFUSED.iter().find(|(refused, ..)| is_refused(refused))?;
    let stated = value.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let asks = neutral.is_none() || stated != *neutral;
    asks.then(|| format!("{key} {} asks for {what}, which is not supported: {remedy}", quote(value)))
}

/// What to say of a section that is not read.
pub(super) fn unsupported(key: &str) -> String {
    let remedy = match key {
        "EDGE_DATA_SECTION" => "write a table with a row of weights for each city, with inf where there is no edge",
        _ => "take it out where a tour of all cities need not keep to it",
    };
    format!("{key} is not supported: {remedy}; supported are {}", SECTIONS.join(", "))
}
