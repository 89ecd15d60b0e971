//! When runs of the program end, what they tell on the way, and several runs in a table.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::program::{complaint, file, instance, myrmex, stdout, under_way};
use myrmex::tsp::{Kind, generate};
use myrmex::{Observer, Progress, Settings, Solver, Stop, Target, Windows};
use serde_json::Value;

fn reports(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The known cost of a lattice ends a run, and is what its gap is told from.
#[test]
fn a_known_optimum_ends_a_run() {
    let input = instance("lattice400.tsp");
    let run = |rest: &[&str]| {
        let output = myrmex(&[&["solve", &input, "--backend", "cpu", "--json", "-"], rest].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (reports(&stdout(&output)).remove(0), words)
    };
    let began = Instant::now();
    let (report, words) = run(&["--optimum", "40000", "--time", "2m"]);
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!((&report["ended"], &report["cost"], &report["gap"]), (&"target".into(), &40_000.into(), &0.0.into()));
    assert!(
        words.contains("0.000% above the optimum (target reached)") || words.contains("0.000% above the optimum after"),
        "{words}"
    );
    let (near, _) = run(&["--optimum", "40000", "--gap", "5", "--time", "60s"]);
    let gap = near["gap"].as_f64().unwrap();
    assert!(gap <= 5.0 && near["iterations"].as_u64() <= report["iterations"].as_u64(), "{gap}");
    // What is said to be the optimum and is not one is told, and no error.
    let (refuted, words) = run(&["--optimum", "50000", "--iterations", "30"]);
    let less = format!(": {} is less than --optimum 50000, which is no optimum then", refuted["cost"]);
    assert!(words.lines().any(|line| line.starts_with("myrmex: ") && line.ends_with(&less)), "{words}");
    let (still, _) = run(&["--stagnation", "60", "--time", "2m"]);
    let trace = still["trace"].as_array().unwrap();
    let last = trace.iter().rfind(|point| point["shared_edges"].is_null()).unwrap()["iteration"].as_u64().unwrap();
    assert_eq!((&still["ended"], still["iterations"].as_u64().unwrap()), (&"stagnation".into(), last + 60));
}

/// Small problems come through many phases: the first and the last are kept, and how many there were between is told.
#[test]
fn phases_do_not_fill_the_memory() {
    let instance = generate(Kind::Uniform, 30, 1).unwrap();
    let settings = Settings::named("clk").unwrap().with("steps", "1").unwrap().with("walks", "1").unwrap();
    let mut solver = Solver::new(&instance, &settings, Target::Cpu).unwrap();
    let solution = solver.run(&Stop::rounds(700)).unwrap();
    let rounds: Vec<u32> = solution.phases.iter().map(|phase| phase.round).collect();
    assert_eq!((solution.phases.len(), solution.phases_left_out), (500, 200));
    assert_eq!((rounds[..250].to_vec(), rounds[250..].to_vec()), ((0..250).collect(), (450..700).collect::<Vec<_>>()));
    let begun: u32 = solution.phases.iter().map(|phase| phase.iterations).sum();
    assert!(begun < solution.iterations);
    // It goes on from a checkpoint with as many.
    let checkpoint = solver.checkpoint().unwrap();
    let mut again = Solver::resume(&instance, checkpoint, Target::Cpu).unwrap();
    let more = again.run(&Stop::rounds(710)).unwrap();
    assert_eq!((more.phases.len(), more.phases_left_out), (500, 210));
}

#[test]
fn optima_of_several_files_come_from_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let table = |text: &str| {
        let path = folder.path().join("optima.csv");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let [lattice, uniform] = ["lattice400.tsp", "uniform200.tsp"].map(instance);
    let run = |table: &str, rest: &[&str]| {
        let words =
            ["solve", &lattice, &uniform, "--optima", table, "--backend", "cpu", "--time", "60s", "--json", "-"];
        myrmex(&[&words[..], rest].concat())
    };
    let known = table("instance,optimum,source\nlattice400 , 40000, by its making\n\nUniform200 : 10537000\n");
    let output = run(&known, &[]);
    let found = reports(&stdout(&output));
    for (report, optimum) in found.iter().zip([40_000.0, 10_537_000.0]) {
        assert_eq!((&report["optimum"], &report["gap"]), (&optimum.into(), &0.0.into()));
        assert_eq!(report["ended"], "target");
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (found.len(), words.matches("best 0.000% above, mean 0.000% above the optimum").count()),
        (2, 2),
        "{words}"
    );
    // The name that stands in a file will do, as batches tell it.
    let by_name = table("lattice400.s1,40000\n");
    let one = ["solve", &lattice, "--optima", &by_name, "--backend", "cpu", "--json", "-"];
    assert_eq!(reports(&stdout(&myrmex(&one)))[0]["gap"], 0.0);
    // Of one file, too, and the gap is near it.
    let one = ["solve", &lattice, "--optima", &known, "--gap", "5", "--backend", "cpu", "--json", "-"];
    assert_eq!(reports(&stdout(&myrmex(&one)))[0]["optimum"], 40_000.0);
    // A file without one is told, and the others run.
    let output = run(&table("lattice400,40000\n"), &[]);
    let lines = reports(&stdout(&output));
    assert_eq!((output.status.code(), lines.len(), &lines[1]["error"]["kind"]), (Some(2), 2, &"config".into()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("uniform200.tsp"), "{output:?}");
    for (text, told) in [
        ("lattice400,40000\nuniform200\n", "optima.csv:2: expected the name"),
        ("lattice400,40000\nuniform200,many\n", "optima.csv:2: 'many' is no optimum of uniform200"),
        ("a,1\nA,2\n", "optima.csv:2: A has the optimum 2 here, and 1 in a line before"),
        ("name,cost\n", "there is no optimum in this file"),
    ] {
        let complaint = complaint(&run(&table(text), &[]));
        assert!(complaint.contains(told), "{complaint}");
    }
    let both = run(&known, &["--optimum", "3"]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("cannot be used with '--optimum <COST>'"), "{both:?}");
    let several = ["solve", &lattice, &uniform, "--optimum", "3"];
    assert!(complaint(&myrmex(&several)).contains("--optima takes a table"));
}

/// Of a folder what may be something else is told and left out; what cannot be read has a line, too.
#[test]
fn files_of_a_folder_are_solved_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [
        ("a.tsv", "x\ty\n0\t0\n3\t0\n3\t4\n"),
        ("b.csv", "x,y\n0,0\n3\n"),
        ("points.json", "[[0, 0], [3, 0], [3, 4]]"),
        ("notes.txt", "of mine"),
        ("readme.md", "of mine, too"),
    ] {
        std::fs::write(at(name), text).unwrap();
    }
    let output = myrmex(&["solve", folder.path().to_str().unwrap(), "--backend", "cpu", "--json", "-"]);
    let (lines, told) = (reports(&stdout(&output)), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), lines.len(), &lines[0]["length"]), (Some(2), 2, &12.0.into()));
    assert_eq!(lines[1]["path"].as_str(), at("b.csv").to_str());
    assert_eq!(lines[1]["error"]["kind"], "parse");
    assert!(
        told.contains(": 2 files that may be something else, .json or .txt, left out; name what is to be solved"),
        "{told}"
    );
    let named = myrmex(&["solve", at("points.json").to_str().unwrap(), "--backend", "cpu", "--json", "-"]);
    assert_eq!(reports(&stdout(&named))[0]["length"], 12.0);
}

