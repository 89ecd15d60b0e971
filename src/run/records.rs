//! Records of the phases that ran.

use serde::{Deserialize, Serialize};

use super::checkpoint::RecordState;
use super::phases::Position;
use crate::algorithm::value::{Value, as_object};
use crate::settings::{Begins, Recipe};

/// So many first records are kept, and as many last ones: small problems come through a hundred phases a second.
const KEPT: usize = 250;

/// Why a phase ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PhaseEnded {
    /// It made all its iterations.
    Iterations,
    /// It gained too little.
    Stagnation,
    /// The run ended, or is still going on.
    Run,
    /// The device failed; the run went on on the CPU.
    DeviceLost,
}

/// A phase that ran, or runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRecord {
    /// What ran, by the name of an algorithm.
    pub algorithm: &'static str,
    /// Its parameters.
    #[serde(serialize_with = "as_object")]
    pub parameters: Vec<(&'static str, Value)>,
    /// How it ran on the device, which changes no result: what was asked for, and what the device was given beside that. Not known of phases
    /// that ended before a run was resumed.
    #[serde(serialize_with = "as_object", skip_serializing_if = "Vec::is_empty")]
    pub execution: Vec<(&'static str, Value)>,
    /// Ants, windows, units or individuals.
    pub population: usize,
    /// How often the phases had begun again.
    pub round: u32,
    /// Where its first solutions came from.
    pub begins: Begins,
    /// Iterations that it made.
    pub iterations: u32,
    /// Seconds that it took, set-up of its buffers included.
    pub seconds: f64,
    /// Cost of the best solution that it began with.
    pub cost_begin: u64,
    /// Cost of the best solution that it had at its end.
    pub cost_end: u64,
    /// Why it ended.
    pub ended: PhaseEnded,
    #[serde(skip)]
    pub(super) first_iteration: u32,
    #[serde(skip)]
    pub(super) first_second: f64,
    /// Where in the recipe it is, and how often the population had been halved.
    #[serde(skip)]
    at: Position,
    #[serde(skip)]
    halvings: u32,
}

/// Adds a record; of very many the first and the last are kept, and `left_out` counts those between.
pub(super) fn add(records: &mut Vec<PhaseRecord>, left_out: &mut u32, record: PhaseRecord) {
    records.push(record);
    if records.len() > 2 * KEPT {
        records.remove(KEPT);
        *left_out += 1;
    }
}

impl PhaseRecord {
    /// That of a phase of `recipe`, whose population is halved already, for so many cities or facilities.
    pub(super) fn of(recipe: &Recipe, size: usize, state: &RecordState) -> Self {
        let phase = recipe.phase(state.at.index, state.at.round);
        let &RecordState {
            at,
            halvings,
            iterations,
            seconds,
            cost_begin,
            cost_end,
            ended,
            first_iteration,
            first_second,
            given,
        } = state;
        let mut parameters = phase.system.parameters(size);
        let in_windows = recipe.restart.is_some_and(|restart| at.index >= restart.from_phase);
        parameters.extend(recipe.of_windows().filter(|_| in_windows));
        Self {
            algorithm: phase.system.name(),
            parameters,
            execution: Vec::new(),
            population: phase.system.units(),
            round: at.round,
            begins: if given { Begins::Given } else { phase.begins },
            iterations,
            seconds,
            cost_begin,
            cost_end,
            ended,
            first_iteration,
            first_second,
            at,
            halvings,
        }
    }

    /// That of a phase which begins now, in an iteration and at a second of the run.
    pub(super) fn begun(
        recipe: &Recipe,
        size: usize,
        (at, halvings): (Position, u32),
        cost: u64,
        (iteration, second): (u32, f64),
    ) -> Self {
        let state = RecordState {
            at,
            halvings,
            iterations: 0,
            seconds: 0.0,
            cost_begin: cost,
            cost_end: cost,
            ended: PhaseEnded::Run,
            first_iteration: iteration,
            first_second: second,
            given: false,
        };
        Self::of(recipe, size, &state)
    }

    /// Takes note of how far the phase has come.
    pub(super) fn complete(&mut self, ended: PhaseEnded, cost: u64, (iteration, second): (u32, f64)) {
        self.iterations = iteration - self.first_iteration;
        self.seconds = second - self.first_second;
        (self.cost_end, self.ended) = (cost, ended);
    }

    /// What does not follow from the recipe.
    pub(super) fn state(&self) -> RecordState {
        let &Self {
            at, halvings, iterations, seconds, cost_begin, cost_end, ended, first_iteration, first_second, ..
        } = self;
        let given = self.begins == Begins::Given;
        RecordState {
            at,
            halvings,
            iterations,
            seconds,
            cost_begin,
            cost_end,
            ended,
            first_iteration,
            first_second,
            given,
        }
    }
}
