//! The names of settings: which there are, and which one may have been meant.

use clap::{Command, CommandFactory};
use myrmex::settings::Request;
use myrmex::{Algorithm, Colonies, Error, Execution, Result, Settings};

use crate::args::Args;
use crate::settings_file::Setting;

/// How alike a name has to be for one to have been meant (Jaro), as clap has it for options.
const ALIKE: f64 = 0.7;

/// What papers and other programs call parameters, underscores aside.
const ELSEWHERE: [(&str, &str); 5] =
    [("rho", "evaporation"), ("m", "ants"), ("nants", "ants"), ("npop", "population"), ("nch", "children")];

/// The names of all parameters, each once.
pub fn parameters() -> Vec<&'static str> {
    let of_algorithms = Algorithm::NAMES.iter().filter_map(|name| Algorithm::named(name));
    let lists =
        of_algorithms.map(|algorithm| algorithm.parameters()).chain([Colonies::PARAMETERS, Execution::PARAMETERS]);
    let mut names: Vec<&str> = lists.flatten().map(|parameter| parameter.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What other programs call a parameter, by its name here.
fn elsewhere(name: &str) -> Option<&'static str> {
    let plain = name.replace('_', "").to_lowercase();
    ELSEWHERE.iter().find(|(other, _)| *other == plain).map(|(_, own)| *own)
}

/// The parameter of this name, with underscores or hyphens, or of a name that it has elsewhere.
pub fn parameter(name: &str) -> Option<&'static str> {
    let name = name.replace('-', "_");
    parameters().into_iter().find(|known| *known == name).or_else(|| elsewhere(&name))
}

/// What is wrong with the name of a setting that does not exist.
pub fn unknown(name: &str) -> Option<String> {
    let name = name.replace('-', "_");
    let all = || parameters().into_iter().chain(Request::BESIDE.iter().copied());
    if Settings::is_known(&name) {
        return None;
    }
    let option = name.replace('_', "-");
    let solve = Args::command();
    let is_option = |command: &Command| command.get_arguments().any(|argument| argument.get_long() == Some(&option));
    if solve.find_subcommand("solve").is_some_and(is_option) {
        return Some(format!("'{name}' is no parameter, but an option: give --{option} on the command line"));
    }
    let elsewhere = elsewhere(&name).map(|own| (1.0, own));
    let alike = all().map(|known| (strsim::jaro(&name, known), known)).filter(|(alike, _)| *alike > ALIKE);
    let meant = alike.chain(elsewhere).max_by(|(one, _), (other, _)| one.total_cmp(other));
    let meant = meant.map_or_else(String::new, |(_, meant)| format!("did you mean '{meant}'? "));
    Some(format!("there is no parameter '{name}'; {meant}'myrmex parameters' lists them"))
}

/// Refuses names that do not exist, and what stands twice, at their lines.
pub fn check(settings: &[Setting], file: &str) -> Result<()> {
    for (at, setting) in settings.iter().enumerate() {
        let up_to_here = settings[..=at].iter().map(|setting| (&setting.name, setting.value.clone()));
        let wrong = unknown(&setting.name).or_else(|| match Request::of(up_to_here) {
            Err(Error::Config(message)) => Some(message),
            _ => None,
        });
        if let Some(message) = wrong {
            return Err(Error::parse(file, setting.line, message));
        }
    }
    Ok(())
}
