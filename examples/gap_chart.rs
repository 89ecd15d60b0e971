//! Draws how the gap of several solvers fell over time on one instance, from a table of their gains.
//!
//! `cargo run --release --example gap_chart -- TABLE.csv INSTANCE BEST CHART.svg`
//!
//! TABLE.csv has the columns `instance`, `solver`, `seconds` and `cost`, a line for each gain, in the order of time; BEST is the best known
//! cost, from which gaps are counted in percent. A solver's curve ends with the last gain of all on that instance.

use std::fs::File;
use std::io::Write;

use myrmex::report::{Curve, Measure, write_plot};

/// A line of the table.
#[derive(serde::Deserialize)]
struct Gain {
    instance: String,
    solver: String,
    seconds: f64,
    cost: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, instance, best, chart] = words.as_slice() else {
        return Err("give TABLE.csv INSTANCE BEST CHART.svg".into());
    };
    let best: f64 = best.parse()?;
    let mut curves: Vec<Curve> = Vec::new();
    for line in csv::Reader::from_path(table)?.deserialize() {
        let Gain { instance: of, solver, seconds, cost } = line?;
        if of != *instance {
            continue;
        }
        let gain = [seconds, 100.0 * (cost - best) / best];
        match curves.iter_mut().find(|curve| curve.name == solver) {
            Some(curve) => curve.gains.push(gain),
            None => curves.push(Curve { name: solver, gains: vec![gain], end: 0.0 }),
        }
    }
    let end = curves.iter().flat_map(|curve| &curve.gains).map(|gain| gain[0]).fold(0.0, f64::max);
    curves.iter_mut().for_each(|curve| curve.end = end);
    let mut svg = Vec::new();
    write_plot(&mut svg, instance, Measure::Gap, &curves)?;
    File::create(chart)?.write_all(&svg)?;
    Ok(())
}
