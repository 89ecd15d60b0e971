//! Settings in TOML: names with values; or a run's report, whose settings they are.

use myrmex::report::SCHEMA;
use myrmex::settings::Value;
use myrmex::{Error, Result};
use toml::de::{DeTable, DeValue};

/// What a line of a file sets.
pub struct Setting {
    pub name: String,
    pub value: Value,
    /// Counted from 1.
    pub line: usize,
}

/// Names and values of a text in their order; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<Setting>> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return of_report(text, file);
    }
    let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        Error::parse(file, error.span().map_or(1, |span| line(span.start)), message)
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let setting = |(name, value): &(&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let line = line(name.span().start);
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        let value = match value.get_ref() {
            DeValue::Integer(whole) => match u64::from_str_radix(whole.as_str(), whole.radix()) {
                Ok(whole) => Some(Value::Whole(whole)),
                // One below 0, or of too many digits: its parameter refuses it with its range.
                Err(_) if whole.radix() == 10 => whole.as_str().parse().map(Value::Real).ok(),
                Err(_) => None,
            },
            DeValue::Float(real) => real.as_str().parse().map(Value::Real).ok(),
            DeValue::String(word) => Some(Value::from_text(word)),
            _ => None,
        };
        let value = value.ok_or_else(|| {
            let message = "must be a number or a word in quotes, as all settings are ('myrmex parameters' lists them)";
            Error::parse(file, line, format!("{:?} {message}", name.as_ref()))
        })?;
        Ok(Setting { name: name.to_string(), value, line })
    };
    entries.iter().map(setting).collect()
}

/// What a run was asked for, and the effort that it took, by its report.
fn of_report(text: &str, file: &str) -> Result<Vec<Setting>> {
    let report: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        Error::parse(file, error.line(), format!("{error}; settings are TOML, or the report of one run"))
    })?;
    if report.get("resumed").is_some() {
        let message = "the report of a run that went on from a checkpoint does not tell what its beginning was asked for: give that one's";
        return Err(Error::parse(file, 1, message));
    }
    if let Some(other) = report["schema"].as_u64().filter(|schema| *schema != u64::from(SCHEMA)) {
        let message = format!("this is a report of form {other}, of another version of myrmex; form {SCHEMA} is read");
        return Err(Error::parse(file, 1, message));
    }
    if report["schema"] != SCHEMA || report.get("set").is_some_and(|set| !set.is_object()) {
        let message = "this is no report: settings are TOML, or the report of one run (--json), which tells what it was asked for; a recipe and a plan tell \
                       what that comes to";
        return Err(Error::parse(file, 1, message));
    }
    let told = |name: &str, value: &serde_json::Value| {
        let value = match value {
            serde_json::Value::String(word) => Some(Value::from_text(word)),
            serde_json::Value::Number(number) => number.as_u64().map(Value::Whole).or(number.as_f64().map(Value::Real)),
            _ => None,
        };
        let missing = || Error::parse(file, 1, format!("a report tells '{name}', and this one does not"));
        Ok(Setting { name: name.to_owned(), value: value.ok_or_else(missing)?, line: 1 })
    };
    let name = if report.get("preset").is_some() { "preset" } else { "algorithm" };
    let (set, recipe) = (report.get("set").and_then(serde_json::Value::as_object), &report["recipe"]);
    let beside = [(name, &report[name]), ("seed", &report["seed"]), ("effort", &recipe["effort"])];
    // How many colonies or windows several devices had follows from the devices, where nobody asked for a number.
    let of_devices = ["colonies", "eax_windows"].into_iter().filter(|name| {
        report.get("devices").is_some() && recipe.get(name).is_some() && set.is_none_or(|set| !set.contains_key(*name))
    });
    let of_devices =
        of_devices.map(|name| (name, &recipe[name])).filter(|(name, value)| *name != "colonies" || **value != 1);
    let set = set.into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    beside.into_iter().chain(of_devices).chain(set).map(|(name, value)| told(name, value)).collect()
}
