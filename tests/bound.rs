//! Lower bounds: never above what is known, and near it; runs that end because no solution is better.

use crate::common;
use std::time::Duration;

use crate::common::program::{complaint, file, instance, myrmex, stdout};
use myrmex::tsp::Instance;
use serde_json::Value;

#[test]
fn a_bound_is_told_with_the_gap_to_it() {
    let input = instance("lattice400.tsp");
    let run = ["solve", &input, "--backend", "cpu", "--time", "2s", "--optimum", "40000", "--bound", "--json", "-"];
    let output = myrmex(&run);
    assert!(output.status.success(), "{}", complaint(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let (bound, gap) = (report["bound"].as_f64().unwrap(), report["bound_gap"].as_f64().unwrap());
    assert!((30_000.0..=40_000.0).contains(&bound), "{bound}");
    assert!(((report["length"].as_f64().unwrap() / bound - 1.0) * 100.0 - gap).abs() < 1e-9);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no tour is shorter than"));
    let seek = ["solve", &input, "--backend", "cpu", "--time", "1s", "--bound"];
    for runs in ["1", "2"] {
        let beyond = myrmex(&[&seek[..], &["--target", "20000", "--runs", runs]].concat());
        let told = String::from_utf8_lossy(&beyond.stderr);
        assert!(beyond.status.success(), "{told}");
        // As soon as it is known, and once.
        let refuted = "--target 20000 is below the lower bound ";
        let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text}: {told}"));
        assert!(at(refuted) < at("--target 20000 was not reached") && told.matches(refuted).count() == 1, "{told}");
    }
    let refuted = complaint(&myrmex(&[&seek[..], &["--optimum", "20000"]].concat()));
    assert!(refuted.contains("--optimum 20000 is below the lower bound "), "{refuted}");
    // So it is where all tours of few cities were gone through.
    let folder = tempfile::tempdir().unwrap();
    let few = file(&folder, "few.csv");
    std::fs::write(&few.0, "x,y\n0,0\n3,0\n3,4\n0,4\n1,1\n").unwrap();
    for option in ["--optimum", "--target"] {
        let refuted = complaint(&myrmex(&["solve", &few.1, "--backend", "cpu", option, "2"]));
        assert!(refuted.contains(&format!("{option} 2 is below the lower bound ")), "{refuted}");
    }
    // A 1-tree may cost more than the best path.
    let open = myrmex(&["solve", &instance("circle150.tsp"), "--bound", "--open"]);
    assert_eq!(open.status.code(), Some(2));
    assert!(complaint(&open).contains("are for closed tours"), "{}", complaint(&open));
    let refused = myrmex(&["solve", &instance("layout40.dat"), "--bound"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(complaint(&refused).contains("--bound is for tours"), "{}", complaint(&refused));
}

/// The report of a run that may take a minute.
fn report(words: &[&str]) -> Value {
    let all = ["--backend", "cpu", "--time", "60", "--quiet", "--json", "-"];
    let output = myrmex(&[&["solve"], words, &all].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn a_run_ends_when_no_solution_is_better() {
    let folder = tempfile::tempdir().unwrap();
    let [towns, ways, flows, rooms] =
        ["towns.csv", "ways.csv", "flows.csv", "rooms.csv"].map(|name| file(&folder, name));
    let places = [(1, 2), (8, 3), (5, 9), (2, 7), (9, 9), (4, 4), (7, 1), (3, 1), (6, 6), (1, 9), (9, 5), (2, 4)];
    let rows = places.iter().enumerate().map(|(city, (x, y))| format!("T{city},{x},{y}\n"));
    std::fs::write(&towns.0, format!("name,x,y\n{}", rows.collect::<String>())).unwrap();
    std::fs::write(
        &ways.0,
        "0 9 2 8 7 5 4\n3 0 8 1 6 2 9\n7 4 0 9 2 8 5\n6 9 3 0 9 1 7\n1 8 9 5 0 6 3\n4 4 7 2 8 0 1\n2 6 1 7 3 9 0\n",
    )
    .unwrap();
    std::fs::write(&flows.0, ",Sales,Stock,Desk\nSales,,4,1\nStock,2,,6\nDesk,,3,\n").unwrap();
    std::fs::write(&rooms.0, ",R1,R2,R3,R4\nR1,0,12,20,31\nR2,12,0,9,22\nR3,20,9,0,14\nR4,31,22,14,0\n").unwrap();
    let lattice = instance("lattice400.tsp");
    let runs: [&[&str]; 7] = [
        &[&towns.1],
        &[&towns.1, "--open", "--algorithm", "acs"],
        &[&towns.1, "--start", "T3", "--end", "T8", "--fix", "T1=T2"],
        &[&ways.1],
        &[&flows.1, "--distances", &rooms.1],
        &[&flows.1, "--distances", &rooms.1, "--fix", "Sales=R4"],
        &[&lattice, "--bound"],
    ];
    for words in runs {
        let report = report(words);
        // Of few cities with asymmetric distances all orders are gone through before a search begins.
        let ended = if words == [&ways.1] { "trivial" } else { "optimal" };
        assert_eq!(report["ended"], ended, "{words:?}");
        assert!(report["seconds"].as_f64().unwrap() < 30.0, "{words:?}: {}", report["seconds"]);
    }
    // All edges are fixed, or all but the last.
    let chain: Vec<String> = (1..7).map(|city| format!("{city}={}", city + 1)).collect();
    for (algorithm, last) in [("auto", true), ("auto", false), ("mmas", true), ("mmas", false)] {
        let fixed = chain.iter().map(String::as_str).chain(last.then_some("7=1")).flat_map(|pair| ["--fix", pair]);
        let words: Vec<&str> = [ways.1.as_str(), "--algorithm", algorithm].into_iter().chain(fixed).collect();
        let report = report(&words);
        assert_eq!((&report["ended"], report["cost"].as_u64()), (&"trivial".into(), Some(9 + 8 + 9 + 9 + 6 + 1 + 2)));
    }
    let bounded = report(&[&lattice, "--bound"]);
    assert_eq!((bounded["cost"].as_u64(), bounded["bound"].as_f64()), (Some(40_000), Some(40_000.0)));
}

#[test]
fn bounds_of_distances_are_not_negative() {
    let points: Vec<[f64; 2]> = (0..12).map(|city| if city < 11 { [0.3, 0.7] } else { [0.3, 0.700001] }).collect();
    let bound = Instance::from_points(&points).unwrap().lower_bound(Duration::from_secs(5)).unwrap();
    assert!((0.0..=2e-6).contains(&bound.length), "{bound:?}");
}

/// All symmetric instances of TSPLIB with up to 1,500 cities.
#[test]
#[ignore = "needs TSPLIB, in the folder that MYRMEX_DATA names"]
fn no_bound_is_above_an_optimum_of_tsplib() {
    let folder = common::tsplib();
    let (mut all, mut near) = (0, 0);
    for (name, optimum) in common::optima(&folder) {
        let path = folder.join(format!("{name}.tsp"));
        let Some(instance) = path.exists().then(|| Instance::read(&path).unwrap()).filter(|it| it.len() <= 1500) else {
            continue;
        };
        let bound = instance.lower_bound(Duration::from_secs(1)).unwrap();
        assert!(bound.cost <= optimum, "{name}: {bound:?} above {optimum}");
        let below = (1.0 - bound.cost as f64 / optimum as f64) * 100.0;
        println!(
            "{name}: {} of {optimum}, {below:.3}% below, {} steps, {:.2} s",
            bound.cost, bound.steps, bound.seconds
        );
        all += 1;
        near += usize::from(below <= 1.0);
    }
    println!("{near} of {all} within 1%");
    assert!(all > 60 && 2 * near > all, "{near} of {all}");
}

/// A pass over all pairs of 30,000 cities takes seconds, which a time limit does not wait for.
#[test]
fn a_bound_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let (path, many) = file(&folder, "many.tsp");
    let mut text = Vec::new();
    myrmex::tsp::generate(myrmex::tsp::Kind::Clustered, 30_000, 1).unwrap().write(&mut text).unwrap();
    std::fs::write(path, text).unwrap();
    let took = |bound: &[&str]| {
        let began = std::time::Instant::now();
        let output = myrmex(&[&["solve", &many, "--backend", "cpu", "--time", "1"], bound].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        began.elapsed()
    };
    // In one of a few tries: others use the machine, too.
    let mut tries = Vec::new();
    let held = (0..3).any(|_| {
        let [plain, bounded] = [took(&[]), took(&["--bound"])];
        tries.push([plain, bounded]);
        bounded < plain + Duration::from_secs(2)
    });
    assert!(held, "{tries:?}");
}
