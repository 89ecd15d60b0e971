//! Distances of any kind: what a run says of its solution in the unit of what was given.

use crate::common;
use crate::common::program::{complaint, file, instance, myrmex, stdout};
use myrmex::tsp::{Instance, Kind, generate};
use myrmex::{Ended, Problem, Rounding, Settings, Solution, Solver, Stop, Target};
use serde_json::Value;

fn solve(instance: &Instance, iterations: u32) -> Solution {
    let mut solver = Solver::new(instance, &Settings::default(), Target::Cpu).unwrap();
    solver.run(&Stop::iterations(iterations)).unwrap()
}

/// A city far from all others by mistake leaves these few digits: that is told, and refused where it leaves most of them none.
#[test]
fn rounding_that_leaves_few_places_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.csv");
    let told = |far: &str| {
        let cities: String = (0..40).map(|city| format!("{},{}\n", city * 37 % 101, city * 53 % 97)).collect();
        std::fs::write(&path, format!("x,y\n{cities}{far},0\n")).unwrap();
        let arguments = ["solve", path.to_str().unwrap(), "--backend", "cpu", "--iterations", "1"];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_myrmex")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, some) = told("999999999");
    assert!(
        code == Some(0) && some.contains("of 41 cities are in the same place as another one for the solver"),
        "{some}"
    );
    // So far that others come to nothing, also where they are a whole number of tens.
    for far in ["999999999999", "10000000000000000"] {
        let (code, most) = told(far);
        assert!(code == Some(2) && most.contains("far.csv:42: ") && most.contains("places are left of 41"), "{most}");
    }
    assert!(!told("500").1.contains("same place"));
}

/// What a run tells of a matrix of minutes whose way from the first to the last city is given.
fn told_of_minutes(way: &str) -> String {
    // Nothing leads to the last city but this way.
    told_of(&format!(",A,B,C,D\nA,0,5,9,{way}\nB,6,0,7,99999\nC,8,4,0,99999\nD,5,5,6,0\n"))
}

/// What a run tells of a table.
fn told_of(table: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, table).unwrap();
    let arguments = ["solve", path.to_str().unwrap(), "--backend", "cpu", "--iterations", "1"];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_myrmex")).args(arguments).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// A negative weight among others that are none may stand for a way that is not there: that is told.
#[test]
fn a_negative_way_is_told() {
    let warned = told_of_minutes("-1");
    assert!(warned.contains("a way has a negative weight (from 1 ('A') to 4 ('D'): -1)"), "{warned}");
    assert!(!told_of_minutes("1").contains("negative"));
    // Of a ring in a table of ways most are none.
    let others = ["A,C", "A,D", "B,D", "B,E", "C,E"].map(|pair| format!("{pair},-1\n")).concat();
    let ring = ["A,B", "B,C", "C,D", "D,E", "E,A"].map(|pair| format!("{pair},10\n")).concat();
    let warned = told_of(&format!("from,to,km\n{ring}{others}"));
    assert!(warned.contains("some ways have negative weights (from 1 ('A') to 3 ('C'): -1)"), "{warned}");
}

/// So may a way that is much longer than the others of the tour.
#[test]
fn a_tour_over_a_way_that_is_not_there_is_told() {
    let warned = told_of_minutes("99999");
    assert!(warned.contains("the tour takes a way longer than all the others together could be (from "), "{warned}");
    assert!(warned.contains(" to 4 ('D'): 99999): does that stand for a way that is not there?"), "{warned}");
    assert!(!told_of_minutes("1").contains("longer than all"));
}

