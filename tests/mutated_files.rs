//! Damaged files never cause a panic, and every error is one line that names file and line.

use myrmex::tsp::{Instance, Kind, generate, parse_tour, write_tour};
use myrmex::{Result, qap};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const MUTATIONS: usize = 10_000;

/// What numbers and words are replaced by.
const BAD_WORDS: [&str; 16] = [
    "nan",
    "-inf",
    "1e999",
    "-1",
    "0",
    "99999999999999999999",
    "1e15",
    "4294967296",
    "0.5",
    "x",
    "",
    ":",
    "EOF",
    "DIMENSION : 16777216",
    "NODE_COORD_SECTION",
    "EDGE_WEIGHT_SECTION",
];

fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for kind in [Kind::Uniform, Kind::Lattice, Kind::Circle, Kind::Clustered] {
        let instance = generate(kind, 12, 1).unwrap();
        let matrix = Instance::from_matrix("m", 12, instance.distance_matrix()).unwrap();
        for instance in [&instance, &matrix] {
            let mut text = Vec::new();
            instance.write(&mut text).unwrap();
            texts.push(String::from_utf8(text).unwrap());
        }
    }
    let weights = (0..12).map(|_| ["7"; 12].join(" ")).collect::<Vec<_>>().join("\n");
    let head = "NAME: f\nTYPE: TSP\nDIMENSION: 12\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n";
    texts.push(format!("{head}EDGE_WEIGHT_SECTION\n{weights}\nEOF\n"));
    texts.push(texts[0].replace("EUC_2D", "GEO"));
    let mut tour = Vec::new();
    write_tour(&mut tour, &generate(Kind::Uniform, 12, 1).unwrap(), 9, &[4, 2, 0, 1, 3, 5, 6, 7, 11, 10, 9, 8])
        .unwrap();
    texts.push(String::from_utf8(tour).unwrap());
    texts
}

fn mutate(text: &str, rng: &mut Pcg64Mcg) -> String {
    let mut below = |n: usize| (rng.next_u64() % n.max(1) as u64) as usize;
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + below(3) {
        let at = below(bytes.len());
        match below(6) {
            0 if !bytes.is_empty() => bytes[at] = below(256) as u8,
            1 => bytes.truncate(at),
            2 => {
                let end = (at + below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + below(60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
                if !words.is_empty() {
                    let at = below(words.len());
                    let bad = format!("{} ", BAD_WORDS[below(BAD_WORDS.len())]);
                    words[at] = &bad;
                    bytes = words.concat().into_bytes();
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_tsplib_files_give_one_line_errors() {
    damaged(&texts(), [MUTATIONS / 2, MUTATIONS / 20], |text| {
        vec![
            Instance::parse(text, "file").map(|instance| instance.len()),
            parse_tour(text, "file", 12).map(|tour| tour.len()),
        ]
    });
}

#[test]
fn damaged_qaplib_files_give_one_line_errors() {
    let instance = qap::generate(9, 1).unwrap();
    let (mut problem, mut solution) = (Vec::new(), Vec::new());
    instance.write(&mut problem).unwrap();
    qap::write_solution(&mut solution, 77, &[4, 2, 0, 1, 3, 5, 6, 7, 8]).unwrap();
    let texts = [problem, solution].map(|text| String::from_utf8(text).unwrap());
    // Matrices need all of their numbers, so little damage is harmless.
    damaged(&texts, [MUTATIONS / 2, MUTATIONS / 200], |text| {
        vec![
            qap::Instance::parse(text, "file").map(|instance| instance.len()),
            qap::parse_solution(text, "file", &instance).map(|solution| solution.permutation.len()),
        ]
    });
}

#[test]
fn damaged_tables_and_geojson_give_one_line_errors() {
    let rows: String = (0..12).map(|i| format!("\"city {i}\";{}.5;{}\n", i * 7 % 12, i * 5 % 12)).collect();
    let matrix: Vec<String> =
        (0..6).map(|i| (0..6).map(|j| format!("{}", (i * j) % 5)).collect::<Vec<_>>().join(",")).collect();
    let feature = |i: usize| {
        let geometry = format!(r#"{{"type": "Point", "coordinates": [{}.5, {}]}}"#, i * 7 % 12, i * 5 % 12);
        format!(r#"{{"type": "Feature", "properties": {{"name": "city {i}"}}, "geometry": {geometry}}}"#)
    };
    let features = (0..12).map(feature).collect::<Vec<_>>().join(",\n");
    let texts = [
        format!("name;x;y\n{rows}"),
        format!("name;lon;lat\n{rows}"),
        matrix.join("\n"),
        format!(r#"{{"type": "FeatureCollection", "features": [{features}]}}"#),
    ];
    // Another digit makes another point.
    damaged(&texts, [MUTATIONS / 5, MUTATIONS / 20], |text| {
        let problem = myrmex::Problem::parse(text, "file", myrmex::tsp::Distances::Stated);
        vec![problem.map(|problem| problem.len())]
    });
}

fn damaged(texts: &[String], [least_refused, least_accepted]: [usize; 2], read: impl Fn(&str) -> Vec<Result<usize>>) {
    let mut rng = Pcg64Mcg::seed_from_u64(20);
    let (mut refused, mut accepted) = (0, 0);
    for i in 0..MUTATIONS {
        let mutated = mutate(&texts[i % texts.len()], &mut rng);
        for result in read(&mutated) {
            match result {
                Ok(_) => accepted += 1,
                Err(error) => {
                    let message = error.to_string();
                    let place = message.strip_prefix("file:").and_then(|rest| rest.split(':').next());
                    assert!(place.is_some_and(|line| line.parse::<usize>().is_ok()), "{message}");
                    assert!(!message.contains('\n'), "{message}");
                    refused += 1;
                }
            }
        }
    }
    // Some damage is harmless; most is not.
    assert!(refused > least_refused && accepted > least_accepted, "{refused} refused, {accepted} accepted");
}
