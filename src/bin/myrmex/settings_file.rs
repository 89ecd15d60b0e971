//! Settings in TOML: names with values.

use myrmex::settings::Value;
use myrmex::{Error, Result};

/// Names and values of a text; `file` names it in errors.
pub fn parse(text: &str, file: &str) -> Result<Vec<(String, Value)>> {
    let wrong = |message: String| Error::Config(format!("{file}: {message}"));
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| wrong(error.to_string().trim().to_owned()))?;
    table
        .into_iter()
        .map(|(name, value)| {
            let value = match value {
                toml::Value::Integer(whole) => u64::try_from(whole).map(Value::Whole).ok(),
                toml::Value::Float(real) => Some(Value::Real(real)),
                toml::Value::String(word) => Some(Value::from_text(&word)),
                _ => None,
            };
            match value {
                Some(value) => Ok((name, value)),
                None => Err(wrong(format!("'{name}' must be a number from 0 up or a word"))),
            }
        })
        .collect()
}
