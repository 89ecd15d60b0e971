//! Construction of solutions in all its compositions: `shaders/construct/construct.wgsl`. The twin is in `twin`, sizes are in `turns`.

use crate::algorithm::choices::{LocalUpdate, Memory, Selection, Start, Strategy, Visited};
use crate::algorithm::construct::Rule;
use crate::algorithm::fixed::MOST_IN_CLASS;
use crate::algorithm::selective::MOST_RECORDS;
use crate::backend::{Access, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::construct::deviates::Ring;
use crate::kernels::plan::{ConstructPlan, weight_pitch};
use crate::kernels::shared::{distances, pairs};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

pub mod deviates;
pub mod focus;
mod rows;
mod turns;
mod twin;

use turns::{GROUP, Turns};
pub use turns::{dispatches, longest_step};

/// The kernel's name.
pub const NAME: &str = "construct";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub seed: [u32; 2],
        pub cities: u32,
        pub ants: u32,
        pub candidates: u32,
        pub pitch: u32,
        pub visited_words: u32,
        pub most_steps: u32,
        pub beyond_steps: u32,
        pub stride: u32,
        pub greedy: u32,
        pub top_octave: u32,
        pub classes: u32,
        pub beta: u32,
        pub local_rate: u32,
        pub period: u32,
        pub directed: u32,
        pub nearby: u32,
        pub ring_shift: u32,
        pub paired: u32,
    }
}

/// Where a step's options and weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    /// Candidate lists, trails on their edges alone.
    Candidates,
    /// Candidate lists, trails on all edges.
    Matrix,
    /// All cities.
    Full,
    /// Candidate lists, trails that change during construction.
    Trails,
    /// Candidate lists, trails in a selective memory.
    Selective,
}

impl Rows {
    fn of(plan: &ConstructPlan) -> Self {
        match (&plan.system.rule, plan.system.memory) {
            (Rule::Acs(_), Memory::Selective) => Self::Selective,
            (Rule::Acs(_), _) => Self::Trails,
            (_, Memory::Candidates) => Self::Candidates,
            _ if plan.system.full => Self::Full,
            _ => Self::Matrix,
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Candidates => &["ROWS_CANDIDATES", "BEYOND"],
            Self::Matrix => &["ROWS_CANDIDATES", "MATRIX", "BEYOND"],
            Self::Full => &["ROWS_FULL"],
            Self::Trails => &["ROWS_TRAILS", "BEYOND"],
            Self::Selective => &["ROWS_SELECTIVE", "BEYOND"],
        }
    }

    fn buffers(self) -> &'static [(Buffer, Access)] {
        use Access::{Read, Write};
        match self {
            Self::Candidates => &[(Buffer::Choice, Read), (Buffer::Distances, Read), (Buffer::Links, Read)],
            Self::Matrix => &[(Buffer::Choice, Read), (Buffer::Weights, Read)],
            Self::Full => &[(Buffer::Weights, Read)],
            Self::Trails => &[(Buffer::Heuristic, Read), (Buffer::Trails, Write), (Buffer::Distances, Read)],
            Self::Selective => &[(Buffer::Heuristic, Read), (Buffer::Records, Write), (Buffer::Distances, Read)],
        }
    }
}

/// The composition's flags.
fn flags(plan: &ConstructPlan) -> Vec<&'static str> {
    let rows = Rows::of(plan);
    let system = &plan.system;
    let mut flags = rows.flags().to_vec();
    flags.push(match plan.visited {
        Visited::Lc => "VISITED_LC",
        Visited::Bt => "VISITED_BT",
        Visited::Ct => "VISITED_CT",
    });
    let has_list = plan.visited != Visited::Bt;
    if rows == Rows::Candidates {
        flags.extend(distances::flags(plan.rounding));
    }
    let relaxed = system.local_update == LocalUpdate::Relaxed;
    // With lists a city's bit is read two steps after it is set, since no city is its own candidate. The barrier between is that of the
    // reduction. A single subgroup reduces without a barrier, so all its lanes set the bit themselves.
    let lists = rows != Rows::Full && !has_list;
    let together = keeps_octets(plan) || (lists && is_one_subgroup(plan));
    for (holds, flag) in [
        (system.selection == Selection::Rwm, "ROULETTE"),
        (plan.strategy == Strategy::Coarse, "COARSE"),
        (has_octets(plan), "OCTETS"),
        (matches!(system.rule, Rule::Acs(_)), "PSEUDO_RANDOM"),
        (relaxed, "RELAXED"),
        (asks_subgroups(plan), "SUBGROUPS"),
        (is_one_subgroup(plan), "ONE_SUBGROUP"),
        (has_one_each(plan), "ONE_EACH"),
        (warms(plan), "WARM"),
        (plan.wide && rows != Rows::Full, "WIDE"),
        (fits_register(plan), "VISITED_REGISTER"),
        (keeps_octets(plan), "VISITED_OCTETS"),
        (fits_register(plan) || keeps_octets(plan), "IN_REGISTERS"),
        (together, "MARK_TOGETHER"),
        (!(together || lists) || system.selection == Selection::Rwm, "SYNC_STEPS"),
        (is_listed(plan), "LISTED"),
        (plan.is_assignment(), "ASSIGNMENT"),
        (plan.has_units(), "CUNNING"),
    ] {
        flags.extend(holds.then_some(flag));
    }
    flags
}

