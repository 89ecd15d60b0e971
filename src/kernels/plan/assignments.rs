//! The plan of a search of assignments.

use serde::Serialize;

use crate::algorithm::choices::MoveEvaluation;

/// How a device searches assignments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExchangePlan {
    /// How exchanges are shared among invocations.
    pub evaluation: MoveEvaluation,
    /// Whether the table lies in workgroup memory.
    pub in_workgroup: bool,
    /// Whether neither flows nor distances are symmetric.
    pub asymmetric: bool,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Those of them for exchanges of constant time, with [`MoveEvaluation::Mata`].
    pub quick_lanes: u32,
    /// Exchanges of consecutive numbers that an invocation updates, with [`MoveEvaluation::Mata`] and [`MoveEvaluation::NonMata`].
    pub share: u32,
    /// What an ant's search keeps.
    #[serde(skip)]
    pub layout: MemoryLayout,
}

/// What the search of an assignment keeps, in words; `shaders/qap/memory.wgsl` tells the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Where the tabus begin, behind the present locations.
    pub tabu: usize,
    /// Where the exchanges' tabus begin.
    pub barred: usize,
    /// Where the table begins.
    pub table: usize,
    /// Words of a row of the table of products: odd, so that columns do not share memory banks.
    pub pitch: usize,
    /// All words of an ant.
    pub words: usize,
}
