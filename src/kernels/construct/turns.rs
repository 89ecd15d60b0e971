//! Loop turns of construction: what an invocation spends at most, and how many dispatches that takes.

use super::{Rows, classes, has_octets, has_one_each, is_listed, keeps_octets, options, warms};
use crate::algorithm::choices::{Selection, Strategy, Visited};
use crate::kernels::plan::ConstructPlan;
use crate::wgsl::constant;

/// The most steps of a dispatch, so that no sum of steps overflows.
const MOST_STEPS: u32 = 1 << 30;
/// Loads of a lane, at most, that bring candidate lists into a cache before the first step.
const TOUCHES: u32 = constant!("construct/rows_candidates", "TOUCHES");
/// Classes of a roulette wheel that are added up together.
pub(super) const GROUP: u32 = constant!("construct/rwm_workgroup", "GROUP");

/// Loop turns of one invocation.
pub(super) struct Turns {
    /// In a step.
    pub step: u32,
    /// In a look beyond the candidates.
    pub beyond: u32,
    /// In beginning and ending a dispatch.
    pub entry: u32,
}

impl Turns {
    pub(super) fn of(plan: &ConstructPlan) -> Self {
        let lanes = match plan.strategy {
            Strategy::Coarse => 1,
            Strategy::Fine => plan.construct_lanes,
        };
        let span = options(plan) as u32;
        // A look at a selective memory goes through its records.
        let look = if Rows::of(plan) == Rows::Selective { plan.record_pitch() + 1 } else { 1 };
        let scan = match has_octets(plan) {
            true => span.div_ceil(8).div_ceil(lanes) + 1,
            false => span.div_ceil(lanes) * look + 1,
        };
        let select = match (plan.system.selection, plan.strategy) {
            (Selection::Wrs | Selection::IRoulette, _) => scan,
            (Selection::Rwm, Strategy::Coarse) => 4 * scan + classes(plan),
            (Selection::Rwm, Strategy::Fine) => scan + stages(span, classes(plan), lanes, look),
        };
        let beyond = match plan.visited {
            // Four cities at a time; for each a selective memory is searched, four records at a time.
            Visited::Bt if plan.wide => {
                (plan.words() as u32).div_ceil(lanes) * (1 + 8 * if look == 1 { 1 } else { look + 2 })
            }
            Visited::Bt => (plan.words() as u32).div_ceil(lanes) * (1 + 32 * look),
            Visited::Lc | Visited::Ct => (plan.cities as u32).div_ceil(lanes) * look,
        };
        let beyond = beyond + (plan.nearby() as u32).div_ceil(lanes) * look + 1;
        // Bits of the cities that a lane weighs are set in four turns.
        let begin = if keeps_octets(plan) { 4 } else { 0 } + if warms(plan) { TOUCHES } else { 0 };
        // Sums of classes are cleared where options of a list are added to them.
        let adds = plan.system.selection == Selection::Rwm && plan.strategy == Strategy::Fine && is_listed(plan);
        let cleared = if adds { classes(plan).div_ceil(lanes) } else { 0 };
        let entry = (plan.visited_words() as u32).div_ceil(lanes) * 2 + begin + cleared;
        // Where a list has more options than lanes, the two trails to wear down are searched for in it.
        let wears = Rows::of(plan) == Rows::Trails && !has_one_each(plan);
        let wear = if wears { 2 * span.div_ceil(lanes) } else { 0 };
        // A software adapter runs several ants in one thread, which waits for every ant that looks beyond its options.
        let shared = if plan.strategy == Strategy::Coarse { plan.ants_a_thread } else { 1 };
        Self { step: select + 4 * look + wear + 2, beyond: (beyond + 2) * shared, entry: entry + 4 * look + wear + 5 }
    }
}

impl Turns {
    /// Steps of a dispatch; the budget is enough for one, and for a look beyond the options in the last step.
    pub(super) fn steps(&self, budget: u32) -> u32 {
        (budget.saturating_sub(self.entry.saturating_add(self.beyond)) / self.step).clamp(1, MOST_STEPS)
    }

    /// Steps that a look beyond costs.
    pub(super) fn beyond_steps(&self) -> u32 {
        self.beyond.div_ceil(self.step)
    }
}

/// Turns in the stages of a roulette wheel by a workgroup, its sums over options aside.
fn stages(span: u32, classes: u32, lanes: u32, look: u32) -> u32 {
    let groups = classes / GROUP;
    classes.div_ceil(lanes) * 2 + groups.div_ceil(lanes) * 9 + 2 * groups + 8 + span.div_ceil(classes) * look + 4
}

/// Loop turns of what one dispatch has to hold: the longest step, or a whole assignment.
pub fn longest_step(plan: &ConstructPlan) -> u32 {
    if plan.is_assignment() {
        let n = plan.cities as u32;
        let each = n.div_ceil(plan.construct_lanes) + 1;
        let Turns { step, entry, .. } = Turns::of(plan);
        // The order, the locations kept, the steps.
        let steps = n.saturating_mul(step).saturating_add(each.saturating_mul(n + 1));
        return steps.saturating_add(n + 3 * each + entry);
    }
    let Turns { step, beyond, entry } = Turns::of(plan);
    entry.saturating_add(step).saturating_add(beyond).saturating_add(1)
}

/// Dispatches after which every ant has a whole solution, even if every step looks beyond the candidates.
pub fn dispatches(plan: &ConstructPlan) -> u32 {
    if plan.is_assignment() {
        return 1;
    }
    if plan.synchronous() {
        return plan.cities as u32 - 1;
    }
    let turns = Turns::of(plan);
    let worst = u64::from(turns.step) * (1 + u64::from(turns.beyond_steps()));
    plan.dispatches_for(plan.cities as u64 * worst, u64::from(turns.entry) + worst)
}
