//! Lin-Kernighan search with neighbour lists and don't-look bits: `shaders/lin_kernighan/lin_kernighan.wgsl`. The twin is in `twin`.

use crate::algorithm::choices::Breadth;
use crate::backend::KernelSpec;
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::array_tour::on_array_tour;
use crate::kernels::shared::{distances, pairs};
use crate::kernels::{Buffers, KernelError};
use crate::wgsl::{block, constant};

pub(in crate::kernels) mod chained;
pub mod chained_search;
mod directed;
pub(crate) mod first_tour;
mod ruin_and_recreate;
pub(in crate::kernels) mod twin;

pub use chained::ChainedProgress;

/// The kernel's name.
pub const NAME: &str = "lin_kernighan";

/// Steps of a chain at most.
pub const DEPTH: usize = constant!("lin_kernighan/moves", "DEPTH", 3) as usize;
const NARROW_DEPTH: usize = constant!("lin_kernighan/moves", "DEPTH", 1) as usize;
/// Steps of a move between directed nodes: each is three reversals.
const DIRECTED_DEPTH: usize = constant!("lin_kernighan/moves", "DEPTH", 2) as usize;
const DIRECTED_BREADTH: [usize; 3] =
    breadths(constant!("lin_kernighan/moves", "BREADTHS", 1), constant!("lin_kernighan/moves", "BROAD", 1));
/// Alternatives at the first depths; deeper there is one.
const BREADTH: [usize; 3] =
    breadths(constant!("lin_kernighan/moves", "BREADTHS", 2), constant!("lin_kernighan/moves", "BROAD", 2));
const NARROW_BREADTH: [usize; 3] =
    breadths(constant!("lin_kernighan/moves", "BREADTHS", 0), constant!("lin_kernighan/moves", "BROAD", 0));
/// The most of them.
const MOST: usize = BREADTH[0];

const _: () = assert!(
    constant!("lin_kernighan/moves", "DEPTH", 0) as usize == DIRECTED_DEPTH && 3 * DIRECTED_DEPTH <= DEPTH,
    "directed moves have one depth, and as many reversals as others"
);
const _: () =
    assert!(NARROW_BREADTH[0] <= MOST && NARROW_DEPTH <= DEPTH, "the narrow form has room in the other's arrays");

/// The hexadecimal digits that `shaders/lin_kernighan/moves.wgsl` has for depths: the last for the first depth, that before `broad` others
/// for all deeper ones.
const fn breadths(digits: u32, broad: u32) -> [usize; 3] {
    let (mut all, mut depth) = ([0; 3], 0);
    while depth < all.len() {
        let place = if depth < broad as usize { depth } else { broad as usize };
        all[depth] = (digits >> (4 * place) & 15) as usize;
        depth += 1;
    }
    assert!(broad as usize <= all.len() && digits >> (4 * broad) == 1, "deeper there is one alternative");
    all
}

/// Neighbours looked at from a city.
pub const NEIGHBOURS: usize = 10;
/// Steps made from a city in one direction, those taken back included: after so many no further are tried.
pub const STEPS: u32 = 50;
/// Positions between two cities, along the tour, up to which the path between them is not long: a longer one is reversed only when
/// the tour is shorter with it.
pub const LONG: u32 = 1000;

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub pairs: u32,
        pub words: u32,
        pub budget: u32,
        pub max_looks: u32,
        pub max_steps: u32,
        pub long: u32,
        pub paired: u32,
    }
}

