//! Deposit by every ant, or by the depositing tour alone: twin of `shaders/pheromone/deposit.wgsl`.

use crate::backend::{Access, KernelSpec, Twin, TwinCall};
use crate::kernels::compose::compose;
use crate::kernels::plan::ConstructPlan;
use crate::kernels::shared::state::State;
use crate::kernels::{Buffer, Buffers, KernelError};
use crate::wgsl::block;

/// The kernel's name.
pub const NAME: &str = "deposit";
/// The name of the form in which the depositing tour alone deposits.
pub const BEST_NAME: &str = "deposit_best";

block! {
    /// The parameter block; fields as documented in the WGSL struct.
    pub struct Params {
        pub cities: u32,
        pub directed: u32,
        pub padding: [u32; 2],
    }
}

/// The kernel for `plan` on `buffers` by which all ants deposit at the same time.
pub fn spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let solutions = if plan.has_units() { Buffer::Units } else { Buffer::Tours };
    let twin: Twin = if plan.is_assignment() { assignment_twin } else { twin };
    form(plan, buffers, (NAME, solutions), &[], twin)
}

/// The kernel's form for the depositing tour; one unit.
pub fn best_spec(plan: &ConstructPlan, buffers: &Buffers) -> Result<KernelSpec, KernelError> {
    let twin: Twin = if plan.is_assignment() { best_assignment_twin } else { best_twin };
    form(plan, buffers, (BEST_NAME, Buffer::Bests), &["BEST"], twin)
}

fn form(
    plan: &ConstructPlan,
    buffers: &Buffers,
    (name, tours): (&'static str, Buffer),
    flags: &[&str],
    twin: Twin,
) -> Result<KernelSpec, KernelError> {
    let mut flags = flags.to_vec();
    flags.extend(plan.is_assignment().then_some("ASSIGNMENT"));
    let params = Params { cities: plan.cities as u32, directed: u32::from(plan.system.directed), padding: [0; 2] };
    Ok(KernelSpec {
        name,
        source: compose("pheromone/deposit", &flags)?,
        constants: vec![("LANES", plan.row_lanes)],
        params: bytemuck::bytes_of(&params).to_vec(),
        bindings: vec![
            (buffers.get(Buffer::State), Access::Read),
            (buffers.get(tours), Access::Read),
            (buffers.get(Buffer::Amounts), Access::Read),
            (buffers.get(Buffer::Trails), Access::Write),
        ],
        workgroup_bytes: 0,
        units_per_workgroup: 1,
        twin,
    })
}

fn twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([_, tours, amounts], [trails]) = call.buffers();
    let cities = params.cities as usize;
    for ant in range {
        deposit(&tours[ant * cities..][..cities], params.directed == 1, amounts[ant], trails);
    }
}

fn best_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([state, bests, _], [trails]) = call.buffers();
    let cities = params.cities as usize;
    deposit(&bests[2 * cities..][..cities], params.directed == 1, State::from_words(state).deposit, trails);
}

fn assignment_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let range = call.range();
    let ([_, assignments, amounts], [trails]) = call.buffers();
    let n = params.cities as usize;
    for ant in range {
        deposit_assignment(&assignments[ant * n..][..n], amounts[ant], trails);
    }
}

fn best_assignment_twin(call: &mut TwinCall<'_>) {
    let params: Params = call.params();
    let ([state, bests, _], [trails]) = call.buffers();
    let n = params.cities as usize;
    deposit_assignment(&bests[2 * n..][..n], State::from_words(state).deposit, trails);
}

fn deposit_assignment(assignment: &[u32], amount: u32, trails: &mut [u32]) {
    for (row, &location) in trails.chunks_mut(assignment.len()).zip(assignment) {
        row[location as usize] += amount;
    }
}

/// Adds an amount to each edge of a tour.
pub(super) fn deposit(tour: &[u32], directed: bool, amount: u32, trails: &mut [u32]) {
    if amount == 0 {
        return;
    }
    let cities = tour.len();
    for (i, &city) in tour.iter().enumerate() {
        let next = tour[if i + 1 == cities { 0 } else { i + 1 }];
        trails[city as usize * cities + next as usize] += amount;
        if !directed {
            trails[next as usize * cities + city as usize] += amount;
        }
    }
}
