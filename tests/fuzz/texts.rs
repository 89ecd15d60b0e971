//! Texts of every form, and damage to them.

use std::io::Write;
use std::sync::OnceLock;

use myrmex::tsp::{Instance, Kind, generate, write_csv, write_tour};
use myrmex::{Algorithm, Settings, qap};

use super::draw::Draw;

/// Cities of the tours.
pub const CITIES: usize = 12;

/// What numbers are replaced by.
pub const NUMBERS: [&str; 20] = [
    "0",
    "-1",
    "1",
    "-0",
    "0.5",
    "1e3",
    "1e15",
    "1e-9",
    "1e308",
    "1e999",
    "nan",
    "-inf",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "-9223372036854775808",
];

/// What words are replaced by.
const WORDS: [&str; 44] = [
    "x",
    "",
    ":",
    ",",
    ";",
    "\t",
    "\"",
    "#",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\r\n",
    "[",
    "}",
    "null",
    "EOF",
    "NAME : a:b",
    "TYPE : ATSP",
    "TYPE : HPP",
    "TYPE : TSP",
    "COMMENT : c",
    "DIMENSION : 16777216",
    "DIMENSION : 1",
    "DIMENSION : 3",
    "EDGE_WEIGHT_TYPE : GEO",
    "EDGE_WEIGHT_TYPE : EUC_3D",
    "EDGE_WEIGHT_TYPE : CEIL_2D",
    "EDGE_WEIGHT_TYPE : ATT",
    "EDGE_WEIGHT_TYPE : MAN_2D",
    "EDGE_WEIGHT_TYPE : EXPLICIT",
    "EDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW",
    "EDGE_WEIGHT_FORMAT : UPPER_COL",
    "EDGE_WEIGHT_FORMAT : FULL_MATRIX",
    "NODE_COORD_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION",
    "FIXED_EDGES_SECTION",
    "TOUR_SECTION",
    "1 2",
    "x,y",
    "lon,lat",
    "order,city",
    "\"type\": \"Point\"",
    "\"coordinates\": [1, 2, 3]",
];

/// Damages a text in a few places; one in eight is left as it is.
fn damaged(texts: &[Vec<u8>], draw: &mut Draw, more_words: &[String]) -> Vec<u8> {
    let mut bytes = texts[draw.below(texts.len())].clone();
    for _ in 0..draw.below(8) * draw.below(2) + draw.below(8).min(1) {
        let at = draw.below(bytes.len());
        let end = (at + draw.below(40)).min(bytes.len());
        match draw.below(9) {
            0 if !bytes.is_empty() => bytes[at] = draw.below(256) as u8,
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            // The end of another text.
            4 if draw.below(3) == 0 => {
                let other = &texts[draw.below(texts.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[draw.below(other.len())..]);
            }
            _ => replaced(&mut bytes, at, draw, more_words),
        }
    }
    bytes
}

/// Replaces the word at a place.
fn replaced(bytes: &mut Vec<u8>, at: usize, draw: &mut Draw, more_words: &[String]) {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;[]\":={}".contains(byte);
    let first = bytes[..at].iter().rposition(ends).map_or(0, |place| place + 1);
    let end = bytes[at..].iter().position(ends).map_or(bytes.len(), |place| at + place);
    let word = match draw.below(5) {
        0 => WORDS[draw.below(WORDS.len())].to_owned(),
        1 if !more_words.is_empty() => more_words[draw.below(more_words.len())].clone(),
        2 | 3 => NUMBERS[draw.below(NUMBERS.len())].to_owned(),
        _ => draw.below(14).to_string(),
    };
    bytes.splice(first..end, word.into_bytes());
}

fn text(texts: &[Vec<u8>], number: u64, more_words: &[String]) -> String {
    String::from_utf8_lossy(&damaged(texts, &mut Draw::new(number), more_words)).into_owned()
}

fn tsplib() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for kind in [Kind::Uniform, Kind::Lattice] {
        let instance = generate(kind, CITIES, 1).unwrap();
        let one_way = (0..144).map(|at| at * 31 % 17).collect();
        let matrices =
            [instance.distance_matrix(), one_way].map(|matrix| Instance::from_matrix("m", CITIES, matrix).unwrap());
        for instance in [&instance, &matrices[0], &matrices[1]] {
            let mut text = Vec::new();
            instance.write(&mut text).unwrap();
            texts.push(text);
        }
    }
    let head = "NAME: f\nTYPE: TSP\nDIMENSION: 4\n";
    texts.push(format!("{head}EDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 1.5 2\n2 3.2 4\n3 -5 6\n4 7 8\nFIXED_EDGES_SECTION\n1 2\n-1\nEOF\n").into());
    texts.push(
        format!("{head}EDGE_WEIGHT_TYPE: EUC_3D\nNODE_COORD_SECTION\n1 1 2 3\n2 3 4 5\n3 5 6 7\n4 7 8 9\nEOF\n").into(),
    );
    for (format, weights) in [("LOWER_DIAG_ROW", "0 1 0 2 3 0 4 5 6 0"), ("UPPER_COL", "1 2 3 4 5 6")] {
        texts.push(
            format!(
                "{head}EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {format}\nEDGE_WEIGHT_SECTION\n{weights}\nEOF\n"
            )
            .into(),
        );
    }
    texts
}

