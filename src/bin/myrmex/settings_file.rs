//! Settings in TOML: names with values.

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
            DeValue::Integer(whole) => u64::from_str_radix(whole.as_str(), whole.radix()).map(Value::Whole).ok(),
            DeValue::Float(real) => real.as_str().parse().map(Value::Real).ok(),
            DeValue::String(word) => Some(Value::from_text(word)),
            _ => None,
        };
        let value = value.ok_or_else(|| {
            Error::parse(file, line, format!("{:?} must be a number from 0 up or a word in quotes", name.as_ref()))
        })?;
        Ok(Setting { name: name.to_string(), value, line })
    };
    entries.iter().map(setting).collect()
}
