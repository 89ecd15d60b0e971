//! What is wrong with a command line, told so that it helps.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use myrmex::PRESETS;

use super::Args;
use crate::names;

/// What people write who know other programs, each with the option that a command has for it, and how to give that.
const INSTEAD: [(&[&str], &str, &str); 7] = [
    (&["-o", "--output", "--out"], "solution", "--solution FILE writes the solution, --json FILE a report"),
    (&["-o"], "output", "--output FILE"),
    (&["--cpu"], "backend", "--backend cpu"),
    (&["--cuda"], "backend", "--backend cuda"),
    (&["--gpu"], "device", "a GPU is taken where there is one: leave it out, or choose one by --device"),
    (&["--repeat", "--repeats", "--repetitions", "--trials"], "runs", "--runs N"),
    (&["-j", "--jobs", "--cores", "--cpus", "--nthreads", "--num-threads"], "threads", "--threads N"),
];

/// The same error without the advice to give what looks like an option as a value, which no value here does, and with what gives what was meant: the
/// command that has the option, the option that people know by another name, `--set` for a parameter; of a preset in an algorithm's place the option that takes it.
pub fn refined(mut error: clap::Error, words: impl Iterator<Item = OsString>) -> clap::Error {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidValue)
        && PRESETS.iter().any(|preset| preset.name == word)
    {
        let tip = format!("'{word}' is a preset: --preset {word}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let mut tips = match error.remove(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips,
        _ => Vec::new(),
    };
    tips.retain(|tip| !tip.to_string().contains("as a value"));
    let (program, words) = (Args::command(), words.collect::<Vec<_>>());
    let command = words.iter().find_map(|word| program.find_subcommand(word));
    if let (Some(ContextValue::String(word)), Some(command)) = (error.get(ContextKind::InvalidArg), command) {
        let instead = by_set(command, word, &words).or_else(|| by_another_option(command, word));
        if let Some(tip) = instead.or_else(|| of_solve(&program, command, word)) {
            // Only its letters are like those of what was meant.
            error.remove(ContextKind::SuggestedArg);
            tips = vec![tip.into()];
        }
    }
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// Whether a command has an option.
fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(option))
}

/// How a command takes a parameter that was given as an option, with its value where it has one.
fn by_set(command: &Command, word: &str, words: &[OsString]) -> Option<String> {
    let name = names::parameter(word.strip_prefix("--")?).filter(|_| has(command, "set"))?;
    let mut behind = words.iter().map(|it| it.to_string_lossy()).skip_while(|it| !it.starts_with(word));
    let value = match behind.next().as_deref().and_then(|it| it.split_once('=')) {
        Some((_, value)) => Some(value.to_owned()),
        None => behind.next().map(|next| next.into_owned()).filter(|next| !next.starts_with('-')),
    };
    Some(format!("'{name}' is a parameter: --set {name}={}", value.as_deref().unwrap_or("VALUE")))
}

/// What a command has for what others call so.
fn by_another_option(command: &Command, word: &str) -> Option<String> {
    let (_, _, tip) = INSTEAD.iter().find(|(names, option, _)| names.contains(&word) && has(command, option))?;
    Some((*tip).to_owned())
}

/// That `solve` has an option.
fn of_solve(program: &Command, command: &Command, word: &str) -> Option<String> {
    let solve = program.find_subcommand("solve").filter(|_| command.get_name() != "solve")?;
    let tip = format!("'{word}' is an option of 'myrmex solve', which 'myrmex {}' does not take", command.get_name());
    has(solve, word.strip_prefix("--")?).then_some(tip)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn options_of_solve_are_told_as_such() {
        let told = |words: &str| {
            let words = || ["myrmex"].into_iter().chain(words.split(' ')).map(OsString::from);
            let error = Args::try_parse_from(words()).err().expect("refused");
            refined(error, words().skip(1)).to_string()
        };
        let of_plan = told("plan a.tsp --time 3");
        assert!(
            of_plan.contains("'--time' is an option of 'myrmex solve', which 'myrmex plan' does not take"),
            "{of_plan}"
        );
        assert!(told("solve a.tsp --algorithm amp-a").contains("'amp-a' is a preset: --preset amp-a"));
        // One that is like another is told as before.
        assert!(told("solve a.tsp --tim 3").contains("'--time'"));
        for words in ["plan a.tsp --time 3", "solve a.tsp -t 3", "generate uniform 10 -o a.tsp --sed 3"] {
            assert!(!told(words).contains("as a value"), "{words}");
        }
    }
    /// What other programs call so, and parameters in an option's place, are told with the option that takes them, and with no other.
    #[test]
    fn what_was_meant_is_told() {
        let told = |words: &str| {
            let words = || ["myrmex"].into_iter().chain(words.split(' ')).map(OsString::from);
            let error = Args::try_parse_from(words()).err().expect("refused");
            refined(error, words().skip(1)).to_string()
        };
        for (words, tip) in [
            ("solve a.tsp --population 5", "--set population=5"),
            ("solve a.tsp --local-search=none", "--set local_search=none"),
            ("plan a.tsp --ants --json", "--set ants=VALUE"),
            ("solve a.tsp --rho 0.1", "--set evaporation=0.1"),
            ("batch a.tsp --ants 5", "--set ants=5"),
            ("solve a.tsp -o b.tour", "--solution FILE"),
            ("solve a.tsp --output b.tour", "--json FILE"),
            ("batch a.tsp -o b.jsonl", "--output FILE"),
            ("solve a.tsp --cpu", "--backend cpu"),
            ("bench --gpu", "--device"),
            ("solve a.tsp --repeat 5", "--runs N"),
            ("solve a.tsp -j 5", "--threads N"),
        ] {
            let told = told(words);
            let tips: Vec<&str> = told.lines().filter(|line| line.contains("tip:")).collect();
            assert!(tips.len() == 1 && tips[0].contains(tip), "{words}: {told}");
        }
        // Of a command that has no such option nothing is told.
        assert!(!told("devices --cpu").contains("--backend"));
        assert!(told("check a.tsp b.tour --threads 2").contains("which 'myrmex check' does not take"));
    }
}
