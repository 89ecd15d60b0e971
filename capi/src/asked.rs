//! What options say of a run: texts become rules, settings, devices and what solutions keep to.

use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::time::{Duration, Instant};

use myrmex::settings::{AskedFor, Request, Value};
use myrmex::{Problem, Settings, Stop, Target};

use crate::border::Made;
use crate::options::MyrmexOptions;
use crate::status::MyrmexError;

/// What ends a run and where it runs: all that is no setting of the library.
const RULES: [&str; 12] = [
    "time",
    "iterations",
    "target",
    "stagnation",
    "stagnation_time",
    "rounds",
    "device",
    "threads",
    "open",
    "start",
    "end",
    "fixed",
];

/// What may stand before the name of a parameter, and has to where a rule has the same name.
const PARAMETER: &str = "set.";

/// What the options say of a run.
pub struct Asked {
    pub problem: Problem,
    pub settings: Settings,
    /// What reports tell of these.
    pub asked_for: AskedFor,
    pub stop: Stop,
    pub target: Target,
}

/// The name of an option as it is kept.
pub fn named(name: &str) -> Made<String> {
    let name = name.replace('-', "_");
    let plain = plain(&name);
    if RULES.contains(&name.as_str()) || Settings::is_known(plain) {
        return Ok(name);
    }
    if plain.is_empty() {
        return Err(MyrmexError::invalid("the name of an option is empty"));
    }
    let beside = [&RULES, Request::BESIDE].concat().join(", ");
    Err(MyrmexError::invalid(format!(
        "there is no parameter '{plain}', and no such option; options beside parameters are {beside}"
    )))
}

/// The name of a parameter, without what may stand before it.
fn plain(name: &str) -> &str {
    name.strip_prefix(PARAMETER).unwrap_or(name)
}

/// A truth in words.
fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// The error of a value that is not what it should be.
fn wrong_value(name: &str, expected: &str, text: &str) -> MyrmexError {
    MyrmexError::invalid(format!("{name}: expected {expected}, not '{text}'"))
}

