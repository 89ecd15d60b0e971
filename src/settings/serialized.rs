//! Settings as names and values in formats of serde that describe themselves, as JSON and TOML do: `algorithm`, `seed`, `effort`, `on_device_lost` and the parameters that are given.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Settings, Value};

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("algorithm", self.algorithm.name())?;
        map.serialize_entry("seed", &self.seed)?;
        map.serialize_entry("effort", self.effort.name())?;
        map.serialize_entry("on_device_lost", self.on_device_lost.name())?;
        for (name, value) in self.given() {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let algorithm = values.remove("algorithm").map_or_else(|| "auto".into(), |name| name.to_string());
        let mut settings = Self::named(&algorithm).map_err(D::Error::custom)?;
        for (name, value) in values {
            settings.set(&name, &value).map_err(D::Error::custom)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Colonies, MaxMin, OnDeviceLost, Settings};

    #[test]
    fn settings_survive_both_ways() {
        let typed = Settings {
            seed: u64::MAX,
            colonies: Colonies { colonies: Some(3), ..Colonies::default() },
            on_device_lost: OnDeviceLost::Cpu,
            ..Settings::of(MaxMin { ants: Some(64), evaporation: Some(0.25), ..MaxMin::default() })
        };
        for settings in [typed, Settings::default(), Settings::named("eax").unwrap().with("population", "12").unwrap()]
        {
            let text = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings, "{text}");
        }
        let message = |text: &str| serde_json::from_str::<Settings>(text).unwrap_err().to_string();
        assert!(message(r#"{"algorithm": "lk", "alpha": 2}"#).contains("means nothing to algorithm 'lk'"));
        assert!(message(r#"{"seed": -1}"#).contains("seed"));
        assert!(message(r#"{"algorithm": "x"}"#).contains("no algorithm 'x'"));
        assert!(message(r#"{"on_device_lost": "wait"}"#).contains("stop, cpu"));
        assert!(message(r#"{"effort": "huge"}"#).contains("auto, small, standard, large"));
    }
}
