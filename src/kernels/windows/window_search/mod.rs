//! Iterated Lin-Kernighan search of windows: `shaders/windows/window_search.wgsl`. The twin is in `twin`.

use crate::backend::{Access, KernelSpec};
use crate::kernels::compose::compose;
use crate::kernels::lin_kernighan::chained::Room;
use crate::kernels::plan::{WindowPlan, WindowsPlan};
use crate::kernels::shared::distances::{self, twins};
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

mod twin;

/// The kernel's name.
pub const NAME: &str = "window_search";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
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
        pub listed: u32,
        pub padding: u32,
    }
}

fn room(window: &WindowPlan) -> Room {
    let &WindowPlan { cities, array_cities, neighbours, rebuild_length, lanes, subgroup, .. } = window;
    Room { cities, array_cities, neighbours, rebuild_length, lanes, subgroup }
}

/// Bytes of workgroup memory that a window takes.
pub fn workgroup_bytes(window: &WindowPlan) -> u32 {
    let n = window.array_cities as u32;
    let tour = match (window.roomy, window.rounding.is_some()) {
        (false, _) => n,
        (true, false) => 2 * n,
        (true, true) => 4 * n,
    };
    let tied = n.div_ceil(32);
    4 * (tour + tied + room(window).words())
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
        listed: if window.listed { (plan.cities * window.neighbours) as u32 } else { 0 },
        padding: 0,
    };
    let mut flags = vec!["WINDOW"];
    flags.extend(distances::flags(window.rounding));
    let distances = if window.rounding.is_some() { Buffer::Coordinates } else { Buffer::Distances };
    flags.extend(room(window).flags(window.roomy));
    flags.extend(window.listed.then_some("LISTED"));
    flags.extend((window.roomy && window.rounding.is_some()).then_some("COORDINATES_HERE"));
    let mut constants = room(window).constants();
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

/// Loop turns that a dispatch has to hold at least.
pub fn longest_look(window: &WindowPlan) -> u32 {
    room(window).longest_look()
}

/// Dispatches after which the search of every window has ended.
pub fn dispatches(plan: &WindowsPlan) -> u32 {
    let room = room(&plan.window);
    plan.dispatches_for(room.turns_of(plan.window.steps.into()), room.longest_look().into())
}
