//! The files a run was asked for.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use myrmex::qap::write_solution;
use myrmex::report::{Report, write_json, write_svg, write_trace};
use myrmex::tsp::write_tour;
use myrmex::{Error, Problem, Result, Solution};

use crate::args::SolveArgs;

/// Finds out before a long run, and not after it, that an output cannot be written.
pub fn check(args: &SolveArgs, problem: &Problem) -> Result<()> {
    if args.svg.is_some() && layout(problem).is_none() {
        return Err(Error::Config(format!("--svg: {} has no coordinates to draw", problem.name())));
    }
    for path in [&args.solution, &args.json, &args.trace, &args.svg].into_iter().flatten() {
        if path.as_os_str() != "-" {
            File::options().append(true).create(true).open(path).map_err(|error| Error::io(path, error))?;
        }
    }
    Ok(())
}

/// Writes everything; a failure with one file does not keep the others from being written.
pub fn write(args: &SolveArgs, problem: &Problem, solution: &Solution, report: &Report<'_>) -> Result<()> {
    let mut result = Ok(());
    let mut each = |path: &Option<std::path::PathBuf>, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        if let Some(path) = path
            && let Err(error) = to_file(path, write)
        {
            result = Err(error);
        }
    };
    each(&args.solution, &|mut out| match problem {
        Problem::Tsp(instance) => write_tour(&mut out, instance, solution.cost, &solution.permutation),
        _ => write_solution(&mut out, solution.cost, &solution.permutation),
    });
    each(&args.trace, &|mut out| write_trace(&mut out, &solution.trace));
    each(&args.svg, &|mut out| {
        let title = format!("{}: {} cities, cost {}", problem.name(), problem.len(), solution.cost);
        write_svg(&mut out, &title, &layout(problem).unwrap_or_default(), &solution.permutation)
    });
    each(&args.json, &|mut out| write_json(&mut out, report));
    result
}

/// Where to draw cities.
fn layout(problem: &Problem) -> Option<Vec<glam::DVec2>> {
    match problem {
        Problem::Tsp(instance) => instance.layout(),
        _ => None,
    }
}

/// Hands `write` a buffered writer on a file, or on standard output for `-`.
pub fn to_file(path: &Path, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let attempt = || {
        if path.as_os_str() == "-" {
            return write(&mut io::stdout().lock());
        }
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    attempt().map_err(|error| Error::io(path, error))
}
