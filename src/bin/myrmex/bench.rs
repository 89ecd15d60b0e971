//! `myrmex bench`: what each kernel takes, iteration by iteration after a warm-up.
#![allow(unsafe_code, reason = "it looks into solvers")]

use std::fmt::Write as _;

use myrmex::kernels::construct::deviates::Ring;
use myrmex::kernels::plan::Plan;
use myrmex::kernels::shared::probe::Limits;
use myrmex::tsp::{Kind, generate};
use myrmex::{
    Chained, Cunning, Eax, Error, Faco, KernelTiming, LocalSearch, MaxMin, Memetic, Preset, Problem, Result, Settings,
    Solver, Windows, qap,
};

use crate::args::BenchArgs;
use crate::exit::Exit;
use crate::outputs::{check_path, to_file};
use crate::print::{errln, outln};
use crate::target;

/// A run whose kernels are timed.
struct Case {
    name: &'static str,
    problem: Problem,
    settings: Settings,
}

/// A kernel in a case: milliseconds an iteration.
struct Row {
    case: &'static str,
    instance: String,
    ants: usize,
    kernel: String,
    calls: f64,
    median: f64,
    /// Quartiles.
    low: f64,
    high: f64,
    /// Bytes that an iteration has to move, where that is known.
    bytes: Option<u64>,
    /// Steps that follow one another and cannot overlap.
    steps: Option<u64>,
}

const HEADER: [&str; 12] = [
    "case",
    "instance",
    "ants",
    "kernel",
    "calls",
    "median ms",
    "lower quartile",
    "upper quartile",
    "MB",
    "GB/s",
    "ns a step",
    "% of the limit",
];

pub fn run(args: &BenchArgs) -> Result<Exit> {
    let target = target::backend(args.backend, args.device.as_ref())?;
    for path in [&args.markdown, &args.csv].into_iter().flatten().filter(|path| path.as_os_str() != "-") {
        check_path(path)?;
    }
    let mut rows = Vec::new();
    let mut device = String::new();
    let mut limits = None;
    for case in cases(args.quick)? {
        let mut solver = Solver::new(&case.problem, &case.settings, target.clone())?;
        if device.is_empty() {
            device = format!("{} ({})", solver.device(), solver.backend());
            // SAFETY: the backend gets the kernels of `Limits::measure` alone, which keep within their buffers.
            let fresh = unsafe { solver.colony() }.map(|colony| colony.backend().fresh()).transpose()?;
            limits = fresh.map(Limits::measure).transpose()?.flatten();
        }
        rows.extend(measure(&case, &mut solver, if args.quick { 5 } else { 40 })?);
    }
    if rows.is_empty() {
        return Err(Error::Config(format!("{device} has no timestamps inside passes: its kernels cannot be timed")));
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.cells(limits.as_ref())).collect();
    let markdown = markdown(&device, limits.as_ref(), &cells);
    // What stands on standard output is one table.
    match [&args.markdown, &args.csv].into_iter().flatten().any(|path| path.as_os_str() == "-") {
        true => errln!("{}", markdown.trim_end()),
        false => outln!("{}", markdown.trim_end()),
    }
    if let Some(path) = &args.markdown {
        to_file(path, &|out| out.write_all(markdown.as_bytes()))?;
    }
    if let Some(path) = &args.csv {
        let lines = std::iter::once(HEADER.join(",")).chain(cells.iter().map(|row| row.join(",")));
        let text = lines.fold(String::new(), |text, line| text + &line + "\n");
        to_file(path, &|out| out.write_all(text.as_bytes()))?;
    }
    Ok(Exit::Done)
}

fn cases(quick: bool) -> Result<Vec<Case>> {
    let tour = |name, n, settings| Ok(Case { name, problem: Problem::Tsp(generate(Kind::Uniform, n, 1)?), settings });
    let mmas = |local_search, ants| {
        Settings::of(MaxMin { local_search: Some(local_search), ants: Some(ants), ..MaxMin::default() })
    };
    let rows = |n: usize| Preset::find("mmas-wrs-bt").map(|preset| preset.settings(n));
    let faco = |ants| Settings::of(Faco { ants: Some(ants), ..Faco::default() });
    let windows = |windows| Settings::of(Windows { windows: Some(windows), ..Windows::default() });
    let assignment = |name, n, settings| Ok(Case { name, problem: Problem::Qap(qap::generate(n, 1)?), settings });
    let cunning = |units| Settings::of(Cunning { units: Some(units), ..Cunning::default() });
    if quick {
        return [
            tour("lists", 200, mmas(LocalSearch::None, 32)),
            tour("rows", 200, rows(32)?),
            tour("2-opt", 200, mmas(LocalSearch::TwoOpt, 32)),
            assignment("assignment", 20, cunning(8)),
        ]
        .into_iter()
        .collect();
    }
    [
        tour("lists", 200, mmas(LocalSearch::None, 200)),
        tour("lists", 1000, mmas(LocalSearch::None, 1000)),
        tour("lists", 2400, mmas(LocalSearch::None, 2400)),
        tour("rows", 1000, rows(1000)?),
        tour("2-opt", 1000, mmas(LocalSearch::TwoOpt, 800)),
        tour("2-opt", 2400, mmas(LocalSearch::TwoOpt, 800)),
        tour("Or-opt", 2400, mmas(LocalSearch::OrOpt, 800)),
        tour("faco", 2400, faco(264)),
        tour("lk", 4000, windows(264)),
        tour("clk", 200, Settings::of(Chained::default())),
        tour("eax", 2400, Settings::of(Eax::default())),
        assignment("assignment", 80, cunning(132)),
        assignment("memetic", 80, Settings::of(Memetic::default())),
    ]
    .into_iter()
    .collect()
}

