//! What a plan has chosen, and why, in words.

use super::patch_order::PatchPlan;
use super::plan::Plan;
use crate::aco::config::{Algorithm, Config, LocalUpdate, Memory, Strategy, Tabu};
use crate::aco::focused::FocusedParams;

const ASKED: &str = "asked for";

/// Several colonies, and when they exchange their bests.
fn colonies(config: &Config) -> Vec<(&'static str, String, String)> {
    let Some(count) = config.colonies.filter(|count| *count > 1) else { return Vec::new() };
    let exchange = config.exchange_period().map_or("never".into(), |every| format!("every {every} iterations"));
    let reason = if config.exchange.is_some() { ASKED } else { "rare enough for colonies to differ" };
    vec![("colonies", count.to_string(), ASKED.into()), ("exchange", exchange, reason.into())]
}

impl Plan {
    /// Each choice with its reason, `config` being what was asked for.
    pub fn choices(&self, config: &Config) -> Vec<(&'static str, String, String)> {
        let system = &self.system;
        let why = |asked: bool, reason: &str| if asked { ASKED.to_owned() } else { reason.to_owned() };
        if let Some(exchanges) = system.exchanges {
            let mut choices = vec![
                ("algorithm", system.algorithm().to_string(), String::new()),
                ("ants", self.ants().to_string(), why(config.ants.is_some(), "by instance, the same on every device")),
                ("selection", system.selection.to_string(), String::new()),
                ("tabu", self.tabu.to_string(), why(config.tabu.is_some(), self.tabu_reason())),
                ("local search", system.local_search.to_string(), String::new()),
            ];
            if let Some(plan) = &self.exchange {
                let by_instance = "by how much flows and distances differ";
                let iterations = (config.tabu_iterations.is_some(), exchanges.iterations);
                choices.push(("iterations", iterations.1.to_string(), why(iterations.0, by_instance)));
                let tenure = (config.tabu_tenure.is_some(), exchanges.tenure);
                choices.push(("tenure", tenure.1.to_string(), why(tenure.0, by_instance)));
                let assignment = why(config.assignment.is_some(), "every exchange takes constant time");
                choices.push(("assignment", plan.assignment.to_string(), assignment));
                choices.push(("lanes", plan.lanes.to_string(), why(config.lanes.is_some(), self.lanes_reason())));
                let place = if plan.in_workgroup { "workgroup memory" } else { "storage" };
                choices.push(("table in", place.into(), "the fastest memory that holds it".into()));
            }
            choices.extend(colonies(config));
            return choices;
        }
        if let Some(patch) = &self.patch {
            return self.patch_choices(patch, config);
        }
        let mut choices = vec![
            ("algorithm", system.algorithm().to_string(), String::new()),
            (
                "ants",
                self.ants().to_string(),
                why(config.ants.is_some(), "by local search and instance, the same on every device"),
            ),
            (
                "candidates",
                if system.full { "all".into() } else { system.candidates.to_string() },
                why(config.candidates.is_some(), "the nearest neighbours hold nearly every edge of a good tour"),
            ),
            (
                "memory",
                system.memory.to_string(),
                why(
                    config.memory.is_some(),
                    match (system.memory, system.algorithm()) {
                        (Memory::Candidates, _) => "ants weigh candidate edges alone",
                        (_, Algorithm::Mmas) => "ants weigh every edge",
                        _ => "ants leave their mark on every edge they walk",
                    },
                ),
            ),
            ("selection", system.selection.to_string(), String::new()),
            ("local search", system.local_search.to_string(), String::new()),
            ("strategy", self.strategy.to_string(), why(config.strategy.is_some(), self.strategy_reason())),
            ("tabu", self.tabu.to_string(), why(config.tabu.is_some(), self.tabu_reason())),
            ("lanes", self.construct_lanes.to_string(), why(config.lanes.is_some(), self.lanes_reason())),
        ];
        if system.quadrants > 0 {
            choices.push(("quadrants", system.quadrants.to_string(), ASKED.into()));
        }
        if system.focus > 0 {
            choices.push(("focus", system.focus.to_string(), why(config.focus.is_some(), "")));
        }
        if system.local_update != LocalUpdate::None {
            let reason = why(config.local_update.is_some(), "all devices give the same tours");
            choices.push(("local update", system.local_update.to_string(), reason));
        }
        if self.walks_neighbours() {
            let memory = format!("{:?}", self.search_memory);
            choices.push(("search in", memory, "the fastest memory that holds enough tours".into()));
        }
        choices.extend(colonies(config));
        choices
    }

    fn patch_choices(&self, patch: &PatchPlan, config: &Config) -> Vec<(&'static str, String, String)> {
        let why = |asked: bool, reason: &str| if asked { ASKED.to_owned() } else { reason.to_owned() };
        let defaults = FocusedParams::for_cities(self.cities);
        let given =
            |value: fn(&FocusedParams) -> u32| config.focused.is_some_and(|own| value(&own) != value(&defaults));
        let (distances, exact) = match patch.rounding {
            Some(_) => ("coordinates", "they are whole numbers, or thousandths: no matrix is needed"),
            None => ("matrix", "coordinates are not whole, or there are none"),
        };
        let first = match patch.early {
            0 => ("greedy edges", "patches are few: a short first tour counts for more than gains that go together"),
            _ => ("space-filling", "patches are many: along this tour all gains go together"),
        };
        let mut choices = vec![
            ("algorithm", self.system.algorithm().to_string(), String::new()),
            (
                "ants",
                self.ants().to_string(),
                why(
                    config.ants.is_some(),
                    "64 to open a run, else one for 200 cities, where patches stay alone for 250",
                ),
            ),
            (
                "patch",
                patch.cities.to_string(),
                why(given(|own| own.patch), "cities that workgroup memory holds several times"),
            ),
            ("steps", patch.steps.to_string(), why(given(|own| own.steps), "long enough to pay for splicing")),
            ("reach", patch.reach.to_string(), why(given(|own| own.reach), "kicks that a search can mend")),
            ("stretch", patch.stretch.to_string(), why(given(|own| own.stretch), "far enough to lead to another tour")),
            ("neighbours", patch.neighbours.to_string(), "they hold nearly every edge of a good tour".into()),
            ("distances", distances.into(), exact.into()),
            ("first tour", first.0.into(), first.1.into()),
            ("lanes", patch.lanes.to_string(), self.lanes_reason().into()),
        ];
        if self.system.quadrants > 0 {
            choices.push(("quadrants", self.system.quadrants.to_string(), ASKED.into()));
        }
        choices
    }

    fn strategy_reason(&self) -> &'static str {
        match (self.unbounded_calls, self.strategy) {
            (true, _) => "threads share the ants, whatever the strategy",
            (_, Strategy::Coarse) => "invocations are few, and wait for each other at a price",
            (_, Strategy::Fine) => "ants are fewer than invocations, and a row is read by neighbouring lanes",
        }
    }

    fn tabu_reason(&self) -> &'static str {
        match (self.unbounded_calls, self.tabu) {
            (true, _) => "one way of keeping visited cities serves all on the CPU",
            (_, Tabu::Bt) if !self.system.full => "candidate lists ask for single cities: the smallest memory wins",
            (_, Tabu::Bt) => "the smallest memory, and four cities at a time are judged by their bits",
            _ => "whole rows are weighed: a list of unvisited cities halves the work",
        }
    }

    fn lanes_reason(&self) -> &'static str {
        match (self.unbounded_calls, self.system.full) {
            (true, _) => "has no meaning on the CPU",
            (_, true) => "more lanes for longer rows",
            (_, false) => "one candidate list at a time",
        }
    }
}
