//! `myrmex parameters`.

use std::fmt;

use myrmex::settings::{Parameter, Value};
use myrmex::{
    Algorithm, Colonies, Effort, Error, Execution, LocalSearch, PRESETS, Preset, Problem, Result, Settings, qap, tsp,
};
use serde::Serialize;

use crate::args::ParametersArgs;
use crate::exit::Exit;
use crate::print::outln;
use crate::{telling, tools};

/// Cities and facilities of the instances that defaults are shown for.
const CITIES: usize = 1000;
const FACILITIES: usize = 40;

/// A group of parameters with their defaults.
#[derive(Serialize)]
struct Group {
    name: &'static str,
    summary: &'static str,
    parameters: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    parameter: Parameter,
    /// What the resolver chooses; `null` where it leaves the parameter out, or to the device.
    default: Option<Value>,
    /// What it chooses where another parameter is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    instead: Vec<Instead>,
}

/// Another default, and what has to be given for that: a parameter, and its values that have it.
#[derive(Debug, PartialEq, Serialize)]
struct Instead {
    default: Value,
    parameter: &'static str,
    values: Vec<&'static str>,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}={}", self.default, self.parameter, self.values.join("|"))
    }
}

pub fn run(args: &ParametersArgs) -> Result<Exit> {
    let given = args.instance.as_deref().map(Problem::read).transpose()?;
    let preset = args.name.as_deref().and_then(|name| PRESETS.iter().find(|preset| preset.name == name));
    let groups = match (preset, args.name.as_deref()) {
        (Some(preset), _) => of_preset(preset, given.as_ref(), args.effort)?,
        (None, name) => named(name, given.as_ref(), args.effort)?,
    };
    if args.json {
        return tools::print_json(&groups);
    }
    let shown = match (&given, preset) {
        (Some(problem), _) => format!("{} ({})", problem.name(), telling::size(problem)),
        (None, Some(preset)) if preset.is_for_assignments() => format!("{FACILITIES} facilities"),
        (None, Some(_)) => format!("{CITIES} uniform cities"),
        (None, None) => format!("{CITIES} uniform cities, for assignments {FACILITIES} facilities"),
    };
    match preset {
        Some(preset) => outln!("--preset {}: {} ({}), for {shown}.", preset.name, preset.summary, preset.source),
        None => {
            outln!("Give them as --set NAME=VALUE or in a file for --settings.");
            outln!(
                "Defaults are those for {shown} with --effort {}; 'myrmex plan FILE' shows what runs here.",
                args.effort.name()
            );
        }
    }
    for group in &groups {
        outln!("");
        outln!("{}: {}", group.name, group.summary);
        for Row { parameter, default, instead } in &group.parameters {
            let default = default.as_ref().map_or("-".to_owned(), Value::to_string);
            let unit = if parameter.unit.is_empty() { String::new() } else { format!(" ({})", parameter.unit) };
            outln!("  {:<18} {default:<10} {}{unit}", parameter.name, parameter.range);
            outln!("  {:<18} {} ({})", "", parameter.summary, parameter.source);
            if !instead.is_empty() {
                let instead: Vec<String> = instead.iter().map(Instead::to_string).collect();
                outln!("  {:<18} default {}", "", instead.join(", "));
            }
        }
    }
    Ok(Exit::Done)
}

/// The parameters of the algorithm of this name, or of all of them the one of this name; without a name all.
fn named(name: Option<&str>, given: Option<&Problem>, effort: Effort) -> Result<Vec<Group>> {
    if let Some(algorithm) = Algorithm::NAMES.iter().find(|known| Some(**known) == name) {
        return Ok(vec![group(algorithm, given, effort)?]);
    }
    let mut groups = Algorithm::NAMES.iter().map(|name| group(name, given, effort)).collect::<Result<Vec<_>>>()?;
    groups.push(others("colonies", "Several colonies, for every algorithm", Colonies::PARAMETERS));
    let summary = "How a device runs ants that construct (as, acs, mmas, faco, cas); changes no result";
    groups.push(others("execution", summary, Execution::PARAMETERS));
    if let Some(parameter) = name.map(|name| name.replace('-', "_")) {
        groups.iter_mut().for_each(|group| group.parameters.retain(|row| row.parameter.name == parameter));
        groups.retain(|group| !group.parameters.is_empty());
    }
    Ok(groups)
}

/// An algorithm's parameters with what the resolver chooses for them.
fn group(name: &'static str, given: Option<&Problem>, effort: Effort) -> Result<Group> {
    let settings = Settings { effort, ..Settings::named(name)? };
    let problem = shown_for(given, settings.algorithm.is_for_assignments())?;
    chosen(name, &settings, &problem)
}

