//! What a plan has chosen for the device, and why, in words.

use crate::algorithm::choices::{Strategy, Visited};
use crate::algorithm::construct::Rule;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, TablePlace, WindowsPlan};

/// A choice that depends on the device. None changes a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// What is chosen, by the name of a parameter where it is one.
    pub name: &'static str,
    /// The choice.
    pub value: String,
    /// Why: that it was asked for, or what speaks for it.
    pub reason: &'static str,
}

impl Choice {
    fn new(name: &'static str, value: impl ToString, reason: &'static str) -> Self {
        Self { name, value: value.to_string(), reason }
    }
}

const ASKED: &str = "asked for";

fn why(asked: bool, reason: &'static str) -> &'static str {
    if asked { ASKED } else { reason }
}

impl Plan {
    /// Each choice that depends on the device, with its reason. None of them changes a result.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Construct(plan) => plan.choices(),
            Self::Windows(plan) => plan.choices(),
            Self::Chained(plan) => plan.choices(),
            Self::Eax(plan) => plan.choices(),
        }
    }
}

const COORDINATES: &str = "they are whole numbers, thousandths, or places in space: no matrix is needed";
const MATRIX: &str = "coordinates are not whole, there are few or none, or a kernel of this phase needs it";
const LISTS: &str = "a table of where they lie in each order does not fit";
const LANES: &str = "as many as a search of this kind keeps busy";

/// Where distances come from.
fn distances(from_coordinates: bool) -> Choice {
    match from_coordinates {
        true => Choice::new("distances", "coordinates", COORDINATES),
        false => Choice::new("distances", "matrix", MATRIX),
    }
}

impl WindowsPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if self.window.listed {
            choices.push(Choice::new("neighbours", "lists", LISTS));
        }
        if !self.unbounded_calls {
            choices.push(Choice::new("lanes", self.window.lanes, LANES));
        }
        choices
    }
}

impl ChainedPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if !self.unbounded_calls {
            choices.push(Choice::new("lanes", self.lanes, LANES));
        }
        choices
    }
}

impl EaxPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if !self.unbounded_calls {
            choices.push(Choice::new("lanes", self.recombine.lanes, LANES));
        }
        choices
    }
}

impl ConstructPlan {
    fn choices(&self) -> Vec<Choice> {
        let run = &self.system.run;
        let mut choices = Vec::new();
        if !self.is_assignment() {
            choices.push(distances(self.rounding.is_some()));
        }
        if self.unbounded_calls {
            // On the CPU threads share the ants, and there is one form of visited set.
            return choices;
        }
        if self.memetic().is_none() {
            choices.extend([
                Choice::new("strategy", self.strategy, why(run.strategy.is_some(), self.strategy_reason())),
                Choice::new("visited", self.visited, why(run.visited.is_some(), self.visited_reason())),
            ]);
        }
        if let Some(exchange) = &self.exchange {
            let evaluation = why(run.move_evaluation.is_some(), "every move takes constant time");
            choices.push(Choice::new("move_evaluation", exchange.evaluation, evaluation));
            choices.push(Choice::new("lanes", exchange.lanes, why(run.lanes.is_some(), LANES)));
            let place = match exchange.table {
                TablePlace::Workgroup => "workgroup memory",
                TablePlace::Registers => "registers",
                TablePlace::Storage => "storage",
            };
            choices.push(Choice::new("delta_table", place, "the fastest memory that holds it"));
            return choices;
        }
        match self.system.rule {
            Rule::As(_) => {
                choices.push(Choice::new("deposit", self.system.deposit, "how the amounts of ants are summed"))
            }
            Rule::Mmas(_) => {
                choices.push(Choice::new(
                    "trail_update",
                    self.system.trail_update,
                    "evaporation and deposit at once, or in turn",
                ));
            }
            _ => {}
        }
        if !self.is_assignment() {
            choices.push(Choice::new("best_on", self.system.best_on, "where the best ant is looked for"));
        }
        let lanes = if self.system.full { "more lanes for longer rows" } else { "one candidate list at a time" };
        choices.push(Choice::new("lanes", self.construct_lanes, why(run.lanes.is_some(), lanes)));
        if self.walks_neighbours() {
            let memory = self.search_memory.name();
            choices.push(Choice::new("search_memory", memory, "the fastest memory that holds enough tours"));
        }
        choices
    }

    fn strategy_reason(&self) -> &'static str {
        match self.strategy {
            Strategy::Coarse => "invocations are few, and wait for each other at a price",
            Strategy::Fine => "ants are fewer than invocations, and a row is read by neighbouring lanes",
        }
    }

    fn visited_reason(&self) -> &'static str {
        match self.visited {
            Visited::Bt if !self.system.full => "candidate lists ask for single cities: the smallest memory wins",
            Visited::Bt => "the smallest memory, and four cities at a time are judged by their bits",
            _ => "whole rows are weighed: a list of unvisited cities halves the work",
        }
    }
}
