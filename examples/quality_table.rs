//! Renews the tables of quality: the default on instances whose best known cost is known, the gap to it over time.
//!
//! ```text
//! cargo run --release --example quality_table -- --best optima.csv --times 1,5 --seeds 3 a280.tsp tai40a.dat ...
//! ```
//! `optima.csv` has a row for each instance, with its name first and a column `best_known`. Uniform instances that
//! `myrmex generate uniform` made (`uniform200000.s1`) need no row: their gap is the excess over 0.7124·√(nA). Rows print as Markdown
//! when all seeds of an instance are done: the mean gap in percent after each time, set-up included, and how many runs ended at the
//! best known cost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use myrmex::{Effort, Error, Problem, Result, Settings, Solver, Stop, Target};

/// Prints the gaps of the default over time.
#[derive(Parser)]
struct Args {
    /// A CSV file with a column of names, the first, and a column 'best_known'
    #[arg(long)]
    best: PathBuf,
    /// Seconds to look at, rising, joined by commas
    #[arg(long, value_delimiter = ',', default_value = "1,5")]
    times: Vec<f64>,
    /// Seeds, from 1 on
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// auto, cpu, cuda, or the index or a part of the name of a GPU
    #[arg(long, default_value = "auto")]
    device: String,
    /// auto, small, standard or large
    #[arg(long, default_value = "auto")]
    effort: String,
    /// Instances
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Best known costs by name.
fn best_known(path: &Path) -> Result<Vec<(String, u64)>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let column = header.split(',').position(|name| name == "best_known");
    let column = column.ok_or_else(|| Error::Config(format!("{}: no column 'best_known'", path.display())))?;
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some(((*cells.first()?).to_owned(), cells.get(column)?.trim().parse().ok()?))
    };
    Ok(lines.filter_map(row).collect())
}

/// The cost that gaps are counted from: the best known one, or that of a long random uniform tour (Johnson and McGeoch 1997), and
/// whether a run can end at it.
fn reference(problem: &Problem, known: &[(String, u64)]) -> Option<(f64, bool)> {
    if let Some((_, best)) = known.iter().find(|(name, _)| name == problem.name()) {
        return Some((*best as f64, true));
    }
    let Problem::Tsp(instance) = problem else { return None };
    if !problem.name().starts_with("uniform") {
        return None;
    }
    let (low, high) = instance.coords().iter().fold((f64::MAX, f64::MIN), |(low, high), place| {
        (low.min(place.x).min(place.y), high.max(place.x).max(place.y))
    });
    Some((0.7124 * (problem.len() as f64).sqrt() * (high - low), false))
}

fn target(device: &str) -> Target {
    match device {
        "auto" => Target::Auto,
        "cpu" => Target::Cpu,
        #[cfg(feature = "cuda")]
        "cuda" => Target::Cuda(None),
        other => Target::Wgpu(Some(other.to_owned())),
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let known = best_known(&args.best)?;
    let effort = Effort::ALL.iter().find(|effort| effort.name() == args.effort);
    let effort = *effort.ok_or_else(|| Error::Config("--effort is auto, small, standard or large".into()))?;
    let last = args.times.last().copied().unwrap_or_default();
    let heads: Vec<String> = args.times.iter().map(|time| format!("{time} s")).collect();
    let mut headed = false;
    for file in &args.files {
        let problem = Problem::read(file)?;
        let Some((cost, ends)) = reference(&problem, &known) else {
            eprintln!("{}: its best known cost is not in {}", problem.name(), args.best.display());
            continue;
        };
        let mut gaps = vec![Vec::new(); args.times.len()];
        let mut solved = Vec::new();
        for seed in 1..=args.seeds {
            let settings = Settings { effort, ..Settings::default().seed(seed) };
            let mut solver = Solver::new(&problem, &settings, target(&args.device))?;
            if !headed {
                println!("{}, {}\n", solver.device(), solver.backend());
                println!("| instance | seeds | {} | at the best known cost |", heads.join(" | "));
                println!("|---|---|{}---|", "---:|".repeat(heads.len()));
                headed = true;
            }
            let limit = Stop::time(Duration::from_secs_f64(last));
            let stop = if ends { limit.or(Stop::cost(cost as u64)) } else { limit };
            let solution = solver.run(&stop)?;
            for (gaps, time) in gaps.iter_mut().zip(&args.times) {
                let by_then = solution.trace.iter().take_while(|point| point.seconds <= *time).last();
                gaps.extend(by_then.map(|point| (point.cost as f64 / cost - 1.0) * 100.0));
            }
            solved.extend((ends && solution.cost as f64 <= cost).then_some(solution.seconds));
        }
        let mean = |gaps: &Vec<f64>| match gaps.len() as u64 == args.seeds {
            true => format!("{:.3}", gaps.iter().sum::<f64>() / gaps.len() as f64),
            false => "–".to_owned(),
        };
        let cells: Vec<String> = gaps.iter().map(mean).collect();
        let slowest = solved.iter().copied().fold(0.0, f64::max);
        let told = if solved.is_empty() { String::new() } else { format!("{}, within {slowest:.1} s", solved.len()) };
        println!("| {} | 1 to {} | {} | {told} |", problem.name(), args.seeds, cells.join(" | "));
    }
    Ok(())
}