#[test]
fn times_and_rules_without_sense_are_refused() {
    let input = instance("circle150.tsp");
    for (words, told) in [
        (&["--time", "-1"] as &[&str], "expected seconds from 0"),
        (&["--time", "2d"], "expected seconds from 0"),
        (&["--stagnation", "1.5"], "with its unit"),
        (&["--stagnation", "0"], "at least 1 iteration"),
        (&["--stagnation", "0s"], "longer than 0"),
        (&["--target", "70", "--optimum", "80"], "--target 70 is less than --optimum 80"),
        (&["--gap", "1"], "--optimum"),
        (&["--optimum", "nan"], "expected a number"),
        (&["--runs", "0"], "1.."),
        (&["--rounds", "1", "--algorithm", "mmas", "--backend", "cpu"], "'rounds' never ends it"),
        (&["--rounds", "1", "--set", "eax_up_to=100", "--backend", "cpu"], "'rounds' never ends it"),
    ] {
        let output = myrmex(&[&["solve", &input], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(told), "{words:?}: {error}");
    }
    let output = myrmex(&["solve", &input, "--backend", "cpu", "--time", "300ms", "--json", "-"]);
    let report = reports(&stdout(&output)).remove(0);
    let seconds = report["seconds"].as_f64().unwrap();
    // The limit counts, and not that of a run without one.
    assert!(report["ended"] == "time" && (0.2..5.0).contains(&seconds), "{report}");
}

#[test]
fn several_runs_make_a_table_and_a_line_of_json_each() {
    let folder = tempfile::tempdir().unwrap();
    let (json_path, json) = file(&folder, "all.ndjson");
    let (_, tour) = file(&folder, "best.tour");
    let input = instance("uniform200.tsp");
    let few = ["--backend", "cpu", "--iterations", "4", "--set", "windows=2", "--target", "10900000"];
    let output = myrmex(&[&["solve", &input, "--runs", "3", "--json", &json, "--tour", &tour], &few[..]].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let all = reports(&std::fs::read_to_string(&json_path).unwrap());
    assert_eq!(all.iter().map(|report| report["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    let costs: Vec<u64> = all.iter().map(|report| report["cost"].as_u64().unwrap()).collect();
    // Each is what a run with its seed alone finds.
    let alone = myrmex(&[&["solve", &input, "--seed", "2", "--json", "-", "--quiet"], &few[..]].concat());
    assert_eq!(reports(&stdout(&alone))[0]["tour"], all[1]["tour"]);
    let best = *costs.iter().min().unwrap();
    let mean = costs.iter().sum::<u64>() as f64 / 3.0;
    let table = stdout(&output);
    let row = table.lines().find(|line| line.starts_with("uniform200")).unwrap_or_else(|| panic!("{table}"));
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[1..5], ["200", "3", &best.to_string(), &format!("{mean:.1}")]);
    // What ran is told below it.
    let by = 1 + costs.iter().position(|cost| *cost == best).unwrap();
    let ran = table.lines().last().unwrap();
    assert!(ran.starts_with("  lk-eax (2 windows), effort standard, on ") && ran.contains("(cpu)"), "{table}");
    assert!(ran.ends_with(&format!("seeds 1 to 3, the best found by seed {by}")), "{table}");
    let hits = costs.iter().filter(|cost| **cost <= 10_900_000).count();
    assert_eq!(cells[6], format!("{hits}/3"));
    assert!(stdout(&myrmex(&["check", &input, &tour])).contains(&format!("cost {best}")));
}

/// What runs have found stays where a further one cannot begin.
#[test]
fn a_run_that_cannot_begin_leaves_those_before() {
    let folder = tempfile::tempdir().unwrap();
    let (initial_path, initial) = file(&folder, "initial.tour");
    let (json_path, json) = file(&folder, "all.ndjson");
    let (best_path, best) = file(&folder, "best.tour");
    let input = instance("uniform200.tsp");
    assert!(
        myrmex(&["solve", &input, "--backend", "cpu", "--iterations", "1", "--solution", &initial]).status.success()
    );
    let words = ["--backend", "cpu", "--time", "2s", "--runs", "2", "--initial", &initial, "--solution", &best];
    let (mut child, rest) = under_way(&[&["solve", &input, "--json", &json], &words[..]].concat(), "seed 1, ");
    // The first run has read it.
    std::fs::remove_file(&initial_path).unwrap();
    let told = std::io::read_to_string(rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{told}");
    assert!(told.contains("initial.tour") && told.contains("the best solutions known before that were kept"), "{told}");
    assert!(std::fs::read_to_string(best_path).unwrap().ends_with("EOF\n"));
    assert_eq!(reports(&std::fs::read_to_string(json_path).unwrap()).len(), 1);
}

/// A word that is mistyped costs no reports of another day.
#[test]
fn reports_stay_where_nothing_could_begin() {
    let folder = tempfile::tempdir().unwrap();
    let ((json, json_name), (_, missing)) = (file(&folder, "keep.ndjson"), file(&folder, "missing.tsp"));
    std::fs::write(&json, "yesterday\n").unwrap();
    let input = instance("circle150.tsp");
    let run = |files: &[&str]| {
        let words = ["--runs", "2", "--backend", "cpu", "--iterations", "1", "--json", &json_name];
        myrmex(&[&["solve"], files, &words].concat()).status.code()
    };
    assert_eq!(run(&[&missing]), Some(2));
    assert_eq!(run(&[&missing, &format!("{missing}2.tsp")]), Some(2));
    assert_eq!(std::fs::read_to_string(&json).unwrap(), "yesterday\n");
    // What failed comes with the reports of what ran.
    assert_eq!(run(&[&missing, &input]), Some(2));
    let lines = reports(&std::fs::read_to_string(&json).unwrap());
    assert_eq!((lines.len(), &lines[0]["error"]["kind"], &lines[2]["n"]), (3, &"file".into(), &150.into()));
}

/// What is known of an instance is told below the table.
#[test]
fn tables_tell_gaps_and_bounds() {
    let input = instance("circle150.tsp");
    let table = |words: &[&str]| {
        let few = ["solve", &input, "--runs", "2", "--backend", "cpu", "--iterations", "30"];
        let output = myrmex(&[&few[..], words].concat());
        assert!(output.status.success(), "{}", complaint(&output));
        stdout(&output) + &complaint(&output)
    };
    let known = table(&["--optimum", "6282724", "--bound"]);
    assert!(known.contains("  best 0.000% above, mean 0.000% above the optimum"), "{known}");
    assert!(known.contains("  no tour is shorter than 6") && known.contains(": the best is at most "), "{known}");
    let refuted = table(&["--optimum", "6300000"]);
    assert!(refuted.contains(" is less than --optimum 6300000, which is no optimum then"), "{refuted}");
    let last = myrmex(&["solve", &input, "--seed", "18446744073709551614", "--runs", "3"]);
    assert!(complaint(&last).contains("leaves no seeds for 3 runs"), "{}", complaint(&last));
}

#[test]
fn folders_and_several_files_are_solved_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["circle150.tsp", "layout40.dat"] {
        std::fs::copy(instance(name), folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("notes.txt"), "no instance").unwrap();
    std::fs::write(folder.path().join("broken.csv"), "x,y\n1,\n").unwrap();
    let path = folder.path().display().to_string();
    let few = ["--backend", "cpu", "--iterations", "2", "--json", "-"];
    let output = myrmex(&[&["solve", &path], &few[..]].concat());
    // What is wrong with one does not keep the others from being solved.
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("broken.csv:2: expected a number for y"));
    let all = reports(&stdout(&output));
    let found: Vec<[&Value; 2]> = all.iter().map(|line| [&line["path"], &line["instance"]]).collect();
    let paths = ["broken.csv", "circle150.tsp", "layout40.dat"]
        .map(|name| Value::from(folder.path().join(name).display().to_string()));
    let names = [Value::Null, "circle150.s1".into(), "layout40".into()];
    assert_eq!(found, [0, 1, 2].map(|at| [&paths[at], &names[at]]));
    assert_eq!(all[0]["error"]["kind"], "parse");
    let two = [instance("circle150.tsp"), instance("uniform200.tsp")];
    let refused = myrmex(&["solve", &two[0], &two[1], "--solution", "x.tour"]);
    assert!(complaint(&refused).contains("--solution is of one instance"), "{}", complaint(&refused));
    let empty = tempfile::tempdir().unwrap();
    let refused = myrmex(&["solve", &empty.path().display().to_string()]);
    assert!(complaint(&refused).contains("no file that ends in"), "{}", complaint(&refused));
}

/// Lines for programs: each is JSON, costs fall, and the last one is what the report says.
#[test]
fn progress_is_told_to_programs() {
    let input = instance("uniform200.tsp");
    let run = ["solve", &input, "--backend", "cpu", "--iterations", "60", "--progress", "json", "--json", "-"];
    let output = myrmex(&[&run[..], &["--optimum", "10000000"]].concat());
    let report = reports(&stdout(&output)).remove(0);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = reports(&text);
    assert!(!lines.is_empty());
    assert!(lines.windows(2).all(|pair| pair[0]["cost"].as_u64() >= pair[1]["cost"].as_u64()));
    let last = lines.last().unwrap();
    assert_eq!((&last["cost"], &last["instance"], &last["seed"]), (&report["cost"], &report["instance"], &1.into()));
    assert!((last["gap"].as_f64().unwrap() - report["gap"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!((&last["ended"], &last["length"]), (&report["ended"], &report["length"]));
    assert!(lines[..lines.len() - 1].iter().all(|line| line.get("ended").is_none()));
    // So is what people are warned of.
    let warned =
        myrmex(&[&run[..4], &["--iterations", "2", "--target", "5", "--quiet", "--progress", "json"]].concat());
    let warned = reports(&String::from_utf8_lossy(&warned.stderr));
    let warning = warned.iter().find_map(|line| line["warning"].as_str()).unwrap();
    assert!(warning.starts_with("--target 5 was not reached: ") && warned[0].get("warning").is_none(), "{warned:?}");
    // Phases follow one another, and begin again in the next round.
    let phases: Vec<[u64; 2]> =
        lines.iter().map(|line| ["round", "phase"].map(|key| line[key].as_u64().unwrap())).collect();
    assert!(phases.is_sorted() && phases.last().unwrap()[1] > 0, "{phases:?}");
}

/// An observer that is busy is told of later solutions, and the run finds the same.
#[test]
fn busy_observers_are_told_less() {
    struct Busy {
        asked: usize,
        costs: Vec<u64>,
    }
    impl Observer for Busy {
        fn is_ready(&mut self) -> bool {
            self.asked += 1;
            self.asked.is_multiple_of(3)
        }

        fn gain(&mut self, now: &Progress, _: &[u32]) -> ControlFlow<()> {
            self.costs.push(now.cost);
            ControlFlow::Continue(())
        }
    }
    let instance = generate(Kind::Uniform, 1000, 1).unwrap();
    let windows = Settings::of(Windows { windows: Some(1), ..Windows::default() });
    let solver = || Solver::new(&instance, &windows, Target::Cpu).unwrap();
    let mut busy = Busy { asked: 0, costs: Vec::new() };
    let seen = solver().run_observed(&Stop::iterations(60), &mut busy).unwrap();
    let alone = solver().run(&Stop::iterations(60)).unwrap();
    assert_eq!(seen.permutation, alone.permutation);
    assert!(!busy.costs.is_empty() && busy.costs.is_sorted_by(|before, after| before > after), "{:?}", busy.costs);
    assert!(busy.costs.len() <= busy.asked / 3 && busy.asked >= 3, "{} of {}", busy.costs.len(), busy.asked);
}

/// Long iterations of a GPU do not keep its best solution from the host: a copy is made once the time since the last one pays for it.
#[test]
fn the_host_sees_what_long_iterations_gain() {
    let instance = generate(Kind::Uniform, 5000, 1).unwrap();
    let mut solver = common::solver(&instance, &common::settings("lk"), common::target());
    let incumbent = solver.incumbent();
    let first = incumbent.get().unwrap().1;
    let mut seen = None;
    // By the bytes that an iteration pays for the first copy would come after 40.
    let stop = Stop::iterations(39);
    solver
        .run_with(&stop, |progress: &Progress| match incumbent.get() {
            Some((_, cost)) if cost < first => {
                seen = Some(progress.iteration);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    assert!(seen.is_some_and(|iteration| iteration < 39), "{seen:?}");
}

/// Iterations that are made one by one are calls like others: a rule of stagnation begins to count again behind them.
#[test]
fn steps_end_what_a_rule_of_stagnation_counts() {
    let problem = generate(Kind::Uniform, 30, 5).unwrap();
    let mut solver = common::solver(&problem, &common::settings("mmas ants=8 stagnation=0 seed=2"), Target::Cpu);
    solver.step(300).unwrap();
    solver.run(&Stop::stagnation(5000).or(Stop::iterations(305))).unwrap();
    let (made, before) = (solver.step(50).unwrap().iteration, solver.progress().cost);
    solver.run(&Stop::stagnation(20)).unwrap();
    assert_eq!((solver.progress().iteration, solver.progress().cost), (made + 20, before));
}