/// The same cities, as TSPLIB counts them and in a unit a millionth as long: the same good tour.
#[test]
fn points_in_any_unit_are_solved() {
    let made = generate(Kind::Uniform, 200, 1).unwrap();
    let best = solve(&made, 60).cost as f64;
    for unit in [1e-6, 1.0, 1e9] {
        let points: Vec<[f64; 2]> = made.coords().iter().map(|p| [p.x * unit, p.y * unit]).collect();
        let instance = Instance::from_points(&points).unwrap();
        let solution = solve(&instance, 60);
        assert_eq!(solution.length, instance.length(&solution.permutation).unwrap());
        let told = instance.length_of(solution.cost);
        assert!((told - solution.length).abs() <= 200.0 * instance.edge_error(), "{told} {}", solution.length);
        assert!((solution.length / unit / best - 1.0).abs() < 1e-3, "{} {best}", solution.length / unit);
        // The trace tells lengths, too.
        let gains: Vec<_> = solution.trace.iter().filter(|point| point.shared_edges.is_none()).collect();
        assert!(gains.len() > 2 && gains.last().unwrap().length == Some(solution.length));
        assert!(
            gains
                .iter()
                .all(|gain| (gain.length.unwrap() - instance.length_of(gain.cost)).abs()
                    <= 200.0 * instance.edge_error())
        );
    }
}

/// A length that a run has told ends another one, however distances are rounded.
#[test]
fn lengths_end_runs() {
    let made = generate(Kind::Uniform, 40, 5).unwrap();
    let points: Vec<[f64; 2]> = made.coords().iter().map(|p| [p.x / 7e5, p.y / 7e5]).collect();
    let places: Vec<[f64; 2]> = points.iter().map(|[x, y]| [x * 30.0, y * 30.0]).collect();
    let entry = |at: usize| (at as f64 * 0.777).sin() + 1.5;
    let weights = (0..1600).map(|at| entry((at / 40).min(at % 40) * 40 + (at / 40).max(at % 40))).collect();
    let problems: [Problem; 3] = [
        Instance::from_points(&points).unwrap().into(),
        Instance::from_lon_lat(&places).unwrap().into(),
        Instance::from_matrix_f64(40, weights).unwrap().into(),
    ];
    let mut above = 0;
    for problem in problems {
        let run = |stop: Stop| {
            let mut solver = Solver::new(&problem, &common::settings("mmas ants=8"), Target::Cpu).unwrap();
            solver.run(&stop).unwrap()
        };
        let found = run(Stop::iterations(30));
        above += u32::from(problem.cost_of(found.length) < found.cost);
        let again = run(Stop::target(found.length).or(Stop::iterations(200)));
        assert!(again.ended == Ended::Target && again.length <= found.length, "{} {again:?}", found.length);
        let beyond = run(Stop::target(found.length * (1.0 - 1e-9)).or(Stop::iterations(60)));
        assert!(beyond.ended == Ended::Iterations || beyond.length < found.length);
    }
    assert!(above > 0, "rounding took no length above what its cost tells");
}

#[test]
fn places_on_the_globe_and_weights_with_signs_are_solved() {
    // A ring around the pole, across 180 degrees, in no order.
    let ring: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i * 7 % 40) * 9.0 - 180.0, 80.0]).collect();
    let instance = Instance::from_lon_lat(&ring).unwrap();
    let solution = solve(&instance, 30);
    let around: Vec<u32> = (0..40).map(|i| i * 23 % 40).collect();
    assert_eq!(solution.cost, instance.tour_cost(&around).unwrap());
    assert!((solution.length - 6_947_000.0).abs() < 5_000.0, "{}", solution.length);
    // A tour that pays: each step forwards earns 5.
    let n = 12;
    let weights = (0..n * n).map(|at| if at % n == (at / n + 5) % n { -5 } else { 3 }).collect();
    let solution = solve(&Instance::from_matrix_i64(n, weights).unwrap(), 60);
    assert_eq!(solution.length, -60.0);
}

