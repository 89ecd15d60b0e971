//! Pictures of tours and plots of gains: what the program draws, and what it refuses.
#![cfg(feature = "cli")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::program::{complaint, file, instance, myrmex, stdout};
use resvg::tiny_skia::Pixmap;

fn solve(input: &str, rest: &[&str]) -> std::process::Output {
    let run = ["solve", input, "--backend", "cpu", "--iterations", "8", "--set", "windows=4"];
    myrmex(&[&run, rest].concat())
}

/// The share of a picture's pixels that are not of the colour of its corner.
fn ink(path: &Path) -> (f64, (u32, u32)) {
    let pixmap = Pixmap::load_png(path).unwrap();
    let corner = pixmap.pixel(0, 0).unwrap();
    let drawn = pixmap.pixels().iter().filter(|pixel| **pixel != corner).count();
    (drawn as f64 / pixmap.pixels().len() as f64, (pixmap.width(), pixmap.height()))
}

/// The points of the curves of a plot.
fn curves(svg: &str) -> Vec<usize> {
    let lines = svg.split("<polyline ").skip(1).filter(|line| line.contains("stroke-width=\"2\""));
    let points = lines.filter_map(|line| line.split("points=\"").nth(1)?.split('"').next());
    points.map(|points| points.split_whitespace().count()).filter(|count| *count > 2).collect()
}

