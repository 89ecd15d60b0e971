//! Files that the program reads and writes.

#[cfg(unix)]
#[path = "outputs/kept.rs"]
mod kept;
#[path = "outputs/merged.rs"]
mod merged;

use std::process::Output;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[cfg(unix)]
use crate::common::program::under_way;
use crate::common::program::{complaint, file, instance, myrmex, stdout};
use serde_json::Value;

#[test]
fn solve_writes_everything_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (_, tour) = file(&folder, "out.tour");
    let (trace_path, trace) = file(&folder, "out.csv");
    let (svg_path, svg) = file(&folder, "out.svg");
    let input = instance("lattice400.tsp");
    let output = myrmex(&[
        "solve",
        &input,
        "--backend",
        "cpu",
        "--iterations",
        "20",
        "--set",
        "windows=8",
        "--seed",
        "3",
        "--tour",
        &tour,
        "--json",
        "-",
        "--trace",
        &trace,
        "--svg",
        &svg,
    ]);
    assert!(output.status.success(), "{}", complaint(&output));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    for key in [
        "schema",
        "instance",
        "problem",
        "n",
        "algorithm",
        "local_search",
        "recipe",
        "phases",
        "backend",
        "device",
        "seed",
        "iterations",
        "seconds",
        "cost",
        "tour",
        "trace",
        "kernels",
    ] {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(
        (&json["problem"], &json["algorithm"], &json["local_search"]),
        (&"tsp".into(), &"auto".into(), &"lk".into())
    );
    assert_eq!((&json["n"], &json["iterations"], &json["seed"]), (&400.into(), &20.into(), &3.into()));
    assert!(json["kernels"].as_array().unwrap().iter().any(|kernel| kernel["name"] == "window_search"));
    let checked = myrmex(&["check", &input, &tour]);
    assert!(stdout(&checked).contains(&format!("cost {}", json["cost"])));
    assert!(std::fs::read_to_string(trace_path).unwrap().starts_with("seconds,iteration,cost,shared_edges,length\n"));
    assert!(std::fs::read_to_string(svg_path).unwrap().contains("</svg>"));
}

