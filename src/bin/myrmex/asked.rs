//! The settings that a command line asks for, read once: its own options, and behind these a file.

use std::path::Path;

use myrmex::settings::{Request, Value};
use myrmex::{Effort, Error, OnDeviceLost, Problem, Result, Settings};

use crate::args::{SolveArgs, SystemArgs};
use crate::names;
use crate::settings_file::{self, Setting};
use crate::target;

/// The name of what happens when the device fails.
const ON_DEVICE_LOST: &str = "on_device_lost";

/// What is asked for.
pub struct Asked {
    /// All of it.
    request: Request,
    /// What the command line says.
    line: Request,
    /// The settings file's name, and what its lines set.
    file: Option<(String, Vec<Setting>)>,
}

impl Asked {
    /// What options ask for.
    pub fn of(args: &SystemArgs) -> Result<Self> {
        Self::with(args, None)
    }

    /// The same of a run, whose options say what to do when the device fails, too.
    pub fn of_run(args: &SolveArgs) -> Result<Self> {
        if args.on_device_lost.is_some() && target::is_cpu(&args.system) {
            return Err(Error::Config("--on-device-lost is for GPUs; leave it out on the CPU".into()));
        }
        Self::with(&args.system, args.on_device_lost)
    }

    fn with(args: &SystemArgs, on_device_lost: Option<OnDeviceLost>) -> Result<Self> {
        if let Some(message) = args.set.iter().find_map(|(name, _)| names::unknown(name)) {
            return Err(Error::Config(message));
        }
        let word = |name: &str, word: Option<&str>| word.map(|word| (name.to_owned(), Value::Word(word.to_owned())));
        let own = [
            word("algorithm", args.algorithm.as_deref()),
            word("preset", args.preset.as_deref()),
            args.seed.map(|seed| ("seed".to_owned(), Value::Whole(seed))),
            word("effort", args.effort.map(Effort::name)),
            word(ON_DEVICE_LOST, on_device_lost.map(OnDeviceLost::name)),
        ];
        let line = Request::of(own.into_iter().flatten().chain(args.set.iter().cloned()))?;
        let Some(path) = &args.settings else {
            return Ok(Self { request: line.clone(), line, file: None });
        };
        let (settings, name) = read(path)?;
        let pairs = settings.iter().map(|setting| (&setting.name, setting.value.clone()));
        let of_file = Request::of(pairs)?;
        Ok(Self { request: line.clone().or(of_file), line, file: Some((name, settings)) })
    }

    /// What reports tell of it.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The settings for a problem. With a number of iterations the effort follows from the instance alone, so that the run can be repeated anywhere.
    pub fn settings(&self, problem: &Problem, iterations: Option<u32>) -> Result<Settings> {
        Ok(self.request.settings(problem)?.for_iterations(iterations))
    }

    /// What to do when the device fails, where that is said.
    pub fn on_device_lost(&self) -> Result<Option<OnDeviceLost>> {
        self.request.value(ON_DEVICE_LOST).map(|value| value.to_string().parse()).transpose()
    }

    /// Refuses what contradicts the settings of a run that is resumed.
    pub fn agrees(&self, problem: &Problem, kept: &Settings) -> Result<()> {
        for (name, value) in self.request.pairs() {
            let same = match name {
                "algorithm" | "preset" => {
                    let asked = Request::of([(name, value.clone())])?.settings(problem)?;
                    let given = kept.given();
                    asked.algorithm.name() == kept.algorithm.name()
                        && asked.given().iter().all(|pair| given.contains(pair))
                }
                "seed" => *value == Value::Whole(kept.seed),
                // It says nothing of what the run finds as long as nothing fails.
                ON_DEVICE_LOST => true,
                "effort" => [Effort::Auto.name(), kept.effort.name()].contains(&value.to_string().as_str()),
                _ => {
                    let mut asked = *kept;
                    asked.set(name, value)?;
                    asked.recipe(problem, Effort::Standard)? == kept.recipe(problem, Effort::Standard)?
                }
            };
            if !same {
                let began = match name {
                    "algorithm" | "preset" => Some(kept.algorithm.name().to_owned()),
                    "seed" => Some(kept.seed.to_string()),
                    "effort" => Some(kept.effort.name().to_owned()),
                    _ => began_with(kept, problem, name)?,
                };
                let began = began.map_or_else(|| "its default".to_owned(), |value| format!("'{value}'"));
                return Err(Error::Config(format!(
                    "{name}: a run that is resumed goes on with what it began with, which was {began}, not '{value}'; leave it out, or begin a run"
                )));
            }
        }
        Ok(())
    }

    /// An error about a setting of the settings file with the file and the line that sets it; others as they are.
    pub fn located(&self, error: Error) -> Error {
        let (Some((file, settings)), Error::Config(message)) = (&self.file, &error) else { return error };
        let is_about = |Setting { name, value, .. }: &&Setting| {
            let name = name.replace('-', "_");
            let is_base = matches!(name.as_str(), "algorithm" | "preset");
            let on_the_line = |name: &str| self.line.value(name).is_some();
            let on_command_line = match is_base {
                true => on_the_line("algorithm") || on_the_line("preset"),
                false => on_the_line(&name),
            };
            let by_name = message.strip_prefix(&name).is_some_and(|rest| rest.starts_with([':', ' ']));
            let by_value = is_base && message.contains(&format!("'{value}'"));
            !on_command_line && (by_name || by_value || message.contains(&format!("'{name}'")))
        };
        match settings.iter().rfind(is_about) {
            Some(setting) => Error::parse(file.as_str(), setting.line, message),
            None => error,
        }
    }
}

/// The value that a run with these settings has of a parameter, where it is known before the run.
fn began_with(kept: &Settings, problem: &Problem, name: &str) -> Result<Option<String>> {
    let chosen = kept.recipe(problem, Effort::Standard)?.parameters();
    let found = kept.given().into_iter().chain(chosen).find(|(known, _)| *known == name);
    Ok(found.map(|(_, value)| value.to_string()))
}

/// Names and values of a TOML file, and what it is called.
fn read(path: &Path) -> Result<(Vec<Setting>, String)> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let name = path.display().to_string();
    let settings = settings_file::parse(&text, &name)?;
    names::check(&settings, &name)?;
    Ok((settings, name))
}
