//! `myrmex batch` on a file that has lines already: what is skipped, solved again, and kept.

use std::process::Command;

use myrmex::tsp::{Kind, generate};
use serde_json::Value;

use super::program::{batch, folder, lines};
use crate::common::program::{complaint, file, stdout};

/// Lines of problems that are not asked for stay, whatever they say; a solution that cannot be written keeps no other problem from its own.
#[test]
fn a_call_touches_no_line_of_other_problems() {
    let problems = folder(true);
    let (path, found) = file(&problems, "found.jsonl");
    let one = |name: &str| problems.path().join(name).display().to_string();
    assert_eq!(batch(&[&one("cities0.tsp"), &one("cities9.tsp")], &["--output", &found]).status.code(), Some(2));
    let before = std::fs::read_to_string(&path).unwrap().replace("\"ended\":\"iterations\"", "\"ended\":\"cancelled\"");
    std::fs::write(&path, &before).unwrap();
    assert!(batch(&[&one("cities1.tsp")], &["--output", &found]).status.success());
    let now = std::fs::read_to_string(&path).unwrap();
    assert!(now.starts_with(&before) && lines(&now).len() == 3, "{now}");

    let (folder_in_place, solutions) = file(&problems, "solutions");
    std::fs::create_dir_all(folder_in_place.join("cities2.tour")).unwrap();
    let all = problems.path().to_str().unwrap();
    let output = batch(&[all], &["--output", &found, "--solutions", &solutions]);
    assert_eq!(output.status.code(), Some(2));
    let now = lines(&std::fs::read_to_string(&path).unwrap());
    assert_eq!((now.len(), &now["cities2.tsp"]["ended"]), (8, &"failed".into()), "{now:?}");
    assert!(now["cities2.tsp"]["tour"].is_array() && complaint(&output).contains("2 failed"), "{}", complaint(&output));
    assert!(folder_in_place.join("cities3.tour").is_file());
}

/// What a file has whole lines of is not solved again; what was torn, failed or interrupted is.
#[test]
fn a_file_that_was_cut_is_gone_on_with() {
    let problems = folder(true);
    let (path, found) = file(&problems, "found.jsonl");
    let all = problems.path().to_str().unwrap();
    assert_eq!(batch(&[all], &["--output", &found]).status.code(), Some(2));
    let whole = std::fs::read_to_string(&path).unwrap();
    let reports: Vec<&str> = whole.lines().filter(|line| line.starts_with("{\"schema\"")).collect();
    let failure = whole.lines().find(|line| line.starts_with("{\"path\"")).unwrap();
    assert_eq!(reports.len(), 7);
    // The damaged file is mended; one report is torn, two are missing, one was interrupted.
    std::fs::copy(problems.path().join("cities0.tsp"), problems.path().join("cities9.tsp")).unwrap();
    let cancelled =
        |line: &str, ended: &str| line.replace(&format!("\"ended\":\"{ended}\""), "\"ended\":\"cancelled\"");
    let interrupted = cancelled(&cancelled(reports[3], "iterations"), "optimal");
    assert_ne!(interrupted, reports[3]);
    let cut = [reports[0], failure, reports[1], &interrupted, reports[2], &reports[4][..40]].join("\n");
    std::fs::write(&path, cut).unwrap();
    let output = batch(&[all], &["--output", &found]);
    assert!(output.status.success(), "{}", complaint(&output));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("3 of 8 problems are skipped") && told.contains("5 solved in"), "{told}");
    let now = std::fs::read_to_string(&path).unwrap();
    assert!(
        now.starts_with(&[reports[0], reports[1], reports[2], ""].join("\n")),
        "lines that were whole have changed"
    );
    // Of eight facilities it is known that no assignment is better.
    assert!(
        lines(&now)
            .iter()
            .all(|(name, line)| line["ended"] == if name == "layout.dat" { "optimal" } else { "iterations" })
    );
    assert_eq!(lines(&now).len(), 8);
    // Nothing is left to do, and --again does all of it.
    let output = batch(&[all], &["--output", &found]);
    assert!(complaint(&output).starts_with("0 solved"), "{}", complaint(&output));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), now);
    // A file that has another problem now is solved again, in place of its line.
    let [changed, other] = ["cities1.tsp", "cities2.tsp"].map(|name| problems.path().join(name));
    std::fs::copy(&other, &changed).unwrap();
    // But not before it is asked for.
    assert!(batch(&[other.to_str().unwrap()], &["--output", &found]).status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), now);
    let output = batch(&[all], &["--output", &found]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("7 of 8 problems are skipped") && told.contains("told of them: 1;"), "{told}");
    let now = lines(&std::fs::read_to_string(&path).unwrap());
    assert_eq!((now.len(), &now["cities1.tsp"]["cost"]), (8, &now["cities2.tsp"]["cost"]));
    // Where nothing can run nothing goes.
    let before = std::fs::read(&path).unwrap();
    let output = batch(&[all], &["--output", &found, "--again", "--device", "wgpu:no such GPU"]);
    assert_eq!((output.status.code(), std::fs::read(&path).unwrap() == before), (Some(2), true));
    let output = batch(&[all], &["--output", &found, "--again", "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", complaint(&output));
    assert_eq!(lines(&std::fs::read_to_string(&path).unwrap()).len(), 8);
    // So is one of which something else is asked, once.
    let paths = [changed.to_str().unwrap()];
    for told in ["told of them: 1;", "1 of 1 problems are skipped"] {
        let output = batch(&paths, &["--output", &found, "--open", "--start", "2"]);
        assert!(String::from_utf8_lossy(&output.stderr).contains(told), "{}", complaint(&output));
        let now = lines(&std::fs::read_to_string(&path).unwrap());
        assert_eq!((now.len(), now["cities1.tsp"]["open"].as_bool()), (8, Some(true)));
        assert_eq!(now["cities1.tsp"]["asked"], "--open --start 2");
    }
}

