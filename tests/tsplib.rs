//! Every TSPLIB file at hand, symmetric or not, parses, and its optimal tour costs what the literature says.

use crate::common;
use std::path::Path;

use myrmex::tsp::{Instance, Kind, generate, read_tour};

#[test]
fn our_own_instances_survive_writing_and_reading() {
    for (kind, n) in [
        (Kind::Uniform, 77),
        (Kind::Clustered, 210),
        (Kind::Lattice, 64),
        (Kind::Circle, 50),
        (Kind::DimacsClustered, 120),
    ] {
        let made = generate(kind, n, 4).unwrap();
        let matrix = Instance::from_matrix("matrix", n, made.distance_matrix()).unwrap();
        for instance in [made, matrix] {
            let mut text = Vec::new();
            instance.write(&mut text).unwrap();
            let read = Instance::parse(&String::from_utf8(text).unwrap(), "text").unwrap();
            assert_eq!(read.distance_matrix(), instance.distance_matrix(), "{kind}");
        }
    }
}

#[test]
fn committed_instances_parse() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "tsp") {
            Instance::read(&path).unwrap();
            found += 1;
        }
    }
    assert!(found >= 4, "{found} instances");
}

#[test]
#[ignore = "needs TSPLIB, in the folder that MYRMEX_DATA names"]
fn every_tsplib_file_parses_and_every_optimal_tour_costs_its_optimum() {
    let folder = common::tsplib();
    let optima = common::optima(&folder);
    let (mut instances, mut asymmetric, mut tours, mut challenge) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("tsp") => {
                let instance = Instance::read(&path).unwrap_or_else(|error| panic!("{error}"));
                instances += 1;
                let tour_file = path.with_extension("opt.tour");
                if tour_file.exists() {
                    let tour = read_tour(&tour_file, instance.len()).unwrap_or_else(|error| panic!("{error}"));
                    let (_, optimum) = optima.iter().find(|(name, _)| *name == stem).expect("its optimum is known");
                    assert_eq!(instance.tour_cost(&tour).unwrap(), *optimum, "{stem}");
                    tours += 1;
                }
                // Named by kind and thousands of cities: its seed is their number.
                let kind = match stem.strip_suffix("k.0").map(|stem| stem.split_at(1)) {
                    Some(("E", _)) => Some(Kind::DimacsUniform),
                    Some(("C", _)) => Some(Kind::DimacsClustered),
                    _ => None,
                };
                if let Some(kind) = kind {
                    let made = generate(kind, instance.len(), instance.len() as u64).unwrap();
                    assert_eq!(made.coords(), instance.coords(), "{stem}");
                    challenge += 1;
                }
            }
            Some("atsp") => {
                let instance = Instance::read(&path).unwrap_or_else(|error| panic!("{error}"));
                assert!(!instance.is_symmetric(), "{stem}");
                asymmetric += 1;
            }
            _ => {}
        }
    }
    println!(
        "{instances} symmetric and {asymmetric} asymmetric TSPLIB instances, {tours} optimal tours checked, {challenge} instances of \
         the DIMACS challenge made again"
    );
    assert!(instances > 0 && tours > 0);
}
