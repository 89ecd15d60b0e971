//! Runs the tables of the papers on this machine: the same instances and parameters, the paper's figure beside ours.
//!
//! ```text
//! cargo run --release --example paper_tables -- --table mmas-4 --data DIR [--quick] [--format markdown]
//! cargo run --release --example paper_tables -- --table all --data DIR --quick --within 1200 --format markdown
//! ```
//! Without `--quick` runs are repeated as often as in the papers; `--paper-time` gives those of `acs-9` the paper's seconds. `--plan` says
//! what would run.
//!
//! `DIR` holds TSPLIB files (`DIR/pr1002.tsp` or `DIR/tsplib/pr1002.tsp`) and QAPLIB files (`DIR/tai40a.dat` or
//! `DIR/qaplib/tai40a.dat`). For a file that is not there a made instance of
//! the same size stands in, and the table says so. Finished runs are kept in a file, so that a broken-off table goes on
//! where it was.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use myrmex::tsp::Kind;
use myrmex::{Error, Problem, Result, Target, qap, tsp};

mod measure;
mod settings;
mod statistics;

use measure::Bench;
use settings::{Measure, Options, Setting, settings_of};

/// Runs a table of the papers and prints the paper's figure, ours and the ratio.
#[derive(Parser)]
struct Args {
    /// all, menezes-2, acs-3 to acs-10, qap-5, qap-6, mmas-3 to mmas-10, amp-3, amp-4, amp-7, amp-8 or amp-9; several joined by
    /// commas
    #[arg(long, value_delimiter = ',', required = true)]
    table: Vec<String>,
    /// The folder of TSPLIB and QAPLIB files
    #[arg(long)]
    data: Option<PathBuf>,
    /// Fewer repeats and shorter runs
    #[arg(long)]
    quick: bool,
    /// So many repeats where runs are repeated
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// So many repeats side by side, on one device: times are of runs that share it, and costs the same but with a time limit
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    at_a_time: u32,
    /// The paper's seconds in acs-9, not those that its iterations take on this device
    #[arg(long)]
    paper_time: bool,
    /// Begin no run after so many seconds; a later call goes on from there
    #[arg(long, value_name = "SECONDS")]
    within: Option<u32>,
    /// Print what would run, and run nothing
    #[arg(long)]
    plan: bool,
    /// These instances alone, joined by commas
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// These columns alone, joined by commas
    #[arg(long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Leave out instances of more cities or facilities
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    most_cities: usize,
    /// auto, cpu, wgpu or cuda (with features cuda), or the index or a part of the name of a GPU
    #[arg(long, default_value = "auto")]
    device: String,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Where finished runs are kept
    #[arg(long, default_value = "paper_tables.jsonl")]
    results: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Csv,
    Markdown,
}

/// A cell of a table as the paper prints it.
struct Figure {
    table: &'static str,
    instance: &'static str,
    column: &'static str,
    figure: f64,
    unit: &'static str,
}

fn figures() -> Vec<Figure> {
    let parse = |line: &'static str| {
        let cells: Vec<&'static str> = line.split(',').collect();
        let [table, instance, column, figure, unit] = cells[..] else { return None };
        Some(Figure { table, instance, column, figure: figure.parse().ok()?, unit })
    };
    include_str!("figures.csv").lines().skip(1).filter_map(parse).collect()
}

fn optimum(instance: &str) -> Option<u64> {
    let rows = include_str!("optima.csv").lines();
    rows.filter_map(|row| row.split_once(',')).find(|(name, _)| *name == instance)?.1.parse().ok()
}

/// The instance of a name, or one as large in its place.
struct Found {
    problem: Problem,
    stands_in: bool,
}