fn others() -> Vec<Vec<u8>> {
    let mut layout = Vec::new();
    qap::generate(4, 1).unwrap().write(&mut layout).unwrap();
    let rows: String = (0..8).map(|i| format!("\"city {i}\";{}.5;{}\n", i * 7 % 12, i * 5 % 12)).collect();
    let matrix: Vec<String> =
        (0..6).map(|i| (0..6).map(|j| format!("{}", (i * j) % 5)).collect::<Vec<_>>().join(",")).collect();
    let ways: String = (0..5).flat_map(|i| (0..i).map(move |j| format!("{i};{j};{}.5\n", i * j % 7))).collect();
    let feature = |i: usize| {
        let geometry = format!(r#"{{"type": "Point", "coordinates": [{}.5, {}]}}"#, i * 7 % 12, i * 5 % 12);
        format!(r#"{{"type": "Feature", "properties": {{"name": "city {i}"}}, "geometry": {geometry}}}"#)
    };
    let features = (0..6).map(feature).collect::<Vec<_>>().join(",\n");
    vec![
        layout,
        "2 3\n0 1.5\n-2 0\n\n0 1 2\n3 0 4\n5 6 0\n\n0.25 1e3 -7\n0 0 1\n".into(),
        "2\n0 0.3333333333333333 0.1428571428571428 0\n1 2 3.125 4".into(),
        format!("name;x;y\n{rows}").into(),
        format!("name;lon;lat\n{rows}").into(),
        matrix.join("\n").into(),
        format!("from;to;km\n{ways}").into(),
        "3\n0 1 -2.5\n1 0 3\n-2.5 3 0\n".into(),
        "0.1 0.2\n0.7 0.2\n0.4 0.9\n".into(),
        "3\n0.1 0.2 5\n0.7 0.2 1\n0.4 0.9 2\n".into(),
        format!(r#"{{"type": "FeatureCollection", "features": [{features}]}}"#).into(),
        r#"{"type": "MultiPoint", "coordinates": [[1, 2], [3, 4], [5, 6]]}"#.into(),
        r#"{"code": "Ok", "durations": [[0, 1.5, 2], [3, null, 4], [5, 6, 0]], "sources": [{"name": "a"}]}"#.into(),
        "[[0.5, 1], [2, 3],\n [4, -5e1]]".into(),
    ]
}

/// An instance in any form.
pub fn instance(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    text(TEXTS.get_or_init(|| [tsplib(), others()].concat()), number, &[])
}

/// A tour, as TSPLIB and as a table.
pub fn tour(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        let mut tour = Vec::new();
        let order = [4, 2, 0, 1, 3, 5, 6, 7, 11, 10, 9, 8];
        write_tour(&mut tour, &generate(Kind::Uniform, CITIES, 1).unwrap(), 9, &order).unwrap();
        let rows: String = order.iter().zip(1..).map(|(city, place)| format!("{place},{}\n", city + 1)).collect();
        vec![tour, format!("order,city\n{rows}").into()]
    };
    text(TEXTS.get_or_init(make), number, &[])
}

/// Cities of a tour that have names, some of them like numbers and some twice.
pub fn named() -> &'static Instance {
    static NAMED: OnceLock<Instance> = OnceLock::new();
    NAMED.get_or_init(|| {
        let names = ["A", "b, c", "3", "\"d\"", "-1", "A", "é", "", "2", "nan", "12", "1e3"];
        generate(Kind::Uniform, CITIES, 1).unwrap().with_city_names(names).unwrap()
    })
}

/// A tour of these as the library writes it.
pub fn named_tour(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        let order = [4, 2, 0, 1, 3, 5, 6, 7, 11, 10, 9, 8];
        let (mut lines, mut table) = (Vec::new(), Vec::new());
        write_tour(&mut lines, named(), 9, &order).unwrap();
        write_csv(&mut table, named(), &order).unwrap();
        let names = named().city_names().unwrap();
        let rows: String = order.iter().map(|&city| format!("{},{}\n", names[city as usize].len(), city + 1)).collect();
        vec![lines, table, format!("km;city\n{}", rows.replace(',', ";")).into()]
    };
    text(TEXTS.get_or_init(make), number, &[])
}

