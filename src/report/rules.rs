//! The rules that a run was to end by, in its report.

use serde::Serialize;

use crate::run::Stop;

/// The rules that a run was to end by. A rule that is not set has no key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rules {
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Iterations of each colony.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// A cost, as devices count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// A length, in the unit of what was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// Iterations without a gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stagnation: Option<u32>,
    /// Seconds without a gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stagnation_time: Option<f64>,
    /// How often the phases come to their end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
}

impl From<&Stop> for Rules {
    fn from(stop: &Stop) -> Self {
        Self {
            time: stop.shortest_time().map(|time| time.as_secs_f64()),
            cost: stop.cost,
            iterations: stop.iterations,
            target: stop.target,
            stagnation: stop.stagnation,
            stagnation_time: stop.stagnation_time.map(|time| time.as_secs_f64()),
            rounds: stop.rounds,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_rule_is_told_under_its_name() {
        let seconds = Duration::from_millis;
        let stop = Stop::time(seconds(2500)).or(Stop::iterations(7)).or(Stop::target(12.5)).or(Stop::cost(12));
        let stop = stop.or(Stop::stagnation(3)).or(Stop::stagnation_time(seconds(500))).or(Stop::rounds(2));
        let told = serde_json::to_value(Rules::from(&stop)).unwrap();
        let all = serde_json::json!({
            "time": 2.5, "iterations": 7, "cost": 12, "target": 12.5, "stagnation": 3, "stagnation_time": 0.5, "rounds": 2
        });
        assert_eq!(told, all);
        // Of several times the shortest.
        let both = Stop::time(seconds(2500)).since(web_time::Instant::now()).or(Stop::time(seconds(500)));
        assert_eq!(Rules::from(&both).time, Some(0.5));
        assert_eq!(serde_json::to_value(Rules::from(&Stop::default())).unwrap(), serde_json::json!({}));
    }
}
