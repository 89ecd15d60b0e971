//! Focused ants: iterated Lin-Kernighan search of patches: `shaders/tsp/patch.wgsl`. The twin is in `twin`.

use bytemuck::{Pod, Zeroable};

use super::compose::compose;
use super::distances::{self, MATRIX, NEAREST, THOUSANDTHS, UP};
use super::lin_kernighan::{DEPTH, STEPS, Turns};
use super::patch_order::{JOURNAL, PatchPlan};
use super::plan::WindowsPlan;
use super::{Buffer, Buffers, KernelError, dispatches_for};
use crate::backend::{Access, KernelSpec};

mod rebuild;
mod twin;

/// The kernel's name.
pub const NAME: &str = "patch";

/// What a kick counts for, in steps.
const KICK_STEPS: u32 = 4;

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
    pub reach: u32,
    pub budget: u32,
    pub stretch: u32,
    pub padding: [u32; 2],
}

/// Bytes of workgroup memory that a patch takes.
pub fn workgroup_bytes(patch: &PatchPlan) -> u32 {
    let n = patch.cities as u32;
    let near = patch.neighbours as u32;
    let fixed =
        2 * JOURNAL as u32 + 4 * DEPTH as u32 + 4 + patch.lanes + 2 + 24 * near + 3 * near.next_multiple_of(4) + 2;
    let minima = patch.subgroup.map_or(3, |size| 4 * patch.lanes / size);
    let tour = match (patch.roomy, patch.rounding.is_some()) {
        (false, _) => n,
        (true, false) => 2 * n,
        (true, true) => 4 * n,
    };
    4 * (tour + n.div_ceil(2) + 2 * n.div_ceil(32) + fixed + minima)
}

/// The kernel for `plan` on `buffers`.
pub fn spec(plan: &WindowsPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let patch = &plan.patch;
    let n = patch.cities as u32;
    let params = Params {
        seed: [plan.seed as u32, (plan.seed >> 32) as u32],
        cities: n,
        all: plan.cities as u32,
        neighbours: patch.neighbours as u32,
        words: n.div_ceil(32),
        steps: patch.steps,
        reach: patch.reach,
        budget: plan.loop_budget,
        stretch: patch.stretch,
        padding: [0; 2],
    };
    let mut flags = vec!["PATCH"];
    flags.extend(distances::flags(patch.rounding));
    let distances = if patch.rounding.is_some() { Buffer::Spots } else { Buffer::Distances };
    flags.extend(patch.subgroup.map(|_| "SUBGROUPS"));
    flags.extend((patch.lanes as usize >= 2 * patch.neighbours).then_some("ONE_SWEEP"));
    flags.extend(patch.roomy.then_some("TOUR_IN_WORDS"));
    flags.extend((patch.roomy && patch.rounding.is_some()).then_some("SPOTS_HERE"));
    let mut constants = vec![
        ("LANES", patch.lanes),
        ("WORDS", n.div_ceil(32)),
        ("CITIES", n),
        ("HALF", n.div_ceil(2)),
        ("STEPS", STEPS),
        ("NEAR", patch.neighbours as u32),
    ];
    constants.extend(patch.subgroup.map(|size| ("SUBGROUP", size)));
    Ok(KernelSpec {
        name: NAME,
        source: compose("tsp/patch", &flags)?,
        constants,
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(Buffer::NearPlaces), Access::Read),
            (buffers.get(distances), Access::Read),
            (buffers.get(Buffer::Order), Access::Read),
            (buffers.get(Buffer::Positions), Access::Read),
            (buffers.get(Buffer::Progress), Access::Write),
            (buffers.get(Buffer::Patches), Access::Write),
            (buffers.get(Buffer::Cuts), Access::Write),
        ],
        workgroup_bytes: workgroup_bytes(patch),
        units_per_workgroup: 1,
        twin: distances::choose(
            patch.rounding,
            [twin::twin::<MATRIX>, twin::twin::<NEAREST>, twin::twin::<UP>, twin::twin::<THOUSANDTHS>],
        ),
    })
}

fn turns(patch: &PatchPlan) -> Turns {
    Turns::new(patch.cities, patch.neighbours, patch.lanes)
}

/// Loop turns that a dispatch has to hold at least: those in beginning and ending it, in a kick that rebuilds, in what a journal takes
/// back, and in the longest look.
pub fn longest_look(patch: &PatchPlan) -> u32 {
    let lanes = u64::from(patch.lanes);
    let n = patch.cities as u64;
    let ends = n.div_ceil(lanes) * 9 + 4 * n.div_ceil(32) + 2 * n + JOURNAL as u64 + lanes + 18;
    let rebuild = u64::from(patch.stretch) * (3 * patch.neighbours as u64 + 20)
        + (n + lanes) / lanes * 8
        + 4 * n.div_ceil(32)
        + 9;
    let Turns { reversal, longest, .. } = turns(patch);
    u32::try_from(ends + rebuild + (JOURNAL as u64 + 4) * reversal + longest + 1).unwrap_or(u32::MAX)
}

/// Dispatches after which the search of every ant has ended.
pub fn dispatches(plan: &WindowsPlan) -> u32 {
    let patch = &plan.patch;
    let Turns { reversal, step, look, .. } = turns(patch);
    // What is kept may be taken back. A kick counts for some steps, one that rebuilds takes less for each of its cities than a step.
    let total = (u64::from(patch.steps) + 2 * u64::from(STEPS)) * (step + reversal + look);
    dispatches_for(plan, total, u64::from(longest_look(patch)))
}
