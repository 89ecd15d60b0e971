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

/// Of entries from 0 up, 0 on the diagonal, a standard deviation above 1.5 times the mean is what it was for Taillard.
#[test]
#[ignore = "needs QAPLIB, in the folder that MYRMEX_DATA names"]
fn flow_dominance_of_qaplib_is_that_of_all_entries() {
    let mut told = [0; 2];
    for entry in std::fs::read_dir(common::qaplib()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        let instance = Instance::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let is_dominant = |matrix: &[u32]| {
            let moment =
                |power: i32| matrix.iter().map(|x| f64::from(*x).powi(power)).sum::<f64>() / matrix.len() as f64;
            moment(2) - moment(1).powi(2) > (1.5 * moment(1)).powi(2)
        };
        let expected = is_dominant(instance.flows()) || is_dominant(instance.distances());
        assert_eq!(instance.is_structured(), expected, "{}", instance.name());
        told[usize::from(expected)] += 1;
    }
    println!("{} QAPLIB instances are dominant, {} are not", told[1], told[0]);
    assert!(told.iter().all(|count| *count > 0));
}
