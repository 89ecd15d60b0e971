//! The files a run was asked for.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use myrmex::qap::write_solution;
use myrmex::report::{Report, write_json, write_svg, write_trace};
use myrmex::tsp::write_tour;
use myrmex::{Error, Problem, Result, Solution};

use crate::args::SolveArgs;

/// Finds out before a long run, and not after it, that an output cannot be written.
pub fn check(args: &SolveArgs, problem: &Problem) -> Result<()> {
    if args.svg.is_some() && layout(problem).is_none() {
        return Err(Error::Config(format!("--svg: {} has no coordinates in the plane to draw", problem.name())));
    }
    let mut taken = vec![(identity(&args.file), "the instance")];
    for (option, path) in asked_for(args) {
        if path.as_os_str() != "-" {
            check_path(path)?;
        }
        // A device such as /dev/null takes everything.
        if path.exists() && !path.is_file() {
            continue;
        }
        let place = identity(path);
        if let Some((_, other)) = taken.iter().find(|(known, _)| *known == place) {
            let path = path.display();
            return Err(Error::Config(format!("{option} {path} would overwrite {other}; name another file")));
        }
        taken.push((place, option));
    }
    Ok(())
}

/// Finds out whether a file can be written, and leaves everything as it was.
pub fn check_path(path: &Path) -> Result<()> {
    let new = path.symlink_metadata().is_err();
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| Error::io(path, error))?;
    if new {
        std::fs::remove_file(path).map_err(|error| Error::io(path, error))?;
    }
    Ok(())
}

/// The outputs, by their options.
fn asked_for(args: &SolveArgs) -> impl Iterator<Item = (&'static str, &PathBuf)> {
    let all = [("--solution", &args.solution), ("--json", &args.json), ("--trace", &args.trace), ("--svg", &args.svg)];
    all.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)))
}

/// Whether an output goes to standard output.
pub fn on_stdout(args: &SolveArgs) -> bool {
    asked_for(args).any(|(_, path)| path.as_os_str() == "-")
}

/// A path that is the same for each way to name a file.
fn identity(path: &Path) -> PathBuf {
    if path.as_os_str() == "-" {
        return path.to_owned();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(new).unwrap_or_else(|| path.to_owned())
}

/// Writes everything; a failure with one file does not keep the others from being written.
pub fn write(args: &SolveArgs, problem: &Problem, solution: &Solution, report: &Report<'_>) -> Result<()> {
    let mut result = Ok(());
    let mut each = |path: &Option<PathBuf>, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
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
            let written = write(&mut io::stdout().lock());
            // Whoever has seen enough may close it.
            return written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) });
        }
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    attempt().map_err(|error| Error::io(path, error))
}
