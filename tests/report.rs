//! What `--json` writes is what its schema says.

use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use myrmex::report::{Report, write_trace};
use myrmex::tsp::Instance;
use myrmex::{Problem, Settings, Solver, Stop, Target, TracePoint};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator() -> Validator {
    let text = std::fs::read_to_string(root().join("docs/guide/report.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).expect("the schema is valid")
}

fn solve(instance: &str, words: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .arg("solve")
        .arg(root().join("instances").join(instance))
        .args(if words.contains(&"--devices") { &[] as &[&str] } else { &["--backend", "cpu"] })
        .args(["--quiet", "--json", "-"])
        .args(if words.contains(&"--iterations") { &[] as &[&str] } else { &["--iterations", "9"] })
        .args(words)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_schema_knows_every_algorithm() {
    let text = std::fs::read_to_string(root().join("docs/guide/report.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["$defs"]["algorithm"]["enum"], serde_json::json!(myrmex::Algorithm::NAMES));
}

#[test]
fn reports_of_every_algorithm_are_what_the_schema_says() {
    let validator = validator();
    let few = ["--set", "population=4"];
    let runs: &[(&str, &[&str])] = &[
        ("uniform200.tsp", &[]),
        ("uniform200.tsp", &["--algorithm", "lk", "--set", "colonies=2"]),
        ("uniform200.tsp", &["--algorithm", "eax", "--iterations", "80", few[0], few[1]]),
        ("uniform200.tsp", &["--algorithm", "as", "--set", "ants=4"]),
        ("uniform200.tsp", &["--algorithm", "acs", "--set", "ants=4"]),
        ("uniform200.tsp", &["--algorithm", "mmas", "--set", "ants=4"]),
        ("uniform200.tsp", &["--algorithm", "faco", "--set", "ants=4"]),
        ("uniform200.tsp", &["--algorithm", "clk", "--set", "walks=2"]),
        ("uniform200.tsp", &["--preset", "amp-a", "--set", "ants=4"]),
        ("uniform200.tsp", &["--effort", "large", "--target", "99999999999"]),
        ("layout40.dat", &["--set", "population=4"]),
        ("layout40.dat", &["--algorithm", "cas", "--set", "units=4"]),
        ("uniform200.tsp", &["--algorithm", "lk", "--devices", "cpu,cpu"]),
        ("layout40.dat", &["--algorithm", "mmas"]),
    ];
    for (instance, words) in runs {
        let report = solve(instance, words);
        let errors: Vec<String> =
            validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{instance} {words:?}: {errors:#?}");
        // What runs is told by the same names twice.
        let (planned, ran) = (&report["recipe"]["phases"][0], &report["phases"][0]);
        assert_eq!((&planned["algorithm"], &planned["parameters"]), (&ran["algorithm"], &ran["parameters"]));
        let iterations: u64 =
            report["phases"].as_array().unwrap().iter().filter_map(|it| it["iterations"].as_u64()).sum();
        assert_eq!(iterations, report["iterations"].as_u64().unwrap());
        // A point is a gain, or measures a population at the cost of the point before.
        let mut before = u64::MAX;
        for point in report["trace"].as_array().unwrap() {
            let cost = point["cost"].as_u64().unwrap();
            let is_right = if point["shared_edges"].is_null() { cost < before } else { cost == before };
            assert!(is_right, "{instance} {words:?}: {point} after a cost of {before}");
            before = cost;
        }
    }
}

/// A preset that was changed is told with what was changed, and how the device ran it.
#[test]
fn what_was_asked_for_and_how_it_ran_is_told() {
    let words = ["--preset", "as-fine", "--set", "strategy=coarse", "--set", "deposit=atomic"];
    let report = solve("uniform200.tsp", &[&words[..], &["--set", "ants=4", "--devices", "wgpu:0"]].concat());
    assert!(validator().is_valid(&report));
    assert_eq!(report["set"], serde_json::json!({"strategy": "coarse", "deposit": "atomic", "ants": 4}));
    let execution = &report["phases"][0]["execution"];
    assert_eq!((&execution["strategy"], &execution["deposit"]), (&"coarse".into(), &"atomic".into()), "{execution}");
    assert!(execution["lanes"].is_u64() && execution["visited"] == "bt", "{execution}");
    // Kernels take no longer than their run, in whichever unit a device counts time.
    let kernels = report["kernels"].as_array().unwrap().iter().map(|kernel| kernel["ms"].as_f64().unwrap());
    let (kernels, seconds) = (kernels.sum::<f64>() / 1e3, report["seconds"].as_f64().unwrap());
    assert!(kernels < seconds && (kernels > 0.0 || !cfg!(target_os = "linux")), "{kernels} of {seconds} s");
    let plain = solve("uniform200.tsp", &["--preset", "as-fine"]);
    assert!(plain.get("set").is_none() && plain["preset"] == "as-fine");
    // A settings file may name it, and the command line an algorithm instead.
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, "preset = \"as-fine\"\n").unwrap();
    let settings = settings.to_str().unwrap();
    let of_file = solve("uniform200.tsp", &["--settings", settings]);
    assert_eq!((&of_file["preset"], &of_file["algorithm"]), (&"as-fine".into(), &"as".into()));
}

/// What solutions keep to is told by value: ends of paths, fixed edges, what distances come from.
#[test]
fn a_report_has_the_constraints_of_its_instance() {
    let points: Vec<[f64; 2]> = (0..12).map(|i| [f64::from(i * 7 % 12), f64::from(i * 5 % 11)]).collect();
    let plain = Instance::from_points(&points).unwrap();
    let of = |instance: Instance| {
        let problem = Problem::from(instance);
        let solution =
            Solver::new(&problem, &Settings::default(), Target::Cpu).unwrap().run(&Stop::iterations(2)).unwrap();
        serde_json::to_value(Report::of(&problem, &solution)).unwrap()
    };
    let keys = ["open", "start", "end", "fixed_edges", "distances", "n"];
    let told = |report: &Value| keys.map(|key| report.get(key).cloned().unwrap_or_default());
    let path = plain.clone().open_path(Some(2), Some(5)).unwrap().with_fixed_edges(&[[3, 7]]).unwrap();
    let path = of(path);
    let expected = serde_json::json!([true, 2, 5, [[3, 7]], "points in the plane", 12]);
    assert_eq!(Value::from(told(&path).to_vec()), expected);
    let tour: Vec<u64> = path["tour"].as_array().unwrap().iter().map(|city| city.as_u64().unwrap()).collect();
    assert_eq!((tour[0], tour[11]), (2, 5));
    assert!(tour.windows(2).any(|pair| pair == [3, 7] || pair == [7, 3]), "{tour:?}");
    assert!(validator().is_valid(&path));
    let matrix = Instance::from_matrix("matrix", 12, plain.distance_matrix()).unwrap();
    let expected = serde_json::json!([false, null, null, null, "matrix", 12]);
    assert_eq!(Value::from(told(&of(matrix)).to_vec()), expected);
}

#[test]
fn the_table_of_gains_has_its_columns_in_order() {
    let point = |point: Value| -> TracePoint { serde_json::from_value(point).unwrap() };
    let trace = [
        point(serde_json::json!({"seconds": 0.25, "iteration": 3, "cost": 70, "length": 6.5, "shared_edges": 0.75})),
        point(serde_json::json!({"seconds": 1.5, "iteration": 4, "cost": 60, "length": null})),
    ];
    let mut table = Vec::new();
    write_trace(&mut table, &trace).unwrap();
    let expected = "seconds,iteration,cost,shared_edges,length\n0.250000,3,70,0.750000,6.5\n1.500000,4,60,,\n";
    assert_eq!(String::from_utf8(table).unwrap(), expected);
}

/// The settings of a run are those of its report.
#[test]
fn a_report_has_the_settings_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("report.json");
    let again = |report: &Value| {
        std::fs::write(&kept, report.to_string()).unwrap();
        solve("uniform200.tsp", &["--settings", kept.to_str().unwrap()])
    };
    for words in
        [&["--set", "windows=7", "--seed", "5"][..], &["--preset", "as-fine", "--set", "ants=4", "--effort", "small"]]
    {
        let report = solve("uniform200.tsp", words);
        let found = again(&report);
        assert_eq!(
            (&found["tour"], &found["recipe"], &found["set"]),
            (&report["tour"], &report["recipe"], &report["set"])
        );
    }
    let refused = |text: &str| {
        std::fs::write(&kept, text).unwrap();
        let words = ["solve", "instances/uniform200.tsp", "--quiet", "--settings", kept.to_str().unwrap()];
        let output = Command::new(env!("CARGO_BIN_EXE_myrmex")).current_dir(root()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("{\"schema\": 1, \"seed\": 3}").contains("a report tells 'algorithm', and this one does not"));
    let recipe = &solve("uniform200.tsp", &[])["recipe"];
    for other in ["{\"seed\": 3}".to_owned(), recipe.to_string(), format!("{{\"n\": 3, \"recipe\": {recipe}}}")] {
        assert!(refused(&other).contains("this is no report: settings are TOML, or the report of one run"), "{other}");
    }
    assert!(refused("{\"seed\": 3}\n{}").contains("report.json:2: "));
}

/// How many iterations of tabu search a run made follows from its recipe, whatever it was resumed from or ended by.
#[test]
fn iterations_of_tabu_search_are_counted() {
    let searches = ["--set", "search_iterations=100", "--set", "first_iterations=10", "--iterations", "6"];
    let report = solve("layout40.dat", &[&searches[..], &["--algorithm", "cas", "--set", "units=3"]].concat());
    assert_eq!(report["tabu_iterations"], 3 * (10 + 20 + 40 + 80 + 100 + 100));
    let population = ["--algorithm", "memetic", "--set", "population=3", "--set", "local_search=tabu"];
    assert_eq!(solve("layout40.dat", &[&searches[..], &population].concat())["tabu_iterations"], 3 * 350);
    assert!(validator().is_valid(&report));
    for (instance, words) in [
        ("layout40.dat", &["--set", "population=3", "--set", "local_search=2opt"][..]),
        ("layout40.dat", &["--set", "local_search=tabu", "--set", "colonies=2", "--set", "search_iterations=20"]),
        ("uniform200.tsp", &[]),
    ] {
        assert!(solve(instance, words)["tabu_iterations"].is_null(), "{words:?}");
    }
}

/// The schema has teeth: whatever key goes or changes its kind is noticed.
#[test]
fn other_reports_are_refused() {
    let validator = validator();
    let report = solve("uniform200.tsp", &[]);
    let object = report.as_object().unwrap();
    for (key, value) in object {
        let mut without = object.clone();
        without.remove(key);
        assert!(!validator.is_valid(&Value::Object(without)), "without {key} it passes");
        let mut other = object.clone();
        other.insert(key.clone(), if value.is_boolean() { Value::from(3) } else { Value::Bool(true) });
        assert!(!validator.is_valid(&Value::Object(other)), "with another {key} it passes");
    }
    let lost =
        serde_json::json!({"backend": "cuda", "device": "a GPU", "message": "lost", "iteration": 3, "seconds": 0.5});
    let lost: myrmex::DeviceLost = serde_json::from_value(lost).unwrap();
    let mut after = object.clone();
    after.insert("device_lost".into(), serde_json::to_value(&lost).unwrap());
    assert!(validator.is_valid(&Value::Object(after.clone())), "a report of a device that failed is refused");
    after["device_lost"]["backend"] = "cpu".into();
    assert!(!validator.is_valid(&Value::Object(after)), "the CPU is none that fails");
    let mut more = object.clone();
    more.insert("ants".into(), Value::from(3));
    assert!(!validator.is_valid(&Value::Object(more)));
}
