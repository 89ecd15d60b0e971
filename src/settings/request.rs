//! What a person asks for by names and values: on the command line, in a file, in another language.

use super::{Algorithm, Colonies, Execution, Preset, Settings, Value};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;

/// Names and values: `algorithm` or `preset`, `seed`, `effort`, `on_device_lost`, and parameters of the algorithm. A hyphen in a name counts as an
/// underscore.
///
/// ```
/// use myrmex::settings::{Request, Value};
/// use myrmex::{Problem, tsp};
///
/// let problem = Problem::from(tsp::generate(tsp::Kind::Uniform, 50, 1)?);
/// let file = Request::of([("preset", Value::from_text("as-fine")), ("seed", Value::Whole(3))])?;
/// let line = Request::of([("algorithm", Value::from_text("acs"))])?;
/// let settings = line.or(file).settings(&problem)?;
/// assert_eq!((settings.algorithm.name(), settings.seed), ("acs", 3));
/// # Ok::<(), myrmex::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pairs: Vec<(String, Value)>,
}

/// The names beside those of parameters.
const BESIDE: [&str; 5] = ["algorithm", "preset", "seed", "effort", "on_device_lost"];

/// Whether a name says what runs, with which parameters come.
fn is_base(name: &str) -> bool {
    matches!(name, "algorithm" | "preset")
}

impl Request {
    /// The names that it takes beside those of parameters.
    pub const BESIDE: &'static [&'static str] = &BESIDE;

    /// What `pairs` ask for.
    ///
    /// # Errors
    /// [`Error::Config`] where a name stands twice, or both an algorithm and a preset are named.
    pub fn of<N: AsRef<str>>(pairs: impl IntoIterator<Item = (N, Value)>) -> Result<Self> {
        let mut asked = Self::default();
        for (name, value) in pairs {
            let name = name.as_ref().replace('-', "_");
            if let Some(before) = asked.value(&name) {
                return Err(Error::Config(format!(
                    "{name}: it is given twice, as '{before}' and as '{value}'; leave one out"
                )));
            }
            if is_base(&name) && asked.base().is_some() {
                return Err(Error::Config(
                    "a preset names an algorithm, too: leave 'algorithm' or 'preset' out".to_owned(),
                ));
            }
            asked.pairs.push((name, value));
        }
        Ok(asked)
    }

    /// The same, and of `others` what this one leaves open: their algorithm or preset where it names neither.
    #[must_use]
    pub fn or(mut self, others: Self) -> Self {
        let is_open = |(name, _): &(String, Value)| match is_base(name) {
            true => self.base().is_none(),
            false => self.value(name).is_none(),
        };
        let open: Vec<_> = others.pairs.into_iter().filter(is_open).collect();
        self.pairs.splice(0..0, open);
        self
    }

    /// The value that was given under a name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// All names and values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The name and the value that say what runs.
    fn base(&self) -> Option<(&str, &Value)> {
        self.pairs().find(|(name, _)| is_base(name))
    }

    /// The settings for a problem.
    ///
    /// # Errors
    /// [`Error::Config`] for names that mean nothing to the algorithm, values that are none of their kind, and a preset for problems of another kind. Ranges are checked by
    /// [`Settings::recipe`].
    pub fn settings(&self, problem: &Problem) -> Result<Settings> {
        let settings = match self.base() {
            Some(("preset", name)) => Preset::find(&name.to_string())?.for_problem(problem)?,
            Some((_, name)) => Settings::named(&name.to_string())?,
            None => Settings::default(),
        };
        let mut settings = settings.for_problem(problem);
        self.pairs().filter(|(name, _)| !is_base(name)).try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// What reports tell of it, where `settings` follow from it.
    pub fn asked_for(&self, settings: &Settings) -> AskedFor {
        let algorithm = match self.base() {
            Some(("preset", _)) => settings.algorithm.name().to_owned(),
            Some((_, name)) => name.to_string(),
            None => Algorithm::Auto.name().to_owned(),
        };
        let is_parameter = |(name, _): &&(String, Value)| !BESIDE.contains(&name.as_str());
        AskedFor {
            algorithm,
            preset: self.value("preset").map(Value::to_string),
            set: self.pairs.iter().filter(is_parameter).cloned().collect(),
        }
    }
}

/// What reports tell of what a person asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AskedFor {
    /// The algorithm's name, that of a preset's, or `auto`.
    pub algorithm: String,
    /// The preset.
    pub preset: Option<String>,
    /// The parameters: all that was asked for beside algorithm or preset, seed, effort and what happens when the device fails.
    pub set: Vec<(String, Value)>,
}

impl AskedFor {
    /// That of a run which goes on with `settings`, of which is not known how they were asked for.
    pub fn resumed(settings: &Settings) -> Self {
        Self { algorithm: settings.algorithm.name().to_owned(), preset: None, set: Vec::new() }
    }
}

impl Settings {
    /// Whether some algorithm, or all of them, have a parameter of this name, or [`Request::BESIDE`] has it.
    pub fn is_known(name: &str) -> bool {
        let name = name.replace('-', "_");
        let of_all = Colonies::PARAMETERS.iter().chain(Execution::PARAMETERS);
        BESIDE.contains(&name.as_str())
            || !Algorithm::owners(&name).is_empty()
            || of_all.into_iter().any(|known| known.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tsp::{Kind, generate};

    fn asked(pairs: &[(&str, &str)]) -> Result<Request> {
        Request::of(pairs.iter().map(|&(name, text)| (name, Value::from_text(text))))
    }

    #[test]
    fn what_is_given_twice_is_refused() {
        let message = |pairs: &[(&str, &str)]| asked(pairs).unwrap_err().to_string();
        assert!(message(&[("seed", "1"), ("seed", "2")]).contains("seed: it is given twice, as '1' and as '2'"));
        assert!(message(&[("on-device-lost", "cpu"), ("on_device_lost", "stop")]).contains("given twice"));
        assert!(message(&[("algorithm", "lk"), ("algorithm", "eax")]).contains("given twice"));
        assert!(message(&[("algorithm", "eax"), ("preset", "as-fine")]).contains("leave 'algorithm' or 'preset' out"));
    }

    #[test]
    fn a_request_fills_what_another_leaves_open() {
        let problem = Problem::from(generate(Kind::Uniform, 40, 1).unwrap());
        let file = asked(&[("preset", "as-fine"), ("seed", "5"), ("ants", "7")]).unwrap();
        let settings = |asked: &Request| asked.settings(&problem).unwrap();
        let line = asked(&[("seed", "6")]).unwrap().or(file.clone());
        let both = settings(&line);
        assert_eq!((both.seed, both.algorithm.name()), (6, settings(&file).algorithm.name()));
        let told = line.asked_for(&both);
        assert_eq!((told.algorithm.as_str(), told.preset.as_deref()), (both.algorithm.name(), Some("as-fine")));
        assert_eq!(told.set, [("ants".to_owned(), Value::Whole(7))]);
        let other = asked(&[("algorithm", "acs")]).unwrap().or(file);
        let told = other.asked_for(&settings(&other));
        assert_eq!((told.algorithm.as_str(), told.preset), ("acs", None));
        assert_eq!(settings(&other).seed, 5);
        let none = Request::default();
        assert_eq!(
            none.asked_for(&settings(&none)),
            AskedFor { algorithm: "auto".to_owned(), preset: None, set: Vec::new() }
        );
    }
}
