//! The plan of a search of assignments.

use serde::Serialize;

use crate::algorithm::choices::MoveEvaluation;

/// How a device searches assignments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExchangePlan {
    /// How exchanges are shared among invocations.
    pub evaluation: MoveEvaluation,
    /// Where the table of changes lies, or that of products.
    pub table: TablePlace,
    /// Whether neither flows nor distances are symmetric.
    pub asymmetric: bool,
    /// So many of the last facilities stand for empty locations: two of them are never exchanged.
    #[serde(skip)]
    pub empty: usize,
    /// Whether some of the others may stand for each other.
    #[serde(skip)]
    pub alike: bool,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Lanes of a subgroup, where they find minima together.
    pub subgroup: Option<u32>,
    /// Those of them for exchanges of constant time, with [`MoveEvaluation::Mata`].
    pub quick_lanes: u32,
    /// Exchanges of consecutive numbers that an invocation updates, with [`MoveEvaluation::Mata`] and [`MoveEvaluation::NonMata`].
    pub share: u32,
    /// The device's processors, if it tells how many it has.
    #[serde(skip)]
    pub processors: Option<u32>,
    /// How invocations divide exchanges, with [`MoveEvaluation::Products`].
    pub columns: Columns,
    /// What an ant's search keeps.
    #[serde(skip)]
    pub layout: MemoryLayout,
}

/// Where the table that changes of cost come from lies, the fastest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum TablePlace {
    /// In workgroup memory.
    #[serde(rename = "workgroup memory")]
    Workgroup,
    /// In registers: of products alone.
    #[serde(rename = "registers")]
    Registers,
    /// In storage.
    #[serde(rename = "storage")]
    Storage,
}

/// How invocations divide the exchanges of n facilities on a circle; `shaders/qap/changes_products.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// Columns of an invocation: more than one where there are fewer invocations than facilities.
    pub columns: u32,
    /// Invocations of a column.
    pub groups: u32,
    /// Chunks that an invocation has of a column.
    pub chunks: u32,
    /// Exchanges of a chunk.
    pub each: u32,
    /// What an invocation has of the table: fours of entries in workgroup memory, else entries of its columns.
    pub rows: u32,
}

/// What the search of an assignment keeps, in words; `shaders/qap/memory.wgsl` tells the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Where the tabus begin, behind the present locations.
    pub tabu: usize,
    /// Where the exchanges' tabus begin; the table of products needs none.
    pub barred: usize,
    /// Where the table begins.
    pub table: usize,
    /// Words of the table.
    pub table_words: usize,
    /// Words of a row of the table of products in storage: an odd number.
    pub pitch: usize,
    /// All words of an ant, what invocations keep of their exchanges included.
    pub words: usize,
}
