//! Forms of files: tables, GeoJSON, gzip, pipes; what is read, and what is written from it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::program::{complaint, file, instance, myrmex, stdout};
use myrmex::Problem;
use serde_json::Value;

const CITIES: &str = "City;Longitude;Latitude\nBerlin;13.405;52.52\nParis;2.3522;48.8566\nLondon;-0.1276;51.5072\n\
    \"Rome; the old one\";12.4964;41.9028\nMadrid;-3.7038;40.4168\nVienna;16.3738;48.2082\n";

fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

const RUN: [&str; 4] = ["--backend", "cpu", "--iterations", "5"];

#[test]
fn a_table_of_cities_comes_back_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "capitals.csv");
    std::fs::write(path, CITIES).unwrap();
    let (table_path, table) = file(&folder, "tour.csv");
    let (line_path, line) = file(&folder, "tour.geojson");
    let (_, tour) = file(&folder, "out.tour");
    let outputs = ["--solution", &table, "--solution", &line, "--tour", &tour, "--json", "-", "--quiet"];
    let solved = myrmex(&[&["solve", &input], &RUN[..], &outputs].concat());
    assert!(solved.status.success(), "{}", complaint(&solved));
    let report: Value = serde_json::from_str(&stdout(&solved)).unwrap();
    assert_eq!((&report["instance"], &report["n"]), (&"capitals".into(), &6.into()));
    // In metres, around the ring: Berlin, Vienna, Rome, Madrid, Paris, London.
    assert!((4.8e6..5.2e6).contains(&report["length"].as_f64().unwrap()), "{}", report["length"]);
    let names: Vec<&str> = report["tour_names"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(names.contains(&"Rome; the old one"));
    let all = ["Berlin", "Paris", "London", "Rome; the old one", "Madrid", "Vienna"];
    let cities: Vec<usize> =
        report["tour"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap() as usize).collect();
    assert_eq!(names, cities.iter().map(|&city| all[city]).collect::<Vec<_>>());
    let rows = std::fs::read_to_string(table_path).unwrap();
    assert!(rows.starts_with("order,city,name,lon,lat,to_next,so_far\n1,1,Berlin,13.405,52.52,"), "{rows}");
    let ways = rows.lines().skip(1).map(|row| row.rsplit(',').nth(1).unwrap().parse::<f64>().unwrap());
    assert!((ways.sum::<f64>() - report["length"].as_f64().unwrap()).abs() < 0.1, "{rows}");
    let feature: Value = serde_json::from_str(&std::fs::read_to_string(line_path).unwrap()).unwrap();
    assert_eq!(feature["geometry"]["type"], "LineString");
    assert_eq!(feature["geometry"]["coordinates"].as_array().unwrap().len(), 7);
    // Both are tours of the instance again.
    for solution in [&table, &tour] {
        let checked = stdout(&myrmex(&["check", &input, solution]));
        assert!(checked.contains(&format!("cost {}", report["cost"])), "{checked}");
        assert!(myrmex(&[&["solve", &input, "--initial", solution], &RUN[..]].concat()).status.success());
    }
}

#[test]
fn the_form_of_a_file_is_told_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let pack = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let repository = |name: &str| std::fs::read(instance(name)).unwrap();
    let points = r#"{"type":"MultiPoint","coordinates":[[1,2],[3,4],[5,2],[2,7],[3,3]]}"#;
    for (bytes, kind, n) in [
        (pack(&repository("circle150.tsp")), "tsp", 150),
        (pack(&repository("layout40.dat")), "qap", 40),
        (repository("layout40.dat"), "qap", 40),
        (CITIES.into(), "tsp", 6),
        (pack(CITIES.as_bytes()), "tsp", 6),
        (points.into(), "tsp", 5),
        (b"0.1 0.2\n0.3 0.4\n0.5 0.1\n0.2 0.2\n".into(), "tsp", 4),
        (b"5\n1 2\n3 4\n5 1\n2 2\n9 9\n".into(), "tsp", 5),
        (b"0,1,2,3\n1,0,3,4\n2,3,0,1\n3,4,1,0\n".into(), "tsp", 4),
        (b"2\n0 1 1 0\n0 3 3 0\n".into(), "qap", 2),
    ] {
        let (path, name) = file(&folder, "any");
        std::fs::write(&path, &bytes).unwrap();
        let problem = Problem::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((problem.kind(), problem.len()), (kind, n));
        for output in [myrmex(&["plan", &name, "--backend", "cpu"]), piped(&["plan", "-", "--backend", "cpu"], &bytes)]
        {
            assert!(stdout(&output).contains(&format!(": {n} ")), "{}", complaint(&output));
        }
    }
}