/// The kernels of `count` iterations, each submitted alone, after a few that are not counted.
fn measure(case: &Case, solver: &mut Solver, count: usize) -> Result<Vec<Row>> {
    // SAFETY: nothing is run or written.
    let timings = |solver: &mut Solver| unsafe { solver.colony() }.map(|colony| colony.timings()).unwrap_or_default();
    solver.step(3)?;
    let mut samples: Vec<(String, f64, Vec<f64>)> = Vec::new();
    for _ in 0..count {
        let before = timings(solver);
        solver.step(1)?;
        let after = timings(solver);
        // Another colony may have followed: its kernels begin at nothing.
        if before.len() != after.len() || before.iter().zip(&after).any(|(b, a)| b.name != a.name || a.calls < b.calls)
        {
            continue;
        }
        for (KernelTiming { name, calls, ms, .. }, before) in after.iter().zip(&before) {
            let (calls, ms) = ((calls - before.calls) as f64, ms - before.ms);
            match samples.iter_mut().find(|(known, ..)| known == name) {
                Some((_, all, values)) => {
                    *all += calls;
                    values.push(ms);
                }
                None => samples.push((name.clone(), calls, vec![ms])),
            }
        }
    }
    let plan = solver.plan().cloned();
    let rows = samples.into_iter().filter_map(|(kernel, calls, mut values)| {
        let plan = plan.as_ref()?;
        let calls = calls / values.len() as f64;
        values.sort_by(f64::total_cmp);
        let at = |share: usize| values[(values.len() - 1) * share / 4];
        let (bytes, steps) = limits(plan, &kernel);
        let (instance, ants) = (case.problem.name().to_owned(), plan.units);
        Some(Row {
            case: case.name,
            instance,
            ants,
            kernel,
            calls,
            median: at(2),
            low: at(1),
            high: at(3),
            bytes,
            steps,
        })
    });
    Ok(rows.collect())
}

/// Bytes that a kernel moves in an iteration and its steps that cannot overlap, as far as they are fixed.
fn limits(plan: &Plan, kernel: &str) -> (Option<u64>, Option<u64>) {
    let Plan::Construct(plan) = plan else { return (None, None) };
    let [n, m, k] = [plan.cities, plan.units, plan.system.candidates].map(|count| count as u64);
    match kernel {
        // A row of candidates or of weights, and one of deviates, for each city of each ant.
        "construct" if plan.is_assignment() => (None, Some(n)),
        "construct" if plan.system.full => (Some(4 * n * n * m), Some(n)),
        "construct" => (Some(8 * n * k * m), Some(n)),
        "deviates" => (Ring::of(plan).map(|ring| 4 * u64::from(ring.words())), None),
        "tour_cost" => (Some(8 * n * m), None),
        "best" => (Some(8 * m + 20 * n), None),
        "trail_update" => (Some(16 * n * k), None),
        _ => (None, None),
    }
}

impl Row {
    fn cells(&self, limits: Option<&Limits>) -> Vec<String> {
        let seconds = self.median * 1e-3;
        // A step that depends on the one before reads at least once.
        let known = self.median > 0.0 && (self.bytes.is_some() || self.steps.is_some());
        let least = limits.map(|limits| limits.least_ms(self.bytes.unwrap_or(0), self.steps.unwrap_or(0)));
        let shown =
            |value: Option<f64>, digits: usize| value.map_or_else(String::new, |value| format!("{value:.digits$}"));
        vec![
            self.case.into(),
            self.instance.clone(),
            self.ants.to_string(),
            self.kernel.clone(),
            format!("{:.0}", self.calls),
            format!("{:.4}", self.median),
            format!("{:.4}", self.low),
            format!("{:.4}", self.high),
            shown(self.bytes.map(|bytes| bytes as f64 * 1e-6), 2),
            shown(self.bytes.filter(|_| seconds > 0.0).map(|bytes| bytes as f64 * 1e-9 / seconds), 1),
            shown(self.steps.map(|steps| seconds * 1e9 / steps as f64), 0),
            shown(least.filter(|_| known).map(|least| 100.0 * least / self.median), 0),
        ]
    }
}

fn markdown(device: &str, limits: Option<&Limits>, cells: &[Vec<String>]) -> String {
    let mut text = format!("{device}, ms an iteration");
    if let Some(Limits { read_ns, gigabytes }) = limits {
        let _ = write!(text, "; a dependent read takes {read_ns:.0} ns, copies {gigabytes:.0} GB/s");
    }
    let _ = write!(text, "\n\n| {} |\n", HEADER.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(HEADER.len()));
    for row in cells {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}
