//! The files a run was asked for.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use myrmex::report::write_trace;
use myrmex::{Checkpoint, Error, FileForm, Problem, Result, Solution, write_file};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::args::SolveArgs;
use crate::failed::Failure;
use crate::pictures::{self, Gains};
use crate::print::errln;
use crate::window::View;

/// Finds out before a long run, and not after it, that an output cannot be written.
pub fn check(args: &SolveArgs, problem: &Problem) -> Result<()> {
    pictures::check(args, problem)?;
    if args.watch {
        View::check(problem)?;
    }
    for path in &args.solution {
        named("--solution", path, problem.file_form(path))?;
    }
    let of_one_form = [
        (
            "--trace",
            &args.trace,
            &["csv", "dat"][..],
            "gains over time are a table; name a file .csv (--json has them in its report, --plot draws them)",
        ),
        (
            "--json",
            &args.json,
            &["json", "jsonl", "ndjson"],
            "a report is JSON; name a file .json (--solution and --picture write other forms)",
        ),
    ];
    for (option, path, own, message) in of_one_form {
        if let Some(path) = path.as_ref().filter(|path| promises_another(path, own)) {
            return Err(Error::Config(format!("{option} {}: {message}", path.display())));
        }
    }
    if args.checkpoint.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err(Error::Config("--checkpoint keeps a file, which '-' is not; name one".into()));
    }
    let mut taken: Vec<(PathBuf, &str)> = Vec::new();
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

/// Refuses outputs that would overwrite what is read: the instances, and what options name.
pub fn check_inputs(args: &SolveArgs, files: &[PathBuf]) -> Result<()> {
    let named = [
        (args.initial.as_ref(), "the solution to begin with"),
        (args.system.settings.as_ref(), "the settings"),
        (args.resume.as_ref(), "the checkpoint to go on from"),
        (args.optima.as_ref(), "the table of optima"),
    ];
    let named = named.into_iter().filter_map(|(path, what)| Some((path?, what))).chain(args.read.tables());
    let inputs: Vec<(PathBuf, &str)> = files
        .iter()
        .map(|file| (file, if files.len() == 1 { "the instance" } else { "an instance" }))
        .chain(named)
        .filter(|(path, _)| path.as_os_str() != "-")
        .map(|(path, what)| (identity(path), what))
        .collect();
    // A device such as /dev/null takes everything.
    for (option, path) in asked_for(args).filter(|(_, path)| path.is_file()) {
        let goes_on = option == "--checkpoint" && args.resume.as_ref().is_some_and(|it| identity(it) == identity(path));
        if let Some((_, what)) = inputs.iter().find(|(known, _)| !goes_on && *known == identity(path)) {
            let path = path.display();
            return Err(Error::Config(format!("{option} {path} would overwrite {what}; name another file")));
        }
    }
    Ok(())
}

/// Refuses to replace a checkpoint that this run does not go on from, or what is no checkpoint.
pub fn check_checkpoint(args: &SolveArgs, problem: &Problem) -> Result<()> {
    let Some(path) = args.checkpoint.as_ref().filter(|path| path.is_file()) else { return Ok(()) };
    if args.resume.as_ref().is_some_and(|resumed| identity(resumed) == identity(path)) {
        return Ok(());
    }
    let shown = path.display();
    let refuse = |holds: String, remedy: String| {
        Err(Error::Config(format!("--checkpoint {shown}: the file holds {holds}, which would be lost; {remedy}")))
    };
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    match Checkpoint::from_bytes(&bytes) {
        Ok(kept) if kept.check(problem).is_ok() => {
            let made = kept.iterations();
            let remedy = match args.resume {
                None => format!("add --resume {shown} to go on with it, or remove the file to begin again"),
                Some(_) => "name another file, or remove this one".into(),
            };
            refuse(format!("a run of this instance after iteration {made}"), remedy)
        }
        Ok(kept) => {
            let name = kept.instance();
            let holds = match name == problem.name() {
                true => format!("a run of another instance that is called '{name}', too"),
                false => format!("a run of another instance, '{name}'"),
            };
            refuse(holds, "name another file, or remove this one".into())
        }
        Err(_) if Checkpoint::is_begun(&bytes) => refuse(
            "a checkpoint that this version of the program cannot read".into(),
            "name another file, or remove this one".into(),
        ),
        Err(_) if bytes.is_empty() => Ok(()),
        Err(_) => refuse("no checkpoint".into(), "name another file, or remove this one".into()),
    }
}