/// The instance that values are shown for.
fn shown_for(given: Option<&Problem>, assignments: bool) -> Result<Problem> {
    Ok(match given {
        Some(problem) => problem.clone(),
        None if assignments => Problem::Qap(qap::generate(FACILITIES, 1)?),
        None => Problem::Tsp(tsp::generate(tsp::Kind::Uniform, CITIES, 1)?),
    })
}

/// A preset's parameters, and how it asks the device to run.
fn of_preset(preset: &'static Preset, given: Option<&Problem>, effort: Effort) -> Result<Vec<Group>> {
    let problem = shown_for(given, preset.is_for_assignments())?;
    let settings = Settings { effort, ..preset.settings(problem.len()) };
    let mut execution = others("execution", "How a device runs it; changes no result", Execution::PARAMETERS);
    for row in &mut execution.parameters {
        row.default =
            settings.given().into_iter().find(|(name, _)| *name == row.parameter.name).map(|(_, value)| value);
    }
    Ok(vec![chosen(settings.algorithm.name(), &settings, &problem)?, execution])
}

/// The parameters of an algorithm with what `settings` have for a problem.
fn chosen(name: &'static str, settings: &Settings, problem: &Problem) -> Result<Group> {
    let recipe = match settings.recipe(problem, Effort::Standard) {
        Ok(recipe) => Some(recipe),
        // Listed all the same: it is for the other kind of problem.
        Err(Error::Config(_)) => None,
        Err(error) => return Err(error),
    };
    let chosen = recipe.map(|recipe| recipe.parameters()).unwrap_or_default();
    let others = with_choices(settings, problem);
    let row = |parameter: &Parameter| {
        let default = chosen.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| value.clone());
        Row { parameter: *parameter, instead: instead(parameter.name, default.as_ref(), &others), default }
    };
    let parameters = settings.algorithm.parameters().iter().map(row).collect();
    Ok(Group { name, summary: settings.algorithm.summary(), parameters })
}

/// What a recipe has of all parameters.
type Chosen = Vec<(&'static str, Value)>;

/// The parameter on which defaults of others depend.
const DECIDES: &str = "local_search";

/// Each value that the parameter which decides may have, with what the resolver then chooses.
fn with_choices(settings: &Settings, problem: &Problem) -> Vec<(&'static str, Chosen)> {
    if !settings.algorithm.parameters().iter().any(|it| it.name == DECIDES) {
        return Vec::new();
    }
    let shape = problem.shape();
    // Words of the other kind of problem are refused.
    let chosen = |choice: &LocalSearch| {
        let settings = settings.with(DECIDES, choice.name()).ok()?;
        let recipe = settings.recipe_for_shape(&shape, Effort::Standard).ok()?;
        Some((choice.name(), recipe.parameters()))
    };
    LocalSearch::ALL.iter().filter_map(chosen).collect()
}

/// The other defaults of a parameter, each once.
fn instead(name: &str, default: Option<&Value>, others: &[(&'static str, Chosen)]) -> Vec<Instead> {
    let mut all: Vec<Instead> = Vec::new();
    for (word, chosen) in others.iter().filter(|_| name != DECIDES) {
        let value = chosen.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let Some(value) = value.filter(|value| default != Some(*value)) else { continue };
        match all.iter_mut().find(|known| known.default == *value) {
            Some(known) => known.values.push(word),
            None => all.push(Instead { default: value.clone(), parameter: DECIDES, values: vec![word] }),
        }
    }
    all
}

/// Parameters that the resolver leaves to the device, or leaves out.
fn others(name: &'static str, summary: &'static str, parameters: &'static [Parameter]) -> Group {
    let parameters =
        parameters.iter().map(|parameter| Row { parameter: *parameter, default: None, instead: Vec::new() }).collect();
    Group { name, summary, parameters }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defaults of ants that search are others than those of ants alone.
    #[test]
    fn defaults_that_depend_on_the_local_search_are_told() {
        let mmas = group("mmas", None, Effort::Standard).unwrap();
        let row = |name: &str| mmas.parameters.iter().find(|row| row.parameter.name == name).unwrap();
        assert_eq!(row("ants").default, Some(Value::Whole(32)));
        let told = |name: &str| row(name).instead.iter().map(Instead::to_string).collect::<Vec<_>>();
        for (name, expected) in [
            ("ants", "1000 with local_search=none"),
            ("evaporation", "0.02 with local_search=none"),
            ("average_options", "500 with local_search=none"),
        ] {
            assert!(told(name).iter().any(|it| it == expected), "{name}: {:?}", told(name));
        }
        assert!(told("alpha").is_empty() && told("local_search").is_empty());
        // Those are what a run with it takes.
        let problem = shown_for(None, false).unwrap();
        let settings = Settings { effort: Effort::Standard, ..Settings::named("mmas").unwrap() };
        let none = settings.with("local_search", "none").unwrap().recipe(&problem, Effort::Standard).unwrap();
        assert!(none.parameters().contains(&("ants", Value::Whole(1000))));
    }
}
