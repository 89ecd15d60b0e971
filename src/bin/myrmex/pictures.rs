//! Pictures of tours and plots of gains, as SVG or PNG.

use std::io::{self, Write};
use std::path::Path;

use myrmex::report::{Curve, Measure, write_plot, write_png, write_svg};
use myrmex::{Error, Problem, Result, Solution, TracePoint};

use crate::args::SolveArgs;
use crate::telling::{self, gap, shown};

/// The form of a picture, as the ending of its file asks for it; on standard output, a pipe or a device it is SVG.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Svg,
    Png,
}

impl Form {
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => Some(Self::Svg),
            Some("png") => Some(Self::Png),
            _ if path.as_os_str() == "-" || path.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir()) => {
                Some(Self::Svg)
            }
            _ => None,
        }
    }
}

/// Whether a file is to be a PNG.
pub fn is_png(path: &Path) -> bool {
    Form::of(path) == Some(Form::Png)
}

/// Finds out before a run whether there is something to draw, in a form that is known.
pub fn check(args: &SolveArgs, problem: &Problem) -> Result<()> {
    if let Some(path) = args.picture.first()
        && layout(problem).is_none()
    {
        let (path, name) = (path.display(), problem.name());
        let remedy = "--plot draws how the cost fell";
        return Err(Error::Config(format!(
            "--picture {path}: {name} has no coordinates in the plane to draw; {remedy}"
        )));
    }
    let each = |option| move |path| (option, path);
    let asked = args.picture.iter().map(each("--picture")).chain(args.plot.iter().map(each("--plot")));
    for (option, path) in asked {
        if Form::of(path).is_none() {
            let path = path.display();
            return Err(Error::Config(format!(
                "{option} {path}: pictures are SVG or PNG; name a file that ends in .svg or .png"
            )));
        }
    }
    Ok(())
}

/// Where to draw cities.
pub fn layout(problem: &Problem) -> Option<Vec<glam::DVec2>> {
    match problem {
        Problem::Tsp(instance) => instance.layout(),
        _ => None,
    }
}

/// The gains of a run with its seed.
#[derive(Clone)]
pub struct Gains {
    seed: u64,
    trace: Vec<TracePoint>,
    seconds: f64,
    /// That of the best solution.
    length: f64,
}

impl Gains {
    pub fn of(seed: u64, solution: &Solution) -> Self {
        Self { seed, trace: solution.trace.clone(), seconds: solution.seconds, length: solution.length }
    }
}

/// Writes a picture of a tour as SVG.
pub fn write_picture(mut out: &mut dyn Write, problem: &Problem, solution: &Solution) -> io::Result<()> {
    let shown = shown(problem, solution.length, solution.cost);
    let title = format!("{}: {} cities, {shown}", problem.name(), problem.len());
    let open = matches!(problem, Problem::Tsp(instance) if instance.is_open());
    let layout = layout(problem).unwrap_or_default();
    write_svg(&mut out, &title, &layout, &solution.permutation, open)
}

/// Writes a plot of the gains of all runs as SVG, of the gap to the optimum where that is known and no run refutes it.
pub fn write_gains(mut out: &mut dyn Write, args: &SolveArgs, problem: &Problem, runs: &[Gains]) -> io::Result<()> {
    // Costs tell lengths nearly.
    let stands = |optimum: &f64| *optimum != 0.0 && !runs.iter().any(|run| telling::refutes(run.length, *optimum));
    let optimum = args.optimum.filter(stands);
    let measure = if optimum.is_some() { Measure::Gap } else { Measure::Cost };
    let value = |cost| {
        let length = problem.length_of(cost);
        optimum.and_then(|optimum| gap(length, optimum)).unwrap_or(length)
    };
    let curve = |run: &Gains| Curve::of(format!("seed {}", run.seed), &run.trace, run.seconds, value);
    let curves: Vec<Curve> = runs.iter().map(curve).collect();
    let seeds = match runs {
        [run] => format!("seed {}", run.seed),
        _ => format!("{} runs", runs.len()),
    };
    let title = format!("{}, {}, {seeds}", problem.name(), telling::size(problem));
    write_plot(&mut out, &title, measure, &curves)
}

/// What is written as SVG as PNG.
pub fn as_png(write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let (mut svg, mut png) = (Vec::new(), Vec::new());
    write(&mut svg)?;
    write_png(&mut png, &String::from_utf8(svg).map_err(io::Error::other)?)?;
    Ok(png)
}