/// Finds out whether a file can be written, and leaves everything as it was: no output is made or removed.
pub fn check_path(path: &Path) -> Result<()> {
    let attempt = || match path.metadata() {
        // A device or a pipe may wait for a reader.
        Ok(known) if !known.is_file() && !known.is_dir() => Ok(()),
        Ok(_) => File::options().append(true).open(path).map(drop),
        Err(_) => folder(path).metadata().and_then(|_| NamedTempFile::new_in(folder(path))).map(drop),
    };
    attempt().map_err(|error| match error.kind() {
        ErrorKind::NotFound if !folder(path).exists() => {
            let message = format!("{error}: make the folder {} first, or name another", folder(path).display());
            Error::io(path, io::Error::new(ErrorKind::NotFound, message))
        }
        // That of a file made for a try tells of its name.
        kind @ (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) if !path.exists() => {
            let message = format!("{kind} in the folder {}: name a file in another one", folder(path).display());
            Error::io(path, io::Error::new(kind, message))
        }
        _ => Error::io(path, error),
    })
}

/// The folder that a file lies in, or is to lie in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a file's ending promises another form than those that endings of its own promise.
fn promises_another(path: &Path, own: &[&str]) -> bool {
    const SOLUTIONS: [&str; 8] = ["csv", "geojson", "tour", "tsp", "atsp", "sln", "dat", "sol"];
    let Some(ending) = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()) else { return false };
    let promises = SOLUTIONS.contains(&ending.as_str()) || FileForm::of(path).is_err();
    promises && !own.contains(&ending.as_str())
}

/// The outputs, by their options.
fn asked_for(args: &SolveArgs) -> impl Iterator<Item = (&'static str, &PathBuf)> {
    let alone = [("--json", &args.json), ("--trace", &args.trace), ("--checkpoint", &args.checkpoint)];
    let alone = alone.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)));
    let pictures = [("--picture", &args.picture), ("--plot", &args.plot)];
    let pictures = pictures.into_iter().flat_map(|(option, paths)| paths.iter().map(move |path| (option, path)));
    args.solution.iter().map(|path| ("--solution", path)).chain(alone).chain(pictures)
}

/// Whether an output goes to standard output.
pub fn on_stdout(args: &SolveArgs) -> bool {
    asked_for(args).any(|(_, path)| path.as_os_str() == "-")
}

/// A path that is the same for each way to name a file.
pub fn identity(path: &Path) -> PathBuf {
    if path.as_os_str() == "-" {
        return path.to_owned();
    }
    let new = || Some(alike(&folder(path).canonicalize().ok()?.join(path.file_name()?)));
    path.canonicalize().ok().or_else(new).unwrap_or_else(|| alike(path))
}

/// A path that is the same for each way to write a name, where systems take capitals and small letters for the same: that of a file which is there they
/// tell themselves.
pub fn alike(path: &Path) -> PathBuf {
    match path.to_str().filter(|_| cfg!(any(windows, target_os = "macos"))) {
        Some(text) => text.to_lowercase().into(),
        None => path.to_owned(),
    }
}

/// Writes the best solution and its trace; a failure with one file does not keep the others from being written, and each is told.
pub fn write(args: &SolveArgs, problem: &Problem, solution: &Solution) -> Result<()> {
    let solutions = args.solution.iter().map(|path| write_solution(path, problem, &solution.permutation));
    let written = solutions.fold(Ok(()), both);
    let trace =
        args.trace.as_ref().map_or(Ok(()), |path| to_file(path, &|mut out| write_trace(&mut out, &solution.trace)));
    both(written, trace)
}

/// Writes the best solution so far into the files that it is asked for in; what is no file takes one solution alone, at the end.
pub fn save(args: &SolveArgs, problem: &Problem, best: &[u32]) -> Result<()> {
    let files = args.solution.iter().filter(|path| path.as_os_str() != "-" && (path.is_file() || !path.exists()));
    files.map(|path| write_solution(path, problem, best)).fold(Ok(()), Result::and)
}

/// Whether pictures or plots are asked for.
pub fn has_drawings(args: &SolveArgs) -> bool {
    !args.picture.is_empty() || !args.plot.is_empty()
}

/// Draws the best solution and the gains of all runs where that is asked for, which takes longest; failures as in [`write`].
pub fn draw(args: &SolveArgs, problem: &Problem, solution: &Solution, runs: &[Gains]) -> Result<()> {
    let plots = args.plot.iter().map(|path| drawn(path, &|out| pictures::write_gains(out, args, problem, runs)));
    let pictures = args.picture.iter().map(|path| drawn(path, &|out| pictures::write_picture(out, problem, solution)));
    plots.chain(pictures).fold(Ok(()), both)
}

/// Writes an SVG into a file, as PNG where that asks for it. A PNG is drawn before its file is begun: an interrupt may end the program meanwhile.
fn drawn(path: &Path, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if !pictures::is_png(path) {
        return to_file(path, write);
    }
    let png = pictures::as_png(write).map_err(|error| Error::io(path, error))?;
    to_file(path, &|out| out.write_all(&png))
}

/// Writes a solution into a file, in the form that its ending asks for.
pub fn write_solution(path: &Path, problem: &Problem, permutation: &[u32]) -> Result<()> {
    let form = FileForm::of(path)?;
    to_file(path, &|mut out| problem.write_solution_to(&mut out, form, permutation))
}