#[test]
fn standard_input_and_output_are_files() {
    let arguments = [&["solve", "-"], &RUN[..], &["--solution", "-"]].concat();
    let solved = piped(&arguments, &std::fs::read(instance("circle150.tsp")).unwrap());
    assert!(solved.status.success(), "{}", complaint(&solved));
    let tour = stdout(&solved);
    assert!(tour.starts_with("NAME : circle150") && tour.ends_with("EOF\n"), "{tour}");
    let checked = piped(&["check", &instance("circle150.tsp"), "-"], tour.as_bytes());
    assert!(stdout(&checked).starts_with("valid tour of 150 cities"), "{}", complaint(&checked));
    let twice = piped(&["check", "-", "-"], b"");
    assert_eq!(twice.status.code(), Some(2));
    assert!(complaint(&twice).contains("standard input"), "{}", complaint(&twice));
    let broken = piped(&["solve", "-"], b"x,y\n1,2\n3,\n");
    assert_eq!(
        complaint(&broken),
        "myrmex: standard input:3: expected a number for y in column 2, which is empty: fill it in, or leave the row out"
    );
}

#[test]
fn what_a_file_is_not_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "any.txt");
    for (text, words) in [
        ("0.5 0.5\n1 1 1\n2 2\n", "any.txt:2: 3 fields, but line 1 has 2"),
        ("1,2,3\n5,6,7\n", "any.txt:1: three columns of numbers"),
        ("3\n0 1 2 1 0 3 2 3 0\n0 1 2 1", "any.txt:3: the file ends before row 2, column 2 of the second matrix"),
        ("hello\n", "any.txt:1: not a TSPLIB file"),
        ("{\"type\": \"Polygon\"}", "any.txt:1: expected Point or MultiPoint, not 'Polygon'"),
        ("{\"type\": }", "any.txt:1: it begins as JSON does, but is no valid JSON"),
        ("\u{1f}", "any.txt:1: not a TSPLIB file"),
    ] {
        std::fs::write(&path, text).unwrap();
        let output = myrmex(&["solve", &input]);
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains(words), "{}", complaint(&output));
    }
    std::fs::write(&path, [0x1F, 0x8B, 8, 0, 1]).unwrap();
    assert!(complaint(&myrmex(&["solve", &input])).contains("any.txt:1: damaged gzip"));
    let (refused, line) = file(&folder, "refused.geojson");
    let output = myrmex(&["solve", &instance("circle150.tsp"), "--solution", &line]);
    assert!(complaint(&output).contains("GeoJSON takes longitudes"), "{}", complaint(&output));
    assert!(!refused.exists() && Path::new(&input).exists());
}