/// Distances, and costs of placing, are read beside each file: when they change the problem is another one.
#[test]
fn a_table_beside_it_that_has_changed_makes_another_problem() {
    let folder = tempfile::tempdir().unwrap();
    let [flows, rooms, found] = ["flows.csv", "rooms.csv", "found.jsonl"].map(|name| file(&folder, name));
    std::fs::write(&flows.0, ",A,B,C\nA,,4,1\nB,2,,6\nC,,3,\n").unwrap();
    for (unit, told) in [(1, "1 solved"), (1, "1 of 1 problems are skipped"), (10, "told of them: 1;")] {
        let of = |way: u32| (way * unit).to_string();
        let table = [",R1,R2,R3", "R1,0,2,7", "R2,2,0,4", "R3,7,4,0"].map(|row| {
            let fields: Vec<String> = row.split(',').map(|field| field.parse().map_or(field.to_owned(), of)).collect();
            fields.join(",") + "\n"
        });
        if std::fs::read_to_string(&rooms.0).ok() != Some(table.concat()) {
            std::fs::write(&rooms.0, table.concat()).unwrap();
        }
        let output = batch(&[&flows.1], &["--distances", &rooms.1, "--output", &found.1]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains(told), "{said}");
        let all = lines(&std::fs::read_to_string(&found.0).unwrap());
        // The least of all six.
        assert_eq!(all["flows.csv"]["cost"], 49 * unit);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_whole_lines() {
    use std::time::{Duration, Instant};

    let problems = folder(false);
    let (path, found) = file(&problems, "found.jsonl");
    let child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["batch", problems.path().to_str().unwrap(), "--backend", "cpu", "--workers", "2", "--time", "1"])
        .args(["--output", &found, "--quiet"])
        .spawn()
        .unwrap();
    let told = || -> Vec<Value> {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    // In the middle of the next problems.
    let wait_for = |lines: usize| {
        let began = Instant::now();
        while told().len() < lines {
            assert!(began.elapsed() < Duration::from_secs(60), "no problem ends");
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_millis(300));
    };
    wait_for(1);
    let sent = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(sent.elapsed() < crate::common::FAR_LESS, "{:?}", sent.elapsed());
    let cut = lines(&std::fs::read_to_string(&path).unwrap());
    let ended = |what: &str| cut.values().filter(|line| line["ended"] == what).count();
    assert!(ended("time") >= 1 && ended("cancelled") >= 1 && cut.len() < 7, "{cut:?}");
    let (done, interrupted) = (ended("time"), ended("cancelled"));
    assert_eq!(done + interrupted, cut.len());
    let output = batch(&[problems.path().to_str().unwrap()], &["--output", &found]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert!(complaint(&output).starts_with(&format!("{} solved", 7 - done)), "{}", complaint(&output));
    assert_eq!(lines(&std::fs::read_to_string(&path).unwrap()).len(), 7);
    // Lines of another question stay until there are others in their place, and what was interrupted is none.
    let child = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .args(["batch", problems.path().to_str().unwrap(), "--backend", "cpu", "--workers", "1", "--time", "1"])
        .args(["--open", "--output", &found, "--quiet"])
        .spawn()
        .unwrap();
    wait_for(8);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let now = told();
    let count = |open: bool, ended: &[&str]| {
        now.iter().filter(|line| line["open"] == open && ended.contains(&line["ended"].as_str().unwrap())).count()
    };
    let (open, closed) = (count(true, &["time"]), count(false, &["iterations", "optimal", "time"]));
    assert!(open >= 1 && open + closed == 7, "{now:?}");
    assert!(now.len() - open - closed <= 1, "{now:?}");
}

/// From any folder, with what a system that went down left behind, and where a clock says that nothing has changed.
#[test]
fn a_problem_is_recognised_by_its_file() {
    let problems = folder(false);
    let (path, found) = file(&problems, "found.jsonl");
    let near = || {
        Command::new(env!("CARGO_BIN_EXE_myrmex"))
            .current_dir(problems.path())
            .args(["batch", "cities1.tsp", "--backend", "cpu", "--iterations", "3", "--output", "found.jsonl"])
            .output()
            .unwrap()
    };
    assert!(complaint(&near()).starts_with("1 solved"));
    let one = problems.path().join("cities1.tsp");
    let again = || complaint(&batch(&[one.to_str().unwrap()], &["--output", &found]));
    assert!(again().starts_with("0 solved"), "{}", again());
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{whole}\n{}", "\0".repeat(40))).unwrap();
    assert!(again().starts_with("0 solved"), "{}", again());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    // Another problem at the same moment.
    let then = one.metadata().unwrap().modified().unwrap();
    let mut text = Vec::new();
    generate(Kind::Uniform, 45, 9).unwrap().write(&mut text).unwrap();
    std::fs::write(&one, text).unwrap();
    std::fs::File::options().append(true).open(&one).unwrap().set_modified(then).unwrap();
    assert!(again().starts_with("1 solved"), "{}", again());
    assert_eq!(lines(&std::fs::read_to_string(&path).unwrap())["cities1.tsp"]["n"], 45);
    // A folder without problems keeps nobody else's from being solved, and one without a word is no list.
    let empty = tempfile::tempdir().unwrap();
    let output = batch(&[empty.path().to_str().unwrap(), one.to_str().unwrap()], &[]);
    assert!(output.status.success() && lines(&stdout(&output)).len() == 1, "{}", complaint(&output));
    assert_eq!(batch(&[empty.path().to_str().unwrap()], &[]).status.code(), Some(2));
}

/// A file is one problem however its path is written; lines have the path as it was given.
#[cfg(unix)]
#[test]
fn a_file_is_solved_once_however_its_path_is_written() {
    let problems = folder(false);
    let (path, found) = file(&problems, "found.jsonl");
    let plain = problems.path().join("cities1.tsp").display().to_string();
    let roundabout = problems.path().join(".").join("cities1.tsp").display().to_string();
    std::os::unix::fs::symlink(&plain, problems.path().join("linked.tsp")).unwrap();
    let linked = problems.path().join("linked.tsp").display().to_string();
    let paths = [roundabout.as_str(), &plain, &linked];
    assert!(complaint(&batch(&paths, &["--output", &found])).starts_with("1 solved"));
    let lines = std::fs::read_to_string(&path).unwrap();
    assert_eq!(lines.lines().count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&lines).unwrap()["path"], roundabout);
    assert!(complaint(&batch(&[&plain], &["--output", &found])).starts_with("0 solved"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), lines);
}
