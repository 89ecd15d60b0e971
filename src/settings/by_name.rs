//! Settings that are given by name.

use super::algorithm::either;
use super::parameter::Named;
use super::{Algorithm, Effort, OnDeviceLost, Settings, Value};
use crate::error::{Error, Result};

impl Settings {
    /// The same with a parameter given by name, or `seed`, `effort` or `on_device_lost`, its value as text. A hyphen counts as an underscore.
    ///
    /// # Errors
    /// [`Error::Config`] when neither the algorithm nor the run has a parameter of this name, or the value is none of its kind. Ranges
    /// are checked by [`Settings::recipe`].
    pub fn with(mut self, name: &str, text: &str) -> Result<Self> {
        self.set(name, &Value::from_text(text))?;
        Ok(self)
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
                let known = Effort::named(&word).ok_or_else(|| expected("one of auto, small, standard, large"));
                known.map(|effort| self.effort = effort)
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
