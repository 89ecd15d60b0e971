//! 2-opt, 2.5-opt, 2-opt with Or-opt and node insertion with neighbour lists and don't-look bits: `shaders/tsp/two_opt.wgsl`. The
//! twin is in `twin`, its segments in `segments`.

use bytemuck::{Pod, Zeroable};
use serde::Serialize;

use super::compose::compose;
use super::plan::Plan;
use super::{Buffer, Buffers, KernelError, dispatches_for};
use crate::aco::config::LocalSearch;
use crate::backend::{Access, BufferId, KernelSpec};

mod segments;
mod twin;

/// The kernel's name.
pub const NAME: &str = "two_opt";

/// Workgroup memory beside the tour and the queue: moves, flags, the queue's end, gains.
const FIXED_BYTES: u32 = 64 * 16 + 32 + 64 * 8;

/// Cities evaluated in a round, in two directions each.
pub(crate) const ENTRIES: u32 = 64;

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub cities: u32,
    pub pairs: u32,
    pub words: u32,
    pub budget: u32,
    pub max_rounds: u32,
    pub max_moves: u32,
    pub directed: u32,
    pub padding: u32,
}

/// Where tour and work queue lie during a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMemory {
    /// Both in workgroup memory: 6 bytes a city.
    Workgroup,
    /// The tour in workgroup memory, 4 bytes a city, the queue in storage.
    QueueInStorage,
    /// Both in storage.
    Storage,
}

impl SearchMemory {
    /// The fastest that a workgroup with `bytes` of memory can hold.
    ///
    /// With `crowded`, workgroups share a processor's memory. On an H200, where Vulkan has 48 KiB of it, a queue in storage pays
    /// somewhere between the tours of pr2392, of which three fit with it, and of fl3795 (`docs/kernels.md`).
    pub fn choose(cities: usize, bytes: u32, crowded: bool) -> Self {
        /// The most bytes of a workgroup whose queue is in its memory.
        const CROWDED: u32 = 19 << 10;
        let fits = |memory: Self, limit| memory.workgroup_bytes(cities) <= limit;
        match () {
            () if fits(Self::Workgroup, if crowded { bytes.min(CROWDED) } else { bytes }) => Self::Workgroup,
            () if fits(Self::QueueInStorage, bytes) => Self::QueueInStorage,
            () => Self::Storage,
        }
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(self, cities: usize) -> u32 {
        let words = match self {
            Self::Workgroup => cities + cities.div_ceil(2),
            Self::QueueInStorage => cities,
            Self::Storage => 0,
        };
        ((words + cities.div_ceil(32)) * 4) as u32 + FIXED_BYTES
    }

    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Workgroup => &[],
            Self::QueueInStorage => &["QUEUE_IN_STORAGE"],
            Self::Storage => &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"],
        }
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &Plan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        pairs: plan.neighbour_pairs() as u32,
        words: plan.words() as u32,
        budget: plan.loop_budget,
        max_rounds: max_rounds(plan),
        max_moves: max_moves(plan),
        directed: u32::from(plan.system.directed),
        padding: 0,
    };
    let (bindings, constants) = on_array_tour(plan, buffers);
    let mut flags = plan.search_memory.flags().to_vec();
    flags.extend(match plan.system.local_search {
        LocalSearch::TwoHalfOpt => ["INSERTS", "TWO_HALF_OPT"].as_slice(),
        LocalSearch::Insertion => &["INSERTS", "INSERTION"],
        LocalSearch::OrOpt => &["INSERTS", "OR_OPT"],
        _ => &[],
    });
    // Entries of two lanes and more; lanes come in multiples of the entries then.
    if plan.search_lanes > ENTRIES {
        flags.push("SPLIT");
    }
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/two_opt", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: plan.search_memory.workgroup_bytes(plan.cities),
        units_per_workgroup: 1,
        twin: twin::of(plan.system.local_search),
    })
}

type Bindings = Vec<(BufferId, Access)>;
type Constants = Vec<(&'static str, u32)>;

/// Bindings and constants of a search that stands on `shaders/tsp/array_tour.wgsl`.
pub(super) fn on_array_tour(plan: &Plan, buffers: &Buffers) -> (Bindings, Constants) {
    let mut bindings = vec![
        (buffers.get(Buffer::Neighbours), Access::Read),
        (buffers.get(Buffer::Distances), Access::Read),
        (buffers.get(Buffer::State), Access::Read),
        (buffers.get(Buffer::Progress), Access::Write),
        (buffers.get(Buffer::Queues), Access::Write),
        (buffers.get(Buffer::Tours), Access::Write),
    ];
    let mut constants =
        vec![("LANES", plan.search_lanes), ("WORDS", plan.words() as u32), ("HALF", (plan.cities as u32).div_ceil(2))];
    match buffers.find(Buffer::Positions) {
        Some(positions) => bindings.push((positions, Access::Write)),
        None => constants.push(("CITIES", plan.cities as u32)),
    }
    (bindings, constants)
}

/// Rounds after which a tour's search ends: as many as sixteen looks at each city take.
fn max_rounds(plan: &Plan) -> u32 {
    16 * plan.words() as u32 + 64
}

/// Moves after which a tour's search ends.
fn max_moves(plan: &Plan) -> u32 {
    2 * plan.cities as u32
}

/// Dispatches after which the search of every ant has ended.
pub fn dispatches(plan: &Plan) -> u32 {
    let lanes = u64::from(plan.search_lanes);
    let cities = plan.cities as u64;
    let round = 64u64.div_ceil(lanes) * (plan.neighbour_pairs() as u64 + 2) + 68;
    // Half of the longest reversal or, of an insertion, half the tour.
    let inserts = plan.system.local_search != LocalSearch::TwoOpt;
    let reversal = (cities / if inserts { 2 } else { 4 } + 1).div_ceil(lanes) + 5;
    let total = u64::from(max_rounds(plan)) * round + u64::from(max_moves(plan)) * reversal;
    let entry = cities.div_ceil(lanes) * 7 + 8;
    dispatches_for(plan, total, entry + round + 64 * reversal)
}
