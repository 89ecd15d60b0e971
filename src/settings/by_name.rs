//! Settings by names and values: for files, the command line, other languages.

use super::algorithm::either;
use super::parameter::Named;
use super::{Algorithm, Colonies, Effort, Execution, OnDeviceLost, Preset, Settings, Value};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;

impl Settings {
    /// Settings from names and values, the last one of a name counting: `algorithm` or `preset`, `seed`, `effort`,
    /// `on_device_lost`, and parameters of what runs on `problem`.
    ///
    /// # Errors
    /// [`Error::Config`] for names that mean nothing to the algorithm, and values that are none of their kind.
    pub fn from_pairs<'a>(problem: &Problem, pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Result<Self> {
        let pairs: Vec<(&str, Value)> = pairs.into_iter().collect();
        let is_base = |name: &str| matches!(name, "algorithm" | "preset");
        let settings = match pairs.iter().rev().find(|(name, _)| is_base(name)) {
            Some((name, value)) if *name == "preset" => Preset::find(&value.to_string())?.settings(problem.len()),
            Some((_, value)) => Self::named(&value.to_string())?,
            None => Self::default(),
        };
        let mut settings = settings.for_problem(problem);
        for (name, value) in pairs.iter().filter(|(name, _)| !is_base(name)) {
            settings.set(name, value)?;
        }
        Ok(settings)
    }

    /// The same with a parameter given by name, or `seed`, `effort` or `on_device_lost`, its value as text. A hyphen counts as an underscore.
    ///
    /// # Errors
    /// [`Error::Config`] when neither the algorithm nor the run has a parameter of this name, or the value is none of its kind. Ranges
    /// are checked by [`Settings::recipe`].
    pub fn with(mut self, name: &str, text: &str) -> Result<Self> {
        self.set(name, &Value::from_text(text))?;
        Ok(self)
    }

    /// The names that [`Settings::from_pairs`] takes beside those of parameters.
    pub const BESIDE: [&str; 5] = ["algorithm", "preset", "seed", "effort", "on_device_lost"];

    /// The parameters among names and values that [`Settings::from_pairs`] takes, as the `set` of reports tells them: of
    /// one that is given twice the last.
    ///
    /// ```
    /// use myrmex::{Settings, settings::Value};
    ///
    /// let word = |word: &str| Value::Word(word.into());
    /// let pairs = [("preset", word("as-fine")), ("strategy", word("coarse")), ("strategy", word("fine"))];
    /// assert_eq!(Settings::parameters_among(pairs), [("strategy".to_owned(), word("fine"))]);
    /// ```
    pub fn parameters_among<'a>(pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Vec<(String, Value)> {
        let mut set: Vec<(String, Value)> = Vec::new();
        for (name, value) in pairs {
            let name = name.replace('-', "_");
            if !Self::BESIDE.contains(&name.as_str()) {
                set.retain(|(known, _)| *known != name);
                set.push((name, value));
            }
        }
        set
    }

    /// Whether some algorithm, or all of them, have a parameter of this name, or [`Settings::BESIDE`] has it.
    pub fn is_known(name: &str) -> bool {
        let name = name.replace('-', "_");
        let of_all = Colonies::PARAMETERS.iter().chain(Execution::PARAMETERS);
        Self::BESIDE.contains(&name.as_str())
            || !Algorithm::owners(&name).is_empty()
            || of_all.into_iter().any(|known| known.name == name)
    }

    /// Sets what [`Settings::with`] gives.
    ///
    /// # Errors
    /// As [`Settings::with`].
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let name = name.replace('-', "_");
        if let Some(set) = self.set_beside(&name, value) {
            return set;
        }
        if let Some(set) = self.algorithm.set(&name, value) {
            return set;
        }
        let others: [&mut dyn Named; 2] = [&mut self.colonies, &mut self.execution];
        if let Some(set) = others.into_iter().find_map(|named| named.set(&name, value)) {
            return set.map_err(|expected| Error::Config(format!("{name}: {expected}")));
        }
        let algorithm = self.algorithm.name();
        let owners = Algorithm::owners(&name);
        Err(Error::Config(match owners.as_slice() {
            [] => match self.algorithm.parameters() {
                [] => format!("there is no parameter '{name}'; parameters are of an algorithm: choose one"),
                own => {
                    let names: Vec<&str> = own.iter().map(|known| known.name).collect();
                    format!("there is no parameter '{name}'; those of algorithm '{algorithm}' are {}", names.join(", "))
                }
            },
            owners => {
                format!("'{name}' means nothing to algorithm '{algorithm}'; leave it out, or choose {}", either(owners))
            }
        }))
    }

    /// Sets what is said beside parameters, if it is that.
    fn set_beside(&mut self, name: &str, value: &Value) -> Option<Result<()>> {
        let word = value.to_string();
        let expected = |what: &str| Error::Config(format!("{name}: expected {what}, not '{word}'"));
        Some(match name {
            "seed" => match value {
                Value::Whole(seed) => Ok(*seed),
                _ => Err(expected("a whole number from 0 up")),
            }
            .map(|seed| self.seed = seed),
            "effort" => {
                let known = Effort::ALL.iter().find(|effort| effort.name() == word);
                let known = known.ok_or_else(|| expected("one of auto, small, standard, large"));
                known.map(|effort| self.effort = *effort)
            }
            "on_device_lost" => OnDeviceLost::named(&word).map(|asked| self.on_device_lost = asked),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_and_effort_are_given_as_parameters_are() {
        let given = |name: &str, text: &str| Settings::default().with(name, text).map_err(|error| error.to_string());
        assert_eq!(given("seed", "9"), Ok(Settings { seed: 9, ..Settings::default() }));
        assert_eq!(given("effort", "small"), Ok(Settings { effort: Effort::Small, ..Settings::default() }));
        assert!(given("on-device-lost", "cpu").unwrap().on_device_lost == OnDeviceLost::Cpu);
        assert!(given("seed", "-1").unwrap_err().ends_with("seed: expected a whole number from 0 up, not '-1'"));
        assert!(given("effort", "huge").unwrap_err().contains("one of auto, small, standard, large, not 'huge'"));
        assert!(given("seeds", "1").unwrap_err().contains("there is no parameter 'seeds'"));
        for (name, known) in [("seeds", false), ("on-device-lost", true), ("ants", true), ("migration", true)] {
            assert_eq!(Settings::is_known(name), known, "{name}");
        }
    }
}