/// Cities on the globe, more than a matrix is kept for: the same tour on a GPU and on the CPU, and its true length.
#[test]
fn many_places_on_the_globe_need_no_matrix() {
    let word = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
    let places: Vec<[f64; 2]> = (1..=7000).map(|i| [5.0 + 10.0 * word(2 * i), 45.0 + 9.0 * word(7_919 * i)]).collect();
    let many = Instance::from_lon_lat(&places).unwrap();
    let path = many.clone().open_path(Some(3), None).unwrap().with_fixed_edges(&[[5, 17], [17, 300]]).unwrap();
    let settings = common::settings("lk-eax windows=48 window_size=100 steps=600 seed=5");
    for (instance, iterations) in [(many, 8), (path, 4)] {
        let runs = common::targets().map(|target| run_in_space(&instance, &settings, target, iterations));
        assert_eq!(runs[0], runs[1]);
    }
    // Crossover of all cities, as many cities would be measured.
    let few = Instance::from_lon_lat(&places[..300]).unwrap().as_of_many();
    let settings = common::settings("lk-eax windows=4 window_size=64 steps=1000 population=8 seed=5");
    let runs = common::targets().map(|target| run_in_space(&few, &settings, target, 60));
    assert_eq!(runs[0], runs[1]);
}

/// The solution of a run that takes distances from places in space.
fn run_in_space(instance: &Instance, settings: &Settings, target: Target, iterations: u32) -> (Vec<u32>, u64) {
    let mut solver = common::solver(instance, settings, target);
    let first = solver.progress().cost;
    let solution = solver.run(&Stop::iterations(iterations)).unwrap();
    assert!(matches!(solver.plan().unwrap().rounding, Some(Rounding::Space(_))));
    assert_eq!(solution.cost, instance.tour_cost(&solution.permutation).unwrap());
    assert_eq!(solution.length, instance.length(&solution.permutation).unwrap());
    assert!(solution.cost < first && solution.phases.iter().map(|phase| phase.iterations).sum::<u32>() == iterations);
    (solution.permutation, solution.cost)
}

#[test]
fn the_program_measures_as_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "square.tsp");
    let made = generate(Kind::Uniform, 200, 1).unwrap();
    let rows: String =
        made.coords().iter().enumerate().map(|(i, p)| format!("{} {} {}\n", i + 1, p.x * 1e-6, p.y * 1e-6)).collect();
    let head = "NAME: square\nTYPE: TSP\nDIMENSION: 200\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n";
    std::fs::write(path, format!("{head}{rows}EOF\n")).unwrap();
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "30"];
    let refused = myrmex(&run);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        complaint(&refused).contains("square.tsp:206: EUC_2D rounds")
            && complaint(&refused).contains("the metric 'plane'")
    );
    let solved = myrmex(&[&run[..], &["--metric", "plane", "--json", "-", "--quiet"]].concat());
    let report: Value = serde_json::from_str(&stdout(&solved)).unwrap();
    let length = report["length"].as_f64().unwrap();
    assert!(
        (length * 1e6 - report["cost"].as_f64().unwrap()).abs() < 400.0 && (10.0..12.0).contains(&length),
        "{length}"
    );
    let told = myrmex(&[&run[..], &["--metric", "plane"]].concat());
    let (nine, cost) = (format!("{length:.7}"), &report["cost"]);
    let shown = format!("length {} (cost {cost})", nine.trim_end_matches('0'));
    assert!(stdout(&told).contains(&shown), "{}", stdout(&told));
    let globe = myrmex(&[&run[..], &["--metric", "globe"]].concat());
    assert!(stdout(&globe).contains(" m (cost "), "{}", stdout(&globe));
    let (_, tour) = file(&folder, "square.tour");
    let written = myrmex(&[&run[..], &["--metric", "plane", "--solution", &tour]].concat());
    assert!(written.status.success(), "{}", complaint(&written));
    let checked = stdout(&myrmex(&["check", &input, &tour, "--metric", "plane"]));
    assert!(checked.contains(&format!("200 cities, {shown}")), "{checked}");
    let header = std::fs::read_to_string(tour).unwrap();
    assert!(header.contains(&format!("COMMENT : Length {:.6}", (length * 1e6).floor() / 1e6)), "{header}");
    let matrix = myrmex(&["solve", &instance("layout40.dat"), "--problem", "qap", "--metric", "globe"]);
    assert_eq!(matrix.status.code(), Some(2));
    assert!(complaint(&matrix).contains("--metric measures"), "{}", complaint(&matrix));
}
