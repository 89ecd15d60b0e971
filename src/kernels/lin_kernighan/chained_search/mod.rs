//! Chained Lin-Kernighan search of whole tours, of several at a time: `shaders/lin_kernighan/chained_search.wgsl`. The twin is in `twin`.

use super::chained::{JOURNAL, Room};
use crate::backend::{Access, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::plan::ChainedPlan;
use crate::kernels::shared::distances::{self, twins};
use crate::kernels::shared::pairs;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

mod twin;

/// The kernel's name.
pub const NAME: &str = "chained_search";

/// Steps a city beside the others in the first iteration.
const FIRST_STEPS: u32 = constant!("lin_kernighan/chained_search", "FIRST_STEPS");

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub words: u32,
        pub walks: u32,
        pub budget: u32,
        pub paired: u32,
        pub pairs: u32,
        pub padding: [u32; 2],
    }
}

block! {
    /// A tour, and how its walks search it; fields as documented in the WGSL struct.
    pub struct Head {
        pub seed: [u32; 2],
        pub cities: u32,
        pub first: u32,
        pub steps: u32,
        pub kick_length: u32,
        pub rebuild_length: u32,
        pub padding: u32,
    }
}

impl Head {
    /// That of a plan's only tour.
    pub(crate) fn of(plan: &ChainedPlan) -> Self {
        Self {
            seed: [plan.seed as u32, (plan.seed >> 32) as u32],
            cities: plan.cities as u32,
            first: 0,
            steps: plan.steps,
            kick_length: plan.kick_length,
            rebuild_length: plan.rebuild_length,
            padding: 0,
        }
    }
}

/// Words of a [`Head`].
pub const HEAD_WORDS: usize = size_of::<Head>() / 4;

/// Words of what a walk keeps between dispatches, for so many cities.
pub fn kept_words(cities: usize) -> usize {
    2 * cities + 2 * JOURNAL
}

fn room(plan: &ChainedPlan) -> Room {
    let &ChainedPlan { rebuild_length, lanes, subgroup, array_cities, .. } = plan;
    Room { cities: plan.cities, array_cities, neighbours: 2 * plan.neighbour_pairs(), rebuild_length, lanes, subgroup }
}

/// Bytes of workgroup memory that a walk takes.
pub fn workgroup_bytes(plan: &ChainedPlan) -> u32 {
    let n = plan.array_cities as u32;
    let tour = if plan.roomy { 2 * n } else { n };
    let sites = if plan.rounding.is_some() { 2 * n } else { 0 };
    4 * (tour + sites + room(plan).words())
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ChainedPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let n = plan.cities as u32;
    let params = Params {
        cities: n,
        words: n.div_ceil(32),
        walks: plan.walks as u32,
        budget: plan.loop_budget,
        paired: plan.paired as u32,
        pairs: plan.neighbour_pairs() as u32,
        padding: [0; 2],
    };
    let mut flags = vec!["WINDOW", "OWN_SIZE"];
    flags.extend(distances::flags(plan.rounding));
    flags.extend(room(plan).flags(plan.roomy));
    let mut constants = room(plan).constants();
    constants.extend(distances::constants(plan.rounding, plan.gap));
    constants.extend(pairs::constants(plan.paired));
    Ok(KernelSpec {
        name: NAME,
        source: compose("lin_kernighan/chained_search", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Heads), Access::Read),
            (buffers.get(Buffer::Neighbours), Access::Read),
            (buffers.get(Buffer::Distances), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Tours), Access::Write),
            (buffers.get(Buffer::Costs), Access::Write),
            (buffers.get(Buffer::Queues), Access::Write),
        ],
        workgroup_bytes: workgroup_bytes(plan),
        units_per_workgroup: 1,
        twin: distances::choose(plan.rounding, twins!(FROM => twin::twin::<FROM>)),
    })
}

/// Loop turns that a dispatch has to hold at least.
pub fn longest_look(plan: &ChainedPlan) -> u32 {
    room(plan).longest_look()
}

/// Dispatches after which the search of every walk has ended; in the `first` iteration, or in a later one.
pub fn dispatches(plan: &ChainedPlan, first: bool) -> u32 {
    let more = if first { u64::from(FIRST_STEPS) * plan.cities as u64 } else { 0 };
    plan.dispatches_for(room(plan).turns_of(u64::from(plan.steps) + more), longest_look(plan).into())
}