#[test]
fn a_given_tour_is_where_windows_begin() {
    let folder = tempfile::tempdir().unwrap();
    let (_, first) = file(&folder, "first.tour");
    let (_, second) = file(&folder, "second.tour");
    let input = instance("uniform1000.tsp");
    let solve = |rest: &[&str]| myrmex(&[&["solve", &input, "--backend", "cpu", "--json", "-"], rest].concat());
    let cost = |output: &Output| {
        let report: Value = serde_json::from_str(&stdout(output)).unwrap();
        (report["trace"][0]["cost"].as_u64().unwrap(), report["cost"].as_u64().unwrap())
    };
    let (_, before) = cost(&solve(&["--iterations", "3", "--set", "windows=4", "--tour", &first]));
    let output = solve(&[
        "--algorithm",
        "lk",
        "--set",
        "window_size=200",
        "--initial",
        &first,
        "--iterations",
        "9",
        "--tour",
        &second,
    ]);
    let (start, after) = cost(&output);
    assert_eq!(start, before);
    assert!(after < before);
    assert!(stdout(&myrmex(&["check", &input, &second])).contains(&format!("cost {after}")));
    let output = myrmex(&["solve", &instance("uniform200.tsp"), "--backend", "cpu", "--initial", &first]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("first.tour"), "{}", complaint(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_tour_and_exits_130() {
    let folder = tempfile::tempdir().unwrap();
    let (tour_path, tour) = file(&folder, "kept.tour");
    let input = instance("uniform1000.tsp");
    let words = ["solve", &input, "--backend", "cpu", "--time", "60", "--tour", &tour];
    let (mut child, _told) = under_way(&words, "iteration ");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(std::fs::read_to_string(tour_path).unwrap().contains("TOUR_SECTION"));
    assert!(myrmex(&["check", &input, &tour]).status.success());
}

/// What is printed of a run repeats it elsewhere: the same words, from the command line or a file.
#[test]
fn settings_come_from_words_and_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, toml) = file(&folder, "run.toml");
    std::fs::write(path, "algorithm = \"eax\"\nseed = 4\npopulation = 12\nchildren = 10\n").unwrap();
    let input = instance("uniform200.tsp");
    let run = |rest: &[&str]| -> Value {
        let run = ["solve", &input, "--backend", "cpu", "--iterations", "6", "--quiet", "--json", "-"];
        let output = myrmex(&[&run[..], rest].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let of_file = run(&["--settings", &toml]);
    let words = run(&["--algorithm", "eax", "--seed", "4", "--set", "population=12", "--set", "children=10"]);
    assert_eq!((&of_file["tour"], &of_file["recipe"]), (&words["tour"], &words["recipe"]));
    // What is given on the command line counts more.
    let more = run(&["--settings", &toml, "--set", "population=16", "--seed", "5"]);
    assert_eq!((&more["phases"][0]["population"], &more["seed"]), (&16.into(), &5.into()));
}

/// No output overwrites the instance or another one, and a run that is refused leaves no file behind.
#[test]
fn outputs_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (input_path, input) = file(&folder, "in.tsp");
    std::fs::copy(instance("uniform200.tsp"), &input_path).unwrap();
    let (other_path, other) = file(&folder, "other.svg");
    let (gains_path, gains) = file(&folder, "gains.csv");
    let roundabout = folder.path().join(".").join("in.tsp").display().to_string();
    for outputs in [["--solution", &roundabout, "--trace", &gains], ["--picture", &other, "--plot", &other]] {
        let output = myrmex(&[&["solve", &input, "--backend", "cpu", "--iterations", "1"], &outputs[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint(&output).contains("would overwrite"), "{}", complaint(&output));
        assert!(!other_path.exists() && !gains_path.exists());
    }
    // A table that is named as if it were something else is refused, too.
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--trace", &other]);
    assert_eq!((output.status.code(), other_path.exists()), (Some(2), false));
    assert!(complaint(&output).contains("gains over time are a table; name a file .csv"), "{}", complaint(&output));
    // So is a report.
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--json", &gains]);
    assert_eq!((output.status.code(), gains_path.exists()), (Some(2), false));
    assert!(complaint(&output).contains("a report is JSON; name a file .json"), "{}", complaint(&output));
    assert_eq!(std::fs::read(&input_path).unwrap(), std::fs::read(instance("uniform200.tsp")).unwrap());
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--json", "-", "--picture", "-"]);
    assert!(complaint(&output).contains("--picture - would overwrite --json"), "{}", complaint(&output));
    // What is asked for on standard output is alone there.
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--svg", "-"]);
    assert!(stdout(&output).starts_with("<svg") && stdout(&output).ends_with("</svg>\n"));
}

#[test]
fn a_settings_file_names_an_algorithm_or_a_preset() {
    let folder = tempfile::tempdir().unwrap();
    let (_, settings) = file(&folder, "run.toml");
    std::fs::write(&settings, "preset = \"amp-a\"\n# too many\nalgorithm = \"acs\"\n").unwrap();
    let refused = myrmex(&["solve", &instance("uniform200.tsp"), "--settings", &settings]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(complaint(&refused).contains(":3: a preset names an algorithm, too"), "{}", complaint(&refused));
    std::fs::write(&settings, "pair-walks = 4\npair_walks = 8\n").unwrap();
    let refused = myrmex(&["solve", &instance("uniform200.tsp"), "--settings", &settings]);
    assert!(
        complaint(&refused).contains(":2: pair_walks: it is given twice, as '4' and as '8'"),
        "{}",
        complaint(&refused)
    );
    // The command line has the last word, and the report tells what ran.
    std::fs::write(&settings, "preset = \"as-fine\"\nseed = 5\n").unwrap();
    let input = instance("uniform200.tsp");
    let own = ["--backend", "cpu", "--iterations", "1", "--algorithm", "lk", "--set", "windows=2", "--json", "-"];
    let ran = myrmex(&[&["solve", &input, "--settings", &settings], &own[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&stdout(&ran)).unwrap();
    assert_eq!((&report["algorithm"], &report["seed"], report.get("preset")), (&"lk".into(), &5.into(), None));
    assert_eq!(report["set"], serde_json::json!({"windows": 2}));
}

/// Of several instances none is overwritten, nor what else is read, nor by a checkpoint what is none.
#[test]
fn outputs_do_not_overwrite_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (_, settings) = file(&folder, "run.toml");
    std::fs::write(&settings, "algorithm = \"lk\"\n").unwrap();
    let (_, tour) = file(&folder, "first.tour");
    let (_, other_tour) = file(&folder, "other.tour");
    let [first, second] = ["a.tsp", "b.tsp"].map(|name| {
        let (path, name) = file(&folder, name);
        std::fs::copy(instance("uniform200.tsp"), path).unwrap();
        name
    });
    let solve = |words: &[&str]| myrmex(&[&["solve", "--backend", "cpu", "--iterations", "1"], words].concat());
    for tour in [&tour, &other_tour] {
        assert!(solve(&[&first, "--solution", tour]).status.success());
    }
    let read = || [&first, &second, &settings, &tour, &other_tour].map(|path| std::fs::read(path).unwrap());
    let before = read();
    for (words, told) in [
        (vec![&*first, &*second, "--json", &*first], "would overwrite an instance"),
        (vec![folder.path().to_str().unwrap(), "--json", &*second], "would overwrite an instance"),
        (vec![&*first, "--settings", &*settings, "--trace", &*settings], "would overwrite the settings"),
        (vec![&*first, "--initial", &*tour, "--solution", &*tour], "would overwrite the solution to begin with"),
        (vec![&*first, "--initial", &*tour, "--checkpoint", &*tour], "would overwrite the solution to begin with"),
        (vec![&*first, "--checkpoint", &*other_tour], "the file holds no checkpoint, which would be lost"),
        (vec![&*first, "--checkpoint", &*second], "the file holds no checkpoint, which would be lost"),
    ] {
        let refused = solve(&words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(complaint(&refused).contains(told), "{words:?}: {}", complaint(&refused));
    }
    assert_eq!(read(), before);
}

/// A spreadsheet may sort the cities of a tour by anything: their order is told by its column. What contradicts the instance is refused.
#[test]
fn tours_in_tables_are_read_by_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let (cities, cities_name) = file(&folder, "cities.csv");
    std::fs::write(&cities, "name,x,y\nA,0,0\nB,9,9\nC,0,9\nD,9,0\nE,5,0\n").unwrap();
    let (table, name) = file(&folder, "tour.csv");
    assert!(myrmex(&["solve", &cities_name, "--backend", "cpu", "--solution", &name]).status.success());
    let check = || {
        let output = myrmex(&["check", &cities_name, &name]);
        (output.status.success(), if output.status.success() { stdout(&output) } else { complaint(&output) })
    };
    let known = check();
    assert!(known.0 && known.1.starts_with("valid tour of 5 cities, length 36"), "{known:?}");
    let written = std::fs::read_to_string(&table).unwrap();
    let (header, rows) = written.split_once('\n').unwrap();
    let mut sorted: Vec<&str> = rows.lines().collect();
    sorted.sort_by_key(|row| row.split(',').nth(2).map(str::to_owned));
    assert_ne!(sorted, rows.lines().collect::<Vec<_>>());
    std::fs::write(&table, format!("{header}\n{}\n", sorted.join("\n"))).unwrap();
    assert_eq!(check(), known);
    for (from, to, told) in [
        (",B,", ",b,", "is called 'b' here and 'B' in the instance"),
        ("\n3,", "\n2,", "two cities have the place 2 in the order"),
        ("\n3,", "\nthird,", "expected a whole number for the order, not 'third'"),
    ] {
        std::fs::write(&table, written.replace(from, to)).unwrap();
        let (valid, said) = check();
        assert!(!valid && said.contains(told), "{said}");
    }
}

/// Nobody reads what a run says on its way: it writes its files all the same. What standard output does not take is an output that is missing.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (path, tour) = file(&folder, "out.tour");
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let run = |arguments: &[&str], out: Stdio, error: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_myrmex"));
        command.args(arguments).stdout(out).stderr(error).output().unwrap()
    };
    let input = instance("uniform200.tsp");
    let solve = ["solve", &input, "--backend", "cpu", "--iterations", "3"];
    for (out, code) in [(Stdio::null(), 0), (full(), 2)] {
        let solved = run(&[&solve[..], &["--solution", &tour]].concat(), out, full());
        assert_eq!(solved.status.code(), Some(code));
        assert!(std::fs::read_to_string(&path).unwrap().trim_end().ends_with("EOF"));
        std::fs::remove_file(&path).unwrap();
    }
    assert_eq!(run(&["solve", "no such file"], full(), full()).status.code(), Some(2));
    for runs in ["1", "2"] {
        let lost = run(&[&solve[..], &["--runs", runs]].concat(), full(), Stdio::piped());
        let told = String::from_utf8_lossy(&lost.stderr);
        assert_eq!((lost.status.code(), told.matches("myrmex: standard output: ").count()), (Some(2), 1), "{told}");
    }
    // Whoever closes it has seen enough.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(&solve, writer.into(), Stdio::piped()).status.code(), Some(0));
}

/// What a file calls itself changes neither the terminal nor the form of an output.
#[test]
fn names_do_not_reach_the_terminal_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = file(&folder, "odd.tsp");
    let (svg_path, svg) = file(&folder, "odd.svg");
    let text = std::fs::read_to_string(instance("circle150.tsp")).unwrap();
    let name = text.lines().next().unwrap();
    std::fs::write(&path, text.replacen(name, "NAME : \u{1b}[31mred\u{7}\u{202e}dlrow", 1)).unwrap();
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--svg", &svg]);
    assert!(output.status.success(), "{}", complaint(&output));
    let svg = std::fs::read_to_string(svg_path).unwrap();
    for told in [stdout(&output), svg] {
        assert!(told.contains("red") && !told.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{told:?}");
    }
}

/// A problem is read once: from a pipe as from a file.
#[cfg(target_os = "linux")]
#[test]
fn problems_are_read_from_a_pipe() {
    for name in ["layout40.dat", "circle150.tsp"] {
        let piped = format!("cat {} | {} plan /dev/stdin --backend cpu", instance(name), env!("CARGO_BIN_EXE_myrmex"));
        let output = Command::new("sh").args(["-c", &piped]).output().unwrap();
        assert!(output.status.success(), "{name}: {}", complaint(&output));
    }
}

#[test]
fn the_best_of_several_solutions_is_picked() {
    let folder = tempfile::tempdir().unwrap();
    let input = instance("uniform1000.tsp");
    let solved = |name: &str, words: &[&str]| {
        let (_, tour) = file(&folder, name);
        let run = ["solve", &input, "--backend", "cpu", "--quiet", "--solution", &tour, "--json", "-"];
        let json: Value = serde_json::from_str(&stdout(&myrmex(&[&run[..], words].concat()))).unwrap();
        (tour, json["cost"].as_u64().unwrap())
    };
    let (poor, much) = solved("poor.tour", &["--algorithm", "as", "--set", "local_search=none", "--iterations", "1"]);
    let (good, little) = solved("good.tour", &["--iterations", "20"]);
    assert!(little < much);
    let (best_path, best) = file(&folder, "best.tour");
    let merged = myrmex(&["merge", &input, &poor, &good, "-o", &best]);
    assert!(merged.status.success(), "{}", complaint(&merged));
    let told = stdout(&merged);
    assert!(told.contains(&format!("{poor}: ")) && told.lines().last().unwrap().contains(&good), "{told}");
    assert_eq!(std::fs::read(&best_path).unwrap(), std::fs::read(&good).unwrap());
    let told = stdout(&myrmex(&["merge", &input, &poor, &good]));
    assert!(told.ends_with("(-o OUT writes it)\n"), "{told}");
    // Of reports of several runs each line is one.
    let (_, runs) = file(&folder, "runs.jsonl");
    let several = ["solve", &input, "--backend", "cpu", "--quiet", "--iterations", "2", "--runs", "2", "--json", &runs];
    assert!(myrmex(&several).status.success());
    let told = stdout(&myrmex(&["merge", &input, &runs, &good]));
    assert!(told.contains("runs.jsonl:1: ") && told.contains("runs.jsonl:2: ") && told.lines().count() == 4, "{told}");
    // What is no solution is told, and the best of the others is written all the same.
    let (_, missing) = file(&folder, "missing.tour");
    let merged = myrmex(&["merge", &input, &missing, &input, &good, "-o", "-"]);
    let complaints = String::from_utf8_lossy(&merged.stderr).into_owned();
    assert_eq!(merged.status.code(), Some(2));
    assert!(complaints.contains("missing.tour: ") && complaints.contains("no TOUR_SECTION"), "{complaints}");
    assert_eq!(stdout(&merged), std::fs::read_to_string(&good).unwrap());
    for (words, told) in [
        (vec!["merge", &input, &missing], "myrmex: none of these files holds a solution"),
        (vec!["merge", &input, &good, "-o", &input], "would overwrite the instance"),
        (vec!["merge", &input, &good, "-o", &good], "would overwrite a solution"),
        (vec!["merge", &input, &good, "-o", "best.xlsx"], "a spreadsheet opens .csv"),
        (vec!["solve", &input, "--solution", "best.json"], "--json writes a report"),
        (vec!["solve", &input, "--solution", "best.PNG"], "--picture draws the tour"),
        (vec!["generate", "uniform", "9", "-o", "cities.PNG"], ".png is not written here"),
        (vec!["generate", "uniform", "9", "-o", "cities.sol"], "write .tsp or .csv"),
    ] {
        let refused = myrmex(&words);
        assert_eq!(refused.status.code(), Some(2));
        assert!(complaint(&refused).contains(told), "{}", complaint(&refused));
    }
}
