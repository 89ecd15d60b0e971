//! `myrmex batch`: a line of JSON for each problem, where solutions go, and what is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use myrmex::qap;
use myrmex::tsp::{Kind, generate};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::{complaint, file, myrmex, stdout};

/// A file whose last line has a letter for a number.
const DAMAGED: &str = "DIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 x 0\n";

/// A folder of small problems, one of them damaged where `damaged`.
pub(super) fn folder(damaged: bool) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..6 {
        let instance = generate(Kind::Uniform, 40, seed).unwrap();
        let mut text = Vec::new();
        instance.write(&mut text).unwrap();
        std::fs::write(folder.path().join(format!("cities{seed}.tsp")), text).unwrap();
    }
    let mut layout = Vec::new();
    qap::generate(8, 1).unwrap().write(&mut layout).unwrap();
    std::fs::write(folder.path().join("layout.dat"), layout).unwrap();
    if damaged {
        std::fs::write(folder.path().join("cities9.tsp"), DAMAGED).unwrap();
    }
    folder
}

pub(super) fn batch(paths: &[&str], rest: &[&str]) -> Output {
    let own = ["--backend", "cpu", "--iterations", "3"];
    myrmex(&[&["batch"], paths, own.as_slice(), rest].concat())
}

/// The lines of a text by the names of their files.
pub(super) fn lines(text: &str) -> BTreeMap<String, Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "the last line is torn");
    let each = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let path = PathBuf::from(line["path"].as_str().unwrap());
        (path.file_name().unwrap().to_str().unwrap().to_owned(), line)
    });
    let all: Vec<_> = each.collect();
    let count = all.len();
    let lines: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(lines.len(), count, "a problem has two lines");
    lines
}

/// Lines are reports as `solve` writes them, and those of a damaged file say what is wrong with it.
#[test]
fn a_folder_is_solved_beside_a_damaged_file() {
    let problems = folder(true);
    let (_, solutions) = file(&problems, "solutions");
    let output = batch(&[problems.path().to_str().unwrap()], &["--solutions", &solutions, "--seed", "3"]);
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    assert!(complaint(&output).contains("7 solved, 1 failed"), "{}", complaint(&output));
    let lines = lines(&stdout(&output));
    assert_eq!(lines.len(), 8);
    let schema = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/report.schema.json"));
    let mut schema: Value = serde_json::from_str(&schema.unwrap()).unwrap();
    let reports = jsonschema::validator_for(&schema).unwrap();
    let failures = serde_json::json!({"$ref": "#/$defs/failure", "$defs": schema["$defs"].take()});
    let failures = jsonschema::validator_for(&failures).unwrap();
    for (name, line) in &lines {
        let is_damaged = name == "cities9.tsp";
        assert_eq!((failures.is_valid(line), reports.is_valid(line)), (is_damaged, !is_damaged), "{name}: {line}");
        if is_damaged {
            assert_eq!(line["error"]["kind"], "parse");
            assert!(line["error"]["message"].as_str().unwrap().contains("cities9.tsp:5:"), "{line}");
            continue;
        }
        let path = problems.path().join(name).display().to_string();
        let alone =
            myrmex(&["solve", &path, "--backend", "cpu", "--iterations", "3", "--seed", "3", "--quiet", "--json", "-"]);
        let alone: Value = serde_json::from_str(&stdout(&alone)).unwrap();
        for key in ["instance", "cost", "tour", "permutation", "recipe", "algorithm", "iterations", "ended", "seed"] {
            assert_eq!(line.get(key), alone.get(key), "{name}: {key}");
        }
        let ending = if name == "layout.dat" { "sln" } else { "tour" };
        let solution = Path::new(&solutions).join(name).with_extension(ending);
        let checked = myrmex(&["check", &path, solution.to_str().unwrap()]);
        assert!(stdout(&checked).ends_with(&format!("cost {}\n", line["cost"])), "{}", complaint(&checked));
    }
}

/// Tours of tables are tables, with the names of their cities and the ways between them.
#[test]
fn a_table_has_a_table_for_its_tour() {
    let folder = tempfile::tempdir().unwrap();
    let (table, input) = file(&folder, "shops.CSV");
    std::fs::write(&table, "name,x,y\nA,0,0\nB,3,0\nC,3,4\n").unwrap();
    let (tours, solutions) = file(&folder, "tours");
    assert!(batch(&[&input], &["--solutions", &solutions]).status.success());
    let told = std::fs::read_to_string(tours.join("shops.csv")).unwrap();
    assert!(told.starts_with("order,city,name,x,y,to_next,so_far\n1,1,A,0,0,3,0\n"), "{told}");
}

