//! The files a run was asked for.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use myrmex::report::{Report, write_json, write_svg, write_trace};
use myrmex::tsp::{Instance, write_tour};
use myrmex::{Error, Result, Solution};

use crate::args::SolveArgs;

/// Finds out before a long run, and not after it, that an output cannot be written.
pub fn check(args: &SolveArgs, instance: &Instance) -> Result<()> {
    for path in [&args.tour, &args.json, &args.trace, &args.svg].into_iter().flatten() {
        if path.as_os_str() != "-" {
            File::options().append(true).create(true).open(path).map_err(|error| Error::io(path, error))?;
        }
    }
    if args.svg.is_some() && instance.layout().is_none() {
        return Err(Error::Config(format!("--svg: {} has no coordinates to draw", instance.name())));
    }
    Ok(())
}

/// Writes everything; a failure with one file does not keep the others from being written.
pub fn write(args: &SolveArgs, instance: &Instance, solution: &Solution, report: &Report<'_>) -> Result<()> {
    let mut result = Ok(());
    let mut each = |path: &Option<std::path::PathBuf>, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        if let Some(path) = path
            && let Err(error) = to_file(path, write)
        {
            result = Err(error);
        }
    };
    each(&args.tour, &|mut out| write_tour(&mut out, instance, solution.cost, &solution.tour));
    each(&args.trace, &|mut out| write_trace(&mut out, &solution.trace));
    each(&args.svg, &|mut out| {
        let title = format!("{}: {} cities, cost {}", instance.name(), instance.len(), solution.cost);
        write_svg(&mut out, &title, &instance.layout().unwrap_or_default(), &solution.tour)
    });
    each(&args.json, &|mut out| write_json(&mut out, report));
    result
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
