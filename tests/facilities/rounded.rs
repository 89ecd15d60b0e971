//! Entries that are rounded: what that may change, what is told of it, and few assignments, which are compared by what was given.

use super::*;

/// What facilities exchange with fixed ones may take more room than they do among themselves: then entries are rounded.
#[test]
fn fixed_facilities_that_take_more_room_are_rounded() {
    let n = 12;
    let matrix = |seed: u32| -> Vec<u32> {
        (0..n * n)
            .map(|at| ((at as u32 + seed).wrapping_mul(2_654_435_761) >> 20) * u32::from(at / n != at % n))
            .collect()
    };
    let fits = |scale: u32| {
        let larger = |seed| matrix(seed).into_iter().map(|entry| entry * scale).collect();
        Instance::from_matrices("full", n, larger(1), larger(2))
    };
    let full = (1..1000).map_while(|scale| fits(scale).ok()).last().unwrap();
    let pairs: Vec<[u32; 2]> = (0..9).map(|number| [number, number]).collect();
    let fixed = full.clone().with_fixed(&pairs).unwrap();
    let assignment: Vec<u32> = (0..9).chain([11, 9, 10]).collect();
    assert_eq!(fixed.length(&assignment).unwrap(), full.length(&assignment).unwrap());
    let differs = (fixed.length_of(fixed.cost(&assignment).unwrap()) - full.length(&assignment).unwrap()).abs();
    assert!(
        differs <= fixed.cost_error() && solve(&fixed, Target::Cpu, 2).length <= fixed.length(&assignment).unwrap()
    );
}

/// Where all assignments can be compared by what was given, nothing that is lost in rounding decides.
#[test]
fn what_is_lost_in_rounding_decides_among_few() {
    let far: Vec<f64> = (0..9).map(|at| if at / 3 == at % 3 { 0.0 } else { f64::from(at) / 7.0 }).collect();
    let (tiny, third) = (1e-14, 1.0 / 3.0);
    let flows = vec![0.0, third, 0.0, third, 0.0, tiny, 0.0, tiny, 0.0];
    let costs = [1e30, 0.25, 0.25, 2e30, 0.25, 0.5, 1e30, 0.25, 0.25];
    for placing in [None, Some(costs.to_vec())] {
        let (flows, distances) = (flows.clone(), far.clone());
        let given = Given { facilities: 3, locations: 3, flows, distances, placing, fixed: Vec::new() };
        let found = myrmex::solve(given.instance(), Duration::from_secs(60)).unwrap();
        assert_eq!(found.ended, Ended::Trivial);
        assert!((found.length - given.least()).abs() <= 1e-12 * given.least(), "{} {}", found.length, given.least());
    }
}

/// Where flows are negative and many locations stay empty, counted assignments are not gone through, but those that are rounded are all the same.
#[test]
fn what_is_lost_decides_among_few_also_where_flows_are_negative() {
    let (n, third) = (100, 1.0 / 3.0);
    let drawn = |at: usize| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
    let mut distances: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { drawn(at) }).collect();
    distances[1] = 1e15;
    let flows = vec![0.0, 1.0, 0.0, 0.0, 0.0, -third, 0.0, 0.0, 0.0];
    let mut costs = vec![0.0; 3 * n];
    costs[2 * n + 1] = f64::INFINITY;
    let given = Given { facilities: 3, locations: n, flows, distances, placing: Some(costs), fixed: Vec::new() };
    let found = myrmex::solve(given.instance(), Duration::from_secs(60)).unwrap();
    let least = given.least();
    assert!(found.ended == Ended::Trivial && (found.length - least).abs() < 1e-12, "{} {least}", found.length);
}

/// Where entries lie so far apart that rounding leaves little of what an assignment costs, that is told.
#[test]
fn what_rounding_leaves_nothing_of_is_told() {
    let wide = |at: usize| 10f64.powf(f64::from((at as u32).wrapping_mul(2_654_435_761) >> 12) / 174_763.0 - 3.0);
    let square = |side: usize, seed: usize| -> Vec<f64> {
        (0..side * side).map(|at| if at / side == at % side { 0.0 } else { wide(at + seed) }).collect()
    };
    for seed in 0..4 {
        let made = Instance::from_matrices_f64("wide", [3, 150], square(3, 1000 * seed), square(150, 77 * seed), None);
        let problem = Problem::from(made.unwrap());
        let found = myrmex::solve(&problem, Duration::from_millis(300)).unwrap();
        let told = [problem.warnings(), problem.warnings_of(&found.permutation).unwrap()].concat().join("\n");
        assert!(told.contains("the solver counts costs to within"), "{seed}: {} {told}", found.length);
    }
}

/// Where entries are rounded it is said on standard error, and in the report.
#[test]
fn rounding_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "thirds.dat");
    let thirds = |n: usize| {
        let entry = |at: usize| if at / n == at % n { 0.0 } else { (1 + at * 7 % 11) as f64 / 3.0 };
        let matrix: Vec<String> = (0..n * n).map(|at| entry(at).to_string()).collect();
        format!("{n}\n{0}\n{0}\n", matrix.join(" "))
    };
    std::fs::write(&path, thirds(12)).unwrap();
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "2", "--json", "-"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = json["cost_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 1e-3 * json["length"].as_f64().unwrap());
    let told = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(json.get("warnings").is_none(), "{json}");
    assert!(told(&output).contains("the solver counts costs to within "), "{}", told(&output));
    let quiet = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "2", "--quiet"]);
    assert!(!told(&quiet).contains("entries"), "{}", told(&quiet));
    // Few are compared by what was given.
    std::fs::write(&path, thirds(4)).unwrap();
    let few = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "2", "--json", "-"]);
    assert!(told(&few).contains("all solutions tried") && !told(&few).contains("entries"), "{}", told(&few));
    let exact = myrmex(&["solve", &instance("layout40.dat"), "--backend", "cpu", "--iterations", "1", "--json", "-"]);
    let json: Value = serde_json::from_slice(&exact.stdout).unwrap();
    assert!(
        json.get("cost_error").is_none() && json.get("locations").is_none() && json.get("empty_locations").is_none()
    );
    assert!(!told(&exact).contains("entries"));
}