block! {
    /// How far a search has come; fields as documented in the WGSL struct.
    pub struct SearchProgress {
        pub begun: u32,
        pub done: u32,
        pub looks: u32,
        pub steps: u32,
        pub head: u32,
        pub waiting: u32,
        pub padding: [u32; 7],
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let params = Params {
        cities: plan.cities as u32,
        pairs: plan.neighbour_pairs() as u32,
        words: plan.words() as u32,
        budget: plan.loop_budget,
        max_looks: max_looks(plan),
        max_steps: max_steps(plan),
        long: plan.long_path,
        paired: plan.paired as u32,
    };
    let (bindings, mut constants) = on_array_tour(plan, buffers);
    let array = plan.array_cities as u32;
    constants.extend([("WORDS", array.div_ceil(32)), ("HALF", array.div_ceil(2))]);
    constants.extend([("STEPS", STEPS), ("NEAR", 2 * plan.neighbour_pairs() as u32)]);
    constants.extend(plan.search_subgroup.map(|size| ("SUBGROUP", size)));
    let mut flags = plan.search_memory.flags().to_vec();
    flags.extend(plan.search_subgroup.map(|_| "SUBGROUPS"));
    flags.extend((plan.search_lanes as usize >= 4 * plan.neighbour_pairs()).then_some("ONE_SWEEP"));
    flags.extend(distances::flags(plan.rounding));
    constants.extend(distances::constants(plan.rounding, plan.gap));
    constants.extend(pairs::constants(plan.paired));
    flags.extend(plan.doubled.then_some("DIRECTED"));
    let twins = match (plan.doubled, plan.system.breadth) {
        (false, Breadth::Wide) => twin::all::<false>(),
        (false, Breadth::Narrow) => twin::all::<true>(),
        (true, breadth) => [twin::directed(breadth); distances::SOURCES],
    };
    flags.extend((plan.system.breadth == Breadth::Narrow).then_some("NARROW"));
    Ok(KernelSpec {
        name: NAME,
        source: compose("lin_kernighan/lin_kernighan", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings,
        workgroup_bytes: plan.search_memory.workgroup_bytes(plan.system.local_search, plan.array_cities),
        units_per_workgroup: 1,
        twin: distances::choose(plan.rounding, twins),
    })
}

/// Looks at cities after which a tour's search ends, improved as far as it is.
fn max_looks(plan: &ConstructPlan) -> u32 {
    16 * plan.cities as u32 + 64
}

/// Steps after which it ends.
fn max_steps(plan: &ConstructPlan) -> u32 {
    24 * plan.cities as u32 + 64
}

/// Loop turns of an invocation in chains, at most: those that `shaders/lin_kernighan/moves.wgsl` counts.
pub(in crate::kernels) struct Turns {
    /// In a reversal.
    pub reversal: u64,
    /// For a step that is found, and then kept or not.
    pub step: u64,
    /// In a look besides.
    pub look: u64,
    /// In the longest look.
    pub longest: u64,
}

impl Turns {
    /// `each`: turns for each neighbour that is looked at.
    pub fn new(cities: usize, neighbours: usize, lanes: u32, each: usize) -> Self {
        let (cities, neighbours, lanes) = (cities as u64, neighbours as u64, u64::from(lanes));
        let (depth, steps) = (DEPTH as u64, u64::from(STEPS));
        let reversal = (cities / 4 + lanes) / lanes + 3;
        let find = neighbours.div_ceil(lanes) * each as u64 + 2;
        Self {
            reversal,
            // It may be looked for one behind it in vain, and the way back is a turn; a directed step has three reversals.
            step: 2 * find + 1 + if each > 1 { 3 * reversal } else { reversal },
            look: 4 * find + 2 * depth + 10,
            longest: (4 * steps + 4) * find + depth * (reversal + 2) + 5,
        }
    }
}

fn turns(plan: &ConstructPlan) -> Turns {
    let neighbours = 2 * plan.neighbour_pairs();
    // A step between directed nodes has two halves: for each neighbour all of another node's are looked at.
    let looked_at = if plan.doubled { neighbours + 1 } else { 1 };
    Turns::new(plan.cities, neighbours, plan.search_lanes, looked_at)
}

/// Loop turns in beginning and ending a dispatch.
fn ends(plan: &ConstructPlan) -> u64 {
    let cities = plan.cities as u64;
    cities.div_ceil(u64::from(plan.search_lanes)) * 8 + cities + 3 * plan.words() as u64 + 9
}

/// Loop turns that a dispatch has to hold at least.
pub fn longest_look(plan: &ConstructPlan) -> u32 {
    u32::try_from(ends(plan) + turns(plan).longest + 1).unwrap_or(u32::MAX)
}

/// Dispatches after which the search of every ant has ended.
pub fn dispatches(plan: &ConstructPlan) -> u32 {
    let Turns { step, look, .. } = turns(plan);
    let total = u64::from(max_looks(plan)) * look + (u64::from(max_steps(plan)) + 2 * u64::from(STEPS)) * step;
    plan.dispatches_for(total, u64::from(longest_look(plan)))
}