/// A path's report is none of a closed tour, and edges are fixed by the names of their cities.
#[test]
fn what_a_solution_keeps_to_is_told_by_names() {
    let folder = tempfile::tempdir().unwrap();
    let [stops, report] = ["stops.csv", "path.json"].map(|name| file(&folder, name));
    std::fs::write(&stops.0, "name,x,y\nDepot,0,0\nMill,4,0\nShop,4,3\nBank,0,3\nPark,9,9\n").unwrap();
    let solved = |words: &[&str]| {
        let run = ["solve", &stops.1, "--json", &report.1, "--quiet"];
        let output = myrmex(&[&run[..], words, &RUN].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        serde_json::from_slice::<Value>(&std::fs::read(&report.0).unwrap()).unwrap()
    };
    let check = |words: &[&str]| myrmex(&[&["check", &stops.1, &report.1][..], words].concat());
    solved(&["--open"]);
    assert!(complaint(&check(&[])).contains("this report is of an open path: say --open"));
    assert_eq!(complaint(&check(&["--open"])), "");
    let merged = |words: &[&str]| myrmex(&[&["merge", &stops.1, &report.1][..], words].concat());
    let refused = String::from_utf8_lossy(&merged(&[]).stderr).into_owned();
    assert!(refused.contains("this report is of an open path: say --open"), "{refused}");
    assert!(merged(&["--open"]).status.success());
    // So does a report, which may be of another instance.
    let others = file(&folder, "others.csv");
    std::fs::write(&others.0, "name,x,y\nDepot,0,0\nMill,4,0\nShop,4,3\nBank,0,7\nPark,9,9\n").unwrap();
    let other = complaint(&myrmex(&["check", &others.1, &report.1, "--open"]));
    assert!(other.contains("states a length of") && other.contains("is it of this instance?"), "{other}");
    // Other files state the length of what they have.
    for name in ["path.csv", "path.tour"] {
        let (_, path) = file(&folder, name);
        assert!(
            myrmex(&[&["solve", &stops.1, "--open", "--solution", &path, "--quiet"][..], &RUN].concat())
                .status
                .success()
        );
        let told = |words: &[&str]| complaint(&myrmex(&[&["check", &stops.1, &path][..], words].concat()));
        assert!(
            told(&[]).contains("states a length of") && told(&[]).contains("Of an open path say --open"),
            "{}",
            told(&[])
        );
        assert_eq!(told(&["--open"]), "");
    }
    let fix = ["--fix", "Depot=Park", "--fix", "Park=Mill"];
    let kept = solved(&fix);
    let names: Vec<&str> = kept["tour_names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let at = |name: &str| names.iter().position(|it| *it == name).unwrap();
    let beside = |a: &str, b: &str| matches!(at(a).abs_diff(at(b)), 1 | 4);
    assert!(beside("Depot", "Park") && beside("Park", "Mill"), "{names:?}");
    assert!(check(&fix).status.success());
    assert!(complaint(&check(&["--fix", "Depot=Shop"])).contains("though their edge is fixed"));
    assert!(complaint(&check(&["--fix", "Depot=Zoo"])).contains("--fix: there is no city 'Zoo'"));
}

/// Flows and distances as two tables, with names: what `--fix`, `check` and solutions call facilities and locations by.
#[test]
fn two_tables_are_an_assignment_problem() {
    let folder = tempfile::tempdir().unwrap();
    let [flows, rooms, plan] = ["flows.csv", "rooms.csv", "plan.csv"].map(|name| file(&folder, name));
    std::fs::write(&flows.0, ",Sales,Stock,Desk\nSales,,4,1\nStock,2,,6\nDesk,,3,\n").unwrap();
    let distances = ";R1;R2;R3;R4\nR1;0;12,5;20;31\nR2;12,5;0;9;22\nR3;20;9;0;14\nR4;31;22;14;0\n";
    std::fs::write(&rooms.0, distances).unwrap();
    let tables = [flows.1.as_str(), "--distances", &rooms.1, "--fix", "Sales=R4"];
    let run = ["solve", "--solution", &plan.1, "--json", "-", "--quiet"];
    let output = myrmex(&[&run[..], &tables, &RUN].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Stock and desk, which have most to do with each other, are nine apart, and stock is nearer to sales.
    let text = std::fs::read_to_string(&plan.0).unwrap();
    assert_eq!(text, "facility,location,facility_name,location_name\n1,4,Sales,R4\n2,3,Stock,R3\n3,2,Desk,R2\n");
    let cost = 6.0 * 14.0 + 1.0 * 22.0 + 9.0 * 9.0;
    assert_eq!((json["length"].as_f64(), json["problem"].as_str()), (Some(cost), Some("qap")));
    let names = ["facility_names", "location_names"].map(|key| json[key].clone());
    assert_eq!(names, [serde_json::json!(["Sales", "Stock", "Desk"]), serde_json::json!(["R4", "R3", "R2"])]);
    let checked = myrmex(&[&["check"][..], &[tables[0], &plan.1], &tables[1..]].concat());
    assert!(stdout(&checked).contains("187"), "{} {}", stdout(&checked), complaint(&checked));
    for (rows, told) in [
        ("Sales,R4\nStock,R4\nDesk,R2\n", "location 4 ('R4') is taken twice"),
        ("Sales,R4\nStock,R3\n", "facility 3 ('Desk') has no location"),
        (
            "Sales,R1\nStock,R3\nDesk,R2\n",
            "facility 1 ('Sales') is at location 1 ('R1'), but it is fixed at location 4 ('R4')",
        ),
    ] {
        let wrong = file(&folder, "wrong.csv");
        std::fs::write(&wrong.0, format!("facility,location\n{rows}")).unwrap();
        let checked = complaint(&myrmex(&[&["check"][..], &[tables[0], &wrong.1], &tables[1..]].concat()));
        assert!(checked.contains(told), "{checked}");
        assert!(!told.contains("fixed") || checked.contains("wrong.csv:2: "), "{checked}");
    }
    // What desks cost decides, where it is much: by names, in another order.
    let rent = file(&folder, "rent.csv");
    std::fs::write(&rent.0, ",R4,R3,R2,R1\nDesk,0,0,1000,0\nSales,0,0,0,0\nStock,0,0.5,0,0\n").unwrap();
    let listed = file(&folder, "listed.csv");
    let rows = "from,to,trips\nSales,Stock,4\nSales,Desk,1\nStock,Sales,2\nStock,Desk,6\nDesk,Stock,3\n";
    std::fs::write(&listed.0, rows).unwrap();
    let rented = [listed.1.as_str(), "--distances", &rooms.1, "--placing", &rent.1, "--fix", "Sales=R4"];
    let output = myrmex(&[&run[..], &rented, &RUN].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let text = std::fs::read_to_string(&plan.0).unwrap();
    assert_eq!(text, "facility,location,facility_name,location_name\n1,4,Sales,R4\n2,2,Stock,R2\n3,3,Desk,R3\n");
    let checked = myrmex(&[&["check"][..], &[rented[0], &plan.1], &rented[1..]].concat());
    // 6 * 22 + 1 * 14 + 9 * 9
    assert!(stdout(&checked).contains("227"), "{} {}", stdout(&checked), complaint(&checked));
    let full = file(&folder, "full.csv");
    std::fs::write(&full.0, ",Sales,Stock\nSales,0,4\nStock,2,0\n").unwrap();
    for (words, says) in [
        (vec!["solve", &rooms.1, "--distances", &full.1], "are the two files swapped?"),
        (vec!["solve", &flows.1, "--distances", &flows.1], "flows.csv:4: expected a number for a distance in column 2"),
        (
            vec!["solve", &flows.1, "--distances", &rooms.1, "--fix", "Bar=R1"],
            "'Bar' is no facility (by its number from 1, or a name that no other one has)",
        ),
        (
            vec!["solve", &flows.1, "--distances", &rooms.1, "--metric", "globe"],
            "--distances makes an assignment problem",
        ),
        (vec!["solve", &flows.1, "--distances", &rooms.1, "--start", "Sales"], "are for tours"),
        (vec!["solve", &flows.1, "--distances", &rooms.1, "--json", &rooms.1], "would overwrite the distances"),
        (vec!["solve", "-", "--distances", "-"], "standard input holds one file"),
        (vec!["solve", &flows.1, &rooms.1, "--distances", "-"], "standard input can be read only once"),
        (vec!["solve", &flows.1, "--placing", &rooms.1], "--placing goes with --distances"),
        (vec!["solve", &flows.1, "--distances", "-", "--placing", "-"], "standard input holds one file"),
        (
            vec!["solve", &flows.1, "--distances", &rooms.1, "--placing", &rent.1, "--json", &rent.1],
            "would overwrite the costs of placing",
        ),
    ] {
        let refused = myrmex(&words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(complaint(&refused).contains(says), "{}", complaint(&refused));
    }
}

/// A list that is read as the facility of each location, because only so it costs what it states, is told.
#[test]
fn inverse_lists_of_assignments_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let layout = myrmex::qap::generate(8, 1).unwrap();
    let (path, input) = file(&folder, "layout.dat");
    let mut text = Vec::new();
    layout.write(&mut text).unwrap();
    std::fs::write(path, text).unwrap();
    let (locations, facilities) = ([3, 0, 4, 1, 6, 2, 7, 5], [1, 3, 5, 0, 2, 7, 4, 6]);
    let solution = |name: &str, list: &[u32]| {
        let (path, solution) = file(&folder, name);
        let mut text = Vec::new();
        myrmex::qap::write_solution(&mut text, layout.length(&locations).unwrap(), list).unwrap();
        std::fs::write(path, text).unwrap();
        solution
    };
    let (straight, inverse) = (solution("straight.sln", &locations), solution("inverse.sln", &facilities));
    let told = "inverse.sln is read as the facility of each location: only so does it cost what it states";
    let stderr = |output: Output| {
        assert!(output.status.success(), "{}", complaint(&output));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(stderr(myrmex(&["check", &input, &straight])), "");
    let checked = stderr(myrmex(&["check", &input, &inverse]));
    assert!(checked.starts_with("note: ") && checked.ends_with(&format!("{told}\n")), "{checked}");
    let merged = stderr(myrmex(&["merge", &input, &straight, &inverse]));
    assert_eq!(merged.matches(told).count(), 1, "{merged}");
    let begun = |words: &[&str]| {
        let run = ["solve", &input, "--initial", &inverse, "--seed", "1", "--runs", "2"];
        stderr(myrmex(&[&run, &RUN[..], words].concat()))
    };
    assert_eq!(begun(&[]).matches(told).count(), 1, "{}", begun(&[]));
    assert!(!begun(&["--quiet"]).contains(told));
    let events = begun(&["--progress", "json"]);
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        events.iter().any(|event| event["warning"].as_str().is_some_and(|text| text.ends_with(told))),
        "{events:?}"
    );
}

/// A line of a file of reports is named by one number.
#[test]
fn a_wrong_report_among_several_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (path, runs) = file(&folder, "runs.jsonl");
    std::fs::write(path, "{\"tour\": [0, 1]}\n\n{\"tour\": [0, 1, 2]}\n").unwrap();
    let merged = myrmex(&["merge", &instance("circle150.tsp"), &runs]);
    let told = String::from_utf8_lossy(&merged.stderr).into_owned();
    assert_eq!(merged.status.code(), Some(2), "{told}");
    for line in ["runs.jsonl:1: 'tour' has 2 numbers, not 150\n", "runs.jsonl:3: 'tour' has 3 numbers, not 150\n"] {
        assert!(told.contains(line), "{told}");
    }
}

/// What ends in `.sol` is Concorde's solution; its cycle (`.cyc`) is not written.
#[test]
fn tours_are_written_as_concorde_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let input = instance("circle150.tsp");
    let (path, tour) = file(&folder, "circle.sol");
    let solved = myrmex(&[&["solve", &input, "--solution", &tour], &RUN[..]].concat());
    assert!(solved.status.success(), "{}", complaint(&solved));
    let text = std::fs::read_to_string(path).unwrap();
    let words = |line: Option<&str>| line.unwrap().split(' ').count();
    assert!(text.starts_with("150\n0 ") && words(text.lines().nth(1)) == 10 && text.lines().count() == 16, "{text}");
    assert!(stdout(&myrmex(&["check", &input, &tour])).starts_with("valid tour of 150 cities"));
    let (cycle_path, cycle) = file(&folder, "circle.cyc");
    let refused = myrmex(&["solve", &input, "--solution", &cycle]);
    assert!(complaint(&refused).contains(".cyc is not written here"), "{}", complaint(&refused));
    assert!(!cycle_path.exists());
}

/// Standard input that never ends is refused by its first bytes.
#[test]
#[cfg(unix)]
fn what_is_no_text_is_not_read_to_its_end() {
    let zeros = std::fs::File::open("/dev/zero").unwrap();
    // Without the refusal the limit of the shell ends the program.
    let limited = format!("ulimit -v 4000000; exec {} check - x.tour --problem tsp", env!("CARGO_BIN_EXE_myrmex"));
    let output = Command::new("sh").args(["-c", &limited]).stdin(zeros).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(complaint(&output).contains("standard input:1: this is no text"), "{}", complaint(&output));
}
