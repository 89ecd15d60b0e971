//! Golden results: costs and solutions that no move of code may change. Each row of `golden.csv` is a run of the program by the
//! words of its command line; cost and a hash of the solution have to be those of the row, on the CPU and, where the row says so, on
//! a GPU (Mesa's software driver will do).
//!
//! `MYRMEX_RENEW_GOLDEN=1 cargo test --features cuda --test all golden::` renews the table. That is right when an algorithm or a
//! default was changed on purpose and the change log says so, never to make a failing test pass.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

const TABLE: &str = "tests/golden.csv";
/// Presets and parameters that no row can hold: runs with relaxed local updates do not repeat.
const RELAXED: [&str; 2] = ["acs-gpu-alt", "acs-gpu-spm"];

struct Row {
    /// `cpu`, or `both` for the CPU and the GPU.
    backends: String,
    instance: String,
    iterations: String,
    seed: String,
    settings: String,
    /// Cost and hash as hexadecimal digits.
    expected: (String, String),
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join(TABLE)).expect("the table is there");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("backends,instance,iterations,seed,settings,cost,hash"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            // A schedule has commas of its own.
            let [backends, instance, iterations, seed, settings @ .., cost, hash] = cells.as_slice() else {
                panic!("the row '{line}' has too few cells")
            };
            Row {
                backends: (*backends).into(),
                instance: (*instance).into(),
                iterations: (*iterations).into(),
                seed: (*seed).into(),
                settings: settings.join(","),
                expected: ((*cost).into(), (*hash).into()),
            }
        })
        .collect()
}

/// 64-bit FNV-1a over the parts of a solution.
fn hash(permutation: &[Value]) -> String {
    let parts = permutation.iter().map(|part| part.as_u64().expect("a part is a whole number") as u32);
    let bytes = parts.flat_map(u32::to_le_bytes);
    let hash =
        bytes.fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    format!("{hash:016x}")
}

/// A tour of 200 cities as they are counted: so bad a start that whatever is found soon is the best.
const IN_ORDER: &str = "in_order200.tour";

fn in_order() -> String {
    let cities = (1..=200).map(|city| format!("{city}\n")).collect::<String>();
    format!("NAME : in order\nTYPE : TOUR\nDIMENSION : 200\nTOUR_SECTION\n{cities}-1\nEOF\n")
}

/// The file of an instance: one of the repository's, `KIND:N:SEED` for a generated one, or one that is written here.
fn file(instance: &str, folder: &Path) -> PathBuf {
    if instance.starts_with("instances/") {
        return root().join(instance);
    }
    let path = folder.join(instance.replace(':', "_"));
    if let [kind, n, seed] = instance.split(':').collect::<Vec<_>>()[..] {
        let made = Command::new(env!("CARGO_BIN_EXE_myrmex"))
            .args(["generate", kind, n, "--seed", seed, "-o"])
            .arg(&path)
            .output()
            .expect("the program runs");
        assert!(made.status.success(), "{instance}: {}", String::from_utf8_lossy(&made.stderr));
        return path;
    }
    std::fs::write(&path, written(instance)).expect("the instance is written");
    path
}

fn written(instance: &str) -> String {
    let place = |i: u32| (i * 7919 % 3001, i * 104_729 % 2803);
    let tsplib = |n: u32, kind: &str, scale: f64| {
        let mut text =
            format!("NAME : {instance}\nTYPE : TSP\nDIMENSION : {n}\nEDGE_WEIGHT_TYPE : {kind}\nNODE_COORD_SECTION\n");
        for i in 0..n {
            let (x, y) = place(i);
            // Of degrees the decimals are minutes.
            let scaled = |at: f64| if kind == "GEO" { at.trunc() + 0.6 * at.fract() } else { at };
            let [x, y] = [x, y].map(|at| scaled(f64::from(at) * scale));
            let _ = writeln!(text, "{} {x} {y}", i + 1);
        }
        text + "EOF\n"
    };
    let matrix = |n: u32, salt: u32| {
        let entry = |i: u32, j: u32| if i == j { 0 } else { (i * 37 + j * 101 + i * j * salt) % 97 + 1 };
        (0..n).fold(String::new(), |mut text, i| {
            let row: Vec<String> = (0..n).map(|j| entry(i, j).to_string()).collect();
            text += &(row.join(" ") + "\n");
            text
        })
    };
    match instance {
        "ceil150" => tsplib(150, "CEIL_2D", 1.0),
        "thousandths180" => tsplib(180, "EUC_2D", 0.125),
        "att120" => tsplib(120, "ATT", 1.0),
        "geo90" => tsplib(90, "GEO", 0.02),
        "man100" => tsplib(100, "MAN_2D", 1.0),
        "directed70" => format!(
            "NAME : directed70\nTYPE : ATSP\nDIMENSION : 70\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n\
             EDGE_WEIGHT_SECTION\n{}EOF\n",
            matrix(70, 11)
        ),
        "asymmetric20" => format!("20\n\n{}\n{}", matrix(20, 3), matrix(20, 7)),
        "few8of24" => format!("8 24\n\n{}\n{}", matrix(8, 3), matrix(24, 7)),
        // Three kinds of facilities, those of a kind alike, and some without flows.
        "alike24" => {
            let flow = |at: usize| match [at / 24 % 4, at % 24 % 4] {
                [3, _] | [_, 3] => 0,
                [a, b] => 3 * a.min(b) + a.max(b) + 1,
            };
            let flows: Vec<String> = (0..24 * 24).map(|at| flow(at).to_string()).collect();
            format!("24\n\n{}\n{}", flows.join(" "), matrix(24, 5))
        }
        other => panic!("nothing is known of the instance '{other}'"),
    }
}