/// Whether a step goes through a list of the cities that are not visited.
fn is_listed(plan: &ConstructPlan) -> bool {
    Rows::of(plan) == Rows::Full && plan.visited != Visited::Bt
}

/// Whether a roulette wheel adds up inside subgroups first.
fn adds_up_in_subgroups(plan: &ConstructPlan) -> bool {
    plan.system.selection == Selection::Rwm && plan.strategy == Strategy::Fine && plan.subgroup.is_some()
}

/// Whether a workgroup of several subgroups finds sums or maxima inside subgroups first.
fn asks_subgroups(plan: &ConstructPlan) -> bool {
    let several = plan.subgroup.is_some_and(|size| size < plan.construct_lanes);
    adds_up_in_subgroups(plan) || (plan.strategy == Strategy::Fine && several)
}

/// Whether an ant's workgroup is a single subgroup, which compares without memory.
fn is_one_subgroup(plan: &ConstructPlan) -> bool {
    plan.system.selection != Selection::Rwm
        && plan.strategy == Strategy::Fine
        && plan.subgroup == Some(plan.construct_lanes)
}

/// Whether no lane has more than one option.
fn has_one_each(plan: &ConstructPlan) -> bool {
    plan.system.selection != Selection::Rwm
        && plan.strategy == Strategy::Fine
        && Rows::of(plan) != Rows::Full
        && options(plan) <= plan.construct_lanes as usize
}

/// Whether ants load candidate lists into the first-level cache before they walk: where it holds them all
/// (`docs/results/2026-11-kernel-construct.md`).
fn warms(plan: &ConstructPlan) -> bool {
    const HELD: usize = 160 << 10;
    let lists = matches!(Rows::of(plan), Rows::Candidates | Rows::Matrix) && !plan.is_assignment();
    lists && is_one_subgroup(plan) && has_one_each(plan) && 4 * plan.cities * plan.system.candidates <= HELD
}

/// Whether a lane weighs eight options at a time.
fn has_octets(plan: &ConstructPlan) -> bool {
    let masked = Rows::of(plan) == Rows::Full && plan.visited == Visited::Bt;
    masked && plan.strategy == Strategy::Fine && plan.system.selection != Selection::Rwm
}

/// Whether a register of each lane holds the bitmask of visited cities. Two registers are no faster than workgroup memory,
/// four are slower (`docs/results/2026-11-kernel-construct.md`).
fn fits_register(plan: &ConstructPlan) -> bool {
    let fits = plan.visited == Visited::Bt && plan.words() <= plan.construct_lanes as usize;
    plan.quick_exchange && is_one_subgroup(plan) && has_one_each(plan) && fits
}

/// Whether the lanes that weigh eight cities at a time keep their bits.
fn keeps_octets(plan: &ConstructPlan) -> bool {
    let fits = plan.cities <= 64 * plan.construct_lanes as usize;
    has_octets(plan) && fits && !plan.is_assignment() && plan.system.focus == 0
}

impl ConstructPlan {
    /// 32-bit words of a visited set.
    pub fn visited_words(&self) -> usize {
        match self.visited {
            Visited::Bt if keeps_octets(self) => 2 * self.construct_lanes as usize,
            Visited::Ct => self.cities.div_ceil(2),
            Visited::Lc => self.cities.div_ceil(2) * 2,
            _ => self.words(),
        }
    }
}

/// Options of a step at most.
fn options(plan: &ConstructPlan) -> usize {
    if plan.system.full { plan.cities } else { plan.system.candidates }
}

/// Classes of a roulette wheel: a power of two; no more than [`MOST_IN_CLASS`] options may fall into one.
fn classes(plan: &ConstructPlan) -> u32 {
    let items = if plan.system.full { plan.cities.div_ceil(2) } else { plan.system.candidates };
    let most = if plan.cities as u32 > 128 * MOST_IN_CLASS { 256 } else { 128 };
    (items as u32).next_power_of_two().clamp(GROUP, most)
}

/// Workgroup memory, in bytes.
pub fn workgroup_bytes(plan: &ConstructPlan) -> u32 {
    if plan.strategy == Strategy::Coarse {
        return 0;
    }
    let roulette = match plan.system.selection {
        Selection::Rwm => wheel_bytes(plan),
        _ => 0,
    };
    let staged = if Rows::of(plan) == Rows::Selective { 4 * (MOST_RECORDS + 1) } else { 0 };
    let order = if plan.is_assignment() { 8 * plan.cities as u32 } else { 0 };
    let visited = if fits_register(plan) || keeps_octets(plan) { 0 } else { plan.visited_words() as u32 * 4 };
    let among = match plan.subgroup.filter(|_| asks_subgroups(plan)) {
        Some(size) => 8 * plan.construct_lanes / size + 12,
        None => 24,
    };
    visited + among + roulette + staged + order
}

