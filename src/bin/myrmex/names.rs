//! The names of settings: which there are, which one may have been meant, and where in a file a setting that is refused stands.

use clap::{Command, CommandFactory};
use myrmex::{Algorithm, Colonies, Error, Execution, Result, Settings};

use crate::args::{Args, SystemArgs};
use crate::settings_file::Setting;
use crate::system;

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

/// What is wrong with the name of a setting that does not exist.
pub fn unknown(name: &str) -> Option<String> {
    let name = name.replace('-', "_");
    let all = || parameters().into_iter().chain(Settings::BESIDE);
    if all().any(|known| known == name) {
        return None;
    }
    let option = name.replace('_', "-");
    let solve = Args::command();
    let is_option = |command: &Command| command.get_arguments().any(|argument| argument.get_long() == Some(&option));
    if solve.find_subcommand("solve").is_some_and(is_option) {
        return Some(format!("'{name}' is no parameter, but an option: give --{option} on the command line"));
    }
    let plain = name.replace('_', "").to_lowercase();
    let elsewhere = ELSEWHERE.iter().find(|(other, _)| *other == plain).map(|(_, own)| (1.0, *own));
    let alike = all().map(|known| (strsim::jaro(&name, known), known)).filter(|(alike, _)| *alike > ALIKE);
    let meant = alike.chain(elsewhere).max_by(|(one, _), (other, _)| one.total_cmp(other));
    let meant = meant.map_or_else(String::new, |(_, meant)| format!("did you mean '{meant}'? "));
    Some(format!("there is no parameter '{name}'; {meant}'myrmex parameters' lists them"))
}

/// An error about a setting of the settings file with the file and the line that sets it; others as they are.
pub fn located(args: &SystemArgs, error: Error) -> Error {
    let (Some(path), Error::Config(message)) = (&args.settings, &error) else { return error };
    let Ok(settings) = system::read_settings(path) else { return error };
    let is_about = |Setting { name, value, .. }: &&Setting| {
        let name = name.replace('-', "_");
        let on_command_line = match name.as_str() {
            "algorithm" | "preset" => args.algorithm.is_some() || args.preset.is_some(),
            "seed" => args.seed.is_some(),
            "effort" => args.effort.is_some(),
            _ => args.set.iter().any(|(set, _)| set.replace('-', "_") == name),
        };
        let by_name = message.strip_prefix(&name).is_some_and(|rest| rest.starts_with([':', ' ']));
        let by_value = matches!(name.as_str(), "algorithm" | "preset") && message.contains(&format!("'{value}'"));
        !on_command_line && (by_name || by_value || message.contains(&format!("'{name}'")))
    };
    match settings.iter().rfind(is_about) {
        Some(setting) => Error::parse(path.display().to_string(), setting.line, message),
        None => error,
    }
}

/// Refuses names that do not exist, at their lines.
pub fn check(settings: &[Setting], file: &str) -> Result<()> {
    let wrong = settings.iter().find_map(|setting| Some((setting.line, unknown(&setting.name)?)));
    if let Some((line, message)) = wrong {
        return Err(Error::parse(file, line, message));
    }
    let mut bases = settings.iter().filter(|setting| matches!(setting.name.as_str(), "algorithm" | "preset"));
    match (bases.next(), bases.next()) {
        (Some(_), Some(second)) => {
            let message = "a preset names an algorithm, too: leave 'algorithm' or 'preset' out";
            Err(Error::parse(file, second.line, message))
        }
        _ => Ok(()),
    }
}