/// Cost and hash, or what went wrong.
fn run(row: &Row, backend: &str, file: &Path, folder: &Path) -> Result<(String, String), String> {
    let out = Command::new(env!("CARGO_BIN_EXE_myrmex"))
        .current_dir(folder)
        .arg("solve")
        .arg(file)
        .args(["--backend", backend, "--iterations", &row.iterations, "--seed", &row.seed])
        .args(row.settings.split_whitespace())
        .args(["--quiet", "--json", "-"])
        .output()
        .map_err(|error| error.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let report: Value = serde_json::from_slice(&out.stdout).map_err(|error| error.to_string())?;
    // A row that holds what the run began with would hold nothing of what ran.
    if report["trace"].as_array().is_none_or(|trace| trace.len() < 2) {
        return Err("the run found nothing better than what it began with".into());
    }
    let permutation = report["tour"].as_array().or_else(|| report["permutation"].as_array()).ok_or("no solution")?;
    Ok((report["cost"].to_string(), hash(permutation)))
}

/// The GPU backend that tests run on.
fn gpu() -> String {
    std::env::var("MYRMEX_TEST_BACKEND").unwrap_or_else(|_| "wgpu".into())
}

#[test]
fn costs_and_solutions_are_those_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(IN_ORDER), in_order()).unwrap();
    let rows = rows();
    let renews = std::env::var_os("MYRMEX_RENEW_GOLDEN").is_some();
    let mut files = HashMap::new();
    for row in &rows {
        files.entry(row.instance.clone()).or_insert_with(|| file(&row.instance, folder.path()));
    }
    let gpu = gpu();
    let jobs: Vec<(&Row, &str)> = rows
        .iter()
        .flat_map(|row| {
            let on_gpu = (row.backends == "both").then_some((row, gpu.as_str()));
            [Some((row, "cpu")), on_gpu].into_iter().flatten()
        })
        .collect();
    let (next, wrong, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(HashMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((row, backend)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = format!("{} {} iterations {} {}", row.instance, row.iterations, row.settings, row.seed);
                    match run(row, backend, &files[&row.instance], folder.path()) {
                        Ok(result) => {
                            let expected = if renews && *backend == "cpu" { &result } else { &row.expected };
                            if !renews && result != *expected {
                                let message = format!("{name} on {backend}: {result:?}, expected {expected:?}");
                                wrong.lock().unwrap().push(message);
                            }
                            found.lock().unwrap().insert((name, (*backend).to_owned()), result);
                        }
                        Err(error) => wrong.lock().unwrap().push(format!("{name} on {backend}: {error}")),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} runs differ:\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
    if renews {
        let found = found.into_inner().unwrap();
        let mut text = String::from("backends,instance,iterations,seed,settings,cost,hash\n");
        for row in &rows {
            let name = format!("{} {} iterations {} {}", row.instance, row.iterations, row.settings, row.seed);
            let on_cpu = &found[&(name.clone(), "cpu".to_owned())];
            if row.backends == "both" {
                assert_eq!(on_cpu, &found[&(name.clone(), gpu.clone())], "{name}: CPU and GPU differ");
            }
            let (cost, hash) = on_cpu;
            let Row { backends, instance, iterations, seed, settings, .. } = row;
            let _ = writeln!(text, "{backends},{instance},{iterations},{seed},{settings},{cost},{hash}");
        }
        std::fs::write(root().join(TABLE), text).unwrap();
    }
    println!("{} runs of {} rows", jobs.len(), rows.len());
}

#[test]
fn the_table_has_every_algorithm_and_preset() {
    let rows = rows();
    assert!(rows.len() >= 40, "only {} rows", rows.len());
    let has = |words: &str| rows.iter().any(|row| format!("{} ", row.settings).contains(&format!("{words} ")));
    for preset in myrmex::PRESETS.iter().filter(|preset| !RELAXED.contains(&preset.name)) {
        assert!(has(&format!("--preset {}", preset.name)), "no row has preset {}", preset.name);
    }
    for algorithm in myrmex::Algorithm::NAMES.iter().filter(|name| **name != "auto") {
        assert!(has(&format!("--algorithm {algorithm}")), "no row has algorithm {algorithm}");
    }
    assert!(rows.iter().any(|row| row.settings.is_empty()), "no row has the default");
}
