//! What is wrong with a command line, told so that it helps.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use myrmex::PRESETS;

use super::Args;

/// The same error without the advice to give what looks like an option as a value, which no value here does, and with the command that has the option; of a
/// preset in an algorithm's place the option that takes it.
pub fn refined(mut error: clap::Error, mut words: impl Iterator<Item = OsString>) -> clap::Error {
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
    let program = Args::command();
    let command = words.find_map(|word| program.find_subcommand(word));
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && let Some(option) = word.strip_prefix("--")
        && let Some(command) = command.filter(|command| command.get_name() != "solve")
        && let Some(solve) = program.find_subcommand("solve")
        && solve.get_arguments().any(|argument| argument.get_long() == Some(option))
    {
        tips.push(
            format!("'{word}' is an option of 'myrmex solve', which 'myrmex {}' does not take", command.get_name())
                .into(),
        );
    }
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
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
}
