//! What a plan has chosen for the device, and why, in words.

use crate::algorithm::choices::{MoveEvaluation, Strategy, Visited};
use crate::algorithm::construct::Rule;
use crate::kernels::plan::{ChainedPlan, ConstructPlan, EaxPlan, Plan, WindowsPlan};

/// A choice: what, which, why.
pub type Choice = (&'static str, String, &'static str);

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
        true => ("distances", "coordinates".into(), COORDINATES),
        false => ("distances", "matrix".into(), MATRIX),
    }
}

impl WindowsPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if self.window.listed {
            choices.push(("neighbours", "lists".into(), LISTS));
        }
        if !self.unbounded_calls {
            choices.push(("lanes", self.window.lanes.to_string(), LANES));
        }
        choices
    }
}

impl ChainedPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if !self.unbounded_calls {
            choices.push(("lanes", self.lanes.to_string(), LANES));
        }
        choices
    }
}

impl EaxPlan {
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![distances(self.rounding.is_some())];
        if !self.unbounded_calls {
            choices.push(("lanes", self.recombine.lanes.to_string(), LANES));
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
                ("strategy", self.strategy.to_string(), why(run.strategy.is_some(), self.strategy_reason())),
                ("visited", self.visited.to_string(), why(run.visited.is_some(), self.visited_reason())),
            ]);
        }
        if let Some(exchange) = &self.exchange {
            let evaluation = why(run.move_evaluation.is_some(), "every move takes constant time");
            choices.push(("move_evaluation", exchange.evaluation.to_string(), evaluation));
            choices.push(("lanes", exchange.lanes.to_string(), why(run.lanes.is_some(), LANES)));
            let place = match (exchange.table_at_hand, exchange.evaluation) {
                (false, _) => "storage",
                (true, MoveEvaluation::Products) => "registers",
                (true, _) => "workgroup memory",
            };
            choices.push(("delta_table", place.into(), "the fastest memory that holds it"));
            return choices;
        }
        match self.system.rule {
            Rule::As(_) => {
                choices.push(("deposit", self.system.deposit.to_string(), "how the amounts of ants are summed"))
            }
            Rule::Mmas(_) => {
                choices.push((
                    "trail_update",
                    self.system.trail_update.to_string(),
                    "evaporation and deposit at once, or in turn",
                ));
            }
            _ => {}
        }
        if !self.is_assignment() {
            choices.push(("best_on", self.system.best_on.to_string(), "where the best ant is looked for"));
        }
        let lanes = if self.system.full { "more lanes for longer rows" } else { "one candidate list at a time" };
        choices.push(("lanes", self.construct_lanes.to_string(), why(run.lanes.is_some(), lanes)));
        if self.walks_neighbours() {
            let memory = self.search_memory.name();
            choices.push(("search_memory", memory.to_owned(), "the fastest memory that holds enough tours"));
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
