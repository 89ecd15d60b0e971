//! Settings that are given by name.

use super::algorithm::either;
use super::parameter::Named;
use super::{Algorithm, Effort, OnDeviceLost, Settings, Value};
use crate::algorithm::value::Kind;
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
        let refused = |message: String| Error::Config(format!("{name}: {message}"));
        let expected = |what: &str| refused(format!("expected {what}, not '{word}'"));
        Some(match name {
            "seed" => match value {
                Value::Whole(seed) => Ok(*seed),
                _ => Err(expected("a whole number from 0 up")),
            }
            .map(|seed| self.seed = seed),
            "effort" => Effort::from_value(value).map(|effort| self.effort = effort).map_err(refused),
            "on_device_lost" => {
                OnDeviceLost::from_value(value).map(|asked| self.on_device_lost = asked).map_err(refused)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::problem::Problem;
    use crate::instance::{qap, tsp};
    use crate::settings::Colonies;

    #[test]
    fn seed_and_effort_are_given_as_parameters_are() {
        let given = |name: &str, text: &str| Settings::default().with(name, text).map_err(|error| error.to_string());
        assert_eq!(given("seed", "9"), Ok(Settings { seed: 9, ..Settings::default() }));
        assert_eq!(given("effort", "small"), Ok(Settings { effort: Effort::Small, ..Settings::default() }));
        assert!(given("on-device-lost", "cpu").unwrap().on_device_lost == OnDeviceLost::Cpu);
        assert!(given("seed", "-1").unwrap_err().ends_with("seed: expected a whole number from 0 up, not '-1'"));
        let huge = given("effort", "huge").unwrap_err();
        assert_eq!(huge, "invalid configuration: effort: expected one of auto, small, standard, large, not 'huge'");
        assert!(given("seeds", "1").unwrap_err().contains("there is no parameter 'seeds'"));
        for (name, known) in [("seeds", false), ("on-device-lost", true), ("ants", true), ("migration", true)] {
            assert_eq!(Settings::is_known(name), known, "{name}");
        }
    }

    /// The ends of a range that its text tells, and whether values may reach them.
    fn ends(range: &str) -> Option<(f64, Option<f64>, bool)> {
        if let Some(ends) = range.strip_prefix("between ") {
            let (least, most) = ends.split_once(" and ")?;
            return Some((least.parse().ok()?, Some(most.parse().ok()?), false));
        }
        match range.strip_suffix(" up") {
            Some(least) => Some((least.parse().ok()?, None, true)),
            None => {
                let (least, most) = range.split_once(" to ")?;
                Some((least.parse().ok()?, Some(most.parse().ok()?), true))
            }
        }
    }

    /// Ranges that are told in other words; looked at below or where they are checked.
    const TOLD_OTHERWISE: &[&str] = &["block_walks", "candidates", "evaporation", "first_iterations"];

    /// What `myrmex parameters` and these docs say of a range is what is checked: values beyond its ends are refused by the parameter's name,
    /// and no check says that an end lies outside.
    #[test]
    fn ranges_are_what_is_checked() {
        let cities = Problem::from(tsp::generate(tsp::Kind::Uniform, 1000, 1).unwrap());
        let facilities = Problem::from(qap::generate(40, 1).unwrap());
        let (mut seen, mut told_otherwise) = (0, std::collections::BTreeSet::new());
        for algorithm in Algorithm::NAMES {
            let settings = Settings::named(algorithm).unwrap();
            let refused = |name: &str, value: f64| {
                let made = settings.with(name, &value.to_string());
                let problem = if settings.algorithm.is_for_assignments() { &facilities } else { &cities };
                made.and_then(|settings| settings.recipe(problem, Effort::Standard))
                    .err()
                    .map(|error| error.to_string())
            };
            for parameter in settings.algorithm.parameters().iter().chain(Colonies::PARAMETERS) {
                let Some((least, most, closed)) = ends(parameter.range) else {
                    let has_numbers =
                        parameter.range.contains(|c: char| c.is_ascii_digit()) && !parameter.range.contains("2opt");
                    if has_numbers || parameter.range.contains(" to ") {
                        told_otherwise.insert(parameter.name);
                    }
                    continue;
                };
                let of = |value: f64| (value, refused(parameter.name, value));
                let outside =
                    if closed { [least - 1.0, most.map_or(-1.0, |most| most + 1.0)] } else { [least, most.unwrap()] };
                for (value, message) in outside.map(of) {
                    let named = message.as_ref().is_some_and(|message| message.contains(parameter.name));
                    assert!(named, "{algorithm}: {} = {value} ({}): {message:?}", parameter.name, parameter.range);
                }
                for (value, message) in closed.then_some([least, most.unwrap_or(least)]).into_iter().flatten().map(of) {
                    let outside = message.filter(|message| message.contains(&format!("{} must", parameter.name)));
                    assert_eq!(outside, None, "{algorithm}: {} = {value} ({})", parameter.name, parameter.range);
                }
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
        assert_eq!(told_otherwise.into_iter().collect::<Vec<_>>(), TOLD_OTHERWISE);
        let refused = |algorithm: &str, given: &[(&str, &str)]| {
            let with = |settings: Settings, (name, text): &(&str, &str)| settings.with(name, text);
            let made = given.iter().try_fold(Settings::named(algorithm).unwrap(), with);
            made.and_then(|settings| settings.recipe(&cities, Effort::Standard)).err().map(|error| error.to_string())
        };
        assert!(
            refused("eax", &[("pair_walks", "3"), ("block_walks", "4")]).unwrap().contains("block_walks must be 3")
        );
        assert_eq!(refused("eax", &[("pair_walks", "3"), ("block_walks", "3")]), None);
        for (selection, lanes, fits) in
            [("wrs", "1", true), ("rwm", "1", false), ("rwm", "2", true), ("wrs", "3", false)]
        {
            let message = refused("mmas", &[("selection", selection), ("lanes", lanes)]);
            assert_eq!(message.is_none(), fits, "{selection}, {lanes}: {message:?}");
        }
    }
}
