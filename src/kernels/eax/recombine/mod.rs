//! Children of two parents: `shaders/eax/recombine.wgsl`. The twin is in `twin`, what makes one child in `sub_tours`.

use crate::algorithm::eax::EaxParams;
use crate::backend::{Access, Capabilities, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::plan::{EaxPlan, RecombinePlan};
use crate::kernels::shared::distances::{self, twins};
use crate::kernels::shared::pairs;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::{block, constant};

mod inputs;
mod sub_tours;
mod twin;

pub(in crate::kernels) use twin::is_better;

/// The kernel's name.
pub const NAME: &str = "recombine";

/// The most paths that a child may cut the tour into, and the most edges of A that its first E-set may have.
pub const PATHS: usize = constant!("eax/offspring", "PATHS") as usize;
const CUTS: usize = constant!("eax/sub_tours", "CUTS") as usize;
/// Cities of all sub-tours together that a child looks at to merge them, and as how many a path of them counts.
const MOST_LOOKED: u32 = constant!("eax/sub_tours", "MOST_LOOKED");
const PATH_LOOKS: u32 = constant!("eax/sub_tours", "PATH_LOOKS");
/// Edges that a walk takes before all lanes meet.
const TRACE: u64 = constant!("eax/ab_cycles", "TRACE") as u64;
/// Edges of a walk whose cycle is to be exchanged beside others, and how often an exchange is tried to grow by one.
const WALK: u32 = constant!("eax/recombine", "WALK_PIECES") * TRACE as u32;
const GROWTHS: u32 = constant!("eax/recombine", "GROWTHS");
/// Room for a bitmask comes in steps of so many words, where the device has it. Not in greater ones: what it takes is lost to
/// caches (in powers of two, 1,024 words instead of 579, an iteration on d18512 took 40% longer on an H200).
const WORDS_APART: u32 = 64;
/// Words before the paths that a walk keeps.
pub(in crate::kernels) const KEPT_HEAD: usize = constant!("eax/offspring", "KEPT_HEAD") as usize;

impl RecombinePlan {
    /// For tours of `cities` cities on a device.
    pub fn new(
        &EaxParams { children, accept_after, pair_walks, block_walks, .. }: &EaxParams,
        cities: usize,
        device: &Capabilities,
    ) -> Self {
        // A walk waits for memory most of the time: eight such workgroups run on a processor of a GPU beside each other, four of twice the lanes.
        let lanes = if device.wide { 128.min(device.workgroup_invocations) } else { 32 };
        let subgroup = device.subgroup_of(lanes);
        let words = cities.div_ceil(32) as u32;
        // Instances of about the same size share a compiled kernel.
        let room = words.next_multiple_of(WORDS_APART);
        let words = if bytes(room, lanes, subgroup) > device.workgroup_bytes { words } else { room };
        Self { children, accept_after, pair_walks, block_walks, lanes, subgroup, words }
    }
}

/// Words that a walk keeps; see `shaders/eax/offspring.wgsl`.
pub fn kept_words(cities: usize) -> usize {
    KEPT_HEAD + 4 * PATHS + 2 * cities.div_ceil(32) + 5 * cities + 2
}

/// Bytes of workgroup memory with room for bitmasks of so many words.
fn bytes(words: u32, lanes: u32, subgroup: Option<u32>) -> u32 {
    let minima = subgroup.map_or(3, |size| 4 * lanes / size);
    4 * (4 * words + 8 * PATHS as u32 + 2 * CUTS as u32 + 16 + minima)
}

/// Bytes of workgroup memory.
pub fn workgroup_bytes(plan: &EaxPlan) -> u32 {
    let recombine = plan.recombine;
    bytes(recombine.words, recombine.lanes, recombine.subgroup)
}

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub cities: u32,
        pub individuals: u32,
        pub neighbours: u32,
        pub pairs: u32,
        pub words: u32,
        pub children: u32,
        pub budget: u32,
        pub entry: u32,
        pub longest: u32,
        pub e_set_turns: u32,
        pub merge_turns: u32,
        pub accept_after: u32,
        pub walks: u32,
        pub block_walks: u32,
        pub paired: u32,
        pub padding: [u32; 3],
    }
}

