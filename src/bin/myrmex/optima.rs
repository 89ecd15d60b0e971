//! Known optima of several instances, from a table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use myrmex::{Error, Problem, Result};

use crate::args::SolveArgs;
use crate::system;

mod columns;

use columns::Columns;

/// The optimum of each instance by the name of its file without its endings, or by the name that stands in it; in small letters.
pub struct Optima {
    file: PathBuf,
    costs: HashMap<String, f64>,
}

impl Optima {
    /// Reads a table that has a name and a cost in each line, and perhaps more behind them; its first line may have titles, which say in which columns
    /// these are.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Parse`] for what is no such table.
    pub fn read(file: &Path) -> Result<Self> {
        let (text, name) = system::text(file)?;
        Ok(Self { file: file.into(), costs: costs(&text, &name)? })
    }

    fn of(&self, instance: &Path, problem: &Problem) -> Option<f64> {
        let names = [&system::stem(instance), problem.name()];
        names.iter().find_map(|name| self.costs.get(&name.to_lowercase()).copied())
    }
}

/// The cost of each name, which is in small letters.
fn costs(text: &str, file: &str) -> Result<HashMap<String, f64>> {
    let holds_something = |line: &str| !line.is_empty() && !line.starts_with('#');
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| holds_something(line.trim())).peekable();
    let columns = match lines.peek().copied() {
        Some((number, first)) => {
            let below: Vec<&str> = lines.clone().skip(1).map(|(_, line)| line).collect();
            Columns::of(first, &below).map_err(|message| Error::parse(file, number, message))?
        }
        None => Columns::default(),
    };
    let mut costs = HashMap::new();
    for (number, line) in lines.skip(usize::from(columns.has_titles())) {
        let wrong = |message: String| Error::parse(file, number, message);
        let (instance, cost) = columns.entry(line).map_err(wrong)?;
        let before = costs.insert(instance.to_lowercase(), cost);
        if let Some(before) = before.filter(|before| *before != cost) {
            return Err(wrong(format!("{instance} has the optimum {cost} here, and {before} in a line before")));
        }
    }
    match costs.is_empty() {
        true => Err(Error::Config(format!("{file}: there is no optimum in this file"))),
        false => Ok(costs),
    }
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
            "{} has no line with the name of {} without its ending, or with '{}', the name in it",
            optima.file.display(),
            instance.display(),
            problem.name()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64)> {
        let mut costs: Vec<_> =
            costs(text, "t").unwrap_or_else(|error| panic!("{text}: {error}")).into_iter().collect();
        costs.sort_by(|one, other| one.0.cmp(&other.0));
        costs
    }

    fn told(text: &str) -> String {
        costs(text, "t").unwrap_err().to_string()
    }

    #[test]
    fn titles_say_which_column_has_the_optimum() {
        for text in [
            "name,n,best_known,source_note\nA,52,7542,\"by hand; proved\"\n",
            "name,n,best_known,source_note\nA,52,7542,by hand; proved, and told\n",
            "Best Known;Dimension;INSTANCE\n7542;52;a\n",
            "n\tOPT\tname\n52\t7542\tA\n",
            "optimum,best,name\n7542,7600,a\n",
            "# of mine\nname,n,length\na,52,7542\n",
            // One column of numbers alone needs no title.
            "instance,author,found\na,B,7542\n",
            "name,found\na,7542\n",
            // Without titles it is the second one.
            "a,7542,52\n",
            "a : 7542\n",
            "a: 7542 (EUC_2D), 18660188 (CEIL_2D)\n",
            "a   7542 proved\n",
            "a\t\t7542\n",
            "\"a\";\"7542\"\n",
            "a , 7542, by its making, of 1,200 nodes\n",
        ] {
            assert_eq!(read(text), [("a".to_owned(), 7542.0)], "{text}");
        }
        assert_eq!(read("name : cost\nodd name \u{fc},7542\n\nb,-1.5\n")[1], ("odd name \u{fc}".to_owned(), 7542.0));
    }

    #[test]
    fn columns_that_may_be_either_are_refused() {
        let either = told("name,n,found,when\na,52,7542,1990\n");
        assert!(either.starts_with("t:1: ") && either.ends_with("title the column of optima 'optimum'"), "{either}");
        for text in ["name,best,cost\na,1,2\n", "name,optimum,opt\na,1,2\n", "name,by,where\na,b,c\n"] {
            assert!(told(text).contains("title the column of optima 'optimum'"), "{text}: {}", told(text));
        }
        assert_eq!(told("name,cost\n"), "invalid configuration: t: there is no optimum in this file");
        assert!(told("name,n,best\na,52\n").starts_with("t:2: expected the name of an instance and its optimum"));
    }

    #[test]
    fn what_is_no_optimum_is_told_in_the_first_line_too() {
        assert_eq!(told("berlin52,abc\n"), "t:1: 'abc' is no optimum of berlin52: expected a number");
        assert_eq!(told("name,opt\na,inf\n"), "t:2: 'inf' is no optimum of a: expected a number");
        assert_eq!(told("name,n,opt\na,52,\n"), "t:2: a has no optimum: fill it in, or leave the line out");
        assert!(
            told("odd name 7542\n").contains("put a comma behind a name with blanks"),
            "{}",
            told("odd name 7542\n")
        );
        for text in [
            "a,\"7,542\"\n",
            "a;7,542\n",
            "a : 7,542\n",
            "a 7,542\n",
            "a, 7,542\n",
            "name,optimum,note\na,7,542,by hand\n",
        ] {
            assert!(
                told(text).ends_with("'7,542' has commas between its digits: leave them out"),
                "{text}: {}",
                told(text)
            );
        }
    }
}
