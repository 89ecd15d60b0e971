//! Known optima of several instances, from a table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use myrmex::{Error, Problem, Result};

use crate::args::SolveArgs;
use crate::system;

/// What separates the columns of a table.
const SEPARATORS: [char; 4] = [',', ';', ':', '\t'];

/// The optimum of each instance by the name of its file without its endings, or by the name that stands in it; in small letters.
pub struct Optima {
    file: PathBuf,
    costs: HashMap<String, f64>,
}

impl Optima {
    /// Reads a table that has a name and a cost in each line, and perhaps more behind them; its first line may have titles.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Parse`] for what is no such table.
    pub fn read(file: &Path) -> Result<Self> {
        let (text, name) = system::text(file)?;
        let text = text.trim_start_matches('\u{feff}');
        let mut costs = HashMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |message: String| Error::parse(&name, at + 1, message);
            let cells = line.split(|c: char| SEPARATORS.contains(&c) || c.is_whitespace());
            let mut cells = cells.map(|cell| cell.trim_matches('"')).filter(|cell| !cell.is_empty());
            let (Some(instance), Some(cost)) = (cells.next(), cells.next()) else {
                return Err(wrong("expected the name of an instance and its optimum, as 'berlin52,7542'".into()));
            };
            let words = line.split(|c: char| c != ',' && (SEPARATORS.contains(&c) || c.is_whitespace()));
            if let Some(word) = words.filter(|word| !word.is_empty()).skip(1).find(|word| is_grouped(word)) {
                return Err(wrong(format!("'{word}' has commas between its digits: leave them out")));
            }
            match cost.parse::<f64>() {
                Ok(cost) if cost.is_finite() => {
                    let before = costs.insert(instance.to_lowercase(), cost);
                    if let Some(before) = before.filter(|before| *before != cost) {
                        return Err(wrong(format!(
                            "{instance} has the optimum {cost} here, and {before} in a line before"
                        )));
                    }
                }
                // Titles.
                _ if at == 0 => {}
                _ => return Err(wrong(format!("'{cost}' is no optimum of {instance}: expected a number"))),
            }
        }
        if costs.is_empty() {
            return Err(Error::Config(format!("{name}: there is no optimum in this file")));
        }
        Ok(Self { file: file.into(), costs })
    }

    fn of(&self, instance: &Path, problem: &Problem) -> Option<f64> {
        let names = [&system::stem(instance), problem.name()];
        names.iter().find_map(|name| self.costs.get(&name.to_lowercase()).copied())
    }
}

/// Whether it is a number whose digits commas group by three, as a word by itself.
fn is_grouped(word: &str) -> bool {
    let mut groups = word.split(',');
    let are_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|group| are_digits(group) && group.len() <= 3);
    first && word.contains(',') && groups.all(|group| are_digits(group) && group.len() == 3)
}

/// The options for one instance, with its optimum where a table of optima was given.
///
/// # Errors
/// [`Error::Config`] where the table does not have it.
pub fn for_file<'a>(
    args: &'a SolveArgs,
    optima: Option<&Optima>,
    (instance, problem): (&Path, &Problem),
) -> Result<Cow<'a, SolveArgs>> {
    let Some(optima) = optima else { return Ok(Cow::Borrowed(args)) };
    match optima.of(instance, problem) {
        Some(optimum) => Ok(Cow::Owned(SolveArgs { optimum: Some(optimum), ..args.clone() })),
        None => Err(Error::Config(format!(
            "{} has no line that begins with the name of {} without its ending, or with '{}', the name in it",
            optima.file.display(),
            instance.display(),
            problem.name()
        ))),
    }
}