/// The kernel for `plan` on `buffers`; the E-sets of so many walks of a pair grow to blocks.
pub fn spec(plan: &EaxPlan, block_walks: u32, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let recombine = plan.recombine;
    let turns = Turns::of(plan);
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: plan.cities as u32,
        individuals: plan.individuals as u32,
        neighbours: plan.neighbours as u32,
        pairs: plan.neighbour_pairs() as u32,
        words: plan.words() as u32,
        children: recombine.children.div_ceil(recombine.pair_walks),
        budget: plan.loop_budget,
        entry: u32::try_from(turns.entry).unwrap_or(u32::MAX),
        longest: u32::try_from(turns.longest).unwrap_or(u32::MAX),
        e_set_turns: turns.exchange as u32,
        merge_turns: turns.join as u32,
        accept_after: recombine.accept_after.div_ceil(recombine.pair_walks),
        walks: recombine.pair_walks,
        block_walks,
        paired: plan.paired as u32,
        padding: [0; 3],
    };
    let mut flags = distances::flags(plan.rounding).to_vec();
    flags.extend(recombine.subgroup.map(|_| "SUBGROUPS"));
    let mut constants = vec![("LANES", recombine.lanes), ("WORDS", recombine.words)];
    constants.extend(recombine.subgroup.map(|size| ("SUBGROUP", size)));
    constants.extend(distances::constants(plan.rounding, plan.gap));
    constants.extend(pairs::constants(plan.paired));
    Ok(KernelSpec {
        name: NAME,
        source: compose("eax/recombine", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::Tours), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Neighbours), Access::Read),
            (buffers.get(Buffer::Distances), Access::Read),
            (buffers.get(Buffer::Trails), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Offspring), Access::Write),
        ],
        workgroup_bytes: workgroup_bytes(plan),
        units_per_workgroup: 1,
        twin: distances::choose(plan.rounding, twins!(FROM => twin::twin::<FROM>)),
    })
}

/// Loop turns of an invocation.
struct Turns {
    /// In beginning and ending a dispatch.
    entry: u64,
    /// In an exchange, and in a merge but for its looks.
    exchange: u64,
    join: u64,
    /// In lengthening the walk once and the child that may follow, or in an exchange that grows.
    longest: u64,
}

impl Turns {
    fn of(plan: &EaxPlan) -> Self {
        let lanes = u64::from(plan.recombine.lanes);
        let [words, cities, ranks] = [plan.words(), plan.cities, plan.neighbours].map(|count| count as u64);
        let each = |count: u64| count.div_ceil(lanes);
        let (paths, cuts, looked) = (PATHS as u64, CUTS as u64, u64::from(MOST_LOOKED));
        let entry = each(words) * (3 + 2 * 9) + each(2 * cities) + 9;
        // Cuts and neighbours are asked for four at a time.
        let trail = ranks.div_ceil(4) + 1;
        let exchange = each(2 * cuts) * trail + each(cuts) * (cuts.div_ceil(4) + 5) + 2 * cuts + 2 * each(paths) + 9;
        let join = each(cuts) + 5 * each(paths) + trail * 4u64.div_ceil(lanes) + 9;
        let walk = each(words) + TRACE + each(2 * cities) + 9;
        let looks = looked / u64::from(PATH_LOOKS) * (1 + 1 + 2 + 2) + each(looked * ranks) + each(looked);
        let joins = cuts * join + looks;
        let growths = u64::from(GROWTHS);
        let whole = u64::from(WALK) + 2 * (WALK as u64 / TRACE) + each(words) + 4 + each(u64::from(WALK)) + 1;
        let smallest = join + 2 * (cuts + each(looked / 32));
        let grown = (growths + 1) * whole + (2 * growths + 1) * exchange + growths * smallest;
        let longest = if plan.recombine.block_walks > 0 { grown.max(walk + exchange) } else { walk + exchange } + joins;
        Self { entry, exchange, join, longest }
    }
}

/// Loop turns that a dispatch has to hold at least.
pub fn longest_turn(plan: &EaxPlan) -> u32 {
    let turns = Turns::of(plan);
    u32::try_from(turns.entry + turns.longest + 1).unwrap_or(u32::MAX)
}

/// Dispatches after which every pair has made its children.
pub fn dispatches(plan: &EaxPlan) -> u32 {
    let turns = Turns::of(plan);
    let children = u64::from(plan.recombine.children.div_ceil(plan.recombine.pair_walks));
    let cities = plan.cities as u64;
    // Each lengthening takes 64 edges, or ends in a child, or in a cycle that is too long for one.
    let walks = 2 * cities / TRACE + children + cities / CUTS as u64 + 1;
    let walk = u64::from(plan.words() as u32).div_ceil(u64::from(plan.recombine.lanes)) + TRACE + 9;
    let total = children * turns.longest + walks * walk + 2 * cities;
    plan.dispatches_for(total, turns.entry + turns.longest)
}
