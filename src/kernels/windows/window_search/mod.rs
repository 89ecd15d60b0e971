//! Iterated Lin-Kernighan search of windows: `shaders/windows/window_search.wgsl`. The twin is in `twin`.

use bytemuck::{Pod, Zeroable};

use crate::backend::{Access, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::lin_kernighan::chained::JOURNAL;
use crate::kernels::lin_kernighan::{DEPTH, STEPS, Turns};
use crate::kernels::plan::{WindowPlan, WindowsPlan};
use crate::kernels::shared::distances::{self, twins};
use crate::kernels::{Buffer, Buffers, KernelError};

mod twin;

/// The kernel's name.
pub const NAME: &str = "window_search";

/// The parameter block; fields as documented in the WGSL struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct Params {
    pub seed: [u32; 2],
    pub cities: u32,
    pub all: u32,
    pub neighbours: u32,
    pub words: u32,
    pub steps: u32,
    pub kick_length: u32,
    pub budget: u32,
    pub rebuild_length: u32,
    pub padding: [u32; 2],
}

/// Bytes of workgroup memory that a window takes.
pub fn workgroup_bytes(window: &WindowPlan) -> u32 {
    let n = window.cities as u32;
    let near = window.neighbours as u32;
    let fixed =
        2 * JOURNAL as u32 + 4 * DEPTH as u32 + 4 + window.lanes + 2 + 24 * near + 3 * near.next_multiple_of(4) + 2;
    let minima = window.subgroup.map_or(3, |size| 4 * window.lanes / size);
    let tour = match (window.roomy, window.rounding.is_some()) {
        (false, _) => n,
        (true, false) => 2 * n,
        (true, true) => 4 * n,
    };
    4 * (tour + n.div_ceil(2) + 2 * n.div_ceil(32) + fixed + minima)
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let window = &plan.window;
    let n = window.cities as u32;
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: n,
        all: plan.cities as u32,
        neighbours: window.neighbours as u32,
        words: n.div_ceil(32),
        steps: window.steps,
        kick_length: window.kick_length,
        budget: plan.loop_budget,
        rebuild_length: window.rebuild_length,
        padding: [0; 2],
    };
    let mut flags = vec!["WINDOW"];
    flags.extend(distances::flags(window.rounding));
    let distances = if window.rounding.is_some() { Buffer::Coordinates } else { Buffer::Distances };
    flags.extend(window.subgroup.map(|_| "SUBGROUPS"));
    flags.extend((window.lanes as usize >= 2 * window.neighbours).then_some("ONE_SWEEP"));
    flags.extend(window.roomy.then_some("TOUR_IN_WORDS"));
    flags.extend((window.roomy && window.rounding.is_some()).then_some("COORDINATES_HERE"));
    let mut constants = vec![
        ("LANES", window.lanes),
        ("WORDS", n.div_ceil(32)),
        ("CITIES", n),
        ("HALF", n.div_ceil(2)),
        ("STEPS", STEPS),
        ("NEAR", window.neighbours as u32),
    ];
    constants.extend(window.subgroup.map(|size| ("SUBGROUP", size)));
    constants.extend(distances::constants(window.rounding, plan.gap));
    Ok(KernelSpec {
        name: NAME,
        source: compose("windows/window_search", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::NearIndex), Access::Read),
            (buffers.get(distances), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Windows), Access::Write),
            (buffers.get(Buffer::RemovedEdges), Access::Write),
        ],
        workgroup_bytes: workgroup_bytes(window),
        units_per_workgroup: 1,
        twin: distances::choose(window.rounding, twins!(FROM => twin::twin::<FROM>)),
    })
}

fn turns(window: &WindowPlan) -> Turns {
    Turns::new(window.cities, window.neighbours, window.lanes, 1)
}

/// Loop turns that a dispatch has to hold at least: those in beginning and ending it, in a kick that rebuilds, in what a journal takes
/// back, and in the longest look.
pub fn longest_look(window: &WindowPlan) -> u32 {
    let lanes = u64::from(window.lanes);
    let n = window.cities as u64;
    let ends = n.div_ceil(lanes) * 9 + 4 * n.div_ceil(32) + 2 * n + JOURNAL as u64 + lanes + 18;
    let rebuild = u64::from(window.rebuild_length) * (3 * window.neighbours as u64 + 20)
        + (n + lanes) / lanes * 8
        + 4 * n.div_ceil(32)
        + 9;
    let Turns { reversal, longest, .. } = turns(window);
    u32::try_from(ends + rebuild + (JOURNAL as u64 + 4) * (reversal + 1) + longest + 1).unwrap_or(u32::MAX)
}

/// Dispatches after which the search of every window has ended.
pub fn dispatches(plan: &WindowsPlan) -> u32 {
    let window = &plan.window;
    let Turns { reversal, step, look, .. } = turns(window);
    // What is kept may be taken back, each reversal in a turn of its own. A kick counts for some steps, one that rebuilds takes less for each of its cities than a step.
    let total = (u64::from(window.steps) + 2 * u64::from(STEPS)) * (step + reversal + 1 + look);
    plan.dispatches_for(total, u64::from(longest_look(window)))
}