#[test]
fn paths_come_from_a_list() {
    let problems = folder(false);
    let [one, other] = ["cities1.tsp", "layout.dat"].map(|name| problems.path().join(name).display().to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["batch", "-", "--backend", "cpu", "--workers", "1", "--rounds", "1", "--stagnation", "5", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        format!("# two\n{one}\n  \n  # more\n{other}\n").as_bytes(),
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = lines(&stdout(&output));
    assert_eq!(lines.keys().collect::<Vec<_>>(), ["cities1.tsp", "layout.dat"]);
    let ended = |name: &str| lines[name]["ended"].as_str().unwrap();
    assert!(["converged", "stagnation"].contains(&ended("cities1.tsp")) && ended("layout.dat") == "optimal");
}

/// A first line that names a folder makes no list: the file's own error is told.
#[test]
fn a_list_named_as_a_file_is_refused_with_the_remedy() {
    let problems = folder(false);
    let (path, list) = file(&problems, "list.txt");
    for (first, is_list) in [(problems.path().join("cities1.tsp"), true), (problems.path().to_owned(), false)] {
        std::fs::write(&path, format!("\n{}\n", first.display())).unwrap();
        let output = batch(&[&list], &[]);
        assert_eq!(output.status.code(), Some(2));
        let lines = lines(&stdout(&output));
        let told = lines["list.txt"]["error"]["message"].as_str().unwrap();
        assert_eq!(told.ends_with(&format!("give it by 'myrmex batch - < {list}'")), is_list, "{told}");
    }
}

/// Two runs do not write into one file at the same time.
#[cfg(unix)]
#[test]
fn an_output_is_of_one_run_at_a_time() {
    let problems = folder(false);
    let output = problems.path().join("found.jsonl");
    let held = std::fs::File::create(&output).unwrap();
    held.try_lock().unwrap();
    let batch = || myrmex(&["batch", problems.path().to_str().unwrap(), "--output", output.to_str().unwrap()]);
    let refused = batch();
    assert_eq!(refused.status.code(), Some(2));
    assert!(complaint(&refused).contains("another run writes into it"), "{}", complaint(&refused));
    drop(held);
    assert!(batch().status.success());
}

/// What cannot be meant is refused before a problem is solved or a file is touched.
#[test]
fn what_makes_no_sense_is_refused_at_the_start() {
    let problems = folder(false);
    let path = |name: &str| problems.path().join(name).display().to_string();
    let all = problems.path().to_str().unwrap();
    std::fs::create_dir(path("more")).unwrap();
    std::fs::copy(path("cities1.tsp"), path("more/cities1.tsp.gz")).unwrap();
    std::fs::write(path("notes.txt"), "mine").unwrap();
    let (solutions, notes, first) = (path("solutions"), path("notes.txt"), path("cities1.tsp"));
    let table = path("more/shops.csv");
    std::fs::write(&table, "x,y\n0,0\n3,0\n3,4\n").unwrap();
    let before = std::fs::read(&first).unwrap();
    let cases: &[(&[&str], &[&str], &str)] = &[
        (&[all, &path("more")], &["--solutions", &solutions], "would have one file"),
        (&[all], &["--output", &first, "--again"], "would overwrite a problem"),
        (&[&table], &["--solutions", &path("more")], "would overwrite a problem"),
        (&[all], &["--output", &notes], "no line of 'myrmex batch'"),
        (&[all], &["--set", "antz=3"], "no parameter 'antz'"),
        (&[all], &["--set", "population=1"], "population"),
        (&[all], &["--again"], "--output"),
        (&[all, "-"], &[], "give it alone"),
        (&[all], &["--distances", "-"], "standard input can be read only once"),
        (&[&first], &["--solutions", &path("notes.txt/folder")], "notes.txt"),
        (&[&path("none")], &[], "no such folder or file"),
        (&[&path("none.d/")], &[], "no such folder or file"),
        (&[all], &["--json", "-"], "leave --json out, and name a file by --output"),
        (&[all], &["--json"], "leave --json out"),
    ];
    for (paths, rest, says) in cases {
        let output = batch(paths, rest);
        assert_eq!(output.status.code(), Some(2), "{rest:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(says), "{rest:?}: {}", complaint(&output));
        assert!(stdout(&output).is_empty(), "{rest:?}");
    }
    assert_eq!((std::fs::read(&first).unwrap(), std::fs::read(&notes).unwrap()), (before, b"mine".to_vec()));
    assert!(!Path::new(&solutions).exists());
    // Settings that mean something to one of the kinds are right for its problems and wrong for the others.
    let output = batch(&[all], &["--set", "windows=6", "--quiet"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(lines(&stdout(&output)).values().filter(|line| line.get("error").is_some()).count(), 1);
}

#[test]
fn no_workers_are_refused_with_what_to_do() {
    let output = batch(&["x.tsp"], &["--workers", "0"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && told.contains("expected 1 problem at a time or more"), "{told}");
}

/// What is no file that could be read again takes lines as they come.
#[cfg(unix)]
#[test]
fn lines_go_into_a_pipe() {
    let problems = folder(false);
    let one = problems.path().join("cities1.tsp").display().to_string();
    let output = batch(&[&one], &["--output", "/dev/stdout"]);
    assert!(output.status.success() && lines(&stdout(&output)).len() == 1, "{}", complaint(&output));
}

/// What is read is never written over, whatever option names it.
#[test]
fn outputs_replace_nothing_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let [flows, rooms, set, other] = ["flows.csv", "rooms.csv", "set.toml", "in/flows.csv"].map(|name| {
        std::fs::create_dir_all(folder.path().join("in")).unwrap();
        file(&folder, name)
    });
    let table = ",A,B,C\nA,,4,1\nB,2,,6\nC,,3,\n";
    [&flows, &rooms, &other].into_iter().for_each(|(path, _)| std::fs::write(path, table).unwrap());
    std::fs::write(&set.0, "seed = 3\n").unwrap();
    let inside = folder.path().join("in").display().to_string();
    for rest in [
        ["--distances", &rooms.1, "--output", &rooms.1, "--again"].as_slice(),
        &["--distances", &rooms.1, "--settings", &set.1, "--output", &set.1, "--again"],
        &["--distances", &other.1, "--solutions", &inside],
        &["--distances", &rooms.1, "--output", &other.1, "--solutions", &inside],
    ] {
        let output = batch(&[&flows.1], rest);
        assert_eq!(output.status.code(), Some(2), "{rest:?}");
        let told = complaint(&output);
        assert!(told.contains("would overwrite") || told.contains("no line of"), "{rest:?}: {told}");
        assert!([&flows, &rooms, &other].iter().all(|(path, _)| std::fs::read_to_string(path).unwrap() == table));
        assert_eq!(std::fs::read_to_string(&set.0).unwrap(), "seed = 3\n");
    }
    // Another name of a file that is replaced keeps what it had.
    let (problem, name) = file(&folder, "cities.tsp");
    let mut text = Vec::new();
    generate(Kind::Uniform, 20, 1).unwrap().write(&mut text).unwrap();
    std::fs::write(&problem, &text).unwrap();
    let (_, linked) = file(&folder, "linked.jsonl");
    std::fs::hard_link(&problem, &linked).unwrap();
    assert!(batch(&[&name], &["--output", &linked, "--again"]).status.success());
    assert_eq!(std::fs::read(&problem).unwrap(), text);
    let (_, solved) = file(&folder, "solved.jsonl");
    assert!(myrmex(&["solve", &name, "--iterations", "2", "--quiet", "--json", &solved]).status.success());
    let told = complaint(&batch(&[&name], &["--output", &solved]));
    assert!(told.contains("this is no line of 'myrmex batch'"), "{told}");
    let (_, optima) = file(&folder, "optima.csv");
    for (text, expected) in
        [("cities,1\n", "would overwrite the table of optima"), ("cities 9,001,690\n", "leave them out")]
    {
        std::fs::write(&optima, text).unwrap();
        let told = complaint(&myrmex(&["solve", &name, "--optima", &optima, "--json", &optima, "--iterations", "2"]));
        assert!(told.contains(expected), "{told}");
        assert_eq!(std::fs::read_to_string(&optima).unwrap(), text);
    }
}
