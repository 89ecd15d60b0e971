//! What the values of options mean.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::PossibleValue;
use myrmex::settings::Value;
use myrmex::{Algorithm, Effort, OnDeviceLost, PRESETS, Target};

use super::{MadeKind, Stagnation};
use crate::names;

/// What can be generated.
pub fn kind(name: &str) -> Result<MadeKind, String> {
    match name {
        "layout" => Ok(MadeKind::Layout),
        _ => name.parse().map(MadeKind::Tsp).map_err(|error: String| error.replacen("one of", "layout, or one of", 1)),
    }
}

/// A parameter and its value.
pub fn pair(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), Value::from_text(value))),
        _ => Err("expected NAME=VALUE, such as population=128".into()),
    }
}

/// Names of algorithms and presets, and of parameters with underscores or hyphens.
pub fn algorithm_or_parameter() -> clap::builder::PossibleValuesParser {
    let parameters = names::parameters().into_iter().map(|name| match name.contains('_') {
        // clap wants words that last as long as the program.
        true => PossibleValue::new(name).alias(&*name.replace('_', "-").leak()),
        false => PossibleValue::new(name),
    });
    let presets = PRESETS.iter().map(|preset| preset.name);
    let others = Algorithm::NAMES.iter().copied().chain(presets).map(PossibleValue::new);
    clap::builder::PossibleValuesParser::new(others.chain(parameters).collect::<Vec<_>>())
}

/// One device or several.
pub fn devices(words: &str) -> Result<Target, String> {
    words.parse().map_err(|error: myrmex::Error| error.to_string())
}

/// How much is done side by side.
pub fn effort(word: &str) -> Result<Effort, String> {
    word.parse().map_err(without_kind)
}

/// The same that depends on no device.
pub fn fixed_effort(word: &str) -> Result<Effort, String> {
    match effort(word)? {
        Effort::Auto => Err("expected small, standard or large; 'myrmex plan FILE' shows what runs here".into()),
        effort => Ok(effort),
    }
}

/// What happens when a device fails.
pub fn on_device_lost(word: &str) -> Result<OnDeviceLost, String> {
    word.parse().map_err(without_kind)
}

/// What is wrong with a word; clap says which one.
fn without_kind(error: myrmex::Error) -> String {
    match error {
        myrmex::Error::Config(message) => message,
        other => other.to_string(),
    }
}

/// The most cities and facilities that are made.
const MOST_CITIES: usize = 16_777_216;
const MOST_FACILITIES: usize = 32_767;
/// The widest gap.
const MOST_PERCENT: f64 = 1e6;
/// Units of time, with their seconds.
const UNITS: [(&str, f64); 5] = [("ms", 1e-3), ("min", 60.0), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
/// The longest time.
const MOST_SECONDS: f64 = 1e9;

/// A time: seconds, or a number with a unit.
pub fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let unit = UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?.trim_end(), *seconds)));
    let (number, unit) = unit.unwrap_or((text, 1.0));
    match number.parse::<f64>().map(|number| number * unit) {
        Ok(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("expected seconds from 0 to 1e9, or a number with ms, s, m or h, such as 2m".into()),
    }
}

/// Iterations, or a time with its unit.
pub fn stagnation(text: &str) -> Result<Stagnation, String> {
    if let Ok(count) = text.parse::<u32>() {
        return match count {
            0 => Err("expected at least 1 iteration".into()),
            count => Ok(Stagnation::Iterations(count)),
        };
    }
    match text.ends_with(|c: char| c.is_ascii_alphabetic()) {
        true => match time(text)? {
            Duration::ZERO => Err("expected a time longer than 0".into()),
            limit => Ok(Stagnation::Time(limit)),
        },
        false => Err("expected a number of iterations, or a time with its unit, such as 30s".into()),
    }
}

/// A whole number of a type.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", (1u128 << (8 * size_of::<T>())) - 1))
}

/// How many cities or facilities are made; how many there can be is said where they are made.
pub fn size(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| {
        format!("expected a whole number in digits: 1 to {MOST_CITIES} cities, or 1 to {MOST_FACILITIES} facilities")
    })
}

/// A number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected 1 thread or more; without --threads there is one for each processor".into())
}

/// A finite number.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(|| "expected a number".into())
}

/// A share in percent.
pub fn percent(text: &str) -> Result<f64, String> {
    let expected = || format!("expected percent from 0 to {MOST_PERCENT}");
    number(text).ok().filter(|percent| (0.0..=MOST_PERCENT).contains(percent)).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use myrmex::{qap, tsp};

    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in [
            ("5", 5000),
            ("1s", 1000),
            ("2m", 120_000),
            ("1.5h", 5_400_000),
            ("250 ms", 250),
            ("3min", 180_000),
            ("0", 0),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["-1", "", "s", "2d", "nan", "1e10", "-2m", "1m30"] {
            assert!(time(text).is_err(), "{text}");
        }
        assert_eq!(stagnation("500"), Ok(Stagnation::Iterations(500)));
        assert_eq!(stagnation("2m"), Ok(Stagnation::Time(Duration::from_secs(120))));
        assert!(["0", "0s", "0.0 ms", "1.5", "-3", "x"].iter().all(|text| stagnation(text).is_err()));
    }
    /// What is refused comes with what is taken.
    #[test]
    fn numbers_out_of_range_are_told_their_range() {
        assert_eq!(percent("1e99"), Err("expected percent from 0 to 1000000".into()));
        assert_eq!(percent("1e6"), Ok(1e6));
        let most = "1 to 16777216 cities, or 1 to 32767 facilities";
        assert!(size("1e3").is_err_and(|message| message.contains(most)));
        // These are right.
        let refused = |made: myrmex::Result<()>| made.unwrap_err().to_string();
        assert!(
            refused(tsp::generate(tsp::Kind::Uniform, MOST_CITIES + 1, 1).map(drop)).contains("1 to 16777216 cities")
        );
        assert!(refused(qap::generate(MOST_FACILITIES + 1, 1).map(drop)).contains("1 to 32767 facilities"));
        assert_eq!(threads("2").map(NonZeroUsize::get), Ok(2));
        assert!(["0", "-1", "two", ""].iter().all(|text| threads(text).is_err_and(|it| it.contains("--threads"))));
    }
}