/// Sums of classes, of three blocks of octaves where they are of a list; then those of subgroups and the drawn city, or of groups of classes.
fn wheel_bytes(plan: &ConstructPlan) -> u32 {
    let classes = classes(plan);
    let listed = if is_listed(plan) { 12 * classes } else { 0 };
    match plan.subgroup.filter(|_| adds_up_in_subgroups(plan)) {
        Some(size) => listed + 8 * plan.construct_lanes / size + 4,
        None if listed > 0 => listed + classes,
        None => 9 * classes,
    }
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let system = &plan.system;
    let turns = Turns::of(plan);
    let rows = Rows::of(plan);
    let (greedy, local_rate) = match &system.rule {
        Rule::Acs(acs) => {
            let relaxed = system.local_update == LocalUpdate::Relaxed;
            (acs.greedy_fixed(plan.cities), if relaxed { acs.local_evaporation_fixed() } else { 0 })
        }
        _ => (0, 0),
    };
    let params = Params {
        seed: [system.seed as u32, (system.seed >> 32) as u32],
        cities: plan.cities as u32,
        ants: plan.units as u32,
        candidates: system.candidates as u32,
        pitch: if rows == Rows::Selective { plan.record_pitch() } else { weight_pitch(plan.cities) as u32 },
        visited_words: plan.visited_words() as u32,
        most_steps: if plan.synchronous() { 1 } else { turns.steps(plan.loop_budget) },
        beyond_steps: turns.beyond_steps(),
        stride: if system.start == Start::Distinct { stride(plan.cities as u32) } else { 0 },
        greedy,
        top_octave: system.top_octave(plan.cities),
        classes: classes(plan),
        beta: system.beta_fixed(),
        local_rate,
        period: system.update_period,
        directed: u32::from(system.directed),
        nearby: plan.nearby() as u32,
        ring_shift: Ring::of(plan).map_or(0, |ring| ring.mask().leading_zeros()),
        paired: plan.paired as u32,
    };
    let mut constants = vec![("LANES", plan.construct_lanes)];
    if rows == Rows::Candidates {
        constants.extend(distances::constants(plan.rounding, plan.gap));
    }
    if !plan.is_assignment() {
        constants.extend(pairs::constants(plan.paired));
    }
    if system.local_update == LocalUpdate::Relaxed {
        constants.extend([("PERIOD", params.period), ("DIRECTED", params.directed)]);
    }
    if rows == Rows::Selective {
        constants.extend([("PITCH", plan.record_pitch()), ("QUADS", system.memory_size.div_ceil(4))]);
    }
    if plan.strategy == Strategy::Fine {
        constants.push(("VISITED_WORDS", params.visited_words));
        constants.extend(plan.subgroup.filter(|_| asks_subgroups(plan)).map(|size| ("SUBGROUP", size)));
        if system.selection == Selection::Rwm {
            constants.push(("CLASSES", params.classes));
            if adds_up_in_subgroups(plan) {
                // Where exchanges are slow, lanes save more of them.
                constants.push(("FEW", if plan.wide && !plan.quick_exchange { 4 } else { 2 }));
            }
        }
        if has_one_each(plan) {
            constants.extend([("CITIES", params.cities), ("CANDIDATES", params.candidates)]);
        }
        constants.extend(plan.is_assignment().then_some(("PLACES", params.cities)));
    }
    let common = [
        (Buffer::Tables, Access::Read),
        (Buffer::State, Access::Read),
        (Buffer::Progress, Access::Write),
        (Buffer::VisitedKept, Access::Write),
        (Buffer::Tours, Access::Write),
    ];
    let units = [(Buffer::Thresholds, Access::Read), (Buffer::Units, Access::Read)];
    let units = if plan.has_units() { units.as_slice() } else { &[] };
    let bindings = common.iter().chain(rows.buffers()).chain(units);
    let bindings = bindings.map(|&(buffer, access)| (buffers.get(buffer), access));
    Ok(KernelSpec {
        name: NAME,
        source: compose("construct/construct", &flags(plan))?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: bindings.collect(),
        workgroup_bytes: workgroup_bytes(plan),
        units_per_workgroup: if plan.strategy == Strategy::Coarse { plan.construct_lanes } else { 1 },
        twin: match (plan.is_assignment(), plan.has_units()) {
            (true, cunning) => twin::of_assignments(cunning, system.selection),
            _ => twin::of(rows, system.selection, plan.rounding),
        },
    })
}

/// How far apart ants start when they start at different cities: about the golden section of the number of cities, and without a common
/// divisor with it.
fn stride(cities: u32) -> u32 {
    let divides = |a: u32, b: u32| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    };
    let golden = (f64::from(cities) * 0.618) as u32;
    (golden.max(1)..=cities.max(1)).find(|&stride| !divides(stride, cities)).unwrap_or(1)
}