/// A solution of 9 facilities.
pub fn assignment(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        let mut solution = Vec::new();
        qap::write_solution(&mut solution, 77.0, &[4, 2, 0, 1, 3, 5, 6, 7, 8]).unwrap();
        vec![solution, "9 -12.5\n5 3 1 2 4 10 7 8 9\n".into()]
    };
    text(TEXTS.get_or_init(make), number, &[])
}

/// Distances between locations, as a table.
pub const ROOMS: &str = ";R1;R2;102;R 4\nR1;0;12,5;20;31\nR2;12,5;0;9;22\n102;20;9;0;14\nR 4;31;22;14;0\n";

/// A table of flows or of distances, with a line and a column for each end or a line for each way.
pub fn square(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        let flows = [",A,B,C\nA,,4,1\nB,2,,6\nC,,3,\n", "A,B\n0,2\n-1.5,0\n", "A 0 1e3\nB 7 0\n", "0;2,5\n1;0\n"];
        let flows = flows.into_iter().chain(["from,to,trips\nA,B,3\nB,C,-1.5\nC,A,2\n"]);
        flows.chain([ROOMS]).map(|text| text.into()).collect()
    };
    text(TEXTS.get_or_init(make), number, &[])
}

/// What three facilities cost at the four locations of [`ROOMS`], as a table.
pub fn costs(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        let tables = [";R 4;R1;R2;102\nB;1;2,5;3;0\nA;4;5;6;7\nC;0;0;-1;0\n", "1 2 3 4\n5 6 7 8\n9 1 2 3.5\n"];
        tables.into_iter().map(|text| text.into()).collect()
    };
    text(TEXTS.get_or_init(make), number, &[])
}

/// Nine facilities of which one is fixed, and eleven locations.
pub fn some_of_eleven() -> qap::Instance {
    let matrix = |side: i32| (0..side * side).map(|at| f64::from(at * 31 % 17 - 5) / 4.0).collect();
    let instance = qap::Instance::from_matrices_f64("some", [9, 11], matrix(9), matrix(11), None).unwrap();
    instance.with_fixed(&[[2, 0]]).unwrap()
}

/// A text compressed by gzip.
pub fn compressed(number: u64) -> Vec<u8> {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let pack = |text: &Vec<u8>| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    damaged(TEXTS.get_or_init(|| others().iter().map(pack).collect()), &mut Draw::new(number), &[])
}

/// The names of algorithms and parameters, and values.
fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names: Vec<String> =
            ["algorithm", "preset", "seed", "effort", "on_device_lost", "colonies", "lanes", "large", "amp-a"]
                .map(str::to_owned)
                .to_vec();
        for algorithm in Algorithm::NAMES {
            names.push((*algorithm).to_owned());
            let settings = Settings::named(algorithm).unwrap();
            names.extend(settings.algorithm.parameters().iter().map(|parameter| parameter.name.to_owned()));
        }
        names
    })
}

/// Settings in TOML.
pub fn toml(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        [
            "algorithm = \"mmas\"\nseed = 7\nants = 64\nlocal_search = \"2opt\"\nevaporation = 0.5\n",
            "preset = \"amp-a\"\neffort = \"large\"\ncolonies = 3\nmigration = 10\n",
            "algorithm = \"lk-eax\"\nwindows = 8\npopulation = 12\non_device_lost = \"cpu\"\n",
            "# all left open\n",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    };
    text(TEXTS.get_or_init(make), number, names())
}

/// Settings in JSON.
pub fn json(number: u64) -> String {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let make = || {
        [
            r#"{"algorithm": "mmas", "seed": 7, "ants": 64, "local_search": "2opt", "evaporation": 0.5}"#,
            r#"{"algorithm": "acs", "effort": "large", "colonies": 3, "migration": 10, "lanes": 32}"#,
            r#"{"algorithm": "eax", "population": 12, "on_device_lost": "cpu"}"#,
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    };
    text(TEXTS.get_or_init(make), number, names())
}
