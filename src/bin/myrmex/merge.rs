//! `myrmex merge`: the best of several solutions of an instance, each of which is checked.

use std::path::Path;
use std::process::ExitCode;

use myrmex::{Ended, Error, Problem, Result, Solution};

use crate::args::MergeArgs;
use crate::exit::WRONG_INPUT;
use crate::outputs::{self, identity, named};
use crate::print::{errln, outln};
use crate::{system, telling};

pub fn run(args: &MergeArgs) -> Result<ExitCode> {
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
    let mut code = ExitCode::SUCCESS;
    let mut best: Option<(&Path, Solution)> = None;
    for path in &args.solutions {
        match solution(path, &problem) {
            Ok(found) => {
                tell(format!("{}: {}", path.display(), telling::shown(&problem, found.length, found.cost)));
                if best.as_ref().is_none_or(|(_, best)| found.length < best.length) {
                    best = Some((path, found));
                }
            }
            Err(error) => {
                errln!("myrmex: {error}");
                code = ExitCode::from(WRONG_INPUT);
            }
        }
    }
    let Some((path, found)) = best else {
        errln!("myrmex: none of these files holds a solution of '{}'", problem.name());
        return Ok(code);
    };
    if let Some(output) = &args.output {
        outputs::write_solution(output, &problem, &found)?;
    }
    let shown = telling::shown(&problem, found.length, found.cost);
    let unwritten = if args.output.is_none() { " (-o OUT writes it)" } else { "" };
    tell(format!("best: {}, {shown}{unwritten}", path.display()));
    Ok(code)
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The solution in a file, checked.
fn solution(path: &Path, problem: &Problem) -> Result<Solution> {
    Solution::of(problem, system::solution(path, problem)?, 0.0, Ended::Trivial)
}
