//! `myrmex merge`: the best of several solutions of an instance, each of which is checked.

use std::path::Path;

use myrmex::{Error, Problem, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::args::MergeArgs;
use crate::exit::Exit;
use crate::outputs::{self, identity, named};
use crate::print::{errln, outln};
use crate::{system, telling};

pub fn run(args: &MergeArgs) -> Result<Exit> {
    if let Some(output) = args.output.as_deref().filter(|path| !is_standard(path)) {
        let solutions = args.solutions.iter().map(|path| (path, "a solution"));
        let mut read = std::iter::once((&args.file, "the instance")).chain(args.read.tables()).chain(solutions);
        if let Some((_, what)) = read.find(|(path, _)| identity(path) == identity(output)) {
            let path = output.display();
            return Err(Error::Config(format!("--output {path} would overwrite {what}; name another file")));
        }
        outputs::check_path(output)?;
    }
    let problem = system::problem(&args.file, &args.read)?;
    if let Some(output) = &args.output {
        named("--output", output, problem.file_form(output))?;
    }
    // Where the best one goes to standard output nothing else does.
    let tell = |line: String| match args.output.as_deref().is_some_and(is_standard) {
        true => errln!("{line}"),
        false => outln!("{line}"),
    };
    let mut code = Exit::Done;
    let mut best: Option<(String, Found)> = None;
    for path in &args.solutions {
        let all = solutions(path, &problem).unwrap_or_else(|error| vec![(path.display().to_string(), Err(error))]);
        for (place, found) in all {
            match found {
                Ok(found) => {
                    tell(format!("{place}: {}", telling::shown(&problem, found.length, found.cost)));
                    if let Some(note) = &found.note {
                        errln!("note: {note}");
                    }
                    if best.as_ref().is_none_or(|(_, best)| found.is_better(best)) {
                        best = Some((place, found));
                    }
                }
                Err(error) => {
                    errln!("myrmex: {error}");
                    code = Exit::WrongInput;
                }
            }
        }
    }
    let Some((place, found)) = best else {
        errln!("myrmex: none of these files holds a solution of '{}'", problem.name());
        return Ok(code);
    };
    if let Some(output) = &args.output {
        outputs::write_solution(output, &problem, &found.permutation)?;
    }
    let shown = telling::shown(&problem, found.length, found.cost);
    let unwritten = if args.output.is_none() { " (-o OUT writes it)" } else { "" };
    tell(format!("best: {place}, {shown}{unwritten}"));
    Ok(code)
}

/// A solution that was found in a file.
struct Found {
    permutation: Vec<u32>,
    cost: u64,
    length: f64,
    /// What is to be said of how its file lists it.
    note: Option<String>,
}

impl Found {
    /// Whether it is shorter than another one; of two infinite lengths whether it has fewer ways or places that must not be.
    fn is_better(&self, other: &Self) -> bool {
        self.length < other.length || self.length == other.length && self.cost < other.cost
    }

    /// That of a text; one that states another length, or is of another instance, is none.
    fn of(problem: &Problem, text: &str, place: &str) -> Result<Self> {
        let other = Reported::of(text).filter(|report| report.instance != problem.name());
        let found = Self::checked(problem, text, place);
        match other {
            // Who renames a file has its reports all the same.
            Some(Reported { instance, length }) if found.is_err() || length.is_none() => Err(Error::parse(
                place,
                1,
                format!("this report is of '{instance}', not of '{}': leave it out", problem.name()),
            )),
            _ => found,
        }
    }

    fn checked(problem: &Problem, text: &str, place: &str) -> Result<Self> {
        let checked = system::checked_solution(text, place, problem)?;
        let permutation = &checked.permutation;
        let (cost, length) = (problem.cost(permutation)?, problem.length(permutation)?);
        let note = system::note(place, problem, &checked, length);
        match system::contradiction(problem, &checked, length) {
            Some(what) => Err(Error::parse(place, 1, format!("it {what}"))),
            None => Ok(Self { permutation: checked.permutation, cost, length, note }),
        }
    }
}

/// What a report says of its instance and solution.
#[derive(Deserialize)]
struct Reported {
    instance: String,
    /// Where it has a tour that may be, or an assignment.
    length: Option<f64>,
}

impl Reported {
    fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The solutions in a file, checked, each with its place: of reports of several runs each line has one.
fn solutions(path: &Path, problem: &Problem) -> Result<Vec<(String, Result<Found>)>> {
    let (text, name) = system::text(path)?;
    let checked = |text: &str, name: &str| Found::of(problem, text, name);
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    let is_object = |line: &str| line.starts_with('{') && serde_json::from_str::<&RawValue>(line).is_ok();
    // The last line of a report may be torn, where what wrote it was ended: it is told as wrong.
    let whole = lines.iter().take(lines.len().saturating_sub(1).max(1)).all(|(_, line)| is_object(line));
    if lines.len() < 2 || !whole || !lines[lines.len() - 1].1.starts_with('{') {
        let found = checked(&text, &name);
        return Ok(vec![(name, found)]);
    }
    let of_line = |(number, line): (usize, &str)| {
        let place = format!("{name}:{number}");
        let found = checked(line, &place).map_err(|error| match error {
            Error::Parse { message, .. } => Error::parse(&name, number, message),
            other => other,
        });
        (place, found)
    };
    Ok(lines.into_iter().map(of_line).collect())
}
