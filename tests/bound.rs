//! Lower bounds: never above what is known, and near it.

mod common;

use std::time::Duration;

use common::program::{complaint, instance, myrmex, stdout};
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
        let told = complaint(&beyond);
        assert!(told.contains("--target 20000 is below the lower bound ") && beyond.status.success(), "{told}");
    }
    let refuted = complaint(&myrmex(&[&seek[..], &["--optimum", "20000"]].concat()));
    assert!(refuted.contains("--optimum 20000 is below the lower bound "), "{refuted}");
    // A 1-tree may cost more than the best path.
    let open = myrmex(&["solve", &instance("circle150.tsp"), "--bound", "--open"]);
    assert_eq!(open.status.code(), Some(2));
    assert!(complaint(&open).contains("are for closed tours"), "{}", complaint(&open));
    let refused = myrmex(&["solve", &instance("layout40.dat"), "--bound"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(complaint(&refused).contains("--bound is for tours"), "{}", complaint(&refused));
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