fn instance(table: &str, name: &str, data: Option<&Path>) -> Result<Found> {
    let assignment = table.starts_with("qap");
    let (folder, extension) = if assignment { ("qaplib", "dat") } else { ("tsplib", "tsp") };
    for folder in data.iter().flat_map(|data| [data.to_path_buf(), data.join(folder)]) {
        let path = folder.join(name).with_extension(extension);
        if path.is_file() {
            return Ok(Found { problem: Problem::read(path)?, stands_in: false });
        }
    }
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let size = digits.parse().map_err(|_| Error::Config(format!("'{name}' does not say how large it is")))?;
    let problem = match assignment {
        true => Problem::Qap(qap::generate(size, 1)?),
        false => Problem::Tsp(tsp::generate(Kind::Uniform, size, 1)?),
    };
    Ok(Found { problem, stands_in: true })
}

fn target(device: &str) -> Target {
    device.parse().unwrap_or_else(|_| Target::Wgpu(Some(device.to_owned())))
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("paper_tables: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let all = figures();
    let every = args.table.iter().any(|table| table == "all");
    for table in args.table.iter().filter(|_| !every) {
        if !all.iter().any(|figure| figure.table == table) {
            let known: BTreeSet<&str> = all.iter().map(|figure| figure.table).collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Error::Config(format!("there is no table '{table}'; there are all, {known}")));
        }
    }
    let listed = |list: &[String], name: &str| list.is_empty() || list.iter().any(|given| given == name);
    let wanted: Vec<&Figure> = all
        .iter()
        .filter(|figure| every || args.table.iter().any(|table| table == figure.table))
        .filter(|figure| listed(&args.only, figure.instance) && listed(&args.columns, figure.column))
        .collect();
    // The paper's seconds are a column of their own.
    let seconds = |figure: &Figure| {
        let limits = all.iter().filter(|other| (other.table, other.instance) == (figure.table, figure.instance));
        limits.filter(|other| args.paper_time && other.column == "limit").map(|limit| limit.figure).next()
    };
    let setting = |figure: &Figure| {
        let (quick, repeats, on_cpu) = (args.quick, args.repeats, args.device == "cpu");
        let options = Options { quick, repeats, seconds: seconds(figure), on_cpu };
        settings_of(figure.table, figure.instance, figure.column, figure.figure, &options)
    };
    if args.plan {
        return plan(&wanted, setting);
    }
    let within = args.within.map(|seconds| Duration::from_secs(seconds.into()));
    let at_a_time = args.at_a_time as usize;
    let mut bench = Bench::new(target(&args.device), args.quick, at_a_time, &args.results, within)?;
    let bar = ProgressBar::new(wanted.len() as u64);
    let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));

    let mut notes = BTreeSet::new();
    if at_a_time > 1 {
        notes.insert(format!(
            "up to {at_a_time} runs share the device: times, and what runs with a time limit come to, are of such"
        ));
    }
    let mut rows = Vec::new();
    for figure in wanted {
        bar.set_message(format!("{} {} {}", figure.table, figure.instance, figure.column));
        let found = instance(figure.table, figure.instance, args.data.as_deref())?;
        if found.problem.len() <= args.most_cities {
            let optimum = if found.stands_in { None } else { optimum(figure.instance) };
            if found.stands_in {
                let (name, size, parts) = (figure.instance, found.problem.len(), found.problem.parts());
                notes.insert(format!("{name}: no such file; a made instance of {size} {parts} stands in"));
            }
            let setting = setting(figure);
            let ours = match &setting {
                None => None,
                Some(setting) => bench.figure(&found.problem, setting, optimum)?,
            };
            notes.extend(setting.into_iter().filter_map(|setting| setting.note));
            rows.push((figure, ours, found.stands_in));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if bench.out_of_time {
        notes.insert(
            "the time is over: cells without a figure of ours wait for another call with the same --results".into(),
        );
    }
    print(args.format, &bench, &rows, &notes);
    Ok(())
}

/// Prints each column's runs, and how many there are without those that columns share; fails for one that cannot be run.
fn plan(wanted: &[&Figure], setting: impl Fn(&Figure) -> Option<Setting>) -> Result<()> {
    let mut distinct = BTreeSet::new();
    let tour = Problem::Tsp(tsp::generate(Kind::Uniform, 40, 1)?);
    let assignment = Problem::Qap(qap::generate(40, 1)?);
    for figure in wanted {
        let Some(setting) = setting(figure) else { continue };
        setting.recipe(if figure.table.starts_with("qap") { &assignment } else { &tour })?;
        let Figure { table, instance, column, .. } = figure;
        println!(
            "{table} {instance} {column}: {} runs of {}, {}",
            setting.repeats, setting.preset.name, setting.budget
        );
        distinct.extend(
            (0..setting.repeats)
                .map(|repeat| (*instance, setting.name.clone(), format!("{:?}", setting.change), repeat)),
        );
    }
    println!("{} runs", distinct.len());
    Ok(())
}

fn print(format: Format, bench: &Bench, rows: &[(&Figure, Option<f64>, bool)], notes: &BTreeSet<String>) {
    let ratio = |figure: &Figure, ours: Option<f64>| match ours {
        Some(ours) if figure.figure != 0.0 => format!("{:.3}", ours / figure.figure),
        _ => "-".into(),
    };
    let number = |ours: Option<f64>| ours.map_or("-".into(), |ours| format!("{ours:.4}"));
    match format {
        Format::Text => {
            println!("on {}", bench.device());
            let names = ["table", "instance", "column", "paper", "ours", "ratio"];
            let [table, instance, column, paper, ours, ratio_name] = names;
            println!("{table:<10} {instance:<11} {column:<22} {paper:>12} {ours:>12}      {ratio_name:>8}");
            for (figure, ours, stands_in) in rows {
                let star = if *stands_in { "*" } else { "" };
                println!(
                    "{:<10} {:<11} {:<22} {:>12} {:>12} {:<4} {:>8}",
                    figure.table,
                    format!("{}{star}", figure.instance),
                    figure.column,
                    figure.figure,
                    number(*ours),
                    figure.unit,
                    ratio(figure, *ours)
                );
            }
        }
        Format::Csv => {
            println!("table,instance,column,paper,ours,unit,ratio,stands_in,device");
            for (figure, ours, stands_in) in rows {
                let Figure { table, instance, column, figure: paper, unit } = figure;
                let (shown, ratio) = (number(*ours), ratio(figure, *ours));
                println!(
                    "{table},{instance},{column},{paper},{shown},{unit},{ratio},{stands_in},\"{}\"",
                    bench.device()
                );
            }
        }
        Format::Markdown => {
            println!("On {}: ours / the paper's figure.\n", bench.device());
            let columns: Vec<(&str, &str)> = unique(rows.iter().map(|(figure, ..)| (figure.table, figure.column)));
            let tables: Vec<&str> = unique(columns.iter().map(|(table, _)| *table));
            for table in tables {
                let columns: Vec<&str> = columns.iter().filter(|(of, _)| *of == table).map(|(_, name)| *name).collect();
                println!("### {table}\n\n| instance | {} |", columns.join(" | "));
                println!("|---|{}", "---:|".repeat(columns.len()));
                for name in unique(rows.iter().filter(|row| row.0.table == table).map(|row| row.0.instance)) {
                    let cell = |column: &&str| {
                        let here = rows.iter().find(|(figure, ..)| {
                            figure.table == table && figure.instance == name && figure.column == *column
                        });
                        here.map_or(String::new(), |(figure, ours, stands_in)| {
                            let star = if *stands_in { "*" } else { "" };
                            let ours = ours.map_or("-".into(), |ours| format!("{ours:.3}"));
                            format!("{ours}{star} / {}", figure.figure)
                        })
                    };
                    println!("| {name} | {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
                }
                println!();
            }
        }
    }
    for note in notes {
        match format {
            Format::Csv => eprintln!("{note}"),
            _ => println!("{note}"),
        }
    }
}

/// Each item once, in the order of its first place.
fn unique<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

/// Keeps `Measure` in one place for both modules.
impl Measure {
    fn needs_optimum(self) -> bool {
        matches!(self, Self::MeanGap | Self::BestGap | Self::MedianGap | Self::Deviation | Self::SecondsToGap)
    }
}