/// One result of two: of two errors the first one is told.
pub fn both(one: Result<()>, other: Result<()>) -> Result<()> {
    match (one, other) {
        (Err(error), Err(other)) => {
            errln!("myrmex: {error}");
            Err(other)
        }
        (one, other) => one.and(other),
    }
}

/// How often a file of reports is written while runs follow one another.
const REPORTS_EVERY: Duration = Duration::from_secs(1);

/// The reports of all runs, a line each: on standard output as they come, in a file, which is whole at any moment, now and then and when all are
/// there.
pub struct Reports<'a> {
    path: Option<&'a Path>,
    lines: Vec<u8>,
    /// How many of their bytes are written, and when the last ones were.
    written: usize,
    last: Option<Instant>,
    /// Whether some run has begun: else a file stays as it was.
    has_begun: bool,
}

impl<'a> Reports<'a> {
    pub fn new(args: &'a SolveArgs) -> Self {
        Self { path: args.json.as_deref(), lines: Vec::new(), written: 0, last: None, has_begun: false }
    }

    /// Finds out before the runs whether they can be written.
    pub fn check(&self) -> Result<()> {
        self.path.filter(|path| path.as_os_str() != "-").map_or(Ok(()), check_path)
    }

    /// Whether there is none that waits to be written.
    pub fn is_empty(&self) -> bool {
        self.written == self.lines.len()
    }

    /// Adds the report of a run.
    pub fn add(&mut self, report: &impl Serialize) -> Result<()> {
        self.has_begun = true;
        self.add_line(report)
    }

    /// Adds what a problem failed with whose runs could not begin.
    pub fn add_failure(&mut self, failure: &Failure<'_>) -> Result<()> {
        self.add_line(failure)
    }

    fn add_line(&mut self, line: &impl Serialize) -> Result<()> {
        let Some(path) = self.path else { return Ok(()) };
        serde_json::to_writer(&mut self.lines, line).map_err(|error| Error::io(path, error.into()))?;
        self.lines.push(b'\n');
        let is_due = self.last.is_none_or(|last| last.elapsed() >= REPORTS_EVERY);
        if path.as_os_str() == "-" {
            return self.flush(path);
        }
        if is_due
            && self.has_begun
            && let Err(error) = self.flush(path)
        {
            log::debug!("{error}: told at the end");
        }
        Ok(())
    }

    /// Writes what is not written yet into a file; one that no run is of stays as it was.
    pub fn finish(&mut self) -> Result<()> {
        let is_written = !self.has_begun || self.last.is_some() && self.is_empty();
        let path = self.path.filter(|path| path.as_os_str() != "-" && !is_written);
        path.map_or(Ok(()), |path| self.flush(path))
    }

    fn flush(&mut self, path: &Path) -> Result<()> {
        to_file(path, &|out| out.write_all(&self.lines))?;
        if path.as_os_str() == "-" {
            self.lines.clear();
        }
        (self.written, self.last) = (self.lines.len(), Some(Instant::now()));
        Ok(())
    }
}

/// The form of an output; an error begins with the option, and says which one writes what the ending promises.
pub fn named(option: &str, path: &Path, form: Result<FileForm>) -> Result<FileForm> {
    form.map_err(|error| {
        let Error::Config(message) = error else { return error };
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        // Other commands write neither reports nor pictures.
        let of_a_run = option == "--solution";
        let instead = match ending.as_deref() {
            Some("json" | "jsonl" | "ndjson") if of_a_run => " (--json writes a report)",
            Some("svg" | "png" | "pdf" | "html") if of_a_run => " (--picture draws the tour)",
            Some("xlsx" | "xls" | "ods" | "tsv") => " (a spreadsheet opens .csv)",
            Some("gpx" | "kml" | "shp") => " (a map opens .geojson)",
            _ => "",
        };
        Error::Config(format!("{option} {message}{instead}"))
    })
}

/// Hands `write` a writer on a file, which appears whole, or on standard output for `-`.
pub fn to_file(path: &Path, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if path.as_os_str() != "-" {
        return write_file(path, write);
    }
    let written = write(&mut io::stdout().lock());
    // Whoever has seen enough may close it.
    let seen = written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) });
    seen.map_err(|error| Error::io("standard output", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An option that a command does not have is no advice.
    #[test]
    fn other_outputs_are_advised_where_a_command_has_them() {
        let told =
            |option: &str, name: &str| named(option, Path::new(name), FileForm::of(name)).unwrap_err().to_string();
        assert!(told("--solution", "best.json").ends_with(" (--json writes a report)"));
        assert!(!told("-o", "g.json").contains("--json") && !told("--output", "best.svg").contains("--picture"));
        assert!(told("-o", "g.xlsx").ends_with(" (a spreadsheet opens .csv)"));
    }
}
