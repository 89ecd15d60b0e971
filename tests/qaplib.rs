//! Every QAPLIB file at hand parses, and its solution costs what the file says.

use crate::common;
use myrmex::qap::{Instance, generate, read_solution};

/// Files whose stated cost is not that of their assignment, with the true one.
const MISSTATED: [(&str, f64); 1] = [("kra32", 88_700.0)];

#[test]
fn made_instances_survive_writing_and_reading() {
    for n in [1, 2, 30] {
        let made = generate(n, 4).unwrap();
        let mut text = Vec::new();
        made.write(&mut text).unwrap();
        let read = Instance::parse(&String::from_utf8(text).unwrap(), "text").unwrap();
        assert_eq!((read.flows(), read.distances()), (made.flows(), made.distances()));
    }
}

#[test]
#[ignore = "needs QAPLIB, in the folder that MYRMEX_DATA names"]
fn every_qaplib_file_parses_and_every_solution_costs_what_it_says() {
    let folder = common::qaplib();
    let optima = common::optima(&folder);
    let (mut instances, mut solutions) = (0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        let instance = Instance::read(&path).unwrap_or_else(|error| panic!("{error}"));
        instances += 1;
        let name = instance.name().to_owned();
        let solution = path.with_extension("sln");
        if solution.exists() {
            let stated = read_solution(&solution, &instance).unwrap_or_else(|error| panic!("{error}"));
            let known = MISSTATED.iter().find(|(misstated, _)| *misstated == name).map(|(_, cost)| *cost);
            let cost = instance.length(&stated.permutation).unwrap();
            assert_eq!(cost, known.unwrap_or(stated.cost), "{name}");
            let best = optima.iter().find(|(listed, _)| *listed == name).expect("its best known cost is listed").1;
            assert!(cost >= best as f64, "{name}");
            solutions += 1;
        }
    }
    println!("{instances} QAPLIB instances and {solutions} solutions checked");
    assert!(instances > 0 && solutions > 0);
}