impl MyrmexOptions {
    /// A value, read by `read` as what `expected` says.
    fn read<T>(&self, name: &str, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Made<Option<T>> {
        let Some(text) = self.words.get(name) else { return Ok(None) };
        read(text.trim()).map(Some).ok_or_else(|| wrong_value(name, expected, text))
    }

    fn value<T: FromStr>(&self, name: &str, expected: &str) -> Made<Option<T>> {
        self.read(name, expected, |text| text.parse().ok())
    }

    /// A number with decimals, where the caller's language may write a comma.
    fn decimal<T>(&self, name: &str, expected: &str, read: impl FnOnce(f64) -> Option<T>) -> Made<Option<T>> {
        let Some(text) = self.words.get(name) else { return Ok(None) };
        let is_decimal = |text: &str| text.parse::<f64>().is_ok();
        match text.contains(',') && is_decimal(&text.trim().replace(',', ".")) {
            true => Err(wrong_value(name, &format!("{expected}, with a point before decimals"), text)),
            false => self.read(name, expected, |text| text.parse().ok().and_then(read)),
        }
    }

    fn seconds(&self, name: &str) -> Made<Option<Duration>> {
        const EXPECTED: &str = "seconds from 0 up";
        let is_beyond = |text: &String| text.trim().parse().is_ok_and(|seconds: f64| seconds > u64::MAX as f64);
        let expected = match self.words.get(name).is_some_and(is_beyond) {
            true => format!("{EXPECTED}, below {:e}", u64::MAX as f64),
            false => EXPECTED.to_owned(),
        };
        self.decimal(name, &expected, |seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// The problem with what solutions keep to: open paths and their ends, edges that stay, facilities at their locations.
    pub fn kept_to(&self, problem: &Problem) -> Made<Problem> {
        self.with_fixed(self.opened(problem)?)
    }

    fn opened(&self, problem: &Problem) -> Made<Problem> {
        const CITY: &str = "a city, counted from 0";
        let open = self.read("open", "true or false", truth)?;
        let (start, end) = (self.value("start", CITY)?, self.value("end", CITY)?);
        match problem {
            Problem::Tsp(instance) => Ok(instance.clone().with_ends(open, start, end)?.into()),
            _ if open != Some(true) && start.is_none() && end.is_none() => Ok(problem.clone()),
            _ => Err(MyrmexError::invalid("open, start and end are for tours; leave them out for assignments")),
        }
    }

    fn with_fixed(&self, problem: Problem) -> Made<Problem> {
        let Some(text) = self.words.get("fixed") else { return Ok(problem) };
        let pair = |word: &str| {
            let (one, other) = word.split_once('=')?;
            Some([one.trim().parse().ok()?, other.trim().parse().ok()?])
        };
        let expected = "pairs of cities, or of a facility and its location, counted from 0, as in 0=3,2=5";
        let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
        let pairs = pairs.ok_or_else(|| wrong_value("fixed", expected, text))?;
        Ok(match problem {
            Problem::Tsp(instance) => instance.with_fixed_edges(&pairs)?.into(),
            Problem::Qap(instance) => instance.with_fixed(&pairs)?.into(),
            _ => return Err(MyrmexError::invalid("fixed is for tours and assignments")),
        })
    }

    /// How many threads the run has alone, where it is to have its own.
    pub fn threads(&self) -> Made<Option<NonZeroUsize>> {
        self.value("threads", "a whole number from 1 up")
    }

    fn stop(&self, started: Instant) -> Made<Stop> {
        let mut stop = Stop::default().since(started);
        stop.iterations = self.value("iterations", "a whole number from 0 to 4294967295")?;
        let count = |name| self.value::<NonZeroU32>(name, "a whole number from 1 to 4294967295");
        stop.stagnation = count("stagnation")?.map(NonZeroU32::get);
        stop.rounds = count("rounds")?.map(NonZeroU32::get);
        stop.time = self.seconds("time")?;
        stop.stagnation_time = self.seconds("stagnation_time")?;
        stop.target = self.decimal("target", "a length", |length| length.is_finite().then_some(length))?;
        Ok(if stop.is_empty() { stop.or(Stop::usual()) } else { stop })
    }

    /// Where it runs.
    fn target(&self) -> Made<Target> {
        Ok(match (&self.device, self.words.get("device")) {
            (Some(opened), _) => opened.clone(),
            (None, Some(words)) => words.trim().parse()?,
            (None, None) => Target::Auto,
        })
    }

    /// What they say of a run on `problem` that began at `started`.
    pub fn asked(&self, problem: &Problem, started: Instant) -> Made<Asked> {
        let (problem, stop, target) = (self.kept_to(problem)?, self.stop(started)?, self.target()?);
        // The library would tell a number as it has read it.
        self.value::<u64>("seed", &format!("a whole number from 0 to {}", u64::MAX))?;
        let request = Request::of(self.settings())?;
        let settings = request.settings(&problem)?.for_iterations(stop.iterations);
        let asked_for = request.asked_for(&settings);
        Ok(Asked { problem, settings, asked_for, stop, target })
    }

    /// What is said of settings.
    fn settings(&self) -> Vec<(String, Value)> {
        let others = self.words.iter().filter(|(name, _)| !RULES.contains(&name.as_str()));
        others.map(|(name, text)| (plain(name).to_owned(), Value::from_text(text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use myrmex::tsp::{Kind, generate};
    use myrmex::{Algorithm, Effort, OnDeviceLost};

    fn asked(pairs: &[(&str, &str)]) -> Result<Asked, String> {
        let mut options = MyrmexOptions::default();
        options.words.extend(pairs.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())));
        let problem = Problem::from(generate(Kind::Uniform, 12, 1).map_err(|error| error.to_string())?);
        options.asked(&problem, Instant::now()).map_err(|error| error.words().to_owned())
    }

    fn refused(name: &str, text: &str) -> String {
        asked(&[(name, text)]).err().unwrap_or_default()
    }

    #[test]
    fn what_is_refused_is_told_as_it_was_written() {
        let comma = "time: expected seconds from 0 up, with a point before decimals, not '0,5'";
        assert_eq!(refused("time", "0,5"), comma);
        assert_eq!(
            refused("time", " 1e300"),
            "time: expected seconds from 0 up, below 1.8446744073709552e19, not ' 1e300'"
        );
        assert_eq!(refused("time", "-1.50"), "time: expected seconds from 0 up, not '-1.50'");
        assert!(refused("target", "7,25").contains("with a point before decimals, not '7,25'"));
        let seed = "seed: expected a whole number from 0 to 18446744073709551615, not '18446744073709551616'";
        assert_eq!(refused("seed", "18446744073709551616"), seed);
        let none = MyrmexOptions { words: [("threads".to_owned(), "0".to_owned())].into(), ..MyrmexOptions::default() };
        assert!(
            none.threads().is_err_and(|error| error.words() == "threads: expected a whole number from 1 up, not '0'")
        );
        assert!(refused("open", "yes").contains("open: expected true or false, not 'yes'"));
    }

    #[test]
    fn truths_and_devices_are_taken_as_languages_write_them() {
        let is_open = |text: &str| match asked(&[("open", text), ("device", " cpu ")]) {
            Ok(Asked { problem: Problem::Tsp(instance), target: Target::Cpu, .. }) => Some(instance.is_open()),
            _ => None,
        };
        assert_eq!(["1", "True", " TRUE ", "0", "False"].map(is_open), [true, true, true, false, false].map(Some));
    }

    #[test]
    fn names_are_those_of_rules_and_parameters() {
        for name in ["time", "stagnation-time", "set.stagnation", "ants", "set.on-device-lost", "preset", "threads"] {
            assert!(named(name).is_ok_and(|kept| kept == name.replace('-', "_")), "{name}");
        }
        let told = |name: &str| named(name).err().map(|error| error.words().to_owned()).unwrap_or_default();
        assert!(told("antz").contains("there is no parameter 'antz', and no such option"));
        assert!(told("set.time").contains("there is no parameter 'time'"));
        assert_eq!([told(""), told("set.")], ["the name of an option is empty"; 2]);
    }

    /// The header has all names of values, and the defaults.
    #[test]
    fn the_header_names_what_there_is() {
        let header = include_str!("../include/myrmex.h");
        let efforts = Effort::ALL.iter().map(|effort| effort.name());
        let lost = OnDeviceLost::ALL.iter().map(|lost| lost.name());
        for name in efforts.chain(lost).chain(Algorithm::NAMES.iter().copied()).chain(RULES) {
            assert!(header.contains(&format!("`{name}`")), "{name}");
        }
        let default = Settings::default();
        assert_eq!((default.seed, default.on_device_lost, default.effort), (1, OnDeviceLost::Stop, Effort::Auto));
    }
}