#[test]
fn a_tour_is_drawn_as_svg_and_png() {
    let folder = tempfile::tempdir().unwrap();
    let (svg_path, svg) = file(&folder, "tour.svg");
    let (png_path, png) = file(&folder, "tour.PNG");
    let output = solve(&instance("uniform200.tsp"), &["--picture", &svg, "--picture", &png]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert_eq!(std::fs::read_to_string(&svg_path).unwrap().matches("<circle").count(), 200);
    let (drawn, (width, height)) = ink(&png_path);
    assert_eq!(width.max(height), 2000);
    // The area within the tour, its line and cities.
    assert!((0.2..0.9).contains(&drawn), "{drawn}");
    // The older name of the option draws the same.
    let again = solve(&instance("uniform200.tsp"), &["--svg", "-"]);
    assert_eq!(stdout(&again), std::fs::read_to_string(&svg_path).unwrap());
}

#[test]
fn gains_are_plotted_as_svg_and_png() {
    let folder = tempfile::tempdir().unwrap();
    let (svg_path, svg) = file(&folder, "gains.svg");
    let (png_path, png) = file(&folder, "gains.png");
    let (trace_path, trace) = file(&folder, "gains.csv");
    let output =
        solve(&instance("uniform1000.tsp"), &["--plot", &svg, "--plot", &png, "--trace", &trace, "--optimum", "20000"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let trace = std::fs::read_to_string(trace_path).unwrap();
    let mut costs: Vec<&str> = trace.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    costs.dedup();
    let drawn = std::fs::read_to_string(svg_path).unwrap();
    assert!(costs.len() > 2);
    assert_eq!(curves(&drawn), [2 * costs.len()]);
    assert!(drawn.contains("percent above the optimum") && drawn.contains("uniform1000.s1, 1000 cities, seed 1"));
    // A run that is below it has no gap to draw.
    let refuted = solve(&instance("uniform1000.tsp"), &["--plot", &svg, "--optimum", "900000000"]);
    assert!(refuted.status.success(), "{}", complaint(&refuted));
    assert!(complaint(&refuted).ends_with("and --plot draws costs instead of gaps to it"), "{}", complaint(&refuted));
    assert!(!std::fs::read_to_string(folder.path().join("gains.svg")).unwrap().contains("percent above"));
    let (drawn, size) = ink(&png_path);
    assert_eq!(size, (2000, 1250));
    assert!((0.005..0.2).contains(&drawn), "{drawn}");
}

/// A curve ends with its run as the report tells it, which counts the time that the instance is waited for.
#[test]
fn a_curve_ends_at_the_seconds_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let ((svg_path, svg), (json_path, json)) = (file(&folder, "gains.svg"), file(&folder, "report.json"));
    let words = ["solve", "-", "--backend", "cpu", "--iterations", "8", "--set", "windows=4"];
    let mut program = Command::new(env!("CARGO_BIN_EXE_myrmex"));
    program.args(words).args(["--quiet", "--plot", &svg, "--json", &json]).stdin(Stdio::piped());
    let mut child = program.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let text = std::fs::read(instance("uniform1000.tsp")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    assert!(child.wait().unwrap().success());
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(json_path).unwrap()).unwrap();
    let gains = report["trace"].as_array().unwrap().iter().filter(|point| point["shared_edges"].is_null());
    let gains: Vec<f64> = gains.map(|point| point["seconds"].as_f64().unwrap()).collect();
    let drawn = std::fs::read_to_string(svg_path).unwrap();
    let lines = drawn.split("<polyline ").filter(|line| line.contains("stroke-width=\"2\""));
    let places = lines.filter_map(|line| line.split("points=\"").nth(1)?.split('"').next()).map(|points| {
        points.split_whitespace().map(|point| point.split(',').next().unwrap().parse().unwrap()).collect::<Vec<f64>>()
    });
    let curve = places.into_iter().find(|places| places.len() == 2 * gains.len()).unwrap();
    let (first, last) = (curve[0], curve[curve.len() - 1]);
    // The axis is logarithmic, from the first gain or a millisecond to the end.
    let begin = gains[0].max(1e-3);
    let share = |seconds: f64| (seconds.max(1e-3) / begin).ln() / (report["seconds"].as_f64().unwrap() / begin).ln();
    assert!(gains.len() > 1);
    for (gain, place) in gains.iter().zip(curve.iter().step_by(2)) {
        let expected = first + share(*gain) * (last - first);
        assert!((place - expected).abs() < 2.0, "{gain} s of {report}: {place}, not {expected}");
    }
}

/// Its cost is rounded down by 4 in ten million.
#[test]
fn a_cost_that_is_rounded_refutes_no_optimum() {
    let folder = tempfile::tempdir().unwrap();
    let (csv_path, csv) = file(&folder, "three.csv");
    std::fs::write(csv_path, "x,y\n0,0\n1,0\n0.5,0.4\n").unwrap();
    let optimum = (1.0 + 2.0 * 0.41f64.sqrt()).to_string();
    let output = myrmex(&["solve", &csv, "--backend", "cpu", "--optimum", &optimum, "--plot", "-"]);
    assert!(stdout(&output).contains("percent above the optimum"), "{}", complaint(&output));
}

#[test]
fn each_of_several_runs_has_a_curve() {
    let folder = tempfile::tempdir().unwrap();
    let (svg_path, svg) = file(&folder, "runs.svg");
    let (_, json) = file(&folder, "runs.json");
    let output = solve(&instance("layout40.dat"), &["--runs", "3", "--seed", "7", "--plot", &svg, "--json", &json]);
    // Windows mean nothing to an assignment.
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
    let run = ["solve", &instance("layout40.dat"), "--backend", "cpu", "--iterations", "8"];
    let output = myrmex(&[&run[..], &["--runs", "3", "--seed", "7", "--plot", &svg, "--json", &json]].concat());
    assert!(output.status.success(), "{}", complaint(&output));
    let drawn = std::fs::read_to_string(svg_path).unwrap();
    let gains: Vec<usize> = std::fs::read_to_string(&json)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["trace"].as_array().unwrap().len())
        .collect();
    assert_eq!(curves(&drawn), gains.iter().map(|gains| 2 * gains).collect::<Vec<_>>());
    for seed in ["seed 7", "seed 8", "seed 9", "3 runs"] {
        assert!(drawn.contains(seed), "{seed}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (path, jpg) = file(&folder, "tour.jpg");
    let (_, png) = file(&folder, "tour.png");
    let (tour, layout) = (instance("uniform200.tsp"), instance("layout40.dat"));
    let refused = |words: &[&str], why: &str| {
        let output = myrmex(&[&["solve"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(complaint(&output).contains(why), "{}", complaint(&output));
    };
    refused(&[&tour, "--picture", &jpg], "name a file that ends in .svg or .png");
    refused(&[&tour, "--plot", &jpg], "name a file that ends in .svg or .png");
    refused(&[&layout, "--picture", &png], "no coordinates in the plane to draw; --plot draws how the cost fell");
    refused(&[&tour, &layout, "--plot", &png], "--plot is of one instance");
    refused(&[&tour, "--picture", "nowhere/tour.png"], "nowhere/tour.png");
    refused(&[&tour, "--picture", &png, "--plot", &png], "would overwrite");
    assert!(!path.exists() && !Path::new(&png).exists());
}
